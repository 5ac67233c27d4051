package quasi

import "gpuperf/polycount/internal/linear"

// NewPiecewise is 0 everywhere, a function of n variables.
func NewPiecewise(n int) *Piecewise { return &Piecewise{Table: &linear.Conj{N: n}} }

// ImportTable adds the floors of t to p's table, its variables replaced by rows, and returns what each of its columns
// becomes as a polynomial.
func (p *Piecewise) ImportTable(t *linear.Conj, by []linear.Row) []Quasi {
	rows := make([]linear.Row, 1, t.Width())
	rows[0] = linear.Row{1}
	rows = append(rows, by...)
	for _, d := range t.Divs {
		if d.Den <= 0 { // a variable that is summed away
			rows = append(rows, nil)
			continue
		}
		num := make(linear.Row, p.Table.Width())
		for i, v := range d.Num {
			if v != 0 {
				linear.AddTimes(num, v, rows[i])
			}
		}
		rows = append(rows, p.Table.FloorRow(num, d.Den))
	}
	atoms := make([]Quasi, len(rows))
	for i, r := range rows {
		atoms[i] = Linear(r)
	}
	return atoms
}

// oneFamily reports that two floors differ only in a constant.
func oneFamily(a, b linear.Div) bool {
	return a.Den == b.Den && linear.EqualPadded(a.Num[1:], b.Num[1:])
}
