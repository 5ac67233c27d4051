package compile

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

func ceiling(x polycount.Bound) string {
	if x.Den == 1 {
		return inC(expr.FromAffine(x.Num))
	}
	return fmt.Sprintf("scop_ceil(%s, %d)", inC(expr.FromAffine(x.Num)), x.Den)
}

func floor(x polycount.Bound) string {
	if x.Den == 1 {
		return inC(expr.FromAffine(x.Num))
	}
	return fmt.Sprintf("scop_floor(%s, %d)", inC(expr.FromAffine(x.Num)), x.Den)
}

// until is the end of a loop: "< n" for n - 1.
func until(high []polycount.Bound) string {
	for _, x := range high {
		if x.Den != 1 || x.Num.Constant() != -1 {
			return "<= " + folded("scop_min", high, floor)
		}
	}
	next := slices.Clone(high)
	for i := range next {
		next[i].Num = next[i].Num.AddInt(1)
	}
	return "< " + folded("scop_min", next, floor)
}

func folded(of string, list []polycount.Bound, text func(polycount.Bound) string) string {
	all := lists.Map(list, text)
	return nested(of, all)
}

// nested is f(a, f(b, c)).
func nested(of string, list []string) string {
	out := list[len(list)-1]
	for _, x := range slices.Backward(list[:len(list)-1]) {
		out = fmt.Sprintf("%s(%s, %s)", of, x, out)
	}
	return out
}

// inC writes an expression of integers, or a condition on some, in C.
func inC(e expr.Expr) string {
	calls := map[expr.OpKind]string{expr.FloorDiv: "scop_floor", expr.Min: "scop_min", expr.Max: "scop_max"}
	e = expr.Rewrite(e, func(e expr.Expr) expr.Expr {
		x, ok := e.(*expr.Op)
		if !ok {
			return e
		}
		if x.Kind == expr.Mod {
			a, b := x.Args[0], x.Args[1]
			return expr.Binary(expr.Sub, a, expr.Binary(expr.Mul, b, &expr.Call{Func: "scop_floor", Args: []expr.Expr{a, b}}))
		}
		name, ok := calls[x.Kind]
		if !ok {
			return e
		}
		out := x.Args[0]
		for _, a := range x.Args[1:] {
			out = &expr.Call{Func: name, Args: []expr.Expr{out, a}}
		}
		return out
	})
	return strings.NewReplacer(" and ", " && ", " or ", " || ").Replace(e.String())
}

func (p *part) fresh(base string) string {
	name := kernel.Fresh(base, func(s string) bool { return p.taken[s] || !expr.IsName(s) })
	p.taken[name] = true
	return name
}
