package fleet

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/campaign"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/samples"
)

// Shard is a share of a campaign's work: number Index, from 0 on, of Count.
type Shard struct{ Index, Count int }

// ParseShard reads "3/16", where the first number counts from 0.
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > MaxShards*maxDevices || i < 0 || i >= n {
		return Shard{}, fmt.Errorf("%q is no shard; write 0/4, 1/4, 2/4 or 3/4 for the four of 4", text)
	}
	return Shard{i, n}, nil
}

// String is "3/16".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Has reports whether the shard has the work of a number.
func (s Shard) Has(number int) bool { return number%s.Count == s.Index }

// Split are n shards in the place of one.
func (s Shard) Split(n int) (out []Shard) {
	for k := range n {
		out = append(out, Shard{s.Index*n + k, s.Count * n})
	}
	return out
}

// folder of the shard in the output of a campaign.
func (s Shard) folder(output string) string {
	return filepath.Join(output, "shards", fmt.Sprintf("%d-of-%d", s.Index, s.Count))
}

// Unit is what a shard does at once: an item of the work, or a part of one.
type Unit struct {
	Name  string // unique in the campaign
	Item  int    // its number in the list of work
	Work  *Work
	Part  int
	Count int // parts of the item
}

// Units are those of a shard, in the order of the work. Parts are dealt out like cards.
func (f *File) Units(s Shard) (units []Unit) {
	dealt := 0
	for i := range f.Work {
		w := &f.Work[i]
		for part := range w.Parts {
			u := Unit{Item: i, Work: w, Part: part, Count: w.Parts}
			u.Name = u.name()
			if w.Kind.EachDevice || s.Has(dealt) {
				units = append(units, u)
			}
			if !w.Kind.EachDevice {
				dealt++
			}
		}
	}
	return units
}

// name is that of the item, and of the part where there are several.
func (u Unit) name() string {
	name := fmt.Sprintf("%d-%s-%s", u.Item+1, u.Work.Kind.Name, u.Work.label())
	if u.Count > 1 {
		name += fmt.Sprintf("-%d-of-%d", u.Part, u.Count)
	}
	return name
}

// label names what an item is about.
func (w *Work) label() string {
	path, name, _ := source.CutName(w.Of[0])
	base := filepath.Base(path)
	return slug(strings.TrimSuffix(base, filepath.Ext(base)) + " " + name)
}

// args are the arguments of perf for the unit, but for those of the device; table is where it may write one.
func (u Unit) args(table string) []string {
	w := u.Work
	args := append(append([]string{}, w.Kind.Command...), w.Of...)
	for _, f := range w.Flags {
		args = append(args, "--"+f.Name+"="+f.Value)
	}
	if w.Kind.Part != nil {
		args = append(args, w.Kind.Part(u.Part, u.Count, table)...)
	}
	return args
}

// slug has the letters and digits of a text in lower case, and hyphens between.
func slug(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// Device is a device of a fleet. The zero value stands for none, of work that needs none.
type Device struct {
	Host  string `json:"host,omitempty"`
	Index int    `json:"index"` // as perf devices lists it on the host
	samples.Fingerprint
}

// Key tells devices apart that are never pooled: by UUID, or else by host and place there, and by the driver, whose compiler makes other code.
// It is usable as the name of a folder.
func (d Device) Key() string {
	if d.Name == "" {
		return "no-device"
	}
	key := filepath.Base(campaign.DeviceFile("", "", d.Fingerprint, ""))
	if len(d.UUID) < 8 {
		place := d.PCI
		if place == "" {
			place = fmt.Sprint(d.Index)
		}
		key += "-" + slug(d.Host+" "+place)
	}
	return key + "-driver-" + slug(d.Driver)
}

// Label names the device in tables.
func (d Device) Label() string {
	switch {
	case d.Name == "":
		return "no device"
	case len(d.UUID) >= 8:
		return fmt.Sprintf("%s %s", d.Name, d.UUID[:8])
	}
	return fmt.Sprintf("%s (%d on %s)", d.Name, d.Index, d.Host)
}

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
