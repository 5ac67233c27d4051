// Package emit writes linearized kernels as source code for devices.
//
// OpenCL walks the tree of package kernel/linear (body.go) and prints loops, guards, barriers and statements in the form
// of the listings in Stevens and Klöckner, section 2.1. Expressions become C with the element types of the IR (expr.go);
// indices are simplified as affine expressions and grouped by the strides of the array (index.go). What differs
// between languages is a table (dialect.go).
package emit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/matrix"
	"gpuperf/polycount"
)

// Options of the generated source. The zero value is the default.
type Options struct {
	// Language is what the source is written in; "" is OpenCL C.
	Language Language
	// Index64 makes loop counters, integer parameters and indices 64 bits wide, for arrays of more than 2^31 elements.
	Index64 bool
}

// Language is a language of generated source. That of a device has the name of the interface (samples.Interface) that compiles it.
type Language string

// The languages.
const (
	OpenCLC Language = ""
	CUDAC   Language = "cuda"
	// C is that of a host: kernels for one work-item are functions.
	C Language = "c"
)

var dialects = map[Language]*dialect{OpenCLC: &openCL, CUDAC: &cudaC, C: &hostC}

// Source is a kernel as text with what a launch needs.
type Source struct {
	Text  string
	Entry string
	// Params are those of the function, in order.
	Params []Param
	// LocalBytes is the local memory that a work-group needs and the source declares, Dynamic what the launch must add.
	LocalBytes, Dynamic int64

	nest *linear.Nest
}

// Param is a parameter of the generated function.
type Param struct {
	// Name in the kernel; in the source it may have an underscore appended.
	Name    string
	DType   expr.DType
	IsValue bool
	// Read and Write tell what the kernel does with an array.
	Read, Write bool
}

// Write writes the kernel as source: OpenCL C 1.2, or CUDA C++17.
func Write(n *linear.Nest, opt Options) (*Source, error) {
	list, err := WriteProgram([]*linear.Nest{n}, opt)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// WriteProgram writes kernels that run one after the other, in one source: all have its Text.
func WriteProgram(nests []*linear.Nest, opt Options) ([]*Source, error) {
	u := &unit{dialect: dialects[opt.Language], index: opt.index(), helped: map[string]bool{}, used: map[expr.DType]bool{}, functions: map[string]string{}}
	var list []*Source
	for _, n := range nests {
		s := u.add(n)
		if u.err == nil && slices.ContainsFunc(list, func(o *Source) bool { return o.Entry == s.Entry }) {
			u.fail("two kernels of a source have this name")
		}
		if u.err != nil {
			return nil, fmt.Errorf("kernel %s: %w", n.Kernel.Name, u.err)
		}
		list = append(list, s)
	}
	text := u.text()
	for _, s := range list {
		s.Text = text
	}
	return list, nil
}

func (o Options) index() expr.DType {
	if o.Index64 {
		return expr.Int64
	}
	return expr.Int32
}

// unit is a source under construction: kernels, with the types, helpers and functions that they share.
type unit struct {
	*dialect
	index      expr.DType
	helped     map[string]bool // helpers in use, "floor_div int"
	used       map[expr.DType]bool
	wide       bool              // whether there are vectors
	multiplies bool              // whether there are matrix instructions
	copying    bool              // whether there are copies that work-items do not wait for
	functions  map[string]string // user functions, by name
	order      []string          // of the functions
	kernels    strings.Builder
	err        error // the first one; the text is of no use after it
}

// check keeps an error, unless there is an earlier one.
func (u *unit) check(err error) {
	if u.err == nil {
		u.err = err
	}
}

func (u *unit) fail(format string, args ...any) { u.check(fmt.Errorf(format, args...)) }

// wrap says of the error, if there is one, where it occurred.
func (u *unit) wrap(where string) {
	if u.err != nil {
		u.err = fmt.Errorf("%s: %w", where, u.err)
	}
}

// use notes that a type occurs in the source.
func (u *unit) use(t expr.DType) {
	if _, known := u.types[t]; !known && t.IsVector() {
		u.fail("%s has no vectors: %s", u.title, t)
	}
	u.used[t.Base()] = true
	u.wide = u.wide || t.IsVector()
}

// defineVectors defines the vector types of the element types in use, where the language has none.
func (u *unit) defineVectors(b *strings.Builder) {
	if u.vectors.define == "" {
		return
	}
	b.WriteString(u.vectors.define)
	u.define(b, [2]string{"VEC_FUNCTION1(%[1]s)\n", "VEC_FUNCTION2(%[1]s)\n"})
	for _, t := range slices.Sorted(maps.Keys(u.used)) {
		for _, n := range expr.Lanes {
			if name, ok := u.types[t.Vector(n)]; ok {
				fmt.Fprintf(b, u.vectors.typeOf, name, u.types[t], n)
			}
		}
	}
}

// define writes a line for each function of one operand, and of two.
func (u *unit) define(b *strings.Builder, formats [2]string) {
	for _, f := range expr.Functions() {
		if n, _ := expr.Arity(f); n < 3 && !strings.HasPrefix(f, "is") {
			fmt.Fprintf(b, formats[n-1], f)
		}
	}
}

func (u *unit) text() string {
	var b strings.Builder
	b.WriteString(u.prelude)
	for _, t := range slices.Sorted(maps.Keys(u.used)) {
		b.WriteString(u.enable[t])
		if formats, ok := u.wrappers[t]; ok {
			u.define(&b, formats)
		}
	}
	if u.wide {
		u.defineVectors(&b)
	}
	if u.multiplies {
		b.WriteString(u.matrices)
	}
	if u.copying {
		b.WriteString(u.ahead)
	}
	fmt.Fprintf(&b, u.axes, u.types[u.index])
	b.WriteByte('\n')
	u.writeHelpers(&b)
	for _, name := range u.order {
		b.WriteString(u.functions[name])
	}
	b.WriteString(u.kernels.String())
	return b.String()
}

// NDRange is the launch at the given sizes: work-items in all, and per group.
func (s *Source) NDRange(params map[string]int64) (global, local [3]int64, err error) {
	groups, err := s.nest.GroupsAt(params)
	if err != nil {
		return global, local, fmt.Errorf("kernel %s: %w", s.nest.Kernel.Name, err)
	}
	for axis, n := range groups {
		local[axis] = s.nest.Local[axis]
		global[axis] = n * local[axis]
	}
	return global, local, nil
}

// writer prints one kernel.
type writer struct {
	*unit
	k       *kernel.Kernel
	nest    *linear.Nest
	names   map[string]string           // variables whose names differ in the source
	fixed   map[string]polycount.Affine // what is constant here: inames of unrolled loops, names that a guard tests for a value
	context []polycount.Constraint      // what holds at the current place
	known   *polycount.Set              // the same as a set, made when it is asked for
	read    map[string]bool             // arrays
	written map[string]bool             // arrays
	body    strings.Builder
	copies  int // of statements, by unrolling
}

// add writes a kernel and its functions.
func (u *unit) add(n *linear.Nest) *Source {
	if u.check(n.Kernel.Launchable()); u.err != nil {
		return nil
	}
	w := &writer{unit: u, k: n.Kernel, nest: n, names: map[string]string{}, fixed: map[string]polycount.Affine{}, read: map[string]bool{}, written: map[string]bool{}}
	w.context, _ = n.Context.Constraints()
	w.checkFunctions()
	w.rename()
	s := &Source{nest: n, Entry: w.name(w.k.Name)}
	for _, a := range slices.Concat(w.k.Args, w.k.Temps) {
		if _, ok := w.types[a.DType]; !ok {
			w.fail("%s has type %s, which kernels are counted with but not generated for", a.Name, a.DType)
		}
		w.use(a.DType)
	}
	for _, s := range w.k.Statements {
		for _, a := range w.k.Reads(s) {
			w.read[a.Array] = true
		}
		for _, a := range w.k.Writes(s) {
			w.written[a.Array] = true
		}
	}
	var params []string
	for _, p := range w.params() {
		s.Params = append(s.Params, p)
		params = append(params, w.declareParam(p))
	}
	declarations := w.temporaries(s)
	w.nodes(n.Body, 1)
	w.addFunctions()
	b := &u.kernels
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	w.head(b, n.Local)
	fmt.Fprintf(b, "%s(%s)\n{\n", s.Entry, strings.Join(params, ", "))
	b.WriteString(declarations)
	if declarations != "" && w.body.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(w.body.String())
	b.WriteString("}\n")
	return s
}

// head begins a function with the extents of its work-group.
func (w *writer) head(b *strings.Builder, local [3]int64) {
	if !w.alone {
		if n := w.k.Resident; n > 0 && w.resident != "" {
			fmt.Fprintf(b, w.resident, local[0], local[1], local[2], n)
		} else {
			fmt.Fprintf(b, w.kernel, local[0], local[1], local[2])
		}
		return
	}
	b.WriteString(w.kernel)
	for axis, n := range local {
		if n > 1 || len(w.nest.Groups[axis]) > 0 && !w.oneGroup(axis) {
			w.fail("a kernel of several work-items is no function of %s", w.title)
		}
	}
}

// oneGroup reports that there is one work-group along an axis, at all sizes.
func (w *writer) oneGroup(axis int) bool {
	return slices.ContainsFunc(w.nest.Groups[axis], func(b polycount.Bound) bool { return b.Num.IsConstant() && b.Num.Constant() < b.Den })
}

// params are the kernel's arguments, global temporaries, and parameters that are no arguments.
func (w *writer) params() []Param {
	var out []Param
	for _, a := range w.k.Args {
		t := a.DType
		if a.IsValue && w.k.IsParam(a.Name) {
			t = w.index
		}
		out = append(out, Param{a.Name, t, a.IsValue, w.read[a.Name], w.written[a.Name]})
	}
	for _, a := range w.k.Temps {
		if a.Space == kernel.Global {
			out = append(out, Param{a.Name, a.DType, false, w.read[a.Name], w.written[a.Name]})
		}
	}
	for _, p := range w.k.Params() {
		if !slices.ContainsFunc(out, func(o Param) bool { return o.Name == p }) {
			out = append(out, Param{p, w.index, true, true, false})
		}
	}
	return out
}

func (w *writer) declareParam(p Param) string {
	if p.IsValue {
		return w.types[p.DType] + " const " + w.name(p.Name)
	}
	a := w.k.Array(p.Name)
	space, constant := w.global, ""
	if a.Constant {
		space = w.constant
	} else if !p.Write {
		constant = "const "
	}
	return space + constant + w.types[p.DType] + " *" + w.restrict + w.name(p.Name)
}

// widest is the largest number of elements that an access to the array takes; matrix instructions take lines of 8.
func (w *writer) widest(array string) int64 {
	lanes := int64(1)
	for _, s := range w.k.Statements {
		if p, _ := matrix.Of(w.k, s); p != nil && (p.First.Array == array || p.Second.Array == array) {
			lanes = max(lanes, 8)
		}
		for _, e := range []expr.Expr{s.LHS, s.RHS} {
			for _, acc := range expr.Accesses(e) {
				if acc.Array == array {
					lanes = max(lanes, acc.Lanes)
				}
			}
		}
	}
	return lanes
}

// elementsOf is the size of an array of constant shape.
func elementsOf(a *kernel.Array) (int64, error) {
	strides, err := a.Strides()
	if err != nil {
		return 0, err
	}
	n := int64(1)
	for i, e := range a.Shape {
		size, ok := e.(expr.Int)
		stride, ok2 := strides[i].(expr.Int)
		if !ok || !ok2 {
			return 0, fmt.Errorf("the layout of %s is not constant", a.Name)
		}
		n += (size.Value - 1) * stride.Value
	}
	if o, ok := a.Offset.(expr.Int); ok {
		n += o.Value
	} else if a.Offset != nil {
		return 0, fmt.Errorf("the offset of %s is not constant", a.Name)
	}
	return n, nil
}

// product writes the size of an array without holes by its extents, "16*16".
func product(a *kernel.Array) (string, bool) {
	if a.Offset != nil || slices.ContainsFunc(a.Axes, func(x kernel.Axis) bool { return x.Stride != nil }) {
		return "", false
	}
	return lists.Join(a.Shape, "*", expr.Expr.String), true
}

func (w *unit) writeHelpers(b *strings.Builder) {
	for _, h := range helpers {
		for _, t := range slices.Sorted(maps.Keys(w.types)) {
			if w.helped[h.name+" "+string(t)] {
				b.WriteString(w.helper)
				b.WriteString(strings.ReplaceAll(strings.ReplaceAll(h.text, "_T(", "_"+w.types[t]+"("), "T ", w.types[t]+" "))
				b.WriteByte('\n')
			}
		}
	}
}

// help returns the name of a helper function for the type and notes that it is needed.
func (w *writer) help(name string, t expr.DType) string {
	w.helped[name+" "+string(t)] = true
	return name + "_" + w.types[t]
}

// rename finds names that the language reserves, or that helpers and functions of the source take.
func (w *writer) rename() {
	common, own := claimed[w.dialect](), map[string]bool{}
	for _, f := range w.k.Functions {
		own[f.Name], own[w.nameOf(f)] = true, true
	}
	taken := func(name string) bool { return common[name] || own[name] }
	all := []string{w.k.Name}
	for _, a := range slices.Concat(w.k.Args, w.k.Temps) {
		all = append(all, a.Name)
	}
	all = append(append(all, w.k.Params()...), w.k.Inames()...)
	given := map[string]bool{}
	for _, name := range all {
		given[name] = true
	}
	for i, name := range all {
		clash := taken(name) || i > 0 && name == all[0] // a variable of the kernel's name
		if !clash || w.names[name] != "" && i > 0 {
			continue
		}
		fresh := name + "_"
		for taken(fresh) || given[fresh] {
			fresh += "_"
		}
		own[fresh] = true
		w.names[name] = fresh
	}
}

func (w *writer) name(name string) string { return cmp.Or(w.names[name], name) }
