package launch

import (
	"fmt"
	"testing"

	"gpuperf/device/facts"
)

// TestConstants: a constant that all work-items of a sub-group ask for is an operand, and moves nothing; different ones take a turn each, longer where
// the cache of constants lacks them.
func TestConstants(t *testing.T) {
	gap, far := h200.Value(facts.ConstantGap), h200.Value(facts.ConstantScattered)
	half := int64(h200.Value(facts.ConstantBytes)) / 4 * 2 // twice the elements that the cache holds
	for _, c := range []struct {
		index                    string
		elements                 int64
		loads, addresses, cycles float64
		local                    float64
	}{
		{index: "3", elements: 64, loads: 1, addresses: 1},
		{index: "g0 % 64", elements: 64, loads: 1, addresses: 1},
		{index: "l0", elements: 32, loads: 1, addresses: 32, cycles: 32 * gap, local: 1},
		{index: "l0 // 8", elements: 32, loads: 1, addresses: 4, cycles: 4 * gap, local: 1},
		{index: "l0", elements: half, loads: 1, addresses: 32, cycles: 32 * (gap + far/2), local: 1},
	} {
		p := compiled(t, fmt.Sprintf(`
knl = lp.make_kernel("{[g0,l0]: 0<=g0<n and 0<=l0<32}", "y[g0, l0] = c[%s]", [lp.ConstantArg("c", "float32", shape = "%d"), lp.GlobalArg("y", "float32"), "..."], assumptions = "n >= 1")
knl = lp.tag_inames(knl, "l0:l.0, g0:g.0")
`, c.index, c.elements))
		names := []string{"constant_loads", "constant_addresses", "wavefronts", "local_accesses", "global_accesses", "dram_read_bytes"}
		want := []float64{c.loads, c.addresses, c.cycles + 1, c.local, 1, 0} // the store takes one cycle
		for i, name := range names {
			got, err := p.Totals(map[string]int64{"n": 132}, []string{"f_static_" + name})
			if err != nil || got[0] != 132*want[i] {
				t.Errorf("c[%s] of %d elements: %s is %v, %v; want 132 times %g", c.index, c.elements, name, got, err, want[i])
			}
		}
	}
}
