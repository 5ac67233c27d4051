package interp_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
)

// TestErrorBounds: the same kernel in single and in double precision differs by no more than the bounds of both, and the bounds
// are not much larger than that of a few operations.
func TestErrorBounds(t *testing.T) {
	for _, c := range []struct {
		value string
		most  float64 // of the bounds in single precision, relative to the largest result
	}{
		{"x[i]", 0},
		{"-x[i]", 0},
		{"x[i] + x[i+1]", 1e-7},
		{"x[i] - x[i+1] + 1e-3*x[i+2]", 1e-6},
		{"x[i]*x[i+1]*x[i+2]/x[i+3]", 1e-6},
		{"x[i]/3 + x[i+1]**2.5", 4e-6},
		{"sqrt(x[i]) + exp(x[i+1]) - log(x[i+2]) + sin(x[i])*cos(x[i+1])", 3e-6},
		{"fma(x[i], x[i+1], -x[i+2])", 1e-6},
		{"min(x[i], x[i+1]) + max(x[i], 0.7) + fabs(x[i] - 1)", 1e-6},
		{"x[i] if x[i] > x[i+1] else 2*x[i+1]", 1e-7},
		{"hypot(x[i], x[i+1]) + atan2(x[i], x[i+1]) + fmod(x[i], 0.3)", 3e-6},
		{"sum(j, x[i+j]*x[j])", 1e-5},
		{"sum(j, (x[i+j] - 1)*(x[j] - 1))", 1e-3}, // cancels
		{"twice(x[i]) + twice(x[i+1])", 1e-6},
	} {
		var results [2][]float64
		var bounds [2][]float64
		for at, dtype := range []expr.DType{expr.Float32, expr.Float64} {
			def, err := expr.Parse("v*v + v")
			if err != nil {
				t.Fatal(err)
			}
			k := makeKernel(t, kernel.Spec{
				Domains: []string{"{[i]: 0<=i<64}", "{[j]: 0<=j<100}"}, Instructions: "y[i] = " + c.value,
				Args: []*kernel.Array{
					{Name: "x", DType: dtype, Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 200}}},
					{Name: "y", DType: dtype, Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 64}}},
				},
				Functions: []*kernel.Function{{Name: "twice", Params: []kernel.FunctionParam{{Name: "v", DType: dtype}}, Result: dtype, Def: def}},
			}, "")
			x, y := interp.NewBuffer(dtype, 200), interp.NewBuffer(dtype, 64)
			for i := range 200 {
				x.Set(i, float64(float32(0.5+math.Mod(float64(i)*0.6180339887, 1)))) // the same in both
			}
			if _, err := interp.Run(nestOf(t, k), nil, map[string]*interp.Buffer{"x": x, "y": y}); err != nil {
				t.Fatalf("%s: %v", c.value, err)
			}
			for i := range 64 {
				results[at], bounds[at] = append(results[at], y.At(i)), append(bounds[at], y.Err(i))
			}
		}
		largest := max(slices.Max(results[1]), -slices.Min(results[1]))
		for i, r := range results[0] {
			if d := math.Abs(r - results[1][i]); d > bounds[0][i]+bounds[1][i] {
				t.Errorf("%s: element %d is %v and %v: they differ by %g, the bounds are %g and %g", c.value, i, r, results[1][i], d, bounds[0][i], bounds[1][i])
			}
			if bounds[0][i] > c.most*largest {
				t.Errorf("%s: element %d: the bound is %g, relative to %g", c.value, i, bounds[0][i], largest)
			}
		}
	}
}

// TestSparse: some work-groups of a launch on sparse buffers write what they write in a run of all.
func TestSparse(t *testing.T) {
	const n = 1000
	k := makeKernel(t, kernel.Spec{
		Domains: []string{"{[g,l]: 0<=g<100 and 0<=l<10}"}, Instructions: "y[10*g + l] = x[999 - 10*g - l] + x[(7*(10*g + l)) % 1000]",
		Args: []*kernel.Array{
			{Name: "x", DType: "int32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: n}}},
			{Name: "y", DType: "int32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: n}}},
		},
	}, "g:g.0, l:l.0")
	data := filled("int32", n).Bytes()
	fill := func(into []byte, first int64) { copy(into, data[4*first:]) }
	whole := map[string]*interp.Buffer{"x": filled("int32", n), "y": filled("int32", n)}
	if _, err := interp.Run(nestOf(t, k), nil, whole); err != nil {
		t.Fatal(err)
	}
	sparse := map[string]*interp.Buffer{"x": interp.NewSparse("int32", n, fill), "y": interp.NewSparse("int32", n, fill)}
	report, err := interp.RunWith(nestOf(t, k), nil, sparse, interp.Options{Groups: []int64{0, 57, 99}})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Written["y"]; len(got) != 30 || got[0] != 0 || got[10] != 570 || got[29] != 999 {
		t.Errorf("written: %v", got)
	}
	for _, i := range report.Written["y"] {
		if got, want := sparse["y"].Int(int(i)), whole["y"].Int(int(i)); got != want {
			t.Errorf("y[%d] is %d, want %d", i, got, want)
		}
	}
	if _, err := interp.RunWith(nestOf(t, k), nil, whole, interp.Options{Steps: 999}); !errors.Is(err, interp.ErrSteps) {
		t.Errorf("1000 statements in 999 steps: %v", err)
	}
}
