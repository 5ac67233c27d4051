package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/lists"
	"gpuperf/models"
)

// Unseen is how a fit errs on kernels that it has not seen, by the costs that dominate them. Intervals come from it.
//
// Residuals of measurement kernels do not show how kernels of other kinds differ, so that intervals from residuals and the covariance of
// parameters alone are too narrow. The spread around a kernel is a quantile of the errors of unseen kernels, in which those count most
// whose costs have about the same shares, and all others a little. This quantile and what the fit does not know of its parameters, in
// quadrature, are half of the interval but for Margin. With it intervals hold Level of the rows, each kernel judged by the others:
// conformalized quantile regression (Romano, Patterson, Candès 2019), with a weighted quantile for the regression (as Guan 2023 has it).
//
// Errors of two kernels are the more alike, the more alike their shares are. Apart has the quantile of their differences, which is what
// an empirical variogram shows of a field (Cressie 1993, section 2.4), here over the space of shares.
type Unseen struct {
	From    string      `yaml:"from,omitempty"` // suites whose kernels are the rows; "" for measurement kernels left out in turn
	Kernels int         `yaml:"kernels"`
	Points  int         `yaml:"points"`
	Level   float64     `yaml:"level"`                // probability that intervals claim
	Inside  float64     `yaml:"inside"`               // share of the points within the interval that the other kernels give
	Half    float64     `yaml:"half_width"`           // median of half these intervals, in parts of the prediction (upwards) or in the unit of the output
	Margin  float64     `yaml:"margin"`               // of the logarithm where residuals are relative to the output, else in its unit
	Apart   []float64   `yaml:"apart,omitempty,flow"` // quantile of the difference of two errors at distances 0, 0.1 … 1 of their shares; none: not known
	Rows    []UnseenRow `yaml:"rows"`
}

// UnseenRow is the error on an unseen kernel, and in the order of the fit's parameters the share of each in its costs.
type UnseenRow struct {
	Error  float64 `yaml:"error"`       // log(predicted/measured), or predicted - measured where residuals are not relative to the output
	Shares []int   `yaml:"shares,flow"` // in per cent
}

// orderLevel is the level of the interval of a ratio, outside which 1 is where the order of the two is right with the probability Confidence:
// an error either way leaves half of the rest on the side that matters.
const orderLevel = 2*Confidence - 1

// How the rows of unseen kernels are weighted.
const (
	reach      = 0.2  // distance of shares over which the weight falls to 1/e
	everywhere = 0.01 // weight of a row however far
	mostUnseen = 1000 // rows kept; of more, every second, third …
	apartSteps = 10   // of the distances of Unseen.Apart
)

// unseenRow is a row while the evidence is gathered.
type unseenRow struct {
	kernel int     // rows of one kernel are judged by those of others
	set    string  // alternatives that one would choose from; "": any two rows of different kernels are compared
	err    float64 // as UnseenRow.Error
	sd     float64 // of the prediction, for what the fit does not know of its parameters
	shares []int
}

// newUnseen sums up rows. It returns nil for rows of fewer than two kernels; rows without a finite error are left out.
func newUnseen(from string, rows []unseenRow, relative bool) *Unseen {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r unseenRow) bool { return jsonvalue.Finite(r.err) == nil || jsonvalue.Finite(r.sd) == nil })
	every := (len(rows)-1)/mostUnseen + 1
	var kept []unseenRow
	for i := 0; i < len(rows); i += every {
		kept = append(kept, rows[i])
	}
	u := &Unseen{From: from, Points: len(kept), Level: Confidence}
	kernels := map[int]bool{}
	for _, r := range kept {
		kernels[r.kernel] = true
		u.Rows = append(u.Rows, UnseenRow{r.err, r.shares})
	}
	if u.Kernels = len(kernels); u.Kernels < 2 {
		return nil
	}
	near := newNeighbours(u)
	scores := make([]float64, len(kept)) // by how much errors exceed what the other kernels suggest
	halves := make([]float64, len(kept))
	for i, r := range kept {
		halves[i] = math.Hypot(near.spread(near.roots[i], func(j int) bool { return kept[j].kernel == r.kernel }), normalQuantile*r.sd)
		scores[i] = math.Abs(r.err) - halves[i]
	}
	u.Margin = conformal(scores, u.Level)
	others := map[int]float64{} // margin by the other kernels
	for i, r := range kept {
		if _, known := others[r.kernel]; !known {
			var rest []float64
			for j, o := range kept {
				if o.kernel != r.kernel {
					rest = append(rest, scores[j])
				}
			}
			others[r.kernel] = conformal(rest, u.Level)
		}
		halves[i] = fewKernels(u.Kernels-1) * max(0, halves[i]+others[r.kernel])
		if math.Abs(r.err) <= halves[i] {
			u.Inside++
		}
	}
	if u.Half = slices.Sorted(slices.Values(halves))[len(halves)/2]; relative {
		u.Half = math.Expm1(u.Half)
	}
	u.Inside, u.Half, u.Margin = round(u.Inside/float64(u.Points)), round(u.Half), round(u.Margin)
	u.Apart = quantilesByDistance(kept, near.roots, halves)
	return u
}

// check refuses what no fit with that many parameters gives.
func (u *Unseen) check(parameters int) error {
	switch {
	case u.Kernels < 2 || len(u.Rows) < 2:
		return fmt.Errorf("errors on unseen kernels are of %d kernels, and take two", u.Kernels)
	case u.Apart != nil && len(u.Apart) != apartSteps+1:
		return fmt.Errorf("differences of errors are given at %d distances, not at %d", len(u.Apart), apartSteps+1)
	case slices.ContainsFunc(u.Rows, func(r UnseenRow) bool { return len(r.Shares) != parameters }):
		return fmt.Errorf("%d parameters, and shares of another number", parameters)
	}
	return nil
}

// round keeps four digits.
func round(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}

// normalQuantile is half of an interval of the level, in standard deviations of a normal distribution.
var normalQuantile = distuv.UnitNormal.Quantile((1 + Confidence) / 2)

// independent is half of the interval of a ratio over the root of the sum of squares of the two halves, of independent normal errors.
var independent = distuv.UnitNormal.Quantile((1+orderLevel)/2) / normalQuantile

// fewKernels is by how much wider Student's t makes intervals that so few kernels give.
func fewKernels(n int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n)}.Quantile((1+Confidence)/2) / normalQuantile
}

// quantilesByDistance compares the differences of two errors with what they would be if the errors were independent: half of the interval of the
// difference, over the root of the sum of squares of half the intervals of the two. It has a quantile of this by distance, which never falls
// with the distance. nil for too few pairs.
func quantilesByDistance(rows []unseenRow, roots [][]float64, halves []float64) []float64 {
	type pair struct{ distance, difference float64 }
	var pairs []pair
	for i, r := range rows {
		for j, o := range rows[:i] {
			if r.set == o.set && (r.set != "" || r.kernel != o.kernel) {
				independent := math.Hypot(halves[i], halves[j])
				pairs = append(pairs, pair{hellinger(roots[i], roots[j]), math.Abs(r.err-o.err) / max(independent, leastError)})
			}
		}
	}
	if float64(len(pairs))*(1-orderLevel) < 1 {
		return nil
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.difference, b.difference) })
	out := make([]float64, apartSteps+1)
	for k := range out {
		at := float64(k) / apartSteps
		weight := func(i int) float64 { return math.Exp(-math.Abs(pairs[i].distance-at) * 2 / reach) }
		out[k] = round(pairs[weightedQuantile(len(pairs), orderLevel, weight)].difference)
		if k > 0 {
			out[k] = max(out[k], out[k-1])
		}
	}
	return out
}

// weightedQuantile is the index, of sorted things with weights, at which the level's part of the weight is reached.
func weightedQuantile(n int, level float64, weight func(int) float64) int {
	sums := make([]float64, n)
	sum := 0.0
	for i := range sums {
		sum += weight(i)
		sums[i] = sum
	}
	i, _ := slices.BinarySearch(sums, level*sum)
	return min(i, n-1)
}

// conformal is the level's quantile of the scores, with the correction for a finite sample; the largest where there are too few
// scores, 0 for none.
func conformal(scores []float64, level float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(scores))
	rank := int(math.Ceil(level * float64(len(scores)+1)))
	return sorted[min(rank, len(sorted))-1]
}

// neighbours answers for the spread of errors around given shares.
type neighbours struct {
	of    *Unseen
	order []int       // of the rows, by the size of their errors
	roots [][]float64 // of the shares of each row
}

func newNeighbours(u *Unseen) *neighbours {
	n := &neighbours{of: u}
	for i, r := range u.Rows {
		n.order, n.roots = append(n.order, i), append(n.roots, rootsOf(r.Shares))
	}
	slices.SortStableFunc(n.order, func(a, b int) int { return cmp.Compare(math.Abs(u.Rows[a].Error), math.Abs(u.Rows[b].Error)) })
	return n
}

// spread is the weighted quantile of the sizes of errors around the roots of shares, without rows that are left out.
func (n *neighbours) spread(at []float64, left func(row int) bool) float64 {
	i := weightedQuantile(len(n.order), Confidence, func(i int) float64 {
		if row := n.order[i]; left == nil || !left(row) {
			return math.Exp(-hellinger(at, n.roots[row])/reach) + everywhere
		}
		return 0
	})
	return math.Abs(n.of.Rows[n.order[i]].Error)
}

// half is half of the interval around a prediction at these roots of shares, which has the deviation sd by the parameters.
func (n *neighbours) half(at []float64, sd float64) float64 {
	return fewKernels(n.of.Kernels) * max(0, math.Hypot(n.spread(at, nil), normalQuantile*sd)+n.of.Margin)
}

// together is half of the interval of the difference of two errors, over what it would be if they were independent.
func (u *Unseen) together(a, b []float64) float64 {
	at := min(hellinger(a, b), 1) * apartSteps
	k := min(int(at), apartSteps-1)
	return u.Apart[k] + (at-float64(k))*(u.Apart[k+1]-u.Apart[k])
}

// rootsOf are the square roots of shares.
func rootsOf(shares []int) []float64 {
	return lists.Map(shares, func(s int) float64 { return math.Sqrt(float64(s) / 100) })
}

// hellinger is the Hellinger distance of two distributions, given the roots of their shares: 0 for the same, 1 for costs of which none is
// in both.
func hellinger(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return math.Sqrt(max(0, 1-sum))
}

// sharesOf are the shares of parameters in the costs, in per cent: a parameter times the derivative by it. Where costs hide one another
// that is the part which shows, and in a homogeneous model these parts add up to the output (Euler's theorem). Parameters of shape cost nothing.
func sharesOf(params, grad []float64, shape []bool) []int {
	costs := make([]float64, len(params))
	sum := 0.0
	for j, g := range grad {
		if !shape[j] {
			costs[j] = math.Abs(g * params[j])
			sum += costs[j]
		}
	}
	out := make([]int, len(params))
	for j, c := range costs {
		if sum > 0 && !math.IsInf(sum, 0) {
			out[j] = int(math.Round(100 * c / sum))
		}
	}
	return out
}

// errorOf is the error of a prediction as rows of unseen kernels have it.
func errorOf(predicted, measured float64, relative bool) float64 {
	if relative {
		return round(math.Log(predicted / measured))
	}
	return round(predicted - measured)
}

// Known is a kernel with its measured time that the fit has not seen.
type Known struct {
	Kernel   string // with its variants: they are judged by the others
	Set      string // alternatives among which one would choose have the same
	Features map[string]float64
	Measured float64
}

// Learn takes the intervals of a fit from its errors on kernels that it has not seen, in place of those on measurement kernels left out.
func (f *Fit) Learn(m *models.Model, from string, known []Known) error {
	p, err := NewPredictor(m, f)
	if err != nil {
		return err
	}
	kernels := map[string]int{}
	var rows []unseenRow
	for _, k := range known {
		if _, ok := kernels[k.Kernel]; !ok {
			kernels[k.Kernel] = len(kernels)
		}
		predicted, err := p.Predict(k.Features)
		if err != nil {
			return err
		}
		rows = append(rows, unseenRow{kernels[k.Kernel], k.Set, errorOf(predicted.Seconds, k.Measured, f.ScaleByOutput), p.deviation(predicted.Seconds), sharesOf(p.params, p.grad, p.shape)})
	}
	u := newUnseen(from, rows, f.ScaleByOutput)
	if u == nil {
		return fmt.Errorf("intervals take kernels of at least two suites with the model %s", f.Model)
	}
	f.Unseen = u
	return nil
}

// String says what intervals are worth.
func (u *Unseen) String() string {
	of := "held-out points"
	if u.From != "" {
		of = "points of " + u.From
	}
	return fmt.Sprintf("%.0f %% intervals: %s of %d %s lie inside, median half-width %s", 100*u.Level, format.Percent(u.Inside), u.Points, of, format.Percent(u.Half))
}
