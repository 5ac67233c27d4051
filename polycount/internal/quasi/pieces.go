package quasi

import (
	"cmp"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// sumPieces adds two families of disjoint pieces over one table.
func sumPieces(w *linear.Work, a, b []Piece) []Piece {
	if len(a) == 0 {
		return slices.Clone(b)
	}
	for _, x := range b {
		a = addPiece(w, a, x)
	}
	return a
}

// MakeDisjoint adds up pieces that may overlap.
func MakeDisjoint(w *linear.Work, ps []Piece) []Piece {
	if len(ps) < 2 {
		return ps
	}
	return sumPieces(w, ps[:1:1], ps[1:])
}

// addPiece adds x to a family of disjoint pieces.
func addPiece(w *linear.Work, family []Piece, x Piece) []Piece {
	left := []*linear.Conj{x.Dom}
	out := make([]Piece, 0, len(family)+1)
	for _, y := range family {
		w.Spend(len(y.Q) + len(x.Q))
		common := w.Intersect(left, []*linear.Conj{y.Dom})
		if len(common) == 1 && !w.Solvable(common[0].Question()) {
			common = nil
		}
		if len(common) == 0 {
			out = append(out, y)
			continue
		}
		q := y.Q.Add(x.Q)
		for _, c := range common {
			if len(q) > 0 {
				out = append(out, Piece{c, q})
			}
		}
		for _, d := range w.Subtract([]*linear.Conj{y.Dom}, left) {
			out = append(out, Piece{d, y.Q})
		}
		left = w.Subtract(left, []*linear.Conj{y.Dom})
	}
	for _, d := range left {
		if w.Solvable(d.Question()) {
			out = append(out, Piece{d, x.Q})
		}
	}
	return out
}

// Simplify brings p to its short form: merged pieces, irredundant conditions, no unused floors, a fixed order.
func Simplify(w *linear.Work, p *Piecewise) {
	kept := p.Pieces[:0]
	for _, x := range p.Pieces {
		if x.Q = Periodic(w, p, x.Q); len(x.Q) > 0 {
			x.Dom = w.Irredundant(x.Dom, nil, 0)
			if x.Dom.Simplify() {
				kept = append(kept, x)
			}
		}
	}
	p.Pieces = MergePieces(w, p.Table, kept)
	// What the conditions say of the polynomials; that can make more of them equal.
	if specialize(w, p) || unifyFloors(w, p) {
		p.Pieces = MergePieces(w, p.Table, p.Pieces)
	}
	for i, x := range p.Pieces {
		w.Within(attemptLimit, func(w *linear.Work) { x = listed(w, p, x) })
		if x.Q.hasFloor(p.Table) {
			x.Q = interpolated(w, p, x)
		}
		p.Pieces[i] = x
	}
	p.Compact()
	slices.SortStableFunc(p.Pieces, func(a, b Piece) int {
		if c := cmp.Compare(len(a.Dom.Eq), len(b.Dom.Eq)); c != 0 {
			return c
		}
		return CompareConj(a.Dom, b.Dom)
	})
}

func CompareConj(a, b *linear.Conj) int {
	if c := slices.CompareFunc(a.Ge, b.Ge, slices.Compare[linear.Row]); c != 0 {
		return c
	}
	return slices.CompareFunc(a.Eq, b.Eq, slices.Compare[linear.Row])
}

// specialize shortens the polynomials by the conditions of their pieces: floors that have one value there, and
// equalities. It reports whether it changed one. A single piece without equalities stays as it is, since its form is
// the general one.
func specialize(w *linear.Work, p *Piecewise) bool {
	changed := false
	if len(p.Pieces) == 0 || len(p.Pieces) == 1 && len(p.Pieces[0].Dom.Eq) == 0 {
		return false
	}
	kept := p.Pieces[:0]
	for _, x := range p.Pieces {
		q := constantFloors(w, p.Table, x.Q, x.Dom)
		if by, any := x.Dom.Solved(); any {
			if s := q.Rename(p.ImportTable(p.Table, by)); len(s) < len(q) {
				q = s
			}
		}
		if len(q) < len(x.Q) || len(q) == len(x.Q) && q.degree() < x.Q.degree() {
			x.Q, changed = q, true
		}
		if len(x.Q) > 0 {
			kept = append(kept, x)
		}
	}
	p.Pieces = kept
	return changed
}

// constantFloors replaces the floors of q that have one value on dom.
func constantFloors(w *linear.Work, table *linear.Conj, q Quasi, dom *linear.Conj) Quasi {
	var point linear.Row
	by := make([]Quasi, table.Width())
	any := false
	for k, d := range table.Divs {
		at := 1 + table.N + k
		if !q.Uses(at) {
			continue
		}
		if point == nil {
			var ok bool
			if point, ok = w.Sample(dom.Flat()); !ok {
				return nil
			}
			point = table.WithFloors(point[:1+table.N])
		}
		c := dom.Clone()
		lo := c.Translate(table, d.Num)
		hi := linear.NegRow(lo)
		lo[0] = arith.Sub(lo[0], arith.Mul(d.Den, point[at]))
		hi[0] = arith.Add(hi[0], arith.Add(arith.Mul(d.Den, point[at]), d.Den-1))
		if w.Implied(c, lo, false) && w.Implied(c, hi, false) {
			by[at], any = Linear(linear.Row{point[at]}), true
		}
	}
	if !any {
		return q
	}
	return q.Rename(by)
}

// Compact drops the floors that no polynomial uses.
func (p *Piecewise) Compact() {
	n := p.Table.N
	used := make([]bool, p.Table.Width())
	for _, x := range p.Pieces {
		for _, t := range x.Q {
			for i := 0; i < len(t.Factors); i += 2 {
				used[AtomAt(t.Factors, i)] = true
			}
		}
	}
	all := true
	for k := len(p.Table.Divs) - 1; k >= 0; k-- {
		if !used[1+n+k] {
			all = false
			continue
		}
		for i, v := range p.Table.Divs[k].Num {
			used[i] = used[i] || v != 0
		}
	}
	if all {
		return
	}
	table := &linear.Conj{N: n}
	rows := []linear.Row{{1}}
	rows = append(rows, linear.IdentityRows(n)...)
	for k, d := range p.Table.Divs {
		if !used[1+n+k] {
			rows = append(rows, nil)
			continue
		}
		num := make(linear.Row, table.Width())
		for i, v := range d.Num {
			linear.AddTimes(num, v, rows[i])
		}
		rows = append(rows, table.FloorRow(num, d.Den))
	}
	atoms := make([]Quasi, len(rows))
	for i, r := range rows {
		if r != nil {
			atoms[i] = Linear(r)
		}
	}
	for i, x := range p.Pieces {
		p.Pieces[i].Q = x.Q.Rename(atoms)
	}
	p.Table = table
}

// Coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
func Coalesce(w *linear.Work, cs []*linear.Conj) (out []*linear.Conj) {
	if len(cs) == 0 {
		return nil
	}
	var ps []Piece
	one := Constant(arith.RatInt(1))
	for _, c := range cs {
		if w.Solvable(c.Question()) {
			ps = append(ps, Piece{c, one})
		}
	}
	for i := 0; i < len(ps); i++ { // covered by one other
		for j := range ps {
			if i != j && len(w.SubtractOne(ps[i].Dom, ps[j].Dom)) == 0 {
				ps = slices.Delete(ps, i, i+1)
				i--
				break
			}
		}
	}
	for _, x := range MergePieces(w, &linear.Conj{N: cs[0].N}, ps) {
		c := w.Irredundant(x.Dom, nil, 0)
		if c.Simplify() {
			out = append(out, c)
		}
	}
	return out
}
