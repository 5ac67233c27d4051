package transform

import (
	"errors"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// RealizeReduction replaces reductions by a temporary acc_<inames>, a statement <id>_<inames>_init that sets it to the
// neutral element, and a statement <id>_<inames>_update within the reduction's inames that adds to it. Reductions that
// cannot share a loop get their own copies of the inames first. argmax and argmin have two accumulators, for the value
// and its index, and a temporary for the current value, which is computed once and compared (statements _item, _index,
// _update).
//
// A reduction over an iname on a local axis is a tree in local memory (statements _part, _step and so on): the work-items
// of the axis store their values, then add them in pairs, halving their number in each step, and all can read the result.
func RealizeReduction(k *kernel.Kernel) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	c := k.Clone()
	pairReductions(c)
	separateReductions(c)
	for i := 0; i < len(c.Statements); {
		s := c.Statements[i]
		if s.RHS == nil || len(expr.Reductions(s.RHS)) == 0 {
			i++
			continue
		}
		parts := realize(c, s)
		// the parts may hold further reductions: go on at the first of them
		c.Statements = slices.Concat(c.Statements[:i], parts, c.Statements[i+1:])
	}
	return c, nil
}

// reduction is how values are reduced: the neutral element of a type, and one step.
type reduction struct {
	neutral func(t expr.DType) (expr.Expr, bool)
	step    func(acc, x expr.Expr) expr.Expr
}

var reductionSteps = map[string]reduction{
	"sum":     {constant(0), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.Add, acc, x) }},
	"product": {constant(1), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.Mul, acc, x) }},
	"max":     {limit(true), func(acc, x expr.Expr) expr.Expr { return &expr.Call{Func: "max", Args: []expr.Expr{acc, x}} }},
	"min":     {limit(false), func(acc, x expr.Expr) expr.Expr { return &expr.Call{Func: "min", Args: []expr.Expr{acc, x}} }},
	"any":     {constant(0), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.Or, acc, x) }},
	"all":     {constant(1), func(acc, x expr.Expr) expr.Expr { return expr.Binary(expr.And, acc, x) }},
}

func constant(v int64) func(expr.DType) (expr.Expr, bool) {
	return func(t expr.DType) (expr.Expr, bool) {
		switch t {
		case expr.Float32:
			return expr.Float{Value: float64(v), Text: expr.Int{Value: v}.String() + ".0f", DType: expr.Float32}, true
		case expr.Float64:
			return expr.Float{Value: float64(v), Text: expr.Int{Value: v}.String() + ".0", DType: expr.Float64}, true
		}
		return expr.Int{Value: v}, true
	}
}

// limit is the least value of a type (for max) or the greatest (for min).
func limit(least bool) func(expr.DType) (expr.Expr, bool) {
	return func(t expr.DType) (expr.Expr, bool) {
		bits := 8 * t.Size()
		switch {
		case !t.Known() || t.IsComplex():
			return nil, false
		case t.IsFloat() && least:
			return expr.Float{Value: math.Inf(-1), Text: "-inf", DType: t}, true
		case t.IsFloat():
			return expr.Float{Value: math.Inf(1), Text: "inf", DType: t}, true
		case t.IsSigned() && least:
			return expr.Int{Value: -1 << (bits - 1)}, true
		case t.IsSigned():
			return expr.Int{Value: 1<<(bits-1) - 1}, true
		case least:
			return expr.Int{Value: 0}, true
		case t == expr.Bool:
			return expr.Int{Value: 1}, true
		case bits < 64:
			return expr.Int{Value: 1<<bits - 1}, true
		}
		return nil, false // the greatest uint64 does not fit into the int64 of literals
	}
}

// realizer replaces the reductions of a statement by statements that compute them.
type realizer struct {
	*kernel.Kernel
	stmt  *kernel.Stmt
	parts []*kernel.Stmt // in an order that respects their dependencies
}

// realize returns the statements that take the place of s, which comes last. Only the outermost reductions are replaced.
func realize(k *kernel.Kernel, s *kernel.Stmt) []*kernel.Stmt {
	z := &realizer{Kernel: k, stmt: s}
	final := *s
	var bad error
	final.RHS = rewriteDown(s.RHS, func(e expr.Expr) (expr.Expr, bool) {
		r, ok := e.(*expr.Reduce)
		if !ok {
			return nil, false
		}
		result, err := z.reduce(r)
		if bad = errors.Join(bad, err); bad != nil {
			return r, true
		}
		final.Deps = nameset.Add(final.Deps, z.parts[len(z.parts)-1].ID)
		return result, true
	})
	return throw.Get(append(z.parts, &final), bad)
}

// reduce adds the statements that compute a reduction, the last of which makes the result complete.
func (z *realizer) reduce(r *expr.Reduce) (result expr.Expr, err error) {
	defer throw.Catch(&err)
	if axis := slices.IndexFunc(r.Inames, func(n string) bool { return z.Tags[n].Kind == kernel.LocalAxis }); axis >= 0 {
		return z.tree(r, r.Inames[axis]), nil
	}
	if r.Index != nil {
		return z.index(r), nil
	}
	t, _ := z.TypeOf(r) // may be inferred later
	how := reductionSteps[r.Kind]
	neutral, ok := how.neutral(t)
	if !ok {
		return nil, z.Errorf("statement %s: the neutral element of %s needs the dtype of %s: give the arrays types first (add_dtypes)", z.stmt.ID, r.Kind, r.Body)
	}
	name := "_" + strings.Join(r.Inames, "_")
	acc := z.temp("acc"+name, t)
	init := z.add(name+"_init", acc, neutral, z.stmt.Inames, nil)
	z.add(name+"_update", acc, how.step(acc, r.Body), nameset.Add(z.stmt.Inames, r.Inames...), nameset.Add(z.stmt.Deps, init))
	return acc, nil
}

// add appends an assignment under the predicates of the original statement and returns its ID: the original's, then suffix.
func (z *realizer) add(suffix string, lhs, rhs expr.Expr, inames, deps []string) (id string) {
	id = kernel.Fresh(z.stmt.ID+suffix, func(id string) bool {
		return z.Stmt(id) != nil || slices.Contains(idsOf(z.parts), id)
	})
	z.parts = append(z.parts, &kernel.Stmt{
		ID: id, LHS: lhs, RHS: rhs, Inames: inames, Deps: deps, Predicates: z.stmt.Predicates, Tags: z.stmt.Tags, At: z.stmt.At,
	})
	return id
}

// temp adds a scalar temporary.
func (z *realizer) temp(base string, t expr.DType) expr.Var {
	n := z.FreshName(base)
	z.Temps = append(z.Temps, &kernel.Array{Name: n, DType: t, Shape: []expr.Expr{}})
	return expr.Var{Name: n}
}

// typedNeutral is the neutral element of reductions of that kind over values of a type that must be known.
func (z *realizer) typedNeutral(r *expr.Reduce, kind string, t expr.DType) expr.Expr {
	neutral, ok := reductionSteps[kind].neutral(t)
	if !ok {
		panic(throw.Of(z.Errorf("statement %s: %s of %s, of type %s, has no neutral element", z.stmt.ID, r.Kind, r.Body, t)))
	}
	return neutral
}

// pairReductions makes an argmax share its loop with the max of the same values, in place: if a statement v = max(k, e)
// directly precedes one with argmax(k, e, f), and no statement must run between them, the first reads an accumulator of the
// second.
func pairReductions(k *kernel.Kernel) {
	for i := 0; i+1 < len(k.Statements); i++ {
		s, t := k.Statements[i], k.Statements[i+1]
		value, ok := s.RHS.(*expr.Reduce)
		if !ok || value.Index != nil || t.RHS == nil || !together(k, s, t) || mentionsAny(t, s.Target()) || mentionsAny(s, t.Target()) {
			continue
		}
		var index *expr.Reduce
		for _, r := range expr.Reductions(t.RHS) {
			if r.Kind == "arg"+value.Kind && slices.Equal(r.Inames, value.Inames) && expr.Equal(r.Body, value.Body) {
				index = r
				break
			}
		}
		if index == nil {
			continue
		}
		acc := &kernel.Array{Name: k.FreshName("acc_" + strings.Join(index.Inames, "_")), Shape: []expr.Expr{}}
		k.Temps = append(k.Temps, acc)
		marked := *index
		marked.Extreme = acc.Name
		last, first := *s, *t
		last.RHS, last.Deps = expr.Var{Name: acc.Name}, nameset.Add(s.Deps, t.ID)
		first.RHS, first.Deps = replaceReduction(t.RHS, index, &marked), nameset.Remove(nameset.Add(t.Deps, s.Deps...), s.ID)
		k.Statements[i], k.Statements[i+1] = &first, &last
	}
}

// together reports whether s and t run at the same points, with no statement that must run between them.
func together(k *kernel.Kernel, s, t *kernel.Stmt) bool {
	rest := *t
	rest.Deps = nameset.Remove(t.Deps, s.ID)
	return slices.Equal(s.Inames, t.Inames) && slices.EqualFunc(s.Predicates, t.Predicates, expr.Equal) &&
		!k.DependsOn(&rest, s.ID) && !k.DependsOn(s, t.ID)
}

func mentionsAny(s *kernel.Stmt, name string) bool {
	return slices.ContainsFunc(s.Exprs(), func(e expr.Expr) bool { return expr.Mentions(e, name) })
}

// index computes an argmax or argmin: it adds accumulators of the greatest or least value and of its index.
func (z *realizer) index(r *expr.Reduce) (result expr.Expr) {
	var err error
	s := z.stmt
	value, err := z.TypeOf(r.Body)
	if err != nil {
		panic(throw.Of(z.Errorf("statement %s: %w", s.ID, err)))
	}
	at, err := z.TypeOf(r.Index)
	if err != nil {
		panic(throw.Of(z.Errorf("statement %s: %w", s.ID, err)))
	}
	kind, beyond := r.Kind[len("arg"):], map[string]expr.OpKind{"argmax": expr.Gt, "argmin": expr.Lt}[r.Kind]
	neutral := z.typedNeutral(r, kind, value)
	if !at.IsSigned() && !at.IsFloat() {
		panic(throw.Of(z.Errorf("statement %s: the index %s of %s is of type %s, which has no -1 for a range without values: cast it to int32", s.ID, r.Index, r.Kind, at)))
	}
	none, _ := constant(-1)(at)
	name := "_" + strings.Join(r.Inames, "_")
	extreme := expr.Var{Name: r.Extreme}
	if r.Extreme == "" {
		extreme = z.temp("acc"+name, value)
	} else {
		z.ChangeArray(r.Extreme, func(a *kernel.Array) { a.DType = value })
	}
	index, item := z.temp("acc"+name, at), z.temp("item"+name, value)
	better := expr.Binary(beyond, item, extreme)
	inner := nameset.Add(s.Inames, r.Inames...)
	deps := s.Deps
	for _, part := range []struct {
		suffix string
		lhs    expr.Var
		rhs    expr.Expr
		inames []string
	}{
		{"_init", extreme, neutral, s.Inames},
		{"_index_init", index, none, s.Inames},
		{"_item", item, r.Body, inner},
		{"_index", index, &expr.Cond{If: better, Then: r.Index, Else: index}, inner},
		{"_update", extreme, reductionSteps[kind].step(extreme, item), inner},
	} {
		deps = nameset.Add(deps, z.add(name+part.suffix, part.lhs, part.rhs, part.inames, deps))
	}
	return index
}

// separateReductions gives reductions copies of their inames, in place, if they cannot share a loop with other users of
// these inames: reductions of other statements, or over other sets of inames. Reductions of one statement over the same
// inames share a loop. So do a reduction and a statement on which its statement depends, such as one that fills a tile.
func separateReductions(k *kernel.Kernel) {
	type owner struct {
		stmt string
		set  string
	}
	owners := map[string]owner{}
	for i := range k.Statements {
		s := k.Statements[i]
		if s.RHS == nil {
			continue
		}
		for _, r := range expr.Reductions(s.RHS) {
			me := owner{s.ID, nameset.Text(nameset.Sorted(r.Inames))}
			copies := map[string]string{}
			for _, n := range r.Inames {
				o, seen := owners[n]
				if !feeds(k, s, n) && (seen && o != me || elsewhere(k, s, n)) {
					copies[n] = k.FreshName(n)
				} else if !seen {
					owners[n] = me
				}
			}
			if len(copies) == 0 {
				continue
			}
			copyInames(k, copies)
			by := map[string]expr.Expr{}
			inames := slices.Clone(r.Inames)
			for j, n := range inames {
				if copies[n] != "" {
					inames[j], by[n] = copies[n], expr.Var{Name: copies[n]}
					owners[inames[j]] = owner{s.ID, nameset.Text(nameset.Sorted(inames))}
				}
			}
			next := *s
			next.RHS = replaceReduction(s.RHS, r, r.Subst(inames, by))
			k.Statements[i] = &next
			separateReductions(k)
			return // the reductions found are of the old expression
		}
	}
}

// feeds reports whether a statement that s depends on is within the iname.
func feeds(k *kernel.Kernel, s *kernel.Stmt, iname string) bool {
	return slices.ContainsFunc(s.Deps, func(id string) bool {
		d := k.Stmt(id)
		return d != nil && slices.Contains(d.Inames, iname)
	})
}

// elsewhere reports whether another statement is within the iname.
func elsewhere(k *kernel.Kernel, s *kernel.Stmt, iname string) bool {
	return slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool { return o.ID != s.ID && slices.Contains(o.Inames, iname) })
}

func replaceReduction(e expr.Expr, old, by *expr.Reduce) expr.Expr {
	return rewriteDown(e, func(x expr.Expr) (expr.Expr, bool) { return by, x == old })
}

// tree computes a reduction over an iname on a local axis, which leaves its result in the first element of a local
// temporary. The temporary has an element per value of iname and of the statement's inames on other local axes. Where
// the iname does not take all values of its extent, the remaining elements are neutral. With m values left, the first
// m/2 work-items each add the value m - m/2 places further on to their own: log2 steps for any extent. Reductions over
// the other inames stay in the statement that stores the values.
func (z *realizer) tree(r *expr.Reduce, iname string) (result expr.Expr) {
	var err error
	s, k := z.stmt, z.Kernel
	if k.ExplicitBarriers {
		panic(throw.Of(k.Errorf("statement %s: %s over iname %s: %w", s.ID, r.Kind, iname, errExplicit)))
	}
	if r.Index != nil {
		panic(throw.Of(k.Errorf("statement %s: %s over iname %s, which is tagged %s, is not supported: find the greatest of each work-item's values in a sequential loop, store them, and let one work-item compare these",
			s.ID, r.Kind, iname, k.Tags[iname])))
	}
	dtype, err := k.TypeOf(r)
	if err != nil {
		panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
	}
	neutral := z.typedNeutral(r, r.Kind, dtype)
	lo, hi := constantExtent(k, s, iname)

	tile := &kernel.Array{Name: k.FreshName("acc_" + iname), DType: dtype, Space: kernel.Local}
	var others []expr.Expr // index of the axes before the iname's
	for _, n := range s.Inames {
		if k.Tags[n].Kind != kernel.LocalAxis {
			continue
		}
		first, last := constantExtent(k, s, n)
		tile.Shape = append(tile.Shape, expr.Int{Value: last - first + 1})
		others = append(others, shifted(n, -first))
	}
	tile.Shape = append(tile.Shape, expr.Int{Value: hi - lo + 1})
	k.Temps = append(k.Temps, tile)
	element := func(index expr.Expr) *expr.Access {
		return &expr.Access{Array: tile.Name, Index: slices.Concat(others, []expr.Expr{index})}
	}

	deps := s.Deps
	add := func(suffix, over string, at, value expr.Expr) {
		deps = nameset.Add(deps, z.add("_"+iname+suffix, element(at), value, nameset.Add(s.Inames, over), deps))
	}
	full := takesAll(k, s.Inames, iname, lo, hi)
	if !full {
		whole := addBox(k, iname+"_all", lo, hi, k.Tags[iname])
		add("_init", whole, shifted(whole, -lo), neutral)
	}
	value := r.Body
	if rest := nameset.Remove(r.Inames, iname); len(rest) > 0 {
		value = r.With(rest, expr.Children(r))
	}
	add("_part", iname, shifted(iname, -lo), value)
	for left := hi - lo + 1; left > 1; {
		adders := left / 2
		left -= adders
		step := addBox(k, iname+"_step", 0, adders-1, k.Tags[iname])
		add("_step", step, expr.Var{Name: step}, reductionSteps[r.Kind].step(element(expr.Var{Name: step}), element(shifted(step, left))))
	}
	return element(expr.Int{Value: 0})
}

// shifted is iname + by.
func shifted(iname string, by int64) expr.Expr {
	return expr.FromAffine(polycount.Name(iname).AddInt(by))
}

// constantExtent is the least and the greatest value of an iname whose extent s needs to be constant.
func constantExtent(k *kernel.Kernel, s *kernel.Stmt, iname string) (lo, hi int64) {
	lo, hi, okL, okH, err := k.Interval(polycount.Name(iname), k.Inames())
	throw.If(err)
	if !okL || !okH {
		panic(throw.Of(k.Errorf("statement %s reduces over work-items, and the extent of iname %s (%s) is not constant; split it by the size of the work-group, or fix the parameters", s.ID, iname, k.Tags[iname])))
	}
	return lo, hi
}

// takesAll decides whether iname takes all values from lo to hi wherever the outer inames have values.
func takesAll(k *kernel.Kernel, outer []string, iname string, lo, hi int64) bool {
	around := throw.Get(k.DomainOf(outer))
	inside := throw.Get(k.DomainOf(slices.Concat(outer, []string{iname})))
	box := throw.Get(around.AddDims(iname).Constrain(kernel.Within(iname, lo, hi)...))
	return throw.Get(box.IsSubset(inside))
}

// addBox adds an iname from lo to hi with a tag, in place, and returns its name.
func addBox(k *kernel.Kernel, base string, lo, hi int64, tag kernel.Tag) string {
	n := k.FreshName(base)
	k.Domains = append(k.Domains, polycount.NewSet(nil, []string{n}, kernel.Within(n, lo, hi)...))
	k.Tags[n] = tag
	return n
}
