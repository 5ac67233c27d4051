package emit

import (
	"fmt"
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

func (w *writer) nodes(list []linear.Node, depth int) error {
	for _, node := range list {
		var err error
		switch x := node.(type) {
		case *linear.Exec:
			err = w.statement(x.Stmt, depth)
		case *linear.Barrier:
			w.line(depth, "%s /* %s */", w.barriers[x.Space], strings.ReplaceAll(x.Why, "*/", "* /"))
		case *linear.Guard:
			err = w.guard(x, depth)
		case *linear.Loop:
			if x.Unroll {
				err = w.unrolled(x, depth)
			} else {
				err = w.loop(x, depth)
			}
		default:
			err = fmt.Errorf("unknown node %T", node)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block writes the body of a loop or guard, in braces unless it is one statement.
func (w *writer) block(body []linear.Node, depth int) error {
	if len(body) == 1 && !splits(body[0]) {
		return w.nodes(body, depth+1)
	}
	w.line(depth, "{")
	if err := w.nodes(body, depth+1); err != nil {
		return err
	}
	w.line(depth, "}")
	return nil
}

// splits reports whether a node may be written as several statements, or as none.
func splits(n linear.Node) bool {
	switch x := n.(type) {
	case *linear.Exec:
		return false
	case *linear.Loop:
		return x.Unroll
	case *linear.Guard:
		return true
	}
	return true
}

func (w *writer) statement(s *kernel.Stmt, depth int) error {
	if w.copies++; w.copies > maxCopies {
		return fmt.Errorf("unrolling makes more than %d statements", maxCopies)
	}
	target, err := w.k.TypeOf(s.LHS)
	if err == nil {
		var rhs code
		if rhs, err = w.assigned(s.RHS, target); err == nil {
			if err = w.store(s.LHS, target, rhs, depth); err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("statement %s: %w", s.ID, err)
}

// store writes the assignment of a value.
func (w *writer) store(lhs expr.Expr, target expr.DType, rhs code, depth int) error {
	if acc, ok := lhs.(*expr.Access); ok && acc.Lanes > 0 {
		v, err := w.vector(acc)
		if err != nil {
			return err
		}
		w.used[target.Base()] = true
		if v.aligned {
			w.line(depth, "%s = %s;", v.place(), rhs.text)
		} else {
			w.line(depth, "%s;", fmt.Sprintf(w.vectors.store, acc.Lanes, v.pointer, rhs.text))
		}
		return nil
	}
	c, _, err := w.expr(lhs)
	if err != nil {
		return err
	}
	w.line(depth, "%s = %s;", c.text, rhs.text)
	return nil
}

func (w *writer) guard(g *linear.Guard, depth int) error {
	var parts []string
	var known []polycount.Constraint
	for _, c := range g.Conds {
		c.Affine = w.inIteration(c.Affine)
		if c.Affine.IsConstant() { // in an unrolled loop
			if ok, _ := w.implied(c); !ok {
				return nil
			}
			continue
		}
		text, err := w.condition(c)
		if err != nil {
			return err
		}
		parts = append(parts, text.at(precAnd+1))
		known = append(known, c)
	}
	for _, p := range g.Predicates {
		text, err := w.truth(p)
		if err != nil {
			return fmt.Errorf("condition %s: %w", p, err)
		}
		parts = append(parts, text.at(precAnd))
	}
	if len(parts) == 0 {
		return w.nodes(g.Body, depth)
	}
	w.line(depth, "if (%s)", strings.Join(parts, " && "))
	return w.assume(known, func() error { return w.block(g.Body, depth) })
}

func (w *writer) loop(l *linear.Loop, depth int) error {
	lower, err := w.bound(l.Lower, "max", true)
	if err != nil {
		return err
	}
	upper, err := w.bound(l.Upper, "min", false)
	if err != nil {
		return err
	}
	name := w.name(l.Iname)
	step := "++" + name
	if l.Step > 1 {
		step = fmt.Sprintf("%s += %d", name, l.Step)
	}
	w.line(depth, "for (%s %s = %s; %s <= %s; %s)", w.types[w.index], name, lower, name, upper, step)
	cs := l.Constraints()
	for i := range cs {
		cs[i].Affine = w.inIteration(cs[i].Affine)
	}
	return w.assume(cs, func() error { return w.block(l.Body, depth) })
}

// bound writes the largest of ⌈Num/Den⌉ or the smallest of ⌊Num/Den⌋.
func (w *writer) bound(list []polycount.Bound, of string, up bool) (string, error) {
	out := ""
	for i, b := range list {
		num := w.inIteration(b.Num)
		if up {
			num = num.AddInt(b.Den - 1)
		}
		var c code
		var err error
		switch {
		case b.Den == 1 || num.IsConstant():
			c, err = w.affine(num.FloorDiv(b.Den))
		default:
			c, err = w.divided("floor_div", "/", num, b.Den)
		}
		if err != nil {
			return "", err
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
	return out, nil
}

// unrolled writes the body once per iteration.
func (w *writer) unrolled(l *linear.Loop, depth int) error {
	first, last, ok := l.Constants()
	if !ok {
		return fmt.Errorf("loop %s is to be unrolled, but its bounds are not constant", l.Iname)
	}
	defer delete(w.fixed, l.Iname)
	for v := first; v <= last; v += l.Step {
		w.fixed[l.Iname] = v
		if err := w.nodes(l.Body, depth); err != nil {
			return err
		}
	}
	return nil
}
