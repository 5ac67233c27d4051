package report

import (
	"fmt"
	"html/template"
	"slices"

	"gpuperf/internal/chart"
)

// fact adds a fact, unless it is not known.
func (s *Section) fact(name, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		s.Facts = append(s.Facts, Fact{name, text})
	}
}

// table adds a table, without columns that are empty.
func (s *Section) table(t Table) {
	for i := len(t.Header) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" }) {
			t.Header = slices.Delete(t.Header, i, i+1)
			for n := range t.Rows {
				t.Rows[n] = slices.Delete(t.Rows[n], i, i+1)
			}
		}
	}
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
}

func (s *Section) picture(p chart.Picture) { s.Pictures = append(s.Pictures, chart.Inline(p)) }

// Section is what one file holds.
type Section struct {
	ID       string
	Title    string
	Kind     string // what the file is, in a word or two
	File     string
	Facts    []Fact // about all of it
	Pictures []template.HTML
	Tables   []Table
	Notes    []string // warnings and doubts
	Folded   []Fold   // sources and provenance
}
