package cfront

import (
	"strings"

	"gpuperf/kernel/expr"
)

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
