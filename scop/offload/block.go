package offload

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/device/machine"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop/grid"
)

// blocks makes a kernel whose work-groups compute tiles of sums as a whole: each work-item has several points, whose sums are in registers, and the operands of some terms at
// a time are in local memory (as in the blocked matrix product). Tiles are whole at borders too: sums outside of the domain are computed from whatever is there, and are not
// stored.
type blocks struct {
	from  *kernel.Kernel
	m     Mapping
	order []string
	loops map[string]*tiled
	sum   *kernel.Stmt
	term  expr.Expr // of the sum
	over  string    // the loop of the sum
	// operands are what a term reads, each once
	operands []*expr.Access
	// lower and upper bound of its iterations, over parameters and parallel loops
	lower, upper polycount.Affine
	domain       *polycount.Set // of the parallel loops
	whole        *polycount.Set // with that of the sum
	tiles        *polycount.Set // those that have points, over the inames of tiles

	parts int64        // of each sum, which other work-groups make each; 0 for whole sums
	part  string       // the iname of a part, on the axis of work-groups behind those of tiles
	whose *expr.Access // where the sum of a part is stored

	sums *kernel.Array     // of a work-item
	own  map[string]string // for variables of a point, the arrays with those of all points of a work-item

	to *kernel.Kernel
}

// findBlocks is nil where a kernel has another form: one sum over one loop, at least two parallel loops, subscripts and bounds that are linear in
// these, and else only statements for each point.
func findBlocks(k *kernel.Kernel, order []string) *blocks {
	b := &blocks{from: k, loops: map[string]*tiled{}, order: order}
	if ok, err := b.fits(); !ok || err != nil {
		throw.If(err)
		return nil
	}
	return b
}

func (b *blocks) fits() (bool, error) {
	order := b.order
	for _, s := range b.from.Statements {
		over := s.ReductionInames()
		if len(over) == 0 {
			if len(nameset.Remove(s.Inames, order...)) > 0 {
				return false, nil
			}
			continue
		}
		sums := expr.Reductions(s.RHS)
		if b.sum != nil || len(over) != 1 || len(sums) != 1 || sums[0].Kind != "sum" || !slices.Equal(s.Inames, nameset.Sorted(slices.Clone(order))) {
			return false, nil
		}
		b.sum, b.over = s, over[0]
	}
	if b.sum == nil {
		return false, nil
	}
	b.term = expr.Reductions(b.sum.RHS)[0].Body
	for _, a := range b.from.Reads(&kernel.Stmt{RHS: b.term}) {
		if !slices.ContainsFunc(b.operands, func(o *expr.Access) bool { return equalText(a, o) }) {
			b.operands = append(b.operands, a)
		}
		for _, index := range a.Index {
			if x, err := b.from.AffineOf(index); err != nil || !b.linear(x) {
				return false, err
			}
		}
	}
	whole, err := b.from.DomainOf(append(slices.Clone(order), b.over))
	if err != nil {
		return false, err
	}
	b.whole = whole
	lower, upper, err := whole.Bounds(b.over)
	if err != nil || len(lower) != 1 || len(upper) != 1 || lower[0].Den != 1 || upper[0].Den != 1 {
		return false, err
	}
	b.lower, b.upper = lower[0].Num, upper[0].Num
	if !b.linear(b.lower) || !b.linear(b.upper) {
		return false, nil
	}
	if b.domain, err = b.from.DomainOf(order); err != nil || len(b.domain.Disjuncts()) != 1 {
		return false, err
	}
	for _, a := range b.operands {
		if apart, err := b.apart(a); err != nil || !apart {
			return false, err
		}
	}
	return b.dense()
}

// apart reports that no work-item stores what a tile holds of an operand. A tile has all combinations of its subscripts, each of which may be that of any point, also beyond the domain; only
// of the one that is the number of the term there are none but those of terms that the sums have (fetch.go).
func (b *blocks) apart(a *expr.Access) (bool, error) {
	all := append(slices.Clone(b.order), b.over)
	another := make([]map[string]polycount.Affine, len(a.Index))
	for d := range a.Index {
		another[d] = map[string]polycount.Affine{}
		for _, p := range b.order {
			name := fmt.Sprintf("%s'%d", p, d)
			another[d][p] = polycount.Name(name)
			all = append(all, name)
		}
	}
	over, term := polycount.Name(b.over), b.termOf(a)
	for _, w := range b.from.Writers(a.Array) {
		if term == nil || slices.ContainsFunc(b.order, func(p string) bool { return b.lower.Has(p) || b.upper.Has(p) }) {
			return false, nil
		}
		where, _ := b.domain.Constraints()
		where = append(where, polycount.GE(over, b.lower), polycount.GE(b.upper, over))
		for d, index := range w.LHS.(*expr.Access).Index {
			to, err := b.from.AffineOf(index)
			if err != nil {
				return false, nil
			}
			from, err := b.from.AffineOf(a.Index[d])
			if err != nil || d != *term && from.Has(b.over) {
				return false, err
			}
			where = append(where, polycount.EQ(to, from.Subst(another[d])))
		}
		if empty, err := polycount.NewSet(nil, all, where...).Within(b.domain.Budget()).IsEmpty(); err != nil || !empty {
			return false, err
		}
	}
	return true, nil
}

// termOf is the subscript of an operand that is the number of its term, with a rest that no loop is in; nil where there is none.
func (b *blocks) termOf(a *expr.Access) *int {
	for d, index := range a.Index {
		x, err := b.from.AffineOf(index)
		if err == nil && x.Coeff(b.over) == 1 && !slices.ContainsFunc(b.order, x.Has) {
			return &d
		}
	}
	return nil
}

// dense reports that every iteration between the bounds of the sum has a term: a loop may also leave some out, as one with a step does.
func (b *blocks) dense() (bool, error) {
	over := polycount.Name(b.over)
	between, err := b.domain.AddDims(b.over).Constrain(polycount.GE(over, b.lower), polycount.GE(b.upper, over))
	if err != nil {
		return false, err
	}
	return between.IsSubset(b.whole)
}

// linear reports that no floor of an expression depends on the loops of tiles: its values in a tile are then those at corners and what is between.
func (b *blocks) linear(x polycount.Affine) bool {
	return !slices.ContainsFunc(x.Terms(), func(t polycount.Term) bool {
		return t.Floor != nil && slices.ContainsFunc(append(slices.Clone(b.order), b.over), t.Floor.Num.Has)
	})
}

// vector is how many points of a work-item are next to each other, so that local memory is read in vectors.
const vector = 4

func (b *blocks) make(m Mapping) *kernel.Kernel {
	b.frame(m, func(_ int, points int64) int64 {
		lanes := int64(vector)
		for points%lanes > 0 {
			lanes /= 2
		}
		return lanes
	})
	b.grid()
	inside := b.inside()
	guard := cexpr.Predicates(inside)
	dtype := throw.Get(b.from.TypeOf(b.term))
	b.sums = b.private("sums", dtype, b.order)
	init := b.points("_init")
	b.add(&kernel.Stmt{ID: b.sum.ID + "_init", LHS: init.at(), RHS: zero(dtype), Inames: init.inames()})
	b.phases()
	b.to.ExplicitBarriers = m.Twice
	x := b.points("")
	if b.parts > 0 {
		b.storePart(x, guard)
		return b.finished()
	}
	for _, s := range b.from.Statements {
		own := &kernel.Stmt{ID: s.ID, LHS: x.moved(s.LHS), RHS: x.moved(s.RHS), Inames: x.inames()}
		for _, p := range slices.Concat(guard, s.Predicates) {
			own.Predicates = append(own.Predicates, x.moved(p))
		}
		if s.ID == b.sum.ID {
			own.RHS = x.moved(expr.Rewrite(b.sum.RHS, func(e expr.Expr) expr.Expr {
				if _, ok := e.(*expr.Reduce); ok {
					return x.at()
				}
				return e
			}))
		}
		b.add(own)
	}
	return b.finished()
}

func (b *blocks) finished() *kernel.Kernel {
	b.independent()
	throw.If(b.to.CheckForm())
	return b.to
}

// frame begins the kernel, with tiles of the parallel loops. Of the points of a work-item along an axis, lanes says how many are next to each other.
func (b *blocks) frame(m Mapping, lanes func(axis int, points int64) int64) {
	b.m = m
	b.to = b.from.Clone()
	b.to.Statements, b.to.Domains, b.to.Tags, b.to.Priorities = nil, nil, map[string]kernel.Tag{}, nil
	for axis, p := range b.order {
		t := &tiled{name: p, group: p + "_group", item: p + "_item", items: of(m.Block, axis)}
		points := of(m.Points, axis)
		t.lanes = lanes(axis, points)
		t.parts = points / t.lanes
		b.loops[p] = t
		b.to.Tags[t.group], b.to.Tags[t.item] = kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}, kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}
	}
	if b.parts > 0 {
		b.part = b.to.FreshName(b.over + "_part")
		b.box(b.part, b.parts)
		axis := len(b.order)
		if last := b.order[axis-1]; b.lower.Has(last) || b.upper.Has(last) {
			b.to.Tags[b.loops[last].group] = kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}
			axis--
		}
		b.to.Tags[b.part] = kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}
	}
}

// independent says that the points of different work-items share no element of global memory that is written: the loops are parallel.
func (b *blocks) independent() {
	var all []string
	for _, s := range b.to.Statements {
		all = append(all, s.ID+"@"+string(kernel.Global))
	}
	b.to.MapStmts(func(s *kernel.Stmt) { s.NoSync = all })
}

// zero of a type.
func zero(t expr.DType) expr.Expr {
	switch t {
	case expr.Float32:
		return expr.Float{Text: "0.0f", DType: t}
	case expr.Float64:
		return expr.Float{Text: "0.0", DType: t}
	}
	return expr.Int{}
}

// add appends a statement that runs after those before it.
func (b *blocks) add(s *kernel.Stmt) {
	if n := len(b.to.Statements); n > 0 {
		s.Deps = nameset.Add(s.Deps, b.to.Statements[n-1].ID)
	}
	b.to.Statements = append(b.to.Statements, s)
}

// errTiles is wrapped where tiles of a domain are not one set.
var errTiles = errors.New("its tiles are no grid")

// grid adds the domains of the parallel loops: tiles that have points of the domain, and all of each.
func (b *blocks) grid() {
	var groups []string
	tiles := b.domain
	for _, p := range b.order {
		t := b.loops[p]
		groups = append(groups, t.group)
		inside := polycount.Name(p).AddScaled(-t.extent(), polycount.Name(t.group))
		tiles = throw.Get(tiles.AddDims(t.group).Constrain(polycount.GE(inside, polycount.Int(0)), polycount.GE(polycount.Int(t.extent()-1), inside)))
		b.box(t.item, t.items)
	}
	tiles = throw.Get(tiles.Project(groups...))
	if parts := tiles.Disjuncts(); len(parts) != 1 {
		panic(throw.Errorf("%w: those of %s are a union of %d sets", errTiles, b.from.Name, len(parts)))
	}
	b.tiles = tiles
	b.to.Domains = append(b.to.Domains, tiles)
}

// box adds the domain of an iname from 0.
func (b *blocks) box(name string, extent int64) {
	x := polycount.Name(name)
	b.to.Domains = append(b.to.Domains, polycount.NewSet(nil, []string{name}, polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(extent-1), x)))
}

// inside is where a point of a tile is in the domain, beyond what is so for all of them.
func (b *blocks) inside() *polycount.Set {
	list, exact := b.domain.Constraints()
	if !exact {
		panic(throw.Errorf("the domain of %s is a union", b.from.Name))
	}
	known := polycount.NewSet(nil, nil)
	for _, p := range b.order {
		known = throw.Get(known.AddDims(p).Constrain(polycount.GE(polycount.Name(p), polycount.Int(0))))
	}
	if b.from.Assumptions != nil {
		known = throw.Get(known.IntersectParams(b.from.Assumptions))
	}
	return throw.Get(polycount.NewSet(nil, b.order, list...).Gist(known))
}

// corner is the least or greatest value of an expression in a tile.
func (b *blocks) corner(a polycount.Affine, greatest bool) polycount.Affine {
	by := map[string]polycount.Affine{}
	for p, t := range b.loops {
		by[p] = polycount.Name(t.group).Scale(t.extent())
		if a.Coeff(p) > 0 == greatest {
			by[p] = by[p].AddInt(t.extent() - 1)
		}
	}
	return a.Subst(by)
}

// onTiles is a kernel of tiles, nil where it does not run.
func (b *blocks) onTiles(m Mapping, folded bool, on *machine.Machine) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	k := b.make(m)
	last := b.order[len(b.order)-1]
	if b.upper.Sub(b.lower).Coeff(last) > 0 && !folded { // the tiles with the longest sums start first
		k = throw.Get(grid.Reverse(k, b.loops[last].group))
	}
	if folded {
		g := throw.Get(grid.FindTriangle(b.tiles, b.loops[b.order[1]].group, b.loops[b.order[0]].group))
		if g != nil {
			if f, err := g.Fold(k); err != nil || runs(f, on) == nil {
				return f, err
			}
		}
	}
	if runs(k, on) != nil {
		return nil, nil
	}
	return k, nil
}

// folds reports that the points are those of a triangle at the sizes of the kernel: folding leaves out a good part of the work-groups.
func (c *compiler) folds(b *blocks) (bool, error) {
	if len(b.order) != 2 {
		return false, nil
	}
	g, err := grid.FindTriangle(b.domain, b.order[1], b.order[0])
	if g == nil || err != nil {
		return false, err
	}
	of := func(s *polycount.Set) int64 { return c.extent(s, b.order[0]) * c.extent(s, b.order[1]) }
	return 4*of(g.Launched()) <= 3*of(b.domain), nil
}
