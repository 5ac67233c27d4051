// Package linear derives a program from a kernel: an explicit tree of sequential loops, guards, statements and
// barriers (Stevens and Klöckner, section 5, "program linearization").
//
// New orders the statements by their dependencies, opens and closes loops by their inames and the loop priorities
// (tree.go, order.go), places barriers from the read and write sets of local and global memory (conflict.go,
// barrier.go), and takes loop bounds and guards from the domain by projection (bounds.go, guard.go). A kernel with explicit
// barriers keeps those that it has. The emitter, the interpreter and the barrier counts share this form.
package linear

import (
	"cmp"
	"slices"
	"sync"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
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
	Names  map[string]string
	axes   map[string]polycount.Affine // the same as expressions
	ranges ranges
	// Context is what holds at every work-item: dimensions are the axes in use, constraints their extents and the
	// kernel's assumptions.
	Context *polycount.Set
	// Suspects are writes of which data decides whether several work-groups write one element: each tells whether they may do
	// so at given sizes, as far as that is known.
	Suspects []func(sizes map[string]int64) bool

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
	// Rolled: compilers do not unroll it.
	Rolled bool
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
	// Ahead is that of the statement (kernel.Stmt).
	Ahead int64
}

func (*Loop) node()    {}
func (*Guard) node()   {}
func (*Exec) node()    {}
func (*Barrier) node() {}

var axisNames = map[kernel.TagKind][3]string{
	kernel.GroupAxis: {"gid(0)", "gid(1)", "gid(2)"}, kernel.LocalAxis: {"lid(0)", "lid(1)", "lid(2)"},
}

// Expr replaces hardware inames in e by axis names.
func (n *Nest) Expr(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		if v, ok := e.(expr.Var); ok {
			if axis, ok := n.Names[v.Name]; ok {
				return expr.Var{Name: axis}
			}
		}
		return e
	})
}

// Fixed is the value of an axis of extent one, or of a loop that makes one iteration, given its name or its iname.
func (n *Nest) Fixed(name string) (v int64, ok bool) {
	x, ok := n.ranges[cmp.Or(n.Names[name], name)]
	return x.lo, ok && x.lo == x.hi
}

// Sync is a barrier of the program.
type Sync struct {
	*Barrier
	// Domain has one point per execution by a work-item: dimensions are the sequential inames open around it, outermost first.
	Domain *polycount.Set
}

// Barriers lists the barriers in program order.
func (n *Nest) Barriers() ([]Sync, error) {
	// Bounds may depend on the group: what counts are the iterations that any group makes. Explicit barriers may depend on work-items.
	axes := lists.Where(n.Context.Dims(), func(d string) bool { return isGroup(d) || n.Kernel.ExplicitBarriers })
	base, err := n.Context.Project(axes...)
	if err != nil {
		return nil, err
	}
	var out []Sync
	err = throw.Try(func() { n.walkBarriers(n.Body, nil, base, &out) })
	return out, err
}

func (n *Nest) walkBarriers(body []Node, loops []string, domain *polycount.Set, out *[]Sync) {
	for _, node := range body {
		inner, open := domain, loops
		var inside []Node
		var conds []polycount.Constraint
		switch x := node.(type) {
		case *Barrier:
			d := throw.Get(domain.Project(loops...))
			*out = append(*out, Sync{x, d})
		case *Guard:
			inside, conds = x.Body, x.Conds
		case *Loop:
			inside, conds = x.Body, x.Constraints()
			inner, open = domain.AddDims(x.Iname), append(slices.Clone(loops), x.Iname)
		}
		if !EffectsOf(n.Kernel, inside).Barrier {
			continue
		}
		inner = throw.Get(inner.Constrain(conds...))
		n.walkBarriers(inside, open, inner, out)
	}
}

// Constraints say which values of the iname the loop visits. With a step there is one lower bound without divisor.
func (l *Loop) Constraints() []polycount.Constraint {
	cs := lists.Map(l.Lower, func(b polycount.Bound) polycount.Constraint { return kernel.AtLeast(l.Iname, b) })
	for _, b := range l.Upper {
		cs = append(cs, kernel.AtMost(l.Iname, b))
	}
	if l.Step > 1 {
		cs = append(cs, polycount.EQ(polycount.Name(l.Iname).Sub(l.Lower[0].Num).Mod(l.Step), polycount.Int(0)))
	}
	return cs
}

// fold shortens the bounds and conditions of the program by the ranges of axes and loops, which it collects for the indices.
func (b *builder) fold() {
	n := b.nest
	n.ranges = ranges{}
	for _, axis := range b.dims {
		if last, ok := b.axisRange(axis); ok && last >= 0 {
			n.ranges[axis] = interval{0, last}
		}
	}
	n.foldNodes(n.Body)
}
