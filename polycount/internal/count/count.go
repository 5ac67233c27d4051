package count

import (
	"errors"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Members counts a union of conjunctions without existentials, by their first params variables.
func Members(w *linear.Work, cs []*linear.Conj, params int) (p *quasi.Piecewise, err error) {
	plain := make([]*linear.Conj, 0, len(cs))
	for _, c := range cs {
		if c = c.UnfloorBounds(params).Clone(); c.Simplify() {
			plain = append(plain, c)
		}
	}
	parts := w.Disjoint(plain)
	if len(plain) > 1 {
		if p, ok, err := ByInclusion(w, plain, params, termsPerPart*len(parts)); ok || err != nil {
			return p, err
		}
	}
	total := quasi.NewPiecewise(params)
	for _, c := range parts {
		q, err := countConj(w, c, params)
		if err != nil {
			return nil, err
		}
		total = quasi.Sum(w, total, q)
	}
	quasi.Simplify(w, total)
	return total, nil
}

// termsPerPart is how many intersections of members take as long as one of the disjoint parts of their union, which have
// more irregular borders.
const termsPerPart = 2

// counter counts one conjunction. The variables to be counted are the existentials of its table.
type counter struct {
	*linear.Work
	table       *linear.Conj
	trial       bool          // give up with errNotDirect instead of splintering, or of a second piece
	areDisjoint bool          // the pieces do not overlap
	out         []quasi.Piece // over the table, may overlap
}

var errUnbounded = errors.New("unbounded")

// UnboundedError says that a conjunction is infinite for some values of the parameters.
type UnboundedError struct{ In *linear.Conj }

func (e *UnboundedError) Error() string { return "the set is unbounded" }

// countConj counts c, including its existentials, by its first params variables. If c is infinite for some values of
// these, the error is an *UnboundedError.
func countConj(w *linear.Work, c *linear.Conj, params int) (p *quasi.Piecewise, err error) {
	defer func() {
		if errors.Is(err, errUnbounded) {
			p, err = nil, &UnboundedError{c}
		}
	}()
	defer throw.Catch(&err)
	whole, _ := c.Quantify(c.After(params))
	return countWhole(w, whole), nil
}

// countWhole counts the values of the existentials of c, by its variables.
func countWhole(w *linear.Work, c *linear.Conj) *quasi.Piecewise {
	dom, factor, groups, ok := preprocess(w, c)
	p := quasi.NewPiecewise(c.N)
	if !ok {
		return p
	}
	p.Pieces = []quasi.Piece{{Dom: dom, Q: quasi.Constant(factor)}}
	for _, g := range groups {
		p = quasi.Product(w, p, countGroup(w, g))
	}
	return p
}

// countGroup counts one group. If that has variables with few values, it also counts value by value of these, and takes the
// shorter result.
func countGroup(w *linear.Work, g *linear.Conj) *quasi.Piecewise {
	p := countGroupWhole(w, g)
	w.Within(w.Left/8, func(w *linear.Work) {
		if q, ok := byValues(w, g, int64(p.Terms())); ok && (len(q.Pieces) < len(p.Pieces) || len(q.Pieces) == len(p.Pieces) && q.Terms() < p.Terms()) {
			p = q
		}
	})
	return p
}

// countGroupWhole counts one group by nested sums, if these give one piece without residue classes. Otherwise it counts by
// signed cones, which give one piece per chamber, and where these overflow by sums over residue classes.
func countGroupWhole(w *linear.Work, g *linear.Conj) *quasi.Piecewise {
	start := func(trial bool) (*counter, region) {
		r := region{eq: linear.CloneRows(g.Eq), ge: linear.CloneRows(g.Ge), q: quasi.Constant(arith.RatInt(1))}
		for at := 1 + g.N; at < g.Width(); at++ {
			if g.Free(at) && g.UsedInRows(at) {
				r.left = append(r.left, at)
			}
		}
		return &counter{Work: w, table: &linear.Conj{N: g.N, Divs: slices.Clone(g.Divs)}, trial: trial}, r
	}
	k, r := start(true)
	if k.try(func() { k.sum(r) }) {
		return k.piecewise()
	}
	if p, ok := byBoxes(w, g); ok {
		return p
	}
	k, r = start(false)
	if !k.try(func() { k.cones(r) }) {
		k, r = start(false)
		k.sum(r)
	}
	return k.piecewise()
}

// try runs f. It reports false if f gave up in favour of the other method, or overflowed.
func (k *counter) try(f func()) bool {
	err := throw.Try(f)
	if err != nil && !errors.Is(err, errNotDirect) && !errors.Is(err, arith.ErrOverflow) {
		panic(throw.Of(err))
	}
	return err == nil
}

// piecewise is the sum of the pieces.
func (k *counter) piecewise() *quasi.Piecewise {
	p := quasi.NewPiecewise(k.table.N)
	atoms := p.ImportTable(k.table, linear.IdentityRows(k.table.N))
	for _, c := range k.out {
		p.Pieces = append(p.Pieces, quasi.Piece{Dom: c.Dom, Q: c.Q.Rename(atoms)})
	}
	if len(p.Pieces) > 1 {
		if !k.areDisjoint {
			p.Pieces = quasi.MakeDisjoint(k.Work, p.Pieces)
		}
		p.Pieces = quasi.MergePieces(k.Work, p.Table, p.Pieces)
	}
	return p
}

// preprocess removes, without changing the number of points, what needs no summation: equalities, and variables that
// the others determine up to a constant factor. It splits the rest into groups that share no variable. dom is the
// condition on the parameters; ok is false if the set is evidently empty.
func preprocess(w *linear.Work, c *linear.Conj) (dom *linear.Conj, factor arith.Rat, groups []*linear.Conj, ok bool) {
	if factor, ok = removeDetermined(w, c); !ok {
		return nil, factor, nil, false
	}
	for i, d := range c.Divs {
		if d.Den == 0 && !c.UsedInRows(1+c.N+i) {
			panic(throw.Of(errUnbounded))
		}
	}
	dom, groups = independent(c)
	return dom, factor, groups, dom.Simplify()
}

// removeDetermined removes the variables that the others determine up to a constant factor, which it returns. ok is false if the set is
// evidently empty.
func removeDetermined(w *linear.Work, c *linear.Conj) (factor arith.Rat, ok bool) {
	factor = arith.RatInt(1)
	for digits := true; ; {
		w.Spend((len(c.Eq) + len(c.Ge) + 1) * c.Width())
		if !linear.NormalizeRows(&c.Eq, &c.Ge) {
			return factor, false
		}
		if digits { // before equalities are solved, which mixes the digits
			if digits = c.DropDigit(false); digits {
				continue
			}
		}
		if c.SolveExistential() {
			continue
		}
		if n := dropWindow(c); n > 0 {
			factor = factor.Mul(arith.RatInt(n))
			continue
		}
		if !c.DropDigit(false) {
			return factor, true
		}
	}
}

// independent splits a conjunction into groups of inequalities that share no counted variable, and the condition on the parameters, which
// every group has too: what holds of the parameters spares case distinctions.
func independent(c *linear.Conj) (dom *linear.Conj, groups []*linear.Conj) {
	// Union-find over the columns.
	leader := make([]int, c.Width())
	for i := range leader {
		leader[i] = i
	}
	find := func(i int) int {
		for leader[i] != i {
			i = leader[i]
		}
		return i
	}
	next := func(r linear.Row, i int) int { // the first counted column from i on
		for ; i < len(r); i++ {
			if r[i] != 0 && c.Free(i) {
				return i
			}
		}
		return 0
	}
	for _, r := range c.Ge {
		first := next(r, 1)
		for i := first; i > 0; i = next(r, i+1) {
			leader[find(i)] = find(first)
		}
	}
	dom = &linear.Conj{N: c.N, Eq: c.Eq, Divs: c.Divs}
	byLeader := map[int]*linear.Conj{}
	for _, r := range c.Ge {
		at := find(next(r, 1))
		if at == 0 {
			dom.Ge = append(dom.Ge, r)
			continue
		}
		g := byLeader[at]
		if g == nil {
			g = &linear.Conj{N: c.N, Divs: c.Divs}
			byLeader[at] = g
			groups = append(groups, g)
		}
		g.Ge = append(g.Ge, r)
	}
	for _, g := range groups {
		g.Eq = dom.Eq
		g.Ge = append(g.Ge, dom.Ge...)
	}
	return dom.Clone(), groups
}

// dropWindow removes a variable x that occurs only in L ≤ a·x ≤ L + a·m − 1, which has m solutions for every L. It
// returns m, or 0 if there is no such variable.
func dropWindow(c *linear.Conj) int64 {
	for k, d := range c.Divs {
		if d.Den != 0 {
			continue
		}
		at := 1 + c.N + k
		if m, lo, hi := window(c.Ge, at); m > 0 {
			c.Divs[k].Den = linear.Gone
			c.Ge = slices.DeleteFunc(c.Ge, func(r linear.Row) bool { return &r[0] == &lo[0] || &r[0] == &hi[0] })
			return m
		}
	}
	return 0
}

// window finds the two rows of dropWindow for column at.
func window(ge []linear.Row, at int) (m int64, lo, hi linear.Row) {
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
	if lo == nil || hi == nil || !linear.Parallel(lo, hi, true) {
		return 0, nil, nil
	}
	size := arith.Add(arith.Add(lo[0], hi[0]), 1)
	if size <= 0 || size%lo[at] != 0 {
		return 0, nil, nil
	}
	return size / lo[at], lo, hi
}
