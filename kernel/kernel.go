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
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

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
	// Atomic: the statement is an Update of an element that other work-items may update at the same time.
	Atomic bool
	// At is where the statement stands in the text that it was read from; the zero place where nobody says it.
	At Place
	// Places are where the accesses of the statement stand in the text that it was read from, in the order of Exprs and Accesses; nil where
	// nobody says it.
	Places []Place
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
)

// Tag is an iname tag, written "g.0", "l.1", "l.auto", "unr", "ilp" or "for".
type Tag struct {
	Kind TagKind
	Axis int // for GroupAxis and LocalAxis: 0, 1 or 2
}

// SpaceOf is the address space of a variable: the declared one, or, for a temporary without one, global where a group
// iname indexes an assignment to it, local where a local iname does, else private (Loopy's rule).
func (k *Kernel) SpaceOf(name string) Space {
	a := k.Array(name)
	if a == nil {
		return Private
	}
	if a.Space != Auto {
		return a.Space
	}
	if !k.IsTemp(name) {
		if a.IsValue {
			return Private
		}
		return Global
	}
	space := Private
	for _, w := range k.Writers(name) {
		acc, ok := w.LHS.(*expr.Access)
		if !ok {
			continue
		}
		for _, e := range acc.Index {
			expr.FreeVars(e, func(n string) {
				switch k.Tags[n].Kind {
				case GroupAxis:
					space = Global
				case LocalAxis, LocalAuto:
					if space == Private {
						space = Local
					}
				}
			})
		}
	}
	return space
}

// String is the IR as text. Its statements and rules are in the syntax of ParseInstructions, its domains and
// assumptions in isl's notation.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\n", k.Name)
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s:\n  %s\n", title, strings.Join(lines, "\n  "))
		}
	}
	section("domains", texts(k.Domains))
	if k.Assumptions != nil {
		section("assumptions", []string{k.Assumptions.String()})
	}
	section("averages", texts(k.Averages))
	section("values", texts(k.Values))
	var tags, priorities []string
	for _, n := range k.Inames() {
		if t, ok := k.Tags[n]; ok {
			tags = append(tags, n+": "+t.String())
		}
	}
	section("inames", tags)
	for _, p := range k.Priorities {
		priorities = append(priorities, strings.Join(p, ", "))
	}
	section("loop priorities", priorities)
	if k.ExplicitBarriers {
		section("barriers", []string{"those of the statements"})
	}
	section("arguments", texts(k.Args))
	section("temporaries", texts(k.Temps))
	section("rules", texts(k.Rules))
	section("functions", texts(k.Functions))
	section("statements", texts(k.Statements))
	return b.String()
}

func texts[T fmt.Stringer](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, x.String())
	}
	return out
}

// Key identifies the kernel by its content: equal kernels have equal keys.
func (k *Kernel) Key() string {
	sum := sha256.Sum256([]byte(k.String()))
	return hex.EncodeToString(sum[:])
}

// String describes the array: name, type, address space, shape, layout.
func (a *Array) String() string {
	dtype, space := string(a.DType), string(a.Space)
	if dtype == "" {
		dtype = "?"
	}
	switch {
	case a.IsValue:
		space = "value"
	case a.Constant:
		space = "constant"
	case a.Space == Auto:
		space = "auto"
	}
	text := fmt.Sprintf("%s: %s %s", a.Name, space, dtype)
	if a.PerItem {
		text += " per work-item"
	}
	if a.Shape == nil && !a.IsValue {
		text += " [?]"
	} else if len(a.Shape) > 0 {
		text += " [" + strings.Join(texts(a.Shape), ", ") + "]"
	}
	if a.Axes != nil {
		var items []string
		for _, x := range a.Axes {
			if x.Stride != nil {
				items = append(items, "stride:"+x.Stride.String())
			} else {
				items = append(items, fmt.Sprintf("N%d", x.Nest))
			}
		}
		text += " layout " + strings.Join(items, ",")
	}
	if a.Offset != nil {
		text += " offset " + a.Offset.String()
	}
	return text
}

// String prints the statement with all its attributes: ParseInstructions reads it back.
func (s *Stmt) String() string {
	var b strings.Builder
	switch s.Kind {
	case Assign:
		b.WriteString(s.LHS.String() + " = " + s.RHS.String())
	case LocalBarrier:
		b.WriteString("... lbarrier")
	case GlobalBarrier:
		b.WriteString("... gbarrier")
	case Nop:
		b.WriteString("... nop")
	}
	b.WriteString("  {id=" + s.ID)
	for _, a := range []struct {
		key  string
		list []string
	}{{"inames", s.Inames}, {"dep", s.Deps}, {"tags", s.Tags}, {"nosync", s.NoSync}} {
		if len(a.list) > 0 {
			b.WriteString(", " + a.key + "=" + strings.Join(a.list, ":"))
		}
	}
	if s.Priority != 0 {
		b.WriteString(", priority=" + strconv.Itoa(s.Priority))
	}
	if s.Memory != Auto {
		b.WriteString(", mem_kind=" + string(s.Memory))
	}
	if s.Atomic {
		b.WriteString(", atomic")
	}
	for i, p := range s.Predicates {
		b.WriteString(map[bool]string{true: ", if=", false: ":"}[i == 0] + p.String())
	}
	b.WriteString("}")
	return b.String()
}

// String prints the rule as ParseInstructions reads it.
func (r *Rule) String() string {
	head := r.Name
	if len(r.Args) > 0 {
		head += "(" + strings.Join(r.Args, ", ") + ")"
	}
	return head + " := " + r.Body.String()
}
