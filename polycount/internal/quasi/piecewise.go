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
