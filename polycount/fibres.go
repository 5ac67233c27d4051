package polycount

import "slices"

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
					total[1+i] = add(total[1+i], v)
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
				d[j] = add(d[j], mul(v, x))
			}
		}
		c.forget(d)
	}
}

// existentials are the unit vectors of c's columns without definition.
func (c *conj) existentials() []row {
	var out []row
	for k, d := range c.divs {
		if d.den == 0 {
			e := make(row, c.width())
			e[1+c.n+k] = 1
			out = append(out, e)
		}
	}
	return out
}

func identityRows0(n int) []row {
	out := make([]row, n)
	for i := range out {
		out[i] = make(row, n)
		out[i][i] = 1
	}
	return out
}

// kernel is a basis of the combinations of the given vectors on which all forms vanish.
func (w *work) kernel(basis, forms []row) []row {
	for _, f := range forms {
		w.spend(len(basis) * len(f))
		for {
			at, value, others := -1, int64(0), false
			for i, b := range basis {
				if v := dot(f, b); v != 0 {
					others = others || at >= 0
					if at < 0 || abs(v) < abs(value) {
						at, value = i, v
					}
				}
			}
			if at < 0 {
				break
			}
			if !others {
				basis = slices.Delete(slices.Clone(basis), at, at+1)
				break
			}
			next := slices.Clone(basis)
			for i, b := range basis {
				if i != at {
					if q := dot(f, b) / value; q != 0 {
						next[i] = combineRows(1, b, -q, basis[at])
					}
				}
			}
			basis = next
		}
	}
	return basis
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
				if p == 0 || abs(v) < abs(d[p]) {
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
					r[p] = add(r[p], mul(q, r[j]))
				}
			}
		}
	}
}

// above is the conjunction with the slacks of its inequalities at least those of at, by class.
func (f *fibres) above(at row) *conj {
	c := f.c.clone()
	for i, k := range f.class {
		if k >= 0 {
			c.ge[i][0] = sub(c.ge[i][0], at[k])
		}
	}
	return c
}

// corners are the corners of the staircase under which each fibre has one point, the least in some order: the points z
// for which no step t of a test set has z − t in the fibre, which is so where the slacks of z are at least the positive
// part of those of t (for one existential: P less P ∩ (P + e)).
func (w *work) corners(f *fibres) []corner {
	m := &moves{w, f.rows, len(f.basis)}
	steps := m.generators()
	var best []corner
	for _, o := range f.orders() {
		gens := []row{}
		for _, x := range m.find(steps, o) {
			g := make(row, len(x.u))
			for i, v := range x.u {
				g[i] = max(v, 0)
			}
			gens = append(gens, g)
		}
		w.within(w.left/4, func(w *work) {
			if cs := w.staircase(gens, len(f.rows)); best == nil || len(cs) < len(best) {
				best = cs
			}
		})
		if len(f.basis) == 1 {
			break
		}
	}
	if best == nil {
		fail("polycount: %w", ErrBudget)
	}
	return best
}

// orders are some in which every fibre has a least point: every form is bounded on it.
func (f *fibres) orders() []order {
	var first, last order
	for i := range f.rows {
		first = append(first, negRow(f.rows[i]))
		last = append(last, negRow(f.rows[len(f.rows)-1-i]))
	}
	return []order{first, last}
}
