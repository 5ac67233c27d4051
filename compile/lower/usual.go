package lower

import "gpuperf/cfront"

// loop is a loop of any kind as one with a head.
type loop struct {
	*cfront.For
	once bool // the condition is tested behind each iteration alone
}

// usual is a loop with a condition in place of a jump at the beginning of the body, or at its end.
func (l *lowering) usual(s cfront.Stmt) *loop {
	var x *loop
	switch s := s.(type) {
	case *cfront.For:
		x = &loop{For: s}
	case *cfront.While:
		x = &loop{&cfront.For{Pos: s.Pos, Cond: s.Cond, Body: s.Body, Unroll: s.Unroll}, s.Do}
	}
	body, ok := x.Body.(*cfront.Block)
	if !ok || len(body.Items) == 0 || !l.endless(x.Cond) || l.file.Assembly(body) != nil {
		return x
	}
	last := len(body.Items) - 1
	if cond := until(body.Items[0]); cond != nil {
		return x.tested(cond, body, body.Items[1:], false)
	}
	again := func(j *cfront.Jump, inner bool) bool { return j.What == "continue" && !inner }
	if cond := until(body.Items[last]); cond != nil && x.Step == nil && !l.contains(body, again) {
		return x.tested(cond, body, body.Items[:last], true)
	}
	return x
}

// tested is a loop with a condition, and a part of its body.
func (x *loop) tested(cond cfront.Expr, body *cfront.Block, items []cfront.Stmt, once bool) *loop {
	out := *x.For
	out.Cond, out.Body = cond, &cfront.Block{Pos: body.Pos, Items: items, Last: body.Last}
	return &loop{&out, once}
}

// until is the condition on which a loop goes on that a statement leaves: if (i == n) break. It is nil for other statements.
func until(s cfront.Stmt) cfront.Expr {
	opposite := map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	x, ok := s.(*cfront.If)
	if !ok || x.Else != nil {
		return nil
	}
	then := x.Then
	if b, ok := then.(*cfront.Block); ok && len(b.Items) == 1 {
		then = b.Items[0]
	}
	j, ok := then.(*cfront.Jump)
	cond, compares := x.Cond.(*cfront.Binary)
	if !ok || j.What != "break" || !compares || opposite[cond.Op] == "" || !cond.X.Type().IsInteger() || !cond.Y.Type().IsInteger() {
		return nil
	}
	other := *cond
	other.Op = opposite[cond.Op]
	return &other
}

// endless reports whether the condition of a head always holds.
func (l *lowering) endless(cond cfront.Expr) bool {
	if cond == nil {
		return true
	}
	n, known := l.constant(cond)
	return known && n != 0
}
