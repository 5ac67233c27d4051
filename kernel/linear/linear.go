// Package linear derives a program from a kernel: an explicit tree of sequential loops, guards, statements and
// barriers (Stevens and Klöckner, section 5, "program linearization").
//
// New orders the statements by their dependencies, opens and closes loops by their inames and the loop priorities,
// takes loop bounds and guards from the domain by projection, and places barriers from the read and write sets of
// local and global memory. The emitter, the interpreter and the barrier counts share this form.
package linear

import (
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// Nest is the linearized form of a kernel.
type Nest struct {
	// Kernel is the prepared kernel: reductions realized, rules expanded, types and address spaces known.
	Kernel *kernel.Kernel
	// Groups are the numbers of work-groups per axis 0, 1, 2, as piecewise-free bounds in the parameters: the count is the
	// smallest of 1 + floor(Num/Den) over the list, at least 0. Unused axes have the single bound 0/1 (one group).
	Groups [3][]polycount.Bound
	// Local are the work-group extents per axis, 1 where unused.
	Local [3]int64
	Body  []Node
}

// Node is Loop, Guard, Exec or Barrier.
type Node interface{ node() }

// Loop is a sequential loop over iname: from the largest of the lower bounds, rounded up, to the smallest of the upper
// bounds, rounded down, by Step.
type Loop struct {
	Iname        string
	Lower, Upper []polycount.Bound
	Step         int64
	Unroll       bool
	Body         []Node
}

// Guard runs its body where all conditions hold.
type Guard struct {
	// Conds are affine conditions that the domain needs and the loop bounds do not imply.
	Conds []polycount.Constraint
	// Predicates are conditions written by the user; they may read arrays.
	Predicates []kernel.Expr
	Body       []Node
}

// Exec runs one statement at the current point.
type Exec struct{ Stmt *kernel.Stmt }

// Barrier synchronizes the work-items of a group on memory of the given space (kernel.Local or kernel.Global).
type Barrier struct {
	Space kernel.Space
	// Why names the accesses that need it, for the comment in generated source: "a_fetch written by a_fetch_rule, read by update".
	Why string
}

func (*Loop) node()    {}
func (*Guard) node()   {}
func (*Exec) node()    {}
func (*Barrier) node() {}
