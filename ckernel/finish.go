package ckernel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// guard is a set of work-items that runs some statements: the inames on the axes, whose domain it is, are these statements' own.
type guard struct {
	set    *polycount.Set
	inames map[string]string // by the names of the indices
}

// guardOf is the guard of statements that no loop is around, where the points that are live are one conjunction; else that of all work-items. What a run
// alone tells is no part of it: it has another value for each work-item.
func (b *flow) guardOf(l live) *guard {
	if l.domain == b.base || len(l.domain.Disjuncts()) != 1 || len(b.indices()) == 0 {
		return b.guardFor(b.base)
	}
	list, _ := l.domain.Constraints()
	plain := slices.DeleteFunc(slices.Clone(list), func(c polycount.Constraint) bool { return b.hasQuotient(c.Affine) || b.fromMemory(c.Affine) })
	if len(plain) == len(list) {
		return b.guardFor(l.domain)
	}
	always, _ := b.base.Constraints()
	set, err := everywhere().Constrain(append(plain, always...)...)
	b.try(err)
	return b.guardFor(set)
}

// hasQuotient reports whether an index stands in a quotient. Such conditions are predicates: the extents of axes follow from the others.
func (b *grid) hasQuotient(a polycount.Affine) bool {
	for _, t := range a.Terms() {
		if t.Floor != nil && slices.ContainsFunc(b.indices(), t.Floor.Num.Has) {
			return true
		}
	}
	return false
}

func (b *flow) guardFor(set *polycount.Set) *guard {
	var hash uint64
	if set != nil {
		hash = set.Hash()
	}
	for _, g := range b.alike[hash] {
		if g.set == set || set != nil && g.set != nil && g.set.SameForm(set) {
			return g
		}
	}
	g := &guard{set: set}
	b.guards = append(b.guards, g)
	if b.alike == nil {
		b.alike = map[uint64][]*guard{}
	}
	b.alike[hash] = append(b.alike[hash], g)
	return g
}

// guardAll gives each record its guard: those in loops have that of the outermost loop.
func (b *flow) guardAll() {
	for _, r := range b.records {
		r.guard = b.guardFor(b.base)
		switch {
		case len(r.loops) > 0:
			r.guard = r.loops[0].guard
		case r.kind == kernel.Assign:
			r.guard = b.guardOf(r.live)
		}
	}
}

// kernel is the flow as a kernel, after all passes.
func (b *flow) kernel() *kernel.Kernel {
	k := &kernel.Kernel{Name: baseName(b.fn.Name), Tags: map[string]kernel.Tag{}, Averages: b.averages, ExplicitBarriers: true, Assumptions: b.context}
	k.Ranges, k.Subgroup = b.rangesOf(), b.subgroup
	k.Opaque = b.opaqueParts()
	k.Doubts, k.Divisors, k.Fixed = b.doubtsOf(), slices.Sorted(maps.Keys(b.divisors)), slices.Sorted(maps.Keys(b.fixed))
	b.axisDomains(k)
	b.loopDomains(k)
	var before string
	taken := map[int]int{} // by lines
	for i, r := range b.records {
		s := b.statementOf(r)
		s.ID = fmt.Sprintf("line%d", r.pos.Line)
		if n := taken[r.pos.Line]; n > 0 {
			s.ID = fmt.Sprintf("%s_%d", s.ID, n-1)
		}
		taken[r.pos.Line]++
		if i > 0 {
			s.Deps = []string{before}
		}
		before = s.ID
		k.Statements = append(k.Statements, s)
	}
	b.arguments(k)
	if err := b.shapes(k); err != nil {
		b.failAt(b.fn.Pos, "", "%v", err)
	}
	partitions(k, b.parts)
	if err := k.CheckForm(); err != nil {
		b.failAt(b.fn.Pos, "", "%v", err)
	}
	return k
}

// mergeFlags puts a condition on data that one statement alone depends on, the next one, into that statement.
func (b *flow) mergeFlags() {
	uses := map[string]int{}
	for _, r := range b.records {
		for _, p := range r.live.preds {
			expr.FreeVars(p, func(n string) { uses[n]++ })
		}
		for _, e := range []expr.Expr{r.lhs, r.rhs} {
			if e != nil {
				expr.FreeVars(e, func(n string) { uses[n]++ })
			}
		}
	}
	var out []*record
	for i, r := range b.records {
		flag, ok := r.lhs.(expr.Var)
		if ok && strings.HasPrefix(flag.Name, "holds") && uses[flag.Name] == 1 && i+1 < len(b.records) {
			next := b.records[i+1]
			if c, isCond := r.rhs.(*expr.Cond); isCond && slices.Equal(next.loops, r.loops) && len(next.live.preds) > 0 {
				last := next.live.preds[len(next.live.preds)-1]
				if op, ok := last.(*expr.Op); ok && op.Kind == expr.Ne && expr.Equal(op.Args[0], flag) {
					next.live.preds = append(slices.Clone(next.live.preds[:len(next.live.preds)-1]), c.If)
					continue
				}
			}
		}
		out = append(out, r)
	}
	b.records = out
}

// wholeLaunch adds a statement that does nothing where no other shows that the launch has all its work-items: those of each axis take part in
// one outside of loops.
func (b *flow) wholeLaunch() {
	names := b.indices()
	all := b.base.ToDims(names...)
	for _, n := range names {
		every, err := all.Project(n)
		b.try(err)
		if !slices.ContainsFunc(b.guards, func(g *guard) bool { return b.shows(g, n, every, names) }) {
			b.records = slices.Insert(b.records, 0, &record{kind: kernel.Nop, pos: b.fn.Pos, live: live{domain: b.base}, guard: b.guardFor(b.base)})
			return
		}
	}
}

// indices are those of work-items and work-groups.
func (b *grid) indices() (names []string) {
	for d := range b.axes {
		for _, n := range []string{b.axes[d].group, b.axes[d].item} {
			if n != "" {
				names = append(names, n)
			}
		}
	}
	return names
}

// shows reports whether a statement of a guard runs for all indices of an axis.
func (b *flow) shows(g *guard, axis string, every *polycount.Set, names []string) bool {
	is := func(r *record) bool { return r.guard == g && len(r.loops) == 0 && r.kind == kernel.Assign }
	if !slices.ContainsFunc(b.records, is) {
		return false
	}
	some, err := g.set.ToDims(names...).Project(axis)
	b.try(err)
	whole, err := every.IsSubset(some)
	b.try(err)
	return whole
}

// axisDomains makes the inames of each guard that statements have.
func (b *flow) axisDomains(k *kernel.Kernel) {
	used := map[*guard]bool{}
	for _, r := range b.records {
		used[r.guard] = true
	}
	for _, g := range b.guards {
		if !used[g] {
			continue
		}
		g.inames = map[string]string{}
		var dims []string
		for d := range b.axes {
			for _, at := range []struct {
				name string
				kind kernel.TagKind
			}{{b.axes[d].group, kernel.GroupAxis}, {b.axes[d].item, kernel.LocalAxis}} {
				if at.name == "" {
					continue
				}
				iname := at.name
				if k.IsIname(iname) || slices.Contains(dims, iname) {
					iname = b.fresh(at.name)
				}
				g.inames[at.name] = iname
				dims = append(dims, iname)
				k.Tags[iname] = kernel.Tag{Kind: at.kind, Axis: d}
			}
		}
		if len(dims) == 0 {
			continue
		}
		list, _ := g.set.Constraints()
		always, _ := b.base.Constraints()
		var cs []polycount.Constraint
		for _, c := range list {
			if slices.ContainsFunc(b.indices(), c.Affine.Has) || !slices.ContainsFunc(always, c.Equal) { // others are assumptions
				cs = append(cs, g.rename(c))
			}
		}
		k.Domains = append(k.Domains, polycount.NewSet(nil, dims, cs...))
	}
}

// rename puts the inames of a guard in the place of the indices.
func (g *guard) rename(c polycount.Constraint) polycount.Constraint {
	return polycount.Constraint{Affine: c.Affine.Subst(g.affines()), Equality: c.Equality}
}

func (g *guard) affines() map[string]polycount.Affine {
	by := map[string]polycount.Affine{}
	for from, to := range g.inames {
		if from != to {
			by[from] = polycount.Name(to)
		}
	}
	return by
}

// loopDomains makes the domains of loops that have statements.
func (b *flow) loopDomains(k *kernel.Kernel) {
	used := map[*loop]bool{}
	for _, r := range b.records {
		for _, l := range r.loops {
			used[l] = true
		}
	}
	for _, l := range b.loops {
		if !used[l] {
			continue
		}
		var cs []polycount.Constraint
		for _, c := range l.bounds {
			cs = append(cs, l.guard.rename(c))
		}
		k.Domains = append(k.Domains, polycount.NewSet(nil, []string{l.name}, cs...))
		if l.unroll {
			k.Tags[l.name] = kernel.Tag{Kind: kernel.Unroll}
		} else if l.kept {
			k.Tags[l.name] = kernel.Tag{Kind: kernel.Kept}
		} else if l.rolled {
			k.Tags[l.name] = kernel.Tag{Kind: kernel.Rolled}
		}
		if n := len(l.outer); n > 0 {
			k.Priorities = append(k.Priorities, []string{l.outer[n-1].name, l.name})
		}
	}
}

// contextSet is what is assumed of the sizes.
func (b *grid) contextSet() *polycount.Set {
	set := b.assumed
	var natural []polycount.Constraint
	for _, n := range sortedSizes(b.sizes) {
		if b.sizes[n].natural {
			natural = append(natural, polycount.GE(polycount.Name(n), polycount.Int(0)))
		}
	}
	if len(natural) > 0 {
		s, err := everywhere().Constrain(natural...)
		b.try(err)
		set = b.both(set, s)
	}
	return set
}

func sortedSizes(m map[string]*size) []string {
	var out []string
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (b *flow) statementOf(r *record) *kernel.Stmt {
	s := &kernel.Stmt{Kind: r.kind, Memory: r.memory, Atomic: r.atomic, At: kernel.Place{File: r.pos.File, Pos: r.pos.Pos}}
	for _, l := range r.loops {
		s.Inames = append(s.Inames, l.name)
	}
	for _, iname := range r.guard.inames {
		s.Inames = append(s.Inames, iname)
	}
	slices.Sort(s.Inames)
	if r.kind == kernel.Nop {
		return s
	}
	whole, live := r.guard.set, r.live.domain
	for _, l := range r.loops {
		var err error
		whole, err = whole.Constrain(l.bounds...)
		b.try(err)
	}
	if r.kind == kernel.LocalBarrier && whole != live { // all work-items of a group meet
		whole, live = b.without(whole, b.items()), b.without(live, b.items())
	}
	if whole != live {
		rest, err := live.Gist(whole)
		b.try(err)
		s.Predicates = cexpr.Predicates(rest)
	}
	s.Predicates = append(s.Predicates, r.live.preds...)
	by := map[string]expr.Expr{}
	for from, to := range r.guard.inames {
		if from != to {
			by[from] = expr.Var{Name: to}
		}
	}
	final := func(e expr.Expr) expr.Expr { return expr.Subst(b.placed(e), by) }
	if r.kind == kernel.Assign {
		s.LHS, s.RHS = final(r.lhs), final(r.rhs)
	}
	for i, p := range s.Predicates {
		s.Predicates[i] = final(p)
	}
	for _, e := range s.Exprs() {
		for _, x := range expr.Accesses(e) {
			var at kernel.Place
			if a := b.accessOf(x); a != nil {
				at = kernel.Place{File: a.pos.File, Pos: a.pos.Pos}
			}
			s.Places, x.Tag = append(s.Places, at), ""
		}
	}
	return s
}

// placed puts the indices of accesses in their places. Accesses keep their tags.
func (b *flow) placed(e expr.Expr) expr.Expr {
	return expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		x, ok := e.(*expr.Access)
		if !ok || x.Tag == "" {
			return e
		}
		a := b.accessOf(x)
		out := &expr.Access{Array: x.Array, Tag: x.Tag, Lanes: x.Lanes, As: x.As, Index: []expr.Expr{}}
		for _, n := range a.subs {
			out.Index = append(out.Index, b.placed(b.express(n)))
		}
		return out
	})
}

// arguments declares the arrays, values and temporaries.
func (b *flow) arguments(k *kernel.Kernel) {
	accessed := map[*array]bool{}
	mentioned := namesIn(k)
	for _, a := range b.order {
		accessed[a] = mentioned[a.name]
	}
	value := func(n string, t expr.DType) {
		k.Args = append(k.Args, &kernel.Array{Name: n, DType: t, Space: kernel.Private, IsValue: true, Shape: []expr.Expr{}})
	}
	for _, p := range b.params {
		switch n := b.names[p]; {
		case len(p.Dims) > 0:
			if a := b.arrays[p]; a != nil && accessed[a] && a.space != cfront.LocalSpace {
				k.Args = append(k.Args, declared(a))
			}
		case isImage(p):
		case p.DType.IsVector(): // which is kept in private memory
			lanesMentioned(n, p.DType, mentioned, value)
		case b.opt.Bind[p.Name] != "": // n may be a size of the launch, which is among the others
		case b.sizes[n] != nil:
			value(n, b.sizes[n].dtype)
		default:
			value(n, p.DType)
		}
	}
	for _, a := range b.order {
		if accessed[a] && a.v.Class == cfront.Global && a.space != cfront.LocalSpace {
			k.Args = append(k.Args, declared(a))
		}
	}
	for _, n := range b.sizeOrder {
		if strings.HasPrefix(n, kernel.TripsPrefix) && !slices.ContainsFunc(b.averages, func(a kernel.Average) bool { return expr.Mentions(a.Value, n) }) {
			continue // of a loop that is followed otherwise
		}
		value(n, expr.Int32)
	}
	for _, a := range b.order {
		if accessed[a] && (a.space == cfront.LocalSpace || a.space == cfront.PrivateSpace) {
			k.Temps = append(k.Temps, declared(a))
		}
	}
	for _, n := range b.tempOrder {
		if mentioned[n] {
			k.Temps = append(k.Temps, b.temps[n])
		}
	}
	for _, f := range slices.Backward(b.functions) { // each may call those before it
		if mentioned[f.Name] {
			k.Functions = append(k.Functions, f)
			for e := range expr.All(f.Def) {
				if x, ok := e.(*expr.Call); ok {
					mentioned[x.Func] = true
				}
			}
		}
	}
	slices.Reverse(k.Functions)
}

// namesIn are the arrays, variables, parameters and functions that a kernel mentions.
func namesIn(k *kernel.Kernel) map[string]bool {
	mentioned := map[string]bool{}
	for _, s := range k.Statements {
		for _, e := range s.Exprs() {
			for name := range expr.Names(e) {
				mentioned[name] = true
			}
		}
	}
	for _, d := range k.Domains {
		for _, p := range d.Params() {
			mentioned[p] = true
		}
	}
	return mentioned
}

func declared(a *array) *kernel.Array {
	out := &kernel.Array{Name: a.name, DType: a.base, Shape: a.shape, Space: kernel.Global, Constant: a.space == cfront.ConstantSpace}
	switch a.space {
	case cfront.ConstantSpace:
		out.Contents = contents(a)
	case cfront.LocalSpace:
		out.Space, out.Dynamic = kernel.Local, a.v.Dynamic || a.v.Class == cfront.Param
	case cfront.PrivateSpace:
		out.Space, out.PerItem = kernel.Private, true
	}
	return out
}
