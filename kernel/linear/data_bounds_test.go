package linear_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// TestDataBounds: a loop whose bounds are assigned stands after these assignments, in the loops around them.
func TestDataBounds(t *testing.T) {
	size := []expr.Expr{expr.Int{Value: 64}}
	tile := []*kernel.Array{{Name: "tile", DType: "float32", Shape: size, Space: kernel.Local}}
	for _, c := range []struct {
		name, domains, instructions string
		steps                       []step
		want                        string // the program, or an error
	}{
		{"rows", "{[i]: 0<=i<n};{[j]: lo<=j<hi}", "c[i] = sum(j, a[j])\n<int32> lo = p[i]\n<int32> hi = p[i + 1]", nil, `
for i = 0 .. n - 1
    insn_j_init: acc_j = 0.0f
    insn_0: lo = p[i]
    insn_1: hi = p[i + 1]
    for j = lo .. hi - 1
        insn_j_update: acc_j = acc_j + a[j]
    insn: c[i] = acc_j`},
		{"pieces of rows", "{[i]: 0<=i<n};{[j]: 0<=j<m}", "<int32> m = p[i]\nc[i] = sum(j, a[j])", []step{split("j", 4)}, `
for i = 0 .. n - 1
    insn: m = p[i]
    insn_0_j_outer_j_inner_init: acc_j_outer_j_inner = 0.0f
    for j_outer = 0 .. floor((m + 3)/4) - 1
        for j_inner = 0 .. min(3, -4*j_outer + m - 1)
            insn_0_j_outer_j_inner_update: acc_j_outer_j_inner = acc_j_outer_j_inner + a[4*j_outer + j_inner]
    insn_0: c[i] = acc_j_outer_j_inner`},
		{"a length for all", "{[i]: 0<=i<n};{[j]: 0<=j<m}", "<int32> m = p[0]\nc[i] = sum(j, a[j])", nil, `
insn: m = p[0]
for i = 0 .. n - 1
    insn_0_j_init: acc_j = 0.0f
    for j = 0 .. m - 1
        insn_0_j_update: acc_j = acc_j + a[j]
    insn_0: c[i] = acc_j`},
		{"a length on an axis", "{[i]: 0<=i<16};{[j]: 0<=j<m and j<8}", "<int32> m = p[i] {id=m}\nc[i, j] = a[j]", []step{tag("j:l.0")}, `
for i = 0 .. 15
    m: m = p[i]
    if lid(0) < m
        insn: c[i, lid(0)] = a[lid(0)]`},
		{"barriers", "{[i]: 0<=i<16};{[j]: 0<=j<m}", "<int32> m = p[0]\nfor j\ntile[i] = a[j] {id=fill}\nc[j, i] = tile[15 - i] {dep=fill}\nend", []step{tag("i:l.0")}, `
insn: m = p[0]
for j = 0 .. m - 1
    barrier local (tile: read by insn_0, written by fill)
    fill: tile[lid(0)] = a[j]
    barrier local (tile: written by fill, read by insn_0)
    insn_0: c[j, lid(0)] = tile[15 - lid(0)]`},
		{
			"barriers in rows of their own", "{[i]: 0<=i<16};{[j]: 0<=j<m}", "<int32> m = p[i]\nfor j\ntile[i] = a[j] {id=fill}\nc[j, i] = tile[15 - i] {dep=fill}\nend",
			[]step{tag("i:l.0")},
			"loop j needs a barrier in it, and its bound m differs between work-items (statement insn, iname i on lid(0))",
		},
		// the row of one work-item and the next row of another may meet
		{
			"tiles of rows", "{[i]: 0<=i<16};{[j]: lo<=j<hi};{[k]: hi<=k<hi+2}",
			"<int32> lo = p[i]\n<int32> hi = p[i + 1]\ntile[j] = a[j] {id=fill, if=lo>=0}\nc[i] = sum(k, tile[k]) {dep=fill}",
			[]step{tag("i:l.0")},
			"barrier local (tile: written by fill",
		},
	} {
		spec := kernel.Spec{
			Domains: strings.Split(c.domains, ";"), Instructions: c.instructions, Temps: nil,
			Args:   []*kernel.Array{{Name: "a", DType: "float32", Shape: size}, {Name: "p", DType: "int32", Shape: []expr.Expr{expr.Int{Value: 65}}}},
			DTypes: map[string]expr.DType{},
		}
		if strings.Contains(c.instructions, "c[j, i]") {
			spec.Args = append(spec.Args, &kernel.Array{Name: "c", DType: "float32", Shape: []expr.Expr{size[0], size[0]}})
		}
		if strings.Contains(c.domains, "i<n") {
			spec.Assumptions = "n <= 64"
		}
		if strings.Contains(c.instructions, "tile") {
			spec.Temps = tile
		}
		k, err := kernel.Make(spec)
		for _, s := range c.steps {
			if err == nil {
				k, err = s(k)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		n, err := linear.New(k)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			_, got, _ = strings.Cut(n.String(), "\n")
		}
		if want := strings.TrimSpace(c.want); strings.TrimSpace(got) != want && (strings.Contains(want, "\n") || !strings.Contains(got, want)) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
