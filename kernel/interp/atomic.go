package interp

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// updated is the element that an atomic statement changes, which it finds once.
type updated struct {
	*memory
	class expr.OpKind
	at    int64 // its place in the buffer
}

// value compiles the value that the element had before.
func (u *updated) value(t expr.DType) value {
	if t.IsFloat() {
		return value{t: t, f: func(st *state) float64 {
			st.err = u.buf.errs[u.at]
			return u.buf.floats[u.at]
		}}
	}
	return value{t: t, i: func(*state) int64 { return u.buf.ints[u.at] }}
}

// update compiles an atomic statement. Work-items run it one after the other, which is what atomic means.
func (c *compiler) update(s *kernel.Stmt, u *updated, element func(*state) int64) func(*state) {
	inner := *c
	inner.updated = u
	v := inner.typed(s.RHS, u.array.DType)
	if u.atomics == nil {
		u.atomics = map[int64]*atomic{}
	}
	return func(st *state) {
		u.at = u.change(st, s.LHS, element(st), u.class)
		if v.f != nil {
			x := v.f(st)
			u.buf.floats[u.at] = x
			u.buf.bound(u.at, st.err)
		} else {
			u.buf.ints[u.at] = v.i(st)
		}
	}
}

// atomic remembers the last atomic updates of an element, as a mark does accesses: item and group are -1 for several.
type atomic struct {
	class              expr.OpKind
	item, epoch, group int32
}

// change checks an atomic update of the flat element, which is a read and a write, and returns its place in the buffer.
func (m *memory) change(st *state, access expr.Expr, element int64, class expr.OpKind) int64 {
	m.loads++
	m.stores++
	at := m.buf.place(element)
	st.touch(access, m, element, false)
	st.touch(access, m, element, true)
	k, last := m.mark(at), m.atomics[at]
	st.check(access, m, element, "updated", "written", k.writer, k.writeEpoch, k.writeGroup)
	st.check(access, m, element, "updated", "read", k.reader, k.readEpoch, k.readGroup)
	epoch, me := st.epoch(m.array.Space), st.id()
	switch {
	case last == nil:
		m.atomics[at] = &atomic{class, me, epoch, st.groupID}
	default:
		if last.class != class {
			last.check(st, access, m, element, "updated by "+string(class))
		}
		if last.epoch != epoch {
			last.item, last.epoch = me, epoch
		} else if last.item != me {
			last.item = -1
		}
		if last.group != st.groupID {
			last.group = -1
		}
		last.class = class
	}
	if !m.buf.defined[at] {
		st.fail(access, "it is updated before anything was written there")
	}
	return at
}

// check finds a race with the updates.
func (a *atomic) check(st *state, access expr.Expr, m *memory, element int64, mine string) {
	if a != nil {
		st.check(access, m, element, mine, "updated by "+string(a.class), a.item, a.epoch, a.group)
	}
}
