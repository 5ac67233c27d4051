package launch

import "sync"

// scratch is reused from walk to walk: buffers, and results about work-groups and sub-groups that do not depend on the program.
type scratch struct {
	shapes  map[string]int         // of sub-groups, by the differences between their work-items
	whole   map[wholeKey]*laneMask // of all work-items of a group
	kinds   map[unitKind]uint64
	units   map[uint64]unitCount // by kind, shape and base
	apart   map[uint64]unitCount // of sub-groups whose work-items have addresses of their own, by how these differ
	text    []byte
	addr    []int64
	at      []int32 // the places of the work-items with these addresses in their sub-group
	list    []int64
	lanes   [][lidVars]int64
	loads   []load
	order   []int
	bytes   []int64
	spare   []*state
	one     scene
	warps   []warpKind
	vectors []int64 // of numbers for each work-item
}

// wholeKey is the shape of a work-group and the size of a sub-group.
type wholeKey struct {
	local    [3]int64
	subgroup int
}

// The most remembered results; beyond it all are forgotten.
const (
	mostUnits  = 1 << 16
	mostShapes = 1 << 12
)

var scratches = sync.Pool{New: func() any {
	m := &scratch{}
	m.forget()
	return m
}}

func (m *scratch) forget() {
	m.shapes, m.whole = map[string]int{}, map[wholeKey]*laneMask{}
	m.kinds, m.units, m.apart = map[unitKind]uint64{}, map[uint64]unitCount{}, map[uint64]unitCount{}
}

// release returns the memory to the pool.
func (m *scratch) release() {
	if len(m.units)+len(m.apart) > mostUnits || len(m.shapes) > mostShapes || len(m.kinds) > mostUnits {
		m.forget()
	}
	clear(m.loads)
	m.loads, m.lanes = m.loads[:0], m.lanes[:0]
	scratches.Put(m)
}

// copied returns a copy of a state, for giveBack to recycle.
func (m *scratch) copied(st *state) *state {
	var out *state
	if n := len(m.spare); n > 0 {
		out, m.spare = m.spare[n-1], m.spare[:n-1]
	} else {
		out = new(state)
	}
	*out = *st
	return out
}

func (m *scratch) giveBack(st *state) {
	st.mask = nil
	m.spare = append(m.spare, st)
}
