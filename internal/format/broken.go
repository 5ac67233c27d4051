package format

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/lists"
)

// brokenWidths are those of columns whose texts are broken where they are wider than a limit. Columns that are set flush right have numbers,
// which are not broken.
func (t *Table) brokenWidths(limit int) []int {
	width := make([]int, len(t.header))
	for _, line := range t.lines() {
		for i, cell := range line {
			pieces := []string{cell}
			if !t.isRight(i) {
				pieces = breakCell(cell, limit)
			}
			for _, piece := range pieces {
				width[i] = max(width[i], utf8.RuneCountInString(piece))
			}
		}
	}
	return width
}

// widened gives the room beside columns to those of them that are narrower than their texts, the last first.
func widened(broken, whole, columns []int, room int) []int {
	width := slices.Clone(broken)
	used := lists.Sum(columns, func(i int) int { return width[i] + gap })
	left := room - (used - gap)
	for _, i := range slices.Backward(columns) {
		if more := min(left, whole[i]-width[i]); more > 0 {
			width[i] += more
			left -= more
		}
	}
	return width
}

// sum is the width of columns beside each other.
func sum(width []int) int {
	all := -gap
	for _, w := range width {
		all += w + gap
	}
	return all
}

// breakCell breaks a text into lines of a width, after spaces, commas and semicolons; a word that is longer stays whole. All but the first are
// indented.
func breakCell(text string, width int) (lines []string) {
	const indent = " "
	line := ""
	for _, word := range words(text) {
		if line != "" && line != indent && utf8.RuneCountInString(strings.TrimRight(line+word, " ")) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = indent
		}
		line += word
	}
	return append(lines, strings.TrimRight(line, " "))
}

// words are the pieces of a text between which it may be broken, each with the space, comma or semicolon that ends it.
func words(text string) (all []string) {
	for text != "" {
		end := strings.IndexAny(text, " ,;") + 1
		if end == 0 {
			end = len(text)
		}
		all = append(all, text[:end])
		text = text[end:]
	}
	return all
}
