package cfront

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/kernel/expr"
)

// form is what kind of type a type is.
type form uint8

const (
	voidForm form = iota
	numberForm
	pointerForm
	arrayForm
	recordForm
	functionForm
	groupForm // a cooperative group
	otherForm // a type of which only the name is known
)

// ctype is a type.
type ctype struct {
	form     form
	name     string     // how C names it
	dtype    expr.DType // of numbers and vectors
	elem     *ctype     // of pointers and arrays; of functions the type of their value
	extent   Expr       // of an array; nil where it is open; of a group the work-items of a tile
	record   *record    // of records: shared by all types of that record, also by those that were made before its members are known
	space    Space      // of objects of the type
	constant bool       // const
	restrict bool       // of a pointer
	alias    bool       // a reference: a variable of the type is another name of an object
	values   *scope     // of an enum of C++: its enumerators
	callees  *overloads // of the value that a function is, without a call
}

// record are the members of a record.
type record struct {
	fields  []field
	union   bool
	known   bool   // all members have been read
	packed  bool   // members follow each other without gaps
	why     string // it is not known where its members are
	aligned int64  // what attributes demand
	vector  bool   // a built-in vector of three lanes
	// Of C++: the scope of its members, the tokens of the values that members begin with, the template that it is an instance of.
	scope   *scope
	initial map[string]int
	of      *class
	args    []argument
	layout  *Record
}

// field is a member of a record.
type field struct {
	name string // "" for a record whose members are those of the one around
	t    *ctype
}

// field is the type of a member; nil if the record has no such member.
func (t *ctype) field(name string) *ctype {
	if t.record == nil {
		return nil
	}
	for _, f := range t.record.fields {
		if f.name == name {
			return f.t
		}
		if f.name == "" {
			if inner := f.t.field(name); inner != nil {
				return inner
			}
		}
	}
	return nil
}

func newRecord(name string, union bool) *ctype {
	return &ctype{form: recordForm, name: name, record: &record{union: union}}
}

// number is the type of numbers or vectors.
func number(t expr.DType) *ctype { return &ctype{form: numberForm, dtype: t, name: string(t)} }

func pointerTo(t *ctype) *ctype { return &ctype{form: pointerForm, elem: t} }

var (
	voidType  = &ctype{form: voidForm, name: "void"}
	otherType = &ctype{form: otherForm}
)

// with is a copy that f changed.
func (t *ctype) with(f func(*ctype)) *ctype {
	c := *t
	f(&c)
	return &c
}

// innermost is the type of the elements of arrays in arrays.
func (t *ctype) innermost() *ctype {
	for t.form == arrayForm {
		t = t.elem
	}
	return t
}

// pointee is the type of numbers that a value of the type points to; "" for others.
func (t *ctype) pointee() expr.DType {
	if t.form != pointerForm && t.form != arrayForm {
		return ""
	}
	return t.elem.innermost().dtype
}

// typed is the place and the type of an expression.
func (t *ctype) typed(at Pos) typed {
	return typed{Pos: at, DType: t.dtype, Elem: t.pointee(), Rec: t.inner()}
}

// pointed is the type of a value that an array or a function is where it is used.
func (t *ctype) pointed() *ctype {
	switch t.form {
	case arrayForm:
		return pointerTo(t.elem)
	case functionForm:
		return pointerTo(t)
	}
	return t
}

// size is the number of bytes of an object; ok is false where that is not known.
func (t *ctype) size() (n int64, ok bool) {
	switch t.form {
	case numberForm:
		return t.dtype.Distance(), true
	case pointerForm:
		return 8, true
	case arrayForm:
		extent, known := t.extent.(*Int)
		n, ok = t.elem.size()
		if !known || !ok || n > 0 && extent.Value > 1<<40/n {
			return 0, false
		}
		return n * extent.Value, true
	case recordForm:
		return t.record.size()
	case otherForm:
		if t.name == "texture" { // an object of one, which is a number
			return 8, true
		}
	}
	return 0, false
}

func (r *record) size() (n int64, ok bool) {
	l := r.laidOut("")
	return l.Size, l.Unknown == ""
}

func (t *ctype) align() int64 {
	if t.form == recordForm {
		return max(t.record.laidOut(t.name).Align, 1)
	}
	n, _ := t.size()
	return n
}

// same reports whether two types are the same, but for qualifiers.
func (t *ctype) same(u *ctype) bool {
	if t.form != u.form || t.dtype != u.dtype {
		return false
	}
	switch t.form {
	case pointerForm, arrayForm, functionForm:
		return t.elem.same(u.elem)
	case recordForm, otherForm:
		return t.name == u.name
	case groupForm:
		return t.String() == u.String()
	}
	return true
}

// String is the type in C, without qualifiers.
func (t *ctype) String() string {
	switch t.form {
	case pointerForm:
		return t.elem.String() + " *"
	case functionForm:
		return t.elem.String() + "()"
	case arrayForm:
		if n, ok := t.extent.(*Int); ok {
			return fmt.Sprintf("%s[%d]", t.elem, n.Value)
		}
		return t.elem.String() + "[]"
	case groupForm:
		if n, ok := t.extent.(*Int); ok {
			return fmt.Sprintf("%s<%d>", t.name, n.Value)
		}
	case numberForm:
		if name, ok := shortNames[t.dtype]; ok {
			return name
		}
		if name, ok := shortNames[t.dtype.Base()]; ok { // a vector
			return fmt.Sprintf("%s%d", strings.Replace(name, "unsigned ", "u", 1), t.dtype.Lanes())
		}
	}
	return t.name
}

// shortNames are how C names numbers.
var shortNames = map[expr.DType]string{
	expr.Bool: "bool", expr.Int8: "char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long", expr.Uint8: "unsigned char",
	expr.Uint16: "unsigned short", expr.Uint32: "unsigned int", expr.Uint64: "unsigned long", expr.Float16: "half", expr.BFloat16: "__nv_bfloat16", expr.Float32: "float",
	expr.Float64: "double",
}

// types by the names that both kernel languages have.
var commonTypes = map[string]*ctype{
	"size_t": number(expr.Uint64), "ptrdiff_t": number(expr.Int64), "intptr_t": number(expr.Int64), "uintptr_t": number(expr.Uint64), "off_t": number(expr.Int64), "ssize_t": number(expr.Int64),
	"uchar": number(expr.Uint8), "ushort": number(expr.Uint16), "uint": number(expr.Uint32), "ulong": number(expr.Uint64),
	"clock_t": number(expr.Int64), "half": number(expr.Float16), "bool": number(expr.Bool), "_Bool": number(expr.Bool),
	"int8_t": number(expr.Int8), "int16_t": number(expr.Int16), "int32_t": number(expr.Int32), "int64_t": number(expr.Int64),
	"uint8_t": number(expr.Uint8), "uint16_t": number(expr.Uint16), "uint32_t": number(expr.Uint32), "uint64_t": number(expr.Uint64),
}

// opaque are types of OpenCL C of which only the name matters.
var opaque = strings.Fields(`image1d_t image1d_array_t image1d_buffer_t image2d_t image2d_array_t image3d_t sampler_t queue_t
	clk_event_t reserve_id_t ndrange_t`)

// withVectors adds the vector types of some numbers: float2, float4 and so on. Those of three lanes in CUDA C are records of three numbers.
func withVectors(bases map[string]expr.DType, lanes ...int64) map[string]*ctype {
	all := map[string]*ctype{}
	maps.Copy(all, commonTypes)
	for base, t := range bases {
		for _, n := range lanes {
			name := fmt.Sprint(base, n)
			if v := t.Vector(n); n > 1 && v.Known() && (n != 3 || slices.Contains(lanes, 16)) {
				all[name] = number(v)
				all[name].name = name
				continue
			}
			of := newRecord(name, false)
			of.record.known, of.record.vector = true, n == 3
			for _, lane := range []string{"x", "y", "z"}[:min(n, 3)] {
				of.record.fields = append(of.record.fields, field{lane, number(t)})
			}
			all[name] = of
		}
	}
	return all
}

// Record is a structure or a union: what it holds, and where.
type Record struct {
	Name string
	// Size and Align are in bytes.
	Size, Align int64
	Fields      []Field
	Union       bool
	// Vector: it is a built-in vector of three lanes.
	Vector bool
	// Unknown says why its layout is not known; "" where it is.
	Unknown string
}

// Field is a member of a record. Those of records without a name, and of records that it derives from, are its own.
type Field struct {
	Name   string
	Offset int64 // in bytes
	// DType is the type of a number, or of the elements of an array or what a pointer points to; "" for other types.
	DType  expr.DType
	Record *Record // where it is a record, an array of them or a pointer to them
	Dims   []int64 // of an array, the outermost first
	// Pointer: it is a pointer.
	Pointer bool
	// Type is how C names the type.
	Type string
}

// Field is the member of a name; ok is false where there is none.
func (r *Record) Field(name string) (f Field, ok bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return f, false
}

// Elements is the number of elements of a member: 1 where it is no array.
func (f Field) Elements() int64 {
	n := int64(1)
	for _, d := range f.Dims {
		n *= d
	}
	return n
}

// inner is the layout of a record, or of the one that a pointer points to or an array has; nil for other types.
func (t *ctype) inner() *Record {
	in := t.innermost()
	if in.form == pointerForm {
		in = in.elem.innermost()
	}
	if in.form != recordForm || !in.record.known {
		return nil
	}
	return in.record.laidOut(in.name)
}

// laidOut is the layout of a record, by the rules of C++ on machines with 64-bit addresses (Itanium C++ ABI, 2.2; CUDA C++ Programming Guide 12, 5.3.2).
func (r *record) laidOut(name string) *Record {
	if r.layout != nil {
		return r.layout
	}
	l := &Record{Name: name, Union: r.union, Vector: r.vector, Align: 1, Unknown: r.why}
	if !r.known {
		l.Unknown = "its members are not known"
		return l
	}
	r.layout = l
	for _, f := range r.fields {
		size, known := f.t.size()
		if !known && l.Unknown == "" {
			l.Unknown = "the size of its member " + f.name + " is not known"
		}
		align := max(f.t.innermost().align(), 1)
		if r.packed {
			align = 1
		}
		l.Align = max(l.Align, align)
		at := int64(0)
		if !r.union {
			at = (l.Size + align - 1) / align * align
		}
		if empty := f.t.form == recordForm && len(f.t.record.fields) == 0; empty && f.name == "" {
			size = 0 // of an empty record that it derives from
		}
		l.add(f, at)
		l.Size = max(l.Size, at+size)
	}
	l.Align = max(l.Align, r.aligned)
	l.Size = max((l.Size+l.Align-1)/l.Align*l.Align, 1)
	return l
}

// add enters a member at an offset.
func (l *Record) add(f field, at int64) {
	if f.name == "" && f.t.form == recordForm {
		for _, inner := range f.t.record.laidOut(f.t.name).Fields {
			inner.Offset += at
			l.Fields = append(l.Fields, inner)
		}
		if f.t.record.union {
			l.Union = true
		}
		return
	}
	out := Field{Name: f.name, Offset: at, Type: f.t.String()}
	t := f.t
	for ; t.form == arrayForm; t = t.elem {
		n, ok := t.extent.(*Int)
		if !ok {
			l.Unknown = "an extent of its member " + f.name + " is not known"
			return
		}
		out.Dims = append(out.Dims, n.Value)
	}
	if t.form == pointerForm || t.alias {
		out.Pointer = true
		if t.form == pointerForm {
			t = t.elem.innermost()
		}
	}
	out.DType = t.dtype
	if t.form == recordForm && t.record.known {
		out.Record = t.record.laidOut(t.name)
	}
	l.Fields = append(l.Fields, out)
}

// MemberOf is a variable that stands for a member of a record, or of each record of an array: an array of numbers, or a number. It is nil for members
// that are neither, and for members of unions.
func MemberOf(whole *Var, path string) *Var {
	record := whole.Record
	v := &Var{
		Name: whole.Name + "_" + strings.ReplaceAll(path, ".", "_"), Pos: whole.Pos, Class: whole.Class, Dims: whole.Dims[:len(whole.Dims):len(whole.Dims)],
		Pointer: whole.Pointer, Restrict: whole.Restrict, Const: whole.Const, Whole: whole, Member: path,
	}
	names := strings.Split(path, ".")
	for i, name := range names {
		if record == nil || record.Union || record.Unknown != "" {
			return nil
		}
		f, ok := record.Field(name)
		last := i == len(names)-1
		if !ok || f.Pointer || !last && (f.DType != "" || len(f.Dims) > 0) || last && f.DType == "" {
			return nil
		}
		for _, d := range f.Dims {
			v.Dims = append(v.Dims, NewInt(whole.Pos, d))
		}
		record, v.DType = f.Record, f.DType
	}
	return v
}

// Subscripted is an expression in the place of another: an element of an array, with more subscripts where it has some.
func Subscripted(at Expr, of Expr, subs []Expr) Expr {
	if i, ok := of.(*Index); ok {
		of, subs = i.Of, append(i.Subs[:len(i.Subs):len(i.Subs)], subs...)
	}
	if len(subs) == 0 {
		return of
	}
	t := typed{Pos: at.Place(), DType: at.Type(), Elem: at.PointsTo()}
	return &Index{t, of, subs}
}
