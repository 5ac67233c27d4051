package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parseSizes reads parameter values: "n=64,m=32", or several such texts. A name given twice is an error.
func parseSizes(texts []string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !ok || name == "" {
				return nil, usagef("size %q is not of the form name=value, for example n=2048", part)
			}
			v, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, usagef("size %q: %q is not an integer of 64 bits", part, value)
			}
			if old, twice := sizes[name]; twice && old != v {
				return nil, usagef("size %s is given twice: %d and %d", name, old, v)
			}
			sizes[name] = v
		}
	}
	return sizes, nil
}

// formatSizes writes sizes as parseSizes reads them, names sorted.
func formatSizes(sizes map[string]int64) string {
	names := make([]string, 0, len(sizes))
	for name := range sizes {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s=%d", name, sizes[name])
	}
	return strings.Join(names, ",")
}
