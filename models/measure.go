package models

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

// Match is a condition between the tags of a generator or kernel and those of a filter.
type Match string

// The match conditions (Perflex paper, section 7.1).
const (
	Superset  Match = "superset"  // the kernel has all tags of the filter
	Subset    Match = "subset"    // the filter has all tags of the kernel
	Identical Match = "identical" // both have the same tags
	Intersect Match = "intersect" // both have some tag
)

// Matches lists the match conditions.
var Matches = []Match{Superset, Subset, Identical, Intersect}

// Measurement selects kernels to calibrate with: measurement kernels by their tags, or kernels of a script at given sizes.
type Measurement struct {
	Tags  []string
	Match Match

	Script     string // path of a kernel script, relative to the model file; "" where tags select
	Kernel     string // one kernel of the script, SCRIPT#KERNEL in the file; "" is every kernel
	RemoveWork *WorkRemoval
	Sizes      []map[string]int64

	Places []Pos // of the tags, or of the script
}

// WorkRemoval turns a kernel into one that makes only accesses to global memory (Perflex paper, section 7.1.1).
type WorkRemoval struct {
	Keep         []string // tags of the accesses that are kept; none keeps all
	Accumulators int      // variables that sum up the loaded values; 0 is 1
}

const maxAccumulators = 64 // as of the transformation that makes the kernel

func (m *Model) readMeasure(n *yamlfile.Node) error {
	if n == nil {
		return nil
	}
	items, err := n.List()
	if err != nil {
		return err
	}
	for _, item := range items {
		f, err := item.Fields(Keys["measure"]...)
		if err != nil {
			return err
		}
		var out Measurement
		switch {
		case f["tags"] == nil && f["script"] == nil:
			return item.Errorf("a measurement set needs tags or a script").
				WithHint("tags: [empty_kernel] selects measurement kernels, script: mine.star and sizes: [{n: 1024}] take kernels of your own")
		case f["tags"] != nil && f["script"] != nil:
			return item.Errorf("a measurement set has tags or a script, not both").WithHint("make it two items of the list")
		case f["tags"] != nil:
			err = out.readTags(f)
		default:
			err = out.readScript(f)
		}
		if err != nil {
			return err
		}
		m.Measure = append(m.Measure, out)
	}
	return nil
}

func (m *Measurement) readTags(f map[string]*yamlfile.Node) error {
	for _, key := range []string{"remove_work", "sizes"} {
		if f[key] != nil {
			return f[key].Errorf("%s belongs to a script, and this measurement set has tags", key)
		}
	}
	m.Match = Superset
	tags, err := f["tags"].Strings()
	if err != nil {
		return err
	}
	if len(tags) == 0 {
		return f["tags"].Errorf("a measurement set needs at least one tag")
	}
	for _, t := range tags {
		m.Tags = append(m.Tags, strings.TrimSpace(t.Text))
		m.Places = append(m.Places, t.Pos)
	}
	if v := f["match"]; v != nil {
		m.Match = Match(v.Text)
		if !slices.Contains(Matches, m.Match) {
			return v.Errorf("unknown match condition %q", v.Text).WithHint("%s", source.Suggest(v.Text, words(Matches)))
		}
	}
	return nil
}

func (m *Measurement) readScript(f map[string]*yamlfile.Node) (err error) {
	if f["match"] != nil {
		return f["match"].Errorf("match belongs to tags, and this measurement set has a script")
	}
	path, err := f["script"].String()
	if err != nil {
		return err
	}
	m.Script, m.Kernel, _ = source.CutName(path)
	m.Places = []source.Pos{f["script"].Pos}
	if err := yamlfile.Optional(f["remove_work"], readRemoval, &m.RemoveWork); err != nil {
		return err
	}
	if f["sizes"] == nil {
		return f["script"].Errorf("the kernels of a script need sizes").WithHint("sizes: [{n: 1024}, {n: 2048}]")
	}
	sizes, err := f["sizes"].List()
	if err != nil {
		return err
	}
	if len(sizes) == 0 {
		return f["sizes"].Errorf("the kernels of a script need at least one size")
	}
	for _, item := range sizes {
		at, err := item.Ints()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(m.Sizes, func(o map[string]int64) bool { return maps.Equal(o, at) }) {
			return item.Errorf("these sizes are listed twice")
		}
		m.Sizes = append(m.Sizes, at)
	}
	return nil
}

func readRemoval(n *yamlfile.Node) (*WorkRemoval, error) {
	f, err := n.Fields(Keys["remove_work"]...)
	if err != nil {
		return nil, err
	}
	r := &WorkRemoval{}
	if v := f["keep"]; v != nil {
		tags, err := v.Strings()
		if err != nil {
			return nil, err
		}
		if len(tags) == 0 {
			return nil, v.Errorf("no access is kept").WithHint("leave keep out to keep all of them")
		}
		for _, t := range tags {
			r.Keep = append(r.Keep, t.Text)
		}
	}
	if v := f["accumulators"]; v != nil {
		if r.Accumulators, err = v.Int(); err != nil {
			return nil, err
		}
		if r.Accumulators < 1 || r.Accumulators > maxAccumulators {
			return nil, v.Errorf("the number of accumulators is between 1 and %d", maxAccumulators)
		}
	}
	return r, nil
}

// String prints the item of a measure section, two lines or more that start with "- ".
func (m Measurement) String() string {
	var b strings.Builder
	if m.Script == "" {
		fmt.Fprintf(&b, "- tags: [%s]\n  match: %s\n", strings.Join(quoteAll(m.Tags), ", "), m.Match)
		return b.String()
	}
	path := m.Script
	if m.Kernel != "" {
		path += "#" + m.Kernel
	}
	fmt.Fprintf(&b, "- script: %s\n", quote(path))
	if r := m.RemoveWork; r != nil {
		var fields []string
		if len(r.Keep) > 0 {
			fields = append(fields, "keep: ["+strings.Join(quoteAll(r.Keep), ", ")+"]")
		}
		if r.Accumulators > 0 {
			fields = append(fields, fmt.Sprintf("accumulators: %d", r.Accumulators))
		}
		fmt.Fprintf(&b, "  remove_work: {%s}\n", strings.Join(fields, ", "))
	}
	var sizes []string
	for _, at := range m.Sizes {
		pairs := lists.Map(slices.Sorted(maps.Keys(at)), func(name string) string { return fmt.Sprintf("%s: %d", key(name), at[name]) })
		sizes = append(sizes, "{"+strings.Join(pairs, ", ")+"}")
	}
	fmt.Fprintf(&b, "  sizes: [%s]\n", strings.Join(sizes, ", "))
	return b.String()
}

// key quotes the name of a size where a YAML reader could take it for something else; n and y are plain.
func key(name string) string {
	if name == "n" || name == "y" || name == "N" || name == "Y" {
		return name
	}
	return quote(name)
}

func quoteAll(list []string) []string {
	return lists.Map(list, quote)
}

// quote puts a word in single quotes unless YAML reads it unchanged without them.
func quote(s string) string {
	plain := s != ""
	for i, r := range s {
		if !(r < utf8.RuneSelf && isWord(byte(r))) && !(i > 0 && strings.ContainsRune(" +*/().-;", r)) || i == 0 && unicode.IsDigit(r) {
			plain = false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		plain = false
	}
	if plain && strings.TrimSpace(s) == s {
		return s
	}
	if strings.ContainsAny(s, "\n\r\t") || strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) >= 0 {
		return strconv.Quote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func words[T ~string](list []T) (out []string) {
	return lists.Map(list, func(v T) string { return string(v) })
}
