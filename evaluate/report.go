package evaluate

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/samples"
	"gpuperf/workload"
)

// errorFloor is the least relative error that enters a geometric mean: without it a single accurate point would outweigh the rest.
const errorFloor = 0.001

// tie is the relative difference under which two measured times are not ranked.
const tie = 0.01

// Report is the outcome of an evaluation, in the form in which it is printed as JSON.
type Report struct {
	Cache                samples.Mode  `json:"cache,omitempty"` // state of the caches before each trial
	GeomeanRelativeError float64       `json:"geomean_relative_error"`
	WorkRemoved          *float64      `json:"work_removed_relative_error,omitempty"` // as VariantReport.WorkRemoved, over all points
	Intervals            int           `json:"intervals,omitempty"`                   // points whose prediction has an interval
	Inside               int           `json:"inside,omitempty"`                      // of these, points that were measured within it
	Suites               []SuiteReport `json:"suites"`
	Sensitivity          *Sensitivity  `json:"sensitivity,omitempty"` // nil where it was not asked for
	Conditions           []string      `json:"conditions,omitempty"`  // of the device while all samples were taken, those of the calibration too
	Cold                 *Report       `json:"cold,omitempty"`        // the same with cold caches, where both were asked for
}

// SuiteReport is the outcome of one suite.
type SuiteReport struct {
	Name                 string          `json:"name"`
	GeomeanRelativeError float64         `json:"geomean_relative_error"`
	Ranking              Ranking         `json:"ranking"`
	Variants             []VariantReport `json:"variants"`
}

// VariantReport is the outcome of one variant.
type VariantReport struct {
	Name                 string  `json:"name"`
	Model                string  `json:"model"`
	GeomeanRelativeError float64 `json:"geomean_relative_error"`
	// WorkRemoved is the geometric mean of the errors of taking Point.WorkRemoved for the time; nil where not measured.
	WorkRemoved *float64 `json:"work_removed_relative_error,omitempty"`
	Points      []Point  `json:"points"`
	Skipped     []Skip   `json:"skipped,omitempty"`
}

// Skip is a variant at one size that was not measured, and why.
type Skip struct {
	At     map[string]int64 `json:"at"`
	Status samples.Status   `json:"status"`
	Reason string           `json:"reason"`
}

// Point is a variant at one size. Times in seconds.
type Point struct {
	At            map[string]int64   `json:"at"`
	Predicted     float64            `json:"predicted"`
	Interval      calibrate.Interval `json:"interval"` // of the prediction; null where not known
	Measured      float64            `json:"measured"`
	WorkRemoved   float64            `json:"work_removed,omitempty"` // the time with nothing but accesses to global memory; 0 where not measured
	RelativeError float64            `json:"relative_error"`         // (predicted - measured) / measured, signed
	Warnings      []string           `json:"warnings,omitempty"`
}

// Ranking counts the sizes at which the predictions put all variants in the measured order.
type Ranking struct {
	Right int       `json:"right"`
	Of    int       `json:"of"`
	Sizes []Verdict `json:"sizes,omitempty"`
}

// Verdict is the ranking at one size, fastest first. It is right when no pair of variants that is not a tie is in
// the wrong order. Ties are pairs whose measured times are within 1 % of each other. Equal predictions give no order, and are
// wrong for a pair that is not a tie.
type Verdict struct {
	At        map[string]int64 `json:"at"`
	Measured  []string         `json:"measured"`
	Predicted []string         `json:"predicted"`
	Ties      [][2]string      `json:"ties,omitempty"`
	Equal     [][2]string      `json:"equal,omitempty"` // pairs with equal predictions
	Right     bool             `json:"right"`
}

// Summarize fills in the relative errors, their geometric means, the coverage of the intervals and the rankings from the predicted and measured times
// of the points. At each size those variants are ranked that have a point there, if there are several.
func (r *Report) Summarize() {
	var all, allRemoved []float64
	for i := range r.Suites {
		s := &r.Suites[i]
		var ofSuite []float64
		for j := range s.Variants {
			v := &s.Variants[j]
			var ofVariant, removed []float64
			for k := range v.Points {
				p := &v.Points[k]
				p.RelativeError = (p.Predicted - p.Measured) / p.Measured
				ofVariant = append(ofVariant, p.RelativeError)
				if p.WorkRemoved > 0 {
					removed = append(removed, (p.WorkRemoved-p.Measured)/p.Measured)
				}
			}
			v.GeomeanRelativeError = Geomean(ofVariant)
			v.WorkRemoved = geomeanOf(removed)
			ofSuite, allRemoved = append(ofSuite, ofVariant...), append(allRemoved, removed...)
		}
		s.GeomeanRelativeError = Geomean(ofSuite)
		all = append(all, ofSuite...)
		s.Ranking = rank(s.Variants)
	}
	r.GeomeanRelativeError, r.WorkRemoved = Geomean(all), geomeanOf(allRemoved)
	r.Intervals, r.Inside = 0, 0
	for _, s := range r.Suites {
		for _, p := range s.points() {
			if !p.Interval.Known() {
				continue
			}
			r.Intervals++
			if p.Interval[0] <= p.Measured && p.Measured <= p.Interval[1] {
				r.Inside++
			}
		}
	}
}

// geomeanOf is the geometric mean, nil for none.
func geomeanOf(errors []float64) *float64 {
	if len(errors) == 0 {
		return nil
	}
	g := Geomean(errors)
	return &g
}

// Geomean is the geometric mean of the absolute relative errors, each taken as at least 0.1 %. It is 0 for none.
func Geomean(errors []float64) float64 {
	if len(errors) == 0 {
		return 0
	}
	sum := 0.0
	for _, e := range errors {
		sum += math.Log(max(math.Abs(e), errorFloor))
	}
	return math.Exp(sum / float64(len(errors)))
}

// Mean is the arithmetic mean of the relative errors of all points, without sign.
func (r *Report) Mean() float64 {
	var all []Point
	for _, s := range r.Suites {
		all = append(all, s.points()...)
	}
	return mean(all)
}

// Mean is the arithmetic mean of the relative errors of the suite, without sign.
func (s SuiteReport) Mean() float64 { return mean(s.points()) }

// Mean is the arithmetic mean of the relative errors of the variant, without sign.
func (v VariantReport) Mean() float64 { return mean(v.Points) }

// Worst is the largest relative error of the variant, without sign.
func (v VariantReport) Worst() float64 { return worst(v.Points) }

// Worst is the largest relative error of the suite, without sign.
func (s SuiteReport) Worst() float64 { return worst(s.points()) }

// Worst is the largest relative error of all points, without sign.
func (r *Report) Worst() float64 {
	worst := 0.0
	for _, s := range r.Suites {
		worst = max(worst, s.Worst())
	}
	return worst
}

func worst(points []Point) float64 {
	worst := 0.0
	for _, p := range points {
		worst = max(worst, math.Abs(p.RelativeError))
	}
	return worst
}

// Points is the number of points of all suites.
func (r *Report) Points() int {
	n := 0
	for _, s := range r.Suites {
		n += len(s.points())
	}
	return n
}

// HasPoints reports whether anything of the suite was measured.
func (s SuiteReport) HasPoints() bool { return len(s.points()) > 0 }

func (s SuiteReport) points() (all []Point) {
	for _, v := range s.Variants {
		all = append(all, v.Points...)
	}
	return all
}

func mean(points []Point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += math.Abs(p.RelativeError)
	}
	return sum / float64(max(len(points), 1))
}

// entry is a variant at the size that is ranked.
type entry struct {
	name string
	Point
}

func rank(variants []VariantReport) Ranking {
	var ranking Ranking
	at := map[string][]entry{}
	var sizes []string // in the order in which they first occur
	for _, v := range variants {
		for _, p := range v.Points {
			key := workload.FormatSizes(p.At)
			if at[key] == nil {
				sizes = append(sizes, key)
			}
			at[key] = append(at[key], entry{v.Name, p})
		}
	}
	for _, key := range sizes {
		if len(at[key]) < 2 {
			continue
		}
		v := verdict(at[key])
		ranking.Of++
		if v.Right {
			ranking.Right++
		}
		ranking.Sizes = append(ranking.Sizes, v)
	}
	return ranking
}

func verdict(entries []entry) Verdict {
	order := func(time func(Point) float64) []string {
		sorted := slices.Clone(entries)
		slices.SortStableFunc(sorted, func(a, b entry) int { return cmp.Compare(time(a.Point), time(b.Point)) })
		names := make([]string, len(sorted))
		for i, e := range sorted {
			names[i] = e.name
		}
		return names
	}
	v := Verdict{
		At:        entries[0].At,
		Measured:  order(func(p Point) float64 { return p.Measured }),
		Predicted: order(func(p Point) float64 { return p.Predicted }),
		Right:     true,
	}
	for i, a := range entries {
		for _, b := range entries[i+1:] {
			p, q := a.Point, b.Point
			if p.Predicted == q.Predicted {
				v.Equal = append(v.Equal, [2]string{a.name, b.name})
			}
			switch {
			case math.Abs(p.Measured-q.Measured) <= tie*min(p.Measured, q.Measured):
				v.Ties = append(v.Ties, [2]string{a.name, b.name})
			case cmp.Compare(p.Measured, q.Measured) != cmp.Compare(p.Predicted, q.Predicted):
				v.Right = false
			}
		}
	}
	return v
}
