package offload

import (
	"math"
	"math/bits"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
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
	least := math.Inf(1)
	for _, block := range []int64{2, 4, 8, 16, 32, 1} {
		for share := int64(8); share <= 512; share *= 2 {
			m := Mapping{Block: []int64{block}, Share: share}
			if items := block * share; items < 64 || items > f.on().MostItems {
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
	lines := on.Subgroup / along * intmath.CeilDiv(along*f.Bytes, on.Line)
	return on.Cycles(machine.Work{
		Groups: intmath.CeilDiv(s.Items, block), Group: machine.Group{Items: items, Subgroup: on.Subgroup},
		Rounds: float64(intmath.CeilDiv(terms, loadsOfRound)), Barriers: float64(bits.Len64(uint64(m.Share)) - 1),
		Lines: float64(terms * intmath.CeilDiv(items, on.Subgroup) * lines), Bytes: float64(block*s.Terms*f.Bytes) * max(1, float64(on.Sector)/float64(along*f.Bytes)),
	})
}

// mostPoints of a work-item by default: what more of them load needs registers, of which the device has then too few for as many work-items (gemver and heat-3d on an H200).
const mostPoints = 4

// narrower work-groups must leave out so much of what wider ones cover.
const narrower = 0.8

// points is the mapping of a launch without sums: work-groups of 256 work-items, as wide as leaves few of these outside of the domain, and as many points of a work-item along the
// slowest axis as leave a device full of work-items. It is one point where statements store parts of the same lines: these are then stored one behind the other.
func points(f Form) Mapping {
	shapes := [][][]int64{nil, {{128}}, {{32, 8}, {16, 16}}, {{64, 4, 1}, {32, 8, 1}, {16, 16, 1}}}[f.Parallel]
	most := int64(1) // points that leave the device full
	for n := mostPoints; most == 1 && n > 1; n /= 2 {
		if f.Parallel > 1 && !f.Parts && product(f.Extent[:f.Parallel]) >= int64(n)*f.on().Full {
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
