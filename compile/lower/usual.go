package lower

import "gpuperf/cfront"

// usual is a loop as its text might have it just as well: with a condition in the head in place of a jump at the beginning of the body, and a step there in
// place of one at the end.
func (l *lowering) usual(x *cfront.For) *cfront.For {
	body, ok := x.Body.(*cfront.Block)
	if !ok || len(body.Items) == 0 {
		return x
	}
	out, items := *x, body.Items
	if cond := until(items[0]); cond != nil && l.endless(x.Cond) {
		out.Cond, items = cond, items[1:]
	}
	if cond, ok := out.Cond.(*cfront.Binary); ok && x.Step == nil && !l.contains(body, func(j *cfront.Jump, inner bool) bool { return j.What == "continue" && !inner }) {
		out.Step, items = l.stepped(items, cond)
	}
	out.Body = &cfront.Block{Pos: body.Pos, Items: items, Last: body.Last}
	return &out
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

// stepped takes the step of a counter from the end of a body: what follows it does not mention the counter.
func (l *lowering) stepped(items []cfront.Stmt, cond *cfront.Binary) (step cfront.Expr, rest []cfront.Stmt) {
	for i := len(items) - 1; i >= 0; i-- {
		do, ok := items[i].(*cfront.Do)
		if !ok || do.X == nil {
			break
		}
		if a, _ := stepOf(do.X, cond); a != nil && a == do.X {
			v := a.To.(*cfront.Ref).Var
			for _, after := range items[i+1:] {
				if l.learnt.memory[v] || names(after.(*cfront.Do).X, map[*cfront.Var]bool{v: true}) || calls(after.(*cfront.Do).X) {
					return nil, items
				}
			}
			return a, append(append([]cfront.Stmt{}, items[:i]...), items[i+1:]...)
		}
	}
	return nil, items
}

// calls reports whether an expression calls a function, which may mention any variable.
func calls(e cfront.Expr) (found bool) {
	cfront.Walk(e, func(e cfront.Expr) {
		_, is := e.(*cfront.Call)
		found = found || is
	})
	return found
}
