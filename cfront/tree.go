// Package cfront reads files of C, OpenCL C and CUDA C as small trees with types and places: functions, and of C the regions of them
// that #pragma scop marks.
//
// Files come only from the folder of the file and from those given by Options.Include (files.go), and input that would take too much is
// refused (read.go). The trees (tree.go, print.go) keep of C what loop nests and kernels are made of; any other construct becomes *Other
// or *Unknown, which name it, so that whoever analyses a tree can refuse it at its place.
//
// No compiler of the machine is needed. Tokens come from package cpp, and one parser (parser.go) reads all languages: declarations (external.go,
// specifiers.go, declarator.go) and the bodies of functions (function.go, statement.go, switch.go, operator.go, primary.go, call.go). Each of its
// parts is within the next: a typer gives expressions their types, a cursor passes tokens, a lookup knows names, the parser reads. dialect.go says how
// the languages differ. It checks what the trees need, not all that a compiler does. Of C all functions are read, in the order of the text
// (program.go); system headers are declarations of the package's own (include/). Of kernel languages the bodies are read that kernels need, those of
// templates once for each instance (template.go, value.go); cooperative groups become calls of the language (group.go); intrinsics.go says what
// the functions of the languages do.
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
	Builtin // of the language, as threadIdx of CUDA
)

// Space is an address space of kernel languages.
type Space string

// The address spaces. What C declares has none.
const (
	GlobalSpace   Space = "global"
	ConstantSpace Space = "constant"
	LocalSpace    Space = "local" // CUDA's shared memory
	PrivateSpace  Space = "private"
)

// Var is a variable.
type Var struct {
	Name  string
	Pos   Pos
	Class Class
	// DType is the type of a scalar or vector, or of the elements of an array; "" for types that are neither.
	DType expr.DType
	// Dims are the extents of an array, outermost first; an extent that the declaration leaves open is nil. Empty for scalars.
	Dims []Expr
	// Pointer: the outermost dimension is declared by a star. Restrict: it is a restrict pointer.
	Pointer, Restrict bool
	// Space is that of what a pointer points to, or of the variable itself.
	Space Space
	// Kept is the space of a pointer of the file that is in device memory itself, "" for others.
	Kept Space
	// Dynamic: the launch says how large the array is (extern __shared__ T s[]).
	Dynamic bool
	// Const: the variable, or what the pointer points to, is const or in constant memory.
	Const bool
	// Reference: the variable is another name of the array or the record that Init, or the argument of a call, names. References to numbers
	// and pointers are pointers in trees.
	Reference bool
	// Record is the record that the variable is, or that its elements are, or what the pointer points to.
	Record *Record
	// TypeName is how a kernel language names the type where DType is "": float3, struct point.
	TypeName string
	// Whole is the record, or the array of records, of which the variable stands for a member by the name Member, of each element.
	Whole  *Var
	Member string
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
	// Kernel: the host launches it (__kernel, __global__).
	Kernel bool
	// Result is the type of the value; "" for void, and for types that are no numbers. Elem is the type of what a pointer that it returns points to.
	Result, Elem expr.DType
	// Record is the record that it returns, or with Pointer one that it returns a pointer to.
	Record  *Record
	Pointer bool
	// Group are the extents of the work-group that reqd_work_group_size demands, or nil.
	Group []int64
	// MostItems are the work-items of a work-group that __launch_bounds__ allows; 0 is not said.
	MostItems int64
	// Err says why the body of a function of a kernel language was not read; it is empty then.
	Err error
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

// Stmt is *Block, *For, *While, *If, *Jump, *Do, *Declare or *Other.
type Stmt interface{ Place() Pos }

// Expr is *Int, *Float, *Ref, *Index, *Lane, *Member, *Address, *Unary, *Binary, *Select, *Cast, *Vector, *Call, *Assign, *List, *Make or
// *Unknown.
type Expr interface {
	Place() Pos
	// Type is the C type of the value; "" if kernels have none such.
	Type() expr.DType
	// PointsTo is the type of what a pointer or an array points to, through all dimensions of an array; "" for other values.
	PointsTo() expr.DType
	// Record is the record that the value is, or that a pointer or an array points to or has; nil for other values.
	Record() *Record
}

// Place is the place itself.
func (p Pos) Place() Pos { return p }

type typed struct {
	Pos
	DType expr.DType
	// Elem is the type of what a pointer points to. DType is "" then.
	Elem expr.DType
	// Rec is the record that the value is, or that it points to.
	Rec *Record
}

// Record is the record that the value is, or that a pointer or an array points to or has; nil for other values.
func (t typed) Record() *Record { return t.Rec }

// Type is the C type of the value.
func (t typed) Type() expr.DType { return t.DType }

// PointsTo is the type of what a pointer points to.
func (t typed) PointsTo() expr.DType { return t.Elem }

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
		// Broken: the text leaves it early; what it has of that is a condition on all that follows.
		Broken bool
		// Unroll is what a pragma or an attribute asks for: 0 nothing, -1 all iterations, else that many at a time; 1 forbids it.
		Unroll int
	}
	// While is a while loop; Do: the condition stands after the body.
	While struct {
		Pos
		Cond   Expr
		Body   Stmt
		Do     bool
		Unroll int // as of For
	}
	// If is a branch; Else may be nil.
	If struct {
		Pos
		Cond Expr
		Then Stmt
		Else Stmt
	}
	// Jump is break, continue, goto, or return, which may have a value.
	Jump struct {
		Pos
		What  string
		Value Expr
		Label string // of goto
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
		// Bare: statements that follow give the variables their values.
		Bare bool
	}
	// Other is a statement of another kind, with the statements in it, or some that stand for what it may do.
	Other struct {
		Pos
		What string // "a switch"
		Body []Stmt
		// Unread: the statement was left out, for the reason that What is.
		Unread bool
		// Label is the name of a label that stands before Body.
		Label string
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
	// Index is an element of an array, or an array within one. *p is p[0].
	Index struct {
		typed
		Of   Expr // *Ref, unless the array is an expression of another kind
		Subs []Expr
	}
	// Lane takes lanes of a vector: v.x, v.s03, v.lo. It may be assigned to.
	Lane struct {
		typed
		X     Expr
		Lanes []int
	}
	// Member is a member of a struct, or of a built-in variable, as x of threadIdx.
	Member struct {
		typed
		X    Expr
		Name string
	}
	// Address is &X.
	Address struct {
		typed
		X Expr
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
		// Func is the function that it was written as, such as __fdividef, which may be less exact than the operator; "" for the operator.
		Func string
	}
	// Select is If ? Then : Else.
	Select struct {
		typed
		If, Then, Else Expr
	}
	// Cast converts X to the type; to a pointer to Elem where that is set.
	Cast struct {
		typed
		X Expr
	}
	// Vector is a vector of its elements, which may be vectors themselves; a scalar alone is all its lanes.
	Vector struct {
		typed
		Elems []Expr
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
	// List evaluates expressions one after the other, for the value of the last: the comma operator.
	List struct {
		typed
		Items []Expr
	}
	// Make is a record that a constructor makes of values, or where Ctor is "" that has these values as members, and is 0 else.
	Make struct {
		typed
		Ctor string
		Args []Expr
	}
	// Unknown is an expression of another kind.
	Unknown struct {
		typed
		What string // "a string"
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
	return &Binary{typed: typed{Pos: at, DType: t}, Op: op, X: x, Y: y}
}

// common is the type of arithmetic on two types (C11, 6.3.1.8).
func common(a, b expr.DType) expr.DType {
	for _, t := range []expr.DType{expr.Float64, expr.Float32, expr.BFloat16, expr.Float16, expr.Uint64, expr.Int64, expr.Uint32} {
		if a == t || b == t {
			return t
		}
	}
	return expr.Int32
}

// Temporary is a new scalar that a value is kept in, and its use.
func Temporary(name string, like Expr) (*Var, *Ref) {
	v := &Var{Name: name, Pos: like.Place(), Class: Local, DType: like.Type()}
	return v, &Ref{typed{Pos: like.Place(), DType: like.Type()}, v}
}

// Use is the value of a variable.
func Use(v *Var) *Ref { return &Ref{typed{Pos: v.Pos, DType: v.DType, Rec: v.Record}, v} }

// Part is the member of a record that an expression is.
func Part(e Expr, f Field) Expr {
	t := typed{Pos: e.Place(), DType: f.DType, Rec: f.Record}
	if f.Pointer || len(f.Dims) > 0 {
		t.DType, t.Elem = "", f.DType
	}
	return &Member{t, e, f.Name}
}

// Lanes are all lanes of a vector.
func Lanes(e Expr) *Lane { return &Lane{typed: typed{Pos: e.Place(), DType: e.Type()}, X: e} }

// Element is the element of an array, or of what a pointer points to, at an index in its outermost dimension.
func Element(e Expr, i int64) Expr { return ElementAt(e, NewInt(e.Place(), i)) }

// ElementAt is such an element at an index that is computed.
func ElementAt(e, i Expr) Expr {
	return &Index{typed{Pos: e.Place(), DType: e.PointsTo(), Rec: e.Record()}, e, []Expr{i}}
}

// Operands lists the operands of e from left to right.
func Operands(e Expr) []Expr {
	switch x := e.(type) {
	case *Index:
		return append([]Expr{x.Of}, x.Subs...)
	case *Lane:
		return []Expr{x.X}
	case *Member:
		return []Expr{x.X}
	case *Address:
		return []Expr{x.X}
	case *Unary:
		return []Expr{x.X}
	case *Binary:
		return []Expr{x.X, x.Y}
	case *Select:
		return []Expr{x.If, x.Then, x.Else}
	case *Cast:
		return []Expr{x.X}
	case *Vector:
		return x.Elems
	case *Call:
		return x.Args
	case *Assign:
		return []Expr{x.To, x.Value}
	case *List:
		return x.Items
	case *Make:
		return x.Args
	case *Unknown:
		return x.Args
	}
	return nil
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
	case *While:
		add(x.Body)
		exprs = []Expr{x.Cond}
	case *Jump:
		exprs = []Expr{x.Value}
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
		for e := range All(e) {
			last = max(last, e.Place().Line)
		}
	}
	for _, inner := range stmts {
		_, l := Lines(inner)
		last = max(last, l)
	}
	return first, last
}

// AddressOf is &x.
func AddressOf(x Expr) *Address {
	return &Address{typed{Pos: x.Place(), Elem: x.Type(), Rec: x.Record()}, x}
}

// Constructor is the call that makes an object of x.
func (x *Make) Constructor(object Expr) *Call {
	return &Call{typed{Pos: x.Pos}, x.Ctor, append([]Expr{AddressOf(object)}, x.Args...)}
}

// Assignment is to = value.
func Assignment(to, value Expr) *Assign {
	return &Assign{typed: typed{Pos: value.Place(), DType: to.Type(), Elem: to.PointsTo(), Rec: to.Record()}, To: to, Value: value}
}

// Calling is the call of a function whose value is of the type of an expression.
func Calling(like Expr, name string, args ...Expr) *Call {
	return &Call{typed{Pos: like.Place(), DType: like.Type()}, name, args}
}

// Chosen is cond ? then : other, of the type of then.
func Chosen(cond, then, other Expr) *Select {
	return &Select{typed{Pos: cond.Place(), DType: then.Type()}, cond, then, other}
}

// Zero is the number 0.
func Zero(at Pos) *Int { return &Int{typed{Pos: at, DType: expr.Int32}, 0} }

// NewInt is an integer.
func NewInt(at Pos, n int64) *Int { return &Int{typed{Pos: at, DType: expr.Int32}, n} }
