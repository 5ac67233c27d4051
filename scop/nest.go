// Package scop finds the loop nests of C functions: the parts of a program that are static control, where loop bounds, conditions
// and subscripts are affine in the iterators of the loops around them and in integer parameters.
//
// A Nest lists statements. Each has a domain, the integer points at which it runs, over the iterators of its loops; an order
// (Statement.Order), whose values tell for any two points of any two statements which is first; what it assigns, as
// expressions of the kernel IR; and its accesses in the order in which a run makes them. Arrays have as many subscripts as
// dimensions, scalars have none. In the domain of a statement iterators have the names that the C text gives them; a Loop
// also has a name of its own in the nest.
//
// Load reads a file with package cfront and makes a nest of each region: build.go follows the statements, affine.go
// reads bounds, conditions and subscripts, value.go what is assigned. Anything that is not static control is refused with its place and the
// reason, and with the largest part of the region that is (refuse.go). Kernel makes a kernel of a nest (kernel.go), which is counted and
// shown like any other; Write and JSON print a nest (print.go).
package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Nest is a part of a function that is static control.
type Nest struct {
	Name string // of the function; with a number where it has several regions
	File string
	// First and Last are the lines of the region.
	First, Last int
	// Params are the integer variables that bounds, conditions, subscripts and extents use and that the region does not change, in the
	// order of their first use.
	Params []string
	// Given are the expressions that parameters stand for which are no variables, as grid_points[0]: their values before the region.
	Given map[string]cfront.Expr
	// Finals are the values after the region of integers that it assigns, as far as they are affine.
	Finals map[*cfront.Var][]Final
	// Counters are the variables that count its loops, also those of forms that are no for loops in the text.
	Counters map[*cfront.Var]bool
	// Context holds of the parameters: a set without dimensions.
	Context *polycount.Set
	Arrays  []*Array
	// Loops in the order of the text.
	Loops []*Loop
	// Statements in the order of the text.
	Statements []*Statement
	// Functions are those that expressions call besides the mathematical ones.
	Functions []*kernel.Function
	// Vars are the variables of the text behind parameters and arrays, by their names here.
	Vars map[string]*cfront.Var

	ordered error // why no device can run it
}

// Final is a value where a set of parameters holds; nil is everywhere.
type Final struct {
	When  *polycount.Set
	Value polycount.Affine
}

// Array is an array, or a scalar.
type Array struct {
	Name  string
	Pos   cfront.Pos
	DType expr.DType
	// Shape are the extents, outermost first, over the parameters; nil where the declaration leaves the outermost open. Scalars have none.
	Shape []expr.Expr
	// Local arrays live in the region only: what they hold before and after it is not used. Others are input and output.
	Local bool
	// Written: a statement of the region assigns to it.
	Written bool
	// Any are the dimensions in which some subscript depends on data or is not affine; nil if there is none. In these the subscripts of all accesses are 0, so that
	// they may be of one element; a statement that writes to the array also reads it, as it may leave what was there.
	Any []bool
	// Flat: it has one dimension in the text, of which the innermost of these are parts.
	Flat bool
	// Pointed: its rows are pointers.
	Pointed bool
}

// Scattered reports that some subscript of the array depends on data or is not affine.
func (a *Array) Scattered() bool { return a.Any != nil }

// Loop is a for loop.
type Loop struct {
	Iterator string // as in the C text
	Name     string // of the iterator, different for all loops of the nest
	DType    expr.DType
	Pos      cfront.Pos
	// Step is what the iterator changes by; negative for decreasing loops.
	Step int64
	// Outer are the loops around it, outermost first.
	Outer []*Loop
	// Bounds are the values of the iterator: a set over the iterators of the outer loops and this one. It may have several disjuncts.
	Bounds *polycount.Set
}

// Statement is an assignment.
type Statement struct {
	Name string // S0, S1, … in the order of the text
	Pos  cfront.Pos
	// Loops around it, outermost first.
	Loops []*Loop
	// Iterators of the loops, as the dimensions of Domain and the names in expressions.
	Iterators []string
	// Domain are the points at which it runs. Its tuple has the statement's name.
	Domain *polycount.Set
	// Order are 2·d+1 values, for d loops: positions among the statements and loops of a body, and between them the iterators,
	// negated for decreasing loops (Feautrier's schedule of the text as it is). Of two points, the one whose values are
	// lexicographically less is first.
	Order []polycount.Affine
	// LHS is an *expr.Access or, for scalars, an expr.Var.
	LHS, RHS expr.Expr
	// Guarded: the text assigns only if a condition on data holds. RHS is a choice then: of what is assigned, and else of what LHS has.
	Guarded bool
	// Accesses are the loads in their order, then the store. Both sides of ?: are accessed, unless affine conditions decide.
	Accesses []Access
}

// Access is one access of a statement.
type Access struct {
	Array *Array
	Write bool
	Index []polycount.Affine // over the iterators and the parameters
	// Where is the part of the statement's domain at which it is made; nil for all of it.
	Where *polycount.Set
}

// Within is the nest with its sets within a budget: what is found of it takes its work of that.
func (n *Nest) Within(b *polycount.Budget) *Nest {
	out := *n
	out.Context = n.Context.Within(b)
	loops := map[*Loop]*Loop{}
	out.Loops = make([]*Loop, len(n.Loops))
	for i, l := range n.Loops {
		own := *l
		own.Bounds = l.Bounds.Within(b)
		out.Loops[i], loops[l] = &own, &own
	}
	replaced := func(list []*Loop) []*Loop {
		list = slices.Clone(list)
		for i, l := range list {
			list[i] = loops[l]
		}
		return list
	}
	for _, l := range out.Loops {
		l.Outer = replaced(l.Outer)
	}
	out.Statements = make([]*Statement, len(n.Statements))
	for i, s := range n.Statements {
		own := *s
		own.Domain, own.Loops, own.Accesses = s.Domain.Within(b), replaced(s.Loops), slices.Clone(s.Accesses)
		for j := range own.Accesses {
			own.Accesses[j].Where = own.Accesses[j].Where.Within(b)
		}
		out.Statements[i] = &own
	}
	return &out
}

// Array is the array of that name, nil without one.
func (n *Nest) Array(name string) *Array {
	return lists.First(n.Arrays, func(a *Array) bool { return a.Name == name })
}

// Body is what stands in a loop of a nest that is made from others, or in the nest.
type Body struct {
	Loops []*Loop // around it, outermost first
	nest  *Nest
	order []polycount.Affine // of these
	place int64              // of what comes next
}

// Body is that of the nest, to which loops and statements are added in their order.
func (n *Nest) Body() *Body { return &Body{nest: n} }

func (b *Body) next() (order []polycount.Affine) {
	b.place++
	return appended(b.order, polycount.Int(b.place-1))
}

// Loop adds a loop of a name, with bounds over the loops around it and itself, and returns its body.
func (b *Body) Loop(name string, pos cfront.Pos, bounds *polycount.Set) *Body {
	l := &Loop{Iterator: name, Name: name, DType: expr.Int32, Pos: pos, Step: 1, Outer: slices.Clone(b.Loops), Bounds: bounds}
	b.nest.Loops = append(b.nest.Loops, l)
	return &Body{nest: b.nest, Loops: append(slices.Clip(b.Loops), l), order: append(b.next(), polycount.Name(name))}
}

// Add adds a statement, whose loops and order are those of the body.
func (b *Body) Add(s *Statement) {
	s.Loops, s.Order, s.Iterators = b.Loops, b.next(), nil
	for _, l := range b.Loops {
		s.Iterators = append(s.Iterators, l.Name)
	}
	b.nest.Statements = append(b.nest.Statements, s)
}
