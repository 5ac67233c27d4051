package offload

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

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

func (x point) at() *expr.Access { return x.of(x.b.sums.Name) }

// of is the point's element of a private array.
func (x point) of(array string) *expr.Access {
	out := &expr.Access{Array: array}
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

// slices are how many work-items add up a sum of a tile together, each every other step of its terms, with operands of its own in local memory: where there are few tiles, a multiprocessor has
// more to issue then while others wait.
func (b *blocks) slices() int64 {
	if len(b.order) > sliceAxis {
		return 1
	}
	return max(1, b.m.Share)
}

// slicesOfSums are how many slices a sum of a tile may have.
var slicesOfSums = []int64{1, 2, 4}

// holds reports that a work-group of tiles of sums has no more work-items and local memory than the machine allows, and an axis for its slices.
func (f Form) holds(m Mapping) bool {
	return (m.Share <= 1 || f.Parallel <= sliceAxis) && product(m.Block)*max(1, m.Share) <= f.on().MostItems && f.localOf(m) <= f.on().MostLocal
}

// localOf is the local memory of tiles of sums in bytes: of operands, and of what slices give.
func (f Form) localOf(m Mapping) int64 {
	local := f.local(written(m.Block), written(m.Points), m.Depth)
	if m.Share > 1 {
		local = m.Share * (local + m.Points[0]*product(m.Block)*f.Bytes)
	}
	return local
}

// sliceAxis is that of the work-items of a sum.
const sliceAxis = 2

// sliced makes the iname of the slices.
func (b *blocks) sliced() {
	if b.slices() > 1 {
		b.slice = b.over + "_slice"
		b.box(b.slice, b.slices())
		b.to.Tags[b.slice] = kernel.Tag{Kind: kernel.LocalAxis, Axis: sliceAxis}
	}
}

// inSlice are the inames of what each slice does.
func (b *blocks) inSlice() []string {
	if b.slice == "" {
		return nil
	}
	return []string{b.slice}
}

// ownSlice is the subscript of what each slice has a copy of.
func (b *blocks) ownSlice() []expr.Expr {
	if b.slice == "" {
		return nil
	}
	return []expr.Expr{expr.Var{Name: b.slice}}
}

// ofSlice is the first term of a slice in a step that begins with the given one.
func (b *blocks) ofSlice(first polycount.Affine) polycount.Affine {
	if b.slice == "" {
		return first
	}
	return first.AddScaled(b.m.Depth, polycount.Name(b.slice))
}

// gather puts the sums of all slices together in the work-items of the first, by way of local memory: the points of one place along the slowest axis after the other. It returns the array
// that has them then.
func (b *blocks) gather(dtype expr.DType) (sums string) {
	if b.slice == "" {
		return b.sums.Name
	}
	fast, slow := b.loops[b.order[0]], b.loops[b.order[1]]
	buffer := &kernel.Array{Name: b.to.FreshName("given"), DType: dtype, Space: kernel.Local}
	for _, n := range []int64{b.slices(), fast.parts * fast.lanes, slow.items, fast.items} {
		buffer.Shape = append(buffer.Shape, expr.Int{Value: n})
	}
	all := *b.sums
	all.Name = b.to.FreshName("all")
	b.to.Temps = append(b.to.Temps, buffer, &all)
	for at := range slow.parts * slow.lanes {
		x := point{b, fmt.Sprintf("_gather_%d", at)}
		part, lane := x.among(fast)
		b.unrolled(part, fast.parts)
		b.unrolled(lane, fast.lanes)
		inames := nameset.Sorted(slices.DeleteFunc([]string{fast.group, fast.item, slow.group, slow.item, part, lane}, func(n string) bool { return n == "" }))
		var place []expr.Expr // of the point among those of its work-item
		if fast.parts*fast.lanes > 1 {
			place = append(place, expr.FromAffine(x.own(fast)))
		}
		if slow.parts*slow.lanes > 1 {
			place = append(place, expr.Int{Value: at})
		}
		of := func(slice expr.Expr) expr.Expr {
			return &expr.Access{Array: buffer.Name, Index: []expr.Expr{slice, expr.FromAffine(x.own(fast)), expr.Var{Name: slow.item}, expr.Var{Name: fast.item}}}
		}
		sum := of(expr.Int{})
		for s := int64(1); s < b.slices(); s++ {
			sum = expr.Binary(expr.Add, sum, of(expr.Int{Value: s}))
		}
		b.add(&kernel.Stmt{
			ID: b.sum.ID + "_give" + x.suffix, LHS: of(expr.Var{Name: b.slice}), RHS: &expr.Access{Array: b.sums.Name, Index: place}, Inames: nameset.Add(inames, b.slice),
		})
		b.add(&kernel.Stmt{ID: b.sum.ID + x.suffix, LHS: &expr.Access{Array: all.Name, Index: place}, RHS: sum, Inames: inames})
	}
	return all.Name
}
