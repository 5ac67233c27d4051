package kernel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/polycount"
)

// WorkRemoval says what RemoveWork takes away beside arithmetic and local memory.
type WorkRemoval struct {
	// Vars are the arrays in global memory whose accesses go too.
	Vars []string
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
func (k *Kernel) RemoveWork(opt WorkRemoval) (out *Kernel, err error) {
	defer rescue(&err)
	if opt.Accumulators < 0 || opt.Accumulators > maxAccumulators {
		return nil, k.errorf("removing work: %d accumulators, it can be 1 to %d", opt.Accumulators, maxAccumulators)
	}
	for _, name := range opt.Vars {
		if k.Array(name) == nil || k.SpaceOf(name) != Global {
			return nil, k.errorf("removing work: %s is no array in global memory (%s)", name, listNames(k.globals()))
		}
	}
	p, err := k.Prepare()
	if err != nil {
		return nil, err
	}
	r := &remover{Kernel: p.clone(), old: p, vars: opt.Vars, needed: map[string]bool{}, from: map[string][]*Stmt{}}
	for _, step := range []func() error{
		r.launch, r.collect, r.slice, func() error { return r.targets(max(opt.Accumulators, 1)) }, r.reads, r.stores, r.link, r.nest, r.clean,
	} {
		if err := step(); err != nil {
			return nil, k.errorf("removing work: %w", err)
		}
	}
	return r.Kernel, r.Check()
}

const maxAccumulators = 64

// globals lists the arrays in global memory.
func (k *Kernel) globals() []string {
	var out []string
	for _, a := range slices.Concat(k.Args, k.Temps) {
		if k.SpaceOf(a.Name) == Global {
			out = append(out, a.Name)
		}
	}
	return out
}

// remover carries a kernel through the steps of RemoveWork.
type remover struct {
	*Kernel // under construction
	old     *Kernel
	vars    []string

	size    [3]int64  // of the work-group
	items   [3]string // inames for all work-items of a group, by axis; "" where unused
	groups  [3]string // inames for all work-groups
	parts   []*part
	needed  map[string]bool // temporaries that indices and conditions read
	kept    map[string]bool // statements that compute these
	local   bool            // some of these are in local memory
	tgt     []*Array
	init    []*Stmt
	from    map[string][]*Stmt // what came of each old statement
	loops   []*readLoop
	written bool // a store is left
}

// part is what is left of a statement.
type part struct {
	stmt  *Stmt
	loads []load
	store *Access
	cond  *Stmt  // evaluates the conditions that read memory
	pure  []Expr // the other conditions
}

// load is a read that is left, with the conditions of the selects that it is in.
type load struct {
	acc   *Access
	under []Expr
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
			if !slices.ContainsFunc(r.Statements, func(s *Stmt) bool { return slices.Contains(s.Inames, n) }) {
				continue
			}
			switch r.Tags[n] {
			case Tag{LocalAxis, axis}:
				local = true
			case Tag{GroupAxis, axis}:
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
			x := polycount.Name(r.axis(&r.items, "item", Tag{LocalAxis, axis}))
			r.Domains = append(r.Domains, polycount.NewSet(nil, x.Names(),
				polycount.GE(x, polycount.Int(0)), polycount.GE(polycount.Int(r.size[axis]-1), x)))
		}
		if grid {
			upper, err := commonUpper(groups)
			if err != nil {
				return err
			}
			x := polycount.Name(r.axis(&r.groups, "group", Tag{GroupAxis, axis}))
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
func (r *remover) axis(list *[3]string, base string, tag Tag) string {
	n := r.freshName(fmt.Sprintf("%s_%d", base, tag.Axis))
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
		if s.Kind != Assign {
			r.parts = append(r.parts, p)
			continue
		}
		var reading []Expr
		for _, c := range s.Predicates {
			if r.pure(c) {
				p.pure = append(p.pure, c)
			} else {
				reading = append(reading, c)
			}
		}
		r.loads(s.RHS, nil, &p.loads)
		if w := r.old.Writes(s)[0]; r.left(w) {
			p.store = w
		} else {
			for _, i := range w.Index {
				r.loads(i, nil, &p.loads)
			}
		}
		if len(reading) > 0 && (p.store != nil || len(p.loads) > 0) {
			var cond Expr = &Op{And, reading}
			if len(reading) == 1 {
				cond = reading[0]
			}
			t := &Array{Name: r.freshName(s.ID + "_if"), DType: Bool, Space: Private, Shape: []Expr{}}
			r.Temps = append(r.Temps, t)
			p.cond = &Stmt{ID: r.freshID(s.ID + "_if"), LHS: Var{t.Name}, RHS: cond, Inames: s.Inames, Predicates: p.pure, Tags: s.Tags}
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

// left reports that accesses to the array stay.
func (r *remover) left(a *Access) bool {
	return r.old.SpaceOf(a.Array) == Global && !slices.Contains(r.vars, a.Array)
}

// pure reports that e reads inames, parameters and value arguments only.
func (r *remover) pure(e Expr) bool {
	return len(r.old.Reads(&Stmt{RHS: e})) == 0
}

// loads lists the reads in e that stay, beside those that the indices of such reads make themselves.
func (r *remover) loads(e Expr, under []Expr, out *[]load) {
	within := func(c Expr) []Expr { return append(slices.Clip(under), c) }
	not := func(c Expr) Expr { return &Op{Not, []Expr{c}} }
	switch x := e.(type) {
	case nil:
	case Var:
		if a := r.old.Array(x.Name); a != nil && !a.IsValue && r.left(&Access{Array: x.Name}) {
			*out = append(*out, load{&Access{Array: x.Name}, under})
		}
	case *Access:
		if r.left(x) {
			*out = append(*out, load{x, under})
			return
		}
		for _, i := range x.Index {
			r.loads(i, under, out)
		}
	case *Cond:
		r.loads(x.If, under, out)
		r.loads(x.Then, within(x.If), out)
		r.loads(x.Else, within(not(x.If)), out)
	case *Op:
		for _, a := range x.Args {
			r.loads(a, under, out)
			switch x.Kind {
			case And:
				under = within(a)
			case Or:
				under = within(not(a))
			}
		}
	default:
		for _, c := range e.children() {
			r.loads(c, under, out)
		}
	}
}

// conditions are those around a read that stay. A read must not depend on the others.
func (r *remover) conditions(s *Stmt, l load) ([]Expr, error) {
	var keep, dropped []Expr
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
	inside, err := r.old.surelyInside(l.acc, s.Inames)
	if err == nil && !inside {
		err = fmt.Errorf("statement %s reads %s where %s only, which would be removed, and it may lie outside the array elsewhere", s.ID, l.acc, dropped[0])
	}
	return keep, err
}

// surelyInside reports that the element lies within its array at all points of the inames.
func (k *Kernel) surelyInside(acc *Access, inames []string) (bool, error) {
	d, err := k.DomainOf(inames)
	if err != nil {
		return false, err
	}
	for i, e := range acc.Index {
		at, err1 := k.affineOf(e)
		size, err2 := k.affineOf(k.Array(acc.Array).Shape[i])
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

// slice finds the statements that compute what the indices and conditions of the accesses that are left need.
func (r *remover) slice() error {
	var work []string
	need := func(s *Stmt, e Expr) error {
		for _, a := range r.old.Reads(&Stmt{RHS: e}) {
			switch {
			case r.left(a):
			case r.old.SpaceOf(a.Array) == Global:
				return fmt.Errorf("%s is to be removed, but statement %s needs it in %s", a.Array, s.ID, e)
			case !r.needed[a.Array]:
				r.needed[a.Array] = true
				work = append(work, a.Array)
			}
		}
		return nil
	}
	for _, p := range r.parts {
		var exprs []Expr
		for _, l := range p.loads {
			exprs = append(exprs, l.acc.Index...)
		}
		if p.store != nil {
			exprs = append(exprs, p.store.Index...)
		}
		if p.cond != nil {
			exprs = append(exprs, p.cond.RHS)
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
		r.local = r.local || r.old.SpaceOf(name) == Local
		for _, w := range r.old.writers(name) {
			r.kept[w.ID] = true
			exprs := append([]Expr{w.RHS}, w.Predicates...)
			if lhs, ok := w.LHS.(*Access); ok {
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

// targets makes the variables that take what is read, and the statements that set them to 0 in every work-item.
func (r *remover) targets(n int) error {
	var t DType
	for _, p := range r.parts {
		for _, l := range p.loads {
			t = Promote(t, r.old.Array(l.acc.Array).DType)
		}
	}
	for _, p := range r.parts {
		if p.store != nil && t == "" {
			t = r.old.Array(p.store.Array).DType
		}
	}
	switch t {
	case "":
		t = Float32
	case Bool:
		t = Int32
	}
	zero, _ := constant(0)(t)
	inames := r.workItem()
	for i := range n {
		base := "read_tgt"
		if i > 0 {
			base = fmt.Sprintf("read_tgt_%d", i)
		}
		a := &Array{Name: r.freshName(base), DType: t, Space: Private, Shape: []Expr{}, PerItem: true}
		r.Temps = append(r.Temps, a)
		r.tgt = append(r.tgt, a)
		r.init = append(r.init, &Stmt{ID: r.freshID(base + "_init"), LHS: Var{a.Name}, RHS: zero, Inames: inames})
	}
	r.Statements = r.init
	return nil
}

// workItem are the inames of a statement that every work-item runs once.
func (r *remover) workItem() []string {
	return sortedSet(removeNames(slices.Concat(r.groups[:], r.items[:]), ""))
}

// sum is the value of all targets together.
func (r *remover) sum() Expr {
	if len(r.tgt) == 1 {
		return Var{r.tgt[0].Name}
	}
	sum := &Op{Kind: Add}
	for _, a := range r.tgt {
		sum.Args = append(sum.Args, Var{a.Name})
	}
	return sum
}

// reads adds the statements that read. Those of one loop take the targets in turn; where a loop makes fewer reads than
// there are targets, the targets move on with its iterations.
func (r *remover) reads() error {
	var loops []*readLoop
	for _, p := range r.parts {
		if r.kept[p.stmt.ID] || p.stmt.Kind == LocalBarrier && r.local {
			r.add(p.stmt, p.stmt)
			continue
		}
		if p.cond != nil {
			r.add(p.stmt, p.cond)
		}
		inames := slices.DeleteFunc(slices.Clone(p.stmt.Inames), func(n string) bool { return r.Tags[n].Parallel() })
		at := slices.IndexFunc(loops, func(l *readLoop) bool { return slices.Equal(l.inames, inames) })
		if at < 0 {
			at = len(loops)
			loops = append(loops, &readLoop{inames: inames})
		}
		for _, l := range p.loads {
			t := Var{r.tgt[len(loops[at].reads)%len(r.tgt)].Name}
			var value Expr = l.acc
			if len(l.acc.Index) == 0 && l.acc.Tag == "" && r.old.IsTemp(l.acc.Array) {
				value = Var{l.acc.Array}
			}
			s := &Stmt{ID: r.freshID(p.stmt.ID + "_read"), LHS: t, RHS: binary(Add, t, value), Predicates: p.guards(l.under)}
			s.Inames, s.Tags = p.stmt.Inames, p.stmt.Tags
			r.add(p.stmt, s)
			loops[at].reads = append(loops[at].reads, s)
		}
		if p.store != nil {
			s := &Stmt{ID: r.freshID(p.stmt.ID + "_store"), LHS: p.stmt.LHS, RHS: r.sum(), Predicates: p.guards(nil)}
			s.Inames, s.Tags = p.stmt.Inames, p.stmt.Tags
			r.add(p.stmt, s)
			r.written = true
		}
	}
	for _, l := range loops {
		if m := len(l.reads) % len(r.tgt); m > 0 && len(l.inames) > 0 {
			r.rotate(l, m)
		}
	}
	r.loops = loops
	return nil
}

// readLoop are the reads within the same sequential inames, and the statements that let the targets move on after them.
type readLoop struct {
	inames       []string
	reads, turns []*Stmt
}

// guards are the conditions of the statements that come of the part.
func (p *part) guards(more []Expr) []Expr {
	out := slices.Concat(p.pure, more)
	if p.cond != nil {
		out = append(out, p.cond.LHS)
	}
	return out
}

// freshID keeps clear of the old statements too, some of which stay.
func (r *remover) freshID(base string) string {
	return fresh(base, func(id string) bool { return r.Stmt(id) != nil || r.old.Stmt(id) != nil })
}

// add appends a statement that came of an old one.
func (r *remover) add(old, s *Stmt) {
	r.Statements = append(r.Statements, s)
	r.from[old.ID] = append(r.from[old.ID], s)
}

// rotate lets the targets move on by m places after the reads of a loop.
func (r *remover) rotate(l *readLoop, m int) {
	last := l.reads[len(l.reads)-1]
	after := idsOf(l.reads)
	var list []*Stmt
	var copies []string
	next := make([]Expr, len(r.tgt))
	for i, a := range r.tgt {
		from := r.tgt[(i+m)%len(r.tgt)]
		c := &Array{Name: r.freshName(a.Name + "_next"), DType: a.DType, Space: Private, Shape: []Expr{}, PerItem: true}
		r.Temps = append(r.Temps, c)
		next[i] = Var{c.Name}
		s := &Stmt{ID: r.freshID(c.Name), LHS: next[i], RHS: Var{from.Name}, Inames: last.Inames, Deps: sortedSet(after)}
		list = append(list, s)
		copies = append(copies, s.ID)
	}
	for i, a := range r.tgt {
		s := &Stmt{ID: r.freshID(a.Name + "_turn"), LHS: Var{a.Name}, RHS: next[i], Inames: last.Inames, Deps: sortedSet(copies)}
		l.turns = append(l.turns, s)
	}
	r.Statements = slices.Insert(r.Statements, slices.Index(r.Statements, last)+1, slices.Concat(list, l.turns)...)
}

func idsOf(list []*Stmt) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.ID)
	}
	return out
}

// stores adds the store that keeps the reads alive where no other is left.
func (r *remover) stores() error {
	if r.written {
		return nil
	}
	dest := &Array{Name: r.freshName("read_tgt_dest"), DType: r.tgt[0].DType, Space: Global}
	s := &Stmt{ID: r.freshID("read_tgt_dest_store"), RHS: r.sum(), Inames: r.workItem()}
	at := &Access{Array: dest.Name}
	for axis := 2; axis >= 0; axis-- {
		var index polycount.Affine
		if r.groups[axis] == "" && r.items[axis] == "" {
			continue
		}
		if n := r.groups[axis]; n != "" {
			index = polycount.Name(n).Scale(r.size[axis])
		}
		if n := r.items[axis]; n != "" {
			index = index.Add(polycount.Name(n))
		}
		at.Index = append(at.Index, FromAffine(index))
	}
	if len(at.Index) == 0 {
		dest.Shape = []Expr{}
	}
	s.LHS = at
	for _, o := range r.Statements {
		s.Deps = append(s.Deps, o.ID)
	}
	s.Deps = sortedSet(s.Deps)
	r.Statements = append(r.Statements, s)
	r.Args = append(r.Args, dest)
	return r.inferShapes()
}

// link gives the statements the dependencies of those that they came of. A statement of which nothing is left hands its
// own on.
func (r *remover) link() error {
	var sources func(id string, seen map[string]bool, into map[string]bool)
	sources = func(id string, seen, into map[string]bool) {
		for _, d := range r.old.Stmt(id).Deps {
			if seen[d] {
				continue
			}
			seen[d] = true
			for _, s := range r.from[d] {
				into[s.ID] = true
			}
			if len(r.from[d]) == 0 {
				sources(d, seen, into)
			}
		}
	}
	init := idsOf(r.init)
	deps := map[string][]string{}
	for id, list := range r.from {
		into := map[string]bool{}
		sources(id, map[string]bool{}, into)
		var earlier []string
		for _, s := range list {
			on := slices.Concat(slices.Collect(maps.Keys(into)), init, earlier)
			for _, l := range r.loops {
				// what comes after the loop comes after all of its iterations
				if !containsAll(s.Inames, l.inames) && len(intersectNames(on, idsOf(l.reads))) > 0 {
					on = append(on, idsOf(l.turns)...)
				}
			}
			deps[s.ID] = sortedSet(on)
			earlier = append(earlier, s.ID)
		}
	}
	r.mapStmts(func(s *Stmt) {
		if d, ok := deps[s.ID]; ok {
			s.Deps = d
		}
	})
	return nil
}

// nest keeps loops nested as they were. Of two loops the one that more statements are in is outside; where the
// statements that told them apart are gone, a priority takes their place.
func (r *remover) nest() error {
	users := func(k *Kernel, iname string) string {
		var ids []string
		for _, s := range k.Statements {
			if slices.Contains(s.Inames, iname) {
				ids = append(ids, s.ID)
			}
		}
		return listNames(ids)
	}
	count := func(k *Kernel, iname string) int { return strings.Count(users(k, iname), ",") }
	var was [][]string
	for _, x := range r.Inames() {
		for _, y := range r.Inames() {
			now := users(r.Kernel, x)
			if r.Tags[x].Parallel() || r.Tags[y].Parallel() || now == listNames(nil) || now != users(r.Kernel, y) {
				continue
			}
			if count(r.old, x) > count(r.old, y) {
				was = append(was, []string{x, y})
			}
		}
	}
	r.Priorities = slices.Concat(was, r.Priorities) // earlier ones count more
	return nil
}

// clean drops what nothing uses any more.
func (r *remover) clean() error {
	used := map[string]bool{}
	for _, s := range r.Statements {
		for _, e := range s.exprs() {
			Walk(e, func(e Expr) bool {
				switch x := e.(type) {
				case *Access:
					used[x.Array] = true
				case Var:
					used[x.Name] = true
				}
				return true
			})
		}
	}
	unused := func(a *Array) bool {
		return !used[a.Name] && !(a.IsValue && a.DType.IsInteger())
	}
	r.Args = slices.DeleteFunc(r.Args, unused)
	r.Temps = slices.DeleteFunc(r.Temps, unused)
	c, err := r.RemoveUnusedInames()
	if err != nil {
		return err
	}
	r.Kernel = c
	return nil
}
