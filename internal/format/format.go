// Package format writes numbers, sizes and tables as the commands and the charts show them, and reads sizes as people write them.
package format

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/lists"
)

// Seconds writes a time with up to four digits and the unit that suits it.
func Seconds(s float64) string { return Quantity(s, "s") }

// Percent writes a ratio.
func Percent(r float64) string { return strings.TrimPrefix(SignedPercent(r), "+") }

// SignedPercent writes a relative error.
func SignedPercent(r float64) string {
	digits := 2
	if math.Abs(r) >= 10 {
		digits = 0
	}
	return fmt.Sprintf("%+.*f %%", digits, 100*r)
}

// Sizes writes sizes as commands take them, by name: "m=64,n=128".
func Sizes(sizes map[string]int64) string { return SizeList(sizes, ",") }

// SizeList is Sizes with another separator.
func SizeList(sizes map[string]int64, separator string) string {
	return lists.Join(slices.Sorted(maps.Keys(sizes)), separator, func(name string) string { return fmt.Sprintf("%s=%d", name, sizes[name]) })
}

// Wrap breaks a text between words into lines of at most width characters, where its words allow.
func Wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// First names the first of some things, and how many there are beyond.
func First(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// Count writes a number of things: "1 kind", "2 kinds", "2 launches".
func Count(n int, thing string) string {
	plural := "s"
	switch {
	case n == 1:
		plural = ""
	case strings.HasSuffix(thing, "ch"):
		plural = "es"
	}
	return fmt.Sprintf("%d %s%s", n, thing, plural)
}

// Known is the text of a value, "-" for 0 and NaN, which stand for one that is not known.
func Known(v float64, text string) string {
	if v == 0 || math.IsNaN(v) {
		return "-"
	}
	return text
}
