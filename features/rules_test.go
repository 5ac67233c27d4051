package features

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// TestRules: what is counted, rule by rule, for groups g < n of work-items l < 64 unless the case says otherwise. Loopy
// fails on most of these kernels (its errors stand in testdata/oracle_cases.json and TestDifferences).
func TestRules(t *testing.T) {
	const domain = "{[g,l]: 0<=g<n and 0<=l<64}"
	const tags = "g:g.0, l:l.0"
	size := func(list ...string) []expr.Expr {
		var out []expr.Expr
		for _, text := range list {
			e, err := expr.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
		return out
	}
	for _, test := range []struct {
		name, domain, instructions, tags string
		args                             []*kernel.Array
		opt                              Options
		want                             []string // among the records
		not                              string   // in none of them
	}{
		{
			"a largest value is found with max", "{[g,l,j]: 0<=g<n and 0<=l<64 and 0<=j<m}", "z[g,l] = max(j, x[g,l,j])", tags, nil,
			Options{},
			[]string{
				"float32 func:max (subgroup): [n, m] -> { 2*n*m }",
				"global float32 load x lstrides:{0:m} gstrides:{0:64*m} (workitem): [n, m] -> { 64*n*m }",
			},
			"add",
		},
		{
			"an index of a largest value is found with comparisons and selects, which are free; the value is loaded once",
			"{[g,l,j]: 0<=g<n and 0<=l<64 and 0<=j<m}", "<> v, <> ix = argmax(j, x[g,l,j], j)\nz[g,l] = v\nk[g,l] = ix", tags, nil,
			Options{},
			[]string{
				"global float32 load x lstrides:{0:m} gstrides:{0:64*m} (workitem): [n, m] -> { 64*n*m }",
				"global int32 store k lstrides:{0:1} gstrides:{0:64} (workitem): [n, m] -> { 64*n }",
			},
			"add",
		},
		{
			"a remainder by a parameter is no stride, and is counted", domain, "z[g,l] = x[(64*g + l + 3) % n]", tags,
			[]*kernel.Array{{Name: "x", DType: "float32", Space: kernel.Global, Shape: size("n")}},
			Options{},
			[]string{"global float32 load x lstrides:{0:?} gstrides:{0:?} (workitem): [n] -> { 64*n }"},
			"",
		},
		{
			"a scalar in global memory is an access without strides", domain, "z[g,l] = x[g,l]*s", tags,
			[]*kernel.Array{{Name: "s", DType: "float32", Space: kernel.Global, Shape: []expr.Expr{}}},
			Options{Footprint: true},
			[]string{
				"global float32 load s lstrides:{} gstrides:{} (subgroup): [n] -> { 2*n }",
				"float32 mul (subgroup): [n] -> { 2*n }",
			},
			"",
		},
		{
			"a value argument is no access", domain, "z[g,l] = x[g,l]*s", tags,
			[]*kernel.Array{{Name: "s", DType: "float32", IsValue: true}},
			Options{Footprint: true},
			[]string{"read x: [n] -> { 64*n }"},
			" s ",
		},
		{
			"private temporaries are no accesses", domain, "<float32> t = x[g,l]\nz[g,l] = t + t", tags, nil,
			Options{},
			[]string{"float32 add (subgroup): [n] -> { 2*n }", "global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }"},
			" t ",
		},
		{
			"every occurrence counts, each with its tag", domain, "z[g,l] = x$a[g,l] + x$a[g,l] + x$b[g,l] + x[g,l]", tags, nil,
			Options{},
			[]string{
				"global float32 load x$a lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 128*n }",
				"global float32 load x$b lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }",
				"global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }",
			},
			"",
		},
		{
			"a sub-group of a group with two axes counts once, also where it is partly filled",
			"{[g,l,h]: 0<=g<n and 0<=l<7 and 0<=h<5}", "z[g,h,l] = 2*x[g,h] + x[0, l]", "g:g.0, l:l.0, h:l.1", nil,
			Options{SubgroupSize: 16},
			[]string{
				"float32 madd (subgroup): [n] -> { 3*n }",
				"global float32 load x lstrides:{1:1} gstrides:{0:7} (subgroup): [n] -> { 3*n }", // uniform along lid(0)
				"global float32 load x lstrides:{0:1} gstrides:{} (workitem): [n] -> { 35*n }",
			},
			"",
		},
		{
			"accesses to local memory are once per sub-group, with their strides", domain, "c[l] = x[g,l] {id=w}\nz[g,l] = c[63 - l] + c[0] {dep=w}", tags, nil,
			Options{},
			[]string{
				"local float32 load c lstrides:{} gstrides:{} (subgroup): [n] -> { 2*n }",
				"local float32 load c lstrides:{0:-1} gstrides:{} (subgroup): [n] -> { 2*n }",
				"local float32 store c lstrides:{0:1} gstrides:{} (subgroup): [n] -> { 2*n }",
				"barrier_local: [n] -> { 1 }",
			},
			"",
		},
		{
			"barriers within loops are counted with these, by what one work-item meets",
			"{[g,l,r,q]: 0<=g<n and 0<=l<64 and 0<=r<n and 0<=q<=r}", "for r, q\nc[l] = x[g,l] {id=w}\nz[g,l,r,q] = c[63 - l] {dep=w}\nend", tags, nil,
			Options{},
			[]string{"barrier_local: [n] -> { n + n^2 }", "kernel_launch: { 1 }"},
			"",
		},
		{
			"a predicate and what it tests count nothing, and reduce nothing", domain, "z[g,l] = 2*x[g,l] {if=2*y[g,l] > 0}", tags, nil,
			Options{},
			[]string{"float32 mul (subgroup): [n] -> { 2*n }", "global float32 store z lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }"},
			" y ",
		},
		{
			"blocks under a condition are both counted", domain, "if l < 10\n z[g,l] = 2*x[g,l]\nelif l < 20\n z[g,l] = x[g,l] + y[g,l]\nelse\n z[g,l] = 3*x[g,l]\nend", tags, nil,
			Options{},
			[]string{
				"float32 add (subgroup): [n] -> { 2*n }", "float32 mul (subgroup): [n] -> { 4*n }",
				"global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 192*n }",
			},
			"",
		},
		{
			"statements that are chosen", domain, "z[g,l] = 2*x[g,l] {tags=one}\nw[g,l] = x[g,l] + y[g,l] {tags=two}", tags, nil,
			Options{Within: "tag:two"},
			[]string{"float32 add (subgroup): [n] -> { 2*n }", "global float32 load x lstrides:{0:1} gstrides:{0:64} (workitem): [n] -> { 64*n }"},
			"mul",
		},
		{
			"the arithmetic of indices, in the type of the indices", domain, "z[g,l] = x[3*g + 1, l] + y[h[2*l]]", tags,
			[]*kernel.Array{{Name: "y", DType: "float32", Space: kernel.Global, Shape: size("100")}},
			Options{IndexOps: true, NoMadd: true},
			[]string{"int32 add (subgroup): [n] -> { 2*n }", "int32 mul (subgroup): [n] -> { 4*n }", "float32 add (subgroup): [n] -> { 2*n }"},
			"",
		},
		{
			"a layout of the user's", domain, "z[l,g] = x[g,l]", tags,
			[]*kernel.Array{{
				Name: "x", DType: "float32", Space: kernel.Global, Shape: size("n", "64"),
				Axes: []kernel.Axis{{Nest: 1, Stride: size("n*m")[0]}, {Nest: 0, Stride: size("5")[0]}},
			}, {Name: "m", DType: "int32", IsValue: true}},
			Options{},
			[]string{
				"global float32 load x lstrides:{0:5} gstrides:{0:m*n} (workitem): [n] -> { 64*n }",
				"global float32 store z lstrides:{0:n} gstrides:{0:1} (workitem): [n] -> { 64*n }",
			},
			"",
		},
		{
			"footprints: writes apart from reads, holes and overlaps exact, tiles too", "{[g,l]: 0<=g<n and 0<=l<64}",
			"c[l] = x[64*g + 2*l] {id=w}\nz[3*g, l] = c[l] + x[64*g + l] + exp(x[0]) {dep=w}", tags, nil,
			Options{Footprint: true},
			[]string{"read c: [n] -> { 64 }", "write c: [n] -> { 64 }", "read x: [n] -> { 32 + 64*n }", "write z: [n] -> { 64*n }"},
			"",
		},
		{
			"a scalar in an index varies with the inames within which it is assigned", "{[g,l,k]: 0<=g<n and 0<=l<64 and 0<=k<m}",
			"<int32> t = h[g]\nz[g,l,k] = y[t + 64*k + l]", tags,
			[]*kernel.Array{{Name: "y", DType: "float32", Space: kernel.Global, Shape: size("100*n")}},
			Options{},
			[]string{
				"global int32 load h lstrides:{} gstrides:{0:1} (subgroup): [n, m] -> { 2*n }",
				"global float32 load y lstrides:{0:1} gstrides:{0:?} (workitem): [n, m] -> { 64*n*m }",
			},
			"",
		},
		{
			"a scalar of every work-item's", domain, "<int32> t = h[l]\nz[g,l] = y[t + l]", tags,
			[]*kernel.Array{{Name: "y", DType: "float32", Space: kernel.Global, Shape: size("100")}},
			Options{},
			[]string{"global float32 load y lstrides:{0:?} gstrides:{} (workitem): [n] -> { 64*n }"},
			"",
		},
		{
			"nothing to count", domain, "... nop", tags, nil,
			Options{Footprint: true},
			[]string{"kernel_launch: { 1 }"},
			"float32",
		},
	} {
		ok := made(t)
		spec := kernel.Spec{
			Domains: []string{test.domain}, Instructions: test.instructions, Assumptions: "n >= 1", Args: test.args,
			DTypes: typesOf(test.instructions, map[string]expr.DType{"x": "float32", "y": "float32", "z": "float32", "w": "float32", "h": "int32", "k": "int32"}),
		}
		for _, a := range test.args {
			delete(spec.DTypes, a.Name)
		}
		if strings.Contains(test.domain, "<m") {
			spec.Assumptions += " and m >= 1"
		}
		if strings.Contains(test.instructions, "c[l]") {
			spec.Temps = append(spec.Temps, &kernel.Array{Name: "c", DType: "float32", Space: kernel.Local, Shape: size("64")})
		}
		s, err := Count(ok(transform.TagInames(ok(kernel.Make(spec)), test.tags)), test.opt)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := "\n" + strings.Join(lines(s), "\n") + "\n"
		for _, want := range test.want {
			if !strings.Contains(got, "\n"+want+"\n") {
				t.Errorf("%s: no %s in%s%v", test.name, want, got, s.Warnings)
			}
		}
		if test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("%s: %s in%s", test.name, test.not, got)
		}
	}
}

// TestConditionsAreNamed: loads that conditions make are left out of default counts, and named.
func TestConditionsAreNamed(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = 2*x[i] {if=mask[i] > 0}",
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32", "mask": "int32"}, Assumptions: "n >= 1",
	})
	if err != nil {
		t.Fatal(err)
	}
	for exact, want := range map[bool]string{false: "not the conditions of statements, which load mask", true: "mask"} {
		s, err := Count(k, Options{ExactBranches: exact})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := s.Write(&text, nil); err != nil || !strings.Contains(text.String(), want) || exact == strings.Contains(text.String(), "not the conditions") {
			t.Errorf("exact %v: %v\n%s", exact, err, &text)
		}
	}
}
