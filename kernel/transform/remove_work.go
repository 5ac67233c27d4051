package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// WorkRemoval says what RemoveWork takes away beside arithmetic and local memory.
type WorkRemoval struct {
	// Vars are the arrays in global memory whose accesses go too.
	Vars []string
	// Keep are the tags of the accesses to global memory that stay, where not all of the other arrays' do; an access
	// without a tag answers to its implicit one (ImplicitTag).
	Keep []string
	// Accumulators is the number of variables over which the values read are summed up, 0 is 1: with more of them an
	// addition waits for fewer others.
	Accumulators int
}

// RemoveWork turns a kernel into one that only makes the accesses to global memory that are left, each within its loops,
// with its index and its tag (Stevens and Klöckner, section 7.1.1, algorithm 3). What is read is added to a variable
// read_tgt of each work-item, which the stores that are left store; where there is none, a new array read_tgt_dest with
// an element per work-item takes it, so that no compiler drops the reads. Work-groups and their number stay as they were.
//
// Conditions of statements stay. What an index or such a condition needs is computed as before; where that reads one of
// the arrays to be removed, the kernel is refused. A select between values keeps only conditions on inames and
// parameters: what others choose between is read in any case, if the array is sure to have it.
func RemoveWork(k *kernel.Kernel, opt WorkRemoval) (out *kernel.Kernel, err error) {
	if opt.Accumulators < 0 || opt.Accumulators > maxAccumulators {
		return nil, k.Errorf("removing work: %d accumulators, it can be 1 to %d", opt.Accumulators, maxAccumulators)
	}
	for _, name := range opt.Vars {
		if k.Array(name) == nil || k.SpaceOf(name) != kernel.Global {
			return nil, k.Errorf("removing work: %s is no array in global memory (%s)", name, nameset.Text(globals(k)))
		}
	}
	for _, name := range globals(k) {
		if acc := vectorAccess(k, name); acc != nil {
			return nil, k.Errorf("removing work: %s is a vector, and values are added up one by one", acc)
		}
	}
	p, err := Prepare(k)
	if err != nil {
		return nil, err
	}
	if err := knowsTags(p, opt); err != nil {
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

const maxAccumulators = 64

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
	*kernel.Kernel // under construction
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
	from    map[string][]*kernel.Stmt // what came of each old statement
	loops   []*readLoop
	written bool // a store is left
}

// part is what is left of a statement.
type part struct {
	stmt  *kernel.Stmt
	loads []load
	store *expr.Access
	cond  *kernel.Stmt // evaluates the conditions that read memory
	pure  []expr.Expr  // the other conditions
}

// load is a read that is left, with the conditions of the selects that it is in.
type load struct {
	acc   *expr.Access
	under []expr.Expr
}

// launch finds the inames that stand for all work-items.
func (r *remover) launch() error {
	var err error
	if r.size, err = r.LocalSize(); err != nil {
		return err
	}
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
				d, err := r.old.DomainOf([]string{n})
				if err == nil {
					d, err = d.Rename(n, groupName)
				}
				if err != nil {
					return err
				}
				for _, part := range d.Disjuncts() {
					if empty, err := part.IsEmpty(); err != nil {
						return err
					} else if !empty { // a projection may leave parts without integer points
						groups = append(groups, part)
					}
				}
			}
		}
		if local {
			x := polycount.Name(r.axis(&r.items, "item", kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}))
			r.Domains = append(r.Domains, polycount.NewSet(nil, x.Names(),
				polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(r.size[axis]-1), x)))
		}
		if grid {
			upper, err := commonUpper(groups)
			if err != nil {
				return err
			}
			x := polycount.Name(r.axis(&r.groups, "group", kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}))
			cs := []polycount.Constraint{polycount.GE(x, polycount.Int(0))}
			for _, b := range upper {
				cs = append(cs, polycount.GE(b.Num, x.Scale(b.Den)))
			}
			r.Domains = append(r.Domains, polycount.NewSet(nil, x.Names(), cs...))
		}
	}
	return nil
}

const groupName = "$group" // no iname has such a name

// axis makes an iname on a hardware axis.
func (r *remover) axis(list *[3]string, base string, tag kernel.Tag) string {
	n := r.FreshName(fmt.Sprintf("%s_%d", base, tag.Axis))
	r.Tags[n] = tag
	list[tag.Axis] = n
	return n
}

// commonUpper are the upper bounds of a group iname that hold in all parts.
func commonUpper(parts []*polycount.Set) ([]polycount.Bound, error) {
	var out []polycount.Bound
	for _, p := range parts {
		_, upper, err := p.Bounds(groupName)
		if err != nil {
			return nil, err
		}
	bounds:
		for _, b := range upper {
			c := polycount.GE(b.Num, polycount.Name(groupName).Scale(b.Den))
			for _, q := range parts {
				if all, err := q.Implies(c); err != nil {
					return nil, err
				} else if !all {
					continue bounds
				}
			}
			if !slices.ContainsFunc(out, func(o polycount.Bound) bool { return o.Den == b.Den && o.Num.Equal(b.Num) }) {
				out = append(out, b)
			}
		}
	}
	if len(parts) == 0 { // the assumptions leave no point
		return []polycount.Bound{{Num: polycount.Int(-1), Den: 1}}, nil
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no number of work-groups covers all of its statements")
	}
	return out, nil
}

// collect finds what is left of each statement.
func (r *remover) collect() error {
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
		if w := r.old.Writes(s)[0]; r.left(w, true) {
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
			var err error
			if p.loads[i].under, err = r.conditions(s, l); err != nil {
				return err
			}
		}
		r.parts = append(r.parts, p)
	}
	return nil
}

// left reports that the access stays.
func (r *remover) left(a *expr.Access, store bool) bool {
	return r.old.SpaceOf(a.Array) == kernel.Global && !slices.Contains(r.vars, a.Array) &&
		(len(r.keep) == 0 || slices.Contains(r.keep, a.TagOrImplicit(store)))
}

// knowsTags returns an error about a tag to keep that no access to global memory has.
func knowsTags(k *kernel.Kernel, opt WorkRemoval) error {
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

// pure reports that e reads inames, parameters and value arguments only.
func (r *remover) pure(e expr.Expr) bool {
	return len(r.old.Reads(&kernel.Stmt{RHS: e})) == 0
}

// loads lists the reads in e that stay, beside those that the indices of such reads make themselves.
func (r *remover) loads(e expr.Expr, under []expr.Expr, out *[]load) {
	within := func(c expr.Expr) []expr.Expr { return append(slices.Clip(under), c) }
	switch x := e.(type) {
	case nil:
	case expr.Var:
		if a := r.old.Array(x.Name); a != nil && !a.IsValue && r.left(&expr.Access{Array: x.Name}, false) {
			*out = append(*out, load{&expr.Access{Array: x.Name}, under})
		}
	case *expr.Access:
		if r.left(x, false) {
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

// conditions are those around a read that stay. A read must not depend on the others.
func (r *remover) conditions(s *kernel.Stmt, l load) ([]expr.Expr, error) {
	var keep, dropped []expr.Expr
	for _, c := range l.under {
		if r.pure(c) {
			keep = append(keep, c)
		} else {
			dropped = append(dropped, c)
		}
	}
	if len(dropped) == 0 {
		return keep, nil
	}
	inside, err := surelyInside(r.old, l.acc, s.Inames)
	if err == nil && !inside {
		err = fmt.Errorf("statement %s reads %s where %s only, which would be removed, and it may lie outside the array elsewhere", s.ID, l.acc, dropped[0])
	}
	return keep, err
}

// surelyInside reports that the element lies within its array at all points of the inames.
func surelyInside(k *kernel.Kernel, acc *expr.Access, inames []string) (bool, error) {
	d, err := k.DomainOf(inames)
	if err != nil {
		return false, err
	}
	for i, e := range acc.Index {
		at, err1 := k.AffineOf(e)
		size, err2 := k.AffineOf(k.Array(acc.Array).Shape[i])
		if err1 != nil || err2 != nil {
			return false, nil
		}
		for _, c := range []polycount.Constraint{polycount.GE(at, polycount.Int(0)), polycount.GE(size, at.AddInt(1))} {
			if yes, err := d.Implies(c); err != nil || !yes {
				return false, err
			}
		}
	}
	return true, nil
}

// boundsOf are the variables that bound the loops of a statement.
func (r *remover) boundsOf(s *kernel.Stmt) []expr.Expr {
	var out []expr.Expr
	for _, b := range r.old.Bounds(s.Inames) {
		out = append(out, expr.Var{Name: b})
	}
	return out
}

// slice finds the statements that compute what the indices and conditions of the accesses that are left need.
func (r *remover) slice() error {
	var work []string
	need := func(s *kernel.Stmt, e expr.Expr) error {
		for _, a := range r.old.Reads(&kernel.Stmt{RHS: e}) {
			switch {
			case r.left(a, false):
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
		var exprs []expr.Expr
		for _, l := range p.loads {
			exprs = append(exprs, l.acc.Index...)
		}
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
