// Package window makes kernels of wavefronts whose tiles have their elements in local memory: a work-group loads what its tile may read (staging.go), makes the steps of the tile there, with a
// barrier behind each, and stores what the tile has written. A step has the points of a tile whose places along all loops have the same sum: no dependence leads from one of them to another, as
// none leads back along any of the loops. There is a work-item for each place along all loops but the last one, along which it goes from step to step.
package window

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// Window is a statement in tiles of permutable loops.
type Window struct {
	s      *scop.Statement
	loops  []schedule.Loop
	fresh  func(base string) string
	coords []string                    // the values of the loops
	by     map[string]polycount.Affine // iterators of the statement, by these
	arrays []*staging
	write  *scop.Access
	owned  *owned

	Grid
	to    *kernel.Kernel
	items []string                    // inames of work-items, along all loops but the last one
	step  string                      // iname
	point map[string]polycount.Affine // coords at a point of a step
}

// Grid are the tiles of a launch.
type Grid struct {
	Side    []int64            // of a tile, along each loop
	Groups  []string           // inames of work-groups
	Numbers []polycount.Affine // of the tile of a work-group, along each loop
}

// Of is nil where tiles of statements have another form: one statement whose points are told apart by as many loops as it has iterators, which writes one array, whose elements have a subscript for each
// loop or for all but one. Fresh makes names that nothing has.
func Of(list []*scop.Statement, loops []schedule.Loop, fresh func(base string) string) *Window {
	s := list[0]
	if len(list) != 1 || s.Guarded || len(s.Iterators) != len(loops) || len(loops) < 2 || len(s.Domain.Disjuncts()) != 1 {
		return nil
	}
	w := &Window{s: s, loops: loops, fresh: fresh, by: map[string]polycount.Affine{}}
	var rows [][]int64
	var values []polycount.Affine
	for _, l := range loops {
		coord := fresh("along")
		factors, rest := linearIn(l.Of[s], s.Iterators)
		w.coords, rows, values = append(w.coords, coord), append(rows, factors), append(values, polycount.Name(coord).Sub(rest))
	}
	inverse, ok := Solve(rows, values, len(s.Iterators))
	if !ok || slices.ContainsFunc(inverse, polycount.Affine.HasFloor) {
		return nil
	}
	for i, name := range s.Iterators {
		w.by[name] = inverse[i]
	}
	domain, _ := s.Domain.Constraints()
	if slices.ContainsFunc(domain, func(c polycount.Constraint) bool { return c.Equality || c.Affine.HasFloor() }) || !w.stages() {
		return nil
	}
	return w
}

// linearIn are the factors of names in an affine value, and its rest.
func linearIn(a polycount.Affine, names []string) (factors []int64, rest polycount.Affine) {
	rest = a
	for _, name := range names {
		f := a.Coeff(name)
		factors, rest = append(factors, f), rest.AddScaled(-f, polycount.Name(name))
	}
	return factors, rest
}

// stages finds the arrays of which tiles have a part in local memory: that which is written, and others whose accesses have the same factors. It reports that there is one.
func (w *Window) stages() bool {
	var apart []string // arrays with accesses of different kinds, which stay where they are
	for i, a := range w.s.Accesses {
		switch {
		case a.Write && w.write != nil, len(a.Index) == 0 && (a.Array.Written || a.Array.Local):
			return false
		case a.Write:
			w.write = &w.s.Accesses[i]
		case len(a.Index) == 0:
			continue
		}
		if !w.stage(a) {
			apart = append(apart, a.Array.Name)
		}
	}
	w.arrays = slices.DeleteFunc(w.arrays, func(g *staging) bool { return slices.Contains(apart, g.name) })
	return w.write != nil && w.stagingOf(w.write.Array.Name) != nil && w.known()
}

// stagingOf is the part of an array that is in local memory, nil where there is none.
func (w *Window) stagingOf(array string) *staging {
	if i := slices.IndexFunc(w.arrays, func(g *staging) bool { return g.name == array }); i >= 0 {
		return w.arrays[i]
	}
	return nil
}

// Kernel makes the kernel, of the arguments of another one and the domains of its work-groups.
func (w *Window) Kernel(plain *kernel.Kernel, g Grid) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	w.Grid = g
	w.to = plain.Clone()
	w.to.ExplicitBarriers = true
	w.to.Statements, w.to.Domains, w.to.Tags, w.to.Priorities, w.to.Temps = nil, nil, map[string]kernel.Tag{}, nil, nil
	for i, t := range w.Groups {
		w.to.Tags[t] = kernel.Tag{Kind: kernel.GroupAxis, Axis: i}
	}
	for _, d := range plain.Domains {
		if slices.ContainsFunc(w.Groups, d.HasDim) {
			w.to.Domains = append(w.to.Domains, d)
		}
	}
	w.places()
	for _, g := range w.arrays {
		w.find(g)
		w.load(g)
	}
	w.barrier("there")
	w.compute()
	w.barrier("done", w.step)
	w.store(w.stagingOf(w.write.Array.Name))
	all := lists.Map(w.to.Statements, func(s *kernel.Stmt) string { return s.ID + "@" + string(kernel.Global) })
	w.to.MapStmts(func(s *kernel.Stmt) { s.NoSync = all }) // no dependence leads from one tile to another of the launch
	return w.to, w.to.CheckForm()
}

// places makes the loops over the points of a tile.
func (w *Window) places() {
	last := len(w.Side) - 1
	w.step = w.fresh("step")
	left, steps := polycount.Name(w.step), w.Side[last]
	w.point, w.items = map[string]polycount.Affine{}, nil
	at := func(i int, place polycount.Affine) {
		w.point[w.coords[i]] = w.Numbers[i].Scale(w.Side[i]).Add(place)
	}
	for i := range last {
		item := w.fresh("item")
		w.items = append(w.items, item)
		w.box(item, w.Side[i])
		w.to.Tags[item] = kernel.Tag{Kind: kernel.LocalAxis, Axis: i}
		at(i, polycount.Name(item))
		left, steps = left.Sub(polycount.Name(item)), steps+w.Side[i]-1
	}
	at(last, left)
	w.box(w.step, steps)
}

func (w *Window) box(name string, extent int64) {
	x := polycount.Name(name)
	w.to.Domains = append(w.to.Domains, polycount.NewSet(nil, []string{name}, polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(extent-1), x)))
}

// inames are those of the work-items of all work-groups, with others.
func (w *Window) inames(more ...string) []string {
	return nameset.Sorted(slices.Concat(more, w.Groups, w.items))
}

// add appends a statement that runs after those before it.
func (w *Window) add(s *kernel.Stmt) {
	if n := len(w.to.Statements); n > 0 {
		s.Deps = []string{w.to.Statements[n-1].ID}
	}
	w.to.Statements = append(w.to.Statements, s)
}

func (w *Window) barrier(what string, loops ...string) {
	w.add(&kernel.Stmt{ID: w.s.Name + "_" + what, Kind: kernel.LocalBarrier, Memory: kernel.Local, Inames: nameset.Sorted(slices.Concat(loops, w.Groups))})
}

// ofTile are the conditions for values of the loops, and the iterators that belong to them, to be those of a point of the tile, along the loops from the given one on.
func (w *Window) ofTile(first int, coords, iterators map[string]polycount.Affine) (list []polycount.Constraint) {
	for i := first; i < len(w.coords); i++ {
		begin := w.Numbers[i].Scale(w.Side[i])
		list = append(list, polycount.GE(coords[w.coords[i]], begin), polycount.GE(begin.AddInt(w.Side[i]-1), coords[w.coords[i]]))
	}
	domain, _ := w.s.Domain.Constraints()
	for _, c := range domain {
		list = append(list, polycount.GE(c.Affine.Subst(iterators), polycount.Int(0)))
	}
	return list
}

// compute adds the statement at the points of a step.
func (w *Window) compute() {
	iterators, by := map[string]polycount.Affine{}, map[string]expr.Expr{}
	for name, a := range w.by {
		iterators[name] = a.Subst(w.point)
		by[name] = expr.FromAffine(iterators[name])
	}
	s := &kernel.Stmt{ID: w.s.Name, At: kernel.Place{File: w.s.Pos.File, Pos: w.s.Pos.Pos}, Inames: w.inames(w.step)}
	s.LHS, s.RHS = w.here(expr.Subst(w.s.LHS, by)), w.here(expr.Subst(w.s.RHS, by))
	s.Predicates = cexpr.Predicates(polycount.NewSet(nil, s.Inames, w.ofTile(len(w.coords)-1, w.point, iterators)...))
	w.add(s)
}

// here is an expression with what is in local memory.
func (w *Window) here(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		a, ok := e.(*expr.Access)
		if !ok {
			return e
		}
		g := w.stagingOf(a.Array)
		if g == nil {
			return e
		}
		out := &expr.Access{Array: g.local.Name}
		for d, index := range a.Index {
			out.Index = append(out.Index, expr.FromAffine(throw.Get(w.to.AffineOf(index)).Sub(g.base[d])))
		}
		return out
	})
}

// extreme is the least or greatest value of a sum of multiples of the loops in a tile.
func (w *Window) extreme(factors []int64, greatest bool) (sum polycount.Affine) {
	for i, f := range factors {
		sum = sum.AddScaled(f*w.Side[i], w.Numbers[i])
		if f > 0 == greatest {
			sum = sum.AddInt(f * (w.Side[i] - 1))
		}
	}
	return sum
}

// Accesses are how many a point has.
func (w *Window) Accesses() int { return len(w.s.Accesses) }

// Box is the part of an array that a tile has in local memory.
type Box struct {
	Array   string
	Stored  bool      // it goes back, too
	Factors [][]int64 // for each subscript, those of the loops
	Beyond  []int64   // by how much the subscripts of accesses to it differ
}

// Boxes are all of them.
func (w *Window) Boxes() (all []Box) {
	return lists.Map(w.arrays, func(g *staging) Box { return Box{g.name, g.name == w.write.Array.Name, g.rows, g.beyond} })
}
