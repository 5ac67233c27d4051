package ckerneltest

import (
	"gpuperf/cfront"
	"gpuperf/internal/ctest/cvalue"
	"gpuperf/kernel/expr"
)

// array is an array in memory, of scalars of one type. It grows with what is accessed.
type array struct {
	name  string
	space cfront.Space
	dtype expr.DType // of its scalars
	elems []number
	// start gives elements the values that they have before they are written; nil is 0.
	start        func(i int64) float64
	read, marked []bool // elements that were read and written
}

// most bounds the elements of an array.
const most = 1 << 22

func (a *array) grow(i int64) {
	for n := int64(len(a.elems)); n <= i; n++ {
		x := number{form: data, read: true}
		if a.start != nil {
			v := a.start(n)
			x = convert(number{f: v}, expr.Float64, a.dtype)
			x.f = cvalue.Round(a.dtype, v)
			x.form, x.read = data, true
		}
		a.elems = append(a.elems, x)
		a.read, a.marked = append(a.read, false), append(a.marked, false)
	}
}

// place is where a lane of what p points to is. Where a work-item only pretends, places out of bounds are none.
func (m *machine) place(p number, lane, item int) (a *array, i int64) {
	a, i = p.at, p.i+int64(lane)
	if a == nil || i < 0 || i >= most {
		if m.pretends(item) {
			return nil, 0
		}
		if a == nil {
			panic(failure("an access through no pointer"))
		}
		panic(failure(a.name + ": an access out of bounds"))
	}
	a.grow(i)
	return a, i
}

// load is what pointers point to, as type t.
func (m *machine) load(p values, t expr.DType, mask []bool, at cfront.Pos) values {
	out := newValues(t, m.items)
	for item, is := range mask {
		if !is {
			continue
		}
		for l := range out.lanes {
			a, i := m.place(p.v[item], l, item)
			if a == nil {
				out.v[item*out.lanes+l] = number{form: data, read: true}
				continue
			}
			m.checkType(a, t)
			a.read[i] = true
			x := a.elems[i]
			x.form, x.version, x.read = data, nil, true
			x.axes = p.v[item].axes // work-items that load one element have one value
			out.v[item*out.lanes+l] = x
		}
	}
	m.touch(p, t, mask, false, at)
	return out
}

// store puts values where pointers point to, for the work-items that do not pretend.
func (m *machine) store(p, v values, t expr.DType, mask []bool, at cfront.Pos) {
	v = m.convert(v, t, mask)
	for item, is := range mask {
		if !is {
			continue
		}
		for l := range v.lanes {
			a, i := m.place(p.v[item], l, item)
			if a == nil {
				continue
			}
			m.checkType(a, t)
			if a.space != cfront.PrivateSpace && m.pretends(item) {
				continue
			}
			a.marked[i] = true
			x := v.lane(item, l)
			x.version = nil
			if a.space == cfront.PrivateSpace {
				m.set(slot{array: a, i: i}, item, 0, x)
			} else {
				a.elems[i] = x
			}
		}
	}
	m.touch(p, t, mask, true, at)
}

func (m *machine) checkType(a *array, t expr.DType) {
	if a.dtype == "" {
		a.dtype = t.Base() // of dynamic memory without a type
	}
	if a.dtype != t.Base() {
		panic(failure(a.name + " of " + string(a.dtype) + " is accessed as " + string(t)))
	}
}

// touch counts an access of the work-items of a mask.
func (m *machine) touch(p values, t expr.DType, mask []bool, write bool, at cfront.Pos) {
	var a *array
	axes, uniform := uint8(0), true
	first, subGroup := number{}, -1
	for item, is := range mask {
		if !is {
			continue
		}
		n := p.v[item]
		if n.at != nil {
			a = n.at
		}
		axes |= n.axes
		if s := item / m.launch.SubGroup; s != subGroup {
			first, subGroup = n, s
		}
		uniform = uniform && n.at == first.at && n.i == first.i
	}
	if a == nil || a.space == cfront.PrivateSpace {
		return
	}
	key := Access{a.name, a.space, t, write, at}
	x := m.run.Accesses[key]
	if x == nil {
		x = &Accesses{Shared: true, Uniform: true}
		m.run.Accesses[key] = x
	}
	n := m.executions(mask)
	x.Items, x.SubGroups = x.Items+n.Items, x.SubGroups+n.SubGroups
	x.Shared, x.Uniform = x.Shared && m.shared(axes), x.Uniform && uniform
}

// shared reports whether the work-items of any sub-group access one element, where accesses vary along some axes.
func (m *machine) shared(axes uint8) bool {
	if axes&1 != 0 {
		return false
	}
	row := m.launch.Local[0]
	for axis := 1; axis < 3; axis++ {
		if row%int64(m.launch.SubGroup) != 0 && m.launch.Local[axis] > 1 && axes&(1<<axis) != 0 {
			return false
		}
		row *= m.launch.Local[axis]
	}
	return true
}

// slot is a variable of a work-item, or a lane of one, or an element of a private array.
type slot struct {
	vars  *values
	array *array
	i     int64
}

func (s slot) at() *number {
	if s.vars != nil {
		return &s.vars.v[s.i]
	}
	return &s.array.elems[s.i]
}

// undo is what a slot of a work-item had before a branch that depends on data. The slot was declared within depth such branches.
type undo struct {
	slot
	item, depth int
	old         number
}

// set gives a slot a value. Within a branch that depends on data what slots from outside had is noted.
func (m *machine) set(to slot, item, depth int, v number) {
	at := to.at()
	if n := len(m.branches); depth < n {
		log := m.branches[n-1]
		*log = append(*log, undo{to, item, depth, *at})
	}
	*at = v
}

// settle ends a branch for a slot that it has set: ghosts have their old values back, and which of them it is depends on data.
func (m *machine) settle(u undo, ghosts []bool) {
	at := u.at()
	if ghosts[u.item] {
		*at = u.old
	}
	if at.version != nil {
		m.commit(tally{uses: []*version{at.version}})
	}
	at.form, at.version, at.axes, at.read = data, nil, m.everyAxis, true
	if n := len(m.branches); u.depth < n {
		*m.branches[n-1] = append(*m.branches[n-1], u)
	}
}
