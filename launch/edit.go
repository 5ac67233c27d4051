package launch

import (
	"fmt"
	"math"
	"slices"

	hw "gpuperf/device/machine"

	"gpuperf/device/facts"
	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// Site is an access of a kernel to an array, where it stands: those of one array in one line are one.
type Site struct {
	Array         string
	Store, Atomic bool
	At            kernel.Place // the line; zero where nobody knows it
}

// Effect is what an access would do otherwise.
type Effect struct {
	Without bool     // nothing
	Beside  bool     // neighbours along axis 0 of a work-group access neighbouring elements, and what lay between these lies a work-group apart
	Fewer   [3]int64 // so many work-groups along an axis that it does not depend on access it once; 0 is 1
	Spilled bool     // a private array is in memory, as arrays are whose indices are no constants of the code
	Wide    int64    // so many elements at once, beside each other; 0 is 1
	Once    bool     // the iterations of loops in which its element stays the same access it once
}

// Edit is what a launch would do otherwise, so that it can be predicted. The zero value changes nothing.
type Edit struct {
	Access     map[Site]Effect
	Together   bool  // work-items that pass a guard or stay in a loop are neighbours, and half of all where that depends on data
	Half       bool  // every other work-item passes a guard that depends on data, as Together has it, but its neighbours do not
	Joined     int64 // so many work-groups along axis 0 are one; 0 is 1. Work-groups must have one work-item along axis 2
	Wide       int64 // work-groups along axis 0 are so many times fewer, as each work-item does what so many neighbours did; 0 is 1
	Divided    int64 // work-groups are so many, each with a part of the sub-groups; 0 is 1
	Spread     int64 // work-groups are so many times as many, each with a part of what a work-item does one after the other; 0 is 1
	Resident   int64 // work-groups that a multiprocessor runs at once, where its other resources allow it; 0 is as it is
	Even       bool  // multiprocessors all have the same work
	Unlaunched bool  // the launch itself takes no time
	Fetched    bool  // DRAM gives each element once
	Meetings   int64 // barriers are so many times fewer; 0 is 1
	Alike      bool  // all work-groups do as much as they do in the mean
	SharedOut  bool  // what a single work-item of a group does in loops, all that got there do, each a part, and join what they have in a tree
}

// Use is what the accesses of a site do.
type Use struct {
	Site
	Space    kernel.Space
	Bytes    int64    // of an access by a work-item
	Requests int64    // accesses by sub-groups
	Items    int64    // accesses by work-items
	Sectors  int64    // of global memory that they touch
	Enough   int64    // the same, if neighbours accessed neighbouring elements
	Cycles   int64    // of the banks
	Fewest   int64    // the same
	Repeated int64    // accesses by sub-groups, without iterations of loops in which the element stays the same
	Strides  [3]int64 // bytes between neighbours along the axes of a work-group
	Shared   [3]bool  // all work-items along an axis of the launch access the same, where work-groups have several
	Row      int64    // iterations of the innermost loop, if each accesses the element after that of the one before
	Extent   int64    // bytes of the array
	Data     bool     // the index is read from memory
}

// Divergence is a guard or a loop that parts of sub-groups pass.
type Divergence struct {
	At    kernel.Place // the first statement in it
	To    string       // that it sets
	Data  bool         // what decides is read from memory
	Lanes float64      // work-items by sub-group that pass, of those that there are, in the mean
	Alone bool         // a single work-item of the group passes
	Times int64        // sub-groups that pass it so
}

// Survey is what a launch does, site by site.
type Survey struct {
	Uses        []Use // in the order of the text
	Divergences []Divergence
	Count       [3]int64   // work-groups along each axis
	Groups      int64      // work-groups
	Items       int64      // work-items of each
	Resident    int64      // work-groups that a multiprocessor runs at once
	Limits      string     // the resource that allows no more
	Local       [3]int64   // work-items of a work-group along each axis
	Iterations  float64    // of loops, by work-item
	Work        []LineWork // in the order of the text
	Waves       float64
	Longest     float64 // work of the work-group that has most by the mean, of the first and the last
	Shared      int64   // bytes of local memory of a work-group
	Barriers    int64
	Loaded      float64 // distinct bytes of global memory that are loaded
	Read        float64 // bytes that come from DRAM, where L2 holds nothing at the start
}

// LineWork is what the statements of a line compute, in instructions of sub-groups by the names that issued has.
type LineWork struct {
	At     kernel.Place
	To     string // the first variable that it sets
	Counts map[string]int64
}

// observed is what a walk notes for a survey.
type observed struct {
	uses  map[Site]*Use
	order []Site
	parts map[node]*Divergence
	nodes []node
	work  map[kernel.Place]*LineWork
	lines []kernel.Place
}

// Survey looks at what the launch does at some sizes.
func (p *Program) Survey(sizes map[string]int64) (*Survey, error) {
	s := &stream{observed: &observed{uses: map[Site]*Use{}, parts: map[node]*Divergence{}, work: map[kernel.Place]*LineWork{}}}
	r, err := p.collect(sizes, s)
	if err != nil {
		return nil, p.error(err)
	}
	t, least := r.traffic(), r.stream.launch(r).Least()
	out := &Survey{
		Groups: r.numGroups(), Count: r.groups, Items: r.items, Resident: r.onSM, Waves: r.waves(), Longest: r.longest, Shared: r.shared, Barriers: r.sum[barriers], Loaded: least.DRAMReads, Read: t.DRAMReads,
		Limits: r.limit(), Local: r.local, Iterations: ratio(r.sum[loopBodies], r.total),
	}
	for _, at := range s.observed.lines {
		out.Work = append(out.Work, *s.observed.work[at])
	}
	for _, site := range s.observed.order {
		out.Uses = append(out.Uses, *s.observed.uses[site])
	}
	for _, n := range s.observed.nodes {
		d := s.observed.parts[n]
		d.Lanes /= float64(d.Times)
		out.Divergences = append(out.Divergences, *d)
	}
	return out, nil
}

// With is the program with an edit, and perhaps of another kernel.
func (p *Program) With(k *kernel.Kernel, e Edit) (*Program, error) {
	nest := p.nest
	if k != nil {
		var err error
		if nest, err = linear.New(k); err != nil {
			return nil, err
		}
	}
	return edited(nest, p.opt, e)
}

// placed says where the accesses of a kernel stand.
func placed(k *kernel.Kernel) map[*expr.Access]kernel.Place {
	places := map[*expr.Access]kernel.Place{}
	for _, s := range k.Statements {
		all := lists.Flat(s.Exprs(), expr.Accesses)
		for i, a := range all {
			if places[a] = lineOf(s.At); len(s.Places) == len(all) && s.Places[i].Line > 0 {
				places[a] = lineOf(s.Places[i])
			}
		}
	}
	return places
}

// lineOf is a place without its column.
func lineOf(p kernel.Place) kernel.Place {
	p.Column = 0
	return p
}

// site is where an access to an array stands.
func (p *Program) site(from origin) Site {
	s := Site{Array: from.access.Array, Store: from.write, At: p.stand()[from.access]}
	if from.stmt != nil {
		s.Atomic = from.stmt.Atomic
		if s.At == (kernel.Place{}) {
			s.At = lineOf(from.stmt.At)
		}
	}
	return s
}

// besideEachOther lets the neighbours of a sub-group access neighbouring elements: what is a stride apart lies beside each other, and what lay within a stride as
// far apart as there are strides.
func besideEachOther(w *walk, a *access, st *state, addr *form, lanes []int64) (*form, []int64) {
	unit := w.p.arrays[a.array].bytes * a.lanes
	stride := strideOf(w, addr, lanes)
	if stride < 0 {
		stride = -stride
	}
	if stride <= unit || stride%unit != 0 {
		return addr, lanes
	}
	rows := max(w.extents[a.array]/stride, 1)
	moved := func(x int64) int64 {
		q := intmath.FloorDiv(x+stride/2, stride)
		return q*unit + (x-q*stride)*rows
	}
	out := *addr
	out.c = moved(addr.c)
	for v, k := range addr.k {
		out.k[v] = moved(k)
	}
	each := slices.Clone(lanes)
	for i, x := range each {
		each[i] = moved(x)
	}
	return &out, each
}

// strideOf is how far apart neighbours of a sub-group access an array, in bytes.
func strideOf(w *walk, addr *form, lanes []int64) int64 {
	switch {
	case len(lanes) > 1:
		return lanes[1] - lanes[0]
	case len(lanes) == 1:
		return 0
	}
	for axis, n := range w.local {
		if n > 1 {
			return neighbours(w, addr, axis)
		}
	}
	return 0
}

// changedBy is where an access with an effect is made, a state of its own, and its addresses: iterations and work-groups that it would not be made in count
// as one.
func changedBy(w *walk, a *access, st *state, addr *form, lanes []int64) (*state, *form, []int64) {
	out := w.copied(st)
	for v := axisVars; a.effect.Once && v < out.nv; v++ {
		if a.loops&(1<<(v-axisVars)) == 0 {
			out.n[v] = 1
		}
	}
	for axis, by := range a.effect.Fewer {
		if v := lidVars + axis; by > 1 && addr.k[v] == 0 {
			out.n[v] = max(out.n[v]/by, 1)
		}
	}
	if a.effect.Beside {
		addr, lanes = besideEachOther(w, a, st, addr, lanes)
	}
	return out, addr, lanes
}

// use notes what an access does at a state, of which u are the units.
func (o *observed) use(w *walk, a *access, st *state, u unitCount, addr *form, lanes []int64) {
	array := &w.p.arrays[a.array]
	site := w.p.site(a.from)
	x := o.uses[site]
	if x == nil {
		x = &Use{Site: site, Space: array.Memory(), Bytes: array.bytes * a.lanes, Data: addr == nil, Extent: w.extents[a.array]}
		o.uses[site], o.order = x, append(o.order, site)
	}
	points, warps := st.count(), int64(len(st.mask.warps))
	x.Requests += points * warps
	x.Items += points * int64(len(st.mask.lanes))
	x.Repeated += st.bySubgroups(a.loops)
	x.Sectors += u.sectors
	x.Cycles += u.cycles
	enough, fewest := int64(0), int64(0)
	for _, warp := range st.mask.warps {
		enough += intmath.CeilDiv(int64(warp.lanes)*x.Bytes, SectorBytes)
		fewest += intmath.CeilDiv(int64(warp.lanes)*x.Bytes, banks*bankBytes)
	}
	x.Enough += min(enough*points, u.sectors)
	x.Fewest += min(fewest*points, u.cycles)
	if addr == nil {
		return
	}
	for axis := range x.Shared {
		x.Shared[axis] = neighbours(w, addr, axis) == 0 && lanes == nil && addr.k[lidVars+axis] == 0 && w.several(st.mask, axis)
	}
	for v := st.nv - 1; v >= axisVars; v-- {
		if addr.k[v] == x.Bytes {
			x.Row = max(x.Row, st.n[v])
		}
		if addr.k[v] != 0 {
			break
		}
	}
	if x.Strides == ([3]int64{}) {
		for axis := range x.Strides {
			x.Strides[axis] = neighbours(w, addr, axis)
		}
		if lanes != nil {
			x.Strides = [3]int64{strideOf(w, addr, lanes)}
		}
	}
}

// neighbours is how far the addresses of the first two work-items along an axis are apart, also by where these start a loop.
func neighbours(w *walk, addr *form, axis int) (apart int64) {
	next := 1
	for _, n := range w.local[:axis] {
		next *= int(n)
	}
	if next >= len(w.lanes) || w.local[axis] < 2 {
		return addr.k[axis]
	}
	for v, at := range w.lanes[next] {
		apart += addr.k[v] * (at - w.lanes[0][v])
	}
	return apart
}

// privately is an access to a private array. Where an index is no constant of the code, the array cannot be in registers.
func privately(w *walk, a *access, st *state) {
	requests := st.count() * int64(len(st.mask.warps))
	if forSurvey(w) {
		observe(w, a, st, unitCount{}, nil, nil)
		u := w.stream.observed.uses[w.p.site(a.from)]
		u.Data = slices.ContainsFunc(a.index, func(x *linear.Index) bool { return !inCode(w, x, st) })
	}
	if a.effect.Spilled {
		lines := requests * rows(w, a)
		w.sum[straightCycles] += lines
		w.sum[straightLines] += lines
		w.issueAccess(kernel.Global, st.count(), len(st.mask.warps), 1)
		w.path.cycles += w.bySubgroup(st.count(), st.mask) * w.p.opt.Device.Rough(facts.L1Latency)
	}
}

// rows are how many elements of a private array a sub-group accesses at once: as many as its work-items hit where data decide, and else one. In memory the same
// element of neighbours lies side by side, in a line.
func rows(w *walk, a *access) int64 {
	elements, err := w.p.arrays[a.array].Elements(nil) // those of private arrays are numbers
	if err != nil || !slices.ContainsFunc(a.index, func(x *linear.Index) bool { return x.Data }) {
		return 1
	}
	n, lanes := float64(max(elements, 1)), float64(w.p.opt.SubgroupSize)
	return int64(math.Round(n * (1 - math.Pow(1-1/n, lanes))))
}

// inCode reports whether an index is a constant of the code: it depends on the counters of unrolled loops alone.
func inCode(w *walk, x *linear.Index, st *state) bool {
	f, ok := st.eval(x)
	if x.Data || !ok {
		return false
	}
	for v, k := range f.k {
		if k != 0 && (v < axisVars || st.n[v] > 1 && (w.open[v] == nil || !w.open[v].straight)) {
			return false
		}
	}
	return true
}

// observe notes an access for a survey.
func observe(w *walk, a *access, st *state, u unitCount, addr *form, lanes []int64) {
	if forSurvey(w) {
		w.stream.observed.use(w, a, st, u, addr, lanes)
	}
}

// diverges notes the work-items of a mask that pass a guard or stay in a loop, and lets them be neighbours where the edit says it.
func diverges(w *walk, n node, data bool, st, inner *state) {
	apart := data || len(inner.mask.lanes) < len(st.mask.lanes) && int64(len(inner.mask.warps))*int64(w.p.opt.SubgroupSize) > int64(len(inner.mask.lanes))
	if !apart || len(inner.mask.lanes) == 0 {
		return
	}
	if forSurvey(w) {
		o := w.stream.observed
		d := o.parts[n]
		if d == nil {
			first := firstOf(n)
			d = &Divergence{At: lineOf(first.at), To: first.target, Data: data, Alone: true}
			o.parts[n], o.nodes = d, append(o.nodes, n)
		}
		times := inner.count() * int64(len(inner.mask.warps))
		d.Alone = d.Alone && len(inner.mask.lanes) == 1 && len(st.mask.lanes) > 1
		d.Times += times
		d.Lanes += float64(times) * float64(len(inner.mask.lanes)) / float64(len(inner.mask.warps)*w.p.opt.SubgroupSize)
	}
	if w.p.edit.Together {
		n := len(inner.mask.lanes)
		if data && !st.sorted {
			n, inner.sorted = (n+1)/2, true
		}
		inner.mask = w.newMask(slices.Clone(st.mask.lanes[:n]))
	}
	if w.p.edit.Half && data && !st.sorted {
		var lanes []int32
		for i := 0; i < len(inner.mask.lanes); i += 2 {
			lanes = append(lanes, inner.mask.lanes[i])
		}
		inner.mask, inner.sorted = w.newMask(lanes), true
	}
}

// sortByWay lets a loop be run by those who do something in it, where data decides who that is and the edit says that these are neighbours.
func sortByWay(w *walk, l *loop, st *state) {
	ofData := func(n node) bool {
		g, ok := n.(*guard)
		return ok && slices.ContainsFunc(g.conds, func(c cond) bool { return c.x.Data })
	}
	if w.p.edit.Together && !st.sorted && len(l.body) > 0 && !slices.ContainsFunc(l.body, func(n node) bool { return !ofData(n) }) {
		st.mask, st.sorted = w.newMask(slices.Clone(st.mask.lanes[:(len(st.mask.lanes)+1)/2])), true
	}
}

// firstOf is the first statement of a node whose place is known, or one without.
func firstOf(n node) *exec {
	var list []node
	switch x := n.(type) {
	case *exec:
		return x
	case *guard:
		list = x.body
	case *loop:
		list = x.body
	}
	for _, inner := range list {
		if first := firstOf(inner); first.at.Line > 0 {
			return first
		}
	}
	return &exec{}
}

// regroup makes the work-groups of a walk those of the edit.
func (e *Edit) regroup(w *walk) error {
	if joined := e.Joined; joined > 1 {
		if w.groups[0]%joined != 0 || w.local[2] != 1 {
			return fmt.Errorf("%d work-groups of %v cannot be joined by %d", w.groups[0], w.local, joined)
		}
		w.groups[0] /= joined
		w.local[2] = joined
	}
	if wide := e.Wide; wide > 1 {
		if w.groups[0]%wide != 0 {
			return fmt.Errorf("%d work-groups cannot be %d times fewer", w.groups[0], wide)
		}
		w.groups[0] /= wide
	}
	return nil
}

// reshape finds the work-groups that run at once, and changes the launch that was walked as the edit says.
func (r *result) reshape() {
	e := &r.p.edit
	if e.Joined > 1 {
		r.shared *= e.Joined
	}
	if e.Unlaunched {
		r.launches = 0
	}
	r.items = max(r.items/max(e.Divided, 1), 1)
	r.sum[barriers] /= max(e.Meetings, 1)
	if n := float64(e.Spread); n > 1 {
		r.path.rounds, r.path.longest, r.path.fences, r.path.words, r.path.cycles = r.path.rounds/n, r.path.longest/n, r.path.fences/n, r.path.words/n, r.path.cycles/n
	}
	if !r.p.resident {
		return
	}
	if r.onSM = r.residents(); e.Resident > 0 {
		r.onSM = e.Resident
	}
}

// limit is the resource that limits the work-groups that run at once on a multiprocessor.
func (r *result) limit() string {
	list := hw.Limits(r.p.opt.Device, r.group())
	if len(list) == 0 {
		return ""
	}
	_, by := hw.Resident(list)
	return by
}

// forSurvey reports whether the walk is for a survey.
func forSurvey(w *walk) bool { return w.stream != nil && w.stream.observed != nil }

// works notes what a statement computes, which is what is issued until the function that it returns is called, beside accesses.
func works(w *walk, x *exec) (end func()) {
	before := w.issued
	return func() {
		o, at := w.stream.observed, lineOf(x.at)
		if o.work[at] == nil {
			o.work[at], o.lines = &LineWork{At: at, To: x.target, Counts: map[string]int64{}}, append(o.lines, at)
		}
		for kind, n := range w.issued {
			if n -= before[kind]; n != 0 && kind > int(issueAddress) {
				o.work[at].Counts[issued[kind].name] += n
			}
		}
	}
}
