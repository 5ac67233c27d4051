package polycount

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
)

// Poly is a piecewise quasi-polynomial in named parameters with rational coefficients. Its pieces are disjoint;
// outside them it is 0. It is immutable.
type Poly struct {
	params []string
	table  *conj // no constraints: the floors that the polynomials use
	pieces []piece
}

// piece is a polynomial over a table's columns on a domain of parameters.
type piece struct {
	dom *conj
	q   quasi
}

func newPoly(params []string) *Poly { return &Poly{params: params, table: &conj{n: len(params)}} }

// Constant is c everywhere.
func Constant(c int64) *Poly { return FromAffine(Int(c)) }

// FromAffine is a everywhere.
func FromAffine(a Affine) *Poly {
	p := newPoly(a.Names())
	r := p.table.affineRow(a, columnOf(columns(p.params)))
	if !isZero(r) {
		p.pieces = []piece{{&conj{n: len(p.params)}, linear(r)}}
	}
	return p
}

// Params are the parameters, in order. Those that stand in no piece are among them: they are part of the space, but
// evaluation does not ask for their values.
func (p *Poly) Params() []string { return slices.Clone(p.params) }

// Pieces is the number of pieces.
func (p *Poly) Pieces() int { return len(p.pieces) }

// IsZero reports that p has no piece, which is the form of the zero polynomial.
func (p *Poly) IsZero() bool { return len(p.pieces) == 0 }

// respace rewrites p over params, a superset of its own.
func (p *Poly) respace(params []string) *Poly {
	if slices.Equal(params, p.params) {
		return p
	}
	column := columns(params)
	by := make([]row, len(p.params))
	for i, n := range p.params {
		at, ok := column[n]
		if !ok {
			fail("polycount: parameter %q is missing in the new space", n)
		}
		by[i] = make(row, at+1)
		by[i][at] = 1
	}
	return p.mapped(params, by)
}

// mapped substitutes rows over the new parameters for the old ones.
func (p *Poly) mapped(params []string, by []row) *Poly {
	out := newPoly(params)
	atoms := out.importTable(p.table, by)
	for _, c := range p.pieces {
		out.pieces = append(out.pieces, piece{c.dom.substitute(len(params), by), c.q.rename(atoms)})
	}
	return out
}

// importTable adds the floors of t to p's table, its variables replaced by rows, and returns what each of its columns
// becomes as a polynomial.
func (p *Poly) importTable(t *conj, by []row) []quasi {
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
					num[j] = add(num[j], mul(v, x))
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

func identityRows(n int) []row {
	by := make([]row, n)
	for i := range by {
		by[i] = make(row, i+2)
		by[i][i+1] = 1
	}
	return by
}

// alignPolys brings p and q to common parameters and one table; the results may be changed.
func alignPolys(p, q *Poly) (*Poly, *Poly) {
	params := unionNames(p.params, q.params)
	p, q = p.respace(params), q.respace(params)
	table := &conj{n: len(params), divs: slices.Clone(p.table.divs)}
	a := &Poly{params, table, slices.Clone(p.pieces)}
	atoms := a.importTable(q.table, identityRows(len(params)))
	b := &Poly{params, table, nil}
	for _, c := range q.pieces {
		b.pieces = append(b.pieces, piece{c.dom, c.q.rename(atoms)})
	}
	return a, b
}

// Add returns p + q.
func (p *Poly) Add(q *Poly) (out *Poly, err error) {
	defer Rescue(&err)
	a, b := alignPolys(p, q)
	w := anyWork()
	a.pieces = w.sumPieces(a.pieces, b.pieces)
	w.tidy(a)
	return a, nil
}

// Sub returns p − q.
func (p *Poly) Sub(q *Poly) (*Poly, error) { return p.Add(q.Scale(-1, 1)) }

// Mul returns p·q. Its work can be limited and cancelled like that of Count.
func (p *Poly) Mul(q *Poly, opts ...Option) (out *Poly, err error) {
	defer Rescue(&err)
	w := workOf(opts)
	out = w.mulPoly(p, q)
	w.tidy(out)
	return out, nil
}

func (w *work) mulPoly(p, q *Poly) *Poly {
	a, b := alignPolys(p, q)
	out := &Poly{a.params, a.table, nil}
	for _, x := range a.pieces {
		for _, y := range b.pieces {
			dom := conjunction(x.dom, y.dom)
			if dom.simplify() && w.solvable(dom.question()) {
				out.pieces = append(out.pieces, piece{dom, w.product(x.q, y.q)})
			}
		}
	}
	return out
}

// termCost is the work of one term of a product, which is written, sorted and may be kept.
const termCost = 16

// product is p·q in portions between which the work is limited and can be cancelled.
func (w *work) product(p, q quasi) quasi {
	const portion = 1 << 14
	var out quasi
	for n := max(1, portion/max(1, len(q))); len(p) > 0; p = p[min(n, len(p)):] {
		part := p[:min(n, len(p))]
		w.spend(termCost*len(part)*len(q) + len(out))
		out = out.add(part.mul(q))
	}
	return out
}

// Scale returns num/den·p; den must not be 0.
func (p *Poly) Scale(num, den int64) *Poly {
	out := &Poly{p.params, p.table, nil}
	if num == 0 {
		return out
	}
	if den == 0 {
		panic("polycount: Scale by a zero denominator")
	}
	k := ratBig(big.NewRat(num, den))
	for _, c := range p.pieces {
		out.pieces = append(out.pieces, piece{c.dom, c.q.scale(k)})
	}
	return out
}

// FloorDiv returns ⌊p/d⌋ for d > 0, of a p that is affine in parameters and floors on every piece; others are an error.
// Where p has no piece the result is 0 as well.
func (p *Poly) FloorDiv(d int64) (out *Poly, err error) {
	defer Rescue(&err)
	if d <= 0 {
		return nil, fmt.Errorf("polycount: floor division by %d", d)
	}
	out = &Poly{p.params, &conj{n: p.table.n, divs: slices.Clone(p.table.divs)}, nil}
	for _, x := range p.pieces {
		den := int64(1)
		for _, t := range x.q {
			if len(t.factors) > 2 || t.c.b != nil {
				return nil, fmt.Errorf("polycount: %v is not affine: its quotient by %d has no closed form here", p, d)
			}
			den = lcm(den, t.c.d)
		}
		num := make(row, out.table.width())
		for _, t := range x.q {
			at := 0
			if t.factors != "" {
				at = atomAt(t.factors, 0)
			}
			num[at] = mul(t.c.n, den/t.c.d)
		}
		if q := linear(out.table.floorRow(num, mul(d, den))); len(q) > 0 {
			out.pieces = append(out.pieces, piece{x.dom, q})
		}
	}
	out.compact()
	return out, nil
}

// Equal decides whether p and q have the same value at every point.
func (p *Poly) Equal(q *Poly) (equal bool, err error) {
	defer Rescue(&err)
	w := anyWork()
	a, b := alignPolys(p, q)
	// Most unequal pairs differ at some small point; the proof of equality is what takes time.
	r := rand.New(rand.NewSource(1))
	for size := int64(2); size < 1<<20; size += size/8 + 1 {
		at := make([]*big.Int, 1+len(a.params))
		at[0] = big.NewInt(1)
		for i := range a.params {
			at[1+i] = big.NewInt(r.Int63n(2*size+1) - size)
		}
		if a.evalBig(at).Cmp(b.evalBig(at)) != 0 {
			return false, nil
		}
	}
	for _, x := range a.pieces {
		for _, y := range b.pieces {
			dom := conjunction(x.dom, y.dom)
			if dom.simplify() && !w.vanishes(a.table, x.q.sub(y.q), dom) {
				return false, nil
			}
		}
	}
	return w.vanishesOutside(a, b) && w.vanishesOutside(b, a), nil
}

// vanishesOutside decides whether p is 0 outside the pieces of q.
func (w *work) vanishesOutside(p, q *Poly) bool {
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

// Subst replaces parameters by expressions in others, all at once.
func (p *Poly) Subst(by map[string]Affine) (out *Poly, err error) {
	defer Rescue(&err)
	var params []string
	exprs := make([]Affine, len(p.params))
	for i, n := range p.params {
		e, ok := by[n]
		if !ok {
			e = Name(n)
		}
		exprs[i] = e
		params = unionNames(params, e.Names())
	}
	out = newPoly(params)
	column := columns(params)
	table := &conj{n: len(params)}
	rows := make([]row, len(exprs))
	for i, e := range exprs {
		rows[i] = table.affineRow(e, columnOf(column))
	}
	out.table.divs = slices.Clone(table.divs)
	atoms := out.importTable(p.table, rows)
	for _, c := range p.pieces {
		dom := c.dom.substituteRows(table, rows)
		if dom.simplify() {
			out.pieces = append(out.pieces, piece{dom, c.q.rename(atoms)})
		}
	}
	anyWork().tidy(out)
	return out, nil
}

// Eval is the exact value at a point; a parameter that stands in p but has no value is an error.
func (p *Poly) Eval(params map[string]int64) (v *big.Rat, err error) {
	at := make([]*big.Int, 1, 1+len(p.params))
	at[0] = big.NewInt(1)
	for i, n := range p.params {
		x, ok := params[n]
		if !ok && p.used()[1+i] {
			return nil, fmt.Errorf("polycount: no value given for parameter %q", n)
		}
		at = append(at, big.NewInt(x))
	}
	return p.evalBig(at), nil
}

func (p *Poly) evalBig(at []*big.Int) *big.Rat {
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
