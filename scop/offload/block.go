package offload

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
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
	acc   *accumulated
	over  string // the loop of the sum
	// first and count of its iterations, over parameters
	first, count polycount.Affine
	domain       *polycount.Set // of the parallel loops

	sums *kernel.Array // of a work-item

	to *kernel.Kernel
}

// tiled is a parallel loop in tiles. Of the parts·items·lanes points of a tile, a work-item has parts·lanes: some next to each other, in some places of the tile.
type tiled struct {
	name, group, item   string // the loop, and inames of tiles and work-items
	items, parts, lanes int64
}

func (t *tiled) extent() int64 { return t.items * t.parts * t.lanes }

// point is a point of a work-item in some statements: they have loops of their own over its points.
type point struct {
	b      *blocks
	suffix string
}

// among has the inames of a work-item's points of a loop.
func (x point) among(t *tiled) (part, lane string) {
	if t.parts > 1 {
		part = t.name + "_part" + x.suffix
	}
	if t.lanes > 1 {
		lane = t.name + "_lane" + x.suffix
	}
	return part, lane
}

// own is the point among those of its work-item, local that in the tile, value that of the loop.
func (x point) own(t *tiled) polycount.Affine {
	part, lane := x.among(t)
	return named(part).Scale(t.lanes).Add(named(lane))
}

func (x point) local(t *tiled) polycount.Affine {
	part, lane := x.among(t)
	return named(part).Scale(t.items*t.lanes).AddScaled(t.lanes, polycount.Name(t.item)).Add(named(lane))
}

func (x point) value(t *tiled) polycount.Affine {
	return polycount.Name(t.group).Scale(t.extent()).Add(x.local(t))
}

// named is an iname, or 0.
func named(iname string) polycount.Affine {
	if iname == "" {
		return polycount.Int(0)
	}
	return polycount.Name(iname)
}

// points makes the loops over the points of a work-item for some statements.
func (b *blocks) points(suffix string) point {
	x := point{b, suffix}
	for _, p := range b.order {
		t := b.loops[p]
		part, lane := x.among(t)
		b.unrolled(part, t.parts)
		b.unrolled(lane, t.lanes)
	}
	return x
}

func (b *blocks) unrolled(iname string, extent int64) {
	if iname != "" {
		b.box(iname, extent)
		b.to.Tags[iname] = kernel.Tag{Kind: kernel.Unroll}
	}
}

// inames are those of a point.
func (x point) inames(more ...string) []string {
	for _, p := range x.b.order {
		t := x.b.loops[p]
		part, lane := x.among(t)
		more = append(more, t.group, t.item)
		for _, n := range []string{part, lane} {
			if n != "" {
				more = append(more, n)
			}
		}
	}
	return nameset.Sorted(more)
}

// at is the sum of the point.
func (x point) at() *expr.Access {
	out := &expr.Access{Array: x.b.sums.Name}
	for _, p := range x.b.order {
		if t := x.b.loops[p]; t.parts*t.lanes > 1 {
			out.Index = append(out.Index, expr.FromAffine(x.own(t)))
		}
	}
	return out
}

// moved is an expression at the point.
func (x point) moved(e expr.Expr) expr.Expr {
	by := map[string]expr.Expr{}
	for p, t := range x.b.loops {
		by[p] = expr.FromAffine(x.value(t))
	}
	return expr.Subst(e, by)
}

// findBlocks is nil where a kernel has another form: one sum over one loop whose bounds are the same for all points, at least two parallel loops, and else only
// statements for each point.
func findBlocks(k *kernel.Kernel, order []string) (*blocks, error) {
	b := &blocks{from: k, loops: map[string]*tiled{}, order: order}
	if ok, err := b.fits(); !ok || err != nil {
		return nil, err
	}
	return b, nil
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
		acc := accumulation(s)
		if b.sum != nil || len(over) != 1 || acc == nil || acc.kind != "sum" || !slices.Equal(s.Inames, nameset.Sorted(slices.Clone(order))) {
			return false, nil
		}
		b.sum, b.acc, b.over = s, acc, over[0]
	}
	if b.sum == nil {
		return false, nil
	}
	whole, err := b.from.DomainOf(append(slices.Clone(order), b.over))
	if err != nil {
		return false, err
	}
	lower, upper, err := whole.Bounds(b.over)
	if err != nil || len(lower) != 1 || len(upper) != 1 || lower[0].Den != 1 || upper[0].Den != 1 {
		return false, err
	}
	for _, p := range order {
		if lower[0].Num.Has(p) || upper[0].Num.Has(p) {
			return false, nil
		}
	}
	b.first, b.count = lower[0].Num, upper[0].Num.Sub(lower[0].Num).AddInt(1)
	b.domain, err = b.from.DomainOf(order)
	return err == nil && len(b.domain.Disjuncts()) == 1, err
}

// vector is how many points of a work-item are next to each other, so that local memory is read in vectors.
const vector = 4

// make makes the kernel.
func (b *blocks) make(m Mapping) (*kernel.Kernel, error) {
	b.m = m
	b.to = b.from.Clone()
	b.to.Statements, b.to.Domains, b.to.Tags, b.to.Priorities = nil, nil, map[string]kernel.Tag{}, nil
	for axis, p := range b.order {
		t := &tiled{name: p, group: p + "_group", item: p + "_item", items: 1, parts: 1, lanes: 1}
		if axis < len(b.m.Block) {
			t.items = b.m.Block[axis]
		}
		if axis < len(b.m.Points) {
			t.lanes = min(b.m.Points[axis], vector)
			t.parts = b.m.Points[axis] / t.lanes
		}
		b.loops[p] = t
		b.to.Tags[t.group], b.to.Tags[t.item] = kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}, kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}
	}
	if err := b.grid(); err != nil {
		return nil, err
	}
	guard, err := b.guard()
	if err != nil {
		return nil, err
	}
	dtype, err := b.from.TypeOf(b.acc.term)
	if err != nil {
		return nil, err
	}
	b.declare(dtype)
	init := b.points("_init")
	b.add(&kernel.Stmt{ID: b.sum.ID + "_init", LHS: init.at(), RHS: zero(dtype), Inames: init.inames()})
	for _, full := range []bool{true, false} {
		if err := b.phase(full); err != nil {
			return nil, err
		}
	}
	x := b.points("")
	for _, s := range b.from.Statements {
		own := &kernel.Stmt{ID: s.ID, LHS: x.moved(s.LHS), RHS: x.moved(s.RHS), Inames: x.inames()}
		for _, p := range slices.Concat(guard, s.Predicates) {
			own.Predicates = append(own.Predicates, x.moved(p))
		}
		if s == b.sum {
			own.RHS = x.moved(b.acc.with(x.at()))
		}
		b.add(own)
	}
	return b.to, b.to.CheckForm()
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

// grid adds the domains of the parallel loops: tiles that have points of the domain, and all of each.
func (b *blocks) grid() error {
	var groups []string
	tiles := b.domain
	for _, p := range b.order {
		t := b.loops[p]
		groups = append(groups, t.group)
		inside := polycount.Name(p).AddScaled(-t.extent(), polycount.Name(t.group))
		var err error
		if tiles, err = tiles.AddDims(t.group).Constrain(polycount.GE(inside, polycount.Int(0)), polycount.GE(polycount.Int(t.extent()-1), inside)); err != nil {
			return err
		}
		b.box(t.item, t.items)
	}
	tiles, err := tiles.Project(groups...)
	if err != nil {
		return err
	}
	if parts := tiles.Disjuncts(); len(parts) != 1 {
		return fmt.Errorf("the tiles of %s are a union of %d sets", b.from.Name, len(parts))
	}
	b.to.Domains = append(b.to.Domains, tiles)
	return nil
}

// box adds the domain of an iname from 0.
func (b *blocks) box(name string, extent int64) {
	x := polycount.Name(name)
	b.to.Domains = append(b.to.Domains, polycount.NewSet(nil, []string{name}, polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(extent-1), x)))
}

// guard are the conditions for a point of a tile to be in the domain.
func (b *blocks) guard() ([]expr.Expr, error) {
	list, exact := b.domain.Constraints()
	if !exact {
		return nil, fmt.Errorf("the domain of %s is a union", b.from.Name)
	}
	known := polycount.NewSet(nil, nil)
	var err error
	for _, p := range b.order {
		if known, err = known.AddDims(p).Constrain(polycount.GE(polycount.Name(p), polycount.Int(0))); err != nil {
			return nil, err
		}
	}
	if b.from.Assumptions != nil {
		if known, err = known.IntersectParams(b.from.Assumptions); err != nil {
			return nil, err
		}
	}
	set, err := polycount.NewSet(nil, b.order, list...).Gist(known)
	if err != nil {
		return nil, err
	}
	return cexpr.Predicates(set), nil
}

// declare declares the sums of a work-item.
func (b *blocks) declare(dtype expr.DType) {
	b.sums = &kernel.Array{Name: b.to.FreshName("sums"), DType: dtype, Space: kernel.Private, Shape: []expr.Expr{}}
	for _, p := range b.order {
		if t := b.loops[p]; t.parts*t.lanes > 1 {
			b.sums.Shape = append(b.sums.Shape, expr.Int{Value: t.parts * t.lanes})
		}
	}
	b.to.Temps = append(b.to.Temps, b.sums)
}

// phase adds the terms in whole steps of Depth terms, or those that remain.
func (b *blocks) phase(full bool) error {
	suffix, d := "_rest", b.m.Depth
	first := b.count.FloorDiv(d).Scale(d)
	rest := b.count.Sub(first)
	var loops []string
	if full {
		suffix, rest = "", polycount.Int(d)
		step := b.over + "_step"
		n := polycount.Name(step)
		b.to.Domains = append(b.to.Domains, polycount.NewSet(nil, []string{step}, polycount.GE(n, polycount.Int(0)), polycount.GE(b.count.AddInt(-d), n.Scale(d))))
		loops, first = []string{step}, n.Scale(d)
	}
	term := b.over + "_term" + suffix
	t := polycount.Name(term)
	b.to.Domains = append(b.to.Domains, polycount.NewSet(nil, []string{term}, polycount.GE(t, polycount.Int(0)), polycount.GE(rest.AddInt(-1), t)))
	if full {
		b.to.Tags[term] = kernel.Tag{Kind: kernel.Unroll}
	}
	x := b.points("_update" + suffix)
	body := b.acc.term.(*expr.Reduce).Body
	by := map[string]expr.Expr{}
	for _, a := range b.from.Reads(&kernel.Stmt{RHS: body}) {
		if by[a.String()] == nil {
			f := &fetch{x, a, b.first.Add(first), term, loops, fmt.Sprintf("%s_tile_%d", a.Array, len(by)), suffix}
			var err error
			if by[a.String()], err = f.make(); err != nil {
				return err
			}
		}
	}
	value := expr.Rewrite(body, func(e expr.Expr) expr.Expr {
		if element := by[e.String()]; element != nil {
			return element
		}
		return e
	})
	value = expr.Subst(x.moved(value), map[string]expr.Expr{b.over: expr.FromAffine(b.first.Add(first).Add(t))})
	b.add(&kernel.Stmt{ID: b.sum.ID + "_update" + suffix, LHS: x.at(), RHS: expr.Binary(expr.Add, x.at(), value), Inames: x.inames(append(loops, term)...)})
	return nil
}
