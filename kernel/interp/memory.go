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
