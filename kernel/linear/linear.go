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
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gpuperf/internal/intmath"
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
	var axes []string
	for _, d := range n.Context.Dims() {
		if isGroup(d) || n.Kernel.ExplicitBarriers {
			axes = append(axes, d)
		}
	}
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
	var cs []polycount.Constraint
	for _, b := range l.Lower {
		cs = append(cs, kernel.AtLeast(l.Iname, b))
	}
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

// Effects are what a program does that keeps loads where they are: compilers neither move them out of a loop with such effects nor
// keep what they loaded across them.
type Effects struct {
	Stores  []string // arrays that are written, sorted
	Barrier bool
	Guard   bool
}

// EffectsOf returns the effects of the body of a loop or of a whole program.
func EffectsOf(k *kernel.Kernel, body []Node) (e Effects) {
	for _, n := range body {
		var inner Effects
		switch n := n.(type) {
		case *Barrier:
			inner.Barrier = true
		case *Guard:
			inner = EffectsOf(k, n.Body)
			inner.Guard = true
		case *Loop:
			inner = EffectsOf(k, n.Body)
		case *Exec:
			for _, w := range k.Writes(n.Stmt) {
				inner.Stores = append(inner.Stores, w.Array)
			}
		}
		e.Stores = append(e.Stores, inner.Stores...)
		e.Barrier, e.Guard = e.Barrier || inner.Barrier, e.Guard || inner.Guard
	}
	slices.Sort(e.Stores)
	e.Stores = slices.Compact(e.Stores)
	return e
}

// Pins reports whether loads of an array stay inside of a loop with these effects.
func (e Effects) Pins(array string) bool {
	return e.Barrier || e.Guard || slices.Contains(e.Stores, array)
}

// GroupsAt is the number of work-groups along each axis at the given values of the parameters.
func (n *Nest) GroupsAt(params map[string]int64) (groups [3]int64, err error) {
	for axis, bounds := range n.Groups {
		count := int64(math.MaxInt64)
		for _, b := range bounds {
			v, err := b.Num.Eval(params)
			if err != nil {
				return groups, fmt.Errorf("number of groups along axis %d: %w", axis, err)
			}
			count = min(count, intmath.FloorDiv(v, b.Den)+1)
		}
		groups[axis] = max(count, 0)
	}
	return groups, nil
}

// Constants are the first and last value of the iname where the bounds are constants.
func (l *Loop) Constants() (first, last int64, ok bool) {
	for _, b := range slices.Concat(l.Lower, l.Upper) {
		if !b.Num.IsConstant() {
			return 0, 0, false
		}
	}
	first, last = math.MinInt64, math.MaxInt64
	for _, b := range l.Lower {
		first = max(first, intmath.CeilDiv(b.Num.Constant(), b.Den))
	}
	for _, b := range l.Upper {
		last = min(last, intmath.FloorDiv(b.Num.Constant(), b.Den))
	}
	return first, last, len(l.Lower) > 0 && len(l.Upper) > 0
}

// ConstantTrips is the number of iterations where it is the same for all values of what the bounds depend on; 0 where it is
// not known to be, and where there are none.
func (l *Loop) ConstantTrips() int64 {
	first, last, ok := l.Constants()
	if !ok && len(l.Lower) == 1 && len(l.Upper) == 1 && l.Lower[0].Den == 1 && l.Upper[0].Den == 1 {
		d := l.Upper[0].Num.Sub(l.Lower[0].Num)
		first, last, ok = 0, d.Constant(), d.IsConstant()
	}
	if !ok || last < first {
		return 0
	}
	return (last-first)/max(l.Step, 1) + 1
}

// String prints the program, one line per node:
//
//	groups (n/16, …, 1), work-items (16, 16, 1)
//	for k_outer = 0 .. n/16 - 1
//	    barrier local: a_fetch: read by update, written by a_fetch_rule
//	    if 16*gid(1) + lid(1) < n
//	        a_fetch_rule: a_fetch[a_dim_0, a_dim_1] = a[16*i_outer + a_dim_0, 16*k_outer + a_dim_1]
func (n *Nest) String() string {
	var b strings.Builder
	var groups []string
	for _, g := range n.Groups {
		var list []polycount.Bound
		for _, x := range g {
			list = append(list, polycount.Bound{Num: x.Num.AddInt(x.Den), Den: x.Den})
		}
		groups = append(groups, n.bounds(list, "min", false))
	}
	fmt.Fprintf(&b, "groups (%s), work-items (%d, %d, %d)\n", strings.Join(groups, ", "), n.Local[0], n.Local[1], n.Local[2])
	n.write(&b, n.Body, "")
	return b.String()
}

func (n *Nest) write(b *strings.Builder, body []Node, indent string) {
	for _, node := range body {
		switch x := node.(type) {
		case *Loop:
			word := "for"
			if x.Unroll {
				word = "unroll"
			}
			fmt.Fprintf(b, "%s%s %s = %s .. %s", indent, word, x.Iname, n.bounds(x.Lower, "max", true), n.bounds(x.Upper, "min", false))
			if x.Step > 1 {
				fmt.Fprintf(b, " step %d", x.Step)
			}
			b.WriteByte('\n')
			n.write(b, x.Body, indent+"    ")
		case *Guard:
			var conds []string
			for _, c := range x.Conds {
				c.Affine = n.exact(c.Affine)
				conds = append(conds, c.String())
			}
			for _, p := range x.Predicates {
				conds = append(conds, n.shown(p).String())
			}
			fmt.Fprintf(b, "%sif %s\n", indent, strings.Join(conds, " and "))
			n.write(b, x.Body, indent+"    ")
		case *Exec:
			fmt.Fprintf(b, "%s%s: %s = %s\n", indent, x.Stmt.ID, n.shown(x.Stmt.LHS), n.shown(x.Stmt.RHS))
		case *Barrier:
			fmt.Fprintf(b, "%sbarrier %s (%s)\n", indent, x.Space, x.Why)
		}
	}
}

func (n *Nest) bounds(list []polycount.Bound, of string, up bool) string {
	var parts []string
	for _, b := range list {
		q := b.Num.FloorDiv(b.Den)
		if up {
			q = b.Num.Neg().FloorDiv(b.Den).Neg()
		}
		parts = append(parts, n.exact(q).String())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return of + "(" + strings.Join(parts, ", ") + ")"
}

// exact writes quotients that the assumptions say have no remainder without rounding: n/16 for floor(n/16).
func (n *Nest) exact(a polycount.Affine) polycount.Affine {
	if n.Kernel.Assumptions == nil || a.Err() != nil {
		return a
	}
	out := polycount.Int(a.Constant())
	for _, t := range a.All() {
		part := polycount.Name(t.Name)
		if f := t.Floor; f != nil {
			text := f.String()
			if whole, err := n.Kernel.Assumptions.Implies(polycount.EQ(f.Num.Mod(f.Den), polycount.Int(0))); err == nil && whole {
				text = strings.TrimSuffix(strings.TrimPrefix(text, "floor("), ")")
			}
			part = polycount.Name(text)
		}
		out = out.AddScaled(t.Coeff, part)
	}
	return out
}

// shown is an expression as the listing has it: indices are folded, and inames on axes have the names of these.
func (n *Nest) shown(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case expr.Var:
		if v, ok := n.Fixed(x.Name); ok {
			return expr.Int{Value: v}
		}
		return n.Expr(e)
	case *expr.Access:
		return expr.MapChildren(x, n.shownIndex)
	}
	return expr.MapChildren(e, n.shown)
}

func (n *Nest) shownIndex(e expr.Expr) expr.Expr {
	a, err := expr.ToAffine(e, n.isIndex)
	if err != nil {
		return n.shown(e)
	}
	if short := n.Affine(a); !short.Equal(a.Subst(n.axes)) {
		return expr.FromAffine(short)
	}
	return n.Expr(e)
}
