package inline

import (
	"slices"

	"gpuperf/cfront"
)

// Loops have many forms. Those that count are brought to for (i = first; i < n; i += step), and those that neither add to nor subtract from what they count become while loops.

// forLoop is a for loop in its plain form, with what comes before it. Its body is expanded.
func (x *expander) forLoop(f *cfront.For) (before []cfront.Stmt, loop cfront.Stmt) {
	out := *f
	body := itemsOf(f.Body)
	if c, test, ok := stepping(out.Cond); ok && out.Step == nil {
		out.Cond, out.Step = test, c
		before, out.Init = begun(&out, c)
	}
	i := counterOf(&out)
	var post []cfront.Stmt
	if i != nil {
		more, post2, ok := others(&out, i)
		if before = append(before, more...); !ok {
			return x.whileLoop(before, &out, body)
		}
		post = post2
		out.Cond = ordered(out.Cond, i, out.Step)
	}
	if i == nil && out.Cond != nil && out.Step != nil {
		if a, ok := out.Step.(*cfront.Assign); ok && !adds(a) {
			return x.whileLoop(before, &out, body)
		}
	}
	flag, items, broken := x.loop(f.Pos, body, post)
	_, last := cfront.Lines(f)
	out.Body, out.Broken = block(f.Body.Place(), items, last), broken
	return append(before, flag...), &out
}

// whileLoop is a for loop as a while loop.
func (x *expander) whileLoop(before []cfront.Stmt, f *cfront.For, body []cfront.Stmt) ([]cfront.Stmt, cfront.Stmt) {
	if f.Init != nil {
		before = append(before, x.statement(f.Init)...)
	}
	var post []cfront.Stmt
	if f.Step != nil {
		post = x.effect(do(f.Pos, f.Step))
	}
	flag, items, _ := x.loop(f.Pos, body, post)
	_, last := cfront.Lines(f)
	return append(before, flag...), &cfront.While{Pos: f.Pos, Cond: going(f.Cond, flag), Body: block(f.Body.Place(), items, last), Unroll: f.Unroll}
}

// while is a while loop, as a for loop where it counts: by its condition, as in while (i-- > 0), or by its last statement.
func (x *expander) while(w *cfront.While) (before []cfront.Stmt, loop cfront.Stmt) {
	items := x.list(itemsOf(w.Body))
	f := &cfront.For{Pos: w.Pos, Cond: w.Cond, Body: w.Body, Unroll: w.Unroll}
	_, last := cfront.Lines(w)
	if _, _, ok := stepping(w.Cond); ok && !w.Do {
		f.Body = block(w.Body.Place(), items, last)
		return x.forLoop(f)
	}
	if n := len(items) - 1; n >= 0 && !w.Do {
		if d, ok := items[n].(*cfront.Do); ok && counts(d.X, w.Cond, items[:n]) {
			f.Step = d.X
			f.Body = block(w.Body.Place(), items[:n], last)
			return x.forLoop(f)
		}
	}
	flag, items, _ := x.loop(w.Pos, items, nil)
	out := *w
	out.Cond, out.Body = going(w.Cond, flag), block(w.Body.Place(), items, last)
	return flag, &out
}

// going is a condition of a loop that the flag may end, which x.loop has made for its breaks.
func going(cond cfront.Expr, flag []cfront.Stmt) cfront.Expr {
	if len(flag) == 0 {
		return cond
	}
	v := flag[0].(*cfront.Declare).Vars[0]
	on := cfront.Operation(v.Pos, "!=", cfront.Use(v), cfront.Zero(v.Pos))
	if _, number := cond.(*cfront.Int); number {
		return on
	}
	return cfront.Operation(v.Pos, "&&", on, cond)
}

// adds reports that an assignment adds to a variable, or subtracts from it.
func adds(a *cfront.Assign) bool {
	r, ok := a.To.(*cfront.Ref)
	if b, sum := a.Value.(*cfront.Binary); ok && a.Op == "" && sum {
		return b.Op == "+" && uses(b, r.Var) == 1 || b.Op == "-" && uses(b.X, r.Var) == 1 && uses(b.Y, r.Var) == 0
	}
	return ok && (a.Op == "+" || a.Op == "-")
}

// counterOf is the variable that a loop counts: that of its condition and its step; nil for none.
func counterOf(f *cfront.For) *cfront.Var {
	for _, e := range parts(f.Step) {
		if a, ok := e.(*cfront.Assign); ok && adds(a) && f.Cond != nil && uses(f.Cond, a.To.(*cfront.Ref).Var) > 0 {
			return a.To.(*cfront.Ref).Var
		}
	}
	return nil
}

func parts(e cfront.Expr) []cfront.Expr {
	if l, ok := e.(*cfront.List); ok {
		return l.Items
	}
	if e == nil {
		return nil
	}
	return []cfront.Expr{e}
}

// others takes what a head does beside counting i out of it: what comes before the loop, and at the end of each iteration. A head without a beginning has i = i. ok is false where the
// order matters.
func others(f *cfront.For, i *cfront.Var) (before, post []cfront.Stmt, ok bool) {
	passed := false
	for _, e := range parts(f.Step) {
		a, is := e.(*cfront.Assign)
		own := is && cfront.IsVar(a.To, i)
		switch {
		case own && passed:
			return nil, nil, false
		case own:
			passed, f.Step = true, a
		case !is || passed && cfront.Mentions(e, i):
			return nil, nil, false
		default:
			post = append(post, do(e.Place(), e))
		}
	}
	switch init := f.Init.(type) {
	case nil:
		f.Init = do(f.Pos, cfront.Assignment(cfront.Use(i), cfront.Use(i)))
	case *cfront.Do:
		list := parts(init.X)
		n := slices.IndexFunc(list, func(e cfront.Expr) bool {
			a, is := e.(*cfront.Assign)
			return is && a.Op == "" && cfront.IsVar(a.To, i)
		})
		if n < 0 || slices.ContainsFunc(list[n+1:], func(e cfront.Expr) bool { return cfront.Mentions(e, i) }) {
			n = len(list)
			f.Init = do(f.Pos, cfront.Assignment(cfront.Use(i), cfront.Use(i)))
		} else {
			f.Init = do(init.Pos, list[n])
		}
		for k, e := range list {
			if k != n {
				before = append(before, do(e.Place(), e))
			}
		}
	case *cfront.Declare:
		n := slices.Index(init.Vars, i)
		if len(init.Vars) == 1 && n == 0 {
			break
		}
		before = append(before, init)
		f.Init = do(f.Pos, cfront.Assignment(cfront.Use(i), cfront.Use(i)))
	}
	return before, post, true
}

// ordered is i != n as i < n, in the direction of steps of 1: loops that end have the same iterations.
func ordered(cond cfront.Expr, i *cfront.Var, step cfront.Expr) cfront.Expr {
	c, ok := cond.(*cfront.Binary)
	a := step.(*cfront.Assign)
	one, number := a.Value.(*cfront.Int)
	if !ok || c.Op != "!=" || !number || one.Value != 1 || a.Op == "" {
		return cond
	}
	op := map[string]string{"+": "<", "-": ">"}[a.Op]
	switch {
	case cfront.IsVar(c.X, i) && !cfront.Mentions(c.Y, i):
		return cfront.Operation(c.Pos, op, c.X, c.Y)
	case cfront.IsVar(c.Y, i) && !cfront.Mentions(c.X, i):
		return cfront.Operation(c.Pos, op, c.Y, c.X)
	}
	return cond
}

// stepping is a condition that steps what it compares, as i-- > 0: the step, and the condition on the value after it.
func stepping(cond cfront.Expr) (step *cfront.Assign, test cfront.Expr, ok bool) {
	if a, is := stepOf(cond); is { // while (i--)
		cond = cfront.Operation(a.Pos, "!=", a, cfront.Zero(a.Pos))
	}
	c, is := cond.(*cfront.Binary)
	if !is {
		return nil, nil, false
	}
	a, is := stepOf(c.X)
	if !is || !slices.Contains([]string{"<", "<=", ">", ">=", "!="}, c.Op) || uses(c.Y, a.To.(*cfront.Ref).Var) > 0 {
		return nil, nil, false
	}
	bound := c.Y
	if a.After { // i after the step is i + 1 or i - 1
		bound = cfront.Operation(c.Pos, a.Op, bound, cfront.NewInt(c.Pos, 1))
	}
	plain := *a
	plain.After = false
	return &plain, cfront.Operation(c.Pos, c.Op, cfront.Use(a.To.(*cfront.Ref).Var), bound), true
}

func stepOf(e cfront.Expr) (*cfront.Assign, bool) {
	a, ok := e.(*cfront.Assign)
	if !ok || !a.Step {
		return nil, false
	}
	r, ok := a.To.(*cfront.Ref)
	return a, ok && r.Var.DType.IsInteger() && len(r.Var.Dims) == 0
}

// begun is what comes before a loop whose condition steps, and its beginning: the first step.
func begun(f *cfront.For, step *cfront.Assign) (before []cfront.Stmt, init cfront.Stmt) {
	r := step.To.(*cfront.Ref)
	first := cfront.Expr(r)
	switch x := f.Init.(type) {
	case *cfront.Declare:
		if len(x.Vars) == 1 && x.Vars[0] == r.Var && r.Var.Init != nil {
			first = r.Var.Init
			before = append(before, &cfront.Declare{Pos: x.Pos, Vars: x.Vars, Bare: true})
			break
		}
		before = append(before, x)
	case *cfront.Do:
		if a, is := x.X.(*cfront.Assign); is && cfront.IsVar(a.To, r.Var) && a.Op == "" {
			first = a.Value
			break
		}
		before = append(before, x)
	}
	return before, do(f.Pos, cfront.Assignment(r, cfront.Operation(step.Pos, step.Op, first, step.Value)))
}

// counts reports that a statement at the end of a body steps a variable of the condition, which no other one does, and that no iteration ends before it.
func counts(e, cond cfront.Expr, rest []cfront.Stmt) bool {
	a, ok := stepOf(e)
	if !ok || cond == nil || uses(cond, a.To.(*cfront.Ref).Var) == 0 {
		return false
	}
	c := exit{is: func(j *cfront.Jump) bool { return j.What == "continue" || j.What == "goto" }, loop: true}
	body := block(a.Pos, rest, a.Pos.Line)
	return !slices.ContainsFunc(rest, c.within) && !reassigned(body, a.To.(*cfront.Ref).Var)
}
