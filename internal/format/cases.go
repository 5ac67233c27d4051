package format

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ParseCases reads texts such as "n=1024,m=3", which give names values of at least the least one. Texts about different names describe one
// case together; a name that was given before starts another case, which keeps the other values. Several values of one name, n=1024,2048,
// stand for a case each. No text at all is one case without values.
func ParseCases(texts []string, least int64) ([]map[string]int64, error) {
	cases := []map[string]int64{{}}
	given := map[string]bool{} // in the case that is being described
	var done []map[string]int64
	for _, text := range texts {
		names, values, err := parseAssignments(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(names, func(n string) bool { return given[n] }) {
			done = append(done, cases...)
			cases = []map[string]int64{maps.Clone(cases[len(cases)-1])}
			clear(given)
		}
		for _, name := range names {
			given[name] = true
			var next []map[string]int64
			for _, c := range cases {
				for _, v := range values[name] {
					with := maps.Clone(c)
					with[name] = v
					next = append(next, with)
				}
			}
			cases = next
		}
	}
	cases = append(done, cases...)
	for _, c := range cases {
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if c[name] < least {
				return nil, fmt.Errorf("size %s is %d; sizes are at least %d", name, c[name], least)
			}
		}
	}
	return cases, nil
}

// parseAssignments reads "n=1024,2048,m=3": names in order, and the values of each.
func parseAssignments(text string) (names []string, values map[string][]int64, err error) {
	values = map[string][]int64{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok && len(names) > 0:
			name, value = names[len(names)-1], name
		case !ok || name == "":
			return nil, nil, fmt.Errorf("size %q is not of the form name=value, for example n=2048", part)
		case slices.Contains(names, name):
			return nil, nil, fmt.Errorf("size %s is given twice in %q", name, text)
		default:
			names = append(names, name)
		}
		v, ok := ParseInteger(value)
		if !ok {
			return nil, nil, fmt.Errorf("size %s: %q is not a 64-bit integer\n"+
				"    write %s\n    separate several values by commas: %s=1024,2048", name, value, Integers, name)
		}
		values[name] = append(values[name], v)
	}
	return names, values, nil
}
