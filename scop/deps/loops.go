package deps

import (
	"gpuperf/kernel/expr"
	"gpuperf/scop"
)

// carried is what a loop carries.
type carried struct {
	accumulations bool // dependences between accesses of one accumulation
	others        bool
	value         bool // a value
}

func (c *carried) note(accumulation bool) {
	c.accumulations = c.accumulations || accumulation
	c.others = c.others || !accumulation
}

func (c *carried) class() Class {
	switch {
	case !c.accumulations && !c.others:
		return Parallel
	case !c.others:
		return Reduction
	case !c.value:
		return Private
	}
	return Sequential
}

// associative are the operators of accumulations, and the name of the operation: x − a − b is x − (a + b).
var associative = map[expr.OpKind]string{
	expr.Add: "+", expr.Sub: "+", expr.Mul: "*", expr.Min: "min", expr.Max: "max", expr.BitAnd: "&", expr.BitOr: "|", expr.BitXor: "^",
}

// accumulation is the operator of a statement x = x op …, where the rest does not read x; "" for other statements. Also x = … + x,
// x = x + a − b, and x = a < x ? a : x.
func accumulation(s *scop.Statement) (op string) {
	if s.Accesses[len(s.Accesses)-1].Array.Scattered() {
		return ""
	}
	target := s.LHS.String()
	if occurrences(s.RHS, target) == 1 {
		return chain(s.RHS, target)
	}
	if kind, rest := expr.Extreme(s.RHS, target); kind != "" && occurrences(rest, target) == 0 { // x = a < x ? a : x and its like
		return kind
	}
	return ""
}

// isStore reports that an access is to the element that the statement writes.
func isStore(s *scop.Statement, a scop.Access) bool {
	w := s.Accesses[len(s.Accesses)-1]
	if a.Array != w.Array || a.Where != nil {
		return false
	}
	for i := range a.Index {
		if !a.Index[i].Equal(w.Index[i]) {
			return false
		}
	}
	return true
}

func occurrences(e expr.Expr, target string) (n int) {
	expr.Walk(e, func(e expr.Expr) bool {
		if e.String() == target {
			n++
			return false
		}
		return true
	})
	return n
}

// chain is the operator by which the target is joined to the rest of an expression, through any number of the same.
func chain(e expr.Expr, target string) string {
	if call, ok := e.(*expr.Call); ok && len(call.Args) == 2 {
		for _, a := range call.Args {
			if a.String() == target || chain(a, target) == expr.ExtremeCalls[call.Func] {
				return expr.ExtremeCalls[call.Func]
			}
		}
	}
	op, ok := e.(*expr.Op)
	if !ok || associative[op.Kind] == "" {
		return ""
	}
	for i, a := range op.Args {
		if op.Kind == expr.Sub && i > 0 {
			break // … − x
		}
		if a.String() == target {
			return associative[op.Kind]
		}
		if inner := chain(a, target); inner == associative[op.Kind] {
			return inner
		}
	}
	return ""
}
