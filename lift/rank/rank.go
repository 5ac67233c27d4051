// Package rank orders the variants of a program by predicted performance, from static features and measurements of other
// programs: "Automatic performance prediction from a functional IR", sections 5 to 8, and rankers that do better.
//
// A Set holds design points: variants of benchmarks at sizes, each with a vector of static features (package launch), its
// time if it was measured, and the prediction of a calibrated model if there is one. Vectors are kept in a file next to the
// samples (vectors.go), so that a training database grows with every run. A Ranker (rankers.go) learns from a set and scores
// the points of another: by nearest neighbours on principal components as in the paper (pca.go), by boosted
// trees (trees.go) on features and on the demands on a device computed from them, by a cost model in the language
// of package models (cost.go), calibrated on measurement kernels or fitted to the training points, or by a cost model
// corrected by trees (corrected.go). LeaveFamiliesOut (family.go) evaluates a ranker on benchmarks and variants it has not seen, and
// Redundancy (redundancy.go) finds the features that are related to performance.
package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// Point is a variant of a benchmark, at a size and with a configuration of work-items.
type Point struct {
	ID        string // of its sample, as samples.Identity has it
	Benchmark string
	Size      string
	// Kind is the recipe of the variant and its ND-range, which variants of several benchmarks can share; "" if it is not known.
	Kind string
	// Features in the order of the set's names.
	Features []float64
	// Seconds is its time: +Inf if it exceeded a time limit, NaN if it was not measured.
	Seconds float64
	// Predicted is the time in seconds that a calibrated model predicts, NaN without one.
	Predicted float64
}

// Set is a list of points with the same features.
type Set struct {
	Names  []string
	Points []Point
}

// Group is a benchmark at a size: points that are ranked among each other.
type Group struct {
	Benchmark, Size string
	Index           []int // of its points in the set
}

// Groups lists the groups by benchmark and size.
func (s *Set) Groups() []Group {
	at := map[[2]string]int{}
	var list []Group
	for i, p := range s.Points {
		key := [2]string{p.Benchmark, p.Size}
		k, ok := at[key]
		if !ok {
			k = len(list)
			at[key] = k
			list = append(list, Group{Benchmark: p.Benchmark, Size: p.Size})
		}
		list[k].Index = append(list[k].Index, i)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(len(a.Size), len(b.Size)), cmp.Compare(a.Size, b.Size))
	})
	return list
}

// Benchmarks lists the benchmarks in alphabetical order.
func (s *Set) Benchmarks() []string {
	names := lists.Map(s.Points, func(p Point) string { return p.Benchmark })
	slices.Sort(names)
	return slices.Compact(names)
}

// Where is the set of the points that keep accepts.
func (s *Set) Where(keep func(*Point) bool) *Set {
	out := &Set{Names: s.Names}
	for i := range s.Points {
		if keep(&s.Points[i]) {
			out.Points = append(out.Points, s.Points[i])
		}
	}
	return out
}

// Select is the set with only the features of these names, in their order. A name that the set does not have is an error.
func (s *Set) Select(names []string) (*Set, error) {
	pick, lacks := picker(s.Names, names)
	if len(lacks) > 0 {
		return nil, fmt.Errorf("the points have no feature %s", lacks[0])
	}
	out := &Set{Names: slices.Clone(names), Points: slices.Clone(s.Points)}
	for i := range out.Points {
		out.Points[i].Features = pick(out.Points[i].Features)
	}
	return out, nil
}

// picker returns a function that takes the features of some names from values of all; lacks are those that are not among all.
func picker(all, names []string) (pick func(values []float64) []float64, lacks []string) {
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = slices.Index(all, name); at[i] < 0 {
			lacks = append(lacks, name)
		}
	}
	return func(values []float64) []float64 {
		return lists.Map(at, func(k int) float64 { return values[k] })
	}, lacks
}

// Common is the set with those of its features that are among the names.
func (s *Set) Common(names []string) *Set {
	out, err := s.Select(slices.DeleteFunc(slices.Clone(s.Names), func(name string) bool { return !slices.Contains(names, name) }))
	if err != nil {
		panic(err) // these are its own names
	}
	return out
}

// Check returns an error if the set is malformed.
func (s *Set) Check() error {
	for _, p := range s.Points {
		if len(p.Features) != len(s.Names) {
			return fmt.Errorf("point %s has %d features, the set %d", p.ID, len(p.Features), len(s.Names))
		}
		for i, v := range p.Features {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("point %s: feature %s is %g", p.ID, s.Names[i], v)
			}
		}
		if p.Seconds <= 0 {
			return fmt.Errorf("point %s takes %g s", p.ID, p.Seconds)
		}
	}
	return nil
}

// Throughput is the throughput of each point relative to the best of its group: 1 for the best, 0 for those that exceeded a
// time limit, NaN for those not measured (section 5.1 of the paper).
func (s *Set) Throughput() []float64 {
	out := make([]float64, len(s.Points))
	for _, g := range s.Groups() {
		best := s.best(g)
		for _, i := range g.Index {
			switch t := s.Points[i].Seconds; {
			case math.IsNaN(t):
				out[i] = math.NaN()
			case !math.IsInf(t, 1):
				out[i] = best / t
			}
		}
	}
	return out
}

// best is the least time of a group, +Inf if none was measured.
func (s *Set) best(g Group) float64 {
	best := math.Inf(1)
	for _, i := range g.Index {
		if t := s.Points[i].Seconds; t < best {
			best = t
		}
	}
	return best
}
