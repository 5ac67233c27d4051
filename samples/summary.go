package samples

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// Summary describes trials by order statistics. All but Coverage and Outliers are in seconds.
type Summary struct {
	Median   float64 `json:"median"`
	Lo       float64 `json:"lo"`       // confidence interval of the median
	Hi       float64 `json:"hi"`       //
	Coverage float64 `json:"coverage"` // probability that [Lo, Hi] holds the median; under 0.95 for fewer than 6 trials
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Mean     float64 `json:"mean"`
	Outliers int     `json:"outliers"` // far from the median; they stay in the trials and in this summary
}

// String gives the median with its interval.
func (s Summary) String() string {
	return fmt.Sprintf("%.6g s [%.6g, %.6g]", s.Median, s.Lo, s.Hi)
}

// Width returns the width of the confidence interval relative to the median.
func (s Summary) Width() float64 { return (s.Hi - s.Lo) / s.Median }

// Summarize returns the summary of trials in any order; it leaves them as they are. Without trials it is zero.
//
// The interval is the narrowest pair of symmetric order statistics that holds the median with probability at least
// 0.95 whatever the distribution: the number of trials below the median is binomial with probability 1/2 (David
// and Nagaraja, Order Statistics, section 7.1). With fewer than 6 trials no pair reaches 0.95; it is
// then the whole range, and Coverage says what that is worth.
func Summarize(trials []float64) Summary {
	n := len(trials)
	if n == 0 {
		return Summary{}
	}
	x := slices.Clone(trials)
	slices.Sort(x)
	rank, coverage := medianRank(n)
	sum := lists.Sum(x, func(t float64) float64 { return t })
	return Summary{
		Median:   middle(x),
		Lo:       x[rank],
		Hi:       x[n-1-rank],
		Coverage: coverage,
		Min:      x[0],
		Max:      x[n-1],
		Mean:     sum / float64(n),
		Outliers: len(outliers(x, x)),
	}
}

// medianRank returns the largest 0-based rank r such that the order statistics r and n-1-r enclose the median with
// probability at least 0.95, and that probability; rank 0 where none does.
func medianRank(n int) (rank int, coverage float64) {
	// B is binomial(n, 1/2); its terms C(n,k)/2^n come from logarithms, as 2^n overflows.
	logHalf := float64(n) * math.Ln2
	lnN, _ := math.Lgamma(float64(n + 1))
	return centralRank(n, func(r int) float64 {
		lnK, _ := math.Lgamma(float64(r + 1))
		lnNK, _ := math.Lgamma(float64(n - r + 1))
		return math.Exp(lnN - lnK - lnNK - logHalf)
	})
}

// centralRank returns the largest rank r below n/2 for which a symmetric statistic from 0 to n is beyond r on both sides with probability at least 0.95, and that
// probability; rank 0 where none is. The statistic is r with the given probability.
func centralRank(n int, probability func(r int) float64) (rank int, coverage float64) {
	const level = 0.95 // of an interval, as everywhere
	tail := 0.0
	for r := 0; r < (n+1)/2; r++ {
		tail += probability(r)
		c := 1 - 2*tail
		if r > 0 && c < level {
			break
		}
		rank, coverage = r, max(c, 0)
	}
	return rank, coverage
}

// outliers returns the indices of the trials that lie far from the median: more than 3.5 times the
// scaled median absolute deviation (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993), where the
// deviation is taken as at least 0.1 % of the median, lest the timer's steps make every other trial one. It
// needs the trials in ascending order, too.
func outliers(trials, sorted []float64) []int {
	const cut, toSigma, floor = 3.5, 1.4826, 0.001 // of the paper, of normal deviates, and 0.1 %
	m := middle(sorted)
	far := lists.Map(sorted, func(t float64) float64 { return math.Abs(t - m) })
	slices.Sort(far)
	scale := max(toSigma*middle(far), floor*math.Abs(m))
	var out []int
	for i, t := range trials {
		if math.Abs(t-m) > cut*scale {
			out = append(out, i)
		}
	}
	return out
}

// middle returns the median of sorted, non-empty values.
func middle(x []float64) float64 {
	n := len(x)
	if n%2 == 1 {
		return x[n/2]
	}
	return x[n/2-1] + (x[n/2]-x[n/2-1])/2
}

// near allows for other orders of summation, and for other programs' rounding in printing.
func (s Summary) near(o Summary) bool {
	const tolerance = 1e-9 // some digits less than doubles have
	near := func(a, b float64) bool { return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b)) }
	return near(s.Median, o.Median) && near(s.Lo, o.Lo) && near(s.Hi, o.Hi) && near(s.Min, o.Min) &&
		near(s.Max, o.Max) && near(s.Mean, o.Mean) && s.Outliers == o.Outliers && math.Abs(s.Coverage-o.Coverage) < 1e-6
}
