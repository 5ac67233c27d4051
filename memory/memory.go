// Package memory derives how the accesses of a launch use the caches of a GPU and its DRAM.
//
// Its input is one description of all accesses to global memory, a [Launch], whoever makes it: the loops that a work-group runs, and for
// each access in them the addresses of its lanes as affine functions of work-group and iteration. The footprint of a part of the execution
// is the number of distinct sectors that it touches (window.go, footprint.go, union.go). A cache serves again what was touched since the start of a
// window whose footprint fits into it; from the largest such windows follows what it has to fetch (cache.go). Estimate applies this to L1,
// with the work-groups of one multiprocessor, and to L2, with those of the device (traffic.go).
//
// Nothing is simulated access by access, so that the cost depends on the number of accesses in the program, not on its sizes. That caches
// keep what was used last, and that all sub-groups of a work-group are about equally far, are assumptions; docs/counters.md has what the
// hardware counts.
package memory

// Sizes of the memory of NVIDIA's GPUs since Maxwell, in bytes, by which this program counts: caches have lines of four sectors, and load two sectors at once from DRAM;
// local memory has banks of words. Devices with other sizes, which data sheets tell, are not emulated.
const (
	SectorBytes = 32              // what L2 sends to L1 at least
	LineBytes   = 128             // four sectors under one tag
	WordBytes   = 4               // of a bank, in a cycle
	Banks       = 32              // one for each lane of a warp
	fetchBytes  = 2 * SectorBytes // what DRAM is read by
)

// Launch is what a launch accesses in global memory.
type Launch struct {
	Groups [3]int64 // work-groups along each axis; they start in order, axis 0 fastest
	Arrays []Array
	Body   []Step // what a work-group does, in order
	Lines  bool   // data takes room in L2 by whole lines

	memo memo
}

// Array is a range of memory that no other array overlaps.
type Array struct {
	Name  string
	Bytes int64
	// Reach is in how many bytes of it accesses lie that go anywhere; 0 is all.
	Reach int64
	// Copied says that whoever times the launch copies to the array what it held at first, before each launch.
	Copied bool
}

// Step is a *Loop or an *Access.
type Step interface{ step() }

// Loop runs its body once per iteration. So many iterations a sub-group makes together, 1 or more.
type Loop struct {
	Body     []Step
	Together int64
}

// Access is a load or a store, by all work-items that take part in it.
type Access struct {
	Array int
	Store bool
	Width int64 // bytes of a lane
	Parts []Part
}

// Part is a set of executions of an access: the same lanes in some groups and iterations.
type Part struct {
	// From and one of Lanes are the address of each lane of a work-group that takes part, in bytes from the start of the array, in the first of the
	// groups and iterations. Parts may share Lanes.
	From   int64
	Lanes  []int64
	Groups [3]Run
	Loops  []Run   // outermost first
	Times  float64 // executions that each of these stands for
	// Sectors and Lines are those that sub-groups touch in all executions, each access its own; of stores, those that are sent to L2.
	// Requests are the accesses by sub-groups.
	Sectors, Lines, Requests float64
	// Scattered says that the sectors are any of the array, in each execution others: or in those along the runs that go anywhere, where some do.
	Scattered bool

	touched *touched  // by the lanes, in the first of the groups and iterations
	dims    []Run     // the groups along each axis, and the loops in whose iterations the address differs
	strides []float64 // by unit of these
	pattern int       // that the part belongs to
}

// Run is a sequence of groups or iterations: First, First+Step, …, Count of them. Stride is the distance of addresses from one to the next, unless they go
// anywhere.
type Run struct {
	First, Step, Count, Stride int64
	Anywhere                   bool
}

func (*Loop) step()   {}
func (*Access) step() {}

// Each calls f for the accesses of the steps, in loops, too.
func Each(steps []Step, f func(*Access)) {
	for _, s := range steps {
		switch x := s.(type) {
		case *Loop:
			Each(x.Body, f)
		case *Access:
			f(x)
		}
	}
}

// executions are the groups of the part times its iterations.
func (p *Part) executions() float64 {
	n := p.groups()
	for _, r := range p.Loops {
		n *= float64(r.Count)
	}
	return n
}

func (p *Part) groups() float64 {
	return float64(p.Groups[0].Count) * float64(p.Groups[1].Count) * float64(p.Groups[2].Count)
}
