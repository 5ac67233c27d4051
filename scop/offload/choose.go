package offload

import (
	"math"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/internal/nameset"
	"gpuperf/polycount"
)

// What compilers make of tiles of sums. Work-groups are spread evenly over multiprocessors, whether their tiles have points or not; those of the busiest
// one issue the operations of each step, and those that are there together wait once in a step for its operands (machine.Cycles). Reads and copies are those by which this is nearest to
// the times of 33 mappings of a product and of a symmetric product of about 1000 on an H200 (10 % in the mean; 17 % for a symmetric product of two matrices, by which nothing was
// chosen; TestCycles).
const (
	readCycles  = 2      // of a vector from local memory
	bankCycles  = 1.37   // of a line of banks of local memory, beside the copies (53 mappings of products of about 1000: testdata/h200_parts.jsonl)
	copyCycles  = 16     // of an element into local memory, with its address and whether it is there
	ofCode      = 30     // registers that a work-item has beside those of its sums and operands
	mostOfItem  = 72 * 4 // bytes of sums: with more, registers are spilled
	typicalSize = 1000   // of a parameter that is not known
)

// tiles is the mapping of sums of tiles. They are chosen by recorded times of tiles of one place. Two places have room for as many steps, or for half of them.
func tiles(f Form) Mapping {
	once := onePlace(f)
	twice := once
	twice.Twice = true
	half := twice
	half.Depth /= 2
	switch room := f.on().MostLocal; {
	case f.held(twice) <= room && f.tiling(twice) < f.tiling(once):
		return twice
	case product(half.Points) >= pointsOfPart && f.held(half) <= room && f.tiling(half) < worth*f.tiling(once):
		return half
	}
	return once
}

// onePlace is the mapping of sums of tiles in one place that takes least, in parts where these are worth it.
func onePlace(f Form) Mapping {
	best, least := f.tiled(1)
	if f.Apart && f.Operands <= 2 { // prices of sums of several products are too rough
		least *= worth
		for _, parts := range severalParts {
			if m, time := f.tiled(parts); time < least {
				best, least = m, time
			}
		}
	}
	return best
}

// tiled is the mapping of sums of tiles in so many parts that takes least, and what it takes, in seconds.
func (f Form) tiled(parts int64) (best Mapping, least float64) {
	least = math.Inf(1)
	for _, block := range [][]int64{{16, 16}, {16, 8}, {8, 16}} {
		for _, px := range []int64{2, 4, 6, 8, 12} {
			for _, py := range []int64{2, 4, 6, 8, 12} {
				for _, depth := range []int64{16, 32} {
					m := Mapping{Block: block, Points: []int64{px, py}, Depth: depth, Ahead: true, Parts: parts}
					if parts > 1 && (product(block) > itemsOfPart || px*py > pointsOfPart) || px*py*f.Bytes > mostOfItem || f.held(m) > f.on().MostLocal {
						continue
					}
					if c := f.tiling(m); c < least {
						best, least = m, c
					}
				}
			}
		}
	}
	return best, least
}

// held is the local memory of the tiles of a mapping in bytes.
func (f Form) held(m Mapping) int64 {
	one := f.local(written(m.Block), written(m.Points), m.Depth)
	if m.Twice {
		return places * one
	}
	return one
}

// tiling is about what a mapping takes, in seconds, with what adds up parts.
func (f Form) tiling(m Mapping) float64 {
	time := f.on().Seconds(f.tiles(m))
	if m.Parts > 1 {
		time = time*(1+perPart*math.Log(float64(m.Parts))) + f.adding(m.Parts)
	}
	return time
}

// tiles is what a work-group does then.
func (f Form) tiles(m Mapping) machine.Work {
	groups, side := int64(1), int64(0)
	for axis := range f.Parallel {
		t := of(m.Block, axis) * of(m.Points, axis)
		groups *= intmath.CeilDiv(f.Extent[axis], t)
		side += t
	}
	if f.Folded {
		groups = foldedGroups(f, of(m.Block, 0)*of(m.Points, 0), of(m.Block, 1)*of(m.Points, 1))
	}
	items, pairs := float64(product(m.Block)), float64(f.Operands)/2
	px, py := m.Points[0], m.Points[1]
	copies := pairs * float64(side*m.Depth) / items
	on := f.on()
	term := max(float64(px*py+readCycles*(vectors(px)+vectors(py))), bankCycles*float64(on.Schedulers)*f.passes(m))
	issue := items / float64(on.Subgroup*on.Schedulers) * (float64(m.Depth)*pairs*term + copyCycles*copies)
	own := ofCode + float64(f.Bytes)/4*(float64(px*py)+pairs*float64(px+py)+copies)
	parts := max(1, m.Parts)
	steps := float64(intmath.CeilDiv(intmath.CeilDiv(f.Terms, m.Depth), parts))
	w := machine.Work{
		Groups: groups * parts, Issue: steps * issue, Rounds: steps,
		Group: machine.Group{Items: int64(items), Registers: int64(own), Local: f.held(m), Subgroup: on.Subgroup},
	}
	if m.Twice { // what a step waits was fitted to steps of two barriers
		w.Barriers = -steps
		if w.Groups <= on.Multiprocessors { // nothing else runs while the only work-group stores what it has loaded
			w.Rounds = 0
		}
	}
	return w
}

// passes is how often local memory gives a line of its banks to a sub-group that reads the operands of a term.
func (f Form) passes(m Mapping) float64 {
	bytes := func(items, points int64) float64 {
		lanes := points / vectors(points)
		return float64(vectors(points)) * max(1, float64(items*lanes*f.Bytes)/float64(f.on().Line))
	}
	return bytes(min(m.Block[0], f.on().Subgroup), m.Points[0]) + bytes(max(1, f.on().Subgroup/m.Block[0]), m.Points[1])
}

// foldedGroups is about how many work-groups a folded grid has, of tiles that have so many points along each side.
func foldedGroups(f Form, width, height int64) int64 {
	rows, columns := intmath.CeilDiv(f.Extent[1], height), intmath.CeilDiv(f.Extent[0], width)
	longest := intmath.CeilDiv(columns*(rows+1-rows%2), rows)
	if width != height {
		longest++
	}
	return longest * intmath.CeilDiv(rows, 2)
}

// vectors is how many vectors the points of a work-item along an axis are.
func vectors(points int64) int64 {
	lanes := int64(vector)
	for points%lanes > 0 {
		lanes /= 2
	}
	return points / lanes
}

// extent is about how many values an iname takes where parameters have the given sizes, in all iterations of the host's loops together.
func (c *compiler) extent(set *polycount.Set, iname string) int64 {
	set, err := c.sized(set)
	if err != nil {
		return typicalSize
	}
	return extent(set, iname)
}

// sized is a set at the given sizes, with the host's loops as dimensions.
func (c *compiler) sized(set *polycount.Set) (*polycount.Set, error) {
	at := map[string]int64{}
	for _, p := range c.nest.Params {
		if at[p] = typicalSize; c.opt.Sizes[p] > 0 {
			at[p] = c.opt.Sizes[p]
		}
	}
	return set.ToDims(c.hosted(set)...).Fix(at)
}

// during is a set in the launch that is so many of the stages' halves through the loops of the host: at the given sizes, where that can be said.
func (c *compiler) during(set *polycount.Set, halves int64) *polycount.Set {
	sized, err := c.sized(set)
	if err != nil {
		return set
	}
	return through(sized, c.hosted(set), halves, 2*stages)
}

// through fixes dimensions one after the other, each so many parts of its values from the first.
func through(set *polycount.Set, dims []string, parts, of int64) *polycount.Set {
	for _, dim := range dims {
		lo, hi, ok := between(set, dim)
		if !ok {
			return set
		}
		fixed, err := set.Fix(map[string]int64{dim: lo + (hi-lo)*parts/of})
		if err != nil {
			return set
		}
		set = fixed
	}
	return set
}

// extent is about how many values a dimension takes.
func extent(set *polycount.Set, dim string) int64 {
	lo, hi, ok := between(set, dim)
	if !ok {
		return typicalSize
	}
	return max(1, hi-lo+1)
}

// between are the bounds of a dimension, where they are known.
func between(set *polycount.Set, dim string) (lo, hi int64, ok bool) {
	values, err := set.Project(dim)
	if err != nil {
		return 0, 0, false
	}
	lower, upper, err := values.Bounds(dim)
	if err != nil || len(lower) == 0 || len(upper) == 0 || !lower[0].Num.IsConstant() || !upper[0].Num.IsConstant() {
		return 0, 0, false
	}
	return lower[0].Num.Constant() / lower[0].Den, upper[0].Num.Constant() / upper[0].Den, true
}

// hosted are the loops of the host that a set is over.
func (c *compiler) hosted(set *polycount.Set) []string {
	return nameset.Remove(set.Params(), c.nest.Params...)
}

// steps is the mapping of a stencil in one or two dimensions: the largest square of cells of 512 work-items that local memory holds, and as many steps as leave half of a row, or three
// quarters of both sides of a square, for the tile. In three dimensions a launch for each update is faster, as too much of a tile is computed by others as well (jacobi-1d and heat-3d, of
// 500 steps, on an H200).
func steps(f Form) Mapping {
	forms := [][]Mapping{nil, {{Block: []int64{256}, Points: []int64{2}}}, {
		{Block: []int64{32, 16}, Points: []int64{2, 4}},
		{Block: []int64{32, 16}, Points: []int64{2, 2}},
		{Block: []int64{32, 8}, Points: []int64{1, 4}},
	}, nil}
	for _, m := range forms[f.Parallel] {
		cells, most := int64(f.Arrays)*f.Bytes, int64(math.MaxInt64)
		for axis := range f.Parallel {
			side := of(m.Block, axis) * of(m.Points, axis)
			cells *= side + f.Reach[axis]
			most = min(most, side/max(1, int64(2*f.Parallel)*f.Reach[axis]))
		}
		if m.Steps = most; cells <= f.on().MostLocal && product(m.Block) <= f.on().MostItems && most > 0 && f.width(m) > 0 {
			return m
		}
	}
	return Mapping{}
}

// mostChunk is the longest chunk that is tried.
const mostChunk = 1 << 16

// chunks is the mapping of a chain that takes least: in chunks, or in one work-group.
func chunks(f Form) Mapping {
	m, _ := f.chunked()
	return m
}

func (f Form) chunked() (best Mapping, least float64) {
	if f.Chain.Divides {
		return f.fractions()
	}
	best, least = Mapping{Share: 1}, f.unchunked()
	for chunk := max(1, 16/f.Chain.Each); chunk <= mostChunk && 2*chunk <= f.Chain.Terms; chunk *= 2 {
		rest := f
		rest.Chain.Each, rest.Chain.Terms = 1, intmath.CeilDiv(f.Chain.Terms, chunk)
		_, time := rest.chunked()
		if time += f.chunks(chunk); time < least {
			best, least = Mapping{Share: 1, Chunk: chunk}, time
		}
	}
	return best, least
}

// lost is by how much chunks of fractions have to take less than loops: so many times as long as loops they take where products say too little (lines of 2000, on an H200).
const lost = 3

// fractions is the mapping of a loop whose values are fractions of those before.
func (f Form) fractions() (best Mapping, least float64) {
	best, least = Mapping{Share: 1}, f.partly(f.Chain.Terms, 1, 1)/lost
	for chunk := int64(8); chunk <= mostChunk && 2*chunk <= f.Chain.Terms; chunk *= 2 {
		count := intmath.CeilDiv(f.Chain.Terms, chunk)
		on := f.on()
		between := machine.Work{
			Launches: 1, Groups: 1, Group: machine.Group{Items: on.Subgroup, Subgroup: on.Subgroup},
			Rounds: float64(intmath.CeilDiv(count, loadsOfRound)), Waits: float64(count) * (f.Chain.Waits + on.Function),
		}
		if time := f.partly(chunk, count, 0) + on.Seconds(between) + f.partly(chunk, count, 1); time < least {
			best, least = Mapping{Share: 1, Chunk: chunk}, time
		}
	}
	return best, least
}

// partly is about what a launch takes that makes so many iterations of each of so many parts, in seconds.
func (f Form) partly(terms, parts int64, stores int) float64 {
	own := Form{On: f.On, Bytes: f.Bytes, Parallel: 1, Extent: [3]int64{parts}}
	own.Sweep = Sweep{Loads: max(1, f.Chain.Loads), Stores: stores, Across: f.Chain.Loads + stores, Turned: stores, Terms: terms, Helped: true}
	w := own.sweeps(sweepsOf(own))
	w.Launches, w.Waits = 1, float64(terms)*f.Chain.Waits
	w.GlobalBytes = float64(parts * terms * int64(f.Chain.Loads+stores) * f.Bytes)
	return f.on().Seconds(w)
}

// chained is how much of the latency of a load an iteration of a chain waits: its loads come line by line, and others find what they ask for in the first cache.
const chained = 0.36

// unchunked is about what a chain takes in one work-group, in seconds.
func (f Form) unchunked() float64 {
	w := machine.Work{Launches: 1, Rounds: chained * float64(f.Chain.Terms)}
	if f.Chain.Sums && !f.Chain.Scan {
		w = f.added(f.Chain.Terms*f.Chain.Each, 1)
	}
	return f.on().Seconds(w)
}

// added is what work-groups do of which each adds up so many terms.
func (f Form) added(terms, groups int64) machine.Work {
	on, share := f.on(), int64(256)
	lines := intmath.CeilDiv(on.Subgroup*f.Bytes, on.Line)
	return machine.Work{
		Launches: 1, Groups: groups, Group: machine.Group{Items: share, Subgroup: on.Subgroup}, Rounds: float64(intmath.CeilDiv(terms, share*loadsOfRound)),
		Barriers: 8, Lines: float64(intmath.CeilDiv(terms, on.Subgroup) * lines), Bytes: float64(terms * f.Bytes), GlobalBytes: float64(terms * groups * f.Bytes),
	}
}

// chunks is about what the launches take that are over a chain in chunks, in seconds. A work-item of its own makes each, in lines of its own.
func (f Form) chunks(chunk int64) float64 {
	on, items := f.on(), intmath.CeilDiv(f.Chain.Terms, chunk)
	own := machine.Work{
		Launches: 1, Groups: intmath.CeilDiv(items, on.Subgroup), Group: machine.Group{Items: on.Subgroup, Subgroup: on.Subgroup}, Rounds: chained * float64(chunk),
		Lines: float64(chunk * on.Subgroup), Bytes: float64(chunk * on.Subgroup * f.Bytes), GlobalBytes: float64(f.Chain.Terms * f.Bytes),
	}
	first := own
	if f.Chain.Sums {
		first = f.added(chunk*f.Chain.Each, items)
	}
	time := on.Seconds(first)
	if f.Chain.Scan {
		own.GlobalBytes *= 2
		time += on.Seconds(own)
	}
	return time
}
