package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/rows"
)

// text is the rules; every one in equations is tested on random instances of itself.
//
//go:embed rules.txt
var text string

// kinds are those of parameters, by the names that the text has for them.
var kinds = []string{Length: "length", Tile: "tile", More: "more", First: "first", Narrow: "narrow", Dimension: "dimension", Width: "width", Count: "count", Order: "order"}

var (
	all    []*Rule
	byName = map[string]*Rule{}
)

// init reads the rules, and panics for an invalid one: the text is part of the program.
func init() {
	known := func(is bool, what string) {
		if !is {
			panic("lift/rules: unknown " + what)
		}
	}
	withCode := 0
	for row := range rows.Of(text) {
		r := &Rule{Name: row[0], Left: row.At(1), Right: row.At(2), Types: row.At(3), coded: codes[row[0]]}
		if r.code != nil {
			withCode++
		}
		for _, p := range list(row.At(4)) {
			name, kind, _ := strings.Cut(p, " ")
			at := slices.Index(kinds, kind)
			known(at >= 0, "kind of parameters "+kind)
			r.Params = append(r.Params, Param{name, ParamKind(at)})
		}
		for _, name := range list(row.At(5)) {
			c, ok := conditions[name]
			known(ok, "condition "+name)
			r.Where = append(r.Where, c)
		}
		if figure, is := strings.CutPrefix(row.At(6), "001 Fig. "); is {
			r.Figure = figure
		} else {
			r.Source = row.At(6)
		}
		if err := r.Prepare(); err != nil || byName[r.Name] != nil {
			panic(fmt.Sprintf("rule %s: %v", r.Name, err))
		}
		all, byName[r.Name] = append(all, r), r
	}
	known(withCode == len(codes), "rule in the table of code")
	addMacros()
}

// list is what stands between the commas of a cell.
func list(cell string) []string {
	if cell == "" {
		return nil
	}
	return strings.Split(cell, ", ")
}
