package calibrate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/models"
)

func model(t testing.TB, text string) *models.Model {
	t.Helper()
	m, err := models.Parse("m.yaml", []byte("version: 1\nname: m\noutput: f_t\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fitRows(t testing.TB, m *models.Model, rows []Row) *Fit {
	t.Helper()
	f, err := FitRows(context.Background(), m, rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rowsOf computes the outputs of a model at known parameters, with relative noise.
func rowsOf(t testing.TB, m *models.Model, truth map[string]float64, noise float64, rng *rand.Rand, kernels []string, features []map[string]float64) []Row {
	t.Helper()
	c, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float64, len(c.Parameters))
	for i, n := range c.Parameters {
		p[i] = truth[n]
	}
	var rows []Row
	for i, f := range features {
		x := make([]float64, len(c.Features))
		for k, n := range c.Features {
			x[k] = f[n]
		}
		y := c.Eval(x, p)
		if noise > 0 {
			y *= 1 + noise*rng.NormFloat64()
		}
		rows = append(rows, Row{Kernel: kernels[i], Features: f, Output: y})
	}
	return rows
}

const overlapModel = `terms:
  overhead: p_launch * f_launch + p_group * f_groups
  gmem: p_ga * f_ga + p_gb * f_gb
  onchip: p_madd * f_madd + p_l * f_lmem
expression: overhead + overlap(gmem, onchip, p_edge)
parameters:
  p_edge: {min: 0}
fit: {scale_by_output: true, nonnegative: true}
`

// microbenchmarks are kernels as those of figure 6 of the Perflex paper: one for each cost, and one (section 7.4) in which the ratio
// of on-chip to global work goes from nothing to much.
func microbenchmarks() (kernels []string, features []map[string]float64) {
	add := func(kernel string, f map[string]float64) {
		all := map[string]float64{"f_launch": 1, "f_groups": 0, "f_ga": 0, "f_gb": 0, "f_madd": 0, "f_lmem": 0}
		maps.Copy(all, f)
		kernels, features = append(kernels, kernel), append(features, all)
	}
	for i := range 4 {
		n := math.Pow(2, float64(i))
		add("empty", map[string]float64{"f_groups": 1024 * n})
		add("madd", map[string]float64{"f_groups": 2048, "f_madd": 2e8 * n})
		add("lmem", map[string]float64{"f_groups": 2048, "f_lmem": 1e8 * n})
		add("ga", map[string]float64{"f_groups": 4096 * n, "f_ga": 2e7 * n, "f_madd": 1e5 * n})
		add("gb", map[string]float64{"f_groups": 4096 * n, "f_gb": 2e7 * n, "f_madd": 1e5 * n})
	}
	for i := range 12 {
		add("ratio", map[string]float64{"f_groups": 4096, "f_ga": 4e7, "f_lmem": 1e6 * math.Pow(2, float64(i))})
	}
	return kernels, features
}

var titanV = map[string]float64{ // of the order of table 3 of the Perflex paper
	"p_launch": 7.7e-6, "p_group": 1.6e-10, "p_ga": 3.5e-12, "p_gb": 4.8e-12, "p_madd": 5e-12, "p_l": 9.5e-12, "p_edge": 40,
}

// drawTitanV draws parameters around those of titanV, in the order of the names.
func drawTitanV(rng *rand.Rand, names []string) map[string]float64 {
	truth := make(map[string]float64)
	for _, n := range names {
		truth[n] = titanV[n] * math.Pow(10, 1.5*(2*rng.Float64()-1))
	}
	truth["p_edge"] = math.Pow(10, 1.46+0.5*rng.Float64()) // sharper ones are not told from each other, softer ones are none
	return truth
}

// foundWrong fits rows without noise, which must be met, and says which parameters are wrong that the fit calls certain to 0.1 %.
func foundWrong(t *testing.T, m *models.Model, truth map[string]float64) (wrong []string) {
	t.Helper()
	kernels, features := microbenchmarks()
	fit, err := FitRows(t.Context(), m, rowsOf(t, m, truth, 0, nil, kernels, features), Options{NoCrossValidation: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range fit.Parameters {
		if want := truth[e.Name]; e.StdErr < 1e-3*e.Value && math.Abs(e.Value-want) > 1e-3*want {
			wrong = append(wrong, fmt.Sprintf("%v: %s = %g with standard error %g, want %g", truth, e.Name, e.Value, e.StdErr, want))
		}
	}
	if fit.GeomeanRelErr > 1e-5 {
		t.Errorf("%v: error %g %s %v", truth, fit.GeomeanRelErr, fit.Status, fit.Parameters)
	}
	return wrong
}

// drawShuffled draws parameters around those of titanV, in an order of its own.
func drawShuffled(seed uint64) map[string]float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	names := slices.Sorted(maps.Keys(titanV))
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return drawTitanV(rng, names)
}

// TestFindsParametersFromNothing: parameters are found, or known not to be, in whatever order they are drawn.
func TestFindsParametersFromNothing(t *testing.T) {
	t.Parallel()
	m := model(t, overlapModel)
	n := 10
	if os.Getenv("LONG") != "" {
		n = 2000
	}
	var wrong []string
	for seed := range uint64(n) {
		wrong = append(wrong, foundWrong(t, m, drawShuffled(seed))...)
	}
	if len(wrong) > 0 {
		t.Errorf("of %d models:\n%s", n, strings.Join(wrong, "\n"))
	}
}

// TestHiddenCosts: costs that larger ones hide in all rows, by an edge that is sharp. The rows are met too where a hidden cost equals the larger one, and
// there the slopes are steep, as if it were certain.
func TestHiddenCosts(t *testing.T) {
	t.Parallel()
	m := model(t, overlapModel)
	for _, seed := range []uint64{
		130, // a sharper edge and a lower cost meet the rows as well
		495, // two values of a cost
		516, // the edge makes no more difference than rounding does
		563, // a cost of any smaller value
	} {
		for _, w := range foundWrong(t, m, drawTitanV(rand.New(rand.NewPCG(seed, 22)), slices.Sorted(maps.Keys(titanV)))) {
			t.Error(w)
		}
	}
	for _, seed := range []uint64{
		178,  // an edge that rows leave open, and with it a cost
		1170, // two values of a cost next to each other, as the form is less than the larger of two equal costs
		1733, // two values of a cost and of the edge
	} {
		for _, w := range foundWrong(t, m, drawShuffled(seed)) {
			t.Error(w)
		}
	}
}

// TestBentModels: parameters of which other values are as many standard errors away as none should be, and hardly less likely, are said to be less certain than that.
func TestBentModels(t *testing.T) {
	for _, seed := range []uint64{
		1132, // another minimum, 1 % higher
		1276, // an exponent that may be any larger one
	} {
		k := drawKnown(seed)
		if fit := fitRows(t, k.model, k.rows); !strings.Contains(strings.Join(fit.Warnings, "\n"), "less certain than its standard error") {
			t.Errorf("seed %d: %v, really %v\n%s", seed, fit.Parameters, k.truth, strings.Join(fit.Warnings, "\n"))
		}
	}
}

// TestNoise: with noise of 2 % the parameters lie within four standard errors, which are themselves of the order of the noise, and
// unseen sizes are predicted as well as the noise allows.
func TestNoise(t *testing.T) {
	m := model(t, overlapModel)
	kernels, features := microbenchmarks()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		fit := fitRows(t, m, rowsOf(t, m, titanV, 0.02, rng, kernels, features))
		for _, e := range fit.Parameters {
			if math.Abs(e.Value-titanV[e.Name]) > 4*e.StdErr && e.AtBound == "" {
				t.Errorf("%s = %g ± %g, want %g", e.Name, e.Value, e.StdErr, titanV[e.Name])
			}
			if e.Name != "p_edge" && e.Name != "p_group" && e.StdErr > 0.05*e.Value {
				t.Errorf("%s = %g ± %g, too uncertain", e.Name, e.Value, e.StdErr)
			}
		}
		if fit.GeomeanRelErr > 0.02 || fit.GeomeanRelErr < 0.002 {
			t.Errorf("error %g", fit.GeomeanRelErr)
		}
	}
}

// TestScalingIsThePapers: for a linear model weighting the residuals by 1/t is the same as dividing features and output by t.
func TestScalingIsThePapers(t *testing.T) {
	const expression = "expression: p_a * f_x + p_b * f_y\n"
	weighted := model(t, expression+"fit: {scale_by_output: true}\n")
	plain := model(t, expression)
	rng := rand.New(rand.NewPCG(5, 6))
	var rows, divided []Row
	for range 20 {
		x, y := 1e6*rng.Float64(), 1e6*rng.Float64()
		out := (3e-9*x + 5e-9*y) * (1 + 0.2*rng.NormFloat64())
		rows = append(rows, Row{Features: map[string]float64{"f_x": x, "f_y": y}, Output: out})
		divided = append(divided, Row{Features: map[string]float64{"f_x": x / out, "f_y": y / out}, Output: 1})
	}
	a, b := fitRows(t, weighted, rows), fitRows(t, plain, divided)
	for i := range a.Parameters {
		if d := math.Abs(a.Parameters[i].Value/b.Parameters[i].Value - 1); d > 1e-9 {
			t.Errorf("%s: %g weighted, %g divided", a.Parameters[i].Name, a.Parameters[i].Value, b.Parameters[i].Value)
		}
	}
	if math.Abs(a.Residual-b.Residual) > 1e-9*b.Residual {
		t.Errorf("residual %g weighted, %g divided", a.Residual, b.Residual)
	}
	c := fitRows(t, plain, rows)
	if math.Abs(c.Parameters[0].Value/a.Parameters[0].Value-1) < 1e-6 {
		t.Error("scaling makes no difference: the test shows nothing")
	}
}

// TestOverlapOfThePaperDoesNotScale shows why overlap has the contrast of two costs in it and not, as equation 5 of the paper, their
// difference: fitted on features divided by the output, where costs are near 1, that edge is far too soft in seconds.
func TestOverlapOfThePaperDoesNotScale(t *testing.T) {
	const terms = "terms:\n  gmem: p_g * f_ga\n  onchip: p_l * f_lmem\n"
	ours := model(t, terms+"expression: overlap(gmem, onchip, p_edge)\nfit: {scale_by_output: true, nonnegative: true}\n")
	literal := model(t, terms+"expression: gmem * step(gmem - onchip, p_edge) + onchip * step(onchip - gmem, p_edge)\nfit: {nonnegative: true}\n")
	truth := map[string]float64{"p_g": 3.5e-12, "p_l": 9.5e-12, "p_edge": 30}
	var kernels []string
	var features []map[string]float64
	for i := range 24 {
		kernels = append(kernels, "ratio")
		features = append(features, map[string]float64{"f_ga": 4e7, "f_lmem": 1.47e7 * math.Pow(1.015, float64(i-12))})
	}
	rows := rowsOf(t, ours, truth, 0.01, rand.New(rand.NewPCG(7, 8)), kernels, features)
	var divided []Row
	for _, r := range rows {
		divided = append(divided, Row{Kernel: r.Kernel, Output: 1, Features: map[string]float64{
			"f_ga": r.Features["f_ga"] / r.Output, "f_lmem": r.Features["f_lmem"] / r.Output,
		}})
	}
	relative := func(m *models.Model, f *Fit) float64 {
		var predicted, measured []float64
		for _, r := range rows {
			p, err := f.Predict(m, r.Features)
			if err != nil {
				t.Fatal(err)
			}
			predicted, measured = append(predicted, p.Seconds), append(measured, r.Output)
		}
		return GeomeanRelativeError(predicted, measured)
	}
	a, b := fitRows(t, ours, rows), fitRows(t, literal, divided)
	ea, eb := relative(ours, a), relative(literal, b)
	t.Logf("contrast: fit error %.2g, prediction error %.2g, p_edge %.3g", a.GeomeanRelErr, ea, a.Estimate("p_edge").Value)
	t.Logf("paper:    fit error %.2g, prediction error %.2g, p_edge %.3g", b.GeomeanRelErr, eb, b.Estimate("p_edge").Value)
	if b.GeomeanRelErr > 0.02 {
		t.Errorf("the literal model fits badly (%g), which the test does not mean to show", b.GeomeanRelErr)
	}
	if ea > 0.02 || eb < 5*ea {
		t.Errorf("prediction error %g with the contrast, %g with the difference", ea, eb)
	}
}

func TestWarnings(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	row := func(out float64, v ...float64) Row {
		r := Row{Features: map[string]float64{}, Output: out}
		for i, x := range v {
			r.Features[fmt.Sprintf("f_%c", 'x'+i)] = x
		}
		return r
	}
	var plane []Row // t = 2 x + 3 y with noise
	for range 12 {
		x, y := rng.Float64(), rng.Float64()
		plane = append(plane, row(2*x+3*y+0.01*rng.NormFloat64(), x, y, 0))
	}
	var parallel []Row // y = 2 x but for a millionth
	for i := range 12 {
		x := float64(i + 1)
		parallel = append(parallel, row(x+0.001*rng.NormFloat64(), x, 2*x*(1+1e-9*float64(i%3))))
	}
	var even []Row // t = 2 x + 3 y and an error that no function of x and y explains
	for range 12 {
		x, y := rng.Float64(), rng.Float64()
		even = append(even, row(2*x+3*y+0.01, x, y), row(2*x+3*y-0.01, x, y))
	}
	for _, c := range []struct {
		name, model string
		rows        []Row
		want        []string
	}{
		{"none", "expression: p_a * f_x + p_b * f_y\n", plane, nil},
		{"lower bound", "expression: p_a * f_x + p_b * f_y + p_c\nparameters: {p_b: {min: 4}}\n", plane, []string{"p_b: at its lower bound 4"}},
		{"upper bound", "expression: p_a * f_x + p_b * f_y\nparameters: {p_a: {max: 1}}\n", plane, []string{"p_a: at its upper bound 1"}},
		{
			"zero feature", "expression: p_a * f_x + p_b * f_y + p_c * f_z\n", plane,
			[]string{"feature f_z: 0 in every row", "p_c: cannot be identified, no row depends on it"},
		},
		{
			"alike", "expression: p_a * f_x + p_b * f_y + p_c * f_x\n", plane,
			[]string{"p_a and p_c: cannot be identified separately, the rows determine only combinations of them"},
		},
		{"nearly alike", "expression: p_a * f_x + p_b * f_y\n", parallel, []string{"p_a and p_b: nearly indistinguishable", "p_a and p_b: strongly correlated (-1.0000)"}},
		{"few", "expression: p_a * f_x + p_b * f_y\n", plane[:1], []string{"1 row for 2 parameters, measure more kernels or sizes"}},
		{"just enough", "expression: p_a * f_x + p_b * f_y\n", plane[:2], []string{"2 rows for 2 parameters, no degrees of freedom are left"}},
		{"insignificant", "expression: p_a * f_x + p_b * f_y + p_c * f_x * f_y\n", even, []string{"p_c: poorly determined"}},
	} {
		fit := fitRows(t, model(t, c.model), c.rows)
		all := strings.Join(fit.Warnings, "\n")
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: warnings\n%s\nlack %q", c.name, all, want)
			}
		}
		if c.want == nil && all != "" {
			t.Errorf("%s: unwanted warnings\n%s", c.name, all)
		}
	}
}

func TestRefusedRows(t *testing.T) {
	scaled := model(t, "expression: p_a * f_x\nfit: {scale_by_output: true}\n")
	good := Row{Features: map[string]float64{"f_x": 1}, Output: 1}
	for _, c := range []struct {
		rows []Row
		want string
	}{
		{nil, "no rows to fit m to"},
		{[]Row{good, {Features: map[string]float64{"f_y": 1}, Output: 1}}, "row 2: no value for the feature f_x of model m"},
		{[]Row{{Label: "a.csv:7", Features: map[string]float64{"f_x": 1}}}, "a.csv:7: the output is 0, and residuals scaled by the output need it positive"},
		{[]Row{{Features: map[string]float64{"f_x": math.NaN()}, Output: 1}}, "row 1: the feature f_x is NaN"},
		{[]Row{{Features: map[string]float64{"f_x": 1}, Output: math.Inf(1)}}, "row 1: the output is +Inf"},
		{[]Row{{Features: map[string]float64{"f_x": 1}, Output: 1, Weight: -1}}, "row 1: the weight -1 is not positive"},
	} {
		if _, err := FitRows(context.Background(), scaled, c.rows, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := FitRows(context.Background(), model(t, "expression: 2 * f_x\n"), []Row{good}, Options{}); err == nil {
		t.Error("a model without parameters was fitted")
	}
	if _, err := FitRows(context.Background(), scaled, []Row{good}, Options{Init: map[string]float64{"p_b": 1}}); err == nil || !strings.Contains(err.Error(), "p_b") {
		t.Errorf("got %v", err)
	}
	log := model(t, "expression: log(-p_a * f_x)\nparameters: {p_a: {init: 1, min: 0.5}}\n")
	if _, err := FitRows(context.Background(), log, []Row{good}, Options{}); err == nil || !strings.Contains(err.Error(), "no finite value and derivatives at any starting point") {
		t.Errorf("got %v", err)
	}
	// A finite value with a derivative that is not: a step at minus infinity.
	root := model(t, "expression: p_a * f_x * (1 + step(log(f_x - 1), p_b))\nparameters: {p_a: {init: 1}, p_b: {init: 0.5, min: 0.1, max: 1}}\n")
	rows := []Row{{Label: "dot", Features: map[string]float64{"f_x": 1}, Output: 2}, {Features: map[string]float64{"f_x": 5}, Output: 12}}
	if _, err := FitRows(context.Background(), root, rows, Options{}); err == nil || !strings.Contains(err.Error(), "the derivative of the expression by p_b is") || !strings.Contains(err.Error(), "for dot") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledFit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	kernels, features := microbenchmarks()
	m := model(t, overlapModel)
	if _, err := FitRows(ctx, m, rowsOf(t, m, titanV, 0, nil, kernels, features), Options{}); err == nil {
		t.Error("a cancelled fit gave parameters")
	}
}

// TestFitIsReproducible: the random starting points come from a fixed seed.
func TestFitIsReproducible(t *testing.T) {
	m := model(t, overlapModel)
	kernels, features := microbenchmarks()
	rows := rowsOf(t, m, titanV, 0.05, rand.New(rand.NewPCG(11, 12)), kernels, features)
	a, b := fitRows(t, m, rows), fitRows(t, m, rows)
	if last := a.History[len(a.History)-1]; last.N != a.Iterations || a.Iterations < 2 || a.History[0].N != 0 {
		t.Errorf("%d iterations, the history ends with number %d", a.Iterations, last.N)
	}
	for i := range a.Parameters {
		if a.Parameters[i] != b.Parameters[i] {
			t.Errorf("%+v, then %+v", a.Parameters[i], b.Parameters[i])
		}
	}
}

// TestCrossValidation compares with leaving out by hand.
func TestCrossValidation(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var rows []Row
	for i := range 9 {
		x, y := 1+rng.Float64(), 1+rng.Float64()
		rows = append(rows, Row{
			Kernel: fmt.Sprint(i / 3), Features: map[string]float64{"f_x": x, "f_y": y},
			Output: (2*x + 3*y) * (1 + 0.1*rng.NormFloat64()),
		})
	}
	// a kernel with a feature of its own, about which the others say nothing
	rows = append(rows, Row{Kernel: "alone", Features: map[string]float64{"f_x": 0, "f_y": 0, "f_z": 1}, Output: 1})
	for i := range rows {
		if rows[i].Kernel != "alone" {
			rows[i].Features["f_z"] = 0
		}
	}
	m := model(t, "expression: p_a * f_x + p_b * f_y + p_c * f_z\nfit: {scale_by_output: true}\n")
	fit := fitRows(t, m, rows)
	var predicted, measured []float64
	for _, left := range []string{"0", "1", "2"} {
		var rest []Row
		for _, r := range rows {
			if r.Kernel != left {
				rest = append(rest, r)
			}
		}
		part := fitRows(t, m, rest)
		for _, r := range rows {
			if r.Kernel == left {
				p, err := part.Predict(m, r.Features)
				if err != nil {
					t.Fatal(err)
				}
				predicted, measured = append(predicted, p.Seconds), append(measured, r.Output)
			}
		}
	}
	want := GeomeanRelativeError(predicted, measured)
	if fit.Cross == nil || math.Abs(fit.Cross.GeomeanRelErr-want) > 1e-9 || fit.Cross.Kernels != 3 || len(fit.Cross.Skipped) != 1 {
		t.Errorf("%+v, want %g for 3 kernels and 1 skipped", fit.Cross, want)
	}
}

// TestCrossValidationOfManyKernels: several are held out together, so that the work grows with the number of rows and not with its square.
func TestCrossValidationOfManyKernels(t *testing.T) {
	var rows []Row
	for i := range 5000 {
		rows = append(rows, Row{Features: map[string]float64{"f_x": float64(1 + i%7)}, Output: float64(1+i%7) * (1 + 0.01*float64(i%3))})
	}
	cross := fitRows(t, model(t, "expression: p_a * f_x\n"), rows).Cross
	if cross == nil || cross.Kernels != 5000 || len(cross.ByKernel) > 400 || len(cross.ByKernel) < 10 || !strings.HasSuffix(cross.ByKernel[0].Kernel, " more") {
		t.Errorf("%+v", cross)
	}
}

func TestGeomeanRelativeError(t *testing.T) {
	if got := GeomeanRelativeError([]float64{1.1, 0.6}, []float64{1, 1}); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("got %g, want the root of 0.1 times 0.4", got)
	}
	if got := GeomeanRelativeError([]float64{1, 2}, []float64{1, 1}); math.Abs(got-1e-3) > 1e-12 {
		t.Errorf("got %g, want an exact hit to count as 1e-6", got)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct { // table 3 of the Perflex paper
		value float64
		unit  string
		want  float64
		name  string
	}{
		{5.4e-12, "s per 32 op", 5.9e12, "op/s"},
		{5.0e-12, "s per 64 op", 12.8e12, "op/s"},
		{9.5e-12, "s per 128 B", 1.3e13, "B/s"},
		{3.5e-12, "s per 4 B", 1.1e12, "B/s"},
		{9.5e-12, "s per 4 B per lane", 1.3e13, "B/s"},
		{2, "s/launch", 0.5, "launch/s"},
		{2, "s per work group", 0.5, "work group/s"},
	} {
		got, unit, ok := Rate(c.value, c.unit, 32)
		if !ok || unit != c.name || math.Abs(got-c.want) > 0.05*c.want {
			t.Errorf("Rate(%g, %q) = %g %s, want %g %s", c.value, c.unit, got, unit, c.want, c.name)
		}
	}
	for _, unit := range []string{"", "s", "s per", "s per 32", "1", "slow", "seconds per op"} {
		if _, _, ok := Rate(1, unit, 32); ok {
			t.Errorf("%q gives a rate", unit)
		}
	}
	if _, _, ok := Rate(1, "s per op per lane", 0); ok {
		t.Error("a cost per lane gives a rate when the lanes are not known")
	}
	if _, _, ok := Rate(0, "s per op", 32); ok {
		t.Error("a cost of 0 gives a rate")
	}
}

// TestFitWithoutErrorAsJSON: relative to an output of 0 there is no error, which JSON gives as null.
func TestFitWithoutErrorAsJSON(t *testing.T) {
	fit := Fit{Model: "m", GeomeanRelErr: math.Inf(1), Cross: &CrossEval{GeomeanRelErr: math.Inf(1), Kernels: 3}}
	text, err := json.Marshal(&fit)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"cross_validation":{"geomean_relative_error":null,"kernels":3}`; !strings.Contains(string(text), want) {
		t.Errorf("%s does not contain %s", text, want)
	}
}

// A fit does not depend on the unit of the output, however small or large its numbers are in it.
func TestFitInAnyUnit(t *testing.T) {
	m, err := models.New("m", "f_y", "p_a * f_x + p_b")
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []float64{1e-300, 1e-160, 1, 1e160, 1e300} {
		var rows []Row
		for x := 1.0; x <= 5; x++ {
			rows = append(rows, Row{Features: map[string]float64{"f_x": x}, Output: (3*x + 2) * unit})
		}
		fit, err := FitRows(context.Background(), m, rows, Options{})
		if err != nil {
			t.Errorf("unit %g: %v", unit, err)
			continue
		}
		a, b := fit.Estimate("p_a").Value/unit, fit.Estimate("p_b").Value/unit
		if math.Abs(a-3) > 1e-9 || math.Abs(b-2) > 1e-9 {
			t.Errorf("unit %g: %g*x + %g, want 3*x + 2", unit, a, b)
		}
	}
}
