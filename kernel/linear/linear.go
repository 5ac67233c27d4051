// Package linear derives a program from a kernel: an explicit tree of sequential loops, guards, statements and
// barriers (Stevens and Klöckner, section 5, "program linearization").
//
// New orders the statements by their dependencies, opens and closes loops by their inames and the loop priorities
// (tree.go, order.go), places barriers from the read and write sets of local and global memory (conflict.go,
// barrier.go), and takes loop bounds and guards from the domain by projection (bounds.go, guard.go). The emitter, the
// interpreter and the barrier counts share this form.
package linear

import (
	"fmt"
	"slices"
	"sync"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Nest is the linearized form of a kernel. Its bounds and conditions are over the parameters, the sequential inames that
// are open, and the hardware axes under the names that Axis gives; expressions of statements keep their inames, which
// Names translates.
type Nest struct {
	// Kernel is the prepared kernel: reductions realized, rules expanded, types and address spaces known.
	Kernel *kernel.Kernel
	// Groups are the numbers of work-groups per axis 0, 1, 2, as bounds in the parameters: the count is the
	// smallest of 1 + floor(Num/Den) over the list, at least 0. Unused axes have the single bound 0/1 (one group).
	Groups [3][]polycount.Bound
	// Local are the work-group extents per axis, 1 where unused; 0 where the kernel's are not constant, in which case the
	// nest can be counted but not run.
	Local [3]int64
	Body  []Node
	// Names maps the inames on hardware axes to the names of their axes ("i_inner" to "lid(1)").
	Names map[string]string
	// Context is what holds at every work-item: dimensions are the axes in use, constraints their extents and the
	// kernel's assumptions.
	Context *polycount.Set

	makeSlots sync.Once
	slots     map[string]int
	mu        sync.Mutex // of what follows
	indices   map[expr.Expr]*Index
	layouts   map[*kernel.Array]*Layout
}

// Node is *Loop, *Guard, *Exec or *Barrier.
type Node interface{ node() }

// Loop is a sequential loop over iname: from the largest of the lower bounds, rounded up, to the smallest of the upper
// bounds, rounded down, by Step.
type Loop struct {
	Iname        string
	Lower, Upper []polycount.Bound
	Step         int64
	// Unroll asks for one copy of the body per iteration; the bounds are then constants.
	Unroll bool
	Body   []Node
}

// Guard runs its body where all conditions hold.
type Guard struct {
	// Conds are affine conditions that the domain needs and the loop bounds do not imply.
	Conds []polycount.Constraint
	// Predicates are conditions written by the user; they may read arrays.
	Predicates []expr.Expr
	Body       []Node
}

// Exec runs one statement at the current point.
type Exec struct{ Stmt *kernel.Stmt }

// Barrier synchronizes the work-items of a group on memory of the given space (kernel.Local or kernel.Global; the latter
// orders local memory as well).
type Barrier struct {
	Space kernel.Space
	// Why names the accesses that need it, for the comment in generated source: "a_fetch written by a_fetch_rule, read by update".
	Why string
}

func (*Loop) node()    {}
func (*Guard) node()   {}
func (*Exec) node()    {}
func (*Barrier) node() {}

// Axis is the name of the hardware axis that a tag maps to, "gid(0)" to "lid(2)"; "" for other tags.
func Axis(t kernel.Tag) string {
	switch t.Kind {
	case kernel.GroupAxis:
		return fmt.Sprintf("gid(%d)", t.Axis)
	case kernel.LocalAxis:
		return fmt.Sprintf("lid(%d)", t.Axis)
	}
	return ""
}

// Expr replaces hardware inames in e by axis names.
func (n *Nest) Expr(e expr.Expr) expr.Expr { return onAxes(e, n.Names) }

func onAxes(e expr.Expr, names map[string]string) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if v, ok := e.(expr.Var); ok {
			if axis, ok := names[v.Name]; ok {
				return expr.Var{Name: axis}
			}
		}
		return e
	})
}

// Sync is a barrier of the program.
type Sync struct {
	*Barrier
	// Loops are the sequential inames open around it, outermost first.
	Loops []string
	// Domain has one point per execution by a work-item: dimensions are Loops.
	Domain *polycount.Set
}

// Barriers lists the barriers in program order.
func (n *Nest) Barriers() ([]Sync, error) {
	// Bounds may depend on the group: what counts are the iterations that any group makes.
	var groups []string
	for _, d := range n.Context.Dims() {
		if isGroup(d) {
			groups = append(groups, d)
		}
	}
	base, err := n.Context.Project(groups...)
	if err != nil {
		return nil, err
	}
	var out []Sync
	err = n.walkBarriers(n.Body, nil, base, &out)
	return out, err
}

func (n *Nest) walkBarriers(body []Node, loops []string, domain *polycount.Set, out *[]Sync) error {
	for _, node := range body {
		switch x := node.(type) {
		case *Barrier:
			d, err := domain.Project(loops...)
			if err != nil {
				return err
			}
			*out = append(*out, Sync{x, loops, d})
		case *Guard:
			if !holdsBarrier(x.Body) {
				continue
			}
			inner, err := domain.Constrain(x.Conds...)
			if err == nil {
				err = n.walkBarriers(x.Body, loops, inner, out)
			}
			if err != nil {
				return err
			}
		case *Loop:
			if !holdsBarrier(x.Body) {
				continue
			}
			open := append(append([]string(nil), loops...), x.Iname)
			inner, err := domain.AddDims(x.Iname).Constrain(x.Constraints()...)
			if err == nil {
				err = n.walkBarriers(x.Body, open, inner, out)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func holdsBarrier(body []Node) bool {
	return slices.ContainsFunc(body, func(node Node) bool {
		switch x := node.(type) {
		case *Barrier:
			return true
		case *Guard:
			return holdsBarrier(x.Body)
		case *Loop:
			return holdsBarrier(x.Body)
		}
		return false
	})
}

// Constraints say which values of the iname the loop visits. With a step there is one lower bound without divisor.
func (l *Loop) Constraints() []polycount.Constraint {
	x := polycount.Name(l.Iname)
	var cs []polycount.Constraint
	for _, b := range l.Lower {
		cs = append(cs, lowerBound(x, b))
	}
	for _, b := range l.Upper {
		cs = append(cs, upperBound(x, b))
	}
	if l.Step > 1 {
		cs = append(cs, polycount.EQ(x.Sub(l.Lower[0].Num).Mod(l.Step), polycount.Int(0)))
	}
	return cs
}

func lowerBound(x polycount.Affine, b polycount.Bound) polycount.Constraint {
	return polycount.GE(x.Scale(b.Den), b.Num)
}

func upperBound(x polycount.Affine, b polycount.Bound) polycount.Constraint {
	return polycount.GE(b.Num, x.Scale(b.Den))
}
