package offload

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// fetch copies what the points of a tile read by an access in a step of a sum.
type fetch struct {
	point
	access *expr.Access
	first  polycount.Affine // the first term of the step
	term   string           // iname of terms from there
	loops  []string         // of steps
	name   string           // of the tile in local memory
	suffix string
}

// side is a dimension of the access in the tile.
type side struct {
	base   polycount.Affine // its first element
	extent int64
	at     polycount.Affine // of a point's element in the tile
	rank   int              // dimensions of greater rank are faster in the tile
	dim    string           // iname, "" where the extent is 1
}

// make adds the statement that fills the tile, and returns how a point reads it.
func (f *fetch) make() (*expr.Access, error) {
	b := f.b
	array := b.from.Array(f.access.Array)
	sides := make([]*side, len(f.access.Index))
	load := &kernel.Stmt{ID: "fetch_" + f.name + f.suffix}
	from := &expr.Access{Array: f.access.Array}
	var inside []polycount.Constraint
	for d, index := range f.access.Index {
		x, err := b.from.AffineOf(index)
		if err != nil {
			return nil, err
		}
		s := f.side(x)
		sides[d] = s
		element := s.base
		if s.extent > 1 {
			s.dim = f.name + "_" + string(rune('0'+d)) + f.suffix
			b.box(s.dim, s.extent)
			b.to.Tags[s.dim] = kernel.Tag{Kind: kernel.LocalAuto}
			load.Inames = append(load.Inames, s.dim)
			element = element.Add(polycount.Name(s.dim))
		}
		from.Index = append(from.Index, expr.FromAffine(element))
		size, err := b.from.AffineOf(array.Shape[d])
		if err != nil {
			return nil, err
		}
		inside = append(inside, polycount.GE(element, polycount.Int(0)), polycount.GE(size.AddInt(-1), element))
	}
	faster := slices.SortedStableFunc(slices.Values(sides), func(x, y *side) int { return x.rank - y.rank })
	f.declare(array, faster, faster[len(faster)-1] != sides[len(sides)-1])
	to, point := &expr.Access{Array: f.name}, &expr.Access{Array: f.name}
	for _, s := range faster {
		if s.extent > 1 {
			to.Index, point.Index = append(to.Index, expr.Var{Name: s.dim}), append(point.Index, expr.FromAffine(s.at))
		}
	}
	load.Inames = append(load.Inames, f.loops...)
	for _, p := range b.order {
		load.Inames = append(load.Inames, b.loops[p].group)
	}
	load.Inames = nameset.Sorted(load.Inames)
	around, err := b.to.DomainOf(load.Inames)
	if err != nil {
		return nil, err
	}
	there, err := polycount.NewSet(nil, load.Inames, inside...).Gist(around)
	if err != nil {
		return nil, err
	}
	load.LHS, load.RHS = to, from
	if list, _ := there.Constraints(); len(list) > 0 { // elements that are not there are in no sum that is stored; any value does
		load.RHS = &expr.Cond{If: cexpr.Disjunction(there), Then: from, Else: zero(array.DType)}
	}
	b.add(load)
	return point, nil
}

// declare declares the tile, unless another phase has. A tile that is filled across its rows has longer ones, for other banks.
func (f *fetch) declare(of *kernel.Array, sides []*side, across bool) {
	if f.b.to.Array(f.name) != nil {
		return
	}
	tile := &kernel.Array{Name: f.name, DType: of.DType, Space: kernel.Local, Shape: []expr.Expr{}}
	for _, s := range sides {
		if s.extent > 1 {
			tile.Shape = append(tile.Shape, expr.Int{Value: s.extent})
		}
	}
	if n := len(tile.Shape); across && n > 1 {
		tile.Shape[n-1] = expr.Int{Value: sides[len(sides)-1].extent + 4}
	}
	f.b.to.Temps = append(f.b.to.Temps, tile)
}

// side finds what the points of a tile need of a dimension in a step.
func (f *fetch) side(x polycount.Affine) *side {
	b := f.b
	s := &side{extent: 1}
	by := map[string]polycount.Affine{b.over: f.first}
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
	add(x.Coeff(b.over), polycount.Name(f.term), b.m.Depth, 0)
	s.base = s.base.Add(x.Subst(by))
	return s
}
