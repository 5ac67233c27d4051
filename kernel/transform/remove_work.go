package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// WorkRemoval says what RemoveWork removes in addition to arithmetic and local memory accesses.
type WorkRemoval struct {
	// Vars are the arrays in global memory whose accesses are removed too.
	Vars []string
	// Keep are the tags of the accesses to global memory that stay; empty keeps all accesses to other arrays. An access
	// without a tag has its implicit one (expr.ImplicitTag).
	Keep []string
	// Accumulators is the number of variables that sum up the values read; 0 means 1. With more of them, fewer additions
	// depend on each other.
	Accumulators int
}

// RemoveWork removes all work from a kernel but the chosen accesses to global memory, each in its loops, with its index and
// its tag (Stevens and Klöckner, section 7.1.1, algorithm 3). The values read are added to a variable read_tgt of each
// work-item, which the remaining stores store; if there are none, each work-item stores it in an element of a new array
// read_tgt_dest, so that no compiler drops the reads. The size and the number of work-groups do not change.
//
// Predicates of statements stay. What they and the indices need is computed as before; if that reads an array whose
// accesses are to be removed, RemoveWork returns an error. Of the conditions of selects, only those on inames and
// parameters stay: the operands of other selects are read unconditionally, which requires that they are certain to be
// in bounds.
func RemoveWork(k *kernel.Kernel, opt WorkRemoval) (out *kernel.Kernel, err error) {
	if opt.Accumulators < 0 || opt.Accumulators > maxAccumulators {
		return nil, k.Errorf("removing work: %d accumulators; there can be 1 to %d", opt.Accumulators, maxAccumulators)
	}
	for _, name := range opt.Vars {
		if k.Array(name) == nil || k.SpaceOf(name) != kernel.Global {
			return nil, k.Errorf("removing work: %s is not an array in global memory (%s)", name, nameset.Text(globals(k)))
		}
	}
	for _, name := range globals(k) {
		if acc := vectorAccess(k, name); acc != nil {
			return nil, k.Errorf("removing work: %s is a vector, and only scalars can be added up", acc)
		}
	}
	for _, s := range k.Statements {
		if s.Atomic {
			return nil, k.Errorf("removing work: statement %s is atomic, a load and a store in one", s.ID)
		}
	}
	p, err := Prepare(k)
	if err != nil {
		return nil, err
	}
	if err := checkKeptTags(p, opt); err != nil {
		return nil, k.Errorf("removing work: %w", err)
	}
	r := &remover{Kernel: p.Clone(), old: p, vars: opt.Vars, keep: opt.Keep, needed: map[string]bool{}, from: map[string][]*kernel.Stmt{}}
	for _, step := range []func() error{
		r.launch, r.collect, r.slice, func() error { return r.targets(max(opt.Accumulators, 1)) }, r.reads, r.stores, r.link, r.nest, r.clean,
	} {
		if err := step(); err != nil {
			return nil, k.Errorf("removing work: %w", err)
		}
	}
	return r.Kernel, r.Check()
}

const maxAccumulators = 64 // registers: with more the kernel that is to do nothing spills

// globals lists the arrays in global memory.
func globals(k *kernel.Kernel) []string {
	var out []string
	for _, a := range k.Arrays() {
		if k.SpaceOf(a.Name) == kernel.Global {
			out = append(out, a.Name)
		}
	}
	return out
}

// remover carries a kernel through the steps of RemoveWork.
type remover struct {
	*kernel.Kernel // the result, under construction
	old            *kernel.Kernel
	vars           []string
	keep           []string

	size    [3]int64  // of the work-group
	items   [3]string // inames for all work-items of a group, by axis; "" where unused
	groups  [3]string // inames for all work-groups
	parts   []*part
	needed  map[string]bool // temporaries that indices and conditions read
	kept    map[string]bool // statements that compute these
	local   bool            // some of these are in local memory
	tgt     []*kernel.Array
	init    []*kernel.Stmt
	from    map[string][]*kernel.Stmt // the new statements of each old one
	loops   []*readLoop
	written bool // a store remains
}

// part is what remains of a statement.
type part struct {
	stmt  *kernel.Stmt
	loads []load
	store *expr.Access
	cond  *kernel.Stmt // evaluates the conditions that read memory
	pure  []expr.Expr  // the other conditions
}

// load is a read that remains, with the conditions of the selects around it.
type load struct {
	acc   *expr.Access
	under []expr.Expr
}

// launch adds inames for all work-items and work-groups, on the hardware axes that the kernel uses.
func (r *remover) launch() (err error) {
	defer throw.Catch(&err)
	r.size = throw.Get(r.LocalSize())
	for axis := range 3 {
		var groups []*polycount.Set
		local, grid := false, false
		for _, n := range r.old.Inames() {
			if !slices.ContainsFunc(r.Statements, func(s *kernel.Stmt) bool { return slices.Contains(s.Inames, n) }) {
				continue
			}
			switch r.Tags[n] {
			case kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}:
				local = true
			case kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}:
				grid = true
				d := throw.Get(r.old.DomainOf([]string{n}))
				d = throw.Get(d.Rename(n, groupName))
				parts := throw.Get(kernel.Inhabited(d))
				groups = append(groups, parts...)
			}
		}
		if local {
			r.items[axis] = addBox(r.Kernel, fmt.Sprintf("item_%d", axis), 0, r.size[axis]-1, kernel.Tag{Kind: kernel.LocalAxis, Axis: axis})
		}
		if grid {
			_, upper, err := kernel.CommonBounds(groups, groupName)
			switch {
			case err != nil:
				return err
			case len(groups) == 0: // the assumptions leave no point
				upper = []polycount.Bound{{Num: polycount.Int(-1), Den: 1}}
			case len(upper) == 0:
				return fmt.Errorf("no number of work-groups covers all of its statements")
			}
			x := r.FreshName(fmt.Sprintf("group_%d", axis))
			cs := []polycount.Constraint{polycount.GE(polycount.Name(x), polycount.Int(0))}
			for _, b := range upper {
				cs = append(cs, kernel.AtMost(x, b))
			}
			r.Domains = append(r.Domains, polycount.NewSet(nil, []string{x}, cs...))
			r.groups[axis], r.Tags[x] = x, kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}
		}
	}
	return nil
}

const groupName = "$group" // no iname has such a name

// collect finds what remains of each statement.
func (r *remover) collect() (err error) {
	defer throw.Catch(&err)
	for _, s := range r.old.Statements {
		p := &part{stmt: s}
		if s.Kind != kernel.Assign {
			r.parts = append(r.parts, p)
			continue
		}
		var reading []expr.Expr
		for _, c := range s.Predicates {
			if r.pure(c) {
				p.pure = append(p.pure, c)
			} else {
				reading = append(reading, c)
			}
		}
		r.loads(s.RHS, nil, &p.loads)
		if w := r.old.Writes(s)[0]; r.remains(w, true) {
			p.store = w
		} else {
			for _, i := range w.Index {
				r.loads(i, nil, &p.loads)
			}
		}
		if len(reading) > 0 && (p.store != nil || len(p.loads) > 0) {
			var cond expr.Expr = &expr.Op{Kind: expr.And, Args: reading}
			if len(reading) == 1 {
				cond = reading[0]
			}
			t := &kernel.Array{Name: r.FreshName(s.ID + "_if"), DType: expr.Bool, Space: kernel.Private, Shape: []expr.Expr{}}
			r.Temps = append(r.Temps, t)
			p.cond = &kernel.Stmt{ID: r.freshID(s.ID + "_if"), LHS: expr.Var{Name: t.Name}, RHS: cond, Inames: s.Inames, Predicates: p.pure, Tags: s.Tags}
		} else {
			for _, c := range reading {
				r.loads(c, nil, &p.loads)
			}
		}
		for i, l := range p.loads {
			p.loads[i].under = r.conditions(s, l)
		}
		r.parts = append(r.parts, p)
	}
	return nil
}

// remains reports whether the access remains.
func (r *remover) remains(a *expr.Access, store bool) bool {
	return r.old.SpaceOf(a.Array) == kernel.Global && !slices.Contains(r.vars, a.Array) &&
		(len(r.keep) == 0 || slices.Contains(r.keep, a.TagOrImplicit(store)))
}

// checkKeptTags returns an error if a tag to keep is not that of an access to global memory.
func checkKeptTags(k *kernel.Kernel, opt WorkRemoval) error {
	var known []string
	note := func(accesses []*expr.Access, store bool) {
		for _, a := range accesses {
			if k.SpaceOf(a.Array) == kernel.Global && !slices.Contains(opt.Vars, a.Array) {
				known = append(known, a.TagOrImplicit(store))
			}
		}
	}
	for _, s := range k.Statements {
		note(k.Reads(s), false)
		note(k.Writes(s), true)
	}
	for _, tag := range opt.Keep {
		if !slices.Contains(known, tag) {
			return fmt.Errorf("no access to global memory has the tag %s (%s)", tag, nameset.Text(nameset.Sorted(known)))
		}
	}
	return nil
}

// pure reports whether e reads only inames, parameters and value arguments.
func (r *remover) pure(e expr.Expr) bool {
	return len(r.old.Reads(&kernel.Stmt{RHS: e})) == 0
}

// loads appends the reads in e that remain, without those in the indices of such reads.
func (r *remover) loads(e expr.Expr, under []expr.Expr, out *[]load) {
	within := func(c expr.Expr) []expr.Expr { return append(slices.Clip(under), c) }
	switch x := e.(type) {
	case nil:
	case expr.Var:
		if a := r.old.Array(x.Name); a != nil && !a.IsValue && r.remains(&expr.Access{Array: x.Name}, false) {
			*out = append(*out, load{&expr.Access{Array: x.Name}, under})
		}
	case *expr.Access:
		if r.remains(x, false) {
			*out = append(*out, load{x, under})
			return
		}
		for _, i := range x.Index {
			r.loads(i, under, out)
		}
	case *expr.Cond:
		r.loads(x.If, under, out)
		r.loads(x.Then, within(x.If), out)
		r.loads(x.Else, within(expr.Negate(x.If)), out)
	case *expr.Op:
		for _, a := range x.Args {
			r.loads(a, under, out)
			switch x.Kind {
			case expr.And:
				under = within(a)
			case expr.Or:
				under = within(expr.Negate(a))
			}
		}
	default:
		for _, c := range expr.Children(e) {
			r.loads(c, under, out)
		}
	}
}

// conditions are the conditions around a read that stay. The read must be in bounds without the others.
func (r *remover) conditions(s *kernel.Stmt, l load) []expr.Expr {
	var keep, dropped []expr.Expr
	for _, c := range l.under {
		if r.pure(c) {
			keep = append(keep, c)
		} else {
			dropped = append(dropped, c)
		}
	}
	if len(dropped) == 0 {
		return keep
	}
	inside, err := throw.Value(func() bool { return inBounds(r.old, l.acc, s.Inames) })
	if err == nil && !inside {
		err = fmt.Errorf("statement %s reads %s only if %s, a condition that would be removed, and without it the read may be out of bounds", s.ID, l.acc, dropped[0])
	}
	return throw.Get(keep, err)
}

// inBounds reports whether the element is certain to be in bounds at all points of the inames.
func inBounds(k *kernel.Kernel, acc *expr.Access, inames []string) bool {
	d := throw.Get(k.DomainOf(inames))
	for i, e := range acc.Index {
		at, err1 := k.AffineOf(e)
		size, err2 := k.AffineOf(k.Array(acc.Array).Shape[i])
		if err1 != nil || err2 != nil {
			return false
		}
		for _, c := range []polycount.Constraint{polycount.GE(at, polycount.Int(0)), polycount.GE(size, at.AddInt(1))} {
			if yes, err := d.Implies(c); err != nil || !yes {
				throw.If(err)
				return false
			}
		}
	}
	return true
}

// boundsOf are the variables that bound the loops of a statement.
func (r *remover) boundsOf(s *kernel.Stmt) []expr.Expr {
	return lists.Map(r.old.Bounds(s.Inames), func(b string) expr.Expr { return expr.Var{Name: b} })
}

// slice finds the statements that compute what the indices and conditions of the remaining accesses need.
func (r *remover) slice() error {
	var work []string
	need := func(s *kernel.Stmt, e expr.Expr) error {
		for _, a := range r.old.Reads(&kernel.Stmt{RHS: e}) {
			switch {
			case r.remains(a, false):
			case r.old.SpaceOf(a.Array) == kernel.Global:
				return fmt.Errorf("%s is to be removed, but statement %s needs it in %s", a.Array, s.ID, e)
			case !r.needed[a.Array]:
				r.needed[a.Array] = true
				work = append(work, a.Array)
			}
		}
		return nil
	}
	for _, p := range r.parts {
		exprs := lists.Flat(p.loads, func(l load) []expr.Expr { return l.acc.Index })
		if p.store != nil {
			exprs = append(exprs, p.store.Index...)
		}
		if p.cond != nil {
			exprs = append(exprs, p.cond.RHS)
		}
		if len(p.loads) > 0 || p.store != nil {
			exprs = append(exprs, r.boundsOf(p.stmt)...)
		}
		for _, e := range exprs {
			if err := need(p.stmt, e); err != nil {
				return err
			}
		}
	}
	r.kept = map[string]bool{}
	for len(work) > 0 {
		name := work[0]
		work = work[1:]
		r.local = r.local || r.old.SpaceOf(name) == kernel.Local
		for _, w := range r.old.Writers(name) {
			r.kept[w.ID] = true
			exprs := slices.Concat([]expr.Expr{w.RHS}, w.Predicates, r.boundsOf(w))
			if lhs, ok := w.LHS.(*expr.Access); ok {
				exprs = append(exprs, lhs.Index...)
			}
			for _, e := range exprs {
				if err := need(w, e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
