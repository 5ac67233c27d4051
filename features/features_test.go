package features

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/golden"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// made returns what Make and transformations made; a test that gets an error stops.
func made(t testing.TB) func(k *kernel.Kernel, err error) *kernel.Kernel {
	return func(k *kernel.Kernel, err error) *kernel.Kernel {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
}

// tiledMatmul is the kernel of Stevens and Klöckner, section 2.1, with the tags of section 6.1.1.
func tiledMatmul(t testing.TB) *kernel.Kernel {
	ok := made(t)
	k := ok(kernel.Make(kernel.Spec{
		Name: "matmul", Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"},
		Instructions: "c[i,j] = sum(k, a$aLD[i,k]*b$bLD[k,j])",
		DTypes:       map[string]expr.DType{"a": "float32", "b": "float32", "c": "float32"},
	}))
	for _, iname := range []string{"i", "j", "k"} {
		k = ok(transform.SplitIname(k, iname, 16, transform.Split{}))
	}
	k = ok(k.Assume("n >= 1 and n % 16 = 0"))
	k = ok(transform.TagInames(k, "i_outer:g.1, i_inner:l.1, j_outer:g.0, j_inner:l.0"))
	k = ok(transform.AddPrefetch(k, "a", []string{"i_inner", "k_inner"}, transform.Prefetch{}))
	return ok(transform.AddPrefetch(k, "b", []string{"k_inner", "j_inner"}, transform.Prefetch{}))
}

// lines are the records, one a line: "key: count".
func lines(s *Statistics) []string {
	var out []string
	for _, r := range s.Records {
		out = append(out, r.Key.String()+": "+r.Count.String())
	}
	return out
}

// The counts that the paper gives for its example, with the strides of its Table 1.
func TestTiledMatmul(t *testing.T) {
	s, err := Count(tiledMatmul(t), Options{Footprint: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"float32 madd (subgroup): [n] -> { 1/32*n^3 }",
		"global float32 load a$aLD lstrides:{0:1;1:n} gstrides:{1:16*n} (workitem): [n] -> { 1/16*n^3 }",
		"global float32 load b$bLD lstrides:{0:1;1:n} gstrides:{0:16} (workitem): [n] -> { 1/16*n^3 }",
		"global float32 store c lstrides:{0:1;1:n} gstrides:{0:16;1:16*n} (workitem): [n] -> { n^2 }",
		"local float32 load a_fetch lstrides:{1:16} gstrides:{} (subgroup): [n] -> { 1/32*n^3 }",
		"local float32 load b_fetch lstrides:{0:1} gstrides:{} (subgroup): [n] -> { 1/32*n^3 }",
		"local float32 store a_fetch lstrides:{0:1;1:16} gstrides:{} (subgroup): [n] -> { 1/512*n^3 }",
		"local float32 store b_fetch lstrides:{0:1;1:16} gstrides:{} (subgroup): [n] -> { 1/512*n^3 }",
		"barrier_local: [n] -> { 1/8*n }",
		"kernel_launch: { 1 }",
		"read a: [n] -> { n^2 }",
		"read a_fetch: [n] -> { 256 }",
		"write a_fetch: [n] -> { 256 }",
		"read b: [n] -> { n^2 }",
		"read b_fetch: [n] -> { 256 }",
		"write b_fetch: [n] -> { 256 }",
		"write c: [n] -> { n^2 }",
	}
	if diff := cmp.Diff(want, lines(s)); diff != "" {
		t.Error(diff)
	}
	if got, want := s.Groups.String(), "[n] -> { 1/256*n^2 }"; got != want {
		t.Errorf("%s work-groups, want %s", got, want)
	}
	if len(s.Warnings) > 0 {
		t.Error(s.Warnings)
	}
}

// Statements over one iname i < n, without hardware axes: a record is "dtype op", counted n times its factor.
func TestOperators(t *testing.T) {
	for _, test := range []struct {
		statement string
		want      string // with factors, sorted as the records are
		opt       Options
	}{
		{"z[i] = x[i] + y[i]", "float32 add", Options{}},
		{"z[i] = x[i] - y[i]", "float32 add", Options{}},
		{"z[i] = -x[i]", "", Options{}},
		{"z[i] = (-1)*x[i]*y[i]", "float32 mul", Options{}},
		{"z[i] = -2*x[i]*y[i]", "2 float32 mul", Options{}},
		{"z[i] = x[i]*y[i]*x[i]", "2 float32 mul", Options{}},
		{"z[i] = x[i]*(y[i]*x[i])", "2 float32 mul", Options{}},
		{"z[i] = x[i]/y[i]", "float32 div", Options{}},
		{"z[i] = x[i]**2", "float32 pow", Options{}},
		{"z[i] = exp(x[i])", "float32 func:exp", Options{}},
		{"z[i] = fmin(x[i], y[i] + 1)", "float32 add, float32 func:fmin", Options{}},
		{"z[i] = minimum(x[i], y[i])", "float32 maxmin", Options{}},
		{"k[i] = h[i] // 3 + h[i] % 3", "int32 add, 2 int32 div", Options{}},
		{"k[i] = (h[i] << 2) >> 1", "2 int32 shift", Options{}},
		{"k[i] = ~h[i] & 7 | h[i]", "3 int32 bw", Options{}},
		// types
		{"z[i] = 2.5*x[i]", "float32 mul", Options{}},
		{"z[i] = 3.1*x[i]", "float32 mul", Options{}},
		{"d[i] = x[i]*d[i]", "float64 mul", Options{}},
		{"z[i] = i*x[i]", "float32 mul", Options{}},
		{"z[i] = 3*i + 2", "int32 madd", Options{}},
		{"z[i] = (h[i] + i) + x[i]", "float32 add, int32 add", Options{}},
		{"d[i] = cast(float64, x[i])*2", "float64 mul", Options{}},
		// literals below 1024 take the type of what is no integer; all other types are promoted as in numpy, but for int32 with
		// float32, which is float32
		{"d[i] = 3*x[i] + 2000*x[i]", "float32 add, 2 float32 mul", Options{NoMadd: true}},
		{"z[i] = 1024*x[i]", "float32 mul", Options{}},
		{"z[i] = 2.0f*x[i] + 0.5*x[i]", "float32 add, 2 float32 mul", Options{NoMadd: true}},
		{"d[i] = 0.1*x[i]", "float32 mul", Options{}},
		{"z[i] = 3*f[i]", "float16 mul", Options{}},
		{"z[i] = f[i] + x[i]", "float32 add", Options{}},
		{"z[i] = h[i]*f[i]", "float64 mul", Options{}},
		{"k[i] = h[i] + 5000000000", "int64 add", Options{}},
		{"q[i] = q[i]*h[i]", "int64 mul", Options{}},
		{"q[i] = u[i]*h[i]", "int64 mul", Options{}},
		{"d[i] = q[i]*x[i]", "float64 mul", Options{}},
		{"d[i] = u[i]*x[i]", "float64 mul", Options{}},
		{"z[i] = s[i]*x[i]", "float32 mul", Options{}},
		{"k[i] = s[i]*t[i]", "int16 mul", Options{}},
		{"d[i] = h[i]/k[i]", "float64 div", Options{}},
		{"k[i] = h[i] // k[i] + u[i] % 3", "int32 div, int64 add, uint32 div", Options{}},
		{"c[i] = c[i]*x[i]", "complex64 mul", Options{}},
		{"c[i] = c[i]*d[i]", "complex128 mul", Options{}},
		{"c[i] = -2*c[i]*c[i]", "2 complex64 mul", Options{}},
		{"z[i] = (x[i] < 2) * x[i]", "float32 mul", Options{}},
		{"k[i] = (i << 2) & h[i] ^ q[i]", "int32 bw, int32 shift, int64 bw", Options{}},
		{"z[i] = x[i] if h[i] < 3 and not (x[i] > 1 or i == 2) else 2*d[i]", "float64 mul", Options{}},
		{"z[i] = max(x[i], y[i], z[i])", "2 float32 maxmin", Options{}},
		{"z[i] = atan2(x[i], d[i])", "float64 func:atan2", Options{}},
		{"k[i] = abs(h[i])", "int32 func:abs", Options{}},
		{"z[i] = 2**x[i]", "float32 pow", Options{}},
		// both branches of a select; the comparison is free, its operands are not
		{"z[i] = (x[i]*2 if x[i] + y[i] > 0 else y[i]/2)", "float32 add, float32 div, float32 mul", Options{}},
		{"z[i] = x[i]*2 {if=x[i] + 1 > 0}", "float32 mul", Options{}},
		// multiply-adds: a product of the sum's type with one of its additions
		{"z[i] = z[i] + x[i]*y[i]", "float32 madd", Options{}},
		{"z[i] = x[i]*y[i] - z[i]", "float32 madd", Options{}},
		{"z[i] = z[i] - x[i]*y[i]", "float32 madd", Options{}},
		{"z[i] = z[i] + -(x[i]*y[i])", "float32 madd", Options{}},
		{"z[i] = x[i]*y[i] + x[i]*z[i]", "float32 madd, float32 mul", Options{}},
		{"z[i] = x[i]*y[i] + (x[i]*z[i] + y[i])", "2 float32 madd", Options{}},
		{"z[i] = x[i]*y[i]*z[i] + 1", "float32 madd, float32 mul", Options{}},
		{"z[i] = x[i]*(y[i] + z[i]*x[i])", "float32 madd, float32 mul", Options{}},
		{"z[i] = x[i] + (-1)*y[i]", "float32 add", Options{}},
		{"z[i] = x[i] + h[i]*i", "float32 add, int32 mul", Options{}},
		{"z[i] = x[i] + y[i]/z[i]", "float32 add, float32 div", Options{}},
		{"z[i] = z[i] + x[i]*y[i]", "float32 add, float32 mul", Options{NoMadd: true}},
		// indices
		{"z[2*i + 1] = x[3*i]", "", Options{}},
		{"z[2*i + 1] = x[3*i]", "int32 add, 2 int32 mul", Options{IndexOps: true, NoMadd: true}},
		{"z[2*i + 1] = x[3*i]", "int32 madd, int32 mul", Options{IndexOps: true}},
	} {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: test.statement, Assumptions: "n >= 1",
			DTypes: typesOf(test.statement, map[string]expr.DType{
				"x": "float32", "y": "float32", "z": "float32", "h": "int32", "k": "int32", "d": "float64",
				"c": "complex64", "f": "float16", "q": "int64", "s": "int8", "t": "uint8", "u": "uint32",
			}),
		})
		if err != nil {
			t.Errorf("%s: %v", test.statement, err)
			continue
		}
		s, err := Count(k, test.opt)
		if err != nil {
			t.Errorf("%s: %v", test.statement, err)
			continue
		}
		var got []string
		for _, r := range s.Records {
			if op, ok := r.Key.(Op); ok {
				factor, _, _ := strings.Cut(strings.TrimPrefix(r.Count.String(), "[n] -> { "), "n }")
				factor = strings.TrimSuffix(factor, "*")
				got = append(got, strings.TrimSpace(factor+" "+string(op.DType)+" "+op.Op))
			}
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: %s, want %s", test.statement, text, test.want)
		}
	}
}

// typesOf picks the types of the arrays that a statement names.
func typesOf(statement string, all map[string]expr.DType) map[string]expr.DType {
	out := map[string]expr.DType{}
	for name, t := range all {
		if strings.Contains(statement, name+"[") {
			out[name] = t
		}
	}
	return out
}

// Records of a kernel with groups g < ng of work-items l < 100 (or as the domain says).
func TestRecords(t *testing.T) {
	const domain = "{[g,l]: 0<=g<ng and 0<=l<100}"
	scattered := []*kernel.Array{{Name: "y", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 1000}}}}
	for _, test := range []struct {
		name, domain, instructions, tags string
		opt                              Options
		want                             []string
	}{
		{
			"partly filled sub-groups count", domain, "z[100*g + l] = 2*x[100*g + l]", "g:g.0, l:l.0",
			Options{},
			[]string{
				"float32 mul (subgroup): [ng] -> { 4*ng }",
				"global float32 load x lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"global float32 store z lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"sub-groups of 64", domain, "z[100*g + l] = 2*x[100*g + l]", "g:g.0, l:l.0",
			Options{SubgroupSize: 64},
			[]string{
				"float32 mul (subgroup): [ng] -> { 2*ng }",
				"global float32 load x lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"global float32 store z lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"uniform loads count once per sub-group", domain, "z[100*g + l] = x[3*g] + x[0]", "g:g.0, l:l.0",
			Options{},
			[]string{
				"float32 add (subgroup): [ng] -> { 4*ng }",
				"global float32 load x lstrides:{} gstrides:{} (subgroup): [ng] -> { 4*ng }",
				"global float32 load x lstrides:{} gstrides:{0:3} (subgroup): [ng] -> { 4*ng }",
				"global float32 store z lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"the load of an index counts, also on the left", domain, "y[h[100*g + l]] = 1.0f", "g:g.0, l:l.0",
			Options{},
			[]string{
				"global int32 load h lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"global float32 store y lstrides:{0:?} gstrides:{0:?} (workitem): [ng] -> { 100*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"floors that are constant on the domain", domain, "z[100*((100*g + l)//100) + (100*g + l)%100] = 1.0f", "g:g.0, l:l.0",
			Options{},
			[]string{
				"global float32 store z lstrides:{0:1} gstrides:{0:100} (workitem): [ng] -> { 100*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"each work-item fills its own registers", "{[g,l,q]: 0<=g<ng and 0<=l<8 and 0<=q<16}",
			"<> t = x[l]\nz[g, q, l] = t", "g:g.0, l:l.0, q:l.1",
			Options{},
			[]string{
				"global float32 load x lstrides:{0:1} gstrides:{} (workitem): [ng] -> { 128*ng }",
				"global float32 store z lstrides:{0:1;1:8} gstrides:{0:128} (workitem): [ng] -> { 128*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"redundant work", "{[g,l,q]: 0<=g<ng and 0<=l<8 and 0<=q<16}",
			"y[l] = x[l] {id=a}\nz[g, q, l] = 1.0f {id=b}", "g:g.0, l:l.0, q:l.1",
			Options{RedundantWork: true},
			[]string{
				"global float32 load x lstrides:{0:1} gstrides:{} (workitem): [ng] -> { 128*ng }",
				"global float32 store y lstrides:{0:1} gstrides:{} (workitem): [ng] -> { 128*ng }",
				"global float32 store z lstrides:{0:1;1:8} gstrides:{0:128} (workitem): [ng] -> { 128*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"no redundant work", "{[g,l,q]: 0<=g<ng and 0<=l<8 and 0<=q<16}",
			"y[l] = x[l] {id=a}\nz[g, q, l] = 1.0f {id=b}", "g:g.0, l:l.0, q:l.1",
			Options{},
			[]string{
				"global float32 load x lstrides:{0:1} gstrides:{} (workitem): [ng] -> { 8 }",
				"global float32 store y lstrides:{0:1} gstrides:{} (workitem): [ng] -> { 8 }",
				"global float32 store z lstrides:{0:1;1:8} gstrides:{0:128} (workitem): [ng] -> { 128*ng }",
				"kernel_launch: { 1 }",
			},
		},
		{
			"footprints count elements once", "{[i,j]: 0<=i<ng and 0<=j<100}", "z[i] = z[i] + sum(j, x[i + j]*w[2*j])", "",
			Options{Footprint: true},
			[]string{
				"float32 add (subgroup): [ng] -> { ng }",
				"float32 madd (subgroup): [ng] -> { 100*ng }",
				"global float32 load w lstrides:{} gstrides:{} (subgroup): [ng] -> { 100*ng }",
				"global float32 load x lstrides:{} gstrides:{} (subgroup): [ng] -> { 100*ng }",
				"global float32 load z lstrides:{} gstrides:{} (subgroup): [ng] -> { ng }",
				"global float32 store z lstrides:{} gstrides:{} (subgroup): [ng] -> { ng }",
				"kernel_launch: { 1 }",
				"read w: [ng] -> { 100 }",
				"read x: [ng] -> { 99 + ng }",
				"read z: [ng] -> { ng }",
				"write z: [ng] -> { ng }",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			ok := made(t)
			k := ok(kernel.Make(kernel.Spec{
				Domains: []string{test.domain}, Instructions: test.instructions, Assumptions: "ng >= 1", Args: scattered[:strings.Count(test.instructions, "y[h")],
				DTypes: typesOf(test.instructions, map[string]expr.DType{
					"x": "float32", "y": "float32", "z": "float32", "w": "float32", "h": "int32",
				}),
			}))
			k = ok(transform.TagInames(k, test.tags))
			s, err := Count(k, test.opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, lines(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Conditions of statements and selects, over l < 100 and i < n; Options.ExactBranches counts them where they hold.
func TestExactBranches(t *testing.T) {
	for _, test := range []struct {
		instructions  string
		loads, stores string // of x and z
		ops           string
	}{
		{"z[i,l] = 2*x[i,l] {if=l < 30}", "30*n", "30*n", "float32 mul (subgroup): [n] -> { n }"},
		{"z[i,l] = 2*x[i,l] {if=i == 0}", "100", "100", "float32 mul (subgroup): [n] -> { 4 }"},
		{"z[i,l] = 2*x[i,l] {if=not (l < 30 or l % 2 == 0)}", "35*n", "35*n", "float32 mul (subgroup): [n] -> { 4*n }"},
		{"z[i,l] = 2*x[i,l] {if=l != 5 and y[i,l] > 0}", "99*n", "99*n", "global float32 load y lstrides:{0:1} gstrides:{} (workitem): [n] -> { 99*n }"},
		{"z[i,l] = 2*x[i,l] {if=y[i,l] > 0 or l < 30}", "100*n", "100*n", "float32 mul (subgroup): [n] -> { 4*n }"},
		{"z[i,l] = (2*x[i,l] if l < 30 else 1.0f)", "30*n", "100*n", "float32 mul (subgroup): [n] -> { n }"},
		{"z[i,l] = (1.0f if l < 30 else (x[i,l] if l < 40 else 2.0f))", "10*n", "100*n", "kernel_launch: { 1 }"},
		{"if l < 30\n z[i,l] = x[i,l]\nelse\n z[i,l] = x[i,l] + x[i,l+1]\nend", "170*n", "100*n", "float32 add (subgroup): [n] -> { 4*n }"},
	} {
		ok := made(t)
		spec := kernel.Spec{
			Domains: []string{"{[i,l]: 0<=i<n and 0<=l<100}"}, Instructions: test.instructions, Assumptions: "n >= 1",
			DTypes: typesOf(test.instructions, map[string]expr.DType{"x": "float32", "y": "float32", "z": "float32"}),
		}
		k := ok(transform.TagInames(ok(kernel.Make(spec)), "l:l.0"))
		s, err := Count(k, Options{ExactBranches: true})
		if err != nil {
			t.Errorf("%s: %v", test.instructions, err)
			continue
		}
		all := strings.Join(lines(s), "\n")
		for direction, want := range map[string]string{"load x": test.loads, "store z": test.stores} {
			stride := "lstrides:{0:1} gstrides:{} (workitem)"
			if line := direction + " " + stride + ": [n] -> { " + want + " }"; !strings.Contains(all, line) {
				t.Errorf("%s: no %s in\n%s", test.instructions, line, all)
			}
		}
		if !strings.Contains(all, test.ops) {
			t.Errorf("%s: no %s in\n%s", test.instructions, test.ops, all)
		}
	}
}

// What cannot be counted is a warning, and an error for the features that need it; the rest is counted.
func TestNotCounted(t *testing.T) {
	ok := made(t)
	k := ok(kernel.Make(kernel.Spec{
		Domains: []string{"{[l,i]: 0<=l<n and 0<=i<n}"}, Instructions: "z[l] = 2*x[l] + y[l*l]", Assumptions: "n >= 1",
		Args:   []*kernel.Array{{Name: "y", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 10000}}}},
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32", "z": "float32"},
	}))
	k = ok(transform.TagInames(k, "l:l.0"))
	s, err := Count(k, Options{Footprint: true})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int64{"n": 100}
	for _, test := range []struct {
		feature, fails string
		want           float64
	}{
		{"f_mem_access_global_float32_store", "", 100},
		{"f_mem_access_global_float32_load", "", 200},
		{"f_mem_access_global_float32_store_lstrides:{0:1}", "", 100},
		{"f_op_float32_madd", "extent is not constant", 0},
		{"f_mem_access_global_float32_load_lstrides:{0:1}", "stride of y along lid(0) is not constant", 0},
		{"f_mem_access_global_float32_load_afr:1", "l*l is not affine", 0},
		{"f_cl_wall_time", "measured, not counted", 0},
	} {
		id, err := ParseID(test.feature)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Value(id, at)
		switch {
		case test.fails == "" && (err != nil || v != test.want):
			t.Errorf("%s is %v (%v), want %v", test.feature, v, err, test.want)
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%s: error %v, want one with %q", test.feature, err, test.fails)
		}
	}
	if len(s.Warnings) == 0 || !strings.Contains(s.Warnings[0].Error(), "madd (subgroup) is not counted") {
		t.Error(s.Warnings)
	}
	if slices.Contains(lines(s), "read y") {
		t.Error("a footprint that is not affine is counted")
	}
}

func TestPrint(t *testing.T) {
	s, err := Count(tiledMatmul(t), Options{Footprint: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		sizes map[string]int64
	}{{"symbolic", nil}, {"values", map[string]int64{"n": 2048}}} {
		o, err := s.JSON(test.sizes)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(o); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/matmul_"+test.name+".json", text.String())
		var table bytes.Buffer
		var columns []Values
		if test.sizes != nil {
			v, err := s.Values("value", test.sizes, nil)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, v)
		}
		if err := s.Write(&table, nil, columns...); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/matmul_"+test.name+".txt", table.String())
	}
}
