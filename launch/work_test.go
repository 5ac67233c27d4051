package launch

import (
	"reflect"
	"strings"
	"testing"

	hw "gpuperf/device/machine"

	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// Sums of eight elements by work-groups of 128 that fetch what they add: what a launch does, worked out by hand.
func TestWork(t *testing.T) {
	variants, err := script.Exec("sums.star", `
knl = lp.make_kernel("{[i,k]: 0<=i<n and 0<=k<8}", "z[i] = sum(k, a[k,i]*b[i])", [lp.GlobalArg("a", "float32", shape="8, n"), lp.GlobalArg("b", "float32", shape="n"), lp.GlobalArg("z", "float32", shape="n"), "..."])
knl = lp.split_iname(knl, "i", 128, outer_tag="g.0", inner_tag="l.0")
knl = lp.assume(knl, "n mod 128 = 0 and n >= 128")
`)
	if err != nil {
		t.Fatal(err)
	}
	n, err := linear.New(variants[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(n, Options{Device: h200})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.At(map[string]int64{"n": 1280})
	if err != nil {
		t.Fatal(err)
	}
	on := hw.Of(h200)
	work, err := NewWork(v.Names(), on)
	if err != nil {
		t.Fatal(err)
	}
	got := work.At(v.Values)
	const each = 8 + 1 + 1 // loads of a work-item, which holds what it adds, and its store
	want := hw.Work{       // to issue are 8 multiply-adds and 8 iterations as well
		Launches: 1, GlobalBytes: 4 * 1280 * (8 + 2), Groups: 10, Group: hw.Group{Items: 128, Registers: got.Registers, Subgroup: 32},
		Issue: each + 8 + 8, Rounds: got.Rounds, Lines: each * 4, Bytes: 4 * 128 * (8 + 2),
	}
	if got.Registers == 0 || got.Rounds < 1 || got.Rounds > 9 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := NewWork(v.Names()[1:], on); err == nil || !strings.Contains(err.Error(), v.Names()[0]) {
		t.Errorf("without %s: %v", v.Names()[0], err)
	}
}
