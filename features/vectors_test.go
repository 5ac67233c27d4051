package features

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestVectorsAndFunctions: an operation on vectors counts once per lane, an access once, by the vector's type; a function
// counts as it declares, or as its definition does.
func TestVectorsAndFunctions(t *testing.T) {
	parse := func(text string) expr.Expr {
		e, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	ok := made(t)
	param := func(name string, t expr.DType) kernel.FunctionParam {
		return kernel.FunctionParam{Name: name, DType: t}
	}
	k := ok(kernel.Make(kernel.Spec{
		Domains: []string{"{[g,l]: 0<=g<n and 0<=l<32}"}, Assumptions: "n >= 1",
		Instructions: `
			y[128*g + 4*l; 4] = x[128*g + 4*l; 4]*2 + x[128*g + 4*l + 1; 4]
			z[32*g + l] = declared(w[32*g + l]) + defined(w[32*g + l], w[32*g + l]*2)
			u[128*g + 4*l; 4] = lanes(x[4*l; 4])`,
		DTypes: map[string]expr.DType{"x": "float32", "w": "float64"},
		Functions: []*kernel.Function{
			{
				Name: "declared", Params: []kernel.FunctionParam{param("x", "float64")}, Result: "float64", Body: "return sqrt(x) - 1;",
				Counts: map[expr.DType]map[string]int64{"float64": {"func:sqrt": 1, "add": 1}, "int32": {"bw": 3}},
			},
			{Name: "inner", Params: []kernel.FunctionParam{param("a", "float64")}, Result: "float64", Def: parse("a/3 if a > 2 else exp(a)"), Body: "return l;"},
			{Name: "defined", Params: []kernel.FunctionParam{param("a", "float64"), param("b", "float64")}, Result: "float64", Lets: []kernel.FunctionLet{{Name: "p", Expr: parse("a*b")}}, Def: parse("p*1.5 + p + inner(a)")},
			{Name: "lanes", Params: []kernel.FunctionParam{param("v", "float32x4")}, Result: "float32x4", Def: parse("exp(v)*v*v")},
		},
	}))
	k = ok(transform.TagInames(k, "g:g.0, l:l.0"))
	for _, branches := range []bool{false, true} {
		s, err := Count(k, Options{ExactBranches: branches})
		if err != nil {
			t.Fatal(err)
		}
		for feature, want := range map[string]float64{ // per sub-group, of which there are n, or per access of a work-item
			"f_op_float32_madd": 4, "f_op_float32_mul": 8, "f_op_float32_func:exp": 4, "f_op_float32_add": 0,
			"f_op_float64_func:sqrt": 1, "f_op_float64_add": 3, "f_op_int32_bw": 3, "f_op_float64_madd": 1, "f_op_float64_mul": 2,
			"f_op_float64_div": 1, "f_op_float64_func:exp": 1,
			"f_mem_access_global_float32x4_load": 3 * 32, "f_mem_access_global_float32x4_store": 2 * 32, "f_mem_access_global_float32_load": 0,
			"f_mem_access_global_float32x4_store_lstrides:{0:4}": 2 * 32,
			"f_mem_sectors_global_float32x4_store":               2 * 16, "f_mem_lines_global_float32x4_store": 2 * 4,
		} {
			id, err := ParseID(feature)
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Value(id, map[string]int64{"n": 3})
			if err != nil || v != 3*want {
				t.Errorf("%s is %v (%v), want %v", feature, v/3, err, want)
			}
		}
		// the load one element on reaches into one more sector and line
		id, _ := ParseID("f_mem_sectors_global_float32x4_load")
		if v, err := s.Value(id, map[string]int64{"n": 3}); err != nil || v != 3*(16+17+16) {
			t.Errorf("%v sectors loaded (%v)", v/3, err)
		}
	}
	s, err := Count(k, Options{Footprint: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Records {
		if f, is := r.Key.(Footprint); is && f.Variable == "x" {
			if v, err := r.Count.Eval(map[string]int64{"n": 3}); err != nil || v.Num().Int64() != 3*128+1 {
				t.Errorf("%v elements of x are read (%v)", v, err)
			}
		}
	}
}

// TestOpaqueFunctions: what a function does is not guessed.
func TestOpaqueFunctions(t *testing.T) {
	k := made(t)(kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = f(x[i])", DTypes: map[string]expr.DType{"x": "float32"},
		Functions: []*kernel.Function{{Name: "f", Params: []kernel.FunctionParam{{Name: "x", DType: "float32"}}, Result: "float32", Body: "return x;"}},
	}))
	if _, err := Count(k, Options{}); err == nil || !strings.Contains(err.Error(), "function f has no definition and declares no operations") {
		t.Error(err)
	}
}
