package offload

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/matrix"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// matrices makes a kernel whose sub-groups compute tiles of sums by matrix instructions: where terms are products of numbers of float16 or bfloat16, added up as float32, one of a row and
// the other of a column. Their operands are in local memory, those of several steps at a time, in the order of global memory, and come there in lines of 16 bytes: that needs arrays with rows
// of a multiple of that (even), without which another kernel takes the place of this one.
type matrices struct {
	*blocks
	factors [2]*expr.Access // by axis: that of columns, and that of rows
	dtype   expr.DType

	lane  string
	step  string                    // iname, "" before the first step
	tiles map[*expr.Access]*linesOf // what local memory holds of the factors
}

// linesOf is a tile of a factor in local memory, and how it comes there.
type linesOf struct {
	name     string
	axis     int      // of the loop that it is over
	dims     [2]int   // subscripts of the loop and of the term, in the order of the array
	extent   [2]int64 // of these
	count    int64    // lines that a work-item copies
	row, col polycount.Affine
	part     string
}

// line is how many elements are copied at once, padding what rows of tiles have more, for other banks.
const (
	factorBytes = 2  // of float16 and bfloat16
	line        = 8  // 16 bytes, the most that a work-item copies at once
	padding     = 8  // a line, so that the 8 of a matrix are in other banks each
	banked      = 64 // elements that are in all banks
)

// matrices finds how matrix instructions make the sums of a kernel; nil where they do not.
func (b *blocks) matrices() *matrices {
	product, ok := b.term.(*expr.Op)
	if !ok || product.Kind != expr.Mul || len(product.Args) != 2 || len(b.order) != 2 || len(b.operands) != 2 {
		return nil
	}
	x := &matrices{blocks: b, tiles: map[*expr.Access]*linesOf{}}
	for _, f := range product.Args {
		c, ok := f.(*expr.Cast)
		if !ok || c.DType != expr.Float32 {
			return nil
		}
		a, ok := c.Arg.(*expr.Access)
		if !ok || len(b.from.Writers(a.Array)) > 0 {
			return nil
		}
		t := b.from.Array(a.Array).DType
		if t != expr.Float16 && t != expr.BFloat16 || x.dtype != "" && x.dtype != t {
			return nil
		}
		x.dtype = t
		if !x.assign(a) {
			return nil
		}
	}
	for _, p := range b.order {
		if b.lower.Has(p) || b.upper.Has(p) {
			return nil
		}
	}
	if x.factors[0] == nil || x.factors[1] == nil {
		return nil
	}
	return x
}

// assign finds the axis and the tile of a factor.
func (x *matrices) assign(a *expr.Access) bool {
	t := &linesOf{name: fmt.Sprintf("%s_tile_%d", a.Array, len(x.tiles)), axis: -1}
	at := []int{}
	for d, index := range a.Index {
		i, err := x.from.AffineOf(index)
		if err != nil {
			return false
		}
		moving := slices.DeleteFunc(append(slices.Clone(x.order), x.over), func(p string) bool { return !i.Has(p) })
		switch {
		case len(moving) == 0:
			continue
		case len(moving) > 1 || i.Coeff(moving[0]) != 1 || len(at) == 2:
			return false
		case moving[0] != x.over:
			t.axis = slices.Index(x.order, moving[0])
		}
		at = append(at, d)
	}
	if len(at) != 2 || t.axis < 0 || x.factors[t.axis] != nil || at[1] != len(a.Index)-1 {
		return false
	}
	t.dims = [2]int{at[0], at[1]}
	second := throw.Get(x.from.AffineOf(a.Index[at[1]]))
	if first := throw.Get(x.from.AffineOf(a.Index[at[0]])); first.Has(x.over) == second.Has(x.over) {
		return false
	}
	x.factors[t.axis], x.tiles[a] = a, t
	return true
}

// even is where lines of factors begin at multiples of their length, and are in the arrays and in the sums with all elements or none.
func (x *matrices) even() []polycount.Constraint {
	var out []polycount.Constraint
	multiple := func(a polycount.Affine) {
		if !a.IsConstant() || a.Constant()%line != 0 {
			out = append(out, polycount.EQ(a.Mod(line), polycount.Int(0)))
		}
	}
	for _, a := range x.factors {
		last := len(a.Index) - 1
		multiple(throw.Get(x.from.AffineOf(x.from.Array(a.Array).Shape[last])))
		index := throw.Get(x.from.AffineOf(a.Index[last]))
		if index.Has(x.over) {
			multiple(x.upper.AddInt(1).Sub(x.lower))
		}
		multiple(index.Subst(map[string]polycount.Affine{x.over: x.lower, x.order[0]: polycount.Int(0), x.order[1]: polycount.Int(0)}))
	}
	return out
}

// make makes the kernel: of a mapping, Block is how many sub-groups a work-group has along each axis, and Points how many points one of them.
func (x *matrices) make(m Mapping) *kernel.Kernel {
	b := x.blocks
	b.m = m
	b.to = b.from.Clone()
	b.to.Statements, b.to.Domains, b.to.Tags, b.to.Priorities = nil, nil, map[string]kernel.Tag{}, nil
	x.lane = b.to.FreshName("lane")
	x.box(x.lane, matrix.Lanes)
	b.to.Tags[x.lane] = kernel.Tag{Kind: kernel.LocalAxis}
	for axis, p := range b.order {
		t := &tiled{name: p, group: p + "_group", item: p + "_subgroup", items: of(m.Block, axis), parts: 1, lanes: of(m.Points, axis)}
		b.loops[p] = t
		b.to.Tags[t.group], b.to.Tags[t.item] = kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}, kernel.Tag{Kind: kernel.LocalAxis, Axis: axis + 1}
	}
	b.grid()
	context := polycount.NewSet(nil, nil, x.even()...)
	if b.to.Assumptions != nil {
		context = throw.Get(context.IntersectParams(b.to.Assumptions))
	}
	b.to.Assumptions = context
	guard := cexpr.Predicates(b.inside())
	b.sums = &kernel.Array{Name: b.to.FreshName("sums"), DType: expr.Float32, Space: kernel.Private, Shape: []expr.Expr{
		expr.Int{Value: of(m.Points, 1) / matrix.OfRows}, expr.Int{Value: of(m.Points, 0) / matrix.OfColumns}, expr.Int{Value: matrix.Sums},
	}}
	b.to.Temps = append(b.to.Temps, b.sums)
	init := x.spots("_init", kernel.Unroll)
	b.add(&kernel.Stmt{ID: b.sum.ID + "_init", LHS: init.at(), RHS: zero(expr.Float32), Inames: init.inames()})
	x.steps()
	s := x.spots("", kernel.Unroll)
	for _, from := range b.from.Statements {
		own := &kernel.Stmt{ID: from.ID, LHS: s.moved(from.LHS), RHS: s.moved(from.RHS), Inames: s.inames()}
		for _, p := range slices.Concat(guard, from.Predicates) {
			own.Predicates = append(own.Predicates, s.moved(p))
		}
		if from.ID == b.sum.ID {
			own.RHS = s.moved(expr.Rewrite(b.sum.RHS, func(e expr.Expr) expr.Expr {
				if _, ok := e.(*expr.Reduce); ok {
					return s.at()
				}
				return e
			}))
		}
		b.add(own)
	}
	return b.finished()
}

// spots are the sums of a work-item in some statements, with loops of their own over them: over instructions along each axis, and the sums of one.
type spots struct {
	x            *matrices
	across, down string
	register     string
}

func (x *matrices) spots(suffix string, kind kernel.TagKind) spots {
	s := spots{x, x.order[0] + "_part" + suffix, x.order[1] + "_part" + suffix, "sum" + suffix}
	for _, n := range []struct {
		name   string
		extent int64
	}{{s.across, of(x.m.Points, 0) / matrix.OfColumns}, {s.down, of(x.m.Points, 1) / matrix.OfRows}, {s.register, matrix.Sums}} {
		x.box(n.name, n.extent)
		x.to.Tags[n.name] = kernel.Tag{Kind: kind}
	}
	return s
}

// local is the place of a sum in the tile of a work-group, along an axis.
func (s spots) local(axis int) polycount.Affine {
	t := s.x.loops[s.x.order[axis]]
	lane, register := polycount.Name(s.x.lane), polycount.Name(s.register)
	at := matrix.ColumnOf(lane, register).AddScaled(matrix.OfColumns, polycount.Name(s.across))
	if axis == 1 {
		at = matrix.RowOf(lane, register).AddScaled(matrix.OfRows, polycount.Name(s.down))
	}
	return at.AddScaled(t.lanes, polycount.Name(t.item))
}

func (s spots) at() *expr.Access {
	return &expr.Access{Array: s.x.sums.Name, Index: []expr.Expr{expr.Var{Name: s.down}, expr.Var{Name: s.across}, expr.Var{Name: s.register}}}
}

func (s spots) inames(more ...string) []string {
	return nameset.Sorted(append(s.x.around(), append(more, s.across, s.down, s.register)...))
}

// around are the inames of work-groups and work-items.
func (x *matrices) around() []string {
	out := []string{x.lane}
	for _, t := range x.loops {
		out = append(out, t.group, t.item)
	}
	return out
}

// moved is an expression at the point of a sum.
func (s spots) moved(e expr.Expr) expr.Expr {
	by := map[string]expr.Expr{}
	for axis, p := range s.x.order {
		t := s.x.loops[p]
		by[p] = expr.FromAffine(s.local(axis).AddScaled(t.extent(), polycount.Name(t.group)))
	}
	return expr.Subst(e, by)
}

// steps adds the terms, some at a time: the operands of several steps are on their way while one is computed.
func (x *matrices) steps() {
	for _, a := range x.factors {
		x.distribute(a)
	}
	x.to.ExplicitBarriers = true
	ahead := x.m.Held - 1
	for i := range ahead {
		suffix := fmt.Sprintf("_first_%d", i)
		x.copy(suffix, polycount.Int(i))
		if i < ahead-1 {
			x.barrier(suffix, nil)
		}
	}
	x.step = x.to.FreshName(x.over + "_step")
	n := polycount.Name(x.step)
	first := x.lower.AddScaled(x.m.Depth, n)
	x.to.Domains = append(x.to.Domains, polycount.NewSet(nil, []string{x.step}, polycount.GE(n, polycount.Int(0)), polycount.GE(x.upper, first)))
	// Behind the barrier of a step its operands are there, and all have read those of the step before, in whose place the copies go.
	x.barrier("", []string{x.step})
	x.copy("_next", n.AddInt(ahead))
	x.update()
}

// barrier adds one that leaves copies under way for as many steps as follow the next one.
func (x *matrices) barrier(suffix string, inames []string) {
	x.add(&kernel.Stmt{ID: x.to.FreshID(x.over + "_there" + suffix), Kind: kernel.LocalBarrier, Inames: inames, Ahead: x.m.Held - 1})
}

// distribute finds which lines of a tile a work-item copies: those that are next to each other are of work-items next to each other.
func (x *matrices) distribute(a *expr.Access) {
	t := x.tiles[a]
	along := x.loops[x.order[t.axis]].extent()
	t.extent = [2]int64{x.m.Depth, along}
	if !throw.Get(x.from.AffineOf(a.Index[t.dims[0]])).Has(x.over) {
		t.extent = [2]int64{along, x.m.Depth}
	}
	lines, subgroup := t.extent[1]/line, polycount.Int(0)
	subgroups := int64(1)
	for _, p := range x.order {
		subgroup = subgroup.AddScaled(subgroups, polycount.Name(x.loops[p].item))
		subgroups *= x.loops[p].items
	}
	t.count = t.extent[0] * lines / (matrix.Lanes * subgroups)
	t.part = t.name + "_line"
	rows := matrix.Lanes / lines // of a sub-group
	lane := polycount.Name(x.lane)
	t.col = lane.Mod(lines).Scale(line)
	row := lane.FloorDiv(lines)
	if lines*line < banked { // 8 work-items store to two rows at once, which are in other banks 4 rows apart
		row = lane.FloorDiv(2*lines).AddScaled(rows/2, row.Mod(2))
	}
	t.row = row.AddScaled(rows, subgroup).AddScaled(rows*subgroups, polycount.Name(t.part))
	x.to.Temps = append(x.to.Temps, &kernel.Array{
		Name: t.name, DType: x.dtype, Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: x.m.Held}, expr.Int{Value: t.extent[0]}, expr.Int{Value: t.extent[1] + padding}},
	})
}

// lineOf has the loop over the lines of a work-item in a statement of its own.
func (x *matrices) lineOf(t *linesOf, suffix string) (part string, by map[string]polycount.Affine) {
	part = t.part + suffix
	x.unrolled(part, t.count)
	return part, map[string]polycount.Affine{t.part: polycount.Name(part)}
}

// copy copies the lines of a step to local memory: 0 in the place of those that are not there, or of no term.
func (x *matrices) copy(suffix string, step polycount.Affine) {
	first := x.lower.AddScaled(x.m.Depth, step)
	for _, a := range x.factors {
		t := x.tiles[a]
		array := x.from.Array(a.Array)
		part, by := x.lineOf(t, suffix)
		local := [2]polycount.Affine{t.row.Subst(by), t.col}
		to := &expr.Access{Array: t.name, Lanes: line, Index: []expr.Expr{expr.FromAffine(step.Mod(x.m.Held)), expr.FromAffine(local[0]), expr.FromAffine(local[1])}}
		from := &expr.Access{Array: a.Array, Lanes: line}
		var inside []polycount.Constraint
		for d, index := range a.Index {
			at := throw.Get(x.from.AffineOf(index))
			place := map[string]polycount.Affine{}
			if i := slices.Index(t.dims[:], d); i >= 0 && at.Has(x.over) {
				place[x.over] = first.Add(local[i])
				inside = append(inside, polycount.GE(x.upper, place[x.over]))
			} else if i >= 0 {
				g := x.loops[x.order[t.axis]]
				place[g.name] = local[i].AddScaled(g.extent(), polycount.Name(g.group))
			}
			at = at.Subst(place)
			from.Index = append(from.Index, expr.FromAffine(at))
			size := throw.Get(x.from.AffineOf(array.Shape[d]))
			inside = append(inside, polycount.GE(at, polycount.Int(0)), polycount.GE(size.AddInt(-1), at))
		}
		inames := nameset.Sorted(append(x.around(), part))
		if x.step != "" {
			inames = nameset.Add(inames, x.step)
		}
		around := throw.Get(x.to.DomainOf(inames))
		around = throw.Get(around.IntersectParams(x.to.Assumptions))
		there := throw.Get(polycount.NewSet(nil, inames, inside...).Gist(around))
		s := &kernel.Stmt{ID: "copy_" + t.name + suffix, LHS: to, RHS: from, Inames: inames, Ahead: 1}
		if list, _ := there.Constraints(); len(list) > 0 {
			s.RHS = &expr.Cond{If: cexpr.Disjunction(there), Then: from, Else: &expr.Cast{DType: x.dtype.Vector(line), Arg: expr.Int{}}}
		}
		x.add(s)
	}
}

// update is the statement that matrix instructions make.
func (x *matrices) update() {
	s := x.spots("_update", kernel.Matrix)
	term := x.over + "_term"
	x.box(term, x.m.Depth)
	x.to.Tags[term] = kernel.Tag{Kind: kernel.Matrix}
	var factors []expr.Expr
	for axis, a := range x.factors {
		t := x.tiles[a]
		of := &expr.Access{Array: t.name, Index: []expr.Expr{expr.FromAffine(polycount.Name(x.step).Mod(x.m.Held))}}
		for _, d := range t.dims {
			at := s.local(axis)
			if throw.Get(x.from.AffineOf(a.Index[d])).Has(x.over) {
				at = polycount.Name(term)
			}
			of.Index = append(of.Index, expr.FromAffine(at))
		}
		factors = append(factors, &expr.Cast{DType: expr.Float32, Arg: of})
	}
	x.add(&kernel.Stmt{ID: x.sum.ID + "_update", LHS: s.at(), RHS: expr.Binary(expr.Add, s.at(), expr.Binary(expr.Mul, factors[1], factors[0])), Inames: s.inames(x.step, term)})
}

// byMatrices reports that matrix instructions of the machine make the sums of tiles, at sizes that say so alone.
func byMatrices(b *blocks, n *scop.Nest, on *machine.Machine) bool {
	x := b.matrices()
	return x != nil && on.Product > 0 && !slices.ContainsFunc(x.even(), func(c polycount.Constraint) bool {
		return slices.ContainsFunc(c.Affine.Names(), func(name string) bool { return !slices.Contains(n.Params, name) })
	})
}

// multiplying are the kernel whose sums matrix instructions make, and the one for sizes at which they cannot; none where the first does not run.
func multiplying(c *compiler, b *blocks, m Mapping, form Form) (_ []*kernel.Kernel, err error) {
	defer throw.Catch(&err)
	own := *b
	own.loops = map[string]*tiled{}
	x := own.matrices()
	if !form.multiplies(m) {
		return nil, nil
	}
	k, on := x.make(m), *c.on()
	on.MostLocal = on.MostAdded
	if runs(k, &on) != nil {
		return nil, nil
	}
	conditions := x.even()
	if len(conditions) == 0 {
		return []*kernel.Kernel{k}, nil
	}
	even := polycount.NewSet(nil, nil, conditions...)
	form.Matrix = false
	others, err := c.tiled(b, Default(form), form)
	if err != nil || others == nil {
		return nil, err
	}
	k.Name = c.fresh(k.Name + "_even")
	c.when[k.Name] = even
	for _, o := range others {
		c.when[o.Name] = throw.Get(polycount.NewSet(nil, nil).Subtract(even))
	}
	return append([]*kernel.Kernel{k}, others...), nil
}

// multiplies reports that all work-items have lines of the operands to copy, as many as others, and registers for their sums.
func (f Form) multiplies(m Mapping) bool {
	subgroups := product(m.Block)
	for axis := range 2 {
		along := of(m.Block, axis) * of(m.Points, axis)
		if along > matrix.Lanes*line || along*m.Depth%(matrix.Lanes*line*subgroups) > 0 || of(m.Points, axis)%matrix.OfRows > 0 {
			return false
		}
	}
	return m.Held > 1 && m.Depth%matrix.OfTerms == 0 && product(m.Points)/matrix.Lanes <= mostProducts && subgroups*matrix.Lanes <= f.on().MostItems && f.linesBytes(m) <= f.on().MostAdded
}

// mostProducts is how many sums of matrix instructions a work-item has at most.
const mostProducts = 128

// linesBytes is the local memory of the operands in bytes.
func (f Form) linesBytes(m Mapping) (bytes int64) {
	for axis := range 2 {
		along := of(m.Block, axis) * of(m.Points, axis)
		bytes += m.Held * factorBytes * max(along*(m.Depth+padding), m.Depth*(along+padding))
	}
	return bytes
}

// multiplied is the mapping of sums by matrix instructions that takes least.
func multiplied(f Form) (best Mapping) {
	least := math.Inf(1)
	for _, block := range productBlocks {
		for _, points := range productPoints {
			for _, depth := range productDepths {
				m := Mapping{Matrix: true, Block: numbers(block), Points: numbers(points), Depth: depth, Held: usuallyHeld}
				if !f.multiplies(m) {
					continue
				}
				if time := f.on().Seconds(f.products(m)); time < least {
					best, least = m, time
				}
			}
		}
	}
	return best
}

// What decides about mappings: chosen by products of 4096 in 15 mappings on an H200; those of 1024 and 2048 agreed (TestProductMappings).
const (
	usuallyHeld = 3
	inTurn      = 8  // sub-groups of a multiprocessor that read and multiply in turn: of twice as many, half of the one is hidden by the other
	lineIssue   = 10 // instructions of a sub-group for a copy of a line, with its address and whether it is there
)

// Mappings of sums by matrix instructions.
var (
	productBlocks = []string{"2x2", "2x4", "4x2", "1x2", "2x1", "1x4", "4x1", "1x1"}
	productPoints = []string{"64x64", "32x64", "64x32", "32x32", "16x32", "32x16", "16x16"}
	productDepths = []int64{32, 64}
	productHeld   = []int64{3, 2, 4}
)

// products is what a work-group does then.
func (f Form) products(m Mapping) machine.Work {
	groups, side := int64(1), int64(0)
	for axis := range 2 {
		t := of(m.Block, axis) * of(m.Points, axis)
		groups *= intmath.CeilDiv(f.Extent[axis], t)
		side += t
	}
	on := f.on()
	subgroups, sums := product(m.Block), product(m.Points)/matrix.Lanes
	steps := float64(intmath.CeilDiv(f.Terms, m.Depth))
	instructions := float64(subgroups*product(m.Points)*m.Depth) / (matrix.OfRows * matrix.OfColumns * matrix.OfTerms)
	lines := float64(side * m.Depth / line)
	banks := float64((side+subgroups*(m.Points[0]+m.Points[1]))*m.Depth*factorBytes) / float64(on.Line)
	multiply := instructions * on.Product / float64(on.Schedulers)
	group := machine.Group{Items: subgroups * matrix.Lanes, Registers: ofCode + sums*3/2, Local: f.linesBytes(m), Subgroup: on.Subgroup}
	held := min(on.Held(group), intmath.CeilDiv(groups, on.Multiprocessors))
	issue := max(multiply, banks) + min(multiply, banks)*inTurn/float64(max(1, held*subgroups)) + lines*lineIssue/float64(on.Subgroup*on.Schedulers)
	return machine.Work{
		Groups: groups, Issue: steps * issue, Barriers: steps, Bytes: steps * float64(side*m.Depth*factorBytes), Group: group,
	}
}
