package offload

import (
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

// point is a point of a work-item in some statements: they have loops of their own over its points, along some axes.
type point struct {
	b      *blocks
	suffix string
	axes   []string // loops of tiles
}

// among has the inames of a work-item's points of a loop.
func (x point) among(t *tiled) (part, lane string) {
	if !slices.Contains(x.axes, t.name) {
		return "", ""
	}
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
func (b *blocks) points(suffix string) point { return b.along(b.order, suffix) }

// along makes loops over points of a work-item that differ along some axes.
func (b *blocks) along(axes []string, suffix string) point {
	x := point{b, suffix, axes}
	for _, p := range axes {
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
	if x.b.part != "" {
		more = append(more, x.b.part)
	}
	return nameset.Sorted(more)
}

func (x point) at() *expr.Access { return x.of(x.b.sums.Name) }

// of is the point's element of a private array.
func (x point) of(array string) *expr.Access {
	out := &expr.Access{Array: array}
	for _, p := range x.axes {
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
	for variable, array := range x.b.own {
		by[variable] = x.of(array)
	}
	return expr.Subst(e, by)
}

// private declares an array with an element for each point of a work-item.
func (b *blocks) private(name string, dtype expr.DType, axes []string) *kernel.Array {
	a := &kernel.Array{Name: b.to.FreshName(name), DType: dtype, Space: kernel.Private, Shape: []expr.Expr{}}
	for _, p := range axes {
		if t := b.loops[p]; t.parts*t.lanes > 1 {
			a.Shape = append(a.Shape, expr.Int{Value: t.parts * t.lanes})
		}
	}
	b.to.Temps = append(b.to.Temps, a)
	return a
}
