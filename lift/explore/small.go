package explore

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"gpuperf/internal/intmath"
	"gpuperf/lift/derive"
	"gpuperf/workload"
)

// smallWork is the number of elements, read and computed, below which sizes are small enough to compare the reference with the
// semantics. mostWork is the limit where no smaller sizes satisfy the assumptions of the program or have variants.
const (
	smallWork = 1 << 12
	mostWork  = 1 << 20
)

// leastSize is the least value to which a size is reduced.
const leastSize = 4

// small returns the space at sizes at which the semantics can be evaluated: the given ones, reduced while the assumptions of the
// program hold. Of the sizes on the way the smallest that have variants are taken.
func (s *Space) small() (*Space, error) {
	way := []map[string]int64{s.Sizes}
	work, err := s.work(s.Sizes)
	for err == nil && work > smallWork {
		next, nextWork := s.smaller(way[len(way)-1], work)
		if next == nil {
			break
		}
		way, work = append(way, next), nextWork
	}
	if err != nil {
		return nil, err
	}
	small := *s
	small.Points, small.at, small.options.Data = nil, &sync.Map{}, atAnySize(s.Program, s.options.Data)
	small.options.Recipes = nil // those that are asked for may need other sizes
	for _, sizes := range slices.Backward(way) {
		if work, err = s.work(sizes); err != nil {
			return nil, err
		}
		if work > mostWork {
			return nil, fmt.Errorf("program %s is too large to be evaluated: at %s, the smallest sizes found, it has %d elements", s.Program.Name, workload.FormatSizes(sizes), work)
		}
		small.Sizes = sizes
		if small.Derived, err = derive.Derive(s.Program, small.derivation(100)); err != nil {
			return nil, err
		}
		if len(small.Derived.Variants) > 0 {
			break
		}
	}
	return &small, nil
}

// work counts the elements that the program reads and computes at sizes that satisfy its assumptions.
func (s *Space) work(sizes map[string]int64) (int64, error) {
	at, err := s.Program.AtSizes(sizes)
	if err != nil {
		return 0, err
	}
	return sumElements(append(inputTypes(at), at.Body.Type)), nil
}

// smaller returns sizes with less work, nil if none are found. It reduces one size, the largest first, then two or all together:
// by the same number or in proportion, which keeps relations such as m = n + 2 and m = 2 n. Sizes fall by about a half, by less
// if only that keeps the assumptions, and by multiples of the period of the assumptions.
func (s *Space) smaller(sizes map[string]int64, work int64) (map[string]int64, int64) {
	period := s.Program.Period()
	for _, set := range together(sizes) {
		var common int64
		for _, name := range set {
			common = intmath.GCD(common, sizes[name])
		}
		for _, unit := range []int64{0, common} { // of proportions; 0 for the same number
			step := func(name string) int64 {
				if unit == 0 {
					return 1
				}
				return sizes[name] / unit
			}
			most := sizes[set[0]] / 2
			for _, name := range set {
				most = min(most, sizes[name]/step(name)/2)
			}
			for by := most / period * period; by > 0; by = by / 2 / period * period {
				try := maps.Clone(sizes)
				least := int64(math.MaxInt64)
				for _, name := range set {
					try[name] -= by * step(name)
					least = min(least, try[name])
				}
				if less, err := s.work(try); err == nil && least >= leastSize && less < work {
					return try, less
				}
			}
		}
	}
	return nil, 0
}

// together lists the sets of sizes that are reduced at once: each alone, the largest first, each pair, and all.
func together(sizes map[string]int64) (sets [][]string) {
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		sets = append(sets, []string{name})
	}
	for i, a := range names {
		for _, b := range names[:i] {
			sets = append(sets, []string{b, a})
		}
	}
	if len(names) > 2 {
		sets = append(sets, names)
	}
	return sets
}
