package evaluate

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// errorFloor replaces smaller relative errors in a geometric mean; otherwise one accurate point would outweigh the rest.
const errorFloor = 0.001

// tie is the relative difference under which two measured times are not ranked.
const tie = 0.01

// Report is the outcome of an evaluation, in the form in which it is printed as JSON.
type Report struct {
	Device               string        `json:"device,omitempty"`
	Cache                samples.Mode  `json:"cache,omitempty"` // state of the caches before each trial
	GeomeanRelativeError float64       `json:"geomean_relative_error"`
	WorkRemoved          *float64      `json:"work_removed_relative_error,omitempty"` // as VariantReport.WorkRemoved, over all points
	Intervals            *Intervals    `json:"intervals,omitempty"`                   // nil where no prediction has one
	Open                 int           `json:"open_intervals,omitempty"`              // points whose model ignores a main part of the work: a lower end alone
	Choice               *Choice       `json:"choice,omitempty"`                      // nil where no suite has two variants
	Rows                 []Row         `json:"rows,omitempty"`                        // from the IR and with the binary; none where no binary is known
	Groups               []Group       `json:"groups,omitempty"`                      // by model, and by the first word of the names of suites, where there are several
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
	Model                string  `json:"model,omitempty"`  // "" where nothing is predicted
	Launch               string  `json:"launch,omitempty"` // the launch file that was measured; "" where the predicted kernel was
	GeomeanRelativeError float64 `json:"geomean_relative_error,omitempty"`
	// WorkRemoved is the geometric mean error of Point.WorkRemoved as a prediction; nil where not measured.
	WorkRemoved *float64 `json:"work_removed_relative_error,omitempty"`
	Points      Points   `json:"points"`
	Times       []Time   `json:"times,omitempty"` // of a launch file that nothing predicts
	Skipped     []Skip   `json:"skipped,omitempty"`
}

// Skip is a variant at one size that was not measured, and why.
type Skip struct {
	At     map[string]int64 `json:"at"`
	Status samples.Status   `json:"status"`
	Reason string           `json:"reason"`
}

// Time is a variant at one size that is measured alone.
type Time struct {
	At       map[string]int64 `json:"at"`
	Measured float64          `json:"measured"`
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
	Binary        *WithBinary        `json:"with_binary,omitempty"` // nil where the model has no such form

	Prediction *calibrate.Prediction `json:"-"` // with which others of its fit are compared; may be nil
}

// Ranking counts the sizes at which the predictions put all variants in the measured order.
type Ranking struct {
	Right int       `json:"right"`
	Of    int       `json:"of"`
	Sizes []Verdict `json:"sizes,omitempty"`
}

// Verdict is the ranking at one size, fastest first. Two variants tie if their measured times are within 1 % of each other. The ranking
// is right if the predictions order all pairs that do not tie as measured; equal predictions do not order a pair. A variant that is measured
// alone stands among the predicted times with its measured one.
type Verdict struct {
	At        map[string]int64 `json:"at"`
	Measured  []string         `json:"measured"`
	Predicted []string         `json:"predicted"`
	Ties      [][2]string      `json:"ties,omitempty"`
	Equal     [][2]string      `json:"equal,omitempty"` // pairs with equal predictions
	Right     bool             `json:"right"`
}

// Summarize fills in the relative errors, their geometric means, the coverage of the intervals and the rankings from the predicted and
// measured times of the points. It ranks, at each size, the variants that have a point there.
func (r *Report) Summarize() {
	for i := range r.Suites {
		s := &r.Suites[i]
		for j := range s.Variants {
			v := &s.Variants[j]
			for k := range v.Points {
				p := &v.Points[k]
				p.RelativeError = (p.Predicted - p.Measured) / p.Measured
			}
			v.GeomeanRelativeError, v.WorkRemoved = v.Points.geomeans()
		}
		s.GeomeanRelativeError, _ = s.Points().geomeans()
		s.Ranking = rank(s.Variants)
	}
	all := r.Points()
	r.GeomeanRelativeError, r.WorkRemoved = all.geomeans()
	r.Choice = choice(r.Suites)
	r.Intervals, r.Groups, r.Rows = all.intervals(), r.groups(), r.rows()
	r.Open = 0
	for _, p := range all {
		if p.Interval.Open() {
			r.Open++
		}
	}
}

// Points are those of all suites.
func (r *Report) Points() (all Points) {
	for _, s := range r.Suites {
		all = append(all, s.Points()...)
	}
	return all
}

// Points are those of all variants.
func (s SuiteReport) Points() (all Points) {
	for _, v := range s.Variants {
		all = append(all, v.Points...)
	}
	return all
}

// entry is a variant at the size that is ranked.
type entry struct {
	name string
	Point
}

func rank(variants []VariantReport) (ranking Ranking) {
	for _, entries := range bySize(variants) {
		if len(entries) < 2 {
			continue
		}
		v := verdict(entries)
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
		return lists.Map(sorted, func(e entry) string { return e.name })
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
