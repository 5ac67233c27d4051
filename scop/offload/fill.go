package offload

import (
	"math"
	"math/bits"
)

// What shared sums take on a large GPU, in cycles of a multiprocessor, as for tiles (choose.go). The work-groups of a multiprocessor run in turns of as many as it holds. In a turn each
// work-item adds its terms, which are loaded a few at a time, and the work-group adds up what its work-items have, a barrier for each halving. Meanwhile loads pass line by line, and
// at the rate of the second cache. The numbers but the machine's are those by which this is nearest to the times of 84 mappings of sums of rows and columns of 1300 to 2100
// elements on an H200 (9 % in the mean, testdata/h200_fill.jsonl).
const (
	turnCycles   = 1500 // of a turn, with what begins and ends it
	roundCycles  = 250  // of loads that are on their way together
	loadsOfRound = 4
	haltCycles   = 80  // of a barrier, with the sum before it
	lineCycles   = 1.5 // of a line of the first cache in a load of a sub-group
	secondRate   = 64  // bytes in a cycle
	line, sector = 128, 32
	mostResident = 32 // work-groups of a multiprocessor
)

// shares is the mapping of shared sums that takes least.
func shares(f Form) (best Mapping) {
	if f.Parallel == 0 {
		return Mapping{Share: 256}
	}
	least := math.Inf(1)
	for _, block := range []int64{2, 4, 8, 16, 32, 1} {
		for share := int64(8); share <= 256; share *= 2 {
			m := Mapping{Block: []int64{block}, Share: share}
			if items := block * share; items < 64 || items > mostItems {
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
	block, items := m.Block[0], m.Block[0]*m.Share
	groups := ceil(ceil(s.Items, block), processors)
	turns := ceil(groups, max(1, min(groups, mostGroups*subGroup/items, mostResident)))
	terms := ceil(s.Terms, m.Share)
	along := m.Share // work-items whose loads are next to each other
	if f.Sums == Items {
		along = block
	}
	along = min(along, subGroup)
	lines := subGroup / along * ceil(along*f.Bytes, line)
	bytes := float64(groups*block*s.Terms*f.Bytes) * max(1, sector/float64(along*f.Bytes))
	return float64(turns*(turnCycles+ceil(terms, loadsOfRound)*roundCycles+int64(bits.Len64(uint64(m.Share))-1)*haltCycles)) +
		float64(groups*terms*ceil(items, subGroup)*lines)*lineCycles + bytes/secondRate
}

// mostPoints of a work-item by default: what more of them load needs registers, of which the device has then too few for as many work-items (gemver and heat-3d on an H200).
const mostPoints = 4

// narrower work-groups must leave out so much of what wider ones cover.
const narrower = 0.8

// points is the mapping of a launch without sums: work-groups of 256 work-items, as wide as leaves few of these outside of the domain, and as many points of a work-item along the
// slowest axis as leave a device full of work-items.
func points(f Form) Mapping {
	shapes := [][][]int64{nil, {{128}}, {{32, 8}, {16, 16}}, {{64, 4, 1}, {32, 8, 1}, {16, 16, 1}}}[f.Parallel]
	most := int64(1) // points that leave the device full
	for n := mostPoints; most == 1 && n > 1; n /= 2 {
		if f.Parallel > 1 && product(f.Extent[:f.Parallel]) >= int64(n)*processors*mostGroups*subGroup {
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
			covered *= side * ceil(f.Extent[axis], side)
		}
		if c := float64(covered); c < narrower*least {
			best, least = m, c
		}
	}
	return best
}
