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
	// marks of shared memory, by element.
	marks         []mark
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
func (m *memory) load(st *state, access expr.Expr, at int64) int64 {
	m.loads++
	switch m.array.Space {
	case kernel.Private:
		if !m.array.IsValue {
			at += int64(st.item) * m.size
		}
	default:
		st.touch(access, m, at, false)
		epoch, me := st.epoch(m.array.Space), st.id()
		k := &m.marks[at]
		if k.writeEpoch == epoch && k.writer != me {
			st.race(access, m, at, "read", "written", k.writer)
		}
		if m.array.Space == kernel.Global {
			if k.writeGroup != 0 && k.writeGroup != st.groupID {
				st.raceGroups(access, m, at, "read", "written", k.writeGroup)
			}
			if k.readGroup == 0 {
				k.readGroup = st.groupID
			} else if k.readGroup != st.groupID {
				k.readGroup = -1
			}
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
func (m *memory) store(st *state, access expr.Expr, at int64) int64 {
	m.stores++
	if m.array.Space == kernel.Private {
		at += int64(st.item) * m.size
		m.buf.defined[at] = true
		return at
	}
	st.touch(access, m, at, true)
	epoch, me := st.epoch(m.array.Space), st.id()
	k := &m.marks[at]
	if k.writeEpoch == epoch && k.writer != me {
		st.race(access, m, at, "written", "written", k.writer)
	}
	if k.readEpoch == epoch && k.reader != me {
		st.race(access, m, at, "written", "read", k.reader)
	}
	if m.array.Space == kernel.Global {
		if k.writeGroup != 0 && k.writeGroup != st.groupID {
			st.raceGroups(access, m, at, "written", "written", k.writeGroup)
		}
		if k.readGroup != 0 && k.readGroup != st.groupID {
			st.raceGroups(access, m, at, "written", "read", k.readGroup)
		}
		k.writeGroup = st.groupID
	}
	k.writer, k.writeEpoch = me, epoch
	m.buf.defined[at] = true
	return at
}

func (st *state) touch(access expr.Expr, m *memory, at int64, write bool) {
	if st.visit != nil {
		st.visit(Touch{int64(st.groupID) - 1, int64(st.item), st.stmt, m.array.Name, write, access, at, st.run})
	}
}

func (st *state) race(access expr.Expr, m *memory, at int64, mine, theirs string, other int32) {
	who := "several others"
	if other > 0 {
		who = "work-item " + st.name(int(other-1)%st.items)
	}
	st.fail(access, "race: element %d of %s is %s here and %s by %s with no barrier between", at, m.array.Name, mine, theirs, who)
}

func (st *state) raceGroups(access expr.Expr, m *memory, at int64, mine, theirs string, other int32) {
	who := "several other groups"
	if other > 0 {
		who = fmt.Sprintf("group %v", st.groupAt(other))
	}
	st.fail(access, "race: element %d of %s is %s here and %s by %s", at, m.array.Name, mine, theirs, who)
}
