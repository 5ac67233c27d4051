package cfront

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"gpuperf/internal/source"
)

// String is the function as text: brackets around every operation, types in the notation of kernels.
func (f *Function) String() string {
	w := &printer{}
	var params []string
	for _, v := range f.Params {
		params = append(params, variableText(v))
	}
	head := "function"
	if f.Kernel {
		head = "kernel"
	}
	if f.Group != nil {
		head += fmt.Sprint(f.Group)
	}
	result := string(f.Result)
	if result != "" {
		result = " " + result
	}
	w.line("%s %s(%s)%s", head, f.Name, strings.Join(params, ", "), result)
	w.block(f.Body)
	if f.Err != nil {
		w.line("  not read: %s", source.Message(f.Err))
	}
	return w.b.String()
}

// variableText is a declaration: its space and qualifiers, its type and name, its extents.
func variableText(v *Var) string {
	var b strings.Builder
	for _, word := range []struct {
		is   bool
		text string
	}{{v.Dynamic, "dynamic"}, {v.Const, "const"}, {v.Restrict, "restrict"}, {v.Reference, "ref"}, {v.Space != "", string(v.Space)}} {
		if word.is {
			b.WriteString(word.text + " ")
		}
	}
	t := string(v.DType)
	if t == "" {
		t = v.TypeName
	}
	b.WriteString(strings.TrimSpace(t + " " + v.Name))
	for i, d := range v.Dims {
		switch {
		case i == 0 && v.Pointer:
			b.WriteString("[*]")
		case d == nil:
			b.WriteString("[]")
		default:
			b.WriteString("[" + exprText(d) + "]")
		}
	}
	return b.String()
}

// printer writes statements, indented.
type printer struct {
	b      strings.Builder
	indent int
}

func (w *printer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, strings.Repeat("  ", w.indent)+format+"\n", args...)
}

// block writes the statements in one, or one alone.
func (w *printer) block(s Stmt) {
	w.indent++
	if b, ok := s.(*Block); ok {
		for _, inner := range b.Items {
			w.statement(inner)
		}
	} else {
		w.statement(s)
	}
	w.indent--
}

func (w *printer) statement(s Stmt) {
	switch x := s.(type) {
	case *Block:
		w.line("block")
		w.block(x)
	case *For:
		init := ""
		switch i := x.Init.(type) {
		case *Declare:
			init = declareText(i)
		case *Do:
			init = exprText(i.X)
		}
		w.line("for %s; %s; %s%s", init, exprText(x.Cond), exprText(x.Step), unrollText(x.Unroll))
		w.block(x.Body)
	case *While:
		do := ""
		if x.Do {
			do = "do "
		}
		w.line("%swhile %s%s", do, exprText(x.Cond), unrollText(x.Unroll))
		w.block(x.Body)
	case *If:
		w.line("if %s", exprText(x.Cond))
		w.block(x.Then)
		if x.Else != nil {
			w.line("else")
			w.block(x.Else)
		}
	case *Jump:
		w.line("%s", strings.TrimSpace(x.What+" "+exprText(x.Value)))
	case *Do:
		if x.X == nil {
			w.line("nothing")
			break
		}
		w.line("%s", exprText(x.X))
	case *Declare:
		w.line("%s", declareText(x))
	case *Other:
		w.line("other: %s", x.What)
		for _, inner := range x.Body {
			w.block(inner)
		}
	}
}

func unrollText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" unroll %d", n)
}

func declareText(d *Declare) string {
	var out []string
	for _, v := range d.Vars {
		text := variableText(v)
		if v.Init != nil {
			text += " = " + exprText(v.Init)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// exprText is an expression as text.
func exprText(e Expr) string {
	switch x := e.(type) {
	case nil:
		return ""
	case *Int:
		return fmt.Sprint(x.Value)
	case *Float:
		return fmt.Sprintf("%g:%s", x.Value, x.DType)
	case *Ref:
		return x.Var.Name
	case *Index:
		return exprText(x.Of) + "[" + texts(x.Subs) + "]"
	case *Lane:
		return exprText(x.X) + "." + strings.ReplaceAll(strings.Trim(fmt.Sprint(x.Lanes), "[]"), " ", ",")
	case *Member:
		return exprText(x.X) + "." + x.Name
	case *Address:
		return "&" + exprText(x.X)
	case *Unary:
		return "(" + x.Op + exprText(x.X) + ")"
	case *Binary:
		return "(" + exprText(x.X) + " " + x.Op + " " + exprText(x.Y) + ")" + typeText(x.typed)
	case *Select:
		return "(" + exprText(x.If) + " ? " + exprText(x.Then) + " : " + exprText(x.Else) + ")"
	case *Cast:
		return "(" + strings.TrimPrefix(typeText(x.typed), ":") + ")" + exprText(x.X)
	case *Vector:
		return strings.TrimPrefix(typeText(x.typed), ":") + "{" + texts(x.Elems) + "}"
	case *Call:
		return x.Func + "(" + texts(x.Args) + ")" + typeText(x.typed)
	case *Assign:
		if x.Step {
			return fmt.Sprintf("%s %s%s", exprText(x.To), x.Op, map[bool]string{false: "=", true: "after="}[x.After])
		}
		return exprText(x.To) + " " + x.Op + "= " + exprText(x.Value)
	case *List:
		return "{" + texts(x.Items) + "}"
	case *Make:
		name := x.Ctor
		if name == "" && x.Rec != nil {
			name = x.Rec.Name
		}
		return name + "{" + texts(x.Args) + "}"
	case *Unknown:
		return "unknown(" + x.What + ")"
	}
	return "?"
}

// typeText is the type of a value; of pointers with a star.
func typeText(t typed) string {
	switch {
	case t.DType != "":
		return ":" + string(t.DType)
	case t.Elem != "":
		return ":" + string(t.Elem) + "*"
	}
	return ""
}

func texts(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, exprText(e))
	}
	return strings.Join(out, ", ")
}

// What is asked of trees.

// All yields an expression and what is in it, an operation before its operands.
func All(e Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) { all(e, yield) }
}

func all(e Expr, yield func(Expr) bool) (goesOn bool) {
	if e == nil {
		return true
	}
	if !yield(e) {
		return false
	}
	for _, o := range Operands(e) {
		if !all(o, yield) {
			return false
		}
	}
	return true
}

// Any reports whether something holds for an expression, or for one in it.
func Any(e Expr, is func(Expr) bool) bool { return !all(e, func(e Expr) bool { return !is(e) }) }

// Statements yields a statement and those in it.
func Statements(s Stmt) iter.Seq[Stmt] {
	return func(yield func(Stmt) bool) { within(s, yield) }
}

func within(s Stmt, yield func(Stmt) bool) (goesOn bool) {
	if s == nil {
		return true
	}
	if !yield(s) {
		return false
	}
	inner, _ := Inside(s)
	return !slices.ContainsFunc(inner, func(s Stmt) bool { return !within(s, yield) })
}

// Everywhere yields the expressions in a statement and in those inside of it, each as All does.
func Everywhere(s Stmt) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		for s := range Statements(s) {
			_, exprs := Inside(s)
			for _, e := range exprs {
				if !all(e, yield) {
					return
				}
			}
		}
	}
}

// IsVar reports whether an expression is a variable.
func IsVar(e Expr, v *Var) bool {
	r, ok := e.(*Ref)
	return ok && r.Var == v
}

// Mentions reports whether a variable is in an expression.
func Mentions(e Expr, v *Var) bool { return Any(e, func(e Expr) bool { return IsVar(e, v) }) }

// Whole is the variable that an expression is a part of: an element, a member. It is nil for others.
func Whole(e Expr) *Var {
	switch x := e.(type) {
	case *Ref:
		return x.Var
	case *Index:
		return Whole(x.Of)
	case *Member:
		return Whole(x.X)
	}
	return nil
}
