package calibrate

import (
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
