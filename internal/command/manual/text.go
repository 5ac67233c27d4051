package manual

import (
	"io"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/format"
)

// Text writes the page in lines of at most width columns, as far as words allow.
func (p *Page) Text(w io.Writer, width int) error {
	var b strings.Builder
	for i, s := range p.sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		if s.heading != "" {
			b.WriteString(s.heading + ":\n")
		}
		for _, block := range s.blocks {
			block.write(&b, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// hanging is the further indentation of what does not fit the line of an example.
const hanging = 4

func (b block) write(out *strings.Builder, width int) {
	if b.gap {
		out.WriteByte('\n')
	}
	line := b.head
	if line != "" && utf8.RuneCountInString(line)+2 > b.indent {
		out.WriteString(line + "\n")
		line = ""
	}
	next := b.indent
	parts := []string{b.text}
	if b.head == "" && !b.joins() {
		next += hanging
	}
	if b.indent+utf8.RuneCountInString(b.text) > width {
		parts = format.Wrap(b.text, max(width-next, 20))
	}
	column := b.indent
	for _, part := range parts {
		out.WriteString(line + strings.Repeat(" ", column-utf8.RuneCountInString(line)) + part + "\n")
		line, column = "", next
	}
}
