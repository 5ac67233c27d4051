package manual

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// block is a paragraph, an entry of a list, or a line that stays as it is.
type block struct {
	gap    bool   // an empty line goes before it
	head   string // of an entry: the name, with the spaces before it
	indent int    // the column where the text begins
	text   string // without line breaks
}

// entryLine is a line of a list: a name, at least two spaces, and its meaning.
var entryLine = regexp.MustCompile(`^( +\S(?:.*?\S)?)( {2,})(\S.*)$`)

// deep is an indentation that only a meaning has whose name is on the line before.
const deep = 12

// parse reads a text as it stands in the source: lines at the margin are joined to paragraphs, those below a meaning belong to it,
// and other lines that are indented stay.
func parse(text string) []block {
	var out []block
	gap := false
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "    ")) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			gap = len(out) > 0
			continue
		}
		b := parseLine(line)
		if last := len(out) - 1; last >= 0 && !gap && b.head == "" && b.continues(out[last]) {
			out[last].text += " " + b.text
			continue
		}
		b.gap, gap = gap, false
		out = append(out, b)
	}
	return out
}

func parseLine(line string) block {
	if m := entryLine.FindStringSubmatch(line); m != nil {
		return block{head: m[1], indent: utf8.RuneCountInString(m[1] + m[2]), text: m[3]}
	}
	text := strings.TrimLeft(line, " ")
	return block{indent: len(line) - len(text), text: text}
}

// continues reports whether a line belongs to the block before it.
func (b block) continues(before block) bool {
	return b.indent == before.indent && (before.joins() || before.head != "")
}

// joins reports whether the lines of a block are one text that may be broken anywhere.
func (b block) joins() bool { return b.indent == 0 || b.indent >= deep }
