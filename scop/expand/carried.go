package expand

import (
	"errors"
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Carried is the analysed nest with copies of scalars, and of elements, by which each iteration of a loop hands one value to the next one:
//
//	for (i = 0; i < n; i++) { y[i] = f(last); last = x[i]; }
//
// The value of each iteration gets an element of its own, behind the one that stands before the first iteration. Then nothing but the value itself is waited for, and it need not be
// computed in the loop that reads it. Without any such value it is the nest itself.
func Carried(a *deps.Analysis, most int64) (*scop.Nest, []Copies, error) {
	return newExpansion(a, most).of(func(e *expansion, x *scop.Array) error {
		for _, w := range websOf(a, x) {
			if err := e.carry(x, w); err != nil && !errors.Is(err, polycount.ErrBudget) {
				return err
			}
		}
		return nil
	})
}

// carry gives the values of a web an element for each iteration of the innermost loop of the statement that writes them, where the next iteration reads some of them.
func (e *expansion) carry(x *scop.Array, w *web) error {
	by, sets := e.writers(x, w)
	if by == nil {
		return nil
	}
	inner := len(by.Loops) - 1
	o, ok, err := extent(by.Loops[inner], w.inside(by.Loops[inner]), inner)
	if err != nil || !ok {
		return err
	}
	o.extent = o.extent.AddInt(1)
	if count(x, []along{o}) > e.left {
		return nil
	}
	before := map[*scop.Statement]bool{} // statements that read the value of the iteration before
	for _, s := range w.readers {
		if before[s], ok, err = e.from(x, by, s, o.first); err != nil || !ok {
			return err
		}
		if s == by { // a recurrence
			return nil
		}
	}
	if !slices.ContainsFunc(w.readers, func(s *scop.Statement) bool { return before[s] }) {
		return nil
	}
	var final []*last
	if !x.Local {
		if final, err = e.final(x, w); err != nil || final == nil {
			return err
		}
	}
	if sets != nil { // it may be before a loop without iterations
		domain, err := sets.Domain.Named("").Constrain(e.sizes()...)
		if err == nil {
			domain, err = domain.IntersectParams(e.analysis.Nest.Context)
		}
		if err != nil {
			return err
		}
		if ok, err = domain.Implies(o.stands()); err != nil || !ok {
			return err
		}
	}
	e.handOver(x, w, by, sets, o, before, final)
	return nil
}

// writers are two statements: the one that writes the values in a loop, always to the elements that all other statements access, and one that may write them before that
// loop; the latter may be nil.
func (e *expansion) writers(x *scop.Array, w *web) (by, sets *scop.Statement) {
	for _, s := range w.writers {
		switch {
		case by == nil:
			by = s
		case sets != nil:
			return nil, nil
		case len(s.Loops) < len(by.Loops):
			sets = s
		default:
			by, sets = s, by
		}
	}
	if by == nil || len(by.Loops) == 0 {
		return nil, nil
	}
	if sets != nil && (w.initial || !slices.Equal(sets.Loops, by.Loops[:len(by.Loops)-1])) {
		return nil, nil
	}
	if w.initial && (len(by.Loops) > 1 || len(x.Shape) > 0) {
		return nil, nil
	}
	index, known := []polycount.Affine(nil), false
	for _, s := range w.statements() {
		if s != sets && (len(s.Loops) < len(by.Loops) || !slices.Equal(s.Loops[:len(by.Loops)], by.Loops)) {
			return nil, nil
		}
		for _, a := range s.Accesses {
			if a.Array != x {
				continue
			}
			if a.Where != nil || known && !slices.EqualFunc(index, a.Index, polycount.Affine.Equal) {
				return nil, nil
			}
			index, known = a.Index, true
		}
	}
	if slices.ContainsFunc(index, func(a polycount.Affine) bool { return a.Has(by.Iterators[len(by.Loops)-1]) }) {
		return nil, nil
	}
	return by, sets
}

// standing is where the value before the first iteration stands, and stands says that there is such an element.
func (o along) standing() polycount.Affine {
	return o.subscript.AddScaled(-1, polycount.Name(o.name)).Add(o.first)
}

func (o along) stands() polycount.Constraint {
	return polycount.GE(o.extent.AddInt(-1), o.standing())
}

// sizes say that arrays have elements, without which they are not C.
func (e *expansion) sizes() (list []polycount.Constraint) {
	for _, x := range e.analysis.Nest.Arrays {
		for _, extent := range x.Shape {
			if extent == nil || x.Local {
				continue
			}
			if a, err := expr.ToAffine(extent, func(name string) bool { return slices.Contains(e.analysis.Nest.Params, name) }); err == nil {
				list = append(list, polycount.GE(a, polycount.Int(1)))
			}
		}
	}
	return list
}

// inside is the web without the statements outside of a loop.
func (w *web) inside(l *scop.Loop) *web {
	outside := func(s *scop.Statement) bool { return !slices.Contains(s.Loops, l) }
	return &web{writers: slices.DeleteFunc(slices.Clone(w.writers), outside), readers: slices.DeleteFunc(slices.Clone(w.readers), outside)}
}

// from says whose value a statement reads at all of its points: that of the iteration before (before is true), which in the first iteration is what the array holds
// before the loop, or that of the same iteration. It is not ok where points differ.
func (e *expansion) from(x *scop.Array, by, s *scop.Statement, first polycount.Affine) (before, ok bool, err error) {
	inner := len(by.Loops) - 1
	rest := s.Domain.Named("")
	known := false
	for _, d := range e.analysis.Dependences {
		if !d.ValueBased || d.Array != x || d.From != by || d.To != s {
			continue
		}
		if len(d.Distance) < len(by.Loops) || slices.ContainsFunc(d.Distance[:inner], func(n int64) bool { return n != 0 }) {
			return false, false, nil
		}
		distance := d.Distance[inner]
		if distance < 0 || distance > 1 || known && before != (distance == 1) {
			return false, false, nil
		}
		before, known = distance == 1, true
		reached, err := d.Map.Range()
		if err != nil {
			return false, false, err
		}
		if rest, err = rest.Subtract(unprimed(reached, s)); err != nil {
			return false, false, err
		}
	}
	if !known {
		return false, false, nil
	}
	if !before {
		none, err := rest.IsEmpty()
		return false, none, err
	}
	ok, err = rest.Implies(polycount.EQ(polycount.Name(s.Iterators[inner]), first))
	return before, ok, err
}

// unprimed is a set of points of a statement with the names of its iterators.
func unprimed(points *polycount.Set, s *scop.Statement) *polycount.Set {
	points = points.Named("")
	for i, d := range points.Dims() {
		if next, err := points.Rename(d, s.Iterators[i]); err == nil {
			points = next
		}
	}
	return points
}

// handOver enters the copy: the value that an iteration writes is behind the one that it reads.
func (e *expansion) handOver(x *scop.Array, w *web, by, sets *scop.Statement, o along, before map[*scop.Statement]bool, final []*last) {
	c := &scop.Array{Name: e.fresh(x.Name), Pos: x.Pos, DType: x.DType, Local: true, Written: true, Shape: append([]expr.Expr{expr.FromAffine(o.extent)}, x.Shape...)}
	e.left -= elements(c)
	e.copies = append(e.copies, Copies{x, c, []*scop.Loop{o.loop}})
	inner := len(by.Loops) - 1
	element := func(s *scop.Statement, behind int64) place {
		return place{array: c, over: []polycount.Affine{o.standing().Sub(o.first).Add(polycount.Name(s.Iterators[inner])).AddInt(behind)}}
	}
	standing := place{array: c, over: []polycount.Affine{o.standing()}}
	e.written[at{x, by}] = element(by, 1)
	for _, s := range w.readers {
		e.read[at{x, s}] = element(s, 1)
		if before[s] {
			e.read[at{x, s}] = element(s, 0)
		}
	}
	if sets != nil {
		e.written[at{x, sets}] = standing
	}
	if w.initial {
		e.first = append(e.first, &first{x, standing, polycount.NewSet(nil, nil, o.stands())})
	}
	for _, l := range final {
		if l.from = element(by, 1); l.of == sets {
			l.from = standing
		}
		e.last = append(e.last, l)
	}
}
