package linear

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// cond is a condition that a node needs. A condition of the user that reads nothing but inames, parameters and what is set once can move
// like an affine one; others stay with their statement.
type cond struct {
	names []string
	// One of the two; key is the text of user on the axes.
	affine *polycount.Constraint
	user   expr.Expr
	key    string
}

func (c cond) equal(o cond) bool {
	if c.affine == nil || o.affine == nil {
		return c.affine == o.affine && c.key == o.key
	}
	return c.affine.Equal(*o.affine)
}

// guardKey is the key under which the conditions of statements are remembered.
type guardKey struct {
	ctx, domain *polycount.Set
	pinned      string
}

// item is a node with the conditions under which it runs. A barrier has none, unless barriers are explicit, and no condition moves across it.
type item struct {
	node    Node
	conds   []cond
	barrier bool // a barrier without conditions, or something that holds one
}

// program turns the tree of blocks into nodes: loops with their bounds, statements under the guards that these leave.
func (b *builder) program() (err error) {
	defer throw.Catch(&err)
	items := b.items(b.root.kids, nil, b.nest.Context)
	b.nest.Body = wrap(items)
	b.fold()
	return nil
}

func (b *builder) items(kids []*block, path []string, ctx *polycount.Set) []item {
	var out []item
	for _, k := range kids {
		var it item
		var err error
		switch {
		case k.barrier != nil:
			it = item{node: k.barrier, barrier: true}
		case k.stmt == nil:
			it, err = b.loopItem(k, path, ctx)
		case k.stmt.Kind == kernel.Nop:
			continue
		default:
			it, err = b.stmtItem(k.stmt, ctx)
		}
		throw.If(err)
		out = append(out, it)
	}
	return out
}

func (b *builder) stmtItem(s *stmt, ctx *polycount.Set) (_ item, err error) {
	defer throw.Catch(&err)
	if s.Kind == kernel.LocalBarrier && !b.k.ExplicitBarriers {
		return barrierItem(s, ctx), nil
	}
	key := guardKey{ctx, s.domain, strings.Join(s.pinned, " ")}
	conds, known := b.guards[key]
	if !known {
		left, err := missing(ctx, append(slices.Clip(s.need), s.zeros()...))
		if err != nil {
			return item{}, fmt.Errorf("guards of %s: %w", s.ID, err)
		}
		for _, c := range left {
			conds = append(conds, cond{names: c.Affine.Names(), affine: &c})
		}
		b.guards[key] = conds
	}
	it := item{node: &Exec{s.Stmt}, conds: slices.Clip(conds)}
	if s.Kind == kernel.LocalBarrier { // explicit, under the conditions that its text has
		it.node = s.barrier()
	}
	var reading []expr.Expr
	for _, p := range s.Predicates {
		q := b.nest.Expr(p)
		if names, pure := b.reads(q); pure {
			it.conds = append(it.conds, cond{key: q.String(), names: names, user: p})
		} else {
			reading = append(reading, p)
		}
	}
	if len(reading) > 0 {
		it.node = &Guard{Predicates: reading, Body: []Node{it.node}}
	}
	return it, nil
}

// barrierItem makes the item of a barrier statement. Every work-item takes part, so only the loops around it matter.
func barrierItem(s *stmt, ctx *polycount.Set) item {
	loops, err := s.domain.Project(s.loops...)
	throw.If(err)
	loops, err = joined(loops)
	throw.If(err)
	if len(loops.Disjuncts()) > 1 {
		panic(throw.Errorf("barrier %s: the iterations %s are a union, for which there is no single guard", s.ID, loops))
	}
	need, _ := loops.Constraints()
	left, err := missing(ctx, need)
	if err != nil {
		panic(throw.Errorf("guards of %s: %w", s.ID, err))
	}
	if len(s.Predicates) > 0 {
		panic(throw.Errorf("barrier %s stands under a condition, which work-items might not share", s.ID))
	}
	var node Node = s.barrier()
	if len(left) > 0 {
		node = &Guard{Conds: left, Body: []Node{node}}
	}
	return item{node: node, barrier: true}
}

func (s *stmt) barrier() *Barrier {
	return &Barrier{Space: s.Orders(), Why: "statement " + s.ID, Ahead: s.Ahead}
}

// reads lists the variables of e, and reports whether none of them can change: inames, parameters, value arguments, and what a work-item sets once.
func (b *builder) reads(e expr.Expr) (names []string, pure bool) {
	pure = true
	for e := range expr.All(e) {
		switch x := e.(type) {
		case *expr.Access:
			pure = pure && b.setOnce(x.Array)
		case expr.Var:
			names = append(names, x.Name)
			if a := b.k.Array(x.Name); a != nil && !a.IsValue {
				pure = pure && b.setOnce(x.Name)
			}
		}
	}
	return names, pure
}

// setOnce reports that a variable is a scalar of a work-item to which one statement assigns, in no loop.
func (b *builder) setOnce(name string) bool {
	a := b.k.Array(name)
	if a == nil || !b.k.IsTemp(name) || a.Space != kernel.Private || len(a.Shape) > 0 {
		return false
	}
	writers := b.k.Writers(name)
	return len(writers) == 1 && !slices.ContainsFunc(writers[0].Inames, func(n string) bool { return slices.Contains(b.loops, n) })
}

// missing are the constraints of need that ctx does not imply, without those that the others imply.
func missing(ctx *polycount.Set, need []polycount.Constraint) (_ []polycount.Constraint, err error) {
	defer throw.Catch(&err)
	var left []polycount.Constraint
	for _, c := range need {
		if ok, err := ctx.Implies(c); err != nil {
			return nil, err
		} else if !ok {
			left = append(left, c)
		}
	}
	return irredundant(ctx, left, func(c polycount.Constraint) polycount.Constraint { return c }), nil
}

// irredundant drops the items whose constraints those of the others imply in the context, from the last item on.
func irredundant[T any](ctx *polycount.Set, list []T, constraint func(T) polycount.Constraint) []T {
	for i := len(list) - 1; i >= 0 && len(list) > 1; i-- {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		cs := lists.Map(rest, constraint)
		with := throw.Get(ctx.Constrain(cs...))
		if ok, err := with.Implies(constraint(list[i])); err != nil {
			panic(throw.Of(err))
		} else if ok {
			list = rest
		}
	}
	return list
}

func (b *builder) loopItem(k *block, path []string, ctx *polycount.Set) (_ item, err error) {
	defer throw.Catch(&err)
	l, inner := b.loop(k, path, ctx)
	body := b.items(k.kids, append(slices.Clone(path), k.iname), inner)
	it := item{node: l, barrier: slices.ContainsFunc(body, func(i item) bool { return i.barrier })}
	if !it.barrier && len(body) > 0 {
		// What all of the body needs in every iteration is asked once, before the loop.
		common := slices.DeleteFunc(slices.Clone(body[0].conds), func(c cond) bool { return slices.Contains(c.names, k.iname) })
		for _, i := range body[1:] {
			common = intersect(common, i.conds)
		}
		it.conds = common
		for i := range body {
			body[i].conds = without(body[i].conds, common)
		}
	}
	l.Body = wrap(body)
	return it, nil
}

// wrap puts items under guards; neighbours share the conditions that they have in common.
func wrap(items []item) []Node {
	var out []Node
	for i := 0; i < len(items); {
		common := items[i].conds
		if len(common) == 0 {
			out = append(out, items[i].node)
			i++
			continue
		}
		j := i + 1
		for j < len(items) && !items[j].barrier {
			both := intersect(common, items[j].conds)
			if len(both) == 0 {
				break
			}
			common = both
			j++
		}
		inside := slices.Clone(items[i:j])
		for n := range inside {
			inside[n].conds = without(inside[n].conds, common)
		}
		g := &Guard{Body: wrap(inside)}
		for _, c := range common {
			if c.affine != nil {
				g.Conds = append(g.Conds, *c.affine)
			} else {
				g.Predicates = append(g.Predicates, c.user)
			}
		}
		out = append(out, g)
		i = j
	}
	return out
}

func has(list []cond, c cond) bool { return slices.ContainsFunc(list, c.equal) }

func intersect(a, b []cond) []cond {
	return slices.DeleteFunc(slices.Clone(a), func(c cond) bool { return !has(b, c) })
}

func without(a, b []cond) []cond {
	return slices.DeleteFunc(slices.Clone(a), func(c cond) bool { return has(b, c) })
}
