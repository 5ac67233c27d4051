package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

// fibres is a conjunction over kept variables and existentials, prepared for the count of its shadow: over a point of
// the shadow lies a fibre, the solutions of rows·y ≥ b for some b, y ∈ ℤʳ being coordinates on basis.
type fibres struct {
	c     *conj
	basis []row // of the steps of the existentials that keep the equalities, over c's columns
	rows  []row // distinct effects of the steps on the inequalities
	class []int // of each inequality: its place in rows, or −1 where no step has an effect
}

// newFibres takes c over. Directions in which a fibre goes on for ever are removed from it: what bounds such a direction
// on one side does not bound the shadow. All fibres are finite then.
func (w *work) newFibres(c *conj) *fibres {
	for {
		f := &fibres{c: c}
		f.basis = w.kernel(c.existentials(), c.eq)
		f.classify()
		w.spend((len(c.ge) + 1) * (len(f.basis) + 1) * c.width())
		r := len(f.basis)
		if r == 0 {
			return f
		}
		line := w.kernel(identityRows0(r), f.rows)
		if len(line) == 0 {
			s := &system{width: 1 + r}
			total := make(row, 1+r)
			total[0] = -1
			for _, x := range f.rows {
				s.ge = append(s.ge, append(row{0}, x...))
				for i, v := range x {
					total[1+i] = arith.Add(total[1+i], v)
				}
			}
			s.ge = append(s.ge, total)
			at, ok := w.sample(s)
			if !ok {
				return f
			}
			v := at[1:]
			divideRow(v, contentOf(at))
			var kept []row
			for i, x := range c.ge {
				if f.class[i] < 0 || dot(f.rows[f.class[i]], v) == 0 {
					kept = append(kept, x)
				}
			}
			c.ge = kept
			line = []row{v}
		}
		d := make(row, c.width())
		for i, v := range line[0] {
			for j, x := range f.basis[i] {
				d[j] = arith.Add(d[j], arith.Mul(v, x))
			}
		}
		c.forget(d)
	}
}

func (f *fibres) classify() {
	for _, r := range f.c.ge {
		x := make(row, len(f.basis))
		for i, b := range f.basis {
			x[i] = dot(r, b)
		}
		at := -1
		if !isZero(x) {
			if at = slices.IndexFunc(f.rows, func(o row) bool { return slices.Equal(o, x) }); at < 0 {
				at = len(f.rows)
				f.rows = append(f.rows, x)
			}
		}
		f.class = append(f.class, at)
	}
}

// forget removes the existentials' direction d, primitive, on which no constraint depends: new coordinates in which
// d is a multiple of one axis, and that axis dropped.
func (c *conj) forget(d row) {
	d = slices.Clone(d)
	for {
		p, more := 0, false
		for j, v := range d {
			if v != 0 {
				more = more || p > 0
				if p == 0 || arith.Abs(v) < arith.Abs(d[p]) {
					p = j
				}
			}
		}
		if !more {
			c.divs[p-1-c.n].den = gone
			return
		}
		for j := range d {
			q := d[j] / d[p]
			if j == p || q == 0 {
				continue
			}
			d[j] -= q * d[p]
			for _, rows := range [][]row{c.eq, c.ge} {
				for _, r := range rows {
					r[p] = arith.Add(r[p], arith.Mul(q, r[j]))
				}
			}
		}
	}
}

// above is the conjunction with the slacks of its inequalities at least at.
func (f *fibres) above(at row) *conj {
	c := f.c.clone()
	for i, v := range at {
		c.ge[i][0] = arith.Sub(c.ge[i][0], v)
	}
	return c
}

// moved gives corners by inequality instead of by class, with those that a translation takes into each other added up:
// they have equally many points above them.
func (w *work) moved(f *fibres, cs []corner, params int) []corner {
	units := f.c.existentials()
	for i := params + 1; i <= f.c.n; i++ {
		if !f.c.usedInDivs(i) {
			e := make(row, f.c.width())
			e[i] = 1
			units = append(units, e)
		}
	}
	var effects []row
	for _, x := range w.kernel(units, f.c.eq) {
		u := make(row, len(f.class))
		for i, r := range f.c.ge {
			u[i] = dot(r, x)
		}
		effects = append(effects, u)
	}
	effects, pivots := w.echelon(effects)
	out := make([]corner, len(cs))
	for k, x := range cs {
		w.spend(len(f.class) * (1 + len(effects)))
		at := make(row, len(f.class))
		for i, c := range f.class {
			if c >= 0 {
				at[i] = x.at[c]
			}
		}
		for i, e := range effects {
			at = combineRows(1, at, -arith.FloorDiv(at[pivots[i]], e[pivots[i]]), e)
		}
		out[k] = corner{x.k, at}
	}
	return w.gather(out)
}

// corners are the corners of the staircase under which each fibre has one point, the least in some order: the points z
// for which no step t of a test set has z − t in the fibre, which is so where the slacks of z are at least the positive
// part of those of t (for one existential: P less P ∩ (P + e)).
func (w *work) corners(f *fibres) []corner {
	m := &moves{w, f.rows, len(f.basis)}
	// All orders tried gave the same number of corners, or nearly: one in which every form is bounded on a fibre will do.
	var o order
	for _, r := range f.rows {
		o = append(o, negRow(r))
	}
	var gens []row
	for _, x := range m.find(m.generators(), o) {
		g := make(row, len(x.u))
		for i, v := range x.u {
			g[i] = max(v, 0)
		}
		gens = append(gens, g)
	}
	return w.staircase(gens, len(f.rows))
}
