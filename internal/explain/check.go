package explain

import (
	"cmp"
	"fmt"

	"gpuperf/internal/throw"
)

// Check is the paper's test for overlap (Stevens and Klöckner, section 8.1): the time of the kernel without arithmetic and local
// memory, and what the removed work costs by the microbenchmarks, against the time of the whole kernel.
type Check struct {
	Removed         float64 `json:"removed"`          // seconds of the kernel without its work
	RemovedMeasured bool    `json:"removed_measured"` // and not predicted
	Onchip          float64 `json:"onchip"`           // seconds of the removed work by the calibrated costs
	Full            float64 `json:"full"`             // seconds of the whole kernel
	FullMeasured    bool    `json:"full_measured"`
	Hidden          float64 `json:"hidden"` // part of the smaller cost that is hidden: 0 is the sum, 1 the maximum
	Verdict         string  `json:"verdict"`
}

// Sum and Max are the times without and with all overlap.
func (c Check) Sum() float64 { return c.Removed + c.Onchip }

// Max is the time when the smaller part is hidden entirely.
func (c Check) Max() float64 { return max(c.Removed, c.Onchip) }

// small is the share of the sum below which the smaller cost is no evidence.
const small = 0.05

func (e *explainer) check(out *Explanation) (err error) {
	defer throw.Catch(&err)
	_, _, onchip, ok := e.Model.Form()
	if !ok || e.Removed == nil {
		return nil
	}
	values := throw.Get(e.count(e.Removed))
	p := throw.Get(e.Fit.Predict(e.Model, values))
	c := &Check{
		Removed: cmp.Or(e.MeasuredRemoved, p.Seconds), RemovedMeasured: e.MeasuredRemoved > 0,
		Onchip: max(e.Prediction.Time(onchip)-p.Time(onchip), 0), // loads from caches stay
		Full:   e.seconds(), FullMeasured: e.Measured > 0,
	}
	if less := min(c.Removed, c.Onchip); less > 0 {
		c.Hidden = (c.Sum() - c.Full) / less
	}
	c.Verdict = c.verdict()
	out.Check = c
	return nil
}

func (c Check) verdict() string {
	switch less := min(c.Removed, c.Onchip); {
	case !c.FullMeasured || !c.RemovedMeasured:
		return "not both kernels were measured, so this is what the model says and no evidence"
	case less < small*c.Sum():
		return "one of the two is so small that the check tells nothing"
	case c.Hidden > 1.15:
		return "the whole kernel takes less than its larger part: the model's costs are too high, or the kernel behaves differently without its work"
	case c.Hidden >= 0.75:
		return fmt.Sprintf("%.0f %% of the smaller part hides behind the larger: an overlapping form fits this kernel", 100*c.Hidden)
	case c.Hidden >= 0.25:
		return fmt.Sprintf("about %.0f %% of the smaller part hides", 100*c.Hidden)
	case c.Hidden >= -0.25:
		return "the parts add up: nothing hides, and a linear form fits this kernel"
	}
	return "the whole kernel takes more than the sum of its parts: something that neither part has takes time"
}
