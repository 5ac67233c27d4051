package launch

import (
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
)

// sent is the last store to global memory in a line of code that the next one may join.
type sent struct {
	array, line, subgroups int
	addr                   form
	points                 int64
	open                   bool
}

// joinable bounds the lines by store of sub-groups that are joined.
const joinable = 16

// send is what a store to global memory of these units sends to L2: two stores in a row to the same sectors are sent together. On an H200
// that is so for elements of 4 bytes and more, where a sub-group stores to no more than half as many lines as it has work-items.
func (w *walk) send(a *access, st *state, u unitCount, addr *form) unitCount {
	last := w.sent
	w.sent = sent{}
	requests := st.count() * int64(len(st.mask.warps))
	if u.partial == 0 || w.p.arrays[a.array].bytes < bankBytes || u.lines > requests*joinable || addr == nil {
		return u
	}
	near := func(d int64) bool { return d != 0 && d > -SectorBytes && d < SectorBytes }
	for v := w.lines[len(w.lines)-1].first; v < st.nv; v++ {
		if n := st.n[v]; n > 1 && near(addr.k[v]) {
			u.scale((n + 1) / 2)
			u.divide(n)
			return u
		}
	}
	if last.open && last.array == a.array && last.line == len(w.lines) && last.subgroups == len(st.mask.warps) &&
		last.points == st.count() && last.addr.k == addr.k && near(addr.c-last.addr.c) {
		return unitCount{}
	}
	w.sent = sent{a.array, len(w.lines), len(st.mask.warps), *addr, st.count(), true}
	return u
}

// addressed are how many addresses an access has at so many points of the line of code in the loop at a slot: iterations that compiled code runs as one
// differ by constants of the code, unless they are apart by what depends on sizes. n are the iterations of loops.
func (w *walk) addressed(slot int, apart uint32, points int64, n []int64) int64 {
	if slot < axisVars || w.open[slot] == nil || n[slot] == 0 || apart&(1<<(slot-axisVars)) != 0 {
		return points
	}
	return points / n[slot] * w.open[slot].turns(n[slot], w.p.compiler.By)
}

// widenStore is a store to local memory at the points of a box of these units, where compiled code stores neighbours of a line of code at once: those of a loop that
// does not load from the array in between.
func (w *walk) widenStore(a *access, st *state, bytes int64, u unitCount, addr *form, each []int64) (points int64, _ unitCount) {
	first, n := w.lines[len(w.lines)-1].first, widest/bytes
	for v := first; v < st.nv && n > 1; v++ {
		if addr.k[v] != bytes || st.n[v]%n != 0 || w.open[v] == nil || slices.Contains(w.open[v].fetched, a.array) {
			continue
		}
		align := intmath.GCD(widest, addr.c)
		for x, k := range addr.k {
			if x != v && (x < lidVars || x < st.nv && st.n[x] > 1) {
				align = intmath.GCD(align, k)
			}
		}
		for _, at := range each {
			align = intmath.GCD(align, at)
		}
		if align < widest {
			continue
		}
		wide, to := st.box, *addr
		wide.n[v] /= n
		to.k[v] *= n
		u = w.distribute(&wide, st.mask, widest, false, &to, each)
		u.scale(st.weight)
		return st.count() / n, u
	}
	return st.count(), u
}

// storeAddress counts the address of a store, where it is not a constant away from that of the store before.
func (w *walk) storeAddress(a *access, st *state, addr *form) {
	first := w.lines[len(w.lines)-1].first
	if w.p.arrays[a.array].Space == kernel.Local {
		w.localAddress(a, st, addr, len(w.lines)-1, first)
		return
	}
	key := mix(mix(uint64(a.array), w.base), uint64(first))
	n := int64(len(st.mask.warps)) * st.weight
	for v := lidVars; v < st.nv; v++ {
		if addr != nil {
			key = mix(key, uint64(addr.k[v]))
		}
		if v < first {
			n *= st.n[v]
		}
	}
	if key != w.stored {
		w.issued[issueAddress] += w.addressed(first-1, a.apart, n, st.n[:])
	}
	w.stored = key
}

// localAddress counts the address of an access to local memory in a line of code, unless it is a constant away from another one there.
func (w *walk) localAddress(a *access, st *state, addr *form, line, first int) {
	key, points := mix(uint64(first), uint64(len(st.mask.lanes))), st.weight
	for v := range first {
		if addr != nil {
			key = mix(key, uint64(addr.k[v]))
		}
		if v >= lidVars {
			points *= st.n[v]
			key = mix(key, st.parts[v])
		}
	}
	l := &w.lines[line]
	if l.forms == nil {
		l.forms = map[uint64]bool{}
	}
	if !l.forms[key] {
		l.forms[key] = true
		w.issued[issueAddress] += w.addressed(first-1, a.apart, points, st.n[:]) * int64(len(st.mask.warps))
	}
}

// covered counts the sectors of which elements of so many bytes at w.addr are the whole.
func (w *walk) covered(bytes int64) (whole int64) {
	unit := min(bytes, bankBytes)
	n, at := int64(0), int64(-1)
	for _, u := range w.touched(w.addr, bytes, unit) {
		if s := intmath.FloorDiv(u*unit, SectorBytes); s != at {
			n, at = 0, s
		}
		if n++; n == SectorBytes/unit {
			whole++
		}
	}
	return whole
}
