package ckernel

import (
	"cmp"
	"maps"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// The value of an integer variable is a number as long as it does not depend on memory, and an address is that of a pointer. All other
// variables are private temporaries, with statements that assign to them. Whether an integer can be followed shows on the way:
// if not, it is opaque from then on, and the function is read again.

type builderVar = cfront.Var

// value is what is known of a variable.
type value struct {
	isNum bool
	num   *expr.Poly
	at    *address
	// either: the address is one of two.
	either *twoAddresses
	// data: its temporary has it.
	data bool
	// from are the assignments that made the number. Without any it is free, as the counters of loops are.
	from []site
	// plain: no arithmetic made it.
	plain bool
}

// site is an assignment, or a call: its place in the text, and the calls around it.
type site struct {
	pos   cfront.Pos
	calls string
}

func (s site) compare(o site) int {
	return cmp.Or(cmp.Compare(s.pos.Line, o.pos.Line), cmp.Compare(s.pos.Column, o.pos.Column), cmp.Compare(s.calls, o.calls), cmp.Compare(s.pos.File, o.pos.File))
}

// address is what a pointer points to.
type address struct {
	array  *array      // nil of a null pointer
	offset *expr.Poly  // in elements of the array
	alias  *builderVar // a variable, instead of an array
}

// learnt is what one reading of the function tells the next one.
type learnt struct {
	opaque  map[*builderVar]bool // integers that cannot be followed
	stored  map[site]bool        // assignments of numbers that values use: these are statements too
	results map[site]*builderVar // of calls
	objects map[objectOf]*builderVar
	touches map[*cfront.Function]*touched
	units   map[*builderVar]int64 // bytes of the elements of arrays that are accessed by less than what they are declared with
	members map[memberOf]*builderVar
	texts   map[cfront.Pos]*builderVar // arrays that strings are
	kept    map[keptOf]*builderVar
	voids   map[*builderVar]cfront.Expr // what pointers to void are first converted to
	moving  map[*builderVar]bool        // pointers whose offsets in their arrays depend on data
	parted  map[*builderVar]bool        // variables that are accessed as others than what they are declared as
	turning map[*builderVar]bool        // pointers that iterations of loops leave in another array
	changed bool
}

// objectOf is the address of a value, in a function that is called so.
type objectOf struct {
	of    *cfront.Address
	calls string
}

// bindings are what variables hold where reading stands.
type bindings struct {
	position
	learnt     *learnt
	env        map[*builderVar]value
	copies     map[*builderVar]string // temporaries
	counters   map[string]bool        // inames that have the names of variables
	assignedTo map[*builderVar]bool   // variables of the file that something assigns to
	path       string                 // of calls
	trial      int                    // what is read now may be read again
	sides      int                    // what is read now is one side of what splits a statement
}

func newBindings(of flow, known *learnt) bindings {
	return bindings{
		position: position{flow: of, nodes: expr.Nodes{Most: maxNodes}}, learnt: known, env: map[*builderVar]value{}, copies: map[*builderVar]string{}, counters: map[string]bool{},
		assignedTo: assignedIn(bodies(of.file)...),
	}
}

func newLearnt() *learnt {
	return &learnt{map[*builderVar]bool{}, map[site]bool{}, map[site]*builderVar{}, map[objectOf]*builderVar{}, map[*cfront.Function]*touched{}, map[*builderVar]int64{}, map[memberOf]*builderVar{}, map[cfront.Pos]*builderVar{}, map[keptOf]*builderVar{}, map[*builderVar]cfront.Expr{}, map[*builderVar]bool{}, map[*builderVar]bool{}, map[*builderVar]bool{}, false}
}

// again is thrown when a variable turns out to be opaque.
type again struct{}

func (b *bindings) here(at cfront.Pos) site { return site{at, b.path} }

// follows reports whether a variable can have a number: a scalar integer of a type in which no index overflows, or a parameter of the kernel that nothing assigns to.
func (b *bindings) follows(v *builderVar) bool {
	holds := v.DType.Size() >= 4 || v.DType == expr.Bool || slices.Contains(b.fn.Params, v) && !b.assignedTo[v]
	return len(v.Dims) == 0 && (v.DType.IsInteger() || v.DType == expr.Bool) && holds && !b.learnt.opaque[v] && !b.inMemory(v)
}

// inMemory reports whether a variable is in memory that work-items share, has members of several types in one place, or is accessed as another type.
func (b *bindings) inMemory(v *builderVar) bool {
	if b.learnt.parted[v] {
		return true
	}
	if v.Record != nil && len(v.Dims) == 0 && v.Class != cfront.Builtin && overlaps(v.Record) {
		return true
	}
	return v.Space == cfront.LocalSpace && !v.Pointer || v.Class == cfront.Global && (v.Space == cfront.GlobalSpace || v.Space == cfront.ConstantSpace)
}

// forget makes a variable opaque. What is read on finds others, and the function is read again then; within a trial it is a fault.
func (b *bindings) forget(at cfront.Pos, v *builderVar) {
	if v.Class == cfront.Param && len(v.Dims) == 0 && v.DType == "" || len(v.Dims) > 0 {
		b.failAt(at, "give each of the arrays its own statement", "%s does not point to one array here", v.Name)
	}
	if b.trial > 0 {
		b.failAt(at, "", "the value of %s is not known", v.Name)
	}
	b.learnt.opaque[v], b.learnt.changed = true, true
	b.env[v] = value{data: true}
}

// integerOf is the number that a variable has; ok is false if it is data.
func (b *builder) integerOf(at cfront.Pos, v *builderVar) (val value, ok bool) {
	if b.env[v].at != nil {
		b.failAt(at, "convert it to a pointer", "%s holds an address, which is used as a number", v.Name)
	}
	if !b.follows(v) {
		return value{}, false
	}
	val = b.env[v]
	switch {
	case val.data:
		return val, false
	case !val.isNum && v.Init != nil && v.Class == cfront.Global && !v.Listed:
		n, ok := b.number(v.Init)
		return value{isNum: true, num: n}, ok
	case !val.isNum:
		b.forget(at, v)
		return b.env[v], false
	}
	return val, true
}

// candidates are the variables that an iteration may assign to and whose values are known before it, but some.
func (b *builder) candidates(x *loopText, but map[*builderVar]*expr.Poly) (candidates []*builderVar) {
	for v := range x.assigned {
		_, not := but[v]
		if val := b.env[v]; !not && (val.isNum && b.follows(v) || val.at != nil && val.at.array != nil && !b.learnt.moving[v]) {
			candidates = append(candidates, v)
		}
	}
	slices.SortFunc(candidates, func(v, w *builderVar) int { return site{pos: v.Pos}.compare(site{pos: w.Pos}) })
	return candidates
}

// temp is the private temporary of a variable.
func (b *bindings) temp(v *builderVar) string {
	n := b.copies[v]
	if n == "" {
		n = b.name(v)
		if slices.Contains(b.params, v) || b.counters[n] { // the argument or the iname of this name is not assigned to
			n = b.fresh(v.Name)
		}
		b.copies[v] = n
	}
	if b.temps[n] == nil {
		t := v.DType
		if t == expr.Bool {
			t = expr.Int32
		}
		b.addTemp(&kernel.Array{Name: n, DType: t, Space: kernel.Private, Shape: []expr.Expr{}, PerItem: true})
	}
	return n
}

func (b *terms) addTemp(a *kernel.Array) {
	b.temps[a.Name] = a
	b.tempOrder = append(b.tempOrder, a.Name)
}

// scratch is a new private temporary.
func (b *grid) scratch(base string, t expr.DType) string {
	n := b.fresh(base)
	if t == expr.Bool {
		t = expr.Int32
	}
	b.addTemp(&kernel.Array{Name: n, DType: t, Space: kernel.Private, Shape: []expr.Expr{}, PerItem: true})
	return n
}

// merge is what is known after two ways, of which a decision took one.
func (b *terms) merge(when decision, first, second map[*builderVar]value) map[*builderVar]value {
	out := maps.Clone(second)
	vars := map[*builderVar]bool{}
	for v := range first {
		vars[v] = true
	}
	for v := range second {
		vars[v] = true
	}
	for v := range vars {
		out[v] = b.join(when, first[v], second[v])
	}
	return out
}

// united are the assignments that made either of two numbers; none if one of them is free.
func united(x, y []site) []site {
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	from := slices.Concat(x, y)
	slices.SortFunc(from, site.compare)
	return slices.Compact(from)
}

// join is one of two values.
func (b *terms) join(when decision, x, y value) value {
	from := united(x.from, y.from)
	switch {
	case x.data && y.data:
		return x
	case x.isNum && y.isNum && same(x.num, y.num):
		return value{isNum: true, num: x.num, from: from, plain: x.plain && y.plain}
	case x.isNum && y.isNum && when.set != nil:
		return value{isNum: true, num: b.either(when.set, x.num, y.num), from: from}
	case x.at != nil && y.at != nil && x.at.array == y.at.array && x.at.alias == y.at.alias:
		if same(x.at.offset, y.at.offset) {
			return x
		}
		if when.set != nil {
			return value{at: &address{x.at.array, b.either(when.set, x.at.offset, y.at.offset), x.at.alias}}
		}
	case x.either != nil && x.either == y.either:
		return x
	case when != (decision{}) && x.points() && y.points():
		b.chosen = true
		return value{either: &twoAddresses{when, x, y}}
	}
	return value{}
}

// A pointer whose offset in its array depends on data is moving: a temporary of its own has the offset, as others have integers from memory. That a
// pointer is one shows where it is used and not known: the function is read again then. The array that it points to is known all the same. In a loop
// it is the one from before the loop, which each iteration must leave it in.

// moves lets a pointer that is not known be moving, and the function be read again; it does nothing where that is so already.
func (b *bindings) moves(v *builderVar) {
	if !b.learnt.moving[v] && b.trial == 0 {
		b.learnt.moving[v] = true
		panic(again{})
	}
}

// isMoving reports whether an expression names a moving pointer.
func (b *builder) isMoving(e cfront.Expr) bool {
	v := b.variableOf(e)
	return v != nil && b.learnt.moving[v]
}

// move keeps the offset of a moving pointer in its temporary.
func (b *bindings) move(pos cfront.Pos, v *builderVar, to *address) {
	n := b.copies[v]
	if n == "" {
		n = b.scratch(v.Name+"_offset", expr.Int64)
		b.copies[v] = n
	}
	if here := name(n); !same(here, to.offset) {
		b.assignTemp(pos, n, b.free(b.express(to.offset)))
		b.env[v] = value{at: &address{array: to.array, offset: here}}
	}
}

// stays reports whether a moving pointer is in the same array from iteration to iteration.
func (b *bindings) stays(v *builderVar) bool {
	at := b.env[v].at
	return b.learnt.moving[v] && !b.learnt.turning[v] && at != nil && at.array != nil
}

// pointedTo are the arrays of the moving pointers that a loop assigns to.
func (b *bindings) pointedTo(x *loopText) map[*builderVar]*array {
	out := map[*builderVar]*array{}
	for v := range x.assigned {
		if b.stays(v) {
			out[v] = b.env[v].at.array
		}
	}
	return out
}

// sameArrays sees to it that pointers are in the arrays in which they were when the iteration began; what is known of others is forgotten when it begins.
func (b *bindings) sameArrays(arrays map[*builderVar]*array, env map[*builderVar]value) {
	for v, a := range arrays {
		if at := env[v].at; at != nil && at.array == a {
			continue
		}
		if b.trial > 0 {
			b.failAt(v.Pos, "give each of the arrays its own statement", "it is not known which array %s points to", v.Name)
		}
		b.learnt.turning[v] = true
		panic(again{})
	}
}
