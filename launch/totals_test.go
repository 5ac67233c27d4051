package launch

import (
	"math"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// totalsKernel is a kernel whose totals are counted by hand: 320 work-groups of 4x24 work-items, which are 3 full sub-groups each, load
// an element, pass a barrier, and load m times more. The element stays in a register to the end; rows of local memory that are read in
// reverse take two cycles, for 24 and 8 work-items of a sub-group meet in banks.
const totalsKernel = `
knl = lp.make_kernel("{[g,l1,l0,k]: 0<=g<320 and 0<=l1<4 and 0<=l0<24 and 0<=k<m}",
    """
    for g,l1,l0
        t[l1,l0] = a[g,l1,l0] {id=fill}
        ... lbarrier {id=meet, dep=fill}
        <> s = t[3-l1,l0] {id=start, dep=meet}
        for k
            s = s*b[k] + 1 {id=add, dep=start}
        end
        c[g,l1,l0] = s/a[g,l1,l0] {dep=add}
    end
    """,
    [lp.GlobalArg("a", "float32", shape="320,4,24"), lp.GlobalArg("b", "float32", shape="m"), lp.GlobalArg("c", "float32", shape="320,4,24"),
     lp.TemporaryVariable("t", "float32", shape=(4,24), address_space=lp.AddressSpace.LOCAL), "..."])
knl = lp.assume(knl, "m >= 1")
knl = lp.tag_inames(knl, "g:g.0, l0:l.0, l1:l.1")
`

func TestStaticTotals(t *testing.T) {
	variants, err := script.Exec("totals.star", totalsKernel)
	if err != nil {
		t.Fatal(err)
	}
	n, err := linear.New(variants[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	// Ten groups at once on each of 16 multiprocessors: 2 waves, and 20 groups on each.
	device := h200.With(facts.Multiprocessors, 16, "test").With(facts.Groups, 10, "test")
	v, err := vectorAt(n, map[string]int64{"m": 50}, Options{Device: device})
	if err != nil {
		t.Fatal(err)
	}
	const groups, warps = 320, 320 * 3
	for name, want := range map[string]float64{
		"launches": 1, "groups": groups, "sub_groups": warps,
		"data_bytes": 2*4*96*320 + 4*50, "tile_bytes": groups * (2*4*96 + 4*50),
		"lines": warps * (2 + 50), "wavefronts": warps * (2 + 1 + 2 + 50), "accesses": warps * (2 + 2 + 50),
		"arithmetic": warps * 50, "divisions": warps, "functions": 0, "barriers": warps,
		"load_rounds": 2 * 51, "iterations": 2 * 50, "phases": 2,
	} {
		totals, err := v.Totals([]string{"f_static_" + name})
		if err != nil {
			t.Fatal(err)
		}
		if got := totals[0]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v\n%s", name, got, want, n)
		}
	}
}

// What the multiprocessor with most work-groups does takes all of them that long.
func TestBusiest(t *testing.T) {
	for _, test := range []struct{ groups, resident, multiprocessors, want float64 }{
		{132, 8, 132, 1}, {133, 8, 132, 2 * 132 / 133.}, {66, 8, 132, 2}, {1, 1, 132, 132}, {1320, 3, 132, 1},
	} {
		lacks := ""
		v := statics{map[string]int{"work_groups": 0, "groups_resident": 1, "waves": 2}, []float64{
			test.groups, test.resident, test.groups / test.resident / test.multiprocessors,
		}, &lacks}
		if got := v.busiest(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", test, got, test.want)
		}
	}
}

func TestTotalsErrors(t *testing.T) {
	for _, test := range []struct {
		names []string
		id    string
		want  string
	}{
		{Names(h200), "f_sub_groups", "not made from static features"},
		{Names(h200)[:3], "f_static_groups", "is made from work_groups, which the vectors lack"},
	} {
		if _, err := NewSelection(test.names, []string{test.id}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.id, err)
		}
	}
	for _, s := range Totals() {
		if _, err := NewSelection(Names(h200), []string{s.Feature()}); (err != nil) != s.Walked {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
