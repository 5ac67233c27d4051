package offload

import (
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/scop"
)

// Sums in parts: where tiles are too few to fill a device, several work-groups make a part each of the sums of a tile, and another launch adds these up and does what else is done at a point.
// A part has every so many-th step, so that parts are about as long as each other whatever a tile has of terms. One without terms is 0, so that all parts of all points of the domain are
// stored, and there are as many at all sizes.

// tiled are the kernels of tiles, of a folded grid where that can be, none where there are none that run.
func (c *compiler) tiled(b *blocks, m Mapping, form Form) (_ []*kernel.Kernel, err error) {
	defer throw.Catch(&err)
	if m.Matrix {
		return multiplying(c, b, m, form)
	}
	if form.Apart && m.Parts > 1 {
		return sumsInParts(c, b, m, form)
	}
	k := throw.Get(b.onTiles(m, form.Folded, c.on()))
	if k == nil {
		return nil, nil
	}
	k.Resident = b.resident(form)
	return []*kernel.Kernel{k}, nil
}

// partial is the array of the parts of sums, with the element of a point but for its first subscript, that of the part; nil where there can be none: its extents are those of the text's parameters
// alone, and the axis of work-groups behind those of tiles is that of parts.
func (b *blocks) partial(params []string) *scop.Array {
	if len(b.order) > 2 {
		return nil
	}
	dtype, err := b.from.TypeOf(b.term)
	if err != nil {
		return nil
	}
	out := &scop.Array{DType: dtype, Local: true, Written: true, Shape: []expr.Expr{nil}}
	for _, p := range slices.Backward(b.order) {
		values, err := b.domain.Project(p)
		if err != nil {
			return nil
		}
		_, upper, err := values.Bounds(p)
		if err != nil || len(upper) == 0 {
			return nil
		}
		most := upper[0].Num.FloorDiv(upper[0].Den)
		if slices.ContainsFunc(most.Names(), func(name string) bool { return !slices.Contains(params, name) }) {
			return nil
		}
		out.Shape = append(out.Shape, &expr.Op{Kind: expr.Max, Args: []expr.Expr{expr.FromAffine(most.AddInt(1)), expr.Int{Value: 1}}})
	}
	return out
}

// adds ends the names of kernels that add up parts.
const adds = "_sum"

// adderOf is the name of the kernel that adds up the parts that another one makes.
func adderOf(kernel string) string { return kernel + adds }

// sumsInParts are the kernel that makes the parts of sums, and the one that adds them up; none where they do not run.
func sumsInParts(c *compiler, b *blocks, m Mapping, form Form) (_ []*kernel.Kernel, err error) {
	defer throw.Catch(&err)
	array := b.partial(c.nest.Params)
	array.Name, array.Shape[0] = c.fresh(c.nest.Name+"_parts"), expr.Int{Value: m.Parts}
	stored := &kernel.Array{Name: array.Name, DType: array.DType, Space: kernel.Global, Shape: array.Shape}
	own := *b
	own.loops, own.parts = map[string]*tiled{}, m.Parts
	own.whose = &expr.Access{Array: array.Name}
	for _, p := range slices.Backward(b.order) {
		own.whose.Index = append(own.whose.Index, expr.Var{Name: p})
	}
	own.from = b.from.Clone()
	own.from.Args = append(own.from.Args, stored)
	first := throw.Get(own.onTiles(m, form.Folded, c.on()))
	if first == nil {
		return nil, nil
	}
	first.Resident = own.resident(form)
	form.On = c.opt.On
	second := throw.Get(own.adder(c.fresh(adderOf(b.from.Name)), form))
	c.nest.Arrays = append(c.nest.Arrays, array)
	return []*kernel.Kernel{withoutUnused(first), second}, nil
}

// resident is how many work-groups a multiprocessor is predicted to have at once, where two places of a tile leave few registers; 0 where registers of masked terms are not predicted.
func (b *blocks) resident(f Form) int64 {
	if !b.m.Twice || slices.ContainsFunc(b.order, func(p string) bool { return b.lower.Has(p) || b.upper.Has(p) }) {
		return 0
	}
	w := f.tiles(b.m)
	return max(1, min(f.on().Held(w.Group), intmath.CeilDiv(w.Groups, f.on().Multiprocessors)))
}

// storePart adds the statement that stores the sum of a part.
func (b *blocks) storePart(x point, guard []expr.Expr) {
	own := &kernel.Stmt{ID: b.sum.ID, LHS: x.moved(b.partOf(expr.Var{Name: b.part})), RHS: x.at(), Inames: x.inames()}
	for _, p := range guard {
		own.Predicates = append(own.Predicates, x.moved(p))
	}
	b.add(own)
}

// partOf is where a part of a point's sum is.
func (b *blocks) partOf(part expr.Expr) *expr.Access {
	return &expr.Access{Array: b.whose.Array, Index: append([]expr.Expr{part}, b.whose.Index...)}
}

// adder is the kernel that adds up parts: the statements of a point, with the sum of them in the place of that of the terms.
func (b *blocks) adder(name string, form Form) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	k := b.from.Clone()
	k.Name = name
	k.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr {
			return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
				if _, ok := e.(*expr.Reduce); !ok {
					return e
				}
				var sum expr.Expr = b.partOf(expr.Int{})
				for part := int64(1); part < b.parts; part++ {
					sum = expr.Binary(expr.Add, sum, b.partOf(expr.Int{Value: part}))
				}
				return sum
			})
		})
	})
	k = withoutUnused(throw.Get(transform.RemoveUnusedInames(k)))
	each := Form{Kernel: name, On: form.On, Parallel: len(b.order), Extent: form.Extent, Parts: storesParts(k, b.order[0]), Crossing: storesAcross(k, b.order)}
	if one := findPointwise(k, b.order); one != nil {
		each.Pointwise = true
		if k := several(one, Default(each), form.on()); k != nil {
			return k, nil
		}
		each.Pointwise = false
	}
	k.ExplicitBarriers = true
	return onAxes(k, b.order, Default(each).Block, 0)
}

// withoutUnused is a kernel without arguments that its statements do not use.
func withoutUnused(k *kernel.Kernel) *kernel.Kernel {
	used := map[string]bool{}
	for _, s := range k.Statements {
		for _, e := range s.Exprs() {
			for name := range expr.Names(e) {
				used[name] = true
			}
		}
	}
	out := k.Clone()
	out.Args = slices.DeleteFunc(out.Args, func(a *kernel.Array) bool { return !used[a.Name] && !(a.IsValue && a.DType.IsInteger()) })
	return out
}

// severalParts are how many parts of sums are tried.
var severalParts = []int64{2, 3, 4, 6, 8}

// What decides about parts, by 150 mappings of products of about 1000 on an H200, of which one half of the kernels chose and the other agreed (TestParts).
const (
	worth        = 0.95  // of what whole sums of tiles of one place take is what parts or two places have to take at most
	perPart      = 0.015 // of the time is what e times as many parts take longer
	itemsOfPart  = 128   // work-items of a work-group: more of them leave no finer grain than whole sums do
	pointsOfPart = 32    // of a work-item: how long more of them take is not known well enough
)

// adding is about what the launch takes that adds up parts, in seconds: each element comes from the second cache.
func (f Form) adding(parts int64) float64 {
	const items = 256 // as points has
	elements := f.Extent[0] * f.Extent[1]
	return f.on().Seconds(machine.Work{
		Launches: 1, Groups: intmath.CeilDiv(elements, items*mostPoints), Group: machine.Group{Items: items, Subgroup: f.on().Subgroup},
		Rounds: 1, Bytes: float64(items * mostPoints * (parts + 2) * f.Bytes),
	})
}
