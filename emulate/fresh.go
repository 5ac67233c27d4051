package emulate

import "gpuperf/memory"

// Which loads of a launch DRAM serves: those that touch a sector first. What an instruction loads that work-groups beside this one have loaded before, at the edges of
// tiles, is in the second-level cache by then, and so is what the iteration before has touched.

// visit is an instruction of what a warp executes, and how often that has it before: as loops are written once, their bodies count once.
type visit struct {
	op    int32
	times int
}

// visits are those of a warp so far, by instruction.
type visits []int

func (e *emulation) noVisits() visits { return make(visits, len(e.ops)) }

// next is the visit of an instruction that comes next.
func (v visits) next(op int32) visit {
	v[op]++
	return visit{op, v[op]}
}

// touch is what an instruction accesses when a block in the middle executes it.
type touch struct {
	at           visit
	array        int
	load, atomic bool
	lanes        []int64
	sectors      float64  // that the launch asks for with it
	apart        [3]int64 // how far it moves from one work-group to the next along each axis
	turn         int64    // and in an iteration of the loop around it
	anywhere     bool
	flight       int // from 1: accesses of one flight are made before the warp waits for any of them
}

// freshness is what touches sectors first.
type freshness struct {
	touches []touch           // of the block in the middle
	changed map[int32]float64 // of atomic operations, by instruction, which part of what they change nothing in the launch has touched, at most
	served  map[visit]float64 // the part of the requests of each load that DRAM serves
	behind  map[visit]float64 // the part that waits for DRAM as others that run at the same time have asked for it
	updated map[visit]float64 // the part of what each store changes that the block has loaded before
	private float64           // the part of the memory of work-items themselves, of what L1 lacks, that DRAM serves
	grid    [3]int64
	once    int64 // work-groups that run at once
}

// mostTouched is how many addresses are looked at: beyond, all loads of an array are taken as alike.
const mostTouched = 200_000

// touch notes an access of a part of a launch.
func (f *freshness) touch(t touch, p *memory.Part) {
	for d := range p.Groups {
		t.apart[d], t.anywhere = p.Groups[d].Stride, t.anywhere || p.Groups[d].Anywhere
	}
	if n := len(p.Loops); n > 0 {
		t.turn, t.anywhere = p.Loops[n-1].Stride, t.anywhere || p.Loops[n-1].Anywhere
	}
	t.lanes = append([]int64{}, p.Lanes...)
	f.touches = append(f.touches, t)
}

// freshly is which part of what each load asks the second-level cache for nothing has touched before, by instruction, and how many sectors it asks for.
func (f *freshness) freshly(arrays int) map[visit]asking {
	all := 0
	for i := range f.touches {
		all += len(f.touches[i].lanes)
	}
	out := map[visit]asking{}
	if all > mostTouched {
		return out
	}
	for a := range arrays {
		f.freshOf(a, out)
	}
	return out
}

// asking is what an instruction asks the second-level cache for.
type asking struct {
	sectors float64
	fresh   float64 // of these, what nothing has touched before
	under   float64 // what work-groups that run at the same time have just asked for: it is on its way
}

// freshOf adds those of an array.
func (f *freshness) freshOf(array int, out map[visit]asking) {
	// sectors that this work-group has touched, those beside it that are done, and those that run at the same time
	own, done, beside := map[int64]bool{}, map[int64]bool{}, map[int64]int{} // beside with the flight
	var list []*touch
	for i := range f.touches {
		if t := &f.touches[i]; t.array == array {
			list = append(list, t)
			if t.anywhere {
				return
			}
		}
	}
	for _, t := range list {
		if t.turn != 0 {
			t.mark(-t.turn, func(s int64) { own[s] = true })
		}
		for d, blocks := range f.before() {
			if blocks >= f.once && t.apart[d] != 0 { // those before along this axis are done
				t.mark(-t.apart[d], func(s int64) { done[s] = true })
			}
		}
	}
	f.update(list)
	for _, t := range list {
		if t.load {
			late, under, fresh := 0.0, 0.0, 0.0
			seen := map[int64]bool{}
			for _, at := range t.lanes {
				switch s := at / sectorBytes; {
				case seen[s] || own[s]:
				case done[s]:
					late, seen[s] = late+1, true
				case beside[s] == t.flight:
					under, seen[s] = under+1, true
				case beside[s] > 0:
					late, seen[s] = late+1, true
				default:
					fresh, seen[s] = fresh+1, true
				}
			}
			if n := late + under + fresh; n > 0 {
				x := out[t.at]
				part := t.sectors * n / float64(max(t.distinct(), 1))
				out[t.at] = asking{x.sectors + part, x.fresh + part*fresh/n, x.under + part*under/n}
			}
		}
		t.mark(0, func(s int64) { own[s] = true })
		for d, blocks := range f.before() {
			if blocks < f.once && t.apart[d] != 0 {
				for _, away := range [2]int64{t.apart[d], -t.apart[d]} {
					t.mark(away, func(s int64) {
						if beside[s] == 0 {
							beside[s] = t.flight
						}
					})
				}
			}
		}
	}
}

// update finds which part of what stores change the work-group has loaded before, of accesses of an array.
func (f *freshness) update(list []*touch) {
	loaded := map[int64]bool{}
	for _, t := range list {
		switch {
		case t.load:
			t.mark(0, func(s int64) { loaded[s] = true })
		case !t.atomic:
			f.updated[t.at] = t.among(loaded)
		}
	}
}

// before is how many work-groups come between two that follow each other along each axis.
func (f *freshness) before() (n [3]int64) {
	below := int64(1)
	for d := range n {
		n[d], below = below, below*f.grid[d]
	}
	return n
}

// mark visits the sectors of the access, so far away.
func (t *touch) mark(away int64, visit func(sector int64)) {
	for _, at := range t.lanes {
		visit((at + away) / sectorBytes)
	}
}

// among is the part of the addresses of the access that lie in some sectors.
func (t *touch) among(sectors map[int64]bool) float64 {
	n := 0.0
	t.mark(0, func(s int64) {
		if sectors[s] {
			n++
		}
	})
	return n / float64(max(len(t.lanes), 1))
}

// distinct is how many sectors the access touches.
func (t *touch) distinct() int {
	sectors := map[int64]bool{}
	t.mark(0, func(s int64) { sectors[s] = true })
	return len(sectors)
}

// serve finds, by instruction, which part of its requests to the second-level cache DRAM serves: all in all as many as of all loads.
func (f *freshness) serve(loads float64, arrays []memory.Array) {
	for _, t := range f.touches {
		if t.atomic {
			f.changes(t.at.op, room(arrays[t.array])/sectorBytes, t.sectors)
		}
	}
	f.updated = map[visit]float64{}
	asks := f.freshly(len(arrays))
	all, fresh := 0.0, 0.0
	for _, x := range asks {
		all, fresh = all+x.sectors, fresh+x.fresh
	}
	f.served, f.behind = map[visit]float64{}, map[visit]float64{}
	for op, x := range asks {
		if fresh > 0 {
			first := loads * all / fresh // of what is touched first
			f.served[op], f.behind[op] = min(first*x.fresh/x.sectors, 1), min(first, 1)*x.under/x.sectors
		}
	}
}

// changes notes that an atomic operation changes sectors of an array, of all of which each may come from DRAM once: not what counters hold, which it changes again and again.
func (f *freshness) changes(op int32, sectors, changed float64) {
	if f.changed == nil {
		f.changed = map[int32]float64{}
	}
	part := min(sectors/max(changed, 1), 1)
	if before, ok := f.changed[op]; ok {
		part = min(part, before)
	}
	f.changed[op] = part
}
