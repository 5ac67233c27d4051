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

// WriteIndented writes the header and the rows, a line each, each after an indent.
func (t *Table) WriteIndented(w io.Writer, indent string) error {
	width := make([]int, len(t.header))
	head := make([]string, len(t.header))
	for i, h := range t.header {
		head[i] = strings.TrimPrefix(h, ">")
	}
	all := append([][]string{head}, t.rows...)
	for _, row := range all {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for i := range width {
		if head[i] == t.header[i] {
			width[i] = -width[i] // flush left, as Printf has it
		}
	}
	for n, row := range all {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%*s  ", width[i], cell)
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
