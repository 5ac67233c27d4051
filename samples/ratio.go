package samples

import (
	"fmt"
	"math"
	"slices"
)

// Ratio is how many times as fast one kernel is as another, from trials that were taken in turn.
type Ratio struct {
	Ratio    float64 `json:"ratio"` // above 1, the first is faster
	Lo       float64 `json:"lo"`    // confidence interval of the ratio
	Hi       float64 `json:"hi"`
	Coverage float64 `json:"coverage"` // probability that [Lo, Hi] holds the ratio
	Pairs    int     `json:"pairs"`
}

// LeastPairs are needed for a coverage of 0.95: of fewer not even the whole range has it.
const LeastPairs = 6

// RatioOf compares the times of a kernel with those of another, of which the i-th were taken one right after the other. A device that
// gets slower changes both of a pair, and thus not their ratio.
//
// The logarithms of the ratios are the differences of pairs. Their centre is estimated by Hodges and Lehmann's estimator, the median of
// the means of all two of them, and its interval is the one that inverts Wilcoxon's signed-rank test (Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, sections 3.2 and 3.3). It assumes that differences are symmetric about the centre, as they
// are where both kernels suffer the same disturbances, and no more; few outliers do not move it.
func RatioOf(times, other []float64) Ratio {
	n := min(len(times), len(other))
	if n == 0 {
		return Ratio{}
	}
	log := make([]float64, n)
	for i := range log {
		log[i] = math.Log(other[i] / times[i])
	}
	var means []float64
	for i, a := range log {
		for _, b := range log[i:] {
			means = append(means, (a+b)/2)
		}
	}
	slices.Sort(means)
	rank, coverage := signedRank(n)
	return Ratio{
		Ratio:    math.Exp(middle(means)),
		Lo:       math.Exp(means[rank]),
		Hi:       math.Exp(means[len(means)-1-rank]),
		Coverage: coverage,
		Pairs:    n,
	}
}

// signedRank returns the largest 0-based rank r such that the order statistics r and n(n+1)/2-1-r of the means of all two of n
// differences enclose their centre with probability at least 0.95, and that probability; rank 0 where none does.
func signedRank(n int) (rank int, coverage float64) {
	// below[s] is the probability that the ranks of the positive differences add up to s. It is that of a sum of n independent terms,
	// the i-th of which is i or 0.
	total := n * (n + 1) / 2
	below := make([]float64, total+1)
	below[0] = 1
	for i := 1; i <= n; i++ {
		for s := i * (i + 1) / 2; s >= 0; s-- {
			below[s] /= 2
			if s >= i {
				below[s] += below[s-i] / 2
			}
		}
	}
	return centralRank(total, func(r int) float64 { return below[r] })
}

// String is the verdict: "1.07 ± 0.01 times as fast", or "no difference beyond 0.3 %" where the interval holds 1.
func (r Ratio) String() string {
	if r.Lo <= 1 && 1 <= r.Hi {
		return fmt.Sprintf("no difference beyond %s %%", upward(100*max(1-r.Lo, r.Hi-1)))
	}
	half := upward(max(r.Hi-r.Ratio, r.Ratio-r.Lo))
	return fmt.Sprintf("%.*f ± %s times as fast", decimals(half), r.Ratio, half)
}

// upward writes a number with one digit, two where the first is a 1, and never less than it is.
func upward(v float64) string {
	const least = 2e-4 // what two runs of one kernel may differ by
	v = max(v, least)
	e := math.Floor(math.Log10(v))
	if v/math.Pow(10, e) < 2 {
		e--
	}
	return fmt.Sprintf("%.*f", int(max(0, -e)), math.Ceil(v*math.Pow(10, -e)*(1-1e-12))*math.Pow(10, e))
}

// decimals is the number of digits behind the point.
func decimals(text string) int {
	for i, c := range text {
		if c == '.' {
			return len(text) - i - 1
		}
	}
	return 0
}
