package samples

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"gpuperf/internal/replace"
	"gpuperf/internal/source"
)

// Rewritten says what became of the records of files.
type Rewritten struct {
	Kept       int `json:"kept"`
	Superseded int `json:"superseded"` // the same work was measured again later
	Dropped    int `json:"dropped"`    // not wanted

	Warnings []string `json:"warnings,omitempty"` // what was odd about the files
}

// work is what two records of the same work have in common, as hashes.
type work struct{ kernel, work uint64 }

// place is when the newest record of a work was measured, in nanoseconds, and its number, counted through all files.
type place struct{ time, number int64 }

// rewriting is a Rewrite under way. Files may have more records than memory has room for: it holds a few words of each work.
type rewriting struct {
	sets   []*Set
	sizes  []int64 // of their texts, as far as records are whole
	newest map[work]place
	number int64 // records so far
	out    Rewritten
}

// Rewrite writes to path, which it replaces at once when all is written, of each work the newest record that is wanted; a nil wanted wants all.
// Records keep their order and their text. All files must be of one device. A path that ends in .gz is packed. Each file is read twice: to check its
// records and find the newest, and to copy these. While another process has the file at path open, it waits as [OpenInTurn] does: what that process
// adds would be lost.
func Rewrite(ctx context.Context, path string, files []string, wanted func(*Record) bool, waiting func(holder string)) (Rewritten, error) {
	w := &rewriting{newest: map[work]place{}}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		old, err := inTurn(ctx, path, 0, waiting)
		if err != nil {
			return w.out, err
		}
		defer old.Close()
	}
	for _, file := range files {
		f, err := source.Open(file)
		if err != nil {
			return w.out, err
		}
		s := &Set{Path: file, text: f, file: f}
		defer s.Close()
		if err := w.find(s, wanted); err != nil {
			return w.out, err
		}
	}
	w.out.Kept = len(w.newest)
	return w.out, replace.File(path, w.copy)
}

// find finds the newest records as far as the end of one more file.
func (w *rewriting) find(s *Set, wanted func(*Record) bool) error {
	size, err := s.openText()
	if err != nil {
		return err
	}
	whole := int64(0)
	for l, err := range s.admitted(0, size, 1) {
		if err != nil {
			return err
		}
		whole += int64(len(l.text))
		if l.record != nil {
			w.enter(l, wanted)
		}
	}
	w.sets, w.sizes = append(w.sets, s), append(w.sizes, whole)
	for _, warned := range s.Warnings {
		w.out.Warnings = append(w.out.Warnings, warned.Error())
	}
	if first := w.sets[0]; s.first != nil && first.first != nil {
		if err := first.admits(*s.first); err != nil {
			return fmt.Errorf("%s and %s do not go together: %w", first.Path, s.Path, err)
		}
	}
	return nil
}

// enter counts a record.
func (w *rewriting) enter(l *line, wanted func(*Record) bool) {
	w.number++
	if wanted != nil && !wanted(l.record) {
		w.out.Dropped++
		return
	}
	key, now := work{l.entry.Kernel, l.entry.Work}, place{l.record.Time.UnixNano(), w.number}
	if was, ok := w.newest[key]; ok {
		w.out.Superseded++
		if now.time < was.time {
			return
		}
	}
	w.newest[key] = now
}

// copy writes the newest records.
func (w *rewriting) copy(to io.Writer) error {
	kept := make([]uint64, w.number/64+1) // a bit for each record
	for _, p := range w.newest {
		kept[p.number/64] |= 1 << (p.number % 64)
	}
	number := int64(0)
	for i, s := range w.sets {
		for text, err := range blocks(s.Path, io.NewSectionReader(s.text, 0, w.sizes[i])) {
			if err != nil {
				return err
			}
			for line := range bytes.Lines(text) {
				if len(bytes.TrimSpace(line)) == 0 {
					continue
				}
				if number++; kept[number/64]&(1<<(number%64)) == 0 {
					continue
				}
				if line[len(line)-1] != '\n' { // the last of a file
					line = append(bytes.Clone(line), '\n')
				}
				if _, err := to.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
