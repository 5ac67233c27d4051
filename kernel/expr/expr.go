// Package expr holds the expressions of kernels: their nodes, their text form, their types, and their affine parts.
//
// Parse and String are inverse. ToAffine and FromAffine convert index expressions to and from polycount's quasi-affine
// form; PolyOf reads polynomials in the parameters.
package expr

import "math"

// Expr is an expression of a statement: immutable, printed by String in the syntax of instructions, which parses back.
// The node types are Int, Float, Var, Access, Op, Call, Cond, Cast and Reduce.
type Expr interface {
	String() string
	// children and rebuild carry every traversal: see Walk and Rewrite.
	children() []Expr
	rebuild(children []Expr) Expr
}

// Int is an integer literal.
type Int struct{ Value int64 }

// IntLiteral is the value of an integer literal, perhaps with a sign.
func IntLiteral(e Expr) (int64, bool) {
	switch x := e.(type) {
	case Int:
		return x.Value, true
	case *Op:
		if v, ok := x.Args[0].(Int); ok && x.Kind == Neg && v.Value != math.MinInt64 {
			return -v.Value, true
		}
	}
	return 0, false
}

// Float is a floating-point literal. Text is as written ("2.0f", "1e-3"). DType is Float32 for a suffix f, Float64 for a
// suffix d; without one it is "", and the literal takes the type of what it meets.
type Float struct {
	Value float64
	Text  string
	DType DType
}

// Var is an iname, a kernel parameter, a value argument or a scalar temporary.
type Var struct{ Name string }

// Access is an element of an array (argument, or temporary with a shape): a$tag[i, j]. Tag may be empty. With Lanes it is a
// vector of that many elements along the last axis, starting at the given one: a[i, 4*j; 4].
type Access struct {
	Array string
	Tag   string
	Index []Expr
	Lanes int64 // 0 for a single element, otherwise one of the package's Lanes
	// As is the type of what is accessed from the index on, or of each lane, where it is another than that of the array's elements: as members of
	// records are, whose arrays have elements of the size that divides all of them. "" where it is the same.
	As DType
}

// OpKind is an operator, written as in instructions.
type OpKind string

// The operators. Add, Mul, Min, Max, And, Or and the bitwise ones take two or more operands, Neg, Not and BitNot one,
// all others two.
const (
	Add      OpKind = "+"
	Sub      OpKind = "-"
	Mul      OpKind = "*"
	Div      OpKind = "/" // true division, also of integers
	FloorDiv OpKind = "//"
	Mod      OpKind = "%" // result has the sign of the divisor, as in Python
	Pow      OpKind = "**"
	Neg      OpKind = "neg"
	Shl      OpKind = "<<"
	Shr      OpKind = ">>"
	BitAnd   OpKind = "&"
	BitOr    OpKind = "|"
	BitXor   OpKind = "^"
	BitNot   OpKind = "~"
	Min      OpKind = "min"
	Max      OpKind = "max"
	Eq       OpKind = "=="
	Ne       OpKind = "!="
	Lt       OpKind = "<"
	Le       OpKind = "<="
	Gt       OpKind = ">"
	Ge       OpKind = ">="
	And      OpKind = "and"
	Or       OpKind = "or"
	Not      OpKind = "not"
)

// Op is an operator applied to its operands.
type Op struct {
	Kind OpKind
	Args []Expr
}

// Call is a call of a math function or of a user function declared by the kernel.
type Call struct {
	Func string
	Args []Expr
}

// Cond is `then if cond else other`: a select.
type Cond struct{ If, Then, Else Expr }

// Cast is cast(dtype, x).
type Cast struct {
	DType DType
	Arg   Expr
}

// Reduce is a reduction, written sum(k, body) or sum((k, l), body). Kind is "sum", "product", "max", "min", "any" or "all";
// or "argmax" or "argmin", written argmax(k, body, index): the value of index where body is greatest or least for the
// first time, or -1 if no body exceeds the neutral element of max (or is below that of min).
type Reduce struct {
	Kind   string
	Inames []string
	Body   Expr
	Index  Expr // of argmax and argmin, else nil

	// Extreme names the accumulator of the extreme value if another statement uses it too; else it is "".
	Extreme string
}
