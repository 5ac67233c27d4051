package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// maxCopies is the greatest number of statements that unrolling may make.
const maxCopies = 1 << 16

func (w *writer) line(depth int, format string, args ...any) {
	w.body.WriteString(strings.Repeat("    ", depth))
	fmt.Fprintf(&w.body, format, args...)
	w.body.WriteByte('\n')
}

func (w *writer) nodes(list []linear.Node, depth int) {
	for _, node := range list {
		if w.err != nil {
			return
		}
		switch x := node.(type) {
		case *linear.Exec:
			w.statement(x.Stmt, depth)
		case *linear.Barrier:
			w.await(x, depth)
			w.line(depth, "%s /* %s */", w.barriers[x.Space], strings.ReplaceAll(x.Why, "*/", "* /"))
		case *linear.Guard:
			w.guard(x, depth)
		case *linear.Loop:
			if p := w.product(x); p != nil {
				w.multiply(p, depth)
			} else if unrolls(x) {
				w.unrolled(x, depth)
			} else {
				w.loop(x, depth)
			}
		default:
			w.fail("unknown node %T", node)
		}
	}
}

// block writes the body of a loop or guard, in braces unless it is one statement.
func (w *writer) block(body []linear.Node, depth int) {
	if len(body) == 1 && !w.splits(body[0]) {
		w.nodes(body, depth+1)
		return
	}
	w.line(depth, "{")
	w.nodes(body, depth+1)
	w.line(depth, "}")
}

// splits reports whether a node may be written as several statements, or as none.
func (w *writer) splits(n linear.Node) bool {
	switch x := n.(type) {
	case *linear.Exec:
		return false
	case *linear.Loop:
		return unrolls(x) || w.product(x) != nil
	}
	return true
}

// unrolls reports whether a loop is written as copies of its body: it is to be, or makes one iteration.
func unrolls(l *linear.Loop) bool {
	first, last, ok := l.Constants()
	return l.Unroll || ok && first == last
}

func (w *writer) statement(s *kernel.Stmt, depth int) {
	if w.copies++; w.copies > maxCopies {
		w.fail("unrolling makes more than %d statements", maxCopies)
		return
	}
	if u := s.Update(); u != nil {
		w.update(s, u, depth)
	} else if !w.copiesAhead(s, depth) {
		target := w.typeOf(s.LHS)
		w.store(s.LHS, target, w.assigned(s.RHS, target), depth)
	}
	w.wrap("statement " + s.ID)
}

// store writes the assignment of a value.
func (w *writer) store(lhs expr.Expr, target expr.DType, rhs code, depth int) {
	if acc, ok := lhs.(*expr.Access); ok && acc.As == "" && acc.Lanes > 0 {
		v := w.vector(acc)
		w.use(target)
		if v.aligned {
			w.line(depth, "%s = %s;", v.place(), rhs.text)
		} else {
			w.line(depth, "%s;", fmt.Sprintf(w.vectors.store, acc.Lanes, v.pointer, rhs.text))
		}
		return
	}
	c, _ := w.expr(lhs)
	w.line(depth, "%s = %s;", c.text, rhs.text)
}

func (w *writer) guard(g *linear.Guard, depth int) {
	var parts []string
	var known []polycount.Constraint
	for _, c := range g.Conds {
		c.Affine = w.inIteration(c.Affine)
		if c.Affine.IsConstant() { // in an unrolled loop
			if !w.implied(c) {
				return
			}
			continue
		}
		parts = append(parts, w.condition(c).at(precAnd+1))
		known = append(known, c)
	}
	for _, p := range g.Predicates {
		if w.err != nil {
			return
		}
		parts = append(parts, w.truth(p).at(precAnd))
		w.wrap("condition " + p.String())
	}
	if len(parts) == 0 {
		w.nodes(g.Body, depth)
		return
	}
	w.line(depth, "if (%s)", strings.Join(parts, " && "))
	fixed := w.fixed
	w.fixed = maps.Clone(fixed)
	for _, c := range known {
		if name, v, ok := equals(c); ok {
			w.fixed[name] = polycount.Int(v)
		}
	}
	w.assume(known, func() { w.block(g.Body, depth) })
	w.fixed = fixed
}

// equals reports that a constraint says name = v.
func equals(c polycount.Constraint) (name string, v int64, ok bool) {
	names := c.Affine.Names()
	if !c.Equality || len(names) != 1 || !c.Affine.Only(names[0]) {
		return "", 0, false
	}
	k, constant := c.Affine.Coeff(names[0]), c.Affine.Constant()
	return names[0], -constant / k, constant%k == 0
}

func (w *writer) loop(l *linear.Loop, depth int) {
	lower := w.bound(l.Lower, "max", true)
	end, compare := w.end(l.Upper)
	upper := w.bound(end, "min", false)
	name := w.name(l.Iname)
	step := "++" + name
	if l.Step > 1 {
		step = fmt.Sprintf("%s += %d", name, l.Step)
	}
	w.line(depth, "for (%s %s = %s; %s %s %s; %s)", w.types[w.index], name, lower, name, compare, upper, step)
	cs := l.Constraints()
	for i := range cs {
		cs[i].Affine = w.inIteration(cs[i].Affine)
	}
	w.assume(cs, func() { w.block(l.Body, depth) })
}

// end are upper bounds with the comparison that goes with them: k < n and k < n / 16 for k <= n - 1 and k <= (n - 16) / 16.
func (w *writer) end(list []polycount.Bound) ([]polycount.Bound, string) {
	next := slices.Clone(list)
	shorter := false
	for i, b := range list {
		num := w.inIteration(b.Num)
		if !num.IsConstant() && num.Constant() != -b.Den {
			return list, "<="
		}
		shorter = shorter || !num.IsConstant()
		next[i].Num = num.AddInt(b.Den)
	}
	if !shorter {
		return list, "<="
	}
	return next, "<"
}

// bound writes the largest of ⌈Num/Den⌉ or the smallest of ⌊Num/Den⌋.
func (w *writer) bound(list []polycount.Bound, of string, up bool) string {
	out := ""
	for i, b := range list {
		num := w.inIteration(b.Num)
		if up {
			num = num.AddInt(b.Den - 1)
		}
		var c code
		if b.Den == 1 || num.IsConstant() {
			c = w.affine(num.FloorDiv(b.Den))
		} else {
			c = w.divided("floor_div", "/", num, b.Den)
		}
		text := c.text
		if len(list) > 1 && num.IsConstant() && w.index == expr.Int64 {
			text = fmt.Sprintf("(%s) %s", w.types[w.index], c.at(precUnary)) // min and max want operands of one type
		}
		if i == 0 {
			out = text
		} else {
			out = fmt.Sprintf("%s(%s, %s)", of, out, text)
		}
	}
	return out
}

// unrolled writes the body once per iteration.
func (w *writer) unrolled(l *linear.Loop, depth int) {
	first, last, ok := l.Constants()
	if !ok {
		w.fail("loop %s is to be unrolled, but its bounds are not constant", l.Iname)
		return
	}
	defer delete(w.fixed, l.Iname)
	for v := first; v <= last && w.err == nil; v += l.Step {
		w.fixed[l.Iname] = polycount.Int(v)
		w.nodes(l.Body, depth)
	}
}
