package ckerneltest

import (
	"fmt"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// assigned is the value that an assignment gives to what to stands for.
func (m *machine) assigned(x *cfront.Assign, to cfront.Expr) cfront.Expr {
	if x.Op == "" {
		return x.Value
	}
	op := cfront.Operation(x.Pos, x.Op, to, x.Value)
	if lanes := x.To.Type().Lanes(); lanes > 1 {
		op.DType = x.To.Type()
	}
	if x.To.PointsTo() != "" {
		op.DType, op.Elem = "", x.To.PointsTo()
	}
	return op
}

// assignVar gives a variable a value, and returns what is work for that. The value of an integer which is an index form is work only if a
// value uses it.
func (m *machine) assignVar(v *cfront.Var, e cfront.Expr, mask []bool) (work tally) {
	return m.assignTo(m.vars[v], e, mask)
}

func (m *machine) assignTo(to *values, e cfront.Expr, mask []bool) (work tally) {
	var x values
	t := m.apart(func() { x = m.value(e, mask) })
	free := to.t == ""
	var ver *version
	if to.t.IsInteger() || to.t == expr.Bool {
		free = true
		for item, is := range mask {
			free = free && (!is || x.v[item].form != data)
		}
		if free && !m.head {
			if ver = (&version{t, site{e.Place(), m.path}}); m.launch.Used[ver.at] {
				work.uses = []*version{ver}
			}
		}
	}
	if !free && !m.head {
		work = t
	}
	x = m.convert(x, to.t, mask)
	for item, is := range mask {
		if !is {
			continue
		}
		for l := range to.lanes {
			n := x.lane(item, l)
			if n.version = ver; n.form == data { // features do not follow what variables hold
				n.axes = m.everyAxis
			}
			m.set(slot{vars: to, i: int64(item*to.lanes + l)}, item, to.depth, n)
		}
	}
	return work
}

// assign is an assignment with its value.
func (m *machine) assign(x *cfront.Assign, mask []bool) values {
	switch to := x.To.(type) {
	case *cfront.Ref:
		if m.vars[to.Var] != nil {
			old := m.value(to, mask)
			m.commit(m.assignVar(to.Var, m.assigned(x, to), mask))
			if x.After {
				return old
			}
			return m.value(to, mask)
		}
		p := m.pointer(to, mask)
		return m.assignPlace(x, p, mask)
	case *cfront.Index:
		return m.assignPlace(x, m.pointer(to, mask), mask)
	case *cfront.Lane:
		return m.assignLanes(x, to, mask)
	}
	panic(failure(fmt.Sprintf("an assignment to %T", x.To)))
}

// assignPlace assigns to what pointers point to.
func (m *machine) assignPlace(x *cfront.Assign, p values, mask []bool) values {
	t := x.To.Type()
	var old cfront.Expr
	if x.Op != "" {
		old = &evaluated{x.To, m.load(p, t, mask, x.Pos)}
	}
	v := m.convert(m.value(m.assigned(x, old), mask), t, mask)
	m.store(p, v, t, mask, x.Pos)
	if x.After {
		return old.(*evaluated).v
	}
	return v
}

// assignLanes assigns to lanes of a vector variable, or of a vector in memory, whose lanes are stored one by one.
func (m *machine) assignLanes(x *cfront.Assign, to *cfront.Lane, mask []bool) values {
	var e cfront.Expr = x.Value
	if x.Op != "" {
		e = m.assigned(x, to)
	}
	v := m.convert(m.value(e, mask), x.To.Type(), mask)
	ref, ok := to.X.(*cfront.Ref)
	if !ok || m.vars[ref.Var] == nil {
		p := m.pointer(to.X, mask)
		for l, lane := range to.Lanes {
			one := m.each(v.t.Base(), func(item int) number { return v.lane(item, l) })
			m.store(m.shift(p, int64(lane), mask), one, v.t.Base(), mask, x.Pos)
		}
		return v
	}
	slots := m.vars[ref.Var]
	for item, is := range mask {
		for l, lane := range to.Lanes {
			if is {
				m.set(slot{vars: slots, i: int64(item*slots.lanes + lane)}, item, slots.depth, v.lane(item, l))
			}
		}
	}
	return v
}
