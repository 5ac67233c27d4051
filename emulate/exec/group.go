package exec

import (
	"math/bits"
)

// Group is a work-group as it runs: sub-groups, and the local memory that they share.
type Group struct {
	Warps []*Warp

	launch  *Launch
	index   [3]uint32
	shared  *space
	global  *space
	barrier [16]meeting
	gate    gate                 // the barrier of the cluster
	inbox   map[uint64]*arrivals // barriers in local memory, by address
	ahead   bool                 // some sub-groups have left loops early
	heard   int                  // messages of other groups of the cluster
	// counters are what words held that groups add to in turn, before this one did.
	counters map[uint64]uint64
	claims   claims
	// What shared memory, the votes at barriers and buffers follow from.
	inShared, votes Origin
	inBuffers       []Origin
}

// meeting is a barrier of a work-group.
type meeting struct {
	arrived int // work-items that went on without waiting
	count   int // of those that it is for, as one of these said; 0 is not known
	votes   votes
}

// gate is the barrier of a cluster, whose other groups are taken to come when this one does.
type gate struct {
	arrived int // work-items, since it opened last
	opened  int // times
}

// votes are what work-items bring to a barrier that reduces a predicate.
type votes struct {
	yes, no int
	doubt   bool // some are not known
}

// zeros is a page of them.
var zeros = func() *page {
	p := &page{}
	for i := range p.known {
		p.known[i] = 0xff
	}
	return p
}()

// unwritten is local memory that nobody has written: any values do, such as zeros, as a loop that compares and swaps ends with any. Other groups of a cluster write each other's.
func (l *Launch) unwritten() func(uint64) *page {
	if l.cluster != [3]uint32{1, 1, 1} {
		return nil
	}
	return func(uint64) *page { return zeros }
}

// Group makes a work-group of the launch, by its index.
func (l *Launch) Group(index [3]uint32) *Group {
	g := &Group{launch: l, index: index, shared: newSpace(l.unwritten()), inbox: map[uint64]*arrivals{}}
	g.global = newSpace(l.Memory.page)
	items := int(l.Block[0] * l.Block[1] * l.Block[2])
	for first := 0; first < items; first += WarpSize {
		w := &Warp{
			Group: g, Number: first / WarpSize, launch: l, first: first,
			lanes: uint32(1)<<min(WarpSize, items-first) - 1, trips: make([]tripCount, l.loops),
		}
		w.step.Accesses = w.pair[:0]
		p := &path{lanes: w.lanes, file: l.newFile(), from: -1}
		p.file.anything(l.used)
		w.paths = []*path{p}
		w.path = p
		g.Warps = append(g.Warps, w)
	}
	return g
}

// Release ends the use of a work-group, whose registers and memory another one gets.
func (g *Group) Release() {
	g.shared.release()
	g.global.release()
	for _, w := range g.Warps {
		if w.private != nil {
			w.private.release()
		}
		for len(w.paths) > 0 {
			w.remove(w.paths[0])
		}
		for _, f := range w.files {
			files.Put(f)
		}
		w.files = nil
	}
}

// waitGroup waits at a barrier of the work-group: BAR.
func waitGroup(w *Warp, o *op, lanes uint32) {
	p := w.path
	number, count := 0, 0
	f := p.file
	for i := range o.sources {
		v, known := o.sources[i].first(f, lanes)
		if !known {
			w.launch.doubt(UnknownAddress, o.index)
		}
		switch i {
		case 0:
			number = int(v & 15)
		case 1:
			count = int(v & 0xfff)
		}
	}
	g := w.Group
	if o.in.Has("RED") && len(o.guards) > 0 {
		b, v := o.guards[len(o.guards)-1].read(f), &g.barrier[number].votes
		v.yes += bits.OnesCount32(lanes & b.value)
		v.no += bits.OnesCount32(lanes & b.known &^ b.value)
		v.doubt = v.doubt || lanes&^b.known != 0
		w.reduction = o.in.Modifiers[1]
	}
	m := Meeting{Kind: Syncs, At: uint64(number), Of: (count + WarpSize - 1) / WarpSize}
	if o.in.Has("ARV") {
		g.barrier[number].arrived += WarpSize
		g.barrier[number].count = count
		m.Kind = Signals
	} else {
		p.wait, p.at = groupSync, number|count<<4
	}
	if m != (Meeting{Kind: Syncs}) { // that of all sub-groups has no number
		w.step.Meeting = m
	}
	g.open(number)
}

// open lets the sub-groups go on that wait at a barrier, once all are there.
func (g *Group) open(number int) {
	b := &g.barrier[number]
	waiting, count, here := 0, b.count, true
	for _, w := range g.Warps {
		var at, missing uint32
		for _, p := range w.paths {
			if p.wait == groupSync && p.at&15 == number {
				at |= p.lanes
				count = max(count, p.at>>4)
			}
		}
		for _, p := range w.paths {
			missing |= p.lanes &^ at
		}
		if at != 0 {
			waiting += WarpSize
		}
		here = here && missing == 0
	}
	if waiting == 0 && b.arrived < count || count == 0 && !here || count > 0 && waiting+b.arrived < (count+WarpSize-1)/WarpSize*WarpSize {
		return
	}
	all := b.votes
	*b = meeting{}
	for _, w := range g.Warps {
		opened := false
		for _, p := range w.paths {
			if p.wait == groupSync && p.at&15 == number {
				p.wait, opened, w.reduced = nothing, true, all
			}
		}
		if opened && w.path == nil {
			w.next()
		}
	}
}

// arriveCluster comes to the barrier of the cluster, and goes on: UCGABAR_ARV.
func arriveCluster(w *Warp, _ *op, lanes uint32) {
	w.gates++
	w.Group.gate.arrived += bits.OnesCount32(lanes)
	w.Group.pass()
}

// waitCluster waits until all have come to the barrier of the cluster: UCGABAR_WAIT.
func waitCluster(w *Warp, _ *op, _ uint32) {
	if w.Group.gate.opened < w.gates {
		w.path.wait = clusterSync
	}
}

// pass lets the sub-groups go on that wait at the barrier of the cluster, once all work-items have come that have not left.
func (g *Group) pass() {
	living := 0
	for _, w := range g.Warps {
		living += bits.OnesCount32(w.living())
	}
	if g.gate.arrived == 0 || g.gate.arrived < living {
		return
	}
	g.gate.arrived = 0
	g.gate.opened++
	for _, w := range g.Warps {
		for _, p := range w.paths {
			if p.wait == clusterSync {
				p.wait = nothing
			}
		}
		if w.path == nil {
			w.next()
		}
	}
}

// readReduced reads what a barrier has reduced: a count, or whether all or any brought a predicate that holds.
func readReduced(w *Warp, o *op, lanes uint32) {
	v := w.reduced
	result := truth{known: all}
	known := uint32(all)
	holds := v.yes > 0
	if w.reduction == "AND" {
		holds = v.no == 0
	}
	if v.doubt {
		result.known, known = 0, 0
		if w.reduction == "AND" && v.no > 0 || w.reduction == "OR" && v.yes > 0 {
			result.known = all
		}
	}
	if holds {
		result.value = all
	}
	var values row
	for i := range values {
		values[i] = uint32(v.yes)
	}
	f := w.path.file
	if o.to[0] != sinkRow {
		f.set(o.to[0], lanes, &values, known)
	}
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, result)
	}
}

// left looks whether a barrier waited only for work-items that have left.
func (g *Group) left() {
	g.pass()
	for _, v := range g.Warps {
		for _, p := range v.paths {
			if p.wait == groupSync && p.at>>4 == 0 {
				g.open(p.at & 15)
				return
			}
		}
	}
}

// Ended reports whether all sub-groups have ended.
func (g *Group) Ended() bool {
	for _, w := range g.Warps {
		if w.state != Ended {
			return false
		}
	}
	return true
}

// Run executes the group until it ends or no sub-group can go on, each in turn for as long as it is ready but at most turn steps, and
// in all at most limit. It returns the steps.
func (g *Group) Run(limit int) (steps int) {
	const turn = 4096 // steps after which another sub-group has its turn: a loop may wait for what that one does
	for went := true; went && steps < limit; {
		went = false
		for _, w := range g.Warps {
			for n := 0; w.state == Ready && n < turn && steps < limit; n++ {
				w.Step()
				steps++
				went = true
			}
		}
	}
	return steps
}

// place is the index of a work-item within the group.
func (w *Warp) place(lane int) (index [3]uint32) {
	n := uint32(w.first + lane)
	b := w.launch.Block
	return [3]uint32{n % b[0], n / b[0] % b[1], n / b[0] / b[1]}
}

func active(lanes uint32) int { return bits.TrailingZeros32(lanes) }

// Read returns bytes of a buffer as the group left them, and for each whether it is known.
func (g *Group) Read(buffer string, offset, bytes int64) (data []byte, known []bool) {
	data, known = make([]byte, bytes), make([]bool, bytes)
	i, ok := g.launch.Memory.index[buffer]
	if !ok {
		return data, known
	}
	b := &g.launch.Memory.buffers[i]
	for k := range data {
		if offset+int64(k) < b.arg.Bytes() {
			w := g.global.read(b.at+uint64(offset)+uint64(k), 1)
			data[k], known[k] = byte(w.value[0]), w.known&1 != 0
		}
	}
	return data, known
}
