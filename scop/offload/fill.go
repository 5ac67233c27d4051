package offload

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// loadsOfRound are loads of a shared sum that are on their way together, as compilers unroll its loop by 4. The work-groups of a multiprocessor run in turns of as many as it holds. In
// a turn each work-item adds its terms, and the work-group adds up what its work-items have, a barrier for each halving. Meanwhile loads pass line by line, and at the rate of the
// second cache (machine.Cycles).
const loadsOfRound = 4

// shares is the mapping of shared sums that takes least.
func shares(f Form) (best Mapping) {
	if f.Parallel == 0 {
		return Mapping{Share: 256}
	}
	least, first, fewest := math.Inf(1), int64(8), int64(64)
	if f.Serial { // a sum in a loop may be as short as the loop
		first, fewest = 1, 32
	}
	for _, block := range []int64{2, 4, 8, 16, 32, 1} {
		for share := first; share <= 512; share *= 2 {
			m := Mapping{Block: []int64{block}, Share: share}
			if items := block * share; items < fewest || items > f.on().MostItems {
				continue
			}
			if c := f.sharing(m); c < least {
				best, least = m, c
			}
		}
	}
	return best
}

// sharing is about what a mapping of shared sums takes in a launch, in the mean of the stages.
func (f Form) sharing(m Mapping) (sum float64) {
	for _, s := range f.Stages {
		sum += f.stage(s, m) / stages
	}
	return sum
}

// stage is about what a mapping of shared sums takes in a launch.
func (f Form) stage(s Stage, m Mapping) float64 {
	on := f.on()
	block, items := m.Block[0], m.Block[0]*m.Share
	terms := intmath.CeilDiv(s.Terms, m.Share)
	along := m.Share // work-items whose loads are next to each other
	if f.Sums == Items {
		along = block
	}
	along = min(along, on.Subgroup)
	bytes := max(float64(f.Bytes), float64(on.Sector)/float64(along)) // of a term
	if f.Bytes == 0 {                                                 // which reads no array
		bytes = 0
	}
	lines := on.Subgroup / along * intmath.CeilDiv(along*f.Bytes, on.Line)
	return on.Cycles(machine.Work{
		Groups: intmath.CeilDiv(s.Items, block), Group: machine.Group{Items: items, Subgroup: on.Subgroup},
		Rounds: float64(intmath.CeilDiv(terms, loadsOfRound)), Barriers: float64(bits.Len64(uint64(m.Share)) - 1),
		Lines: float64(terms * intmath.CeilDiv(items, on.Subgroup) * lines), Bytes: float64(block*s.Terms) * bytes,
	})
}

// mostPoints of a work-item by default: what more of them load needs registers, of which the device has then too few for as many work-items (gemver and heat-3d on an H200).
const mostPoints = 4

// narrower work-groups must leave out so much of what wider ones cover.
const narrower = 0.8

// points is the mapping of a launch without sums: work-groups of 256 work-items, as wide as leaves few of these outside of the domain, and as many points of a work-item along the
// slowest axis as leave a device full of work-items. It is one point where statements store parts of the same lines: these are then stored one behind the other. Where a matrix is stored across
// its lines, a work-group is only as wide as a sector: a sub-group touches fewer lines then, and still all of each sector along the others.
func points(f Form) Mapping {
	shapes := [][][]int64{nil, {{128}}, {{32, 8}, {16, 16}}, {{64, 4, 1}, {32, 8, 1}, {16, 16, 1}}}[f.Parallel]
	if f.Parallel == 2 && f.Crossing > 0 {
		wide := max(1, f.on().Sector/f.Crossing)
		shapes = [][]int64{{wide, product(shapes[0]) / wide}}
	}
	most := int64(1) // points that leave the device full
	for n := mostPoints; most == 1 && n > 1; n /= 2 {
		if !f.Parts && product(f.Extent[:f.Parallel]) >= int64(n)*f.on().Full {
			most = int64(n)
		}
	}
	best, least := Mapping{}, math.Inf(1)
	for _, block := range shapes {
		m := Mapping{Block: block, Points: []int64{1, 1, 1}[:f.Parallel], Share: 1}
		m.Points[f.Parallel-1] = most
		covered := int64(1)
		for axis := range f.Parallel {
			side := block[axis] * m.Points[axis]
			covered *= side * intmath.CeilDiv(f.Extent[axis], side)
		}
		if c := float64(covered); c < narrower*least {
			best, least = m, c
		}
	}
	return best
}

// storesAcross are the bytes of an element of an array that is stored in another line for each work-item along the first axis, and beside others along another one; 0 where none is.
func storesAcross(k *kernel.Kernel, order []string) (bytes int64) {
	for _, s := range k.Statements {
		for _, a := range k.Writes(s) {
			moves := func(index expr.Expr, loops []string) bool {
				x, err := k.AffineOf(index)
				return err == nil && slices.ContainsFunc(loops, x.Has)
			}
			last := max(0, len(a.Index)-1)
			across := slices.ContainsFunc(a.Index[:last], func(e expr.Expr) bool { return moves(e, order[:1]) })
			if across && moves(a.Index[last], order[1:]) && !moves(a.Index[last], order[:1]) {
				bytes = max(bytes, k.Array(a.Array).DType.Size())
			}
		}
	}
	return bytes
}

// Jam tells of the sums of a launch whose work-items have several points each.
type Jam struct {
	Count int64 // terms of a point; 0 where there are no sums
	Reads [8]Read
}

// Read is an element that a term has.
type Read struct {
	There     bool
	Axes      int  // that choose it: 1 for the fastest, 2 and 4 for the others
	Scattered bool // it is not next to that of the neighbour along the fastest axis
}

// jam finds what the sums of points read.
func (c *compiler) jam(p *pointwise) (out Jam, err error) {
	var seen []string
	for _, s := range p.from.Statements {
		sum := sumOf(s)
		if sum == nil {
			continue
		}
		over, err := p.from.DomainOf(sum.Inames)
		if err != nil {
			return out, err
		}
		count := int64(1)
		for _, r := range sum.Inames {
			count *= c.extent(over, r)
		}
		out.Count = max(out.Count, count)
		for _, a := range p.from.Reads(&kernel.Stmt{RHS: sum.Body}) {
			if n := len(seen); n < len(out.Reads) && len(a.Index) > 0 && !slices.Contains(seen, a.String()) {
				seen = append(seen, a.String())
				out.Reads[n] = readOf(p.from, a, p.order)
			}
		}
	}
	return out, nil
}

func readOf(k *kernel.Kernel, a *expr.Access, order []string) Read {
	out := Read{There: true}
	for d, e := range a.Index {
		for axis, p := range order {
			if expr.Mentions(e, p) {
				out.Axes |= 1 << axis
			}
		}
		if x, err := k.AffineOf(e); expr.Mentions(e, order[0]) && (err != nil || d < len(a.Index)-1 || magnitude(x.Coeff(order[0])) != 1) {
			out.Scattered = true
		}
	}
	return out
}

// mostJammed is the bytes of the sums of a work-item: registers hold what its points read as well, and compilers write out windows for each of them.
const mostJammed = 16 * 4

// What decides about sums of points, by mappings of a convolution, a separable filter and a small layer of a network on an H200 (TestFill).
const (
	inFlight = 12  // loads of a work-item on their way together, from loops that compilers unroll
	doubled  = 0.9 // of the time is what twice as many points of a work-item have to take at most, and others 0.99
)

// jammed is the mapping of sums of several points of a work-item that takes least.
func jammed(f Form) (best Mapping) {
	least := math.Inf(1)
	for _, points := range powers(f.Parallel, mostJammed/f.Bytes) {
		for _, block := range [][][]int64{nil, {{64}, {128}, {256}}, {{32, 4}, {32, 8}, {16, 4}, {16, 8}}, {{32, 4, 1}, {32, 8, 1}, {16, 4, 1}, {16, 8, 1}}}[f.Parallel] {
			m := Mapping{Block: block, Points: points, Share: 1}
			factor := 1.0
			if best.Points != nil {
				factor = math.Pow(doubled, max(0.1, math.Log2(float64(product(points))/float64(product(best.Points)))))
			}
			if c := f.jamming(m); c < factor*least {
				best, least = m, c
			}
		}
	}
	return best
}

// powers are shapes of so many powers of two whose product is at most so much, small ones first.
func powers(axes int, most int64) (shapes [][]int64) {
	if axes == 0 {
		return [][]int64{nil}
	}
	for n := int64(1); n <= most; n *= 2 {
		for _, rest := range powers(axes-1, most/n) {
			shapes = append(shapes, append([]int64{n}, rest...))
		}
	}
	slices.SortStableFunc(shapes, func(a, b []int64) int { return cmp.Compare(product(a), product(b)) })
	return shapes
}

// jamming is about what a mapping takes: what is longer, to issue a load for each element that the points of a work-item read and an operation for each point, and to move a line in a cycle, as
// neighbours have most of them in the first cache; or to wait for the loads of a work-item.
func (f Form) jamming(m Mapping) float64 {
	on := f.on()
	groups, items := int64(1), product(m.Block)
	for axis := range f.Parallel {
		groups *= intmath.CeilDiv(f.Extent[axis], of(m.Block, axis)*of(m.Points, axis))
	}
	wide := min(m.Block[0], on.Subgroup)
	rows := on.Subgroup / wide
	var loads, lines int64
	for _, r := range f.Jam.Reads {
		if !r.There {
			break
		}
		each, touched := int64(1), int64(1)
		for axis := range f.Parallel {
			if r.Axes>>axis&1 != 0 {
				each *= m.Points[axis]
			}
		}
		if r.Scattered {
			touched = on.Subgroup
		} else if r.Axes&1 != 0 { // parts of lines pass together
			touched = intmath.CeilDiv(rows*intmath.CeilDiv(wide*f.Bytes, on.Sector)*on.Sector, on.Line)
		}
		loads, lines = loads+each, lines+each*touched
	}
	subgroups, terms := float64(intmath.CeilDiv(items, on.Subgroup)), float64(f.Jam.Count)
	w := machine.Work{Groups: groups, Group: machine.Group{Items: items, Registers: ofCode + f.Bytes/4*(product(m.Points)+loads), Subgroup: on.Subgroup}}
	busy, waits := w, w
	busy.Issue = subgroups * terms * (float64(product(m.Points)+loads)/float64(on.Schedulers) + float64(lines))
	waits.Rounds = math.Ceil(terms * float64(loads) / inFlight)
	return max(on.Cycles(busy)-on.Cycles(w), on.Cycles(waits)) // other work-groups are busy while some begin and end
}
