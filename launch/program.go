package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	hw "gpuperf/device/machine"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/ops"
	"gpuperf/polycount"
)

// Program is a linearized kernel made ready for the evaluation of its static features at any sizes. It is safe for
// concurrent use.
type Program struct {
	nest        *linear.Nest
	opt         Options
	edit        Edit
	stand       func() map[*expr.Access]kernel.Place // where accesses do
	features    []Feature                            // that are known on the device
	places      map[string]int                       // of these and of the totals that walks make, in this order
	compiler    hw.Compiler                          // of the device
	latencies   [issueKinds]float64                  // of instructions of the device
	resident    bool                                 // the device has the residentFacts
	params      []string
	body        []node
	loads       bool // from global memory, outside of loops
	uneven      bool // work-groups may have more work than others
	arrays      []array
	occurrences []origin // of accesses, by their numbers

	averages  []average
	written   []bool              // of the arrays: the kernel stores to it
	registers int64               // of 32 bits, for a work-item
	varies    map[string][]string // the names in the indices of private variables
	cycles    float64             // of the longest chain of dependent instructions outside of loops
}

// array is an array that is accessed.
type array struct {
	*kernel.Array
	bytes  int64 // of an element
	layout *linear.Layout
	sized  []bool // of its axes: the stride depends on sizes, so that offsets along it are no constants of the code
}

// bound is floor(num/den), or the same rounded up.
type bound struct {
	num *linear.Form
	den int64
}

// node is *loop, *guard, *exec or barrier.
type node any

type loop struct {
	iname        string
	slot         int
	lower, upper []bound
	step         int64
	unroll       bool
	rolled       bool    // compilers do not unroll it
	loads        bool    // from global memory, in the body itself
	trips        int64   // where they are a constant of the program, else 0
	straight     bool    // its iterations are one straight line of code
	by           int64   // iterations of a loop that stays one that compiled code runs as one; 0 is not known
	fenced       bool    // its iterations have a fence
	waits        bool    // an iteration loads on conditions that loads of the last decide
	stores       []int   // arrays that its iterations store to
	fetched      []int   // arrays that they load
	barrier      bool    // they have a barrier
	chain        float64 // cycles of the longest chain of dependent instructions of as many iterations as compiled code runs as one
	average      int     // index of the average trip count; -1 where the bounds determine it
	body         []node
}

// average is the average trip count of a loop with data-dependent bounds: value + rest.
type average struct {
	value expr.Expr
	rest  polycount.Affine
}

type guard struct {
	conds []cond   // those of the polyhedral domain first
	loads []access // of the predicates
	body  []node
}

// cond compares an affine expression with 0, or is a predicate, with no operator.
type cond struct {
	x     *linear.Index
	op    expr.OpKind
	known bool // by a test before: nothing is tested again
}

type barrier struct{}

type exec struct {
	accesses     []access
	ops          [len(opClasses)]int64
	floats       []floatCount
	issues       []instruction
	selects      int64
	links        []link // what it waits for
	alone, fence bool   // what comes after waits for it
	to           string // the private variable that it sets
	at           kernel.Place
	target       string // the variable or the array that it sets
}

// floatCount is n times an operation of floatOps, below the selects around it.
type floatCount struct {
	op    int
	n     int64
	under []branch
}

// floatOps are operations that the hardware counts.
var floatOps = [...]struct {
	dtype expr.DType
	op    string
}{
	{expr.Float32, "add"},
	{expr.Float32, "mul"},
	{expr.Float32, "madd"},
	{expr.Float64, "add"},
	{expr.Float64, "mul"},
	{expr.Float64, "madd"},
}

// opClasses are the kinds of arithmetic that are features, each with the names of operations it is made of; the last one
// takes all others.
var opClasses = [...]struct {
	feature string
	names   []string
	flops   float64
}{
	{"adds", []string{"add"}, 1},
	{"muls", []string{"mul"}, 1},
	{"madds", []string{"madd"}, 2},
	{"divs", []string{"div"}, 1},
	{"special_ops", []string{"pow", "func:"}, 1},
	{"other_ops", nil, 1},
}

// opClassOf is the class of an operation in opClasses.
func opClassOf(op string) int {
	for i, class := range opClasses {
		for _, name := range class.names {
			if op == name || strings.HasSuffix(name, ":") && strings.HasPrefix(op, name) {
				return i
			}
		}
	}
	return len(opClasses) - 1
}

// New prepares a program. A loop with data-dependent bounds whose average trip count the kernel does not state is an error.
func New(n *linear.Nest, opt Options) (*Program, error) { return edited(n, opt, Edit{}) }

// edited prepares a program with an edit.
func edited(n *linear.Nest, opt Options, edit Edit) (*Program, error) {
	opt.SubgroupSize, opt.Boxes = cmp.Or(opt.SubgroupSize, DefaultSubgroup), cmp.Or(opt.Boxes, defaultBoxes)
	p := &Program{
		nest: n, opt: opt, edit: edit, stand: sync.OnceValue(func() map[*expr.Access]kernel.Place { return placed(n.Kernel) }), features: featuresOn(opt.Device), resident: opt.Device.Known(hw.ResidentFacts(opt.Device)...),
		params: n.Kernel.Params(), varies: map[string][]string{},
	}
	names := namesOf(p.features)
	for i := range walkedTotals {
		names = append(names, walkedTotals[i].Feature())
	}
	p.places = placesOf(names)
	p.compiler, p.latencies = hw.CompilerFor(opt.Device), latencies(opt.Device)
	if err := p.build(); err != nil {
		return nil, p.error(err)
	}
	p.registers = registersOf(n)
	_, p.loads = p.straighten(p.body)
	if opt.Compiled {
		p.chains(p.body)
		p.cycles = p.chain(p.body, ready{}, 0)
	}
	return p, nil
}

func (p *Program) build() (err error) {
	n := p.nest
	if p.opt.SubgroupSize < 0 || p.opt.Boxes < 0 {
		return fmt.Errorf("sub-groups of %d work-items, %d boxes: neither may be negative", p.opt.SubgroupSize, p.opt.Boxes)
	}
	items := int64(1)
	for axis, size := range n.Local {
		if size < 1 {
			return fmt.Errorf("the extent of work-groups along axis %d is not constant", axis)
		}
		if items *= size; items > maxLanes {
			return fmt.Errorf("work-groups of %v are larger than %d work-items", n.Local, maxLanes)
		}
	}
	b := &builder{p: p, arrays: map[string]int{}, computed: computed{}, fused: fused{}, tested: tested{}, held: held{at: map[string]atHand{}}, joined: map[*expr.Op]bool{}}
	if p.body, err = b.nodes(n.Body, 0); err != nil {
		return err
	}
	p.written = make([]bool, len(p.arrays))
	for _, at := range b.arraysOf(linear.EffectsOf(n.Kernel, n.Body)) {
		p.written[at] = true
	}
	return nil
}

type builder struct {
	p      *Program
	arrays map[string]int
	stmt   *kernel.Stmt // that is looked at
	computed
	joined map[*expr.Op]bool // logic that is part of that around it
	fused
	tested
	held held
	open []opened // loops, the outermost first
}

// affine gives an affine expression its slots. What depends on data is an error.
func (b *builder) affine(a polycount.Affine) (*linear.Form, error) {
	f, err := b.p.nest.Form(a)
	if err == nil && f.Data {
		err = fmt.Errorf("%s depends on data", a)
	}
	return f, err
}

func (b *builder) index(e expr.Expr) *linear.Index {
	if values := b.p.nest.Kernel.Values; b.p.opt.Values && len(values) > 0 {
		e = b.withAssumed(e)
	}
	return b.p.nest.Index(e)
}

// withAssumed puts what the kernel assumes in the place of elements of arrays, and of scalars that hold such elements.
func (b *builder) withAssumed(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if v, ok := x.(expr.Var); ok {
			if def := b.definition(v.Name, len(b.p.nest.Kernel.Statements)); def != nil {
				return b.withAssumed(def)
			}
		}
		return assumed(b.p.nest.Kernel.Values, x)
	})
}

// definition is the element of an array with assumed values that an integer scalar holds, which one statement before the given one sets; nil for others.
func (b *builder) definition(name string, before int) expr.Expr {
	k := b.p.nest.Kernel
	sets := k.Writers(name)
	if a := k.Array(name); a == nil || a.IsValue || a.Space != kernel.Private || len(a.Shape) > 0 || !a.DType.IsInteger() || len(sets) != 1 || len(sets[0].Predicates) > 0 {
		return nil
	}
	at := slices.Index(k.Statements, sets[0])
	switch x := sets[0].RHS.(type) {
	case expr.Var:
		if at < before {
			return b.definition(x.Name, at)
		}
	case *expr.Access:
		if slices.ContainsFunc(k.Values, func(v kernel.Values) bool { return v.Array == x.Array }) {
			return x
		}
	}
	return nil
}

// assumed is what the kernel assumes of an element of an array, or the expression where it is none.
func assumed(values []kernel.Values, e expr.Expr) expr.Expr {
	if a, ok := e.(*expr.Access); ok {
		for _, v := range values {
			if v.Array == a.Array {
				return expr.Subst(v.Value, map[string]expr.Expr{v.Index: a.Index[0]})
			}
		}
	}
	return e
}

func (b *builder) bounds(list []polycount.Bound) ([]bound, error) {
	out := make([]bound, len(list))
	for i, x := range list {
		num, err := b.affine(x.Num)
		if err != nil {
			return nil, err
		}
		out[i] = bound{num, x.Den}
	}
	return out, nil
}

func (b *builder) nodes(list []linear.Node, depth int) ([]node, error) {
	var out []node
	b.fused.find(b.p.nest.Kernel, list)
	for _, from := range list {
		var n node
		var err error
		switch x := from.(type) {
		case *linear.Exec:
			if n, err = b.exec(x.Stmt); err != nil {
				err = fmt.Errorf("statement %s: %w", x.Stmt.ID, err)
			}
			b.changes(from)
		case *linear.Barrier:
			n = barrier{}
			clear(b.held.at)
		case *linear.Guard:
			b.computed = computed{}
			n, err = b.guard(x, depth)
			b.computed = computed{}
		case *linear.Loop:
			b.computed = computed{}
			b.tested = tested{}
			clear(b.held.at)
			n, err = b.loop(x, depth)
			b.computed, b.tested = computed{}, tested{}
			clear(b.held.at)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func (b *builder) loop(l *linear.Loop, depth int) (*loop, error) {
	slot := variable(linear.LoopSlot + depth)
	if slot >= maxVars {
		return nil, fmt.Errorf("more than %d loops in each other", maxVars-axisVars)
	}
	out := &loop{iname: l.Iname, slot: slot, step: max(l.Step, 1), unroll: l.Unroll, rolled: l.Rolled, trips: l.ConstantTrips(), average: -1}
	var err error
	if out.lower, err = b.bounds(l.Lower); err == nil {
		out.upper, err = b.bounds(l.Upper)
	}
	if err == nil && (len(l.Lower) == 0 || len(l.Upper) == 0) {
		err = fmt.Errorf("it has no bounds")
	}
	if err != nil {
		if average, ok := b.averageTrips(l); ok {
			out.average, err = len(b.p.averages), nil
			b.p.averages = append(b.p.averages, average)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("loop %s: %w", l.Iname, err)
	}
	b.p.uneven = b.p.uneven || slices.ContainsFunc(slices.Concat(out.lower, out.upper), func(x bound) bool { return ofGroup(x.num) })
	effects := linear.EffectsOf(b.p.nest.Kernel, l.Body)
	b.open = append(b.open, opened{l.Iname, slot, effects.Stores})
	if out.body, err = b.nodes(l.Body, depth+1); err != nil {
		return nil, err
	}
	b.open = b.open[:len(b.open)-1]
	out.barrier, out.stores, out.fetched = effects.Barrier, b.arraysOf(effects), loadedIn(out.body)
	out.waitForFences()
	return out, nil
}

// averageTrips finds the average number of trips of a loop among those that the kernel states.
func (b *builder) averageTrips(l *linear.Loop) (average, bool) {
	if len(l.Lower) != 1 || len(l.Upper) != 1 || l.Lower[0].Den != 1 || l.Upper[0].Den != 1 || l.Step > 1 {
		return average{}, false
	}
	trips := l.Upper[0].Num.Sub(l.Lower[0].Num).AddInt(1)
	for _, a := range b.p.nest.Kernel.Averages {
		of, err := expr.ToAffine(a.Of, nil)
		if err != nil {
			continue
		}
		rest := trips.Sub(of)
		isParam := func(name string) bool { slot, ok := b.p.nest.Slot(name); return ok && slot < 0 }
		if rest.Err() == nil && !slices.ContainsFunc(rest.Names(), func(name string) bool { return !isParam(name) }) {
			return average{a.Value, rest}, true
		}
	}
	return average{}, false
}

func (b *builder) guard(g *linear.Guard, depth int) (*guard, error) {
	out := &guard{}
	for _, c := range g.Conds {
		x, err := b.affine(c.Affine)
		if err != nil { // what depends on data holds
			out.conds = append(out.conds, cond{x: &linear.Index{Kind: linear.DataIndex, Data: true}})
			continue
		}
		op := expr.Ge
		if c.Equality {
			op = expr.Eq
		}
		out.conds = append(out.conds, cond{x: &linear.Index{Form: x}, op: op})
	}
	for _, e := range g.Predicates {
		out.conds = append(out.conds, cond{x: condition(b.index(e)), known: b.again(e)})
		if err := b.collect(e, nil, &out.loads, nil); err != nil {
			return nil, err
		}
	}
	var err error
	out.loads = b.fresh(out.loads)
	b.held.guarded(g.Body, func() {
		b.under(g.Body, func() { out.body, err = b.nodes(g.Body, depth) })
	})
	return out, err
}

func (b *builder) exec(s *kernel.Stmt) (*exec, error) {
	out := &exec{at: s.At, target: s.Target(), fence: b.fence(s)}
	b.stmt = s
	defer func() { b.stmt = nil }()
	if s.Kind != kernel.Assign {
		return out, nil
	}
	// An atomic update of global memory is an operation of L2, to which work-items send the operand as a store sends a value; in local memory they load,
	// compute and store.
	u := s.Update()
	inL2 := u != nil && b.p.nest.Kernel.SpaceOf(s.Target()) == kernel.Global
	value := s.RHS
	if inL2 {
		value = u.Operand
	}
	value = b.explicit(value)
	if to, err := b.p.nest.Kernel.TypeOf(s.LHS); err == nil && u == nil {
		value = b.convertedTo(to, value)
	}
	if err := b.collect(value, nil, &out.accesses, &out.selects); err != nil {
		return nil, err
	}
	if err := b.instructions(value, u != nil && !inL2, &out.issues); err != nil {
		return nil, err
	}
	out.accesses = b.fresh(out.accesses)
	joins(b.p.nest.Kernel, value, b.fused[s], func(t expr.DType, n int64) {
		out.issues = append(out.issues, instruction{issueOf("mul", t), -n, nil, everyLoop})
		for i, f := range floatOps {
			if by := map[string]int64{"add": -n, "mul": -n, "madd": n}[f.op]; f.dtype == t {
				out.floats = append(out.floats, floatCount{i, by, nil})
			}
		}
	})
	b.chained(s, value, out)
	b.changed(s.Target())
	for _, w := range b.p.nest.Kernel.Writes(s) {
		for _, i := range w.Index {
			if u != nil && !inL2 { // the load has them
				break
			}
			if err := b.collect(i, nil, &out.accesses, &out.selects); err != nil {
				return nil, err
			}
		}
		if err := b.access(w, true, nil, &out.accesses); err != nil {
			return nil, err
		}
	}
	err := ops.Visitor{Kernel: b.p.nest.Kernel, Found: func(op string, _ expr.DType, n int64) { out.ops[opClassOf(op)] += n }}.Statement(s)
	switch {
	case err != nil:
	case inL2:
		err = b.floats(nil, &out.floats).Visit(value)
	default:
		err = b.floats(nil, &out.floats).Statement(s)
	}
	return out, err
}

// floats lists the floating-point operations that the visitor finds.
func (b *builder) floats(under []branch, out *[]floatCount) ops.Visitor {
	return ops.Visitor{
		Kernel: b.p.nest.Kernel,
		Found: func(op string, t expr.DType, n int64) {
			for i, f := range floatOps {
				if f.op == op && f.dtype == t {
					*out = append(*out, floatCount{i, n, under})
				}
			}
		},
		Under: func(c expr.Expr) ops.Visitor {
			return b.floats(append(slices.Clip(under), branch{condition(b.index(c)), true}), out)
		},
	}
}
