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
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// timeTile makes kernels that do several steps of a stencil each, in overlapped tiles (Krishnamoorthy and others, Effective automatic parallelization of stencil computations,
// 2007): a work-group loads the elements of its tile and as many around it as the steps reach, makes the steps in local memory, and stores its tile. What is near the border of
// local memory becomes wrong, with each step as much further inside as that reaches, and never reaches the tile. Launches read what others of the same loop still need, so that they
// write other arrays: launches come in pairs, there and back, and the last values are copied back where the last launch has no partner.
type timeTile struct {
	*stencil
	c      *compiler
	m      Mapping
	pair   string // the loop of the host
	others map[*scop.Array]string
	k      *kernel.Kernel
	back   bool // the kernel computes from the other arrays
	step   string
	dims   []*tileDim
}

// tileDim is a dimension of the tile.
type tileDim struct {
	group, item  string
	axis         int
	items, parts int64            // items·parts cells are computed
	before       int64            // elements of local memory before those
	extent       int64            // of local memory
	down         int64            // elements of local memory before the tile
	width        int64            // of the tile
	size         polycount.Affine // of the arrays
}

// copies is how many elements of local memory a work-item fills at most.
func (x *tileDim) copies() int64 { return (x.extent + x.items - 1) / x.items }

// origin is the first element of local memory.
func (x *tileDim) origin() polycount.Affine {
	return polycount.Name(x.group).Scale(x.width).AddInt(-x.down)
}

// timeTiles makes the launches of a loop of the host if it is a stencil that is made in tiles, else nil.
func (c *compiler) timeTiles(x *schedule.Band, host []level) (_ []Step, err error) {
	defer throw.Catch(&err)
	if len(host) > 0 {
		return nil, nil
	}
	s, err := stencilOf(x)
	if s == nil || err != nil {
		return nil, err
	}
	name := c.fresh(c.nest.Name + "_steps")
	n := len(s.arrays[0].Shape)
	f := Form{Kernel: name, Parallel: n, Arrays: len(s.arrays), Updates: len(s.statements)}
	for _, a := range s.arrays {
		f.Bytes = max(f.Bytes, a.DType.Size())
	}
	for d := range n {
		f.Reach[n-1-d], f.First[n-1-d] = s.down[d]+s.up[d], s.statements[0].down[d]+s.statements[0].up[d]
	}
	m := c.ask(f, schedule.Statements(x))
	if f.width(m) < 1 {
		return nil, nil
	}
	t := &timeTile{stencil: s, c: c, m: m, pair: c.fresh("pair"), others: map[*scop.Array]string{}}
	for _, p := range s.statements {
		for _, it := range p.Iterators {
			c.taken[it] = true
		}
	}
	for _, a := range s.arrays {
		other := &scop.Array{Name: c.fresh(a.Name + "_next"), DType: a.DType, Shape: a.Shape, Local: true, Written: true}
		t.others[a] = other.Name
		c.nest.Arrays = append(c.nest.Arrays, other)
	}
	t.frame()
	there := t.kernel(name, false)
	back := t.kernel(c.fresh(name+"_back"), true)
	copies := t.copies(c.fresh(name + "_copy"))
	c.program.Kernels = append(c.program.Kernels, there, back, copies)
	steps := m.Steps
	pair := polycount.Name(t.pair)
	begin := s.from.AddScaled(2*steps, pair)
	first := []polycount.Constraint{polycount.GE(pair, polycount.Int(0)), polycount.GE(s.to, begin)}
	values := polycount.NewSet(nil, []string{t.pair}, first...)
	second := polycount.NewSet(nil, []string{t.pair}, append(slices.Clone(first), polycount.GE(s.to, begin.AddInt(steps)))...)
	alone := polycount.NewSet(nil, []string{t.pair}, append(slices.Clone(first), polycount.GE(begin.AddInt(steps-1), s.to))...)
	return []Step{&Loop{t.pair, values, []Step{&Launch{there, values}, &Launch{back, second}, &Launch{copies, alone}}}}, nil
}

// width is the least extent of a tile, 0 where there are none.
func (f Form) width(m Mapping) (least int64) {
	for axis := range f.Parallel {
		w := of(m.Block, axis)*of(m.Points, axis) + f.First[axis] - m.Steps*f.Reach[axis]
		if axis == 0 || w < least {
			least = w
		}
	}
	if m.Steps < 1 || least < 0 {
		return 0
	}
	return least
}

func of(list []int64, axis int) int64 {
	if axis < len(list) {
		return list[axis]
	}
	return 1
}

// frame finds the extents of tiles.
func (t *timeTile) frame() {
	n := len(t.down)
	for d := range n {
		axis := n - 1 - d
		x := &tileDim{
			axis: axis, items: of(t.m.Block, axis), parts: of(t.m.Points, axis),
			group: t.c.fresh(fmt.Sprintf("tile_%d", d)), item: t.c.fresh(fmt.Sprintf("item_%d", d)),
		}
		before, after := t.margin(d)
		x.before, x.extent = before, before+x.items*x.parts+after
		before, after = t.wrong(d, t.m.Steps)
		x.down, x.width = before, x.extent-before-after
		t.dims = append(t.dims, x)
	}
	t.step = t.c.fresh("step")
}

// kernel makes the kernel that does Steps steps.
func (t *timeTile) kernel(name string, back bool) *kernel.Kernel {
	t.back = back
	t.k = &kernel.Kernel{Name: name, Tags: map[string]kernel.Tag{}, Functions: t.c.nest.Functions}
	if list, exact := t.c.nest.Context.Constraints(); len(list) > 0 || !exact {
		t.k.Assumptions = t.c.nest.Context
	}
	if t.k.Assumptions == nil {
		t.k.Assumptions = polycount.NewSet(nil, nil)
	}
	var err error
	t.k.Assumptions = throw.Get(t.k.Assumptions.Constrain(polycount.GE(polycount.Name(t.pair), polycount.Int(0))))
	t.declare()
	for d, x := range t.dims {
		x.size = throw.Get(expr.ToAffine(t.arrays[0].Shape[d], func(string) bool { return true }))
		g := polycount.Name(x.group)
		t.k.Domains = append(t.k.Domains, polycount.NewSet(nil, []string{x.group}, polycount.GE(g, polycount.Int(0)), polycount.GE(x.size.AddInt(-1), g.Scale(x.width))))
		t.box(x.item, x.items)
		t.k.Tags[x.group], t.k.Tags[x.item] = kernel.Tag{Kind: kernel.GroupAxis, Axis: x.axis}, kernel.Tag{Kind: kernel.LocalAxis, Axis: x.axis}
	}
	t.box(t.step, t.m.Steps)
	for _, do := range []func(*scop.Array) error{t.take, t.put} {
		for _, a := range t.arrays {
			throw.If(do(a))
		}
	}
	for _, p := range t.statements {
		t.update(p)
	}
	for _, a := range t.arrays {
		t.store(a)
	}
	t.values()
	throw.If(t.k.CheckForm())
	err = runs(t.k, t.c.on())
	throw.If(err)
	return t.k
}

func (t *timeTile) box(name string, extent int64) {
	x := polycount.Name(name)
	t.k.Domains = append(t.k.Domains, polycount.NewSet(nil, []string{name}, polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(extent-1), x)))
}

// declare declares arrays: those that are written, twice and in local memory, and what else statements read.
func (t *timeTile) declare() {
	add := func(name string, of *scop.Array) {
		a := &kernel.Array{Name: name, DType: of.DType, Space: kernel.Global, Shape: of.Shape}
		if len(of.Shape) == 0 {
			a.Space, a.IsValue, a.Shape = kernel.Private, true, []expr.Expr{}
		}
		if t.k.Array(name) == nil {
			t.k.Args = append(t.k.Args, a)
		}
	}
	for _, a := range t.arrays {
		add(a.Name, a)
		add(t.others[a], a)
		local := &kernel.Array{Name: t.local(a), DType: a.DType, Space: kernel.Local}
		for _, x := range t.dims {
			local.Shape = append(local.Shape, expr.Int{Value: x.extent})
		}
		t.k.Temps = append(t.k.Temps, local)
	}
	for _, p := range t.statements {
		for _, a := range p.Accesses {
			add(a.Array.Name, a.Array)
		}
	}
}

// values declares the parameters that only values and subscripts use.
func (t *timeTile) values() {
	for _, p := range append(slices.Clone(t.c.nest.Params), t.pair) {
		used := slices.ContainsFunc(t.k.Statements, func(s *kernel.Stmt) bool {
			return slices.ContainsFunc(append(s.Exprs(), s.Predicates...), func(e expr.Expr) bool { return expr.Mentions(e, p) })
		})
		if used && !t.k.IsParam(p) {
			t.k.Args = append(t.k.Args, &kernel.Array{Name: p, DType: expr.Int32, Space: kernel.Private, IsValue: true, Shape: []expr.Expr{}})
		}
	}
}

// local is the name of an array in local memory.
func (t *timeTile) local(a *scop.Array) string { return t.others[a] + "_tile" }

// input and output are the names of an array that the kernel loads and stores.
func (t *timeTile) input(a *scop.Array) string {
	if t.back {
		return t.others[a]
	}
	return a.Name
}

func (t *timeTile) output(a *scop.Array) string {
	if t.back {
		return a.Name
	}
	return t.others[a]
}

// elements are the inames of a statement for each element of local memory, its place there, the condition that it has one, and its place among those of its work-item.
func (t *timeTile) elements(id string) (inames []string, local []polycount.Affine, within []polycount.Constraint, own []polycount.Affine) {
	for d, x := range t.dims {
		part := t.part(id, d, x.copies())
		inames = append(inames, x.group, x.item, part)
		l := polycount.Name(x.item).AddScaled(x.items, polycount.Name(part))
		local, within, own = append(local, l), append(within, polycount.GE(polycount.Int(x.extent-1), l)), append(own, polycount.Name(part))
	}
	return inames, local, within, own
}

// cells are the inames of a statement for each element that is computed, and its number. A work-item has neighbours, but along the fastest axis, where those of other work-items are
// next to it.
func (t *timeTile) cells(id string) (inames []string, cell []polycount.Affine) {
	for d, x := range t.dims {
		inames = append(inames, x.group, x.item)
		c := polycount.Name(x.item)
		if x.parts > 1 {
			part := t.part(id, d, x.parts)
			inames = append(inames, part)
			if x.axis == 0 {
				c = c.AddScaled(x.items, polycount.Name(part))
			} else {
				c = c.Scale(x.parts).Add(polycount.Name(part))
			}
		}
		cell = append(cell, c)
	}
	return inames, cell
}

// part is the iname of a work-item's elements along a dimension in a statement.
func (t *timeTile) part(id string, d int, count int64) string {
	part := partOf(d, id)
	t.box(part, count)
	t.k.Tags[part] = kernel.Tag{Kind: kernel.Unroll}
	return part
}

func partOf(d int, id string) string { return fmt.Sprintf("part_%d_%s", d, id) }

// at are cells as elements of local memory, and of the arrays.
func (t *timeTile) at(cell []polycount.Affine) (local, element []polycount.Affine) {
	for d, x := range t.dims {
		local = append(local, cell[d].AddInt(x.before))
		element = append(element, local[d].Add(x.origin()))
	}
	return local, element
}

func access(array string, index []polycount.Affine) *expr.Access {
	out := &expr.Access{Array: array}
	for _, a := range index {
		out.Index = append(out.Index, expr.FromAffine(a))
	}
	return out
}

// add adds a statement that runs after those before it, where conditions hold, and others do not all.
func (t *timeTile) add(s *kernel.Stmt, where, unless []polycount.Constraint) (err error) {
	defer throw.Catch(&err)
	s.Inames = nameset.Sorted(s.Inames)
	if n := len(t.k.Statements); n > 0 {
		s.Deps = []string{t.k.Statements[n-1].ID}
	}
	set := throw.Get(t.gist(s.Inames, where))
	if list, _ := set.Constraints(); len(list) > 0 {
		s.Predicates = cexpr.Predicates(set)
	}
	if len(unless) > 0 {
		set = throw.Get(t.gist(s.Inames, unless))
		s.Predicates = append(s.Predicates, &expr.Op{Kind: expr.Not, Args: []expr.Expr{cexpr.Disjunction(set)}})
	}
	t.k.Statements = append(t.k.Statements, s)
	return nil
}

// gist are the conditions that the domain does not imply.
func (t *timeTile) gist(inames []string, where []polycount.Constraint) (*polycount.Set, error) {
	around, err := t.k.DomainOf(inames)
	if err != nil {
		return nil, err
	}
	return polycount.NewSet(nil, inames, where...).Gist(around)
}

// inside are the conditions for an element to be in the arrays.
func (t *timeTile) inside(element []polycount.Affine) (cs []polycount.Constraint) {
	for d, e := range element {
		cs = append(cs, polycount.GE(e, polycount.Int(0)), polycount.GE(t.dims[d].size.AddInt(-1), e))
	}
	return cs
}

// take loads what a work-item has of the tile of an array and what is around it into registers: all loads are on their way together.
func (t *timeTile) take(a *scop.Array) error {
	id := "take_" + a.Name
	inames, local, _, own := t.elements(id)
	var element []polycount.Affine
	for d, x := range t.dims {
		element = append(element, local[d].Add(x.origin()))
	}
	there, err := t.gist(inames, t.inside(element))
	if err != nil {
		return err
	}
	var value expr.Expr = access(t.input(a), element)
	if list, _ := there.Constraints(); len(list) > 0 {
		value = &expr.Cond{If: together(there), Then: value, Else: zero(a.DType)}
	}
	registers := &kernel.Array{Name: t.local(a) + "_own", DType: a.DType, Space: kernel.Private}
	for _, x := range t.dims {
		registers.Shape = append(registers.Shape, expr.Int{Value: x.copies()})
	}
	t.k.Temps = append(t.k.Temps, registers)
	return t.add(&kernel.Stmt{ID: id, LHS: access(registers.Name, own), RHS: value, Inames: inames}, nil, nil)
}

// put fills local memory.
func (t *timeTile) put(a *scop.Array) error {
	id := "put_" + a.Name
	inames, local, within, own := t.elements(id)
	return t.add(&kernel.Stmt{ID: id, LHS: access(t.local(a), local), RHS: access(t.local(a)+"_own", own), Inames: inames}, within, nil)
}

// together is the condition that holds in a set, all of it computed: loads under it need no branches, and do not wait for each other.
func together(set *polycount.Set) expr.Expr {
	all := cexpr.Predicates(set)
	if len(all) == 1 {
		return all[0]
	}
	return &expr.Op{Kind: expr.BitAnd, Args: all}
}

func (t *timeTile) store(a *scop.Array) {
	id := "store_" + a.Name
	inames, cell := t.cells(id)
	local, element := t.at(cell)
	where := t.inside(element)
	for d, x := range t.dims {
		where = append(where, polycount.GE(local[d], polycount.Int(x.down)), polycount.GE(polycount.Int(x.down+x.width-1), local[d]))
	}
	throw.If(t.add(&kernel.Stmt{ID: id, LHS: access(t.output(a), element), RHS: access(t.local(a), local), Inames: inames}, where, nil))
}

// copies makes the kernel that copies the other arrays back.
func (t *timeTile) copies(name string) *kernel.Kernel {
	k := &kernel.Kernel{Name: name, Tags: map[string]kernel.Tag{}}
	var order []string
	var index []polycount.Affine
	for d, x := range t.dims {
		e := t.c.fresh(fmt.Sprintf("element_%d", d))
		v := polycount.Name(e)
		k.Domains = append(k.Domains, polycount.NewSet(nil, []string{e}, polycount.GE(v, polycount.Int(0)), polycount.GE(x.size.AddInt(-1), v)))
		order, index = append([]string{e}, order...), append(index, v)
	}
	for _, a := range t.arrays {
		s := &kernel.Stmt{ID: "copy_" + a.Name, LHS: access(a.Name, index), RHS: access(t.others[a], index), Inames: nameset.Sorted(slices.Clone(order))}
		if n := len(k.Statements); n > 0 {
			s.Deps = []string{k.Statements[n-1].ID}
		}
		k.Statements = append(k.Statements, s)
		k.Args = append(k.Args, t.k.Array(a.Name), t.k.Array(t.others[a]))
	}
	k.ExplicitBarriers = true
	return throw.Get(onAxes(k, order, Default(Form{Parallel: len(order), On: t.c.opt.On}).Block, 0))
}
