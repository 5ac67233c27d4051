package transform_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestFunctionsRefused: what a user function or an access to a vector cannot be.
func TestFunctionsRefused(t *testing.T) {
	square := &kernel.Function{Name: "square", Params: []kernel.FunctionParam{{Name: "x", DType: expr.Float32}}, Result: expr.Float32, Body: "return x*x;"}
	with := func(change func(f *kernel.Function)) []*kernel.Function {
		f := *square
		change(&f)
		return []*kernel.Function{&f}
	}
	pair := &expr.Op{Kind: expr.Add, Args: []expr.Expr{expr.Var{Name: "x"}, &expr.Cast{DType: "float32x2", Arg: expr.Var{Name: "x"}}}}
	for _, c := range []struct {
		name, instructions string
		functions          []*kernel.Function
		want               string
	}{
		{"good", "y[i] = square(x[i])", []*kernel.Function{square}, ""},
		{"unknown", "y[i] = square(x[i])", nil, "calls square, which is neither a rule nor a known function"},
		{"operands", "y[i] = square(x[i], 2)", []*kernel.Function{square}, "function square takes 1 operand, not 2"},
		{"twice", "y[i] = x[i]", []*kernel.Function{square, square}, "square is both a function and a function"},
		{"name of an array", "square[i] = x[i]", []*kernel.Function{square}, "square is both an array argument and a function"},
		{"known name", "y[i] = x[i]", with(func(f *kernel.Function) { f.Name = "sqrt" }), "the name is that of a known function"},
		{"nothing", "y[i] = x[i]", with(func(f *kernel.Function) { f.Body = "" }), "neither a body nor a definition"},
		{"result", "y[i] = x[i]", with(func(f *kernel.Function) { f.Result = "float7" }), `unknown type "float7" of the result`},
		{"parameter", "y[i] = x[i]", with(func(f *kernel.Function) { f.Params = []kernel.FunctionParam{{Name: "x", DType: "int3"}} }), `unknown type "int3" of parameter x`},
		{"parameters", "y[i] = x[i]", with(func(f *kernel.Function) {
			f.Params = []kernel.FunctionParam{{Name: "x", DType: expr.Float32}, {Name: "x", DType: expr.Int32}}
		}), "two parameters are named x"},
		{"counts", "y[i] = x[i]", with(func(f *kernel.Function) { f.Counts = map[expr.DType]map[string]int64{expr.Float32: {"addition": 1}} }), `unknown operation "addition"`},
		{"count types", "y[i] = x[i]", with(func(f *kernel.Function) { f.Counts = map[expr.DType]map[string]int64{"float32x4": {"add": 1}} }), "counted by scalar types"},
		{"definition", "y[i] = x[i]", with(func(f *kernel.Function) { f.Def = expr.Var{Name: "z"} }), "uses z, which is not defined"},
		{"recursion", "y[i] = x[i]", with(func(f *kernel.Function) { f.Def = &expr.Call{Func: "square", Args: []expr.Expr{expr.Var{Name: "x"}}} }), "calls square, which is neither"},
		{"lanes", "y[i] = x[i]", with(func(f *kernel.Function) { f.Def = pair }), "is float32x2, the result float32"},
		{"vector into a scalar", "w[i] = x[4*i; 4]", nil, "assigns float32x4 to w[i]"},
		{"array of vectors", "y[i] = x[4*i; 4]", nil, "y is of type float32x4, which only private temporaries may have"},
		{"lanes that differ", "y[4*i; 4] = x[4*i; 4] + x[2*i; 2]", nil, "different numbers of lanes"},
		{"condition on a vector", "y[4*i; 4] = x[4*i; 4] if x[4*i; 4] > 0 else 2", nil, "compares vectors"},
		{"vector across rows", "y[i] = z[4*i, 0; 2]", nil, "along an axis whose elements have a distance of 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Make(kernel.Spec{
				Domains: []string{"{[i]: 0<=i<n}"}, Instructions: c.instructions, Functions: c.functions, Assumptions: "n <= 16",
				Args: []*kernel.Array{
					{Name: "x", DType: expr.Float32, Shape: []expr.Expr{expr.Int{Value: 64}}},
					{Name: "w", DType: expr.Float32, Shape: []expr.Expr{expr.Int{Value: 64}}},
					{Name: "z", DType: expr.Float32, Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 8}, expr.Int{Value: 8}}, Axes: []kernel.Axis{{Nest: 0}, {Nest: 1}}},
				},
			})
			if err == nil {
				_, err = transform.Prepare(k)
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestFunctionsInKeys: kernels that differ in a function have different keys, and transformations keep functions.
func TestFunctionsInKeys(t *testing.T) {
	make := func(body string) *kernel.Kernel {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = f(x[i])",
			Functions: []*kernel.Function{{Name: "f", Params: []kernel.FunctionParam{{Name: "x", DType: expr.Float32}}, Result: expr.Float32, Body: body}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if make("return x;").Key() == make("return 2*x;").Key() {
		t.Error("the body of a function is not in the key")
	}
	k, err := transform.SplitIname(make("return x;"), "i", 16, transform.Split{OuterTag: "g.0", InnerTag: "l.0"})
	if err != nil || k.Function("f") == nil {
		t.Errorf("split_iname: %v, function %v", err, k.Function("f"))
	}
}
