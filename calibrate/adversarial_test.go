package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// plainRows are rows of t = value(x, y) with relative noise, a kernel each three.
func plainRows(n int, seed uint64, noise float64, value func(x, y float64) float64) []Row {
	rng := rand.New(rand.NewPCG(seed, 99))
	var rows []Row
	for i := range n {
		x, y := math.Pow(10, 2*rng.Float64()), math.Pow(10, 2*rng.Float64())
		rows = append(rows, Row{
			Kernel: fmt.Sprint(i / 3), Features: map[string]float64{"f_x": x, "f_y": y},
			Output: value(x, y) * (1 + noise*rng.NormFloat64()),
		})
	}
	return rows
}

// TestAdversarialFits: what no fit can find out is said, and what is predicted all the same is right.
func TestAdversarialFits(t *testing.T) {
	const scaled = "fit: {scale_by_output: true, nonnegative: true}\n"
	twice := plainRows(18, 1, 0.01, func(x, _ float64) float64 { return 3 * x })
	for i := range twice { // collinear to the last digit
		twice[i].Features["f_y"] = 2 * twice[i].Features["f_x"]
	}
	sharp := plainRows(30, 2, 0.01, func(x, y float64) float64 { return max(2*x, 3*y) })
	// With f_y = f_x everywhere, two costs of 1 and 2 may change places: overlap and pnorm are symmetric.
	same := plainRows(12, 3, 0, func(x, _ float64) float64 { return x * math.Sqrt(5) })
	for i := range same {
		same[i].Features["f_y"] = same[i].Features["f_x"]
	}
	// Two exact solutions each: the rows know the sum and the product of the costs; and overlap does not tell its arguments apart.
	sums := plainRows(16, 6, 0, func(x, y float64) float64 { return 9*x + 8*y })
	mixed := plainRows(24, 7, 0, func(x, y float64) float64 {
		a, b := 2*x+7*y, 2*y+7*x
		s := (math.Tanh(20*(a-b)/(a+b)) + 1) / 2
		return a*s + b*(1-s)
	})
	spoilt := plainRows(24, 4, 0.005, func(x, y float64) float64 { return 2*x + 3*y })
	spoilt[7].Output *= 9
	spoilt[7].Label = "kernel seven"
	for _, c := range []struct {
		name, model string
		rows        []Row
		want        []string // parts of warnings
	}{
		{"collinear", "expression: p_a * f_x + p_b * f_y\n" + scaled, twice, []string{"p_a and p_b: cannot be identified separately"}},
		{"saturating edge", "expression: overlap(p_a * f_x, p_b * f_y, p_edge)\nparameters: {p_edge: {min: 3, max: 100}}\n" + scaled, sharp, nil},
		{"saturating norm", "expression: pnorm(p_a * f_x, p_b * f_y, p_n)\nparameters: {p_n: {min: 1, max: 64}}\n" + scaled, sharp, nil},
		{"a ridge of solutions", "expression: pnorm(p_a * f_x, p_b * f_y, 2)\n" + scaled, same, []string{"the rows fit as well with"}},
		{"two solutions", "expression: (p_a + p_b) * f_x + p_a * p_b * f_y\n" + scaled, sums, []string{"the rows fit as well with"}},
		{"two solutions of overlap", "expression: overlap(p_a * f_x + p_b * f_y, p_a * f_y + p_b * f_x, 20)\n" + scaled, mixed, []string{"the rows fit as well with"}},
		{"outlier", "expression: p_a * f_x + p_b * f_y\n" + scaled, spoilt, []string{"kernel seven: "}},
	} {
		fit := fitRows(t, model(t, c.model), c.rows)
		all := strings.Join(fit.Warnings, "\n")
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: warnings\n%s\nlack %q", c.name, all, want)
			}
		}
		if !fit.Converged {
			t.Errorf("%s: %s", c.name, fit.Status)
		}
	}
	// The saturated shapes find the costs, and predict with an interval.
	for _, form := range []string{"overlap(p_a * f_x, p_b * f_y, p_s)", "pnorm(p_a * f_x, p_b * f_y, p_s)"} {
		m := model(t, "expression: "+form+"\nparameters: {p_s: {min: 1, max: 100}}\n"+scaled)
		fit := fitRows(t, m, sharp)
		if a, b := fit.Estimate("p_a").Value, fit.Estimate("p_b").Value; math.Abs(a-2) > 0.03 || math.Abs(b-3) > 0.04 {
			t.Errorf("%s: p_a = %g, p_b = %g", form, a, b)
		}
		p, err := fit.Predict(m, map[string]float64{"f_x": 40, "f_y": 10})
		if err != nil || !p.Interval.Known() || math.Abs(p.Seconds-80) > 2 {
			t.Errorf("%s: %+v, %v", form, p, err)
		}
	}
	// Nothing to remark on: no doubts are raised about an honest fit.
	fine := plainRows(24, 5, 0.01, func(x, y float64) float64 { return 2*x + 3*y })
	if fit := fitRows(t, model(t, "expression: p_a * f_x + p_b * f_y\n"+scaled), fine); len(fit.Warnings) > 0 {
		t.Errorf("unwanted warnings: %s", fit.Warnings)
	}
}

// TestCoverageOfKernelsLeftOut: where kernels differ by more than their rows do, intervals from the residuals are too narrow, and the
// widened ones hold what they claim on kernels that are new.
func TestCoverageOfKernelsLeftOut(t *testing.T) {
	m := model(t, "expression: p_a * f_x + p_b * f_y\nfit: {scale_by_output: true, nonnegative: true}\n")
	rng := rand.New(rand.NewPCG(31, 32))
	draw := func(kernel string, rows []Row) []Row {
		bias := math.Exp(0.15 * rng.NormFloat64()) // of the kernel
		x := math.Pow(10, 2*rng.Float64())
		y := math.Pow(10, 2*rng.Float64())
		for i := range 12 {
			s := 1 + float64(i)/4
			rows = append(rows, Row{Kernel: kernel, Features: map[string]float64{"f_x": s * x, "f_y": s * y}, Output: bias * s * (2*x + 3*y) * (1 + 0.002*rng.NormFloat64())})
		}
		return rows
	}
	const trials, fresh = 40, 10
	narrow, wide, total, measured, claimed := 0, 0, 0, 0.0, 0.0
	for range trials {
		var rows []Row
		for k := range 6 {
			rows = draw(fmt.Sprint(k), rows)
		}
		fit, err := FitRows(context.Background(), m, rows, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := fit.Cross.At(0.95)
		if k := len(fit.Cross.ByKernel); c == nil || k < 4 || c.Points != 12*k || c.Widening < 1 || len(fit.Cross.Coverage) != 2 {
			t.Fatalf("%+v", fit.Cross)
		}
		measured += c.Inside / trials
		claimed += c.InsideWidened / trials
		for range fresh {
			r := draw("new", nil)[0]
			p, err := fit.Predict(m, r.Features)
			if err != nil {
				t.Fatal(err)
			}
			plain := *fit
			plain.Cross = nil
			q, err := plain.Predict(m, r.Features)
			if err != nil {
				t.Fatal(err)
			}
			total++
			if q.Interval[0] <= r.Output && r.Output <= q.Interval[1] {
				narrow++
			}
			if p.Interval[0] <= r.Output && r.Output <= p.Interval[1] {
				wide++
			}
		}
	}
	share := func(n int) float64 { return float64(n) / float64(total) }
	if share(narrow) > 0.93 {
		t.Errorf("%.3f of new kernels lie within intervals that are not widened: the test shows nothing", share(narrow))
	}
	if math.Abs(share(narrow)-measured) > 0.08 {
		t.Errorf("coverage is said to be %.3f, new kernels have %.3f", measured, share(narrow))
	}
	// Six kernels cannot tell a quantile of 95 %, and five tell less: what is said of the widened intervals is no more than they hold.
	if share(wide) < 0.87 || claimed < 0.75 || claimed > share(wide)+0.02 {
		t.Errorf("%.3f of new kernels lie within the widened intervals, said to be %.3f", share(wide), claimed)
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

// TestMargin: what intervals miss is added, as a factor, where it is relative to the output, and stretches them otherwise.
func TestMargin(t *testing.T) {
	row := func(kernel int, sd, off float64) heldOut {
		return heldOut{kernel: kernel, predicted: 10, measured: 10 + off, sd: sd, quantile: []float64{1, 1.5}}
	}
	times := func(kernel int, sd, log float64) heldOut {
		return heldOut{kernel: kernel, predicted: 10, measured: 10 * math.Exp(log), sd: sd, quantile: []float64{1, 1.5}}
	}
	// Of 3 degrees of freedom 90 % are within 2.3534 standard deviations; one kernel in three that is far off moves no median.
	wild := []heldOut{times(0, 0.3, 0.5), times(1, 0.3, -0.5), times(2, 0.3, 9)}
	for _, c := range []struct {
		rows             []heldOut
		relative         bool
		widening, margin float64
		half             float64 // of an interval of 3
	}{
		{wild, true, 1, math.Expm1(2.3534 * 1.4826 * 0.4), math.Hypot(3, 2.3534*1.4826*0.4)},
		{[]heldOut{row(0, 0.6, 1), row(1, 5, 1), row(2, 5, -1)}, false, 1 / 0.6, 0, 5},
		{[]heldOut{times(0, 1, 0.5), times(1, 1, -0.5)}, true, 1, 0, 3}, // wide enough as they are
	} {
		got := coverage(c.rows, c.relative)
		if g := got[0]; math.Abs(g.Widening-c.widening) > 1e-12 || math.Abs(g.Margin-c.margin) > 1e-3 || math.Abs(g.widen(3)-c.half) > 1e-3 {
			t.Errorf("widened %g times, margin %g, to %g; want %g, %g, %g", g.Widening, g.Margin, g.widen(3), c.widening, c.margin, c.half)
		}
		if got[1].Margin < got[0].Margin {
			t.Errorf("the margin falls with the level: %+v", got)
		}
	}
}

// TestIntervals: intervals of times are positive, wider for a higher level whatever the profile says, and unknown where they say nothing.
func TestIntervals(t *testing.T) {
	m := model(t, "expression: p_a * f_x\nfit: {scale_by_output: true}\n")
	for _, c := range []struct {
		sd, margin90, margin95, spread float64
		widening                       float64
	}{
		{sd: 0.01, widening: 1},
		{sd: 2, widening: 1},
		{sd: 0.01, margin90: 0.284, margin95: 0.282, widening: 1}, // of an old profile
		{sd: 0.01, margin90: 1.4, margin95: 0.1, widening: 1, spread: 0.02},
		{sd: 9, widening: 1}, // e^18 each way
		{sd: 0.01, widening: 1000},
	} {
		fit := &Fit{
			Model: "m", Parameters: []Estimate{{Name: "p_a", Value: 2}}, Freedom: 100, ScaleByOutput: true, Residual: 0.1, LogSpread: c.spread,
			Covariance: [][]float64{{4 * c.sd * c.sd}}, FeatureRange: map[string][2]float64{"f_x": {0, 9}},
			Cross: &CrossEval{Coverage: []Coverage{{Level: 0.9, Widening: c.widening, Margin: c.margin90}, {Level: 0.95, Widening: 1, Margin: c.margin95}}},
		}
		p, err := NewPredictor(m, fit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Predict(map[string]float64{"f_x": 3})
		if err != nil {
			t.Fatal(err)
		}
		wide, narrow := got.Interval, p.interval(got.Seconds, 0.9)
		if c.sd == 9 || c.widening == 1000 {
			if wide.Known() {
				t.Errorf("%+v: %v", c, wide)
			}
			continue
		}
		if !(0 < wide[0] && wide[0] <= narrow[0] && narrow[0] < 6 && 6 < narrow[1] && narrow[1] <= wide[1]) || math.Abs(wide[0]*wide[1]-36) > 1e-9 {
			t.Errorf("%+v: 90 %% in %v, 95 %% in %v", c, narrow, wide)
		}
	}
}

// TestTracesAreNoEvidence: a cost that the other kernels hold a trace of is not judged by them.
func TestTracesAreNoEvidence(t *testing.T) {
	m := model(t, "expression: p_a * f_x + p_b * f_y\nfit: {scale_by_output: true, nonnegative: true}\n")
	rows := func(trace float64) []Row {
		rng := rand.New(rand.NewPCG(41, 42))
		var out []Row
		for k, f := range []map[string]float64{{"f_x": 1, "f_y": 0}, {"f_x": 1, "f_y": trace}, {"f_x": 0, "f_y": 1}} {
			for i := range 4 {
				s := 1 + float64(i)
				x, y := s*f["f_x"], s*f["f_y"]
				out = append(out, Row{Kernel: fmt.Sprint(k), Features: map[string]float64{"f_x": x, "f_y": y}, Output: (2*x + 3*y) * (1 + 0.01*rng.NormFloat64())})
			}
		}
		return out
	}
	for _, c := range []struct {
		trace   float64
		skipped string
	}{{0.01, "[2]"}, {0.3, "[2]"}, {0.67, "[]"}} {
		fit := fitRows(t, m, rows(c.trace))
		if got := fmt.Sprint(fit.Cross.Skipped); got != c.skipped {
			t.Errorf("trace %g: skipped %s, want %s", c.trace, got, c.skipped)
		}
	}
}
