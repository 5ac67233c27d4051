package scop

import (
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// given is the parameter that stands for an integer expression which the region does not change, such as an element of an array that it only reads, a member of
// a record or a product of parameters. ok is false for other expressions.
func (b *builder) given(e cfront.Expr) (value polycount.Affine, ok bool) {
	t := e.Type()
	if b.probing || !t.IsInteger() || !b.invariant(e) {
		return polycount.Affine{}, false
	}
	text, ok := Text(e)
	if !ok {
		return polycount.Affine{}, false
	}
	name, known := b.givens[text]
	if !known {
		name = b.fresh(nameOf(text))
		b.givens[text] = name
		b.nest.Given[name] = e
	}
	b.signless[name] = !t.IsSigned()
	b.parameter(name)
	return polycount.Name(name), true
}

// invariant reports that an expression has the same value wherever in the region it is evaluated, and can be evaluated before it.
func (b *builder) invariant(e cfront.Expr) bool {
	return !cfront.Any(e, func(e cfront.Expr) bool {
		switch x := e.(type) {
		case *cfront.Ref:
			return b.uses.written[x.Var] || b.uses.iterators[x.Var] || b.uses.declared[x.Var]
		case *cfront.Binary:
			d, known := x.Y.(*cfront.Int)
			return (x.Op == "/" || x.Op == "%") && (!known || d.Value == 0) // by 0 ends the program, where the text may not divide
		case *cfront.Call:
			return !b.pure(x)
		}
		return false
	})
}

// Text is an expression in C; ok is false for one that is no arithmetic on variables, elements and members.
func Text(e cfront.Expr) (text string, ok bool) {
	ok = true
	in := func(e cfront.Expr) string {
		text, one := Text(e)
		ok = ok && one
		return text
	}
	all := func(list []cfront.Expr, before, between, after string) string {
		parts := lists.Map(list, in)
		return before + strings.Join(parts, between) + after
	}
	switch x := e.(type) {
	case *cfront.Int:
		text = fmt.Sprint(x.Value)
	case *cfront.Ref:
		text = x.Var.Name
		if w := x.Var.Whole; w != nil {
			text, ok = w.Name+"."+x.Var.Member, len(w.Dims) == 0
		}
	case *cfront.Index:
		if r, named := x.Of.(*cfront.Ref); named && r.Var.Whole != nil {
			w := r.Var.Whole
			n := len(w.Dims)
			text = w.Name + all(x.Subs[:n], "[", "][", "]") + "." + r.Var.Member
			if len(x.Subs) > n {
				text += all(x.Subs[n:], "[", "][", "]")
			}
			break
		}
		text = in(x.Of) + all(x.Subs, "[", "][", "]")
	case *cfront.Member:
		text = in(x.X) + "." + x.Name
	case *cfront.Unary:
		text = x.Op + "(" + in(x.X) + ")"
	case *cfront.Binary:
		text = "(" + in(x.X) + " " + x.Op + " " + in(x.Y) + ")"
	case *cfront.Select:
		text = "(" + in(x.If) + " ? " + in(x.Then) + " : " + in(x.Else) + ")"
	case *cfront.Call:
		text = x.Func + "(" + all(x.Args, "", ", ", "") + ")"
	case *cfront.Cast:
		name, known := ctypes[x.DType]
		text, ok = "("+name+")"+in(x.X), ok && known
	default:
		return "", false
	}
	return text, ok
}

// ctypes are the types of C; those of 64 bits are what they are on machines whose addresses have 64 bits.
var ctypes = map[expr.DType]string{
	expr.Int8: "signed char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
	expr.Uint8: "unsigned char", expr.Uint16: "unsigned short", expr.Uint32: "unsigned int", expr.Uint64: "unsigned long",
}

// nameOf is a name made of the letters and digits of a text: grid_points_0 of grid_points[0].
func nameOf(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	name := strings.Join(words, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "given_" + name
	}
	return name
}
