package explore

import (
	_ "embed" // for the template
	"fmt"
	"html/template"
	"io"

	"gpuperf/internal/format"
	"gpuperf/lift/rank"
)

// Page is the content of a web page about rankers on a database.
type Page struct {
	Databases  []string
	Set        *rank.Set
	Rankers    []*rank.Outcomes
	Redundancy *rank.Redundancy
	// Limit is the limit of the times called limited, as in rank.OutcomeOptions.
	Limit float64
}

//go:embed page.gohtml
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"two":     func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"three":   func(x float64) string { return fmt.Sprintf("%.3f", x) },
	"seconds": format.Seconds,
	"curves":  func(f *rank.Figures) template.HTML { return template.HTML(f.Curves.SVG()) },  //nolint:gosec // chart escapes
	"factors": func(f *rank.Figures) template.HTML { return template.HTML(f.Factors.SVG()) }, //nolint:gosec // chart escapes
	"runs":    func(f *rank.Figures) template.HTML { return template.HTML(f.Runs.SVG()) },    //nolint:gosec // chart escapes
	"redundancy": func(r *rank.Redundancy) template.HTML {
		return template.HTML(r.Chart().SVG()) //nolint:gosec // chart escapes
	},
}).Parse(pageText))

// Write writes the page: a summary of the rankers, the curves and bars of section 8 of the paper, and every benchmark at every
// size. It needs no other file.
func (p *Page) Write(w io.Writer) error {
	return pageTemplate.Execute(w, struct {
		*Page
		Figures *rank.Figures
		Groups  int
	}{p, rank.NewFigures(p.Rankers), len(p.Set.Groups())})
}
