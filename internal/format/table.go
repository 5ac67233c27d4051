package format

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/lists"
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

// WriteIndented writes the header and the rows, a line each, each after an indent. On a terminal that is too narrow for that, long texts are
// broken into several lines, and columns that still do not fit follow below, each time beside those that tell the rows apart.
func (t *Table) WriteIndented(w io.Writer, indent string) error {
	return t.writeWithin(w, indent, terminal.Width(w)-len(indent))
}

// writeWithin writes the table where there is room for so many columns of text; 0 or less is no limit.
func (t *Table) writeWithin(w io.Writer, indent string, room int) error {
	if room <= 0 {
		return t.write(w, indent, t.widths(), t.all(), false)
	}
	whole := t.brokenWidths(math.MaxInt)
	broken := whole
	if sum(whole) > room {
		broken = t.brokenWidths(room / 3)
	}
	for n, columns := range t.parts(broken, room) {
		if n > 0 {
			fmt.Fprintln(w)
		}
		if err := t.write(w, indent, widened(broken, whole, columns, room), columns, true); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) all() (columns []int) {
	for i := range t.header {
		columns = append(columns, i)
	}
	return columns
}

// gap is between columns.
const gap = 2

// lines are the header and the rows.
func (t *Table) lines() [][]string {
	head := lists.Map(t.header, func(h string) string { return strings.TrimPrefix(h, ">") })
	return append([][]string{head}, t.rows...)
}

// sticksOut is the width from which on a cell of text moves what follows it in its own line, instead of all lines.
const sticksOut = 100

func (t *Table) widths() []int {
	width := make([]int, len(t.header))
	for _, line := range t.lines() {
		for i, cell := range line {
			if n := utf8.RuneCountInString(cell); n <= sticksOut || t.isRight(i) {
				width[i] = max(width[i], n)
			}
		}
	}
	return width
}

// isRight reports whether a column is set flush right.
func (t *Table) isRight(column int) bool { return strings.HasPrefix(t.header[column], ">") }

// parts divides the columns into those that fit beside each other; a room of 0 or less holds all, and so does one that the columns
// alone fill that tell the rows apart.
func (t *Table) parts(width []int, room int) [][]int {
	keys := t.keys()
	beside := lists.Sum(width[:min(keys, len(width))], func(w int) int { return w + gap })
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

func (t *Table) write(w io.Writer, indent string, width, columns []int, mayBreak bool) error {
	for n, cells := range t.lines() {
		for _, line := range t.row(cells, width, columns, mayBreak) {
			if n == 0 {
				line = terminal.Heading.Paint(w, line)
			}
			if _, err := fmt.Fprintln(w, indent+line); err != nil {
				return err
			}
		}
	}
	return nil
}

// row has the lines of one row: as many as its cell with most lines has, if cells may be broken.
func (t *Table) row(cells []string, width, columns []int, mayBreak bool) (lines []string) {
	pieces := make([][]string, len(cells))
	height := 1
	for _, i := range columns {
		pieces[i] = []string{cells[i]}
		if mayBreak && !t.isRight(i) {
			pieces[i] = breakCell(cells[i], width[i])
		}
		height = max(height, len(pieces[i]))
	}
	for n := range height {
		line := ""
		for _, i := range columns {
			text := ""
			if n < len(pieces[i]) {
				text = pieces[i][n]
			}
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(text)))
			if t.isRight(i) {
				text, pad = pad, text
			}
			line += text + pad + strings.Repeat(" ", gap)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
