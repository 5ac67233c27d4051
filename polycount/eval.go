package polycount

import (
	"fmt"
	"math/big"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Evaluator is a Poly prepared for many evaluations. It is immutable and may be shared by goroutines.
type Evaluator struct {
	p      *Poly
	at     []int // position of each parameter of p among the values; −1: not used
	n      int   // number of values
	pieces []program
	width  int // most columns that a piece needs
}

// program evaluates one piece: floors of the domain, its conditions, floors of the polynomial, the polynomial.
type program struct {
	domDivs, divs []linear.Div
	eq, ge        []sparse
	root          int // node of the numerator
	nodes         []node
	den           int64 // common denominator
	ok            bool  // coefficients fit into int64
}

// sparse is a row without its zeros: Σ k·v[at].
type sparse []struct {
	at int
	k  int64
}

// node is hi·v[at] + lo in Horner form, or the constant c for at = 0.
type node struct {
	at, hi, lo int
	c          int64
}

// Compile prepares p for values given in the order of names, which must contain every parameter that occurs in p (it
// panics otherwise) and may contain others.
func (p *Poly) Compile(order []string) *Evaluator {
	e := &Evaluator{p: p, n: len(order)}
	used := p.of.Used()
	for k, n := range p.params {
		i := slices.Index(order, n)
		if i < 0 && used[1+k] {
			panic(fmt.Sprintf("polycount: Compile: parameter %q is not among %v", n, order))
		}
		e.at = append(e.at, i)
	}
	for _, c := range p.of.Pieces {
		g := program{domDivs: c.Dom.Divs}
		for _, r := range c.Dom.Eq {
			g.eq = append(g.eq, sparseOf(r))
		}
		for _, r := range c.Dom.Ge {
			g.ge = append(g.ge, sparseOf(r))
		}
		g.compile(p.of, c.Q)
		e.pieces = append(e.pieces, g)
		e.width = max(e.width, 1+len(p.params)+max(len(g.divs), len(g.domDivs)))
	}
	return e
}

func sparseOf(r linear.Row) sparse {
	var s sparse
	for i, k := range r {
		if k != 0 {
			s = append(s, struct {
				at int
				k  int64
			}{i, k})
		}
	}
	return s
}

// compile keeps the floors that q needs and builds its Horner form.
func (g *program) compile(p *quasi.Piecewise, q quasi.Quasi) {
	own := &quasi.Piecewise{Table: p.Table, Pieces: []quasi.Piece{{Dom: &linear.Conj{N: p.Table.N}, Q: q}}}
	own.Compact()
	g.divs = own.Table.Divs
	q = own.Pieces[0].Q
	den := new(big.Int).SetInt64(1)
	for _, t := range q {
		d := t.C.Big().Denom()
		den.Mul(den, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, den, d)))
	}
	if g.ok = den.IsInt64(); !g.ok {
		return
	}
	g.den = den.Int64()
	g.root = g.horner(q.Scale(arith.RatInt(g.den)))
}

func (g *program) horner(q quasi.Quasi) int {
	put := func(n node) int {
		g.nodes = append(g.nodes, n)
		return len(g.nodes) - 1
	}
	if len(q) == 0 {
		return put(node{})
	}
	// Factor out the atom that most terms share.
	uses := map[int]int{}
	best := 0
	for _, t := range q {
		last := 0
		for i := 0; i < len(t.Factors); i += 2 {
			if at := quasi.AtomAt(t.Factors, i); at != last {
				uses[at]++
				last = at
				if uses[at] > uses[best] || uses[at] == uses[best] && at < best {
					best = at
				}
			}
		}
	}
	if best == 0 {
		c := q[0].C
		g.ok = g.ok && c.B == nil
		return put(node{c: c.N})
	}
	key := quasi.AtomKey(best)
	var hi, lo quasi.Quasi
	for _, t := range q {
		i := 0
		for i < len(t.Factors) && t.Factors[i:i+2] != key {
			i += 2
		}
		if i < len(t.Factors) {
			hi = append(hi, quasi.Mono{Factors: t.Factors[:i] + t.Factors[i+2:], C: t.C})
		} else {
			lo = append(lo, t)
		}
	}
	return put(node{at: best, hi: g.horner(hi), lo: g.horner(lo)})
}

const evalBuffer = 48 // values on the stack: parameters and floors of nearly all counts

// Int64 is the value at the given values. It allocates nothing for up to some forty parameters and floors. ok is
// false where the value, or an intermediate one, leaves 64 bits or is not an integer: ask Big then.
func (e *Evaluator) Int64(values []int64) (v int64, ok bool) {
	var buffer [evalBuffer]int64
	full := buffer[:]
	if e.width > len(full) {
		full = make([]int64, e.width)
	}
	full[0] = 1
	for i, at := range e.at {
		if at >= 0 {
			full[1+i] = values[at]
		}
	}
	first := 1 + len(e.at)
	for i := range e.pieces {
		g := &e.pieces[i]
		if !floors(full, first, g.domDivs) {
			return 0, false
		}
		in, ok := g.contains(full)
		if !ok {
			return 0, false
		}
		if !in {
			continue
		}
		if !g.ok || !floors(full, first, g.divs) {
			return 0, false
		}
		v, ok := g.value(g.root, full)
		if !ok || v%g.den != 0 {
			return 0, false
		}
		return v / g.den, true
	}
	return 0, true
}

// floors computes floor columns from first on.
func floors(full []int64, first int, divs []linear.Div) bool {
	for i := range divs {
		d := &divs[i]
		s, ok := linear.DotOK(d.Num, full)
		if !ok {
			return false
		}
		full[first+i] = arith.FloorDiv(s, d.Den)
	}
	return true
}

func (g *program) contains(full []int64) (in, ok bool) {
	for _, r := range g.ge {
		if v, ok := r.dot(full); !ok || v < 0 {
			return false, ok
		}
	}
	for _, r := range g.eq {
		if v, ok := r.dot(full); !ok || v != 0 {
			return false, ok
		}
	}
	return true, true
}

func (s sparse) dot(full []int64) (v int64, ok bool) {
	for _, t := range s {
		x, ok1 := arith.MulOK(t.k, full[t.at])
		y, ok2 := arith.AddOK(v, x)
		if !ok1 || !ok2 {
			return 0, false
		}
		v = y
	}
	return v, true
}

func (g *program) value(i int, full []int64) (int64, bool) {
	n := &g.nodes[i]
	if n.at == 0 {
		return n.c, true
	}
	hi, ok1 := g.value(n.hi, full)
	lo, ok2 := g.value(n.lo, full)
	x, ok3 := arith.MulOK(hi, full[n.at])
	v, ok4 := arith.AddOK(x, lo)
	return v, ok1 && ok2 && ok3 && ok4
}

// Big is the value at the given values. Counts are integers; for a Poly scaled by a fraction use Rat.
func (e *Evaluator) Big(values []int64) *big.Int {
	r := e.Rat(values)
	return new(big.Int).Quo(r.Num(), r.Denom())
}

// Rat is the exact value at the given values.
func (e *Evaluator) Rat(values []int64) *big.Rat {
	at := make([]*big.Int, 1, 1+len(e.at))
	at[0] = big.NewInt(1)
	for _, i := range e.at {
		v := new(big.Int)
		if i >= 0 {
			v.SetInt64(values[i])
		}
		at = append(at, v)
	}
	return e.p.of.Value(at)
}
