package samples

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gpuperf/internal/replace"
)

// Rewritten says what became of the records of files.
type Rewritten struct {
	Kept       int `json:"kept"`
	Superseded int `json:"superseded"` // the same work was measured again later
	Dropped    int `json:"dropped"`    // not wanted
}

// work is what two records of the same work have in common, as hashes.
type work struct{ kernel, work uint64 }

// place is where the newest record of a work is.
type place struct {
	time   time.Time
	number int // counted through all files
}

// Rewrite writes to path, which it replaces at once when all is written, of each work the newest record that is wanted; a nil wanted wants all.
// Records keep their order and their text. All files must be of one device. A path that ends in .gz is packed.
func Rewrite(path string, files []string, wanted func(*Record) bool) (out Rewritten, err error) {
	sets := make([]*Set, len(files))
	for i, file := range files {
		if sets[i], err = Load(file); err != nil {
			return out, err
		}
		defer sets[i].Close()
		if first := sets[i].first; first != nil && sets[0].first != nil {
			if err := sets[0].admits(*first); err != nil {
				return out, fmt.Errorf("%s and %s do not go together: %w", files[0], file, err)
			}
		}
	}
	newest := map[work]place{}
	number := 0
	for _, s := range sets {
		for r, err := range s.All() {
			if err != nil {
				return out, err
			}
			number++
			if wanted != nil && !wanted(r) {
				out.Dropped++
				continue
			}
			e := entryOf(r)
			w := work{e.Kernel, e.Work}
			if was, ok := newest[w]; ok {
				out.Superseded++
				if r.Time.Before(was.time) {
					continue
				}
			}
			newest[w] = place{r.Time, number}
		}
	}
	out.Kept = len(newest)
	return out, replace.File(path, func(w io.Writer) error {
		number := 0
		for _, s := range sets {
			for l, err := range s.lines(0, s.size, 1) {
				if err != nil {
					return err
				}
				if l.record == nil {
					continue
				}
				number++
				if newest[work{l.entry.Kernel, l.entry.Work}].number != number {
					continue
				}
				text := strings.TrimSuffix(string(l.text), "\n")
				if _, err := io.WriteString(w, strings.TrimLeft(text, "\n")+"\n"); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
