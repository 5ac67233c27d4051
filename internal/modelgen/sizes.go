package modelgen

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/workload"
)

// Sizes to measure at range from a fraction of the smallest size asked for to a multiple of the largest, evenly on a logarithmic
// scale.
const (
	below = 0.6
	above = 1.2
)

// Limits of the estimated run time at chosen sizes, in seconds: a run must take longer than a launch, if the sizes asked for do, and a
// calibration must not take hours.
const (
	shortest = 20e-6
	longest  = 1.0
)

// chooseSizes chooses sizes around those asked for and none of them, and, unless they are to be few, those among them at which the arrays are about as large as the
// cache, and what encloses the sizes asked for.
func (s *subject) chooseSizes(opt Options, few bool) (err error) {
	defer throw.Catch(&err)
	from, to := s.reach(opt)
	chosen := s.around(from, to, opt)
	if !few {
		chosen = s.atCacheEdge(chosen, opt)
	}
	s.enough(chosen)
	if !few {
		chosen = s.enclose(chosen, from, to, opt)
	}
	s.sort(chosen)
	s.sizes = chosen
	return nil
}

func (s *subject) enough(chosen []map[string]int64) {
	if len(chosen) < 2 {
		panic(throw.Errorf("kernel %s: of the sizes around those asked for only %d can be measured; its assumptions are %s", s.Variant.Name, len(chosen), s.ir.Assumptions))
	}
}

// sort orders sizes by their parameters, the first one first.
func (s *subject) sort(chosen []map[string]int64) {
	slices.SortStableFunc(chosen, func(a, b map[string]int64) int {
		for _, p := range s.ir.Params() {
			if a[p] != b[p] {
				return int(min(max(a[p]-b[p], -1), 1))
			}
		}
		return 0
	})
}

// around spreads sizes between multiples of those asked for. Several parameters vary independently, so that their costs can be
// distinguished.
func (s *subject) around(from, to float64, opt Options) (chosen []map[string]int64) {
	params := s.ir.Params()
	if len(params) == 0 {
		panic(throw.Errorf("kernel %s has no size to vary: it would be measured at the size that is to be predicted", s.Variant.Name))
	}
	points := opt.pointCount(len(params))
	axes := lists.Map(params, func(p string) []int64 { return s.axis(p, points, from, to) })
	order := spreadOut(points, len(params))
	for i := range points {
		at := map[string]int64{}
		for j, p := range params {
			at[p] = axes[j][order[j][i]]
		}
		if !s.fresh(at, chosen) {
			continue
		}
		if fits, err := s.fits(at, opt); err != nil {
			panic(throw.Of(err))
		} else if fits {
			chosen = append(chosen, at)
		}
	}
	return chosen
}

// fresh reports that the sizes are allowed, and neither asked for nor chosen.
func (s *subject) fresh(at map[string]int64, chosen []map[string]int64) bool {
	same := func(o map[string]int64) bool { return maps.Equal(o, at) }
	return !slices.ContainsFunc(s.Sizes, same) && !slices.ContainsFunc(chosen, same) && s.at(at).CheckSizes() == nil
}

// extreme is a value and the sizes that have it.
type extreme struct {
	value float64
	at    map[string]int64
}

// extremes returns the least and the greatest value at some sizes.
func extremes(sizes []map[string]int64, of func(map[string]int64) (float64, error)) (least, most extreme, err error) {
	for i, at := range sizes {
		v, err := of(at)
		if err != nil {
			return least, most, err
		}
		if i == 0 || v < least.value {
			least = extreme{v, at}
		}
		if i == 0 || v > most.value {
			most = extreme{v, at}
		}
	}
	return least, most, nil
}

// spreadOut places points in a space of several parameters such that each parameter takes as many values as there are points: an
// order of these values for each parameter, in which its steps differ from those of the others. It is a lattice modulo a prime
// (Korobov's method of good lattice points), of which the first points are taken, by their ranks.
func spreadOut(points, params int) [][]int {
	prime := max(points, params+1)
	for !big.NewInt(int64(prime)).ProbablyPrime(0) {
		prime++
	}
	order := make([][]int, params)
	for j := range order {
		at := make([]int, points)
		for i := range at {
			at[i] = (i*(j+1) + j*prime/2) % prime
		}
		sorted := slices.Sorted(slices.Values(at))
		for i, v := range at {
			at[i], _ = slices.BinarySearch(sorted, v)
		}
		order[j] = at
	}
	return order
}

// atCacheEdge adds sizes at which the kernel's footprint is about as large as the cache, if footprints at the sizes asked for are on
// both sides of it or near it: there costs change most.
func (s *subject) atCacheEdge(chosen []map[string]int64, opt Options) []map[string]int64 {
	cache := opt.Device.Value(facts.L2Bytes)
	if cache == 0 {
		return chosen
	}
	least, most := throw.Get2(extremes(s.Sizes, s.bytes))
	if most.value < cache/2 || least.value > 2*cache {
		return chosen
	}
	for _, part := range []float64{0.4, 0.7, 1, 1.4} {
		// By bisection, all parameters scaled alike.
		lo, hi := 1e-3, 1e3
		var at map[string]int64
		for range 40 {
			by := math.Sqrt(lo * hi)
			at = s.scaled(least.at, by, rounded)
			b := throw.Get(s.bytes(at))
			if b < part*cache {
				lo = by
			} else {
				hi = by
			}
		}
		if s.fresh(at, chosen) {
			chosen = append(chosen, at)
		}
	}
	return chosen
}

// scaled is sizes times a factor, each changed to a value that the parameter can have.
func (s *subject) scaled(at map[string]int64, by float64, change func(by float64, v, first, step int64) int64) map[string]int64 {
	out := map[string]int64{}
	for name, v := range at {
		first, step := throw.Get2(s.at(nil).Values(name))
		out[name] = change(by, v, first, step)
	}
	return out
}

// rounded is a value as round as v is, allowed one that is no further from v times the factor than it must be.
func rounded(by float64, v, first, step int64) int64 {
	return near(by*float64(v), first, step, []int64{v}, func(int64) bool { return false })
}

func allowed(by float64, v, first, step int64) int64 {
	return max(first, first%step+int64(by*float64(v))/step*step)
}

// enclose adds sizes where those asked for have less, or more, accesses or work-groups than all that are chosen, as far as the
// assumptions, the device's memory and the time allow.
func (s *subject) enclose(chosen []map[string]int64, from, to float64, opt Options) []map[string]int64 {
	for _, of := range []func(map[string]int64) (float64, error){s.traffic, s.groups} {
		least, most := throw.Get2(extremes(s.Sizes, of))
		for _, end := range []struct {
			asked extreme
			from  float64 // factors of the sizes asked for, the best first
			sign  float64 // of what lies further out
		}{{least, from, -1}, {most, to, 1}} {
			reached := math.Inf(-1)
			for _, at := range chosen {
				v := throw.Get(of(at))
				reached = max(reached, end.sign*v)
			}
			at := s.towards(end.asked, end.from, end.sign, reached, chosen, of, opt)
			if at != nil {
				chosen = append(chosen, at)
				reached, _ = of(at)
				reached *= end.sign
			}
			if reached < end.sign*end.asked.value {
				s.outside = addOnce(s.outside, warning.Extrapolation.About("kernel "+s.Variant.Name+" at "+workload.FormatSizes(end.asked.at),
					"lies outside the sizes that can be measured, and predictions there extrapolate"))
			}
		}
	}
	return chosen
}

// towards returns sizes that reach further towards those asked for than what is reached, nil where none do or none need to.
func (s *subject) towards(asked extreme, from, sign, reached float64, chosen []map[string]int64, of func(map[string]int64) (float64, error), opt Options) map[string]int64 {
	if reached >= sign*asked.value {
		return nil
	}
	for _, change := range []func(by float64, v, first, step int64) int64{rounded, allowed} {
		for i := range 100 {
			by := from * (1 - sign*float64(i)/100)
			at := s.scaled(asked.at, by, change)
			if !s.fresh(at, chosen) {
				continue
			}
			v := throw.Get(of(at))
			fits := throw.Get(s.fits(at, opt))
			if fits && sign*v > reached {
				return at
			}
		}
	}
	return nil
}

// reach returns the range of sizes to measure at, as factors of the smallest and the largest size asked for.
func (s *subject) reach(opt Options) (from, to float64) {
	from, to = below, above
	estimate := func(at map[string]int64) (float64, error) { return Estimate(opt.Device, s.at(at)) }
	least, most := throw.Get2(extremes(s.Sizes, estimate))
	scaled := func(at map[string]int64, by float64) (_ float64, err error) {
		defer throw.Catch(&err)
		other := s.scaled(at, by, allowed)
		if s.at(other).CheckSizes() != nil {
			return estimate(at) // the assumptions exclude the scaled size
		}
		return estimate(other)
	}
	for ; from < 0.9; from += 0.05 {
		if t, err := scaled(least.at, from); err != nil {
			panic(throw.Of(err))
		} else if t >= min(shortest, least.value/2) {
			break
		}
	}
	for ; to > 0.1; to *= 0.95 {
		if t, err := scaled(most.at, to); err != nil {
			panic(throw.Of(err))
		} else if t <= longest {
			break
		}
	}
	return from, to
}

// fits reports that the arrays fit the device's memory several times, and that the launch does at most 8 times the work of the largest
// one asked for.
func (s *subject) fits(at map[string]int64, opt Options) (bool, error) {
	bytes, err := s.bytes(at)
	if err != nil {
		return false, err
	}
	if m := opt.Device.Int(facts.GlobalBytes); m > 0 && bytes > float64(m)/3 {
		return false, nil
	}
	work, err := s.traffic(at)
	if err != nil {
		return false, err
	}
	most, err := s.traffic(s.largest)
	return work <= 8*most, err
}

// axis lists values of a parameter around those asked for, from a factor times the smallest to one times the largest, in
// ascending order.
func (s *subject) axis(param string, points int, from, to float64) []int64 {
	first, step := throw.Get2(s.at(nil).Values(param))
	asked := lists.Map(s.Sizes, func(at map[string]int64) int64 { return at[param] })
	lo, hi := float64(slices.Min(asked))*from, float64(slices.Max(asked))*to
	if hi < 1.5*lo {
		lo = hi / 2
	}
	var out []int64
	for i := range points {
		v := lo * math.Pow(hi/lo, float64(i)/float64(points-1))
		at := near(v, first, step, asked, func(at int64) bool { return slices.Contains(asked, at) || slices.Contains(out, at) })
		out = append(out, at)
	}
	slices.Sort(out)
	return out
}

// spread is the relative distance by which a size may be moved to a round number.
const spread = 0.13

// near is an allowed value of a parameter near v that is not taken: a multiple of the highest power of two that is within spread of v,
// up to the power of two of the values asked for. Rows of 4096 elements use caches and memory channels differently from rows of 4112.
func near(v float64, first, step int64, asked []int64, taken func(int64) bool) int64 {
	base := first % step
	grain := step
	for round(asked, base, 2*grain) {
		grain *= 2
	}
	for ; grain >= step; grain /= 2 {
		middle := base + int64(math.Round((v-float64(base))/float64(grain)))*grain
		for _, at := range []int64{middle, middle + grain, middle - grain} {
			if at >= first && !taken(at) && math.Abs(float64(at)-v) <= spread*v {
				return at
			}
		}
		if grain%2 != 0 {
			break
		}
	}
	at := max(first, base+int64(math.Round((v-float64(base))/float64(step)))*step)
	for taken(at) {
		at += step
	}
	return at
}

// round reports that all values are multiples of grain, from base on.
func round(values []int64, base, grain int64) bool {
	return !slices.ContainsFunc(values, func(v int64) bool { return v == base || (v-base)%grain != 0 })
}
