package interp

import (
	"fmt"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// memory is an array as the interpreter runs it: its values, its layout, and who touched each element since when.
type memory struct {
	array   *kernel.Array
	buf     *Buffer
	shape   []int64
	strides []int64
	offset  int64
	size    int64 // elements per work-item (private), per group (local) or in all
	// marks of shared memory, by place in the buffer.
	marks         []mark
	atomics       map[int64]*atomic // by place in the buffer; nil where no statement is atomic
	loads, stores int64
}

// mark remembers the last write and the reads since. Items count from 1 over the launch, epochs from 1: they change at
// every barrier that orders the memory and with every group.
type mark struct {
	writer, writeEpoch int32
	reader, readEpoch  int32 // reader -1: several
	writeGroup         int32 // of the launch; 0 for none
	readGroup          int32 // -1: several
}

// flat checks a multi-dimensional index against the shape and flattens it.
func (m *memory) flat(st *state, access expr.Expr, index []int64) int64 {
	at := m.offset
	for i, x := range index {
		if x < 0 || x >= m.shape[i] {
			st.fail(access, "index %d of axis %d is out of bounds: %s has %d elements there", x, i, m.array.Name, m.shape[i])
		}
		at += x * m.strides[i]
	}
	if at < 0 || at >= m.size {
		st.fail(access, "element %d lies outside %s, which has %d", at, m.array.Name, m.size)
	}
	return at
}

// load checks a read of the flat element and returns its place in the buffer.
func (m *memory) load(st *state, access expr.Expr, element int64) int64 {
	m.loads++
	at := element
	switch m.array.Space {
	case kernel.Private:
		if !m.array.IsValue {
			at += int64(st.item) * m.size
		}
	default:
		at = m.buf.place(element)
		st.touch(access, m, element, false)
		epoch, me := st.epoch(m.array.Space), st.id()
		k := m.mark(at)
		st.check(access, m, element, "read", "written", k.writer, k.writeEpoch, k.writeGroup)
		m.atomics[at].check(st, access, m, element, "read")
		if k.readGroup == 0 {
			k.readGroup = st.groupID
		} else if k.readGroup != st.groupID {
			k.readGroup = -1
		}
		if k.readEpoch != epoch {
			k.readEpoch, k.reader = epoch, me
		} else if k.reader != me {
			k.reader = -1
		}
	}
	if !m.buf.defined[at] {
		st.fail(access, "it is read before anything was written there")
	}
	return at
}

// store checks a write to the flat element and returns its place in the buffer.
func (m *memory) store(st *state, access expr.Expr, element int64) int64 {
	m.stores++
	if m.array.Space == kernel.Private {
		at := element + int64(st.item)*m.size
		m.buf.defined[at] = true
		return at
	}
	at := m.buf.place(element)
	st.touch(access, m, element, true)
	epoch, me := st.epoch(m.array.Space), st.id()
	k := m.mark(at)
	st.check(access, m, element, "written", "written", k.writer, k.writeEpoch, k.writeGroup)
	st.check(access, m, element, "written", "read", k.reader, k.readEpoch, k.readGroup)
	m.atomics[at].check(st, access, m, element, "written")
	k.writer, k.writeEpoch, k.writeGroup = me, epoch, st.groupID
	m.buf.defined[at] = true
	return at
}

// mark is the mark of the element at a place of the buffer.
func (m *memory) mark(at int64) *mark {
	for int64(len(m.marks)) <= at { // the buffer has grown
		m.marks = append(m.marks, make([]mark, page)...)
	}
	return &m.marks[at]
}

func (st *state) touch(access expr.Expr, m *memory, at int64, write bool) {
	if st.visit != nil {
		st.visit(Touch{int64(st.groupID) - 1, int64(st.item), st.stmt, m.array.Name, write, access, at, st.run})
	}
}

// check finds a race with what an item did in an epoch, or any item of a group in global memory.
func (st *state) check(access expr.Expr, m *memory, at int64, mine, theirs string, item, epoch, group int32) {
	who := ""
	switch {
	case epoch == st.epoch(m.array.Space) && item != st.id():
		who = "several others with no barrier between"
		if item > 0 {
			who = "work-item " + st.name(int(item-1)%st.items) + " with no barrier between"
		}
	case m.array.Space == kernel.Global && group != 0 && group != st.groupID:
		who = "several other groups"
		if group > 0 {
			who = fmt.Sprintf("group %v", st.groupAt(group))
		}
	default:
		return
	}
	st.fail(access, "race: element %d of %s is %s here and %s by %s", at, m.array.Name, mine, theirs, who)
}

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
