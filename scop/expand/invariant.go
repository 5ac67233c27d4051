package expand

import (
	"maps"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Invariant is the analysis of the nest with recurrences made once that are the same in all iterations of loops around them, of which one is sequential:
//
//	for (t = 0; t < steps; t++)
//	  for (i = 0; i < n; i++)
//	    for (j = 1; j < n; j++)
//	      p[i][j] = a/(b - p[i][j-1]);
//
// The values of p are those of an array over j alone, which are made before the loops. All else that reads p reads these; where p is used after the nest, it gets its last values then.
// Without any such recurrence there are no copies. What is read is never computed from other values than those of the text, so that results are the same to the last bit.
func Invariant(a *deps.Analysis) (_ *deps.Analysis, _ []Copies, err error) {
	defer throw.Catch(&err)
	v := &invariant{expansion: newExpansion(a, Most), needs: map[*scop.Statement][]bool{}}
	var webs []*once
	for _, x := range written(a.Nest) {
		if len(x.Shape) == 0 {
			continue
		}
		for _, w := range websOf(a, x) {
			if o := v.once(x, w); o != nil {
				webs = append(webs, o)
			}
		}
	}
	if len(webs) == 0 || !v.served(webs) {
		return a, nil, nil
	}
	n, made := v.hoisted(webs)
	b := throw.Get(deps.Analyze(n))
	if !v.same(b, made) {
		return a, nil, nil
	}
	return b, v.copies, nil
}

// invariant finds what values of statements depend on.
type invariant struct {
	*expansion
	needs map[*scop.Statement][]bool // of the iterators of a statement, those that its value depends on
}

// once is a web of an array whose values are made once: its elements have the subscripts that are not dropped.
type once struct {
	of    *scop.Array
	web   *web
	drop  []bool
	final []*last
}

// needed are the iterators that the value of a statement depends on, by what it reads, and by what that was computed from.
func (v *invariant) needed(s *scop.Statement) []bool {
	if v.needs[s] == nil {
		v.fixpoint()
	}
	return v.needs[s]
}

// fixpoint finds them for all statements. The value of a statement depends on the iterators that it names elsewhere than in subscripts of what the nest writes, and on those that say which points its
// operands are of, in loops that these depend on.
func (v *invariant) fixpoint() {
	for _, s := range v.analysis.Nest.Statements {
		v.needs[s] = v.direct(s)
	}
	for changed := true; changed; {
		changed = false
		for _, d := range v.analysis.Dependences {
			if !d.ValueBased || slices.Index(v.needs[d.To], false) < 0 {
				continue
			}
			for i := range d.To.Iterators {
				if !v.needs[d.To][i] && v.passes(d, i) {
					v.needs[d.To][i], changed = true, true
				}
			}
		}
	}
}

// direct are the iterators that a statement names; all, where that does not tell what its value is.
func (v *invariant) direct(s *scop.Statement) []bool {
	out := make([]bool, len(s.Iterators))
	reads := map[*scop.Array]int{}
	all := s.Guarded
	for _, a := range s.Accesses {
		if !a.Write {
			reads[a.Array]++
		}
		all = all || a.Where != nil || a.Array.Scattered() || a.Array.Written && reads[a.Array] > 1 // values are known for all reads of an array together
	}
	for _, i := range v.analysis.Initial {
		all = all || i.Statement == s
	}
	rest := expr.Rewrite(s.RHS, func(e expr.Expr) expr.Expr {
		if a, ok := e.(*expr.Access); ok && v.analysis.Nest.Array(a.Array).Written {
			return expr.Int{}
		}
		return e
	})
	for i, name := range s.Iterators {
		out[i] = all || expr.Mentions(rest, name)
	}
	if v.recurs(s) {
		for i := range out {
			out[i] = out[i] || v.chooses(s, i)
		}
	}
	return out
}

// recurs reports that a statement reads a value of its own.
func (v *invariant) recurs(s *scop.Statement) bool {
	return slices.ContainsFunc(v.analysis.Dependences, func(d *deps.Dependence) bool { return d.ValueBased && d.From == s && d.To == s })
}

// chooses reports that an iterator may say from which statement a value is.
func (v *invariant) chooses(s *scop.Statement, iterator int) bool {
	others := slices.Delete(slices.Clone(s.Iterators), iterator, iterator+1)
	return slices.ContainsFunc(v.analysis.Dependences, func(d *deps.Dependence) bool {
		return d.ValueBased && d.To == s && !v.alike(d, others)
	})
}

// alike reports that some iterators of the later statement tell at which of its points there is a dependence.
func (v *invariant) alike(d *deps.Dependence, by []string) bool {
	points := unprimed(throw.Get(d.Map.Range()), d.To)
	for _, part := range throw.Get(points.Project(by...)).Disjuncts() {
		list, exact := part.Constraints()
		if all := throw.Get(d.To.Domain.Named("").Constrain(list...)); !exact || !throw.Get(all.IsSubset(points)) {
			return false
		}
	}
	return true
}

// passes reports that an iterator of the later statement may say of which point a value is, in loops that the value depends on.
func (v *invariant) passes(d *deps.Dependence, iterator int) bool {
	pairs := d.Map.Graph()
	from, to := pairs.Dims()[:len(d.From.Iterators)], pairs.Dims()[len(d.From.Iterators):]
	for k, name := range from {
		if !v.needs[d.From][k] {
			continue
		}
		for _, part := range pairs.Disjuncts() {
			by, ok := solvedFor(part, name, from)
			if !ok || by.Has(to[iterator]) {
				return true
			}
		}
	}
	return false
}

// solvedFor is a dimension of a set as equalities give it by other dimensions than some.
func solvedFor(set *polycount.Set, name string, but []string) (polycount.Affine, bool) {
	list, _ := set.Constraints()
	for _, c := range list {
		if k := c.Affine.Coeff(name); c.Equality && !c.Affine.HasFloor() && (k == 1 || k == -1) {
			value := polycount.Name(name).AddScaled(-k, c.Affine)
			if !slices.ContainsFunc(but, value.Has) {
				return value, true
			}
		}
	}
	return polycount.Affine{}, false
}

// outer is how many of the outermost loops a value does not depend on; 0, where it depends on none of those inside of one that it does not depend on.
func (v *invariant) outer(s *scop.Statement) int {
	n := slices.Index(v.needed(s), true)
	if n < 0 {
		n = len(s.Iterators)
	}
	if slices.Contains(v.needed(s)[n:], false) {
		return 0
	}
	return n
}

// once is a web with a recurrence whose values do not depend on outer loops; nil for others. Each element of the copy has one value.
func (v *invariant) once(x *scop.Array, w *web) *once {
	if w.initial || !slices.ContainsFunc(w.writers, func(s *scop.Statement) bool { return v.recurs(s) && v.again(s) }) {
		return nil
	}
	o := &once{of: x, web: w, drop: make([]bool, len(x.Shape))}
	for _, s := range w.writers {
		outer := v.outer(s)
		if outer == 0 {
			return nil
		}
		for d, index := range write(s).Index {
			o.drop[d] = o.drop[d] || slices.ContainsFunc(s.Iterators[:outer], index.Has)
		}
	}
	for i, s := range w.writers {
		for d, index := range write(s).Index {
			if o.drop[d] && slices.ContainsFunc(s.Iterators[v.outer(s):], index.Has) {
				return nil
			}
		}
		for _, t := range w.writers[i:] {
			if !v.apart(o, s, t) {
				return nil
			}
		}
	}
	if !x.Local {
		if o.final = throw.Get(v.final(x, w)); o.final == nil {
			return nil
		}
	}
	return o
}

// write is the access by which a statement writes.
func write(s *scop.Statement) scop.Access { return s.Accesses[len(s.Accesses)-1] }

// again reports that a loop of which the value does not depend makes one iteration after the other: then the same values are made one time after the other, too, and not at the same time.
func (v *invariant) again(s *scop.Statement) bool {
	return slices.ContainsFunc(v.analysis.Loops, func(l deps.Loop) bool {
		return l.Class == deps.Sequential && slices.Contains(s.Loops[:v.outer(s)], l.Loop)
	})
}

// values are the points of a statement in the loops that its value depends on.
func (v *invariant) values(s *scop.Statement) *polycount.Set {
	own := s.Iterators[v.outer(s):]
	return throw.Get(throw.Get(s.Domain.Named("").Project(own...)).Coalesce())
}

// apart reports that two statements, in the loops that their values depend on, write no element of the copy twice.
func (v *invariant) apart(o *once, s, t *scop.Statement) bool {
	first, second := v.values(s), v.values(t)
	other := map[string]polycount.Affine{}
	for _, name := range t.Iterators[v.outer(t):] {
		second = throw.Get(second.Rename(name, name+"'"))
		other[name] = polycount.Name(name + "'")
	}
	both := throw.Get(first.Product(second))
	for d := range o.drop {
		if !o.drop[d] {
			both = throw.Get(both.Constrain(polycount.EQ(write(s).Index[d], write(t).Index[d].Subst(other))))
		}
	}
	if s != t {
		return throw.Get(both.IsEmpty())
	}
	for _, name := range s.Iterators[v.outer(s):] {
		if !throw.Get(both.Implies(polycount.EQ(polycount.Name(name), other[name]))) {
			return false
		}
	}
	return true
}

// served reports that what the statements of the webs read is of these, or of statements in no loop, and that the loops which values do not depend on do not say of which.
func (v *invariant) served(webs []*once) bool {
	for _, o := range webs {
		for _, s := range o.web.writers {
			for _, d := range v.analysis.Dependences {
				if !d.ValueBased || d.To != s {
					continue
				}
				if len(d.From.Loops) > 0 && !slices.ContainsFunc(webs, func(o *once) bool { return o.of == d.Array && slices.Contains(o.web.writers, d.From) }) {
					return false
				}
				if !v.alike(d, s.Iterators[v.outer(s):]) {
					return false
				}
			}
		}
	}
	return true
}

// hoisted is the nest with the values of webs made before the loops, and the statements that make them.
func (v *invariant) hoisted(webs []*once) (_ *scop.Nest, made map[*scop.Statement]*scop.Statement) {
	gone, before := map[string]bool{}, map[int64][]*scop.Statement{}
	for _, o := range webs {
		c := &scop.Array{Name: v.fresh(o.of.Name), Pos: o.of.Pos, DType: o.of.DType, Local: true, Written: true, Shape: append([]expr.Expr{}, kept(o.drop, o.of.Shape)...)}
		v.copies = append(v.copies, Copies{o.of, c, nil})
		to := place{array: c, drop: o.drop}
		for _, s := range o.web.writers {
			v.written[at{o.of, s}], gone[s.Name] = to, true
			before[s.Order[0].Constant()] = append(before[s.Order[0].Constant()], s)
		}
		for _, s := range o.web.readers {
			v.read[at{o.of, s}] = to
		}
		for _, l := range o.final {
			l.from = to
			v.last = append(v.last, l)
		}
	}
	n := v.nest()
	by := map[string]*scop.Statement{}
	for _, s := range n.Statements {
		by[s.Name] = s
	}
	for i, s := range n.Statements { // room before each part of the nest
		own := *s
		own.Order = slices.Clone(s.Order)
		own.Order[0] = own.Order[0].Scale(int64(1 + len(gone))).AddInt(int64(len(gone)))
		n.Statements[i] = &own
	}
	made = map[*scop.Statement]*scop.Statement{}
	for _, position := range slices.Sorted(maps.Keys(before)) {
		first := slices.IndexFunc(n.Statements, func(s *scop.Statement) bool {
			return s.Order[0].Constant() == position*int64(1+len(gone))+int64(len(gone))
		})
		list := before[position]
		slices.SortFunc(list, func(s, t *scop.Statement) int {
			return slices.Index(v.analysis.Nest.Statements, s) - slices.Index(v.analysis.Nest.Statements, t)
		})
		for i, s := range list {
			own := v.single(by[s.Name], s, position*int64(1+len(gone))+int64(i), n)
			n.Statements = slices.Insert(n.Statements, first+i, own)
			made[own] = s
		}
	}
	n.Statements = slices.DeleteFunc(n.Statements, func(s *scop.Statement) bool { return made[s] == nil && gone[s.Name] })
	n.Loops = slices.DeleteFunc(n.Loops, func(l *scop.Loop) bool {
		return !slices.ContainsFunc(n.Statements, func(s *scop.Statement) bool { return slices.Contains(s.Loops, l) })
	})
	return n, made
}

// single is a statement in the loops alone that its value depends on.
func (v *invariant) single(s, of *scop.Statement, place int64, n *scop.Nest) *scop.Statement {
	points := v.values(of)
	out := *s
	out.Domain, out.Order, out.Loops, out.Iterators = points.Named(s.Name), []polycount.Affine{polycount.Int(place)}, nil, nil
	for i := v.outer(of); i < len(of.Iterators); i++ {
		v.loop(&out, points, of.Iterators[i], of.Loops[i].Name, n)
		if of.Loops[i].Step < 0 {
			out.Loops[len(out.Loops)-1].Step = of.Loops[i].Step
			out.Order[len(out.Order)-2] = out.Order[len(out.Order)-2].Neg()
		}
	}
	return &out
}

// same reports that the statements which make values once read what they read before: all of it from each other, or from the same statements in no loop.
func (v *invariant) same(b *deps.Analysis, made map[*scop.Statement]*scop.Statement) bool {
	for _, i := range b.Initial {
		if made[i.Statement] != nil || slices.ContainsFunc(v.copies, func(c Copies) bool { return c.Array == i.Array }) {
			return false
		}
	}
	for _, d := range b.Dependences {
		of := made[d.To]
		if of == nil || !d.ValueBased || made[d.From] != nil {
			continue
		}
		if !slices.ContainsFunc(v.analysis.Dependences, func(o *deps.Dependence) bool {
			return o.ValueBased && o.To == of && o.From.Name == d.From.Name && len(o.From.Loops) == 0
		}) {
			return false
		}
	}
	return true
}
