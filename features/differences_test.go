package features

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// Kernels that Loopy (at the commit that testdata/oracle_cases.json names) counts otherwise, or not at all, and why we do
// not. What differs in the kernels of that file stands in oracleDifferences.
func TestDifferences(t *testing.T) {
	for _, test := range []struct {
		why                        string
		theirs                     string // what Loopy does
		domain, instructions, tags string
		ours                       []string // among our records
		warning                    string
	}{
		{
			"elements of the local array are used in one iteration of i only: nothing that an iteration writes is read in an earlier one",
			"a second barrier in the loop, as if c did not depend on i",
			"{[i,l]: 0<=i<20 and 0<=l<64}", "c[i,l] = x[i,l] {id=w}\nz[i,l] = c[i,63-l] {dep=w}", "l:l.0",
			[]string{"barrier_local: { 20 }"},
			"",
		},
		{
			"an iteration of r reads what other work-items wrote in the one before, so that the loop needs a barrier",
			"one barrier before and one after the loop over r",
			"{[r,l]: 0<=r<n and 0<=l<64}", "c[0,l] = x[0,l] {id=w, inames=l}\nc[0,(l+r+1) % 64] = c[0,(l+r) % 64] {id=s, dep=w}", "l:l.0",
			[]string{"barrier_local: [n] -> { n }"},
			"statement s reads elements of c that other work-items write by the same statement",
		},
		{
			"x[l//4] has no constant stride",
			"lid stride 1, without the division",
			"{[g,l]: 0<=g<n and 0<=l<64}", "z[g,l] = x[g,l//4]", "g:g.0, l:l.0",
			[]string{"global float32 load x lstrides:{0:?} gstrides:{0:16} (workitem): [n] -> { 64*n }"},
			"",
		},
		{
			"an index that is read from memory has no stride along what it depends on, and is counted",
			"an error: the stride is None",
			"{[g,l]: 0<=g<n and 0<=l<64}", "z[g,l] = x[g,k[l]]", "g:g.0, l:l.0",
			[]string{
				"global float32 load x lstrides:{0:?} gstrides:{0:100} (workitem): [n] -> { 64*n }",
				"global int32 load k lstrides:{0:1} gstrides:{} (workitem): [n] -> { 64*n }",
			},
			"footprint of x (read) is not counted",
		},
		{
			"a square in an index is no stride either, and is counted",
			"an error: the index is not affine",
			"{[g,l]: 0<=g<n and 0<=l<8}", "z[g,l] = x[g,l*l]", "g:g.0, l:l.0",
			[]string{"global float32 load x lstrides:{0:?} gstrides:{0:100} (workitem): [n] -> { 8*n }"},
			"footprint of x (read) is not counted",
		},
		{
			"an index that the target needs is loaded, not stored",
			"a store of k",
			"{[g,l]: 0<=g<n and 0<=l<8}", "z[g,k[l]] = 1.0f", "g:g.0, l:l.0",
			[]string{"global int32 load k lstrides:{0:1} gstrides:{} (workitem): [n] -> { 8*n }"},
			"footprint of z (write) is not counted",
		},
		{
			"the array that is inferred for z is as long as its largest index needs, 16*(n//16), and so is its stride",
			"stride n, for the same array",
			"{[g,l]: 0<=g<n/16 and 0<=l<16}", "z[l,16*g+l] = 1.0f", "g:g.0, l:l.0",
			[]string{"global float32 store z lstrides:{0:(16*(n // 16)) + 1} gstrides:{0:16} (workitem): [n] -> { 16*floor(n/16) }"},
			"",
		},
		{
			"minimum and maximum are operations",
			"a TypeError",
			"{[g,l]: 0<=g<n and 0<=l<32}", "z[g,l] = minimum(x[g,l], maximum(y[g,l], 2.0f))", "g:g.0, l:l.0",
			[]string{"float32 maxmin (subgroup): [n] -> { 2*n }"},
			"",
		},
		{
			"arguments of functions and casts are accesses as others",
			"footprints of kernels with calls are an error, casts are not known to memory access maps",
			"{[g,l]: 0<=g<n and 0<=l<32}", "z[g,l] = exp(cast(float32, k[l])) + exp(x[g,2*l])", "g:g.0, l:l.0",
			[]string{
				"float32 func:exp (subgroup): [n] -> { 2*n }",
				"global int32 load k lstrides:{0:1} gstrides:{} (workitem): [n] -> { 32*n }",
				"read k: [n] -> { 32 }",
				"read x: [n] -> { 32*n }",
			},
			"",
		},
		{
			"what needs the size of sub-groups is not counted where a work-group's is not constant; the rest is",
			"an error for the map as a whole",
			"{[g,l]: 0<=g<4 and 0<=l<n}", "z[g,l] = 2*x[g,l] + x[g,0]", "g:g.0, l:l.0",
			[]string{"global float32 load x lstrides:{0:1} gstrides:{0:n} (workitem): [n] -> { 4*n }"},
			"float32 madd (subgroup) is not counted",
		},
	} {
		ok := made(t)
		spec := kernel.Spec{
			Domains: []string{test.domain}, Instructions: test.instructions, Assumptions: "n >= 1",
			DTypes: typesOf(test.instructions, map[string]expr.DType{"x": "float32", "y": "float32", "z": "float32", "k": "int32"}),
		}
		if !strings.Contains(test.domain, "<n") {
			spec.Assumptions = ""
		}
		array := func(name string, space kernel.Space, shape ...string) *kernel.Array {
			a := &kernel.Array{Name: name, DType: "float32", Space: space}
			for _, size := range shape {
				e, err := expr.Parse(size)
				if err != nil {
					t.Fatal(err)
				}
				a.Shape = append(a.Shape, e)
			}
			return a
		}
		if strings.Contains(test.instructions, "c[") {
			spec.Temps = append(spec.Temps, array("c", kernel.Local, "20", "64"))
		}
		switch {
		case strings.Contains(test.instructions, "k[l]]") || strings.Contains(test.instructions, "l*l]"):
			name := "x"
			if strings.HasPrefix(test.instructions, "z[g,k") {
				name = "z"
			}
			spec.Args = append(spec.Args, array(name, kernel.Global, "n", "100"))
		}
		s, err := Count(ok(transform.TagInames(ok(kernel.Make(spec)), test.tags)), Options{Footprint: true})
		if err != nil {
			t.Errorf("%s: %v", test.instructions, err)
			continue
		}
		got := "\n" + strings.Join(lines(s), "\n") + "\n"
		for _, want := range test.ours {
			if !strings.Contains(got, "\n"+want+"\n") {
				t.Errorf("%s: no %s, although %s (Loopy: %s):%s", test.instructions, want, test.why, test.theirs, got)
			}
		}
		if test.warning == "" && len(s.Warnings) > 0 {
			t.Errorf("%s: %v", test.instructions, s.Warnings)
		}
		if all := errorsText(s.Warnings); !strings.Contains(all, test.warning) {
			t.Errorf("%s: warnings %q lack %q", test.instructions, all, test.warning)
		}
	}
}

func errorsText(list []error) string {
	var text []string
	for _, err := range list {
		text = append(text, err.Error())
	}
	return strings.Join(text, "\n")
}
