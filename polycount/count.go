package polycount

import (
	"encoding/binary"
	"errors"
	"gpuperf/polycount/internal/arith"
	"slices"
)

// countMembers counts a union of members without existentials, over params parameters and further variables, by the
// parameters.
func (w *work) countMembers(cs []*conj, params int) (p *piecewise, err error) {
	if len(cs) > 1 {
		if p, ok := w.enumeratedUnion(cs, params); ok {
			return p, nil
		}
	}
	plain := make([]*conj, 0, len(cs))
	for _, c := range cs {
		if c = c.unfloorBounds(params).clone(); c.simplify() {
			plain = append(plain, c)
		}
	}
	total := newPiecewise(params)
	for _, c := range w.disjoint(plain) {
		q, err := w.countConj(c, params)
		if err != nil {
			return nil, err
		}
		total = w.sum(total, q)
	}
	w.tidy(total)
	return total, nil
}

// counter counts one conjunction. The variables to be counted are columns of its table without definition.
type counter struct {
	*work
	table       *conj
	trial       bool // give up with errNotDirect instead of splintering, or after trialVisits summations
	visits      int
	areDisjoint bool    // the pieces do not overlap
	out         []piece // over the table, may overlap
}

var errUnbounded = errors.New("unbounded")

// unboundedError says that a conjunction is infinite for some values of the parameters.
type unboundedError struct{ in *conj }

func (e *unboundedError) Error() string { return "the set is unbounded" }

// countConj counts c, with its existentials, by its first params variables. Where it is infinite for some values of these,
// that is an *unboundedError.
func (w *work) countConj(c *conj, params int) (p *piecewise, err error) {
	defer func() {
		if errors.Is(err, errUnbounded) {
			p, err = nil, &unboundedError{c}
		}
	}()
	defer arith.Rescue(&err)
	whole, _ := c.quantify(c.after(params))
	return w.countWhole(whole), nil
}

// countWhole counts the values of the columns of c without definition.
func (w *work) countWhole(c *conj) *piecewise {
	dom, factor, groups, ok := w.preprocess(c)
	p := newPiecewise(c.n)
	if !ok {
		return p
	}
	p.pieces = []piece{{dom, constant(factor)}}
	for _, g := range groups {
		p = w.product(p, w.countGroup(g))
	}
	return p
}

// countGroup counts one group; where the answer is long, its small variables value by value, if that is shorter.
func (w *work) countGroup(g *conj) *piecewise {
	p := w.countGroupWhole(g)
	if p.terms() >= longEnough {
		w.within(w.left/8, func(w *work) {
			if q, ok := w.byValues(g, int64(p.terms())); ok && (len(q.pieces) < len(p.pieces) || len(q.pieces) == len(p.pieces) && q.terms() < p.terms()) {
				p = q
			}
		})
	}
	return p
}

// countGroupWhole counts one group by nested sums, and by signed cones where those need more than one piece or would
// have to splinter: cones give one piece per chamber, which is fewer. The shorter answer is taken.
func (w *work) countGroupWhole(g *conj) *piecewise {
	start := func() (*counter, region) {
		r := region{ge: cloneRows(g.ge), q: constant(arith.RatInt(1))}
		for i, d := range g.divs {
			if d.den == 0 && g.usedInRows(1+g.n+i) {
				r.left = append(r.left, 1+g.n+i)
			}
		}
		return &counter{work: w, table: &conj{n: g.n, divs: slices.Clone(g.divs)}, trial: true}, r
	}
	if p, ok := w.enumerated(g); ok {
		return p
	}
	sums, r := start()
	direct := sums.try(func() { sums.sum(r) })
	if direct && len(sums.out) <= 1 {
		return sums.piecewise()
	}
	k, r := start()
	if !k.try(func() { k.cones(r) }) {
		k, r = start()
		k.trial = false
		k.sum(r)
	}
	p := k.piecewise()
	if direct && len(sums.out) <= max(trialPieces, len(p.pieces)) {
		if q := sums.piecewise(); len(q.pieces) < len(p.pieces) || len(q.pieces) == len(p.pieces) && q.terms() <= p.terms() {
			return q
		}
	}
	return p
}

// enumerationLimit is the number of points up to which a group without parameters is counted one by one.
const enumerationLimit = 10_000

// enumerated counts a group in which no parameter and no floor stands, if it is small.
func (w *work) enumerated(g *conj) (*piecewise, bool) {
	c := &conj{}
	var cols []int
	for at := 1; at < g.width(); at++ {
		if g.usedInRows(at) {
			if at <= g.n || g.divs[at-1-g.n].den > 0 {
				return nil, false
			}
			cols = append(cols, at)
		}
	}
	c.n = len(cols)
	for _, r := range g.ge {
		x := row{r[0]}
		for _, at := range cols {
			x = append(x, r[at])
		}
		c.ge = append(c.ge, x)
	}
	var n int64
	err := w.enumerate(c, func([]int64) bool { n++; return n <= enumerationLimit })
	if err != nil || n > enumerationLimit {
		return nil, false // infinite or large
	}
	return constantly(g.n, n), true
}

// enumeratedUnion counts a union in which no parameter stands, if it is small.
func (w *work) enumeratedUnion(cs []*conj, params int) (p *piecewise, ok bool) {
	seen := map[string]bool{}
	dims := cs[0].n - params
	by := make([]row, cs[0].n) // the parameters do not matter: 0
	for i := range by {
		by[i] = make(row, 1+dims)
		if i >= params {
			by[i][1+i-params] = 1
		}
	}
	for _, c := range cs {
		for i := 1; i <= params; i++ {
			if c.usedInRows(i) || c.usedInDivs(i) {
				return nil, false
			}
		}
		var key []byte
		fits := true
		if err := w.enumerate(c.substitute(dims, by), func(at []int64) bool {
			key = key[:0]
			for _, v := range at {
				key = binary.AppendVarint(key, v)
			}
			seen[string(key)] = true
			fits = len(seen) <= enumerationLimit
			return fits
		}); err != nil || !fits {
			return nil, false
		}
	}
	return constantly(params, int64(len(seen))), true
}

// trialPieces is the number of pieces of nested sums, still overlapping, up to which they are compared with cones.
const trialPieces = 3

// try reports whether f ended without asking for the other engine or overflowing.
func (k *counter) try(f func()) bool {
	err := arith.Try(f)
	if err != nil && !errors.Is(err, errNotDirect) && !errors.Is(err, arith.ErrOverflow) {
		arith.Throw(err)
	}
	return err == nil
}

// piecewise gathers the pieces, disjoint.
func (k *counter) piecewise() *piecewise {
	p := newPiecewise(k.table.n)
	atoms := p.importTable(k.table, identityRows(k.table.n))
	for _, c := range k.out {
		p.pieces = append(p.pieces, piece{c.dom, c.q.rename(atoms)})
	}
	if len(p.pieces) > 1 {
		if !k.areDisjoint {
			p.pieces = k.makeDisjoint(p.pieces)
		}
		p.pieces = k.mergePieces(p.table, p.pieces, true)
	}
	return p
}

// preprocess removes what needs no summation, keeping the number of points: equalities, variables that others
// determine up to a constant factor. It splits the rest into groups that share no variable. dom are the conditions
// on the parameters; ok is false when the set is plainly empty.
func (w *work) preprocess(c *conj) (dom *conj, factor arith.Rat, groups []*conj, ok bool) {
	factor = arith.RatInt(1)
	for digits := true; ; {
		w.spend((len(c.eq) + len(c.ge) + 1) * c.width())
		if !normalizeRows(&c.eq, &c.ge) {
			return nil, factor, nil, false
		}
		if digits { // before equalities are solved, which mixes the digits
			if digits = c.dropDigit(false); digits {
				continue
			}
		}
		if c.solveExistential() {
			continue
		}
		if n := c.dropWindow(); n > 0 {
			factor = factor.Mul(arith.RatInt(n))
			continue
		}
		if !c.dropDigit(false) {
			break
		}
	}
	for i, d := range c.divs {
		if d.den == 0 && !c.usedInRows(1+c.n+i) {
			arith.Throw(errUnbounded)
		}
	}
	// Union-find over the columns.
	leader := make([]int, c.width())
	for i := range leader {
		leader[i] = i
	}
	find := func(i int) int {
		for leader[i] != i {
			i = leader[i]
		}
		return i
	}
	counted := func(i int) bool { return i > c.n && c.divs[i-1-c.n].den == 0 }
	for _, r := range c.ge {
		first := 0
		for i := 1 + c.n; i < len(r); i++ {
			if r[i] != 0 && counted(i) {
				if first == 0 {
					first = i
				} else {
					leader[find(i)] = find(first)
				}
			}
		}
	}
	dom = &conj{n: c.n, eq: c.eq, divs: c.divs}
	byLeader := map[int]*conj{}
	for _, r := range c.ge {
		at := 0
		for i := 1 + c.n; i < len(r); i++ {
			if r[i] != 0 && counted(i) {
				at = find(i)
			}
		}
		if at == 0 {
			dom.ge = append(dom.ge, r)
			continue
		}
		g := byLeader[at]
		if g == nil {
			g = &conj{n: c.n, divs: c.divs}
			byLeader[at] = g
			groups = append(groups, g)
		}
		g.ge = append(g.ge, r)
	}
	dom = dom.clone()
	return dom, factor, groups, dom.simplify()
}

// dropWindow removes a variable x that stands only in L ≤ a·x ≤ L + a·m − 1, which has m solutions for every L. It
// returns m, or 0 when there is no such variable.
func (c *conj) dropWindow() int64 {
	for k, d := range c.divs {
		if d.den != 0 {
			continue
		}
		at := 1 + c.n + k
		if m, lo, hi := window(c.ge, at); m > 0 {
			c.divs[k].den = gone
			c.ge = slices.DeleteFunc(c.ge, func(r row) bool { return &r[0] == &lo[0] || &r[0] == &hi[0] })
			return m
		}
	}
	return 0
}

// window finds the two rows of dropWindow for column at.
func window(ge []row, at int) (m int64, lo, hi row) {
	for _, r := range ge {
		switch {
		case r[at] > 0 && lo == nil:
			lo = r
		case r[at] < 0 && hi == nil:
			hi = r
		case r[at] != 0:
			return 0, nil, nil
		}
	}
	if lo == nil || hi == nil || !parallel(lo, hi, true) {
		return 0, nil, nil
	}
	size := arith.Add(arith.Add(lo[0], hi[0]), 1)
	if size <= 0 || size%lo[at] != 0 {
		return 0, nil, nil
	}
	return size / lo[at], lo, hi
}
