package survey

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gpuperf/internal/format"
)

// Errors say how far predictions are from what was measured in the application, over the launch files with both.
type Errors struct {
	Kinds     int     `json:"kinds"`     // launch files
	Launches  int64   `json:"launches"`  // of these
	Measured  float64 `json:"measured"`  // seconds of all these launches
	Predicted float64 `json:"predicted"` // the same, as emulation says
	Geometric float64 `json:"geometric_mean"`
	Mean      float64 `json:"mean"`
	Median    float64 `json:"median"`
	Half      int     `json:"off_by_half"` // launch files whose error is over a half; those without a finite time are
	Intervals int     `json:"intervals"`   // launch files with an interval
	Inside    int     `json:"inside"`      // of these, how many have the measured time inside
}

// errorFloor is the least error that counts in a geometric mean, which one of zero would make zero.
const errorFloor = 0.001

// half is an error that is told.
const half = 0.5

// Error is how far the predicted time is from the measured one, in parts of this; false where one is missing.
func (r *Row) Error() (float64, bool) {
	m := r.Measured()
	if m == 0 || math.IsInf(r.Seconds(), 0) {
		return 0, false
	}
	return r.Predicted()/m - 1, true
}

// Errors are those of all rows.
func (s *Survey) Errors() (e Errors) {
	var all []float64
	logs := 0.0
	for _, r := range s.Rows {
		if r.Measured() == 0 {
			continue
		}
		off, ok := r.Error()
		off = math.Abs(off)
		e.Kinds, e.Launches = e.Kinds+1, e.Launches+r.Times
		if !ok || !r.Finite() {
			e.Half++
			if !ok {
				continue
			}
		} else if off > half {
			e.Half++
		}
		all = append(all, off)
		logs += math.Log(max(off, errorFloor))
		e.Mean += off
		e.Measured, e.Predicted = e.Measured+r.All(), e.Predicted+float64(r.Times)*r.Predicted()
		if lo, hi := r.Interval[0], r.Interval[1]; lo != nil && hi != nil {
			e.Intervals++
			if r.recorded(*lo) <= r.Measured() && r.Measured() <= r.recorded(*hi) {
				e.Inside++
			}
		}
	}
	if n := len(all); n > 0 {
		slices.Sort(all)
		e.Geometric, e.Mean, e.Median = math.Exp(logs/float64(n)), e.Mean/float64(n), (all[(n-1)/2]+all[n/2])/2
	}
	return e
}

// orNil is nil where nothing was measured.
func (e Errors) orNil() *Errors {
	if e.Kinds == 0 {
		return nil
	}
	return &e
}

// write prints the errors, where there is something measured.
func (e Errors) write(w io.Writer) {
	if e.Measured == 0 {
		return
	}
	percent := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	fmt.Fprintf(w, "measured in the application: %s; predicted: %s, %+.1f %%\n", format.Seconds(e.Measured), format.Seconds(e.Predicted), 100*(e.Predicted/e.Measured-1))
	fmt.Fprintf(w, "errors of %s: geometric mean %s, mean %s, median %s; off by over half: %d; inside their intervals: %d of %d\n",
		format.Count(e.Kinds, "launch file"), percent(e.Geometric), percent(e.Mean), percent(e.Median), e.Half, e.Inside, e.Intervals)
}
