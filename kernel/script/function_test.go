package script_test

import (
	"strings"
	"testing"

	"gpuperf/kernel/script"
	"gpuperf/kernel/transform"
)

func TestFunction(t *testing.T) {
	variants, err := script.Exec("k.star", `
_f = lp.Function("axpy", "a: float32, x: float32x4", lp.float32x4, body="return a*x;", definition="a*x", ops={"float32": {"mul": 4}})
one = lp.make_kernel("{[i]: 0<=i<n}", "y[4*i; 4] = axpy(2, x[4*i; 4])", functions=[_f])
one = lp.add_dtypes(one, "x: float32")
two = lp.register_function(one, lp.Function("axpy", "a: float32, x: float32x4", "float32x4", definition="a*x + x"))
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(variants) != 2 {
		t.Fatalf("%d kernels", len(variants))
	}
	for i, want := range []string{`axpy(float32 a, float32x4 x) -> float32x4 := a*x {float32 mul 4} "return a*x;"`, "axpy(float32 a, float32x4 x) -> float32x4 := a*x + x"} {
		if got := variants[i].Kernel.Function("axpy").String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if _, err := transform.Prepare(variants[i].Kernel); err != nil {
			t.Error(err)
		}
	}
	for text, want := range map[string]string{
		`lp.Function("f", "x: float33", "float32", body=";")`:                                                          `unknown element type "float33" of x`,
		`lp.Function("f", "x: float32", "float32", body=";", ops={"float32": 3})`:                                      "dict of dicts",
		`lp.Function("f", "x: float32", "float32", definition="x +")`:                                                  `a value is missing after "+"`,
		`lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2", functions=["f"])`:                                                 "expected lp.Function(...)",
		`lp.make_kernel("{[i]: 0<=i<n}", "y[i] = 2", functions=lp.Function("f", {}, "int32"))`:                         "neither a body nor a definition",
		`lp.make_kernel("{[i]: 0<=i<n}", "y[i] = f(x[i])", functions=lp.Function("g", {}, "int32", body="return 1;"))`: "calls f",
	} {
		if _, err := script.Exec("k.star", "k = "+text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
