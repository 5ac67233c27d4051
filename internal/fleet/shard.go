package fleet

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gpuperf/internal/source"
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
