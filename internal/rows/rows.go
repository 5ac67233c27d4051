// Package rows reads the tables that come with the program as texts.
package rows

import (
	"iter"
	"strings"
)

// Row is the cells of a row.
type Row []string

// At is the cell of a column, "" where the row ends before it.
func (r Row) At(column int) string {
	if column < len(r) {
		return r[column]
	}
	return ""
}

// Of yields the rows of a text: its lines, but for empty ones and those that begin with #. Bars stand between the cells.
func Of(text string) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			row := Row(strings.Split(line, "|"))
			for i, cell := range row {
				row[i] = strings.TrimSpace(cell)
			}
			if !yield(row) {
				return
			}
		}
	}
}
