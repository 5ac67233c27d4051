package launch

import (
	"maps"
	"testing"

	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// TestUnits: what accesses touch, by their places in the text: the second operand of a conjunction only where the first holds, and twice the same load together.
func TestUnits(t *testing.T) {
	for _, test := range []struct {
		code string
		want map[Occurrence]Units
	}{
		{"z[i] = x[i]*x[i] + x[2*i]", map[Occurrence]Units{{"insn", "x[64*i_outer + i_inner]", false}: {2 * 8, 2 * 32}, {"insn", "x[2*(64*i_outer + i_inner)]", false}: {16, 64}, {"insn", "z[64*i_outer + i_inner]", true}: {8, 32}}},
		{"z[i] = if(i >= 192 and x[i] > 0, 1, 2)", map[Occurrence]Units{{"insn", "x[64*i_outer + i_inner]", false}: {2, 8}, {"insn", "z[64*i_outer + i_inner]", true}: {8, 32}}},
		{"z[i] = if(i >= 192 or x[i] > 0, 1, 2)", map[Occurrence]Units{{"insn", "x[64*i_outer + i_inner]", false}: {6, 24}, {"insn", "z[64*i_outer + i_inner]", true}: {8, 32}}},
	} {
		variants, err := script.Exec("units.star", `
knl = lp.make_kernel("{[i]: 0<=i<n}", "`+test.code+` {id=insn}", [lp.GlobalArg("x", "float32", shape="2*n"), lp.GlobalArg("z", "float32", shape="n"), "..."])
knl = lp.split_iname(knl, "i", 64, outer_tag="g.0", inner_tag="l.0")
knl = lp.assume(knl, "n mod 64 = 0 and n >= 64")
`)
		if err != nil {
			t.Fatal(err)
		}
		n, err := linear.New(variants[0].Kernel)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(n, Options{Borders: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Units(map[string]int64{"n": 256})
		if err != nil || !maps.Equal(got, test.want) {
			t.Errorf("%s: %v (%v), want %v", test.code, got, err, test.want)
		}
	}
}
