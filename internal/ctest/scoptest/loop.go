package scoptest

import "gpuperf/cfront"

// again runs a loop whose counter is an integer like others.
func (m *machine) again(cond cfront.Expr, body cfront.Stmt, step cfront.Expr) {
	for m.control(cond) != 0 {
		if m.statement(body); step != nil {
			m.eval(step)
		}
	}
}

// free reports that the head of a loop does more than count, or less.
func free(x *cfront.For) bool {
	_, list := x.Step.(*cfront.List)
	assigns := cfront.Any(x.Cond, func(e cfront.Expr) bool { _, is := e.(*cfront.Assign); return is })
	return assigns || list || x.Init == nil || x.Step == nil
}

func (m *machine) loop(x *cfront.For) {
	if free(x) {
		if x.Init != nil {
			m.statement(x.Init)
		}
		m.again(x.Cond, x.Body, x.Step)
		return
	}
	var v *cfront.Var
	switch init := x.Init.(type) {
	case *cfront.Declare:
		v = init.Vars[0]
		m.iterators[v] = m.control(v.Init)
	case *cfront.Do:
		a := init.X.(*cfront.Assign)
		v = a.To.(*cfront.Ref).Var
		m.iterators[v] = m.control(a.Value)
	}
	for m.control(x.Cond) != 0 {
		m.statement(x.Body)
		a := x.Step.(*cfront.Assign)
		switch by := m.control(a.Value); a.Op {
		case "+":
			m.iterators[v] += by
		case "-":
			m.iterators[v] -= by
		default:
			m.iterators[v] = by
		}
	}
	m.integers[v] = m.iterators[v]
	delete(m.iterators, v)
}

// last is the value of a list of expressions.
func (m *machine) last(x *cfront.List) (v Value) {
	for _, item := range x.Items {
		v = m.eval(item)
	}
	return v
}
