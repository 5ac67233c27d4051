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
	target := s.LHS.String()
	if occurrences(s.RHS, target) == 1 {
		return chain(s.RHS, target)
	}
	return extreme(s, target)
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

// extreme is the operator of x = a < x ? a : x and its like.
func extreme(s *scop.Statement, target string) string {
	c, ok := s.RHS.(*expr.Cond)
	if !ok {
		return ""
	}
	test, ok := c.If.(*expr.Op)
	if !ok || len(test.Args) != 2 {
		return ""
	}
	left, right, then, other := test.Args[0].String(), test.Args[1].String(), c.Then.String(), c.Else.String()
	less := test.Kind == expr.Lt || test.Kind == expr.Le
	if !less && test.Kind != expr.Gt && test.Kind != expr.Ge || left == right || left != target && right != target {
		return ""
	}
	rest := test.Args[0]
	if left == target {
		rest = test.Args[1]
	}
	if occurrences(rest, target) > 0 {
		return ""
	}
	switch {
	case then == left && other == right && less, then == right && other == left && !less:
		return "min"
	case then == right && other == left && less, then == left && other == right && !less:
		return "max"
	}
	return ""
}
