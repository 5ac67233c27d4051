// Package report makes one self-contained web page of what the commands have left: files of samples, profiles, and the results of
// evaluate, rank, predict, explain, measure, tune, lift explore and fleet merge as they print them with --json.
//
// [Read] finds out what a file is and makes a [Section] of it: pictures and tables, in words that need no other file. The page (page.gohtml) reads
// well without JavaScript, which only adds that tables are sorted by a click.
package report

import (
	_ "embed" // for the template
	"html/template"
	"io"
	"math"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
)

// Page is the whole page.
type Page struct {
	Title    string
	Sections []Section
}

// Of is a title by what the page shows.
func (p *Page) Of() string {
	return "perf: " + format.First(lists.Map(p.Sections, func(s Section) string { return s.Title }), mostInTitle)
}

// Fact is a name with a value.
type Fact struct{ Name, Value string }

// Fold is a text that is shown when it is asked for.
type Fold struct{ Title, Text string }

// Table is a table of cells.
type Table struct {
	Title  string
	Header []Column
	Rows   [][]Cell
}

// Column is the header of a column.
type Column struct {
	Name   string
	Number bool // set flush right
}

// Cell is a text with what it is sorted by.
type Cell struct {
	Text string
	Key  float64 // of a number; NaN of a text, which is sorted as such
}

// columns are those with these names; '>' before a name is one of numbers.
func columns(names ...string) (all []Column) {
	for _, n := range names {
		name, number := strings.CutPrefix(n, ">")
		all = append(all, Column{name, number})
	}
	return all
}

func text(s string) Cell { return Cell{s, math.NaN()} }

// quantity is a number with its unit; nothing where it is not known.
func quantity(v float64, unit string) Cell {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{"", math.Inf(1)}
	}
	return Cell{format.Rough(v, unit), v}
}

func seconds(v float64) Cell {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{"", math.Inf(1)}
	}
	return Cell{format.Seconds(v), v}
}

func percent(v float64) Cell {
	if math.IsNaN(v) {
		return Cell{"", math.Inf(1)}
	}
	return Cell{format.Percent(v), v}
}

// signed is a relative error.
func signed(v float64) Cell {
	c := percent(v)
	if c.Text != "" {
		c.Text = format.SignedPercent(v)
	}
	return c
}

// pair is an interval of times; nothing where it is not known.
func pair(v [2]*float64) Cell {
	switch {
	case v[0] == nil && v[1] == nil:
		return Cell{"", math.Inf(1)}
	case v[0] == nil:
		return Cell{"≤ " + format.Seconds(*v[1]), *v[1]}
	case v[1] == nil:
		return Cell{"≥ " + format.Seconds(*v[0]), *v[0]}
	}
	return Cell{format.Seconds(*v[0]) + " – " + format.Seconds(*v[1]), *v[0]}
}

//go:embed page.gohtml
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"number":   func(v float64) bool { return !math.IsNaN(v) },
	"finite":   func(v float64) float64 { return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, v)) },
	"breaking": breaking,
	"many":     func(columns []Column) bool { return len(columns) > mostBeside },
	"whole":    whole,
}).Parse(pageText))

// mostBeside is how many columns of a table a narrow screen has room for; rows of more are lists there.
const mostBeside = 7

// breaking is a text whose lines may be broken behind commas, as those of sizes, and between the parts of names.
func breaking(text string) template.HTML {
	return template.HTML(breaks.Replace(template.HTMLEscapeString(text))) //nolint:gosec // it is escaped
}

var breaks = strings.NewReplacer(",", ",<wbr>", "_", "_<wbr>", ".", ".<wbr>", "&#", "&#", "#", "<wbr>#")

// whole is quantities whose units stay on their lines.
func whole(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, " ", "\u00a0"), "\u00a0–\u00a0", " – ")
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error { return pageTemplate.Execute(w, p) }
