package samples

import (
	"math"
	"math/rand"
	"testing"
)

// TestSignedRank compares with the exact distribution over all signs, and with values that are found in tables: of the critical values of
// Wilcoxon's test at 0.05, two-sided.
func TestSignedRank(t *testing.T) {
	for n := 1; n <= 14; n++ {
		sums := make([]int, n*(n+1)/2+1)
		for signs := range 1 << n {
			sum := 0
			for i := range n {
				sum += (signs >> i & 1) * (i + 1)
			}
			sums[sum]++
		}
		rank, coverage := signedRank(n)
		tail := 0
		for _, count := range sums[:rank+1] {
			tail += count
		}
		if want := 1 - 2*float64(tail)/math.Pow(2, float64(n)); math.Abs(coverage-max(want, 0)) > 1e-12 {
			t.Errorf("n=%d: coverage %g, want %g", n, coverage, want)
		}
	}
	for n, want := range map[int]int{6: 0, 7: 2, 8: 3, 10: 8, 20: 52, 25: 89, 50: 434} {
		if rank, coverage := signedRank(n); rank != want || coverage < 0.95 {
			t.Errorf("n=%d: rank %d with coverage %g, want %d", n, rank, coverage, want)
		}
	}
	if _, coverage := signedRank(LeastPairs - 1); coverage >= 0.95 {
		t.Errorf("%d pairs have a coverage of %g", LeastPairs-1, coverage)
	}
}

// TestRatioCovers draws times of two kernels on a device that drifts and is disturbed at times.
func TestRatioCovers(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	const rounds, true_ = 2000, 1.07
	hit, known := 0, 0
	for range rounds {
		var a, b []float64
		drift := 1.0
		for range 30 {
			drift *= 1 + 0.003*rng.Float64()
			noise := func() float64 {
				v := drift * (1 + 0.01*rng.ExpFloat64())
				if rng.Intn(20) == 0 {
					v *= 2
				}
				return v
			}
			a, b = append(a, 1e-3*noise()), append(b, true_*1e-3*noise())
		}
		r := RatioOf(a, b)
		if r.Lo <= true_ && true_ <= r.Hi {
			hit++
		}
		if r.Lo > 1.05 && r.Hi < 1.09 {
			known++
		}
	}
	_, want := signedRank(30)
	if got := float64(hit) / rounds; math.Abs(got-want) > 0.015 {
		t.Errorf("the interval holds the ratio in %.3f of the cases, want %.3f", got, want)
	}
	if known < rounds*9/10 {
		t.Errorf("only %d of %d intervals are within 2 %% of the ratio", known, rounds)
	}
}

func TestRatioText(t *testing.T) {
	for _, tt := range []struct {
		r    Ratio
		want string
	}{
		{Ratio{Ratio: 1.0712, Lo: 1.0671, Hi: 1.0752}, "1.071 ± 0.005 times as fast"},
		{Ratio{Ratio: 1.0712, Lo: 1.06, Hi: 1.08}, "1.071 ± 0.012 times as fast"},
		{Ratio{Ratio: 0.5, Lo: 0.47, Hi: 0.53}, "0.50 ± 0.03 times as fast"},
		{Ratio{Ratio: 213, Lo: 170, Hi: 260}, "213 ± 50 times as fast"},
		{Ratio{Ratio: 1.0005, Lo: 0.998, Hi: 1.0027}, "no difference beyond 0.3 %"},
		{Ratio{Ratio: 1.01, Lo: 0.99, Hi: 1.032}, "no difference beyond 4 %"},
		{Ratio{Ratio: 1, Lo: 1, Hi: 1}, "no difference beyond 0.0002 %"},
		{RatioOf([]float64{1, 1, 1, 1, 1, 1}, []float64{2, 2, 2, 2, 2, 2}), "2.0000 ± 0.0002 times as fast"},
	} {
		if got := tt.r.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.r, got, tt.want)
		}
	}
}
