package fleet

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/replace"
)

// row is where a line of a table stands, and the time that orders it. A table may have as many rows as there are configurations.
type row struct {
	seconds float64
	at      int64
	size    int32
	file    int32
}

// mergeTables writes for each item that ranks the lines of the tables of its parts, the fastest first. Lines without a time are left out.
func (f *File) mergeTables(output string, done []finished) (written []string, err error) {
	for i := range f.Work {
		w := &f.Work[i]
		if !w.Kind.Offline {
			continue
		}
		var tables []string
		for _, u := range f.Units(Shard{0, 1}) {
			if at := slices.IndexFunc(done, func(d finished) bool { return d.Unit == u.Name }); u.Item == i && at >= 0 {
				tables = append(tables, tableFile(done[at].Result))
			}
		}
		if len(tables) == 0 {
			continue
		}
		whole := Unit{Item: i, Work: w, Count: 1}
		path := filepath.Join(output, whole.name()+".jsonl")
		if err := mergeTable(path, tables); err != nil {
			return nil, err
		}
		written = append(written, path)
	}
	return written, nil
}

// tableFile is the table beside a result.
func tableFile(result string) string { return strings.TrimSuffix(result, ".json") + ".jsonl" }

func mergeTable(path string, tables []string) (err error) {
	files := make([]*os.File, len(tables))
	var rows []row
	for i, name := range tables {
		if files[i], err = os.Open(name); err != nil {
			return err
		}
		defer files[i].Close()
		if rows, err = readRows(rows, files[i], int32(i)); err != nil {
			return err
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.file, b.file), cmp.Compare(a.at, b.at))
	})
	return replace.File(path, func(w io.Writer) error {
		var line []byte
		for _, r := range rows {
			line = slices.Grow(line[:0], int(r.size))[:r.size]
			if _, err := files[r.file].ReadAt(line, r.at); err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// readRows adds the rows of a table.
func readRows(rows []row, f io.Reader, file int32) ([]row, error) {
	lines, at := bufio.NewReader(f), int64(0)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err
		}
		var timed struct{ Seconds float64 }
		if json.Unmarshal(line, &timed) == nil && timed.Seconds > 0 {
			rows = append(rows, row{timed.Seconds, at, int32(len(line)), file})
		}
		at += int64(len(line))
	}
}
