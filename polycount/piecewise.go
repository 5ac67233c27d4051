package polycount

import (
	"gpuperf/polycount/internal/arith"
	"math/big"
	"math/rand"
	"slices"
)

// piecewise is a function of the variables of table: polynomials on disjoint domains, 0 outside them.
type piecewise struct {
	table  *conj // no constraints: the floors that the polynomials use
	pieces []piece
}

// piece is a polynomial over a table's columns on a domain of parameters.
type piece struct {
	dom *conj
	q   quasi
}

// newPiecewise is 0 everywhere, a function of n variables.
func newPiecewise(n int) *piecewise { return &piecewise{table: &conj{n: n}} }

// mapped substitutes rows over n new variables for the old ones.
func (p *piecewise) mapped(n int, by []row) *piecewise {
	out := newPiecewise(n)
	atoms := out.importTable(p.table, by)
	for _, c := range p.pieces {
		out.pieces = append(out.pieces, piece{c.dom.substitute(n, by), c.q.rename(atoms)})
	}
	return out
}

// mappedOver is mapped with rows that may use the floors of table, in normal form.
func (p *piecewise) mappedOver(table *conj, by []row) *piecewise {
	out := &piecewise{table: &conj{n: table.n, divs: slices.Clone(table.divs)}}
	atoms := out.importTable(p.table, by)
	for _, c := range p.pieces {
		dom := c.dom.substituteRows(table, by)
		if dom.simplify() {
			out.pieces = append(out.pieces, piece{dom, c.q.rename(atoms)})
		}
	}
	return out
}

// importTable adds the floors of t to p's table, its variables replaced by rows, and returns what each of its columns
// becomes as a polynomial.
func (p *piecewise) importTable(t *conj, by []row) []quasi {
	rows := make([]row, 1, t.width())
	rows[0] = row{1}
	rows = append(rows, by...)
	for _, d := range t.divs {
		if d.den <= 0 { // a variable that is summed away
			rows = append(rows, nil)
			continue
		}
		num := make(row, p.table.width())
		for i, v := range d.num {
			if v != 0 {
				for j, x := range rows[i] {
					num[j] = arith.Add(num[j], arith.Mul(v, x))
				}
			}
		}
		rows = append(rows, p.table.floorRow(num, d.den))
	}
	atoms := make([]quasi, len(rows))
	for i, r := range rows {
		if atoms[i] = linear(r); atoms[i] == nil {
			atoms[i] = quasi{}
		}
	}
	return atoms
}

// align brings p and q, functions of the same variables, to one table; the results may be changed.
func align(p, q *piecewise) (*piecewise, *piecewise) {
	table := &conj{n: p.table.n, divs: slices.Clone(p.table.divs)}
	a := &piecewise{table, slices.Clone(p.pieces)}
	atoms := a.importTable(q.table, identityRows(table.n))
	b := &piecewise{table, nil}
	for _, c := range q.pieces {
		b.pieces = append(b.pieces, piece{c.dom, c.q.rename(atoms)})
	}
	return a, b
}

// sum is p + q, not tidied.
func (w *work) sum(p, q *piecewise) *piecewise {
	a, b := align(p, q)
	a.pieces = w.sumPieces(a.pieces, b.pieces)
	return a
}

// product is p·q, not tidied.
func (w *work) product(p, q *piecewise) *piecewise {
	a, b := align(p, q)
	out := &piecewise{a.table, nil}
	for _, x := range a.pieces {
		for _, y := range b.pieces {
			dom := conjunction(x.dom, y.dom)
			if dom.simplify() && w.solvable(dom.question()) {
				out.pieces = append(out.pieces, piece{dom, w.multiply(x.q, y.q)})
			}
		}
	}
	return out
}

// termCost is the work of one term of a product, which is written, sorted and may be kept.
const termCost = 16

// multiply is p·q in portions between which the work is limited and can be cancelled.
func (w *work) multiply(p, q quasi) quasi {
	const portion = 1 << 14
	var out quasi
	for n := max(1, portion/max(1, len(q))); len(p) > 0; p = p[min(n, len(p)):] {
		part := p[:min(n, len(p))]
		w.spend(termCost*len(part)*len(q) + len(out))
		out = out.add(part.mul(q))
	}
	return out
}

// scale is k·p.
func (p *piecewise) scale(k arith.Rat) *piecewise {
	out := &piecewise{p.table, nil}
	if k.IsZero() {
		return out
	}
	for _, c := range p.pieces {
		out.pieces = append(out.pieces, piece{c.dom, c.q.scale(k)})
	}
	return out
}

// floorDiv is ⌊p/d⌋ for d > 0; ok is false where a polynomial of p is not affine in variables and floors.
func (p *piecewise) floorDiv(d int64) (out *piecewise, ok bool) {
	out = &piecewise{&conj{n: p.table.n, divs: slices.Clone(p.table.divs)}, nil}
	for _, x := range p.pieces {
		den := int64(1)
		for _, t := range x.q {
			if len(t.factors) > 2 || t.c.B != nil {
				return nil, false
			}
			den = arith.Lcm(den, t.c.D)
		}
		num := make(row, out.table.width())
		for _, t := range x.q {
			at := 0
			if t.factors != "" {
				at = atomAt(t.factors, 0)
			}
			num[at] = arith.Mul(t.c.N, den/t.c.D)
		}
		if q := linear(out.table.floorRow(num, arith.Mul(d, den))); len(q) > 0 {
			out.pieces = append(out.pieces, piece{x.dom, q})
		}
	}
	out.compact()
	return out, true
}

// quo is p divided by variable at; ok is false where that does not divide every term.
func (p *piecewise) quo(at int) (out *piecewise, ok bool) {
	key := atomKey(at)
	out = &piecewise{p.table, nil}
	for _, x := range p.pieces {
		q := make(quasi, 0, len(x.q))
		for _, m := range x.q {
			i := 0
			for i < len(m.factors) && m.factors[i:i+2] != key {
				i += 2
			}
			if i == len(m.factors) {
				return nil, false
			}
			q = append(q, mono{m.factors[:i] + m.factors[i+2:], m.c})
		}
		slices.SortFunc(q, func(a, b mono) int { return compareFactors(a.factors, b.factors) })
		out.pieces = append(out.pieces, piece{x.dom, q})
	}
	return out, true
}

// equal decides whether p and q have the same value at every point.
func (w *work) equal(p, q *piecewise) bool {
	a, b := align(p, q)
	// Most unequal pairs differ at some small point; the proof of equality is what takes time.
	r := rand.New(rand.NewSource(1))
	for size := int64(2); size < 1<<20; size += size/8 + 1 {
		at := make([]*big.Int, 1+a.table.n)
		at[0] = big.NewInt(1)
		for i := range a.table.n {
			at[1+i] = big.NewInt(r.Int63n(2*size+1) - size)
		}
		if a.value(at).Cmp(b.value(at)) != 0 {
			return false
		}
	}
	for _, x := range a.pieces {
		for _, y := range b.pieces {
			dom := conjunction(x.dom, y.dom)
			if dom.simplify() && !w.vanishes(a.table, x.q.sub(y.q), dom) {
				return false
			}
		}
	}
	return w.vanishesOutside(a, b) && w.vanishesOutside(b, a)
}

// vanishesOutside decides whether p is 0 outside the pieces of q.
func (w *work) vanishesOutside(p, q *piecewise) bool {
	for _, x := range p.pieces {
		rest := []*conj{x.dom}
		for _, y := range q.pieces {
			rest = w.subtract(rest, []*conj{y.dom})
		}
		for _, c := range rest {
			if !w.vanishes(p.table, x.q, c) {
				return false
			}
		}
	}
	return true
}

// value is the exact value at a point [1, variables…].
func (p *piecewise) value(at []*big.Int) *big.Rat {
	for _, c := range p.pieces {
		if c.dom.holdsBig(at) {
			return c.q.value(p.table.atoms(at))
		}
	}
	return new(big.Rat)
}

// atoms appends the values of the floors to the point [1, variables…].
func (c *conj) atoms(at []*big.Int) []*big.Int {
	full := slices.Clone(at)
	for _, d := range c.divs {
		q, m := new(big.Int), new(big.Int)
		q.DivMod(dotBig(d.num, full), big.NewInt(d.den), m) // Euclidean: floor for a positive divisor
		full = append(full, q)
	}
	return full
}

func dotBig(r row, at []*big.Int) *big.Int {
	s, t := new(big.Int), new(big.Int)
	for i, v := range r {
		if v != 0 {
			s.Add(s, t.Mul(t.SetInt64(v), at[i]))
		}
	}
	return s
}

func (c *conj) holdsBig(at []*big.Int) bool {
	full := c.atoms(at)
	for _, r := range c.eq {
		if dotBig(r, full).Sign() != 0 {
			return false
		}
	}
	for _, r := range c.ge {
		if dotBig(r, full).Sign() < 0 {
			return false
		}
	}
	return true
}

func (p *piecewise) terms() int {
	n := 0
	for _, x := range p.pieces {
		n += len(x.q)
	}
	return n
}

// constantly is the function of n variables with one value.
func constantly(n int, value int64) *piecewise {
	p := newPiecewise(n)
	if value != 0 {
		p.pieces = []piece{{&conj{n: n}, constant(arith.RatInt(value))}}
	}
	return p
}
