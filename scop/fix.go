package scop

import (
	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Fix returns the nest with values in place of parameters. Names that are no parameters are ignored.
func (n *Nest) Fix(values map[string]int64) (*Nest, error) {
	affine, exprs, known := map[string]polycount.Affine{}, map[string]expr.Expr{}, map[string]int64{}
	out := *n
	out.Params = nil
	for _, p := range n.Params {
		v, ok := values[p]
		if !ok {
			out.Params = append(out.Params, p)
			continue
		}
		affine[p], exprs[p], known[p] = polycount.Int(v), expr.Int{Value: v}, v
	}
	if len(known) == 0 {
		return n, nil
	}
	var err error
	fix := func(s *polycount.Set) *polycount.Set {
		if s != nil && err == nil {
			s, err = s.Fix(known)
		}
		return s
	}
	out.Context = fix(n.Context)
	arrays := map[*Array]*Array{}
	out.Arrays = nil
	for _, a := range n.Arrays {
		arrays[a] = a.fixed(exprs)
		out.Arrays = append(out.Arrays, arrays[a])
	}
	loops := map[*Loop]*Loop{}
	same := func(list []*Loop) (out []*Loop) {
		return lists.Map(list, func(l *Loop) *Loop { return loops[l] })
	}
	out.Loops = nil
	for _, l := range n.Loops {
		c := *l
		c.Bounds, c.Outer = fix(l.Bounds), same(l.Outer)
		loops[l] = &c
		out.Loops = append(out.Loops, &c)
	}
	out.Statements = nil
	for _, s := range n.Statements {
		c := *s
		c.Loops, c.Domain = same(s.Loops), fix(s.Domain)
		c.LHS, c.RHS = expr.Subst(s.LHS, exprs), expr.Subst(s.RHS, exprs)
		c.Accesses = nil
		for _, a := range s.Accesses {
			b := Access{Array: arrays[a.Array], Write: a.Write, Where: fix(a.Where)}
			for _, x := range a.Index {
				b.Index = append(b.Index, x.Subst(affine))
			}
			c.Accesses = append(c.Accesses, b)
		}
		out.Statements = append(out.Statements, &c)
	}
	return &out, err
}

// fixed is the array with values in its extents.
func (a *Array) fixed(values map[string]expr.Expr) *Array {
	c := *a
	c.Shape = make([]expr.Expr, len(a.Shape))
	for i, e := range a.Shape {
		if e != nil {
			c.Shape[i] = expr.Subst(e, values)
		}
	}
	return &c
}
