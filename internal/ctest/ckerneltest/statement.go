package ckerneltest

import (
	"fmt"

	"gpuperf/cfront"
	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
)

// live is the mask without the work-items that have left the function, the loop or the iteration.
func (m *machine) live(mask []bool) []bool {
	out := less(mask, m.returned)
	if len(m.loops) > 0 {
		l := m.loops[len(m.loops)-1]
		out = less(out, l.broke, l.continued)
	}
	return out
}

func (m *machine) block(b *cfront.Block, mask []bool) {
	for _, s := range b.Items {
		m.statement(s, mask)
	}
}

func (m *machine) statement(s cfront.Stmt, mask []bool) {
	mask = m.live(mask)
	if s == nil || !anyOf(mask) {
		return
	}
	m.spend()
	switch x := s.(type) {
	case *cfront.Block:
		m.block(x, mask)
	case *cfront.Declare:
		for _, v := range x.Vars {
			m.declare(v, mask)
		}
	case *cfront.Do:
		if x.X != nil {
			m.effect(x.X, mask)
		}
	case *cfront.If:
		m.branch(x, mask)
	case *cfront.For:
		m.apart(func() { // the head is free
			if x.Init != nil {
				m.head = true
				m.statement(x.Init, mask)
				m.head = false
			}
		})
		m.loop(x.Cond, x.Step, x.Body, mask, false)
	case *cfront.While:
		m.loop(x.Cond, nil, x.Body, mask, x.Do)
	case *cfront.Jump:
		m.jump(x, mask)
	default:
		panic(failure(fmt.Sprintf("line %d: a statement that is not known: %T", s.Place().Line, s)))
	}
}

func (m *machine) jump(x *cfront.Jump, mask []bool) {
	var leave []bool
	switch x.What {
	case "break":
		leave = m.loops[len(m.loops)-1].broke
	case "continue":
		leave = m.loops[len(m.loops)-1].continued
	case "return":
		leave = m.returned
		if x.Value != nil {
			m.giveResult(x.Value, mask)
		}
	default:
		panic(failure("a jump that is not known: " + x.What))
	}
	for i, is := range mask {
		leave[i] = leave[i] || is
	}
}

// condition evaluates a condition: where it holds, whether it depends on data, and along which axes it varies. It is free if it does not
// depend on data.
func (m *machine) condition(e cfront.Expr, mask []bool) (holds []bool, onData bool, axes uint8) {
	var v values
	t := m.apart(func() { v = m.value(e, mask) })
	holds = make([]bool, len(mask))
	read := false
	for i, is := range mask {
		if is {
			holds[i] = truth(v.v[i], v.t)
			onData = onData || v.v[i].form == data || v.t.IsFloat()
			read = read || v.v[i].read
			axes |= v.v[i].axes
		}
	}
	if onData {
		m.tally.merge(t)
	}
	if m.launch.Exact {
		onData = read
	}
	return holds, onData, axes
}

func (m *machine) branch(x *cfront.If, mask []bool) {
	var holds []bool
	var onData bool
	m.commit(m.apart(func() { holds, onData, _ = m.condition(x.Cond, mask) }))
	then := func(mask []bool) { m.statement(x.Then, mask) }
	other := func(mask []bool) { m.statement(x.Else, mask) }
	if !onData {
		then(holds)
		other(less(mask, holds))
		return
	}
	m.run.Guessed = true
	m.pretend(mask, less(mask, holds), then)
	m.pretend(mask, holds, other)
}

// ended are the work-items that have left the function or, from 2 on, the iteration of a loop on a condition on data.
func (m *machine) ended(i int) []bool {
	if i == 0 {
		return m.finished
	}
	return m.loops[i/2-1].finished
}

// pretend runs a part under a condition on data for all of a mask. For the ghosts what it does is undone; for others what it has assigned
// depends on data.
func (m *machine) pretend(mask, ghosts []bool, part func([]bool)) {
	oldGhosts := m.ghosts
	m.ghosts = make([]bool, m.items)
	for i := range m.ghosts {
		m.ghosts[i] = ghosts[i] || oldGhosts != nil && oldGhosts[i]
	}
	var log []undo
	m.branches = append(m.branches, &log)
	jumps := [][]bool{m.returned}
	for _, l := range m.loops {
		jumps = append(jumps, l.broke, l.continued)
	}
	before := lists.Map(jumps, func(j []bool) []bool { return append([]bool(nil), j...) })
	part(mask)
	for i, j := range jumps {
		for item := range j {
			left := j[item] && !before[i][item]
			if left && (ghosts[item] || i%2 == 0) { // returned or continued: the rest counts for all
				j[item] = false
			}
			if left && !ghosts[item] && i%2 == 0 {
				m.ended(i)[item] = true
			}
		}
	}
	m.branches = m.branches[:len(m.branches)-1]
	for i := len(log) - 1; i >= 0; i-- {
		m.settle(log[i], ghosts)
	}
	m.ghosts = oldGhosts
}

// loop runs a loop as long as any work-item is in it.
func (m *machine) loop(cond, step cfront.Expr, body cfront.Stmt, mask []bool, after bool) {
	l := &loop{broke: make([]bool, m.items), continued: make([]bool, m.items), finished: make([]bool, m.items)}
	m.loops = append(m.loops, l)
	defer func() { m.loops = m.loops[:len(m.loops)-1] }()
	for first := true; ; first = false {
		m.spend()
		mask = less(mask, m.returned, l.broke)
		clear(l.continued)
		clear(l.finished)
		if cond != nil && !(first && after) {
			var holds []bool
			t := m.apart(func() { holds, _, _ = m.condition(cond, mask) })
			if step == nil { // the condition of a while loop is work, if it depends on data
				m.commit(t)
			}
			mask = holds
		}
		if !anyOf(mask) {
			return
		}
		m.statement(body, mask)
		clear(l.continued)
		clear(l.finished)
		if mask = less(mask, m.returned, l.broke); step != nil && anyOf(mask) {
			m.head = true
			m.apart(func() { m.effect(step, mask) })
			m.head = false
		}
	}
}

// declare makes a variable.
func (m *machine) declare(v *cfront.Var, mask []bool) {
	if len(v.Dims) > 0 && !v.Pointer {
		m.declareArray(v, mask)
		return
	}
	if v.Space == cfront.LocalSpace && !v.Pointer && m.places[v].v == nil {
		m.declareArray(v, mask)
		return
	}
	if m.vars[v] == nil {
		t := v.DType
		if v.Pointer {
			t = ""
		}
		x := newValues(t, m.items)
		m.vars[v] = &x
	}
	m.vars[v].depth = len(m.branches)
	if v.Init != nil {
		m.commit(m.assignVar(v, v.Init, mask))
	}
}

// declareArray makes an array, for each work-item or, in local memory, once for the group.
func (m *machine) declareArray(v *cfront.Var, mask []bool) {
	p, ok := m.places[v]
	if !ok {
		p = newValues("", m.items)
		m.places[v] = p
		one := &array{name: v.Name, space: v.Space, dtype: v.DType.Base()}
		for i := range p.v {
			if p.v[i] = (number{at: one}); v.Space != cfront.LocalSpace {
				p.v[i].at = &array{name: v.Name, space: cfront.PrivateSpace, dtype: v.DType.Base()}
			}
		}
	}
	if !v.Listed {
		return
	}
	for i, is := range mask {
		if is {
			p.v[i].at.elems = nil // the rest of a list is 0
		}
	}
	m.list(v.Init, p, 0, v.DType, mask)
}

// list stores the items of a list of values from an offset on.
func (m *machine) list(e cfront.Expr, p values, from int64, t expr.DType, mask []bool) int64 {
	switch x := e.(type) {
	case nil:
		return from
	case *cfront.List:
		for _, item := range x.Items {
			from = m.list(item, p, from, t, mask)
		}
		return from
	}
	var v values
	m.commit(m.apart(func() { v = m.value(e, mask) }))
	m.store(m.shift(p, from, mask), v, t, mask, e.Place())
	return from + max(1, t.Lanes())
}
