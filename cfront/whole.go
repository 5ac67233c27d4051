package cfront

import "strings"

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
