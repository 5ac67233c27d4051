// Package kernel holds the kernel IR: loop nests as statements over a polyhedral domain.
//
// A Kernel has no loops and no order of execution: its statements carry the inames that they depend on, their
// dependencies and their predicates, and its domains say which points those inames take. Make reads a kernel from its
// text, Check verifies its invariants, and queries such as DomainOf, Reads and TypeOf answer what analyses ask. The
// methods in edit.go are the building blocks of transformations.
//
// Package kernel/expr holds the expressions, and kernel/transform the transformations, which take a kernel and return a new
// one. Package kernel/linear derives the linearized program: sequential loops, guards and barriers. Package kernel/script
// builds kernels from Starlark.
package kernel

import (
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Kernel is a loop nest. It is immutable: transformations copy what they change.
type Kernel struct {
	Name string

	// Domains are conjunctive sets, each over some inames, in the kernel's parameters. A later domain may use inames of an
	// earlier one as parameters, and any domain may use integer temporaries (Bounds). Each iname is a dimension of exactly
	// one domain.
	Domains []*polycount.Set
	// Assumptions hold for every launch: a set without dimensions, over parameters; nil for none.
	Assumptions *polycount.Set
	// Averages of expressions in data-dependent bounds. Only counts use them.
	Averages []Average
	// Doubts say what of the source is undefined, and at which sizes.
	Doubts []Doubt
	// Opaque are parts of the source that are not counted.
	Opaque []Opaque
	// Ranges are the integers of the source that may be beyond their types.
	Ranges []*Range
	// Divisors are sizes that indices are divided by, or that their bits are combined with: at a value of them such indices are known.
	Divisors []string
	// Fixed are numbers that indices are divided by which are values of sizes, so that compilers do not know them.
	Fixed []int64
	// Subgroup is what the source was read for where it asks how large sub-groups are or which of them a work-item is in; nil where it does not.
	Subgroup *Subgroup
	// Values of arguments that must not be arbitrary. Only runs use them.
	Values []Values

	// Statements in the order in which they were written. The order only breaks ties.
	Statements []*Stmt
	// Args are global arrays and value arguments, in the order of the generated kernel's parameter list.
	Args []*Array
	// Temps are temporaries: private scalars and arrays, local tiles, global scratch.
	Temps []*Array
	// Rules are substitution rules f(x) := expr, by name, in the order of definition.
	Rules []*Rule
	// Functions are those that expressions may call besides the mathematical ones, in the order of definition.
	Functions []*Function

	// Tags maps inames to hardware axes or loop treatments; an absent iname is a sequential loop.
	Tags map[string]Tag
	// Priorities are partial nesting orders, outermost first; a later one gives way to those before it.
	Priorities [][]string
	// ExplicitBarriers: the barriers are the LocalBarrier statements alone, as in a kernel that somebody wrote. Whether they suffice only a run tells.
	ExplicitBarriers bool
	// Resident is how many work-groups a multiprocessor is to have at once, for compilers that can be told, which limit registers to that; 0 says nothing.
	Resident int64
}

// Stmt is a statement. It runs once for each point of the domain projected on Inames for which all Predicates hold.
type Stmt struct {
	ID     string
	Kind   StmtKind
	LHS    expr.Expr // Access or Var; nil for barriers and no-ops
	RHS    expr.Expr
	Inames []string // sorted
	// Deps are IDs of statements that must have run before, for the same values of the inames that both share.
	Deps       []string
	Predicates []expr.Expr
	Tags       []string
	// NoSync names statements that share memory with this one and need no barrier, as ID or ID@space: the user asserts
	// what the analysis of accesses cannot see.
	NoSync []string
	// Priority breaks ties: of the statements that may come next, the one with the greatest priority does.
	Priority int
	// Memory is what a LocalBarrier orders: Global for accesses to global and local memory, else to local memory alone.
	Memory Space
	// Ahead, of a copy to local memory: 1 if it may be under way until a barrier awaits it. Of a LocalBarrier: 1 more than the number of barriers with Ahead up to this one for which such copies
	// may still be under way that were begun since the one before; 0 awaits none.
	Ahead int64
	// Atomic: the statement is an Update of an element that other work-items may update at the same time.
	Atomic bool
	// Guarded: RHS is a choice, of what the text assigns where a condition on data holds and else of what LHS has, which nothing loads.
	Guarded bool
	// At is where the statement stands in the text that it was read from; the zero place where nobody says it.
	At Place
	// Places are where the accesses of the statement stand in the text that it was read from, in the order of Exprs and Accesses; nil where
	// nobody says it.
	Places []Place
}

// Subgroup says how many work-items the sub-groups have that a text was read for, and where it first asks for them.
type Subgroup struct {
	Size int64
	At   Place
}

// Place is where something stands in a text.
type Place struct {
	File string
	source.Pos
}

// StmtKind tells what a statement does.
type StmtKind uint8

// The kinds of statement.
const (
	Assign StmtKind = iota
	LocalBarrier
	GlobalBarrier
	Nop
)

// Space is an address space.
type Space string

// The address spaces; Auto is resolved by Prepare.
const (
	Auto    Space = ""
	Global  Space = "global"
	Local   Space = "local"
	Private Space = "private"
	// Constant is where arrays of global memory that are marked so are read from: their own cache (Array.Memory).
	Constant Space = "constant"
)

// Array is an array argument, a value argument (Space Private, no Shape, IsValue) or a temporary.
type Array struct {
	Name  string
	DType expr.DType // "" until declared or inferred
	Space Space
	// Shape in elements per axis: expressions over parameters. Empty for scalars; nil on a global argument until inferred.
	Shape []expr.Expr
	// Axes gives the layout, one per axis of Shape; nil is C order (the last axis has stride 1).
	Axes []Axis
	// Offset in elements, added to every flattened index; nil is 0.
	Offset expr.Expr
	// IsValue marks a scalar passed by value.
	IsValue bool
	// Constant marks constant memory: __constant of OpenCL C, __constant__ of CUDA C.
	Constant bool
	// Contents are what the source gives constant memory, from the first element on, the others are 0; nil where it is an argument. Only runs use them.
	Contents []float64
	// Dynamic: the launch says how large the local memory is, and not the source.
	Dynamic bool
	// PerItem marks a private temporary of which each work-item has exactly one, even if the statements that use it have
	// different inames on the hardware axes. Only dependencies order these statements.
	PerItem bool
}

// Memory is the memory that accesses to the array are counted in: its address space, or Constant.
func (a *Array) Memory() Space {
	if a.Constant {
		return Constant
	}
	return a.Space
}

// TypeOf is the type of what an access takes, or of each of its lanes.
func (a *Array) TypeOf(x *expr.Access) expr.DType {
	if x.As != "" {
		return x.As
	}
	return a.DType
}

// Span is the number of elements of the array that an access takes, from its index on along the last axis.
func (a *Array) Span(x *expr.Access) int64 {
	if x.As == "" || a.DType == "" {
		return max(x.Lanes, 1)
	}
	return max(x.Lanes, 1) * x.As.Size() / a.DType.Size()
}

// Axis is the layout of one array axis.
type Axis struct {
	Nest   int       // nesting level: 0 varies fastest ("N0")
	Stride expr.Expr // in elements; nil derives it from the nesting and the shape
}

// Rule is a substitution rule Name(Args...) := Body.
type Rule struct {
	Name string
	Args []string
	Body expr.Expr
}

// TagKind is what becomes of the loop over an iname.
type TagKind uint8

// The kinds of iname tag.
const (
	Sequential TagKind = iota
	GroupAxis          // g.N
	LocalAxis          // l.N
	LocalAuto          // l.auto, resolved by Prepare
	Unroll             // unr
	ILP                // ilp
	Rolled             // rolled: Sequential, and compilers do not unroll it
	Kept               // kept: Rolled, whatever types its counter has
	Matrix             // mma: of a statement that instructions of a sub-group make, which multiply matrices (Product)
)

// Tag is an iname tag, written "g.0", "l.1", "l.auto", "unr", "ilp", "mma" or "for".
type Tag struct {
	Kind TagKind
	Axis int // for GroupAxis and LocalAxis: 0, 1 or 2
}
