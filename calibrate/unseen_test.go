package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gpuperf/models"
)

// kinds are kernels of two kinds, whose errors differ in their spread: x dominates the time of one kind, y that of the other.
type kinds struct {
	rng    *rand.Rand
	spread [2]float64 // of the logarithm of the times of kernels, for each kind
}

// kernel draws rows of a kernel of a kind. Its times are off by the same factor, and by a little noise.
func (k kinds) kernel(kind int, name string, rows int) (out []Row) {
	factor := math.Exp(k.spread[kind] * k.rng.NormFloat64())
	cost := [2]float64{0.1 * k.rng.Float64(), 0.1 * k.rng.Float64()}
	cost[kind] = 1 + 9*k.rng.Float64()
	for i := range rows {
		s := 1 + float64(i)/4
		out = append(out, Row{
			Kernel: name, Features: map[string]float64{"f_x": s * cost[0], "f_y": s * cost[1]},
			Output: factor * s * (2*cost[0] + 3*cost[1]) * (1 + 0.002*k.rng.NormFloat64()),
		})
	}
	return out
}

func twoCosts(t *testing.T) *models.Model {
	return model(t, "expression: p_a * f_x + p_b * f_y\nfit: {scale_by_output: true, nonnegative: true}\n")
}

// TestIntervalsOfTwoKinds: intervals hold what they claim on new kernels of either kind, and are as wide as each kind needs, although one
// kernel in thirty is far off.
func TestIntervalsOfTwoKinds(t *testing.T) {
	m := twoCosts(t)
	k := kinds{rand.New(rand.NewPCG(51, 52)), [2]float64{0.03, 0.3}}
	var inside, total, points, claimed [2]float64
	var widths [2]float64
	for range 12 {
		var rows []Row
		for i := range 60 {
			kernel := k.kernel(i%2, fmt.Sprint(i), 3)
			if i == 7 || i == 20 {
				for j := range kernel {
					kernel[j].Output *= 20
				}
			}
			rows = append(rows, kernel...)
		}
		// Weights keep the kernels that are far off from the parameters, so that only intervals have to bear them.
		for i := range rows {
			if kernel := i / 3; kernel == 7 || kernel == 20 {
				rows[i].Weight = 1e-3
			}
		}
		fit, err := FitRows(context.Background(), m, rows, Options{})
		if err != nil {
			t.Fatal(err)
		}
		claimed[0] += fit.Unseen.Inside / 12
		for i := range 80 {
			kind := i % 2
			r := k.kernel(kind, "new", 1)[0]
			p, err := fit.Predict(m, r.Features)
			if err != nil {
				t.Fatal(err)
			}
			total[kind]++
			if p.Interval.Holds(r.Output) {
				inside[kind]++
			}
			widths[kind] += p.Interval.HalfWidth()
			points[kind]++
		}
	}
	for kind := range 2 {
		if share := inside[kind] / total[kind]; share < 0.85 || share > 0.99 {
			t.Errorf("%.3f of the new kernels of kind %d lie within their intervals", share, kind)
		}
		widths[kind] /= points[kind]
	}
	if math.Abs(claimed[0]-Confidence) > 0.05 {
		t.Errorf("%.3f of the kernels that were left out are said to lie inside", claimed[0])
	}
	if widths[0] > widths[1]/3 || widths[1] < 0.3 || widths[1] > 2 {
		t.Errorf("intervals reach %.3f and %.3f to each side", widths[0], widths[1])
	}
}

// TestCoverageOfFewKernels: where kernels differ by more than their rows do, intervals from the residuals are too narrow, and those from six
// kernels that were left out hold about what they claim on new ones.
func TestCoverageOfFewKernels(t *testing.T) {
	m := twoCosts(t)
	k := kinds{rand.New(rand.NewPCG(31, 32)), [2]float64{0.15, 0.15}}
	const trials, fresh = 40, 10
	narrow, wide, said := 0.0, 0.0, 0.0
	for range trials {
		var rows []Row
		for i := range 6 {
			rows = append(rows, k.kernel(i%2, fmt.Sprint(i), 12)...)
		}
		fit, err := FitRows(context.Background(), m, rows, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if u := fit.Unseen; u.Points != 12*u.Kernels || u.Kernels < 5 {
			t.Fatalf("%+v", u)
		}
		said += fit.Unseen.Inside / trials
		plain := *fit
		plain.Unseen = nil
		for i := range fresh {
			r := k.kernel(i%2, "new", 1)[0]
			for f, share := range map[*Fit]*float64{fit: &wide, &plain: &narrow} {
				p, err := f.Predict(m, r.Features)
				if err != nil {
					t.Fatal(err)
				}
				if p.Interval.Holds(r.Output) {
					*share += 1.0 / (trials * fresh)
				}
			}
		}
	}
	if narrow > 0.85 {
		t.Errorf("%.3f of new kernels lie within intervals of the residuals: the test shows nothing", narrow)
	}
	if wide < 0.85 || math.Abs(said-wide) > 0.06 {
		t.Errorf("%.3f of new kernels lie within the intervals, said to be %.3f", wide, said)
	}
}

func TestConformal(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		level  float64
		want   float64
	}{
		{nil, 0.9, 0},
		{[]float64{0.2, 0.5}, 0.9, 0.5},
		{[]float64{3, 0.2}, 0.9, 3}, // too few to tell: the largest
		{[]float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 10}, 0.9, 10},
		{[]float64{19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.9, 18},
	} {
		if got := conformal(c.scores, c.level); got != c.want {
			t.Errorf("%v at %g: got %g, want %g", c.scores, c.level, got, c.want)
		}
	}
}

// TestIntervals: intervals of times are positive, and unknown where they would say nothing.
func TestIntervals(t *testing.T) {
	m := model(t, "expression: p_a * f_x\nfit: {scale_by_output: true}\n")
	for _, c := range []struct {
		sd, margin, spread float64
		want               float64 // half, of the logarithm; 0: not known
	}{
		{sd: 0.01, want: 0.168},
		{sd: 2, want: 3.32},
		{sd: 0.01, margin: 0.5, spread: 0.02, want: 0.671},
		{sd: 0.01, margin: -0.5}, // as of errors that are all smaller than their deviations
		{sd: 9},                  // e^15 each way
	} {
		fit := &Fit{
			Model: "m", Parameters: []Estimate{{Name: "p_a", Value: 2}}, Freedom: 100, ScaleByOutput: true, Residual: 0.1, LogSpread: c.spread,
			Covariance: [][]float64{{4 * c.sd * c.sd}}, FeatureRange: map[string][2]float64{"f_x": {0, 9}},
			Unseen: &Unseen{Kernels: 100, Margin: c.margin, Rows: []UnseenRow{{0.1, []int{100}}, {-0.165, []int{100}}}},
		}
		got, err := fit.Predict(m, map[string]float64{"f_x": 3})
		if err != nil {
			t.Fatal(err)
		}
		half := math.Log1p(got.Interval.HalfWidth())
		switch {
		case c.margin < 0 && (got.Interval != Interval{6, 6}):
			t.Errorf("%+v: %v", c, got.Interval)
		case c.sd == 9 && got.Interval.Known():
			t.Errorf("%+v: %v", c, got.Interval)
		case c.want > 0 && (math.Abs(half-c.want) > 0.02 || math.Abs(got.Interval[0]*got.Interval[1]-36) > 1e-9):
			t.Errorf("%+v: %v, half %.3f", c, got.Interval, half)
		}
	}
}

// TestLearn: errors on kernels of suites take the place of those on measurement kernels, which are fitted much better.
func TestLearn(t *testing.T) {
	m := twoCosts(t)
	measured := kinds{rand.New(rand.NewPCG(61, 62)), [2]float64{0.01, 0.01}}
	var rows []Row
	for i := range 20 {
		rows = append(rows, measured.kernel(i%2, fmt.Sprint(i), 3)...)
	}
	fit := fitRows(t, m, rows)
	real := kinds{measured.rng, [2]float64{0.3, 0.3}}
	var known []Known
	for i := range 100 {
		r := real.kernel(i%2, "", 1)[0]
		known = append(known, Known{fmt.Sprint(i), "", r.Features, r.Output})
	}
	inside := func() (share float64) {
		for i := range 400 {
			r := real.kernel(i%2, "", 1)[0]
			p, err := fit.Predict(m, r.Features)
			if err != nil {
				t.Fatal(err)
			}
			if p.Interval.Holds(r.Output) {
				share += 1.0 / 400
			}
		}
		return share
	}
	before := inside()
	if err := fit.Learn(m, "suite.yaml", known); err != nil {
		t.Fatal(err)
	}
	if after := inside(); before > 0.3 || after < 0.85 || after > 0.97 {
		t.Errorf("intervals held %.3f of new kernels, and hold %.3f", before, after)
	}
	if text := fit.Unseen.String(); !strings.HasPrefix(text, "90 % intervals: ") || !strings.Contains(text, " of 100 points of suite.yaml lie inside") {
		t.Error(text)
	}
	if err := fit.Learn(m, "suite.yaml", known[:1]); err == nil || !strings.Contains(err.Error(), "at least two") {
		t.Error(err)
	}
}

// TestAgainst: variants whose costs are alike have alike errors, and are told apart by less than others. Nine in ten of those that are told
// apart are in the right order.
func TestAgainst(t *testing.T) {
	m := twoCosts(t)
	rng := rand.New(rand.NewPCG(71, 72))
	k := kinds{rng, [2]float64{0.01, 0.01}}
	var rows []Row
	for i := range 20 {
		rows = append(rows, k.kernel(i%2, fmt.Sprint(i), 3)...)
	}
	fit := fitRows(t, m, rows)
	// The error of a kernel depends on how much of its time is x: of variants of one kernel by one amount, of different kernels by others.
	variants := func(kernel string) (out []Known) {
		off := [2]float64{0.4 * rng.NormFloat64(), 0.4 * rng.NormFloat64()}
		for range 4 {
			share, size := rng.Float64(), 1+0.5*rng.Float64()
			e := share*off[0] + (1-share)*off[1] + 0.02*rng.NormFloat64()
			out = append(out, Known{kernel, kernel, map[string]float64{"f_x": size * share / 2, "f_y": size * (1 - share) / 3}, size * math.Exp(e)})
		}
		return out
	}
	var known []Known
	for i := range 80 {
		known = append(known, variants(fmt.Sprint(i))...)
	}
	if err := fit.Learn(m, "suite.yaml", known); err != nil {
		t.Fatal(err)
	}
	apart := fit.Unseen.Apart
	if apart[0] > 0.25 || apart[10] < 3*apart[0] {
		t.Errorf("differences of errors by distance, over those of independent ones: %.2f", apart)
	}
	p, err := NewPredictor(m, fit)
	if err != nil {
		t.Fatal(err)
	}
	predict := func(k Known) *Prediction {
		out, err := p.Predict(k.Features)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	right, told, pairs := 0.0, 0.0, 0.0
	for range 400 {
		v := variants("")
		a, b := predict(v[0]), predict(v[1])
		pairs++
		if ratio := a.Against(b); !ratio.Holds(1) {
			told++
			if (ratio[0] > 1) == (v[0].Measured > v[1].Measured) {
				right++
			}
		}
	}
	if told < pairs/4 || told > 0.9*pairs || right < Confidence*told {
		t.Errorf("of %g pairs %g are told apart, %g of them rightly", pairs, told, right)
	}
	one := predict(known[0])
	if same, other := one.Against(one), one.Against(&Prediction{Seconds: one.Seconds, Interval: one.Interval}); !(same.HalfWidth() < other.HalfWidth()/2) {
		t.Errorf("against itself %v, against the same of another fit %v", same, other)
	}
	if one.Against(&Prediction{Seconds: one.Seconds, Interval: unknown}).Known() {
		t.Error("the ratio to what is not known is known")
	}
}
