package interp_test

import (
	"math"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

func vectorNest(t *testing.T, spec kernel.Spec, tags string) (*linear.Nest, error) {
	t.Helper()
	k, err := kernel.Make(spec)
	if err == nil && tags != "" {
		k, err = transform.TagInames(k, tags)
	}
	if err != nil {
		t.Fatal(err)
	}
	return linear.New(k)
}

// TestVectors compares an expression on vectors with the same one lane by lane.
func TestVectors(t *testing.T) {
	def, err := expr.Parse("a*b + (a if s > 2 else b)")
	if err != nil {
		t.Fatal(err)
	}
	f := func(name string, of expr.DType) *kernel.Function {
		return &kernel.Function{
			Name: name, Params: []kernel.FunctionParam{{Name: "a", DType: of}, {Name: "b", DType: of}, {Name: "s", DType: "int32"}}, Result: of, Def: def,
		}
	}
	n, err := vectorNest(t, kernel.Spec{
		Domains: []string{"{[i,l]: 0<=i<4 and 0<=l<4}"}, Functions: []*kernel.Function{f("f1", "float32"), f("f4", "float32x4")},
		Instructions: `
			v[4*i; 4] = f4(sqrt(x[i; 4])/3, x[i + 2; 4]*0.1 - i, i) + max(x[i; 4], 1)
			s[4*i + l] = f1(sqrt(x[i + l])/3, x[i + 2 + l]*0.1 - i, i) + max(x[i + l], 1)
			p[4*i; 4] = cast(int32x4, 10*x[i; 4])//3 - (k[4*i; 4] & 6)
			q[4*i + l] = cast(int32, 10*x[i + l])//3 - (k[4*i + l] & 6)`,
		DTypes: map[string]expr.DType{"x": "float32", "v": "float64", "s": "float64", "p": "int32", "q": "int32", "k": "int32"},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[string]*interp.Buffer{
		"x": interp.NewBuffer("float32", 16), "v": interp.NewBuffer("float64", 16), "s": interp.NewBuffer("float64", 16),
		"p": interp.NewBuffer("int32", 16), "q": interp.NewBuffer("int32", 16), "k": interp.NewBuffer("int32", 16),
	}
	for i := range 16 {
		buffers["x"].Set(i, 0.3*float64(i))
		buffers["k"].SetInt(i, int64(7*i))
	}
	report, err := interp.Run(n, nil, buffers)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		if v, s := buffers["v"].At(i), buffers["s"].At(i); v != s || math.IsNaN(v) {
			t.Errorf("element %d is %v as part of a vector, %v alone", i, v, s)
		}
		if p, q := buffers["p"].Int(i), buffers["q"].Int(i); p != q {
			t.Errorf("element %d is %v as part of a vector, %v alone", i, p, q)
		}
	}
	if report.Stores["v"] != 16 || report.Loads["k"] != 32 {
		t.Errorf("%d elements of v stored, %d of k loaded", report.Stores["v"], report.Loads["k"])
	}
}

// TestVectorFaults: every lane is checked.
func TestVectorFaults(t *testing.T) {
	x := func(n int64) []*kernel.Array {
		return []*kernel.Array{{Name: "x", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: n}}}}
	}
	for _, c := range []struct{ name, instructions, want string }{
		{"out of bounds", "z[4*i; 4] = x[4*i + i*i*i//27; 4]", "index 16 of axis 0 is out of bounds"},
		{"undefined", "<float32> t[4*i; 2] = x[i; 2] {id=t}\nz[2*i; 2] = t[4*i + 1; 2] {dep=t}", "read before anything was written"},
		{"no definition", "z[i] = opaque(x[i])", "opaque has no definition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := vectorNest(t, kernel.Spec{
				Domains: []string{"{[i]: 0<=i<4}"}, Instructions: c.instructions, Args: x(16),
				Functions: []*kernel.Function{{Name: "opaque", Params: []kernel.FunctionParam{{Name: "x", DType: "float32"}}, Result: "float32", Body: "return x;"}},
			}, "")
			if err != nil {
				t.Fatal(err)
			}
			buffers := map[string]*interp.Buffer{"x": interp.NewBuffer("float32", 16), "z": interp.NewBuffer("float32", 16)}
			for i := range 16 {
				buffers["x"].Set(i, 1)
			}
			if _, err := interp.Run(n, nil, buffers); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestVectorRaces: work-items whose vectors overlap need a barrier, and cannot both write.
func TestVectorRaces(t *testing.T) {
	tile := []*kernel.Array{{Name: "t", DType: "float32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 20}}}}
	for _, c := range []struct {
		name, instructions string
		barriers           int
	}{
		{"own elements", "t[4*i; 4] = x[4*i; 4] {id=t}\ny[4*i; 4] = t[4*i; 4] {dep=t}", 0},
		{"one element of the next", "t[4*i; 4] = x[4*i; 4] {id=t}\ny[4*i; 4] = t[4*i + 1; 4] {dep=t}", 1},
		{"scalars of others", "t[4*i; 4] = x[4*i; 4] {id=t}\ny[4*i] = t[4*i + 4] {dep=t}", 1},
		{"scalars of its own", "t[4*i; 4] = x[4*i; 4] {id=t}\ny[4*i] = t[4*i + 3] {dep=t}", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := vectorNest(t, kernel.Spec{Domains: []string{"{[i]: 0<=i<4}"}, Instructions: c.instructions, Temps: tile, DTypes: map[string]expr.DType{"x": "float32"}}, "i:l.0")
			if err != nil {
				t.Fatal(err)
			}
			syncs, err := n.Barriers()
			if err != nil || len(syncs) != c.barriers {
				t.Errorf("%d barriers (%v), want %d\n%s", len(syncs), err, c.barriers, n)
			}
		})
	}
	n, err := vectorNest(t, kernel.Spec{
		Domains: []string{"{[i]: 0<=i<4}"}, Instructions: "y[2*i; 4] = x[4*i; 4] {if=x[i]>0}", DTypes: map[string]expr.DType{"x": "float32"},
	}, "i:g.0")
	if err != nil {
		t.Fatal(err)
	}
	x := interp.NewBuffer("float32", 16)
	for i := range 16 {
		x.Set(i, 1)
	}
	if _, err := interp.Run(n, nil, map[string]*interp.Buffer{"x": x, "y": interp.NewBuffer("float32", 16)}); err == nil || !strings.Contains(err.Error(), "race: element 2 of y") {
		t.Errorf("vectors of work-groups that overlap: %v", err)
	}
}
