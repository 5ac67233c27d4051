package offload

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// fetch copies what the points of a tile read by an access in a phase of a sum into a tile in local memory, by way of registers where it is fetched ahead. The
// element that a work-item copies is the same on all ways.
type fetch struct {
	point
	phase  *phase
	access *expr.Access
	name   string // of the tile in local memory

	sides []*side // one for each subscript

	when  []expr.Expr // conditions that all work-items share, under which it is done
	whole bool        // under them all elements are there
}

// side is a dimension of the access in the tile.
type side struct {
	base   polycount.Affine // its first element
	extent int64
	at     polycount.Affine // of a point's element in the tile
	rank   int              // dimensions of greater rank are faster in the tile
	// own is the element that a work-item copies: inames are those of its parts and of the work-item, if it is on an axis.
	own    polycount.Affine
	inames []string
	parts  string // the iname of what a work-item has, "" for one element
	count  int64  // of its values
	inside []polycount.Constraint
}

// find finds what the tile holds, and which work-item copies what: the fastest dimension in global memory is along the first axis.
func (f *fetch) find() {
	b := f.b
	for _, index := range f.access.Index {
		x := throw.Get(b.from.AffineOf(index))
		f.sides = append(f.sides, f.side(x))
	}
	axis := 0
	for d, s := range slices.Backward(f.sides) {
		if s.extent > 1 {
			f.distribute(s, fmt.Sprintf("%s_%d%s", f.name, d, f.phase.suffix), axis)
			axis++
		}
	}
}

// distribute gives a work-item its elements of a side.
func (f *fetch) distribute(s *side, name string, axis int) {
	items := int64(1)
	if axis < len(f.b.order) {
		t := f.b.loops[f.b.order[axis]]
		items, s.own, s.inames = t.items, polycount.Name(t.item), []string{t.item}
	}
	if s.count = (s.extent + items - 1) / items; s.count > 1 {
		s.parts = name
		s.own = s.own.AddScaled(items, polycount.Name(name))
		s.inames = append(s.inames, name)
	}
	if s.extent%items > 0 {
		s.inside = []polycount.Constraint{polycount.GE(polycount.Int(s.extent-1), s.own)}
	}
}

// sorted are the sides longer than 1 in the order of the tile.
func (f *fetch) sorted() []*side {
	list := slices.SortedStableFunc(slices.Values(f.sides), func(x, y *side) int { return x.rank - y.rank })
	return slices.DeleteFunc(list, func(s *side) bool { return s.extent == 1 })
}

// element is what a point reads in the tile.
func (f *fetch) element() *expr.Access {
	out := &expr.Access{Array: f.name, Index: f.place()}
	for _, s := range f.sorted() {
		out.Index = append(out.Index, expr.FromAffine(s.at))
	}
	return out
}

// here is what a point reads of a term that not all sums have: the work-item has taken all that its points read of the term from the tile before, as loads under conditions
// would be of one number each, however many points read it.
func (f *fetch) here(x point) *expr.Access {
	b := f.b
	x.axes = slices.DeleteFunc(slices.Clone(b.order), func(p string) bool {
		return !slices.ContainsFunc(f.access.Index, func(e expr.Expr) bool { return throw.Get(b.from.AffineOf(e)).Has(p) })
	})
	own := b.along(x.axes, "_here_"+f.name+f.phase.suffix)
	load := &fetch{point: own, phase: f.phase, access: f.access, name: f.name}
	load.find()
	here := b.private(f.name+"_here", b.from.Array(f.access.Array).DType, x.axes).Name
	b.add(&kernel.Stmt{ID: "here_" + f.name + f.phase.suffix, LHS: own.of(here), RHS: load.element(), Inames: own.inames(append(f.phase.loops(), f.phase.term())...)})
	return x.of(here)
}

// load fills the tile from global memory.
func (f *fetch) load() error { return f.copy("fetch_", f.tile(), nil) }

// take copies into registers what put puts into the tile.
func (f *fetch) take() error { return f.copy("take_", f.registers(), nil) }

func (f *fetch) put() error { return f.copy("put_", f.tile(), f.registers()) }

// copy adds the statement that copies to an element from registers, or from global memory if these are nil.
func (f *fetch) copy(id string, to, from *expr.Access) error {
	b := f.b
	s := &kernel.Stmt{ID: id + f.name + f.phase.suffix, LHS: to, RHS: from, Inames: f.phase.loops()}
	var own []polycount.Constraint
	for _, side := range f.sides {
		s.Inames, own = append(s.Inames, side.inames...), append(own, side.inside...)
		if side.parts != "" {
			b.unrolled(side.parts, side.count)
		}
	}
	for _, p := range b.order {
		s.Inames = append(s.Inames, b.loops[p].group)
	}
	if b.part != "" {
		s.Inames = append(s.Inames, b.part)
	}
	s.Inames = nameset.Sorted(s.Inames)
	if len(own) > 0 {
		s.Predicates = cexpr.Predicates(polycount.NewSet(nil, s.Inames, own...))
	}
	s.Predicates = append(s.Predicates, f.when...)
	if from == nil {
		var err error
		if s.RHS, err = f.global(s.Inames); err != nil {
			return err
		}
	}
	b.add(s)
	return nil
}

// global is the element in global memory. One that is not there is in no sum that is stored, so that any value does.
func (f *fetch) global(inames []string) (_ expr.Expr, err error) {
	defer throw.Catch(&err)
	b := f.b
	array := b.from.Array(f.access.Array)
	from := &expr.Access{Array: f.access.Array}
	var inside []polycount.Constraint
	for d, s := range f.sides {
		element := s.base.Add(s.own)
		from.Index = append(from.Index, expr.FromAffine(element))
		size := throw.Get(b.from.AffineOf(array.Shape[d]))
		inside = append(inside, polycount.GE(element, polycount.Int(0)), polycount.GE(size.AddInt(-1), element))
	}
	if f.whole {
		return from, nil
	}
	if len(b.from.Writers(f.access.Array)) > 0 { // what is beyond the last term may be stored meanwhile
		d := b.termOf(f.access)
		last := throw.Get(b.from.AffineOf(f.access.Index[*d])).Subst(map[string]polycount.Affine{b.over: b.upper})
		inside = append(inside, polycount.GE(last, f.sides[*d].base.Add(f.sides[*d].own)))
	}
	around := throw.Get(b.to.DomainOf(inames))
	there := throw.Get(polycount.NewSet(nil, inames, inside...).Gist(around))
	if list, _ := there.Constraints(); len(list) > 0 {
		return &expr.Cond{If: cexpr.Disjunction(there), Then: from, Else: zero(array.DType)}, nil
	}
	return from, nil
}

// there are the conditions for all elements of the tile to be in global memory.
func (f *fetch) there() (all []polycount.Constraint) {
	array := f.b.from.Array(f.access.Array)
	for d, s := range f.sides {
		size := throw.Get(f.b.from.AffineOf(array.Shape[d]))
		all = append(all, polycount.GE(s.base, polycount.Int(0)), polycount.GE(size.AddInt(-s.extent), s.base))
	}
	return all
}

// tile is the element of the tile that a work-item copies to. A tile that is filled across its rows has longer ones, for other banks.
func (f *fetch) tile() *expr.Access {
	sides := f.sorted()
	out := &expr.Access{Array: f.name, Index: f.place()}
	tile := &kernel.Array{Name: f.name, DType: f.b.from.Array(f.access.Array).DType, Space: kernel.Local, Shape: []expr.Expr{}}
	for range out.Index {
		tile.Shape = append(tile.Shape, expr.Int{Value: places})
	}
	for i, s := range sides {
		extent := s.extent
		if i > 0 && i == len(sides)-1 && s != f.sides[len(f.sides)-1] {
			extent += vector
		}
		out.Index = append(out.Index, expr.FromAffine(s.own))
		tile.Shape = append(tile.Shape, expr.Int{Value: extent})
	}
	f.declare(tile)
	return out
}

// places of tiles that take turns.
const places = 2

// place is the subscript of the place of a step, where there are several.
func (f *fetch) place() []expr.Expr {
	if !f.b.m.Twice {
		return nil
	}
	return []expr.Expr{expr.FromAffine(polycount.Name(f.phase.step).Mod(places))}
}

// registers is the element of a work-item's part of the tile.
func (f *fetch) registers() *expr.Access {
	out := &expr.Access{Array: f.name + "_own"}
	own := &kernel.Array{Name: out.Array, DType: f.b.from.Array(f.access.Array).DType, Space: kernel.Private, Shape: []expr.Expr{}}
	for _, s := range f.sides {
		if s.parts != "" {
			out.Index, own.Shape = append(out.Index, expr.Var{Name: s.parts}), append(own.Shape, expr.Int{Value: s.count})
		}
	}
	f.declare(own)
	return out
}

// declare declares an array, unless another phase has.
func (f *fetch) declare(a *kernel.Array) {
	if f.b.to.Array(a.Name) == nil {
		f.b.to.Temps = append(f.b.to.Temps, a)
	}
}

// side finds what the points of a tile need of a dimension in a phase.
func (f *fetch) side(x polycount.Affine) *side {
	b := f.b
	s := &side{extent: 1}
	by := map[string]polycount.Affine{b.over: f.phase.first}
	add := func(c int64, local polycount.Affine, extent int64, rank int) {
		if c == 0 {
			return
		}
		s.at = s.at.AddScaled(c, local)
		if c < 0 {
			s.base = s.base.AddInt(c * (extent - 1))
			s.at = s.at.AddInt(-c * (extent - 1))
		}
		s.extent += max(c, -c) * (extent - 1)
		s.rank = max(s.rank, rank)
	}
	for i, p := range b.order {
		t := b.loops[p]
		by[p] = polycount.Name(t.group).Scale(t.extent())
		add(x.Coeff(p), f.local(t), t.extent(), len(b.order)-i)
	}
	add(x.Coeff(b.over), polycount.Name(f.phase.term()), b.m.Depth, 0)
	s.base = s.base.Add(x.Subst(by))
	return s
}
