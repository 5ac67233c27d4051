package count

import (
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// fibres is a conjunction over variables and existentials, prepared for counting its projection onto the variables. The
// fibre over a point of the projection is the set of solutions of rows·y ≥ b for some b, where y ∈ ℤʳ are coordinates
// with respect to basis.
type fibres struct {
	c     *linear.Conj
	basis []linear.Row // of the steps of the existentials that keep the equalities, over c's columns
	rows  []linear.Row // distinct effects of the steps on the inequalities
	class []int        // of each inequality: its place in rows, or −1 where no step has an effect
}

// newFibres changes c. It removes directions in which fibres are infinite: constraints that bound such a direction on
// one side do not bound the projection. Then all fibres are finite.
func newFibres(w *linear.Work, c *linear.Conj) *fibres {
	for {
		f := &fibres{c: c}
		f.basis = w.Kernel(c.Existentials(), c.Eq)
		f.classify()
		w.Spend((len(c.Ge) + 1) * (len(f.basis) + 1) * c.Width())
		r := len(f.basis)
		if r == 0 {
			return f
		}
		line := w.Kernel(linear.UnitVectors(r), f.rows)
		if len(line) == 0 {
			s := &linear.System{Width: 1 + r}
			total := linear.Plus(1+r, -1, 0, 0)
			for _, x := range f.rows {
				s.Ge = append(s.Ge, append(linear.Row{0}, x...))
				for i, v := range x {
					total[1+i] = arith.Add(total[1+i], v)
				}
			}
			s.Ge = append(s.Ge, total)
			at, ok := w.Sample(s)
			if !ok {
				return f
			}
			v := at[1:]
			linear.DivideRow(v, linear.ContentOf(at))
			var kept []linear.Row
			for i, x := range c.Ge {
				if f.class[i] < 0 || linear.Dot(f.rows[f.class[i]], v) == 0 {
					kept = append(kept, x)
				}
			}
			c.Ge = kept
			line = []linear.Row{v}
		}
		d := make(linear.Row, c.Width())
		for i, v := range line[0] {
			linear.AddTimes(d, v, f.basis[i])
		}
		forget(c, d)
	}
}

func (f *fibres) classify() {
	for _, r := range f.c.Ge {
		x := make(linear.Row, len(f.basis))
		for i, b := range f.basis {
			x[i] = linear.Dot(r, b)
		}
		at := -1
		if !linear.IsZero(x) {
			if at = slices.IndexFunc(f.rows, func(o linear.Row) bool { return slices.Equal(o, x) }); at < 0 {
				at = len(f.rows)
				f.rows = append(f.rows, x)
			}
		}
		f.class = append(f.class, at)
	}
}

// frame is a form, without a constant, and its bounds at the points of a conjunction.
type frame struct {
	form   linear.Row
	lo, hi int64
}

// frames are the forms of f.c that have two bounds, and those that sums and differences of two give by a common factor, as of i − 4j and
// i − 16k, which gives j − 4k from 0 to 3.
func (f *fibres) frames(w *linear.Work) []frame {
	var all []frame
	for i, x := range f.c.Ge {
		for _, y := range f.c.Ge[:i] {
			if linear.Parallel(x, y, true) {
				form := slices.Clone(x)
				form[0] = 0
				all = append(all, frame{form, arith.Neg(x[0]), y[0]})
			}
		}
	}
	given := all
	w.Spend(2 * len(given) * len(given) * f.c.Width())
	for i, x := range given {
		for _, y := range given[:i] {
			for _, z := range []frame{y, {linear.NegRow(y.form), arith.Neg(y.hi), arith.Neg(y.lo)}} {
				sum := linear.CombineRows(1, x.form, 1, z.form)
				if k := linear.ContentOf(sum); k > 1 {
					linear.DivideRow(sum, k)
					all = append(all, frame{sum, arith.CeilDiv(arith.Add(x.lo, z.lo), k), arith.FloorDiv(arith.Add(x.hi, z.hi), k)})
				}
			}
		}
	}
	return all
}

// single reports that a fibre has one point, as far as frames show it: two points would differ by a step t ≠ 0 that changes no form by
// more than the distance of its bounds.
func (f *fibres) single(w *linear.Work) bool {
	steps := true
	return throw.Try(func() { steps = f.hasStep(w) }) == nil && !steps
}

// hasStep reports whether there is such a step.
func (f *fibres) hasStep(w *linear.Work) bool {
	r := len(f.basis)
	s := &linear.System{Width: 1 + r}
	for _, x := range f.frames(w) {
		up := linear.Row{arith.Sub(x.hi, x.lo)}
		down := slices.Clone(up)
		for _, b := range f.basis {
			v := linear.Dot(x.form, b)
			up, down = append(up, v), append(down, arith.Neg(v))
		}
		s.Ge = append(s.Ge, up, down)
	}
	for k := range r { // t starts with k zeros; if t is such a step, so is −t
		q := s.Clone()
		q.Ge = append(q.Ge, linear.Plus(1+r, -1, 1, 1+k))
		for zero := range k {
			q.Eq = append(q.Eq, linear.Plus(1+r, 0, 1, 1+zero))
		}
		if w.Feasible(q) {
			return true
		}
	}
	return false
}

// forget removes the primitive direction d of existentials, on which no constraint depends: it changes to coordinates
// in which d is one axis, and drops that axis.
func forget(c *linear.Conj, d linear.Row) {
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
			c.Divs[p-1-c.N].Den = linear.Gone
			return
		}
		for j := range d {
			q := d[j] / d[p]
			if j == p || q == 0 {
				continue
			}
			d[j] -= q * d[p]
			for _, rows := range [][]linear.Row{c.Eq, c.Ge} {
				for _, r := range rows {
					r[p] = arith.Add(r[p], arith.Mul(q, r[j]))
				}
			}
		}
	}
}

// above is the conjunction in which the slack of each inequality is at least that in at.
func (f *fibres) above(at linear.Row) *linear.Conj {
	c := f.c.Clone()
	for i, v := range at {
		c.Ge[i][0] = arith.Sub(c.Ge[i][0], v)
	}
	return c
}

// moved gives corners by inequality instead of by class. Corners that differ by a translation of the conjunction have
// equally many points above them, and are added up.
func moved(w *linear.Work, f *fibres, cs []corner, params int) []corner {
	units := f.c.Existentials()
	for i := params + 1; i <= f.c.N; i++ {
		if !f.c.UsedInDivs(i) {
			units = append(units, linear.Plus(f.c.Width(), 0, 1, i))
		}
	}
	var effects []linear.Row
	for _, x := range w.Kernel(units, f.c.Eq) {
		u := make(linear.Row, len(f.class))
		for i, r := range f.c.Ge {
			u[i] = linear.Dot(r, x)
		}
		effects = append(effects, u)
	}
	effects, pivots := w.Echelon(effects)
	out := make([]corner, len(cs))
	for k, x := range cs {
		w.Spend(len(f.class) * (1 + len(effects)))
		at := make(linear.Row, len(f.class))
		for i, c := range f.class {
			if c >= 0 {
				at[i] = x.at[c]
			}
		}
		for i, e := range effects {
			at = linear.CombineRows(1, at, -arith.FloorDiv(at[pivots[i]], e[pivots[i]]), e)
		}
		out[k] = corner{x.k, at}
	}
	return gather(w, out)
}

// corners are the corners of a staircase under which each fibre has exactly one point, its least point in some order:
// the points z such that z − t is outside the fibre for each step t of a test set. That holds where the slacks of z are
// less than the positive part of those of t. For one existential this is P less P ∩ (P + e).
func corners(w *linear.Work, f *fibres) []corner {
	m := &moves{w, f.rows, len(f.basis)}
	// All orders tried gave the same number of corners, or nearly: one in which every form is bounded on a fibre will do.
	var o order
	for _, r := range f.rows {
		o = append(o, linear.NegRow(r))
	}
	var gens []linear.Row
	for _, x := range m.find(m.generators(), o) {
		g := make(linear.Row, len(x.u))
		for i, v := range x.u {
			g[i] = max(v, 0)
		}
		gens = append(gens, g)
	}
	return staircase(w, gens, len(f.rows))
}
