package quasi

import (
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// sameOn decides whether p and q have the same value on dom.
func sameOn(w *linear.Work, table *linear.Conj, p, q Quasi, dom *linear.Conj) bool {
	return p.Equal(q) || vanishes(w, table, p.Sub(q), dom)
}

// vanishes decides whether q is 0 at every integer point of dom.
func vanishes(w *linear.Work, table *linear.Conj, q Quasi, dom *linear.Conj) bool {
	return vanishesOn(w, table, q, dom.Flat())
}

// vanishesOn decides whether q is 0 at every integer point of s, whose first columns are the variables of table. It
// solves the equalities. A quasi-polynomial that vanishes on a polyhedron with a full-dimensional recession cone vanishes
// everywhere. A polyhedron that is bounded in some direction has finitely many slices in that direction, which are
// decided one by one.
func vanishesOn(w *linear.Work, table *linear.Conj, q Quasi, s *linear.System) bool {
	forms := linear.IdentityRows(table.N)
	for i := range forms {
		forms[i] = append(forms[i], make(linear.Row, s.Width-len(forms[i]))...)
	}
	solved := false
	for {
		w.Spend((len(s.Eq)+len(s.Ge)+1)*s.Width + len(q))
		if len(q) == 0 || !linear.NormalizeRows(&s.Eq, &s.Ge) {
			return true
		}
		if len(s.Eq) == 0 {
			break
		}
		at, by := s.Solve()
		linear.Substitute(at, by, forms)
		solved = true
	}
	if solved || s.Width-1 > table.N { // columns of s become the variables
		p := NewPiecewise(s.Width - 1)
		q = q.renamed(p.ImportTable(table, forms), w.Spend)
		table = p.Table
	}
	g := newGrid(table, q)
	zero := g.vanishesAtRandom(w)
	if zero && g.points < manyPoints && g.vanishes(w) {
		return true
	}
	point, ok := w.Sample(s.Clone())
	switch {
	case !ok:
		return true
	case !q.at(table.WithFloors(point)).IsZero():
		return false
	}
	bounded, last := boundedForm(w, s)
	if bounded == nil {
		return zero && g.vanishes(w)
	}
	for v := int64(0); last < 0 || v <= last; v++ { // bounded = v
		value := slices.Clone(bounded)
		value[0] = arith.Sub(value[0], v)
		if last < 0 && !w.Feasible(&linear.System{Ge: append(slices.Clip(s.Ge), value), Width: s.Width}) {
			return true // the range is finite, and empty above
		}
		slice := s.Clone()
		slice.Eq = append(slice.Eq, value)
		if !vanishesOn(w, table, q, slice) {
			return false
		}
	}
	return true
}

// manyPoints is the number of points from which looking for a direction in which a polyhedron is bounded comes first.
const manyPoints = 1 << 16

// boundedForm is a form that is at least 0 on s and has an upper bound: last for a variable with few values, which is −1
// for an inequality that cannot grow on the cone of directions. It is nil where there is none.
func boundedForm(w *linear.Work, s *linear.System) (form linear.Row, last int64) {
	w.Spend(len(s.Ge) * s.Width)
	at, lo := 0, int64(0)
	for i, x := range s.Ranges() {
		if i > 0 && x.HasLo && x.HasHi && (at == 0 || arith.Sub(x.Hi, x.Lo) < last) {
			at, lo, last = i, x.Lo, x.Hi-x.Lo
		}
	}
	if at > 0 {
		return linear.Plus(s.Width, arith.Neg(lo), 1, at), max(last, 0)
	}
	cone := &linear.System{Ge: linear.CloneRows(s.Ge), Width: s.Width}
	for _, r := range cone.Ge {
		r[0] = 0
	}
	for i, r := range cone.Ge {
		up := slices.Clone(r)
		up[0] = -1
		t := &linear.System{Ge: append(slices.Clip(cone.Ge), up), Width: s.Width}
		if !w.Feasible(t) {
			return s.Ge[i], -1
		}
	}
	return nil, 0
}

// grid has points enough to tell whether a quasi-polynomial is 0: for each residue class modulo the periods of its floors,
// on which it is a polynomial, those that determine a polynomial of its degree.
type grid struct {
	table   *linear.Conj
	q       Quasi
	periods []int64 // of the variables, 0 for those that do not occur
	degree  int64
	points  int64
}

func newGrid(table *linear.Conj, q Quasi) *grid {
	g := &grid{table: table, q: q, periods: make([]int64, 1+table.N), degree: int64(q.degree()), points: 1}
	used := q.atoms(table.Width())
	for k := len(table.Divs) - 1; k >= 0; k-- {
		for i, v := range table.Divs[k].Num {
			used[i] = used[i] || i > 0 && v != 0 && used[1+table.N+k]
		}
	}
	for i := 1; i <= table.N; i++ {
		if used[i] {
			g.periods[i] = periodOf(table, used, i)
			g.points = min(arith.Mul(g.points, min(g.periods[i]*(g.degree+1), manyPoints)), manyPoints)
		}
	}
	return g
}

// periodOf is by how much variable v must grow so that every floor in use grows by an integer.
func periodOf(table *linear.Conj, used []bool, v int) int64 {
	period := int64(1)
	grows := make([]int64, table.Width()) // by what the columns grow when v grows by period
	for again := true; again; {
		again = false
		clear(grows)
		grows[v] = period
		for k, d := range table.Divs {
			if at := 1 + table.N + k; used[at] {
				n := linear.Dot(d.Num, grows)
				if n%d.Den != 0 {
					period, again = arith.Mul(period, d.Den/arith.Gcd(d.Den, n)), true
					break
				}
				grows[at] = n / d.Den
			}
		}
	}
	return period
}

// vanishesAtRandom reports that q is 0 at a few random points.
func (g *grid) vanishesAtRandom(w *linear.Work) bool {
	var r scatter
	c := g.q.coefficients()
	at := make(linear.Row, 1+g.table.N)
	at[0] = 1
	for size := int64(4); size < 1<<9; size *= 2 {
		w.Spend(len(g.q) + g.table.Width())
		for i := 1; i < len(at); i++ {
			at[i] = r.next(size)
		}
		if g.q.residueAt(c, atomsAt(g.table, at)) != 0 {
			return false
		}
	}
	return true
}

// vanishes decides whether q is 0 everywhere.
func (g *grid) vanishes(w *linear.Work) bool {
	at := make(linear.Row, 1+g.table.N)
	at[0] = 1
	// Each coordinate is a residue plus some periods; no more than degree periods in all.
	var walk func(i int, left int64) bool
	walk = func(i int, left int64) bool {
		if i == len(at) {
			w.Spend(len(g.q) + g.table.Width())
			return g.q.at(g.table.WithFloors(at)).IsZero()
		}
		if g.periods[i] == 0 {
			return walk(i+1, left)
		}
		for k := range left + 1 {
			for r := range g.periods[i] {
				at[i] = k*g.periods[i] + r
				if !walk(i+1, left-k) {
					return false
				}
			}
		}
		at[i] = 0
		return true
	}
	return walk(1, g.degree)
}

// scatter is a sequence of numbers without a pattern, always the same one (Knuth's linear congruential generator).
type scatter uint64

// next is the next number, from −size to size.
func (s *scatter) next(size int64) int64 {
	*s = *s*6364136223846793005 + 1442695040888963407
	return int64(*s>>33)%(2*size+1) - size
}
