package ckernel

import (
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// A record that is a variable is a variable for each of its members. In arrays, its members are accesses of their types, at their places: elements of an
// array of records are units that divide all of its members.

// memberOf is a member of a variable.
type memberOf struct {
	v    *builderVar
	name string
}

// keptOf is a value that is no object, in a function that is called so.
type keptOf struct {
	e    cfront.Expr
	path string
}

// member is the variable that a member of a record is.
func (l *learnt) member(v *builderVar, f cfront.Field) *builderVar {
	for _, o := range distinct(v.Record) {
		if samePlace(f, o) {
			f = o
		}
	}
	key := memberOf{v, f.Name}
	m := l.members[key]
	if m == nil {
		m = &builderVar{Name: v.Name + "_" + f.Name, Pos: v.Pos, Class: v.Class, DType: f.DType, Record: f.Record, Pointer: f.Pointer, TypeName: f.Type}
		if f.Pointer {
			m.TypeName = strings.TrimSuffix(f.Type, " *")
			m.Dims, m.Space = []cfront.Expr{nil}, cfront.GlobalSpace
		}
		for _, d := range f.Dims {
			m.Dims = append(m.Dims, cfront.NewInt(v.Pos, d))
		}
		l.members[key] = m
	}
	return m
}

// isRecord reports whether a variable is a record, and no pointer to one or array of them.
func isRecord(v *builderVar) bool { return v.Record != nil && len(v.Dims) == 0 }

// flatten are a parameter, or the members of one that is a record.
func (l *learnt) flatten(p *builderVar) (out []*builderVar) {
	if !isRecord(p) {
		return []*builderVar{p}
	}
	for _, f := range distinct(p.Record) {
		out = append(out, l.flatten(l.member(p, f))...)
	}
	return out
}

// flattened is flatten of a parameter of the kernel.
func (b *builder) flattened(p *builderVar) []*builderVar {
	if isRecord(p) && (overlaps(p.Record) || p.Record.Unknown != "") {
		return []*builderVar{p}
	}
	out := b.learnt.flatten(p)
	for _, m := range out {
		b.assignedTo[m] = b.assignedTo[m] || b.assignedTo[p]
		b.lanes[m] = b.lanes[m] || m != p && m.DType.IsVector()
		if m != p && len(m.Dims) > 0 && !m.Pointer {
			m.Space = cfront.ConstantSpace
		}
	}
	return out
}

// flatParams are the parameters of a function, with the members of those that are records.
func flatParams(fn *cfront.Function) (out []*builderVar) {
	l := newLearnt()
	for _, p := range fn.Params {
		out = append(out, l.flatten(p)...)
	}
	return out
}

// forgetMembers takes what is known of the members of a variable.
func (b *bindings) forgetMembers(v *builderVar) {
	if !isRecord(v) {
		return
	}
	for _, f := range v.Record.Fields {
		if m := b.learnt.members[memberOf{v, f.Name}]; m != nil {
			delete(b.env, m)
			b.forgetMembers(m)
		}
	}
}

// withMembers adds the members of records to variables.
func (b *bindings) withMembers(vars map[*builderVar]bool) map[*builderVar]bool {
	var add func(v *builderVar)
	add = func(v *builderVar) {
		if !isRecord(v) {
			return
		}
		for _, f := range v.Record.Fields {
			if m := b.learnt.members[memberOf{v, f.Name}]; m != nil {
				vars[m] = true
				add(m)
			}
		}
	}
	var list []*builderVar
	for v := range vars {
		list = append(list, v)
	}
	for _, v := range list {
		add(v)
	}
	return vars
}

// isBuiltin reports whether an expression is a variable of the language, as threadIdx.
func isBuiltin(e cfront.Expr) bool {
	ref, ok := e.(*cfront.Ref)
	return ok && ref.Var.Class == cfront.Builtin
}

// isPointer reports whether the value of an expression is an address.
func isPointer(e cfront.Expr) bool {
	switch x := e.(type) {
	case *cfront.Ref:
		return len(x.Var.Dims) > 0
	case *cfront.Address:
		return true
	case *cfront.Member:
		if r := x.X.Record(); r != nil {
			f, _ := r.Field(x.Name)
			return f.Pointer
		}
	}
	return e.PointsTo() != ""
}

// isMemory reports whether a record is in memory, or in an array.
func (b *builder) isMemory(e cfront.Expr) bool {
	switch x := e.(type) {
	case *cfront.Ref:
		return b.inMemory(x.Var)
	case *cfront.Index:
		return b.aliased(x) == nil
	case *cfront.Member:
		if isBuiltin(x.X) {
			return false
		}
		if r := x.X.Record(); r != nil {
			if f, ok := r.Field(x.Name); ok && f.Record != nil && !f.Pointer && len(f.Dims) == 0 && overlaps(f.Record) {
				return true
			}
		}
		return b.isMemory(x.X)
	}
	return false
}

// object is the variable that a record is, or else its place. What is no object becomes a variable.
func (b *builder) objectIn(e cfront.Expr) (v *builderVar, p place) {
	if v, p = b.objectOf(e); v != nil && b.inMemory(v) {
		return nil, b.placeOf(cfront.Use(v))
	}
	return v, p
}

// objectOf is objectIn, and also the variable of a record that is in memory of its own, where a call makes it.
func (b *builder) objectOf(e cfront.Expr) (v *builderVar, p place) {
	switch x := e.(type) {
	case *cfront.Ref:
		if !b.inMemory(x.Var) && x.Var.Class != cfront.Builtin {
			return x.Var, p
		}
		if b.inMemory(x.Var) {
			return nil, b.placeOf(x)
		}
	case *cfront.Index:
		if v := b.aliased(x); v != nil {
			return v, p
		}
		return nil, b.placeOf(x)
	case *cfront.Member:
		if v := b.memberVariable(x); v != nil {
			return v, p
		}
		if b.isMemory(x.X) {
			p, _ = b.memberPlace(x)
			return nil, p
		}
	case *cfront.Call:
		if f := b.file.Function(x.Func); f != nil {
			return b.called(x).variable, p
		}
	case *cfront.List:
		b.firstItems(x)
		return b.objectOf(x.Items[len(x.Items)-1])
	case *cfront.Assign:
		if v := b.variableOf(x.To); v != nil {
			if _, done := b.results[x]; !done {
				results := b.results
				b.assignment(x)
				b.results = results
				b.results[x] = outcome{}
			}
			return v, p
		}
	}
	return b.keptRecord(e).(*cfront.Ref).Var, p
}

// field is the member of a record that an expression takes.
func (b *faults) field(x *cfront.Member) cfront.Field {
	r := x.X.Record()
	if r == nil {
		b.fail(x, "", "the member %s of what is no structure", x.Name)
	}
	f, ok := r.Field(x.Name)
	if !ok {
		b.fail(x, "", "%s has no member %s that is known", r.Name, x.Name)
	}
	return f
}

// memberVariable is the variable that a member is; nil where the record is in memory.
func (b *builder) memberVariable(x *cfront.Member) *builderVar {
	if isBuiltin(x.X) || b.isMemory(x.X) {
		return nil
	}
	f := b.field(x)
	v, _ := b.objectIn(x.X)
	if v == nil {
		return nil
	}
	if v.Record == nil {
		b.fail(x, "", "%s is no structure", v.Name)
	}
	if own, ok := v.Record.Field(f.Name); ok {
		f = own
	}
	m := b.learnt.member(v, f)
	b.assignedTo[m] = b.assignedTo[m] || b.assignedTo[v]
	if m.DType.IsVector() {
		b.lanes[m] = true
	}
	return m
}

// pointerElement is where an element of an array of pointers points to; nil for elements that are no pointers.
func (b *builder) pointerElement(x *cfront.Index) *address {
	ref, ok := x.Of.(*cfront.Ref)
	if !ok || x.Type() != "" || !strings.HasSuffix(ref.Var.TypeName, "*") || len(x.Subs) != len(ref.Var.Dims) {
		return nil
	}
	a := b.array(x.Of, ref.Var)
	subs := make([]*expr.Poly, len(x.Subs))
	for i, s := range x.Subs {
		subs[i] = b.subscript(s)
	}
	return b.readPointer(x, memberOf{ref.Var, "*"}, place{array: a, offset: a.flat(subs)})
}

// readPointer is where a pointer in memory points to. All pointers of an array, or of a member, point into one array of which nothing else is known: its
// elements are at distances that are loaded.
func (b *builder) readPointer(e cfront.Expr, key memberOf, p place) *address {
	v := b.learnt.members[key]
	if v == nil {
		v = &builderVar{
			Name: key.v.Name + "_" + strings.Trim(key.name+"_rows", "*_"), Pos: e.Place(), Class: cfront.Global, DType: e.PointsTo(), Record: e.Record(), Pointer: true,
			Dims: []cfront.Expr{nil}, Space: cfront.GlobalSpace,
		}
		if v.DType == "" && v.Record == nil {
			v.TypeName = "void"
		}
		b.learnt.members[key] = v
	}
	b.unit(e.Place(), p.array, pointerBytes)
	p.elem, p.lanes = expr.Uint64, 1
	return &address{array: b.array(cfront.Use(v), v), offset: b.opaque(b.take(e.Place(), p))}
}

// filePointer is where a pointer of the file points to, which the host gives its value: an array of one pointer, as others in memory are.
func (b *builder) filePointer(x *cfront.Ref) *address {
	key := memberOf{x.Var, "&"}
	v := b.learnt.members[key]
	if v == nil {
		v = &builderVar{
			Name: x.Var.Name, Pos: x.Var.Pos, Class: cfront.Global, TypeName: "*", Dims: []cfront.Expr{cfront.NewInt(x.Var.Pos, 1)}, Space: x.Var.Kept, Const: x.Var.Kept == cfront.ConstantSpace,
		}
		b.learnt.members[key] = v
	}
	return b.readPointer(x, memberOf{v, "*"}, place{array: b.array(x, v), offset: constant(0)})
}

// pointerBytes is the size of a pointer on devices with 64-bit addresses.
const pointerBytes = 8

// memberPlace is the place of a member of a record in memory.
func (b *builder) memberPlace(x *cfront.Member) (place, cfront.Field) {
	f := b.field(x)
	if r := x.X.Record(); r.Unknown != "" {
		b.fail(x, "", "the layout of %s is not known: %s", r.Name, r.Unknown)
	}
	_, p := b.objectIn(x.X)
	unit := p.array.base.Size()
	if f.Offset%unit != 0 {
		b.unit(x.Pos, p.array, max(1, f.Offset&-f.Offset))
	}
	out := place{array: p.array, offset: p.offset.Add(constant(f.Offset / unit)), elem: f.DType, lanes: max(f.DType.Lanes(), 1), record: f.Record}
	if !f.Pointer && f.DType != "" {
		b.unit(x.Pos, p.array, f.DType.Base().Size())
	}
	return out, f
}

// extentsOf are the extents of a member that is an array.
func (b *builder) extentsOf(x *cfront.Member) (dims []cfront.Expr) {
	if v := b.memberVariable(x); v != nil {
		return v.Dims
	}
	for _, d := range b.field(x).Dims {
		dims = append(dims, cfront.NewInt(x.Pos, d))
	}
	return dims
}

// keptRecord is a record that is no object in a variable of its own.
func (b *builder) keptRecord(e cfront.Expr) cfront.Expr {
	if done, ok := b.results[e]; ok && done.variable != nil {
		return cfront.Use(done.variable)
	}
	if e.Record() == nil {
		b.fail(e, "", "this is no structure")
	}
	key := keptOf{e, b.path}
	v := b.learnt.kept[key]
	if v == nil {
		v = &builderVar{Name: "object", Pos: e.Place(), Class: cfront.Local, Record: e.Record()}
		b.learnt.kept[key] = v
	}
	b.forgetMembers(v)
	b.values = append(b.values, v)
	b.assignRecord(e.Place(), cfront.Use(v), e)
	b.results[e] = outcome{variable: v}
	return cfront.Use(v)
}

// LaneName is the name of the argument that a lane of a vector is which is passed by value, by that of the vector.
func LaneName(vector string, lane int64) string { return fmt.Sprintf("%s_lane%d", vector, lane) }

// vectorParameter enters a vector that is passed by value: it is kept in private memory. Its lanes are arguments; integers, which would be sizes, are not known.
func (b *builder) vectorParameter(p *builderVar) {
	b.lanes[p] = true
	a := b.array(cfront.Use(p), p)
	for lane := range p.DType.Lanes() {
		var of expr.Expr = expr.Var{Name: LaneName(b.name(p), lane)}
		if !a.base.IsFloat() {
			of = &expr.Call{Func: b.function(&kernel.Function{
				Name: fmt.Sprintf("lane_%d_of_%s", lane, b.name(p)), Result: a.base, Counts: map[expr.DType]map[string]int64{}, Body: "return the_argument;",
			})}
		}
		b.emit(&record{pos: p.Pos, lhs: b.access(p.Pos, a, constant(lane), 1, nil), rhs: of})
	}
}

// lanesMentioned declares those lanes of a vector as values that a kernel mentions.
func lanesMentioned(vector string, t expr.DType, mentioned map[string]bool, value func(string, expr.DType)) {
	for lane := range t.Lanes() {
		if name := LaneName(vector, lane); mentioned[name] {
			value(name, t.Base())
		}
	}
}

// memberIn is the member that an expression is, or is an element of; nil for others.
func memberIn(e cfront.Expr) *cfront.Member {
	for {
		switch x := e.(type) {
		case *cfront.Index:
			e = x.Of
		case *cfront.Member:
			return x
		default:
			return nil
		}
	}
}
