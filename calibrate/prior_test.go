package calibrate

import (
	"context"
	"math"
	"testing"

	"gpuperf/models"
)

// generalFit is a fit of a model of two costs, known to 10 %, correlated by rho.
func generalFit(t *testing.T, rho float64) (*models.Model, *Fit) {
	t.Helper()
	m, err := models.Parse("", []byte("version: 1\nname: any\noutput: f_t\nterms:\n  both: p_a * f_a + p_b * f_b\nexpression: both\n"+
		"parameters:\n  p_a: {unit: s per access}\n  p_b: {unit: s per access}\nfit: {scale_by_output: true, nonnegative: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	const sd = 0.1
	return m, &Fit{
		Model: "any", Freedom: 50, ScaleByOutput: true, Converged: true, LogSpread: 0.05,
		Parameters:   []Estimate{{Name: "p_a", Value: 2, StdErr: 2 * sd}, {Name: "p_b", Value: 3, StdErr: 3 * sd}},
		Covariance:   [][]float64{{4 * sd * sd, 6 * sd * sd * rho}, {6 * sd * sd * rho, 9 * sd * sd}},
		FeatureRange: map[string][2]float64{"f_a": {0, 10}, "f_b": {0, 10}},
	}
}

// kernelRows are rows of one cost, off by a factor from the general fit.
func kernelRows(count int, factor float64) (rows []Row) {
	for i := range count {
		rows = append(rows, Row{Kernel: "k", Features: map[string]float64{"f_a": float64(i + 1), "f_b": 0}, Output: 2 * float64(i+1) * factor})
	}
	return rows
}

// TestRefineIsThePosterior: of one cost in one model term, the logarithm is a normal mean with a normal prior, whose posterior is known.
func TestRefineIsThePosterior(t *testing.T) {
	for _, rho := range []float64{0, 0.6} {
		m, general := generalFit(t, rho)
		s := Spread{Cost: 0.3, Left: 0.2, Reach: 1, Row: 0.05}
		const count, factor = 4, 1.5
		fit, err := Refine(context.Background(), m, general, kernelRows(count, factor), s)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.01 + s.Cost*s.Cost // of both logarithms
		joint := 0.01 * rho            // their covariance
		gain := before / (before + s.Left*s.Left + s.Row*s.Row/count)
		for i, want := range []struct{ log, variance float64 }{
			{gain * math.Log(factor), before * (1 - gain)},
			{gain * joint / before * math.Log(factor), before - gain*joint*joint/before},
		} {
			e := fit.Parameters[i]
			if got := math.Log(e.Value / general.Parameters[i].Value); math.Abs(got-want.log) > 1e-5 {
				t.Errorf("rho %g: %s is off by the logarithm %g, want %g", rho, e.Name, got, want.log)
			}
			if got := e.StdErr / e.Value; math.Abs(got-math.Sqrt(want.variance)) > 1e-5 {
				t.Errorf("rho %g: %s has the relative error %g, want %g", rho, e.Name, got, math.Sqrt(want.variance))
			}
			if e.Prior == nil || e.Prior.Value != general.Parameters[i].Value || math.Abs(e.Prior.StdErr/e.Prior.Value-math.Sqrt(before)) > 1e-3 {
				t.Errorf("rho %g: %s has the prior %+v", rho, e.Name, e.Prior)
			}
		}
	}
}

// TestRefineKeepsWhatRowsDoNotShow: the other cost stays as it was, and so does a cost of 0.
func TestRefineKeepsWhatRowsDoNotShow(t *testing.T) {
	m, general := generalFit(t, 0)
	general.Parameters[1] = Estimate{Name: "p_b", Value: 3, StdErr: math.Inf(1)}
	fit, err := Refine(context.Background(), m, general, kernelRows(3, 0.5), Spread{Cost: 0.4, Reach: 1, Row: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if b := fit.Estimate("p_b"); math.Abs(b.Value-3) > 1e-6 || b.StdErr < 3 {
		t.Errorf("p_b, which nothing determines, is %g ± %g", b.Value, b.StdErr)
	}
	general.Parameters[0].Value = 0
	rows := kernelRows(3, 1)
	for i := range rows {
		rows[i].Features["f_b"] = 1
	}
	if fit, err = Refine(context.Background(), m, general, rows, Spread{Cost: 0.4, Reach: 1, Row: 0.05}); err != nil || fit.Estimate("p_a").Value != 0 {
		t.Errorf("a cost of 0 is %v, %v", fit, err)
	}
}

// TestPredictWithAPart: what was not measured of a kernel costs what the general fit says, and is as uncertain as that is.
func TestPredictWithAPart(t *testing.T) {
	m, general := generalFit(t, 0)
	fit, err := Refine(context.Background(), m, general, kernelRows(4, 1.5), Spread{Cost: 0.4, Reach: 1, Row: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPredictor(m, fit)
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]float64{"f_a": 4, "f_b": 0}
	a, widest := fit.Estimate("p_a").Value, 0.0
	for _, part := range []float64{4, 1, 0} {
		got, err := p.PredictWith(whole, map[string]float64{"f_a": part})
		if err != nil {
			t.Fatal(err)
		}
		want := part*a + (4-part)*2
		if math.Abs(got.Seconds-want) > 1e-9 {
			t.Errorf("of 4 accesses, %g measured: %g s, want %g", part, got.Seconds, want)
		}
		if width := got.Interval[1] / got.Interval[0]; width <= widest {
			t.Errorf("of 4 accesses, %g measured: the interval %v is no wider than with more", part, got.Interval)
		} else {
			widest = width
		}
		if v, _ := p.FitWith(whole, map[string]float64{"f_a": part}).Predict(m, whole); math.Abs(v.Seconds-want) > 1e-9 {
			t.Errorf("of 4 accesses, %g measured: the fit predicts %g s, want %g", part, v.Seconds, want)
		}
	}
	if got, _ := p.Predict(whole); math.Abs(got.Seconds-4*a) > 1e-9 {
		t.Errorf("the whole: %g s, want %g", got.Seconds, 4*a)
	}
}

// TestRefinedProfile: a profile keeps what a refined fit predicts with.
func TestRefinedProfile(t *testing.T) {
	m, general := generalFit(t, 0.5)
	fit, err := Refine(context.Background(), m, general, kernelRows(4, 1.5), KernelSpread)
	if err != nil {
		t.Fatal(err)
	}
	p := &Profile{}
	p.Device.Name = "d"
	p.Put(Calibration{Fit: *fit, Definition: m.String()})
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseProfile("p.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	part := map[string]float64{"f_a": 1}
	of := func(f *Fit) *Prediction {
		q, err := NewPredictor(m, f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.PredictWith(map[string]float64{"f_a": 4, "f_b": 2}, part)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if a, b := of(fit), of(&back.Models[0].Fit); a.Seconds != b.Seconds || a.Interval != b.Interval || back.Models[0].Fit.Refines != "any" {
		t.Errorf("%g s %v before, %g s %v after", a.Seconds, a.Interval, b.Seconds, b.Interval)
	}
}

// TestOffAtSizesNearEachOther: where rows are off from the model at some sizes, so are predictions near these, and not far from them. A kernel
// whose rows the model fits has narrower intervals.
func TestOffAtSizesNearEachOther(t *testing.T) {
	m, general := generalFit(t, 0)
	at := func(n float64) map[string]float64 { return map[string]float64{"f_a": n, "f_b": 0} }
	predict := func(off func(n float64) float64, n float64) *Prediction {
		var rows []Row
		for _, n := range []float64{1e3, 3e3, 1e4, 3e4, 1e5, 1e6, 3e6, 1e7, 3e7, 1e8} {
			rows = append(rows, Row{Kernel: "k", Features: at(n), Output: 2 * n * off(n)})
		}
		fit, err := Refine(context.Background(), m, general, rows, KernelSpread)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPredictor(m, fit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.PredictWith(at(n), at(n))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	beyond := func(n float64) float64 { // a cache
		if n > 3e5 {
			return 1.8
		}
		return 1
	}
	for _, n := range []float64{2e3, 2e7} {
		if got := predict(beyond, n); math.Abs(got.Seconds/(2*n*beyond(n))-1) > 0.06 {
			t.Errorf("at %g: %g s, want about %g", n, got.Seconds, 2*n*beyond(n))
		}
	}
	width := func(p *Prediction) float64 { return p.Interval[1] / p.Interval[0] }
	if fits, off := width(predict(func(float64) float64 { return 1 }, 3e4)), width(predict(beyond, 3e4)); fits > 1.2 || off < 1.5*fits-0.5 {
		t.Errorf("intervals of a factor of %g where the model fits, of %g where it does not", fits, off)
	}
}

// TestApart: rows of what is left of a kernel that the general fit gives another time say less of the kernel.
func TestApart(t *testing.T) {
	m, general := generalFit(t, 0)
	moved := math.Inf(1)
	for _, apart := range []float64{0, 0.1, 1, math.Inf(1)} {
		fit, err := Refine(context.Background(), m, general, kernelRows(4, 1.5), KernelSpread.Apart(apart))
		if err != nil {
			t.Fatal(err)
		}
		cost := fit.Estimate("p_a").Value
		if cost <= 2 || cost > 3 || cost > moved || apart > 0 && apart <= 1 && cost == moved {
			t.Errorf("times apart by a logarithm of %g: a cost of 2 that is 3 by the rows is %g, and %g where they are less apart", apart, cost, moved)
		}
		moved = cost
	}
}
