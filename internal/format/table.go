package format

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/terminal"
)

// Table is a table of text whose columns are as wide as their widest cell. A column whose header starts with '>' is set flush right.
type Table struct {
	header []string
	rows   [][]string
}

// NewTable returns a table without rows.
func NewTable(header ...string) *Table { return &Table{header: header} }

// Row adds a row, with a cell for each column.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the header and the rows, a line each.
func (t *Table) Write(w io.Writer) error { return t.WriteIndented(w, "") }

// WriteIndented writes the header and the rows, a line each, each after an indent. On a terminal that is too narrow for that, columns
// that do not fit follow below, each time beside those that tell the rows apart.
func (t *Table) WriteIndented(w io.Writer, indent string) error {
	width := t.widths()
	for n, columns := range t.parts(width, terminal.Width(w)-len(indent)) {
		if n > 0 {
			fmt.Fprintln(w)
		}
		if err := t.write(w, indent, width, columns); err != nil {
			return err
		}
	}
	return nil
}

// gap is between columns.
const gap = 2

// lines are the header and the rows.
func (t *Table) lines() [][]string {
	head := make([]string, len(t.header))
	for i, h := range t.header {
		head[i] = strings.TrimPrefix(h, ">")
	}
	return append([][]string{head}, t.rows...)
}

// widths are those of the columns.
func (t *Table) widths() []int {
	width := make([]int, len(t.header))
	for _, line := range t.lines() {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	return width
}

// parts divides the columns into those that fit beside each other; a room of 0 or less holds all, and so does one that the columns
// alone fill that tell the rows apart.
func (t *Table) parts(width []int, room int) [][]int {
	keys := t.keys()
	beside := 0
	for _, w := range width[:min(keys, len(width))] {
		beside += w + gap
	}
	if beside >= room { // which leaves no room for any other column
		room = 0
	}
	parts := [][]int{nil}
	used := 0
	for i := range width {
		last := len(parts) - 1
		if room > 0 && len(parts[last]) > keys && used+width[i] > room {
			parts = append(parts, nil)
			last, used = last+1, beside
			for k := range keys {
				parts[last] = append(parts[last], k)
			}
		}
		parts[last] = append(parts[last], i)
		used += width[i] + gap
	}
	return parts
}

// keys is the number of the first columns that tell the rows apart, three at most.
func (t *Table) keys() int {
	for n := 1; n < 3; n++ {
		seen := map[string]bool{}
		for _, row := range t.rows {
			seen[strings.Join(row[:min(n, len(row))], "\x00")] = true
		}
		if len(seen) == len(t.rows) {
			return n
		}
	}
	return 3
}

// write writes some columns.
func (t *Table) write(w io.Writer, indent string, width, columns []int) error {
	for n, cells := range t.lines() {
		line := ""
		for _, i := range columns {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cells[i]))
			if strings.HasPrefix(t.header[i], ">") {
				line += pad + cells[i]
			} else {
				line += cells[i] + pad
			}
			line += strings.Repeat(" ", gap)
		}
		line = strings.TrimRight(line, " ")
		if n == 0 {
			line = terminal.Heading.Paint(w, line)
		}
		if _, err := fmt.Fprintln(w, indent+line); err != nil {
			return err
		}
	}
	return nil
}
