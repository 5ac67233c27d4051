package transform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// targets adds the variables that sum up the values read, and the statements that set them to 0 in every work-item.
func (r *remover) targets(n int) error {
	var t expr.DType
	for _, p := range r.parts {
		for _, l := range p.loads {
			t = expr.Promote(t, r.old.Array(l.acc.Array).DType)
		}
	}
	for _, p := range r.parts {
		if p.store != nil && t == "" {
			t = r.old.Array(p.store.Array).DType
		}
	}
	switch t {
	case "":
		t = expr.Float32
	case expr.Bool:
		t = expr.Int32
	}
	zero, _ := constant(0)(t)
	inames := r.workItem()
	for i := range n {
		base := "read_tgt"
		if i > 0 {
			base = fmt.Sprintf("read_tgt_%d", i)
		}
		a := &kernel.Array{Name: r.FreshName(base), DType: t, Space: kernel.Private, Shape: []expr.Expr{}, PerItem: true}
		r.Temps = append(r.Temps, a)
		r.tgt = append(r.tgt, a)
		r.init = append(r.init, &kernel.Stmt{ID: r.freshID(base + "_init"), LHS: expr.Var{Name: a.Name}, RHS: zero, Inames: inames})
	}
	r.Statements = r.init
	return nil
}

// workItem are the inames of a statement that every work-item runs once.
func (r *remover) workItem() []string {
	return nameset.Sorted(nameset.Remove(slices.Concat(r.groups[:], r.items[:]), ""))
}

func (r *remover) sum() expr.Expr {
	if len(r.tgt) == 1 {
		return expr.Var{Name: r.tgt[0].Name}
	}
	sum := &expr.Op{Kind: expr.Add}
	for _, a := range r.tgt {
		sum.Args = append(sum.Args, expr.Var{Name: a.Name})
	}
	return sum
}

// reads adds the statements that read or store. The reads of one loop are distributed over the targets cyclically; if their
// number is not a multiple of the number of targets, the targets rotate with each iteration.
func (r *remover) reads() error {
	var loops []*readLoop
	for _, p := range r.parts {
		if r.kept[p.stmt.ID] || p.stmt.Kind == kernel.LocalBarrier && r.local {
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
			t := expr.Var{Name: r.tgt[len(loops[at].reads)%len(r.tgt)].Name}
			var value expr.Expr = l.acc
			if len(l.acc.Index) == 0 && l.acc.Tag == "" && r.old.IsTemp(l.acc.Array) {
				value = expr.Var{Name: l.acc.Array}
			}
			s := &kernel.Stmt{ID: r.freshID(p.stmt.ID + "_read"), LHS: t, RHS: expr.Binary(expr.Add, t, value), Predicates: p.guards(l.under)}
			s.Inames, s.Tags = p.stmt.Inames, p.stmt.Tags
			r.add(p.stmt, s)
			loops[at].reads = append(loops[at].reads, s)
		}
		if p.store != nil {
			s := &kernel.Stmt{ID: r.freshID(p.stmt.ID + "_store"), LHS: p.stmt.LHS, RHS: r.sum(), Predicates: p.guards(nil)}
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

// readLoop is the reads within the same sequential inames, and the statements that rotate the targets after them.
type readLoop struct {
	inames       []string
	reads, turns []*kernel.Stmt
}

// guards are the predicates of the new statements of the part.
func (p *part) guards(more []expr.Expr) []expr.Expr {
	out := slices.Concat(p.pure, more)
	if p.cond != nil {
		out = append(out, p.cond.LHS)
	}
	return out
}

// freshID avoids the IDs of old statements too, some of which stay.
func (r *remover) freshID(base string) string {
	return kernel.Fresh(base, func(id string) bool { return r.Stmt(id) != nil || r.old.Stmt(id) != nil })
}

// add appends a new statement of an old one.
func (r *remover) add(old, s *kernel.Stmt) {
	r.Statements = append(r.Statements, s)
	r.from[old.ID] = append(r.from[old.ID], s)
}

// rotate adds statements that rotate the targets by m places after the reads of a loop.
func (r *remover) rotate(l *readLoop, m int) {
	last := l.reads[len(l.reads)-1]
	after := idsOf(l.reads)
	var list []*kernel.Stmt
	var copies []string
	next := make([]expr.Expr, len(r.tgt))
	for i, a := range r.tgt {
		from := r.tgt[(i+m)%len(r.tgt)]
		c := &kernel.Array{Name: r.FreshName(a.Name + "_next"), DType: a.DType, Space: kernel.Private, Shape: []expr.Expr{}, PerItem: true}
		r.Temps = append(r.Temps, c)
		next[i] = expr.Var{Name: c.Name}
		s := &kernel.Stmt{ID: r.freshID(c.Name), LHS: next[i], RHS: expr.Var{Name: from.Name}, Inames: last.Inames, Deps: nameset.Sorted(after)}
		list = append(list, s)
		copies = append(copies, s.ID)
	}
	for i, a := range r.tgt {
		s := &kernel.Stmt{ID: r.freshID(a.Name + "_turn"), LHS: expr.Var{Name: a.Name}, RHS: next[i], Inames: last.Inames, Deps: nameset.Sorted(copies)}
		l.turns = append(l.turns, s)
	}
	r.Statements = slices.Insert(r.Statements, slices.Index(r.Statements, last)+1, slices.Concat(list, l.turns)...)
}

// stores adds a store that keeps the reads alive if no other remains.
func (r *remover) stores() error {
	if r.written {
		return nil
	}
	dest := &kernel.Array{Name: r.FreshName("read_tgt_dest"), DType: r.tgt[0].DType, Space: kernel.Global}
	s := &kernel.Stmt{ID: r.freshID("read_tgt_dest_store"), RHS: r.sum(), Inames: r.workItem()}
	at := &expr.Access{Array: dest.Name}
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
		at.Index = append(at.Index, expr.FromAffine(index))
	}
	if len(at.Index) == 0 {
		dest.Shape = []expr.Expr{}
	}
	s.LHS = at
	for _, o := range r.Statements {
		s.Deps = append(s.Deps, o.ID)
	}
	s.Deps = nameset.Sorted(s.Deps)
	r.Statements = append(r.Statements, s)
	r.Args = append(r.Args, dest)
	return r.InferShapes()
}

// link gives the new statements the dependencies of the old ones. If nothing remains of a statement, those that depend on
// it inherit its dependencies.
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
				if !containsAll(s.Inames, l.inames) && len(nameset.Intersect(on, idsOf(l.reads))) > 0 {
					on = append(on, idsOf(l.turns)...)
				}
			}
			deps[s.ID] = nameset.Sorted(on)
			earlier = append(earlier, s.ID)
		}
	}
	r.MapStmts(func(s *kernel.Stmt) {
		if d, ok := deps[s.ID]; ok {
			s.Deps = d
		}
	})
	return nil
}

// nest preserves the nesting of loops. Of two loops, the one with more statements is the outer one; if now both have the
// same statements, a priority preserves the order.
func (r *remover) nest() error {
	users := func(k *kernel.Kernel, iname string) string {
		var ids []string
		for _, s := range k.Statements {
			if slices.Contains(s.Inames, iname) {
				ids = append(ids, s.ID)
			}
		}
		return nameset.Text(ids)
	}
	count := func(k *kernel.Kernel, iname string) int { return strings.Count(users(k, iname), ",") }
	var was [][]string
	for _, x := range r.Inames() {
		for _, y := range r.Inames() {
			now := users(r.Kernel, x)
			if r.Tags[x].Parallel() || r.Tags[y].Parallel() || now == nameset.Text(nil) || now != users(r.Kernel, y) {
				continue
			}
			if count(r.old, x) > count(r.old, y) {
				was = append(was, []string{x, y})
			}
		}
	}
	r.Priorities = slices.Concat(was, r.Priorities) // earlier ones take precedence
	return nil
}

// clean drops arrays and inames that are no longer used.
func (r *remover) clean() error {
	used := map[string]bool{}
	for _, s := range r.Statements {
		for _, e := range s.Exprs() {
			for name := range expr.Names(e) {
				used[name] = true
			}
		}
	}
	unused := func(a *kernel.Array) bool {
		return !used[a.Name] && !(a.IsValue && a.DType.IsInteger())
	}
	r.Args = slices.DeleteFunc(r.Args, unused)
	r.Temps = slices.DeleteFunc(r.Temps, unused)
	c, err := RemoveUnusedInames(r.Kernel)
	if err != nil {
		return err
	}
	r.Kernel = c
	return nil
}
