package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// addSizesFlag adds -p.
func addSizesFlag(cmd *cobra.Command, sizes *[]string) {
	cmd.Flags().StringArrayVarP(sizes, "param", "p", nil,
		"sizes, for example n=4096 or n=4096,m=64; n=1024,2048 and a repeated -p n=... stand for several")
}

// parseSizes reads the texts of one or more -p. Texts about different parameters describe one case together; a
// parameter that was given before starts another case, which keeps the other sizes. Several values of one
// parameter, n=1024,2048, stand for a case each. No text at all is one case without sizes.
func parseSizes(texts []string) ([]map[string]int64, error) {
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
	return append(done, cases...), nil
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
			return nil, nil, usagef("size %q is not of the form name=value, for example n=2048", part)
		case slices.Contains(names, name):
			return nil, nil, usagef("size %s is given twice in %q", name, text)
		default:
			names = append(names, name)
		}
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, nil, usagef("size %s: %q is not an integer of 64 bits\n    several values stand with commas: %s=1024,2048", name, value, name)
		}
		values[name] = append(values[name], v)
	}
	return names, values, nil
}

// parseOneSize reads sizes that must describe a single case.
func parseOneSize(texts []string) (map[string]int64, error) {
	cases, err := parseSizes(texts)
	if err != nil {
		return nil, err
	}
	if len(cases) > 1 {
		return nil, usagef("one size is wanted here, %s stand for %d", strings.Join(texts, " "), len(cases))
	}
	return cases[0], nil
}

// formatSizes writes sizes as parseSizes reads them, names sorted.
func formatSizes(sizes map[string]int64) string {
	parts := make([]string, 0, len(sizes))
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, ",")
}
