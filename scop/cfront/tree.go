// Package cfront reads C files as small trees with types and places: functions, and the regions of them that
// #pragma scop marks.
//
// Read preprocesses, parses and checks a file with modernc.org/cc/v4, without a compiler of the machine: system headers are
// declarations of the package's own (include/), and files come only from the folder of the file and from those given by
// Options.Include (files.go). Input that would take too much is refused (limits.go). The trees (tree.go) keep of C what loop
// nests are made of; any other construct becomes *Other or *Unknown, which name it, so that whoever analyses a tree can
// refuse it at its place.
package cfront

import (
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// Pos is a place in one of the files that were read.
type Pos struct {
	File string // as Read or #include named it
	source.Pos
}

// Class says where a variable is declared.
type Class uint8

// The classes of variables.
const (
	Global Class = iota
	Param
	Local
)

// Var is a variable.
type Var struct {
	Name  string
	Pos   Pos
	Class Class
	// DType is the type of a scalar, or of the elements of an array; "" for types that are neither.
	DType expr.DType
	// Dims are the extents of an array, outermost first; an extent that the declaration leaves open is nil. Empty for scalars.
	Dims []Expr
	// Pointer: the outermost dimension is declared by a star. Restrict: it is a restrict pointer.
	Pointer, Restrict bool
	// Init is the value that its declaration gives it, or nil.
	Init Expr
	// Listed: the declaration has a list of values.
	Listed bool
}

// Function is a function with a body.
type Function struct {
	Name   string
	Pos    Pos
	Params []*Var
	Body   *Block
}

// Region is a part of a function: all of its body, or the statements between #pragma scop and #pragma endscop.
type Region struct {
	Name     string
	Function *Function
	Items    []Stmt
	// First and Last are the lines that it takes in the main file.
	First, Last int
	// Marked: pragmas mark it.
	Marked bool
}

// Stmt is *Block, *For, *If, *Do, *Declare or *Other.
type Stmt interface{ Place() Pos }

// Expr is *Int, *Float, *Ref, *Index, *Unary, *Binary, *Select, *Cast, *Call, *Assign or *Unknown.
type Expr interface {
	Place() Pos
	// Type is the C type of the value; "" if kernels have none such.
	Type() expr.DType
}

// Place is the place itself.
func (p Pos) Place() Pos { return p }

type typed struct {
	Pos
	DType expr.DType
}

// Type is the C type of the value.
func (t typed) Type() expr.DType { return t.DType }

// The kinds of statements.
type (
	// Block is a list of statements in braces.
	Block struct {
		Pos
		Items []Stmt
		Last  int // line of the closing brace
	}
	// For is a for loop. Init, Cond and Step may be nil.
	For struct {
		Pos
		Init Stmt
		Cond Expr
		Step Expr
		Body Stmt
	}
	// If is a branch; Else may be nil.
	If struct {
		Pos
		Cond Expr
		Then Stmt
		Else Stmt
	}
	// Do evaluates an expression for its effect; nil for the empty statement.
	Do struct {
		Pos
		X Expr
	}
	// Declare declares variables.
	Declare struct {
		Pos
		Vars []*Var
	}
	// Other is a statement of another kind, with the statements in it.
	Other struct {
		Pos
		What string // "a while loop"
		Body []Stmt
	}
)

// The kinds of expressions.
type (
	// Int is an integer constant, also one that the compiler computes.
	Int struct {
		typed
		Value int64
	}
	// Float is a floating-point literal.
	Float struct {
		typed
		Value float64
	}
	// Ref is the value of a variable.
	Ref struct {
		typed
		Var *Var
	}
	// Index is an element of an array.
	Index struct {
		typed
		Of   Expr // *Ref, unless the array is an expression of another kind
		Subs []Expr
	}
	// Unary applies -, !, ~ or + to X.
	Unary struct {
		typed
		Op string
		X  Expr
	}
	// Binary is X Op Y.
	Binary struct {
		typed
		Op   string
		X, Y Expr
	}
	// Select is If ? Then : Else.
	Select struct {
		typed
		If, Then, Else Expr
	}
	// Cast converts X to the type.
	Cast struct {
		typed
		X Expr
	}
	// Call calls a function by its name.
	Call struct {
		typed
		Func string
		Args []Expr
	}
	// Assign is To Op= Value; Op is empty for =. Of x++ and --x Value is 1 and Step is true; After: its value is the one before.
	Assign struct {
		typed
		Op          string
		To, Value   Expr
		Step, After bool
	}
	// Unknown is an expression of another kind.
	Unknown struct {
		typed
		What string // "a member of a struct"
		Args []Expr
	}
)

// Operation is x op y, of the type that C gives it.
func Operation(at Pos, op string, x, y Expr) *Binary {
	t := expr.DType(expr.Int32)
	if op != "<<" && op != ">>" {
		t = common(x.Type(), y.Type())
	} else if x.Type().Size() > 4 {
		t = x.Type()
	}
	return &Binary{typed{at, t}, op, x, y}
}

// common is the type of arithmetic on two types (C11, 6.3.1.8).
func common(a, b expr.DType) expr.DType {
	for _, t := range []expr.DType{expr.Float64, expr.Float32, expr.Uint64, expr.Int64, expr.Uint32} {
		if a == t || b == t {
			return t
		}
	}
	return expr.Int32
}

// Temporary is a new scalar that a value is kept in, and its use.
func Temporary(name string, like Expr) (*Var, *Ref) {
	v := &Var{Name: name, Pos: like.Place(), Class: Local, DType: like.Type()}
	return v, &Ref{typed{like.Place(), like.Type()}, v}
}

// Use is the value of a variable.
func Use(v *Var) *Ref { return &Ref{typed{v.Pos, v.DType}, v} }

// Operands lists the operands of e from left to right.
func Operands(e Expr) []Expr {
	switch x := e.(type) {
	case *Index:
		return append([]Expr{x.Of}, x.Subs...)
	case *Unary:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.X, x.Y}
	case *Select:
		return []Expr{x.If, x.Then, x.Else}
	case *Cast:
		return []Expr{x.X}
	case *Call:
		return x.Args
	case *Assign:
		return []Expr{x.To, x.Value}
	case *Unknown:
		return x.Args
	}
	return nil
}

// Walk visits e and its operands.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, o := range Operands(e) {
		Walk(o, visit)
	}
}

// Inside lists the statements directly in s, and its own expressions.
func Inside(s Stmt) (stmts []Stmt, exprs []Expr) {
	add := func(s Stmt) {
		if s != nil {
			stmts = append(stmts, s)
		}
	}
	switch x := s.(type) {
	case *Block:
		stmts = x.Items
	case *For:
		add(x.Init)
		add(x.Body)
		exprs = []Expr{x.Cond, x.Step}
	case *If:
		add(x.Then)
		add(x.Else)
		exprs = []Expr{x.Cond}
	case *Do:
		exprs = []Expr{x.X}
	case *Declare:
		for _, v := range x.Vars {
			exprs = append(exprs, v.Init)
			exprs = append(exprs, v.Dims...)
		}
	case *Other:
		stmts = x.Body
	}
	return stmts, exprs
}

// Lines are the first and the last line of s.
func Lines(s Stmt) (first, last int) {
	first = s.Place().Line
	last = first
	if b, ok := s.(*Block); ok {
		return first, b.Last
	}
	stmts, exprs := Inside(s)
	for _, e := range exprs {
		Walk(e, func(e Expr) { last = max(last, e.Place().Line) })
	}
	for _, inner := range stmts {
		_, l := Lines(inner)
		last = max(last, l)
	}
	return first, last
}
