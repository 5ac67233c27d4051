// Package lower turns low-level terms of package lift into kernels of the IR.
//
// A term is lowered in two ways (view.go and write.go): as a view, a function from indices to the elements read there, and as
// a sequence of statements that write it to a destination, which is a view as well. Patterns that only arrange data (split,
// join, gather, slide, pad, zip, …) change views; those that compute (the maps but Map, the reductions, calls of user
// functions) make statements in loops (loop.go). Index arithmetic is simplified by the ranges of the loops' variables
// (index.go); arrays are flat, with constant sizes, so that split and join cancel. Barriers and the order of statements are
// left to package kernel/linear. If work-items read data that other groups wrote, the term becomes a kernel.Program of
// several kernels (kernels.go).
//
// After Steuwer et al., "Generating Performance Portable Code using Rewrite Rules", section 4, and Lift's view system.
package lower

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
	"gpuperf/polycount"
)

// Options are the sizes and the ND-range. The zero value infers the ND-range from the maps of the term.
type Options struct {
	// Sizes are the values of the program's size symbols: all of them.
	Sizes map[string]int64
	// Local is the size of a work-group and Global the number of work-items, per dimension; 0 infers them: a work-group as
	// large as the longest mapLcl, or of 64 work-items along dimension 0 for mapGlb, and as many groups as there are
	// elements. Maps over fewer elements leave the rest of the ND-range out of the launch.
	Local, Global [3]int64
}

// Array is an argument of the lowered kernels that holds a scalar or vector component of an input or of the result.
type Array struct {
	Name  string
	Input string // "" for the result
	DType expr.DType
	// Elements is the number of scalars; Value says that a single one is passed by value.
	Elements int64
	Value    bool
}

// Lowered is a program with the meaning of its arguments.
type Lowered struct {
	*kernel.Program
	Inputs, Outputs []Array  // in the order of the inputs, and of the components
	Local, Global   [3]int64 // the ND-range, with what was inferred
}

// Lower lowers a program. Its arguments are named like the inputs, with _0, _1 … for the components of tuples, and the
// result is out. An error names the part of the term that cannot be lowered, and the reason.
func Lower(p *lift.Program, opt Options) (*Lowered, error) {
	f, err := Fix(p, opt.Sizes)
	if err != nil {
		return nil, err
	}
	return f.Lower(opt.Local, opt.Global)
}

// Fixed is a program at constant sizes, to be lowered at several ND-ranges. It is safe for concurrent use.
type Fixed struct{ p *lift.Program }

// Fix gives all size symbols of a program values.
func Fix(p *lift.Program, sizes map[string]int64) (*Fixed, error) {
	p, err := p.AtSizes(sizes)
	if err != nil {
		return nil, err
	}
	if len(p.Sizes) > 0 {
		return nil, fmt.Errorf("program %s: size %s has no value", p.Name, p.Sizes[0])
	}
	return &Fixed{p}, nil
}

// Lower is the function Lower at an ND-range, as in Options.
func (f *Fixed) Lower(local, global [3]int64) (l *Lowered, err error) {
	p, opt := f.p, Options{Local: local, Global: global}
	for d := range 3 {
		switch l, g := opt.Local[d], opt.Global[d]; {
		case l < 0 || g < 0:
			return nil, fmt.Errorf("program %s: %d work-items in groups of %d along dimension %d", p.Name, g, l, d)
		case l > 0 && g%l != 0:
			return nil, fmt.Errorf("program %s: %d work-items along dimension %d do not divide into groups of %d", p.Name, g, d, l)
		}
	}
	c := newLowering(opt)
	defer func() {
		if err != nil {
			l, err = nil, fmt.Errorf("program %s: %w", p.Name, err)
		}
	}()
	defer throw.Catch(&err)
	if slices.Contains(opt.Local[:], 0) || slices.Contains(opt.Global[:], 0) {
		c.inferRange(ExtentsOf(p.Body, nil))
	}
	var env *scope
	l = &Lowered{Local: c.opt.Local, Global: c.opt.Global}
	for _, in := range p.Inputs {
		v, arrays := c.argument(in.Name, in.Type, input)
		l.Inputs = append(l.Inputs, arrays...)
		env = &scope{env, v}
	}
	out, arrays := c.argument("out", p.Body.Type, output)
	l.Outputs = arrays
	c.write(p.Body, env, out)
	l.Program = c.program(p.Name)
	return l, nil
}

// fail says what is wrong with the term.
func fail(format string, args ...any) { panic(throw.Errorf(format, args...)) }

// scope holds the values of variables: a de Bruijn index counts along it.
type scope struct {
	outer *scope
	v     *val
}

func (s *scope) lookup(i int) *val {
	for ; i > 0; i-- {
		s = s.outer
	}
	return s.v
}

// lowering is the state of lowering a program.
type lowering struct {
	indexer
	opt       Options
	names     map[string]bool // taken
	bufs      []*buffer
	functions map[string]*kernel.Function
	order     []*kernel.Function // functions in the order of their creation

	loops   []*loop                     // open, outermost first
	all     []*loop                     // every loop that was opened
	affines map[string]polycount.Affine // variables of loops in terms of inames
	exprs   map[string]expr.Expr        // the same as expressions
	stmts   []*statement
	touched map[string][]touch // statements by the distributed array that they access
	phase   int
	context []expr.Expr // conditions that all statements stand under that are made now
	puts    bool        // whether these write where is not known before they run
	lanes   int64       // of the vectors that the current function is applied to; 0 outside of mapVec

	builtins  map[*lift.UserFun]bool
	viewsOnly bool // for CheckVectors: computed values are unknown, and nothing is written
}

func newLowering(opt Options) *lowering {
	return &lowering{
		indexer: indexer{spans: map[string]span{}}, opt: opt, names: map[string]bool{}, affines: map[string]polycount.Affine{},
		exprs: map[string]expr.Expr{}, functions: map[string]*kernel.Function{}, touched: map[string][]touch{}, builtins: map[*lift.UserFun]bool{},
	}
}

// statement is a statement with the part of the program that it belongs to: one outermost loop or assignment.
type statement struct {
	*kernel.Stmt
	phase  int
	target *buffer
	puts   bool // where it writes is not known before it runs
}

type touch struct {
	stmt  *kernel.Stmt
	write bool
}

// fresh is a name that is not taken.
func (c *lowering) fresh(base string) string {
	name := base
	for i := 0; c.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	c.names[name] = true
	return name
}

// argument makes the arrays of an input or of the result.
func (c *lowering) argument(name string, t *lift.Type, kind bufferKind) (*val, []Array) {
	parts := lift.Components(t)
	sizes := counts(t, nil)
	var bufs []*buffer
	var arrays []Array
	base := make([]index, len(parts))
	for k, leaf := range parts {
		part := name
		if len(parts) > 1 {
			part = fmt.Sprintf("%s_%d", name, k)
		}
		b := &buffer{name: c.fresh(part), dtype: leaf.DType, space: kernel.Global, size: sizes[k], kind: kind}
		if kind == input && t.Kind != lift.ArrayType && leaf.Kind == lift.ScalarType {
			b.scalar, b.value, b.space = true, true, kernel.Private
		}
		bufs, base[k] = append(bufs, b), constant(0)
		input := name
		if kind == output {
			input = ""
		}
		arrays = append(arrays, Array{b.name, input, b.dtype, b.size, b.value})
	}
	c.bufs = append(c.bufs, bufs...)
	return c.memory(t, bufs, base, nil), arrays
}

// final writes an index over the inames.
func (c *lowering) final(i index) expr.Expr {
	if i.e != nil {
		return expr.Subst(i.e, c.exprs)
	}
	return expr.FromAffine(c.resolve(i.a, c.affines))
}

// trial begins an attempt; the function that it returns discards everything made since, except for names.
func (c *lowering) trial() (forget func()) {
	before, touched := *c, make(map[string][]touch, len(c.touched))
	for name, list := range c.touched {
		touched[name] = slices.Clip(list)
	}
	return func() {
		c.stmts, c.loops, c.all, c.bufs = slices.Clip(before.stmts), before.loops, before.all, before.bufs
		c.touched, c.phase = touched, before.phase
	}
}

// store makes the statement that assigns to a scalar or vector in memory.
func (c *lowering) store(d *val, value expr.Expr) {
	if d.loc == nil {
		fail("a %s is written that is not in memory", d.typ)
	}
	at := d.loc()
	if at.lanes != nil {
		c.storeParts(d, at.lanes, value)
		return
	}
	c.storeAt(at, d.typ, value)
}

// storeAt makes the statement that writes a number or a vector of a type.
func (c *lowering) storeAt(at place, t *lift.Type, value expr.Expr) {
	if at.buf.kind == input {
		fail("the input %s is written", at.buf.name)
	}
	predicates := slices.Clone(c.context)
	for _, g := range at.guards {
		predicates = append(predicates, c.condition(g))
	}
	value, conditions := c.specified(value, predicates, at.buf.space != kernel.Global)
	s := &kernel.Stmt{
		ID: fmt.Sprintf("s%d", len(c.stmts)), LHS: c.access(at.buf, at.index, lanesOf(t)), RHS: value, Inames: c.openInames(),
		Predicates: c.predicates(append(predicates, conditions...)),
	}
	c.addDependencies(s, at.buf)
	if len(c.loops) == 0 {
		c.phase++
	}
	c.stmts = append(c.stmts, &statement{s, c.phase, at.buf, c.puts})
	if len(c.loops) == 0 {
		c.phase++
	}
}

// addDependencies makes a statement depend on earlier ones that access the same distributed array, with a part for each
// work-item. The linearization orders all other statements by their accesses.
func (c *lowering) addDependencies(s *kernel.Stmt, target *buffer) {
	deps := map[string]bool{}
	names := append(mentioned(s.LHS), mentioned(s.RHS)...)
	for _, name := range names {
		for _, t := range c.touched[name] {
			if name == target.name || t.write {
				deps[t.stmt.ID] = true
			}
		}
	}
	s.Deps = slices.Sorted(maps.Keys(deps))
	for _, b := range c.bufs {
		if b.perItem && slices.Contains(names, b.name) {
			c.touched[b.name] = append(c.touched[b.name], touch{s, b == target})
		}
	}
}
