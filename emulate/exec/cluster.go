package exec

import (
	"slices"

	"gpuperf/sass"
)

// message is what a group has told another one of its cluster, which did not tell itself: a word that it stores there, or arrivals at a barrier.
type message struct {
	at      uint64 // of the word
	value   uint32
	known   bool
	barrier uint64
	count   int // of arrivals; 0 for a word
}

// tell keeps a message for the groups that an instruction is about: they are executed later, if at all.
func (w *Warp) tell(o *op, lanes uint32, m message) {
	var raw Access
	o.access.parts[0].all(w.path.file, lanes, &raw)
	for left := raw.Known & lanes; left != 0; left &= left - 1 {
		to := w.Group.member(uint32(raw.Address[active(left)] / windowSize & 0xff))
		w.launch.told[to] = append(w.launch.told[to], m)
	}
}

func (g *Group) member(rank uint32) (index [3]uint32) {
	for d, n := range g.launch.cluster {
		index[d] = g.index[d]/n*n + rank%n
		rank /= n
	}
	return index
}

// hear lets a group have the next messages for it, as far as the next arrival at a barrier that it waits at.
func (g *Group) hear(at uint64) {
	list := g.launch.told[g.index]
	last := slices.IndexFunc(list[g.heard:], func(m message) bool { return m.count > 0 && m.barrier == at })
	if last < 0 {
		return
	}
	for _, m := range list[g.heard : g.heard+last+1] {
		if m.count == 0 {
			g.shared.store(m.at, 4, &words{value: [4]uint32{m.value}, known: bit(m.known)}, false)
			continue
		}
		if to := g.inbox[m.barrier]; to != nil {
			g.arrive(m.barrier, to, to.over, m.count)
		}
	}
	g.heard += last + 1
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// elsewhere reports whether an instruction is about the local memory of other groups of the cluster alone. Groups of a cluster are executed one by
// one: where they arrive at barriers of others, that is taken to be what the others do to them, as they are alike; but not what one sends to all.
func (w *Warp) elsewhere(o *op, lanes uint32) bool {
	var raw Access
	o.access.parts[0].all(w.path.file, lanes, &raw)
	for m := raw.Known & lanes; m != 0; m &= m - 1 {
		if rank := uint32(raw.Address[active(m)] / windowSize & 0xff); rank == 0 || rank == w.Group.rank() {
			return false
		}
	}
	return raw.Known != 0
}

// Learn reports whether sub-groups wait at barriers for groups of the cluster that are not executed. From then on these are not waited for.
func (g *Group) Learn() (learned bool) {
	if c := g.launch.cluster; c[0]*c[1]*c[2] == 1 {
		return false
	}
	for _, w := range g.Warps {
		for _, p := range w.paths {
			b := g.inbox[uint64(p.at)]
			if p.wait != phaseSync || b == nil {
				continue
			}
			if n := b.arrived[b.over]; n > 0 && n < b.count {
				g.launch.others[uint64(p.at)] += b.count - n
				b.count, learned = n, true
			}
		}
	}
	return learned
}

// decodeBeside decodes a store to the local memory of a group of the cluster.
func decodeBeside(d *decoder) {
	decodeAccess(d)
	d.o.access.space = sass.Local
}

// storeBeside stores to the local memory of a group of the cluster, with a barrier there in the register behind the address.
func storeBeside(w *Warp, o *op, lanes uint32) {
	if w.elsewhere(o, lanes) {
		a := w.reach(o, &o.access.parts[0], sass.Local, sass.Store, o.access.bytes, lanes)
		if v := o.access.values; len(v) > 0 && o.access.bytes == 4 && a.Known != 0 {
			value, known := v[0].lane(w.path.file, active(lanes))
			w.tell(o, lanes, message{at: a.Address[active(lanes)], value: uint32(value), known: known})
		}
		return
	}
	store(w, o, lanes)
	w.brings(o, lanes&-lanes, int64(o.access.bytes))
}
