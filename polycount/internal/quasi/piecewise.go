package quasi

import (
	"math/big"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// Piecewise is a function of the variables of table: polynomials on disjoint domains, 0 outside them.
type Piecewise struct {
	Table  *linear.Conj // no constraints: the floors that the polynomials use
	Pieces []Piece
}

// Piece is a polynomial over a table's columns on a domain of parameters.
type Piece struct {
	Dom *linear.Conj
	Q   Quasi
}

// Mapped substitutes rows over n new variables for the old ones.
func (p *Piecewise) Mapped(n int, by []linear.Row) *Piecewise {
	out := NewPiecewise(n)
	atoms := out.ImportTable(p.Table, by)
	for _, c := range p.Pieces {
		out.Pieces = append(out.Pieces, Piece{c.Dom.Substitute(n, by), c.Q.Rename(atoms)})
	}
	return out
}

// MappedOver is mapped with rows that may use the floors of table, in normal form.
func (p *Piecewise) MappedOver(table *linear.Conj, by []linear.Row) *Piecewise {
	out := &Piecewise{Table: &linear.Conj{N: table.N, Divs: slices.Clone(table.Divs)}}
	atoms := out.ImportTable(p.Table, by)
	for _, c := range p.Pieces {
		dom := c.Dom.SubstituteRows(table, by)
		if dom.Simplify() {
			out.Pieces = append(out.Pieces, Piece{dom, c.Q.Rename(atoms)})
		}
	}
	return out
}

// align brings p and q, functions of the same variables, to one table; the results may be changed.
func align(p, q *Piecewise) (*Piecewise, *Piecewise) {
	table := &linear.Conj{N: p.Table.N, Divs: slices.Clone(p.Table.Divs)}
	a := &Piecewise{table, slices.Clone(p.Pieces)}
	atoms := a.ImportTable(q.Table, linear.IdentityRows(table.N))
	b := &Piecewise{table, nil}
	for _, c := range q.Pieces {
		b.Pieces = append(b.Pieces, Piece{c.Dom, c.Q.Rename(atoms)})
	}
	return a, b
}

// Sum is p + q, not tidied.
func Sum(w *linear.Work, p, q *Piecewise) *Piecewise {
	a, b := align(p, q)
	a.Pieces = sumPieces(w, a.Pieces, b.Pieces)
	return a
}

// Product is p·q, not tidied.
func Product(w *linear.Work, p, q *Piecewise) *Piecewise {
	a, b := align(p, q)
	out := &Piecewise{a.Table, nil}
	for _, x := range a.Pieces {
		for _, y := range b.Pieces {
			dom := linear.Conjunction(x.Dom, y.Dom)
			if dom.Simplify() && w.Solvable(dom.Question()) {
				out.Pieces = append(out.Pieces, Piece{dom, multiply(w, x.Q, y.Q)})
			}
		}
	}
	return out
}

// termCost is the work of one term of a product, which is written, sorted and may be kept.
const termCost = 16

// multiply is p·q in portions between which the work is limited and can be cancelled.
func multiply(w *linear.Work, p, q Quasi) Quasi {
	const portion = 1 << 14 // products of terms: some milliseconds
	var out Quasi
	for n := max(1, portion/max(1, len(q))); len(p) > 0; p = p[min(n, len(p)):] {
		part := p[:min(n, len(p))]
		w.Spend(termCost*len(part)*len(q) + len(out))
		out = out.Add(part.Mul(q))
	}
	return out
}

// Scale is k·p.
func (p *Piecewise) Scale(k arith.Rat) *Piecewise {
	out := &Piecewise{p.Table, nil}
	if k.IsZero() {
		return out
	}
	for _, c := range p.Pieces {
		out.Pieces = append(out.Pieces, Piece{c.Dom, c.Q.Scale(k)})
	}
	return out
}

// FloorDiv is ⌊p/d⌋ for d > 0; ok is false where a polynomial of p is not affine in variables and floors.
func (p *Piecewise) FloorDiv(d int64) (out *Piecewise, ok bool) {
	out = &Piecewise{&linear.Conj{N: p.Table.N, Divs: slices.Clone(p.Table.Divs)}, nil}
	for _, x := range p.Pieces {
		num, den, ok := x.Q.Affine(out.Table.Width())
		if !ok {
			return nil, false
		}
		if q := Linear(out.Table.FloorRow(num, arith.Mul(d, den))); len(q) > 0 {
			out.Pieces = append(out.Pieces, Piece{x.Dom, q})
		}
	}
	out.Compact()
	return out, true
}

// Quo is p divided by variable at; ok is false where that does not divide every term.
func (p *Piecewise) Quo(at int) (out *Piecewise, ok bool) {
	key := AtomKey(at)
	out = &Piecewise{p.Table, nil}
	for _, x := range p.Pieces {
		q := make(Quasi, 0, len(x.Q))
		for _, m := range x.Q {
			i := 0
			for i < len(m.Factors) && m.Factors[i:i+2] != key {
				i += 2
			}
			if i == len(m.Factors) {
				return nil, false
			}
			q = append(q, Mono{m.Factors[:i] + m.Factors[i+2:], m.C})
		}
		slices.SortFunc(q, func(a, b Mono) int { return compareFactors(a.Factors, b.Factors) })
		out.Pieces = append(out.Pieces, Piece{x.Dom, q})
	}
	return out, true
}

// Equal decides whether p and q have the same value at every point.
func Equal(w *linear.Work, p, q *Piecewise) bool {
	a, b := align(p, q)
	// Most unequal pairs differ at some small point; the proof of equality is what takes time.
	var r scatter
	for size := int64(2); size < 1<<20; size += size/8 + 1 {
		at := randomPoint(&r, a.Table.N, size)
		if a.Value(at).Cmp(b.Value(at)) != 0 {
			return false
		}
	}
	for _, x := range a.Pieces {
		for _, y := range b.Pieces {
			dom := linear.Conjunction(x.Dom, y.Dom)
			if dom.Simplify() && !vanishes(w, a.Table, x.Q.Sub(y.Q), dom) {
				return false
			}
		}
	}
	return vanishesOutside(w, a, b) && vanishesOutside(w, b, a)
}

// randomPoint is a point [1, variables…] in [−size, size]ⁿ.
func randomPoint(r *scatter, n int, size int64) []*big.Int {
	at := []*big.Int{big.NewInt(1)}
	for range n {
		at = append(at, big.NewInt(r.next(size)))
	}
	return at
}

// vanishesOutside decides whether p is 0 outside the pieces of q.
func vanishesOutside(w *linear.Work, p, q *Piecewise) bool {
	for _, x := range p.Pieces {
		rest := []*linear.Conj{x.Dom}
		for _, y := range q.Pieces {
			rest = w.Subtract(rest, []*linear.Conj{y.Dom})
		}
		for _, c := range rest {
			if !vanishes(w, p.Table, x.Q, c) {
				return false
			}
		}
	}
	return true
}

// Value is the exact value at a point [1, variables…].
func (p *Piecewise) Value(at []*big.Int) *big.Rat {
	for _, c := range p.Pieces {
		if holdsBig(c.Dom, at) {
			return c.Q.Value(Atoms(p.Table, at))
		}
	}
	return new(big.Rat)
}

// Atoms appends the values of the floors to the point [1, variables…].
func Atoms(c *linear.Conj, at []*big.Int) []*big.Int {
	full := slices.Clone(at)
	for _, d := range c.Divs {
		q, m := new(big.Int), new(big.Int)
		q.DivMod(dotBig(d.Num, full), big.NewInt(d.Den), m) // Euclidean: floor for a positive divisor
		full = append(full, q)
	}
	return full
}

func dotBig(r linear.Row, at []*big.Int) *big.Int {
	s, t := new(big.Int), new(big.Int)
	for i, v := range r {
		if v != 0 {
			s.Add(s, t.Mul(t.SetInt64(v), at[i]))
		}
	}
	return s
}

func holdsBig(c *linear.Conj, at []*big.Int) bool {
	full := Atoms(c, at)
	for _, r := range c.Eq {
		if dotBig(r, full).Sign() != 0 {
			return false
		}
	}
	for _, r := range c.Ge {
		if dotBig(r, full).Sign() < 0 {
			return false
		}
	}
	return true
}

func (p *Piecewise) Terms() int {
	n := 0
	for _, x := range p.Pieces {
		n += len(x.Q)
	}
	return n
}

// Constantly is the function of n variables with one value.
func Constantly(n int, value int64) *Piecewise {
	p := NewPiecewise(n)
	if value != 0 {
		p.Pieces = []Piece{{&linear.Conj{N: n}, Constant(arith.RatInt(value))}}
	}
	return p
}

// listed writes the condition of a piece that only a few values meet as these values: n = −2 for one value, 3 ≤ n ≤ 6
// for consecutive values of one variable.
func listed(w *linear.Work, p *Piecewise, x Piece) Piece {
	c := x.Dom
	left := c.N - len(c.Eq) // a polyhedron of so many dimensions is bounded by more inequalities only
	if c.N == 0 || len(c.Divs) == 0 && (c.N == 1 || left <= 0 || len(c.Ge) <= left) {
		return x
	}
	var first, last linear.Row
	n := int64(0)
	if err := w.Enumerate(c, func(at []int64) bool {
		if n++; n == 1 {
			first = append(linear.Row{1}, at...)
		}
		last = append(linear.Row{1}, at...)
		return n <= fewPoints
	}); err != nil || n == 0 || n > fewPoints {
		return x
	}
	dom := &linear.Conj{N: c.N}
	switch {
	case n == 1:
		for i := 1; i <= c.N; i++ {
			dom.AddEQ(linear.Plus(1+c.N, arith.Neg(first[i]), 1, i))
		}
		return Piece{dom, Constant(x.Q.at(p.Table.WithFloors(first)))}
	case c.N == 1 && last[1]-first[1] == n-1:
		dom.AddGE(linear.Row{arith.Neg(first[1]), 1})
		dom.AddGE(linear.Row{last[1], -1})
		return Piece{dom, x.Q}
	}
	return x
}

// SimplifyUnder rewrites p under assumptions, a union ctx: it drops pieces and conditions that ctx decides, replaces
// floors with a remainder that ctx fixes, and joins pieces that one polynomial serves. The result has the values of p
// where ctx holds.
func SimplifyUnder(w *linear.Work, p *Piecewise, ctx []*linear.Conj) *Piecewise {
	out := &Piecewise{&linear.Conj{N: p.Table.N, Divs: slices.Clone(p.Table.Divs)}, nil}
	for _, x := range p.Pieces {
		dom := w.Gist(x.Dom, ctx)
		if dom == nil {
			continue
		}
		if len(ctx) == 1 {
			x.Q = resolveFloors(w, p.Table, x.Q, linear.Conjunction(x.Dom, ctx[0]))
		}
		if len(x.Q) > 0 {
			out.Pieces = append(out.Pieces, Piece{dom, x.Q})
		}
	}
	if len(out.Pieces) > 0 && len(ctx) > 0 {
		w.Within(w.Left/2, func(w *linear.Work) { out.Pieces = mergeUnder(w, out.Table, out.Pieces, ctx) })
	}
	Simplify(w, out)
	return out
}

// mergeUnder joins pieces for which, where ctx holds, one polynomial has the values of both: all of them into one
// without a condition if possible, otherwise pairs with a conjunction as their union.
func mergeUnder(w *linear.Work, table *linear.Conj, ps []Piece, ctx []*linear.Conj) []Piece {
	under := make([]Piece, 0, len(ps)*len(ctx)) // the parts of the pieces inside ctx
	for _, x := range ps {
		for _, c := range ctx {
			if d := linear.Conjunction(x.Dom, c); d.Simplify() && w.Solvable(d.Question()) {
				under = append(under, Piece{d, x.Q})
			}
		}
	}
	for _, x := range ps {
		serves := false
		w.Within(attemptLimit, func(w *linear.Work) {
			rest := ctx
			for _, y := range under {
				if !sameOn(w, table, x.Q, y.Q, y.Dom) {
					return
				}
				rest = w.Subtract(rest, []*linear.Conj{y.Dom})
			}
			for _, c := range rest {
				if !sameOn(w, table, x.Q, nil, c) {
					return
				}
			}
			serves = true
		})
		if serves {
			return []Piece{{&linear.Conj{N: table.N}, x.Q}}
		}
	}
	if len(ctx) > 1 || len(ps) < 2 {
		return ps
	}
	// Pieces within ctx have a hull within ctx; there the general merging applies, with the exact test of agreement.
	merged := MergePieces(w, table, under)
	if len(merged) >= len(ps) {
		return ps
	}
	out := ps[:0:0]
	for _, x := range merged {
		if d := w.Gist(x.Dom, ctx); d != nil {
			out = append(out, Piece{d, x.Q})
		}
	}
	return out
}

// Used marks the columns of the variables that occur in p.
func (p *Piecewise) Used() []bool {
	used := make([]bool, p.Table.Width())
	mark := func(n int, r linear.Row) {
		for i := 1; i < min(len(r), 1+n); i++ {
			used[i] = used[i] || r[i] != 0
		}
	}
	for _, x := range p.Pieces {
		for _, r := range slices.Concat(x.Dom.Eq, x.Dom.Ge) {
			mark(x.Dom.N, r)
		}
		for _, d := range x.Dom.Divs {
			mark(x.Dom.N, d.Num)
		}
		for i := 1; i < len(used); i++ {
			used[i] = used[i] || x.Q.Uses(i)
		}
	}
	for k := len(p.Table.Divs) - 1; k >= 0; k-- {
		if used[1+p.Table.N+k] {
			mark(p.Table.Width()-1, p.Table.Divs[k].Num)
		}
	}
	return used
}

// resolveFloors replaces the floors ⌊e/d⌋ of q with a remainder r of e that known fixes, by (e − r)/d.
func resolveFloors(w *linear.Work, table *linear.Conj, q Quasi, known *linear.Conj) Quasi {
	by := make([]Quasi, table.Width())
	changed := false
	for k, d := range table.Divs {
		at := 1 + table.N + k
		e := known.Translate(table, d.Num)
		r, ok := remainder(known, e, d.Den)
		if !ok {
			continue
		}
		num := Linear(d.Num).Add(Constant(arith.RatInt(-r)))
		by[at], changed = num.Scale(arith.RatOf(1, d.Den)).Rename(by), true
	}
	if !changed {
		return q
	}
	return q.Rename(by)
}

// remainder finds r such that e ≡ r (mod d) on every solution of the equalities of c.
func remainder(c *linear.Conj, e linear.Row, d int64) (r int64, ok bool) {
	s := &linear.System{Eq: linear.CloneRows(c.Eq), Ge: []linear.Row{c.Fit(append(linear.Row{}, e...))}, Width: c.Width()}
	for i := range s.Eq {
		s.Eq[i] = c.Fit(s.Eq[i])
	}
	for len(s.Eq) > 0 {
		var none []linear.Row
		if !linear.NormalizeRows(&s.Eq, &none) {
			return 0, false
		}
		if len(s.Eq) > 0 {
			s.Solve()
		}
	}
	for _, v := range s.Ge[0][1:] {
		if v%d != 0 {
			return 0, false
		}
	}
	return arith.Mod(s.Ge[0][0], d), true
}
