package microbench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/models"
)

// matches says on the tags of a generator and those of a filter whether a condition holds.
var matches = map[models.Match]func(generator, filter []string) bool{
	models.Superset:  containsAll,
	models.Subset:    func(g, f []string) bool { return containsAll(f, g) },
	models.Identical: func(g, f []string) bool { return containsAll(f, g) && containsAll(g, f) },
	models.Intersect: func(g, f []string) bool {
		return slices.ContainsFunc(g, func(t string) bool { return slices.Contains(f, t) })
	},
}

func containsAll(set, items []string) bool {
	return !slices.ContainsFunc(items, func(x string) bool { return !slices.Contains(set, x) })
}

// ParseMatch reads a match condition; "" is the default, superset.
func ParseMatch(text string) (models.Match, error) {
	var names []string
	for _, m := range models.Matches {
		if string(m) == cmp.Or(text, string(models.Superset)) {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", fmt.Errorf("unknown match condition %q (conditions are %s)%s", text, strings.Join(names, ", "), didYouMean(text, names))
}

// Filter selects variants: the generators whose tags match, with arguments narrowed to the given values.
type Filter struct {
	Tags  []string
	Args  []ArgFilter
	Match models.Match // by which the filter selects generators; "" is Superset
}

// ArgFilter narrows an argument: n:2048,2560.
type ArgFilter struct {
	Name   string
	Values []string
}

// ParseFilter reads filter tags: words are generator tags, "argument:value,value" variant tags. An item may hold several
// with spaces between them. Faults are *source.Error.
func ParseFilter(items []string, match models.Match) (Filter, error) {
	f := Filter{Match: match}
	if _, err := ParseMatch(string(match)); err != nil {
		return Filter{}, err
	}
	for _, item := range items {
		for at := 0; at < len(item); {
			if strings.ContainsRune(" \t\r\n", rune(item[at])) {
				at++
				continue
			}
			n := strings.IndexAny(item[at:], " \t\r\n")
			if n < 0 {
				n = len(item) - at
			}
			if err := f.add(item, at, item[at:at+n]); err != nil {
				return Filter{}, err
			}
			at += n
		}
	}
	return f, nil
}

// maxValues bounds the values of an argument in a filter.
const maxValues = 4096

// add enters the word at an offset of the item.
func (f *Filter) add(item string, at int, word string) error {
	name, values, isArg := strings.Cut(word, ":")
	if !lex.IsName(name) {
		e := source.New("", item, at, "%q is no tag", word)
		if key, value, ok := strings.Cut(word, "="); ok && lex.IsName(key) {
			return e.WithHint("a variant tag has a colon: %s:%s", key, value)
		}
		return e.WithHint("write generator tags as matmul_sq, variant tags as n:2048,2560")
	}
	if !isArg {
		if !slices.Contains(f.Tags, name) {
			f.Tags = append(f.Tags, name)
		}
		return nil
	}
	if slices.ContainsFunc(f.Args, func(a ArgFilter) bool { return a.Name == name }) {
		return source.New("", item, at, "argument %s is given twice", name).
			WithHint("write all its values in one tag, %s:a,b", name)
	}
	a := ArgFilter{Name: name}
	offset := at + len(name) + 1
	for v := range strings.SplitSeq(values, ",") {
		if v == "" || strings.Contains(v, ":") {
			return source.New("", item, offset, "%q is no value of %s", v, name).
				WithHint("write values with commas between them, n:2048,2560")
		}
		if len(a.Values) == maxValues {
			return source.New("", item, offset, "argument %s has more than %d values, the limit", name, maxValues)
		}
		if !slices.Contains(a.Values, v) {
			a.Values = append(a.Values, v)
		}
		offset += len(v) + 1
	}
	f.Args = append(f.Args, a)
	return nil
}

// String is the filter as ParseFilter reads it, without the match condition.
func (f Filter) String() string {
	out := slices.Clone(f.Tags)
	for _, a := range f.Args {
		out = append(out, a.Name+":"+strings.Join(a.Values, ","))
	}
	return strings.Join(out, " ")
}

// didYouMean suggests the nearest of the names, "" where none is near.
func didYouMean(text string, names []string) string {
	if near := source.Nearest(text, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}
