package ckernel

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Subscripts of the text are flat: a[i*n + j]. An array has more dimensions than that in the kernel where it is certain what they are: its
// strides are products of sizes that divide each other, and in all accesses the part of the offset below each stride is at least 0 and less than
// the stride. Else it stays flat.

// dimensions finds the dimensions of all arrays, and the indices of their accesses.
func (b *flow) dimensions() {
	by := map[*array][]*access{}
	for _, x := range b.accesses {
		by[x.array] = append(by[x.array], x)
	}
	for _, a := range b.order {
		list := by[a]
		if slices.ContainsFunc(list, func(x *access) bool { return x.subs == nil }) || len(a.inner) == 0 {
			b.unflatten(a, list)
			continue
		}
		a.shape = b.extents(a.outer, a.inner)
	}
}

// extents are the extents of an array as expressions; nil where the outermost is not known.
func (b *terms) extents(outer *expr.Poly, inner []*expr.Poly) (shape []expr.Expr) {
	shape = []expr.Expr{nil}
	if outer != nil {
		shape[0] = b.express(outer)
	}
	for _, n := range inner {
		shape = append(shape, b.express(n))
	}
	return shape
}

// unflatten gives an array that has flat accesses dimensions.
func (b *flow) unflatten(a *array, list []*access) {
	for _, common := range []bool{false, true} {
		for strides := b.strides(a, list, common); len(strides) > 0; strides = strides[1:] {
			if b.split(a, list, strides) {
				return
			}
		}
	}
	for _, x := range list {
		x.subs = []*expr.Poly{x.offset}
	}
	n := a.elements()
	if n == nil && a.outer != nil {
		n = a.outer.Scale(a.lanes)
		for _, d := range a.inner {
			n = n.Mul(d)
		}
	}
	a.shape = b.extents(n, nil)
}

// strides are the products of sizes that multiply indices in the offsets of an array, the largest first, where each divides the one before; with
// the common factors of their terms, or else with the number of lanes of an element.
func (b *grid) strides(a *array, list []*access, common bool) (out []*expr.Poly) {
	if a.space != cfront.GlobalSpace && a.space != cfront.ConstantSpace {
		return nil
	}
	var offsets []*expr.Poly
	for _, x := range list {
		offsets = append(offsets, x.offset)
	}
	return expr.Strides(offsets, func(v string) bool { return b.sizes[v] != nil }, a.lanes, common)
}

// split gives an array dimensions of the given strides, and the last one of stride 1, if all accesses allow that.
func (b *flow) split(a *array, list []*access, strides []*expr.Poly) bool {
	inner, ok := expr.Extents(strides)
	if !ok {
		return false
	}
	subs := make([][]*expr.Poly, len(list))
	for i, x := range list {
		subs[i] = x.offset.Subscripts(strides)
		for d, n := range inner {
			lanes := int64(1)
			if d == len(inner)-1 {
				lanes = x.span
			}
			if !b.within(x, subs[i][d+1], n, lanes) {
				return false
			}
		}
	}
	for i, x := range list {
		x.subs = subs[i]
	}
	a.shape = b.extents(nil, inner)
	return true
}

// within decides whether an index is in its dimension wherever the access is made.
func (b *flow) within(x *access, index, extent *expr.Poly, lanes int64) bool {
	at := x.live
	return b.naturalAt(&at, index) && b.naturalAt(&at, minus(extent, index).Add(constant(-lanes)))
}

// naturalAt decides whether a number is at least 0 at the points of a domain: of the least of two numbers both are, of the greatest one is enough.
func (b *grid) naturalAt(at *live, p *expr.Poly) bool {
	if a, ok := b.affine(p); ok {
		return b.holdsAt(at, polycount.GE(a, polycount.Int(0)))
	}
	s, ok := b.halves(p)
	switch {
	case !ok:
		return false
	case s.extreme == expr.Max:
		return b.naturalAt(at, s.first) || b.naturalAt(at, s.second)
	}
	return b.naturalAt(at, s.first) && b.naturalAt(at, s.second)
}

// piece is an affine number in a set.
type piece struct {
	number polycount.Affine
	set    *polycount.Set
}

// pieces are the affine pieces of a number in a set; nil where it has others, or as many as extremes in extremes make.
func (b *terms) pieces(p *expr.Poly, set *polycount.Set, depth int) (out []piece) {
	if a, ok := b.affine(p); ok {
		return []piece{{a, set}}
	}
	s, ok := b.halves(p)
	if !ok || depth == maxExtremes {
		return nil
	}
	when, ok := b.whenFirst(s)
	if !ok {
		return nil
	}
	first, second := b.pieces(s.first, b.both(set, when), depth+1), b.pieces(s.second, b.both(set, b.not(when)), depth+1)
	if first == nil || second == nil {
		return nil
	}
	return append(first, second...)
}

const maxExtremes = 4 // in each other, as two in clamp

// shapes finds the outermost extents: one more than the largest index. Where that depends on data the number of elements is a size of the launch.
func (b *flow) shapes(k *kernel.Kernel) error {
	b.checkShared()
	var lacking []string
	for _, list := range [][]*kernel.Array{k.Args, k.Temps} {
		for _, a := range list {
			if a.IsValue || len(a.Shape) == 0 || a.Shape[0] != nil {
				continue
			}
			inner := a.Shape[1:]
			if a.Space == kernel.Local {
				shape, err := b.dynamic(a)
				if err != nil {
					return err
				}
				if shape != nil {
					a.Shape = shape
					continue
				}
			}
			outer, err := b.outermost(k, a.Name)
			switch {
			case err != nil && a.Space == kernel.Local:
				lacking = append(lacking, a.Name)
				continue
			case err != nil:
				n := b.fresh(a.Name + "_size")
				k.Args = append(k.Args, &kernel.Array{Name: n, DType: expr.Int32, Space: kernel.Private, IsValue: true, Shape: []expr.Expr{}})
				outer = expr.Var{Name: n}
			}
			a.Shape = append([]expr.Expr{outer}, inner...)
		}
	}
	if len(lacking) > 0 {
		all := strings.Join(lacking, "=256,") + "=256"
		if b.opt.Dynamic != "" {
			all = b.opt.Dynamic + "," + all
		}
		hint := "say how many elements there are, as in --shared '" + all + "', or how many bytes there are in all"
		err := b.launchError(hint, "the size of %s is not known", strings.Join(lacking, " and of "))
		err.Flags = []string{"--shared '" + all + "'"}
		panic(fault{&UnsizedError{err, all}, true})
	}
	return nil
}

// outermost is the outermost extent that the accesses need: where their indices are affine, at the points where they are made.
func (b *flow) outermost(k *kernel.Kernel, array string) (expr.Expr, error) {
	budget := polycount.NewBudget(workOfExtent)
	defer budget.End()
	infer := func(c *kernel.Kernel) error {
		for i, d := range c.Domains {
			c.Domains[i] = d.Within(budget)
		}
		return c.InferShapes()
	}
	if c := b.accessesAlone(k, array); c != nil && infer(c) == nil {
		if e := c.Array(array).Shape[0]; b.extends(e) {
			return e, nil
		}
	}
	c := k.Clone()
	c.MapArrays(func(a *kernel.Array) {
		switch {
		case a.Name == array:
			a.Shape = nil
		case len(a.Shape) > 0 && a.Shape[0] == nil:
			a.Shape = append([]expr.Expr{expr.Int{Value: 1}}, a.Shape[1:]...)
		}
	})
	if err := infer(c); err != nil {
		return nil, err
	}

	return c.Array(array).Shape[0], nil
}

// workOfExtent is how much work finding an extent may take: the kernels of the examples need 30,000 at most. Beyond it the extent is a size of the launch.
const workOfExtent = 1_000_000

// extends reports whether an extent is not negative at any positive sizes. Where no access is made, one of the accesses may be.
func (b *grid) extends(e expr.Expr) bool {
	a, err := expr.ToAffine(e, nil)
	if err != nil {
		return false
	}
	sizes := everywhere()
	if b.assumed != nil {
		sizes = b.assumed
	}
	for _, n := range a.Names() {
		sizes, err = sizes.Constrain(polycount.GE(polycount.Name(n), polycount.Int(1)))
		b.try(err)
	}
	yes, err := sizes.Implies(polycount.GE(a, polycount.Int(0)))
	b.try(err)
	return yes
}

// accessesAlone is a kernel with a statement for each access to an array, over the values of its outermost index; nil where one is not affine.
func (b *flow) accessesAlone(k *kernel.Kernel, array string) *kernel.Kernel {
	c := &kernel.Kernel{Name: k.Name, Assumptions: k.Assumptions}
	for _, a := range k.Args {
		if a.IsValue {
			c.Args = append(c.Args, a)
		}
	}
	c.Args = append(c.Args, &kernel.Array{Name: array, DType: k.Array(array).DType, Space: kernel.Global})
	for _, x := range b.accesses {
		if x.array.name != array {
			continue
		}
		all := b.pieces(x.subs[0], x.live.domain, 0)
		if all == nil {
			return nil
		}
		for _, one := range all {
			if !b.accessAlone(k, c, x, one) {
				return nil
			}
		}
	}
	return c
}

// accessAlone adds a statement for the values that the outermost index of an access takes where it is a piece; false where these are no set.
func (b *flow) accessAlone(k, c *kernel.Kernel, x *access, at piece) bool {
	const value = "$index" // no variable has such a name
	set, err := at.set.Constrain(polycount.EQ(polycount.Name(value), at.number))
	b.try(err)
	inner := slices.DeleteFunc(set.Params(), func(n string) bool { return b.sizes[n] != nil })
	values, err := set.ToDims(inner...).Project(value)
	if err != nil {
		return false
	}
	parts, err := kernel.Inhabited(values)
	b.try(err)
	for _, part := range parts {
		iname := fmt.Sprintf("e%d", len(c.Domains))
		for k.InUse(iname) {
			iname += "_"
		}
		part, err = part.Rename(value, iname)
		b.try(err)
		c.Domains = append(c.Domains, part)
		lhs := &expr.Access{Array: x.array.name, Index: []expr.Expr{expr.Var{Name: iname}}}
		for range x.subs[1:] {
			lhs.Index = append(lhs.Index, expr.Int{})
		}
		if len(x.subs) == 1 && x.span > 1 {
			lhs.Lanes = x.span
		}
		c.Statements = append(c.Statements, &kernel.Stmt{ID: iname, LHS: lhs, RHS: expr.Int{}, Inames: []string{iname}})
	}
	return true
}

// dynamic is the shape of an array in local memory whose size the launch gives; nil where it does not say.
func (b *flow) dynamic(a *kernel.Array) ([]expr.Expr, error) {
	i := slices.IndexFunc(b.shared, func(s sharedSize) bool { return s.array == "" || s.array == a.Name })
	if i < 0 {
		return nil, nil
	}
	n := b.shared[i].n
	if b.shared[i].array != "" {
		at := slices.IndexFunc(b.order, func(x *array) bool { return x.name == a.Name })
		return []expr.Expr{expr.Int{Value: n * b.order[at].lanes}}, nil
	}
	if n%a.DType.Size() != 0 {
		return nil, fmt.Errorf("%d bytes of local memory are no whole number of elements of %s", n, a.Name)
	}
	return []expr.Expr{expr.Int{Value: n / a.DType.Size()}}, nil
}

// sharedSize is what the launch says of arrays in local memory: the elements of one, or the bytes of any.
type sharedSize struct {
	array string // "" for any
	n     int64
}

// sharedSizes reads what the launch says of arrays in local memory.
func (b *position) sharedSizes() (out []sharedSize) {
	if strings.TrimSpace(b.opt.Dynamic) == "" {
		return nil
	}
	for part := range strings.SplitSeq(b.opt.Dynamic, ",") {
		name, size, named := strings.Cut(part, "=")
		if !named {
			name, size = "", part
		}
		name = strings.TrimSpace(name)
		if slices.ContainsFunc(out, func(s sharedSize) bool { return s.array == name }) {
			b.failLaunch("give the bytes in all, as in --shared 4096, or elements of each array, as in --shared tile=256,part=64", "the size of local memory is given twice: %s", b.opt.Dynamic)
		}
		n, ok := b.launchSize(size).Constant()
		if !ok || n < 0 { // of 0 bytes each access is out of bounds
			err := b.launchError("give it in bytes, as in --shared 4096", "the size %s of local memory is not known", strings.TrimSpace(size))
			err.Flags = []string{"--shared 4096"}
			panic(fault{err, true})
		}
		out = append(out, sharedSize{name, n})
	}
	return out
}

// checkShared refuses sizes of arrays in local memory that the function has not.
func (b *flow) checkShared() {
	var known []string
	for _, a := range b.order {
		if a.space == cfront.LocalSpace && a.v.Class != cfront.Param {
			known = append(known, a.name)
		}
	}
	for _, p := range b.fn.Params {
		if p.Space == cfront.LocalSpace {
			known = append(known, p.Name)
		}
	}
	for _, s := range b.shared {
		if s.array != "" && !slices.Contains(known, s.array) {
			b.failLaunch(source.Suggest(s.array, known), "--shared: there is no array %s in local memory", s.array)
		}
	}
}
