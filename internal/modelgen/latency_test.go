package modelgen

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/kernel/script"
	"gpuperf/models"
	"gpuperf/samples"
)

// TestWaves: how often a device is filled, by the number of work-groups, their size, and their local memory.
func TestWaves(t *testing.T) {
	text := fmt.Sprintf("ceil(f_thread_groups / (132 * max(1, min(%s))))", strings.Join(resident(Options{Device: h200}), ", "))
	m, err := models.Parse("waves.yaml", []byte("version: 1\nname: waves\noutput: f_t\nexpression: p_a * "+text+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ groups, items, local, want float64 }{
		{1, 128, 0, 1},
		{132 * 16, 128, 0, 1},   // 2048 work-items on each
		{132*16 + 1, 128, 0, 2}, // one more
		{132 * 8, 256, 0, 1},
		{132 * 9, 256, 0, 2},
		{132 * 32, 32, 0, 1}, // as many groups as there may be
		{132 * 33, 32, 0, 2},
		{132 * 4, 32, 49152, 1}, // 50 KB of 228 each, with what is reserved
		{132 * 5, 32, 49152, 2},
		{132 * 2, 384, 0, 1},
		{132 * 6, 384, 0, 2}, // 5 of 384
		{132, 32, 300000, 1}, // more than there is
	} {
		values := map[string]float64{"f_thread_groups": c.groups, "f_sub_groups": c.groups * math.Ceil(c.items/32), "f_local_bytes": c.local}
		if got := evalAt(t, m, values, map[string]float64{"p_a": 1}); got != c.want {
			t.Errorf("%v groups of %v work-items with %v B: %v waves, want %v", c.groups, c.items, c.local, got, c.want)
		}
	}
}

// TestExposed: the part of an iteration's waiting that is its own, by the length of the loop.
func TestExposed(t *testing.T) {
	m, err := models.Parse("exposed.yaml", []byte("version: 1\nname: exposed\noutput: f_t\nexpression: p_a * "+exposed("f_b", "80")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, c := range []struct{ body, want float64 }{{1, 0.125}, {5, 0.125}, {14, 0.25}, {28, 0.5}, {80, 1}, {1000, 1}} {
		got := evalAt(t, m, map[string]float64{"f_b": c.body}, map[string]float64{"p_a": 1})
		if math.Abs(got-c.want) > 0.1*c.want || got < last {
			t.Errorf("%v instructions: %v, want about %v", c.body, got, c.want)
		}
		last = got
	}
}

// TestWhereWaitingMatters: a kernel that fills the device, a device of which nothing is known, and the linear form have no term of
// latency; one that does not fill the device has, with measurement kernels for each of its parameters.
func TestWhereWaitingMatters(t *testing.T) {
	const text = `
k = lp.make_kernel("{[i,j]: 0<=i<n and 0<=j<m}", "y[i] = sum(j, exp(x$xLD[i,j]))", assumptions="m >= 1 and n >= 128 and n % 128 = 0")
k = lp.split_iname(k, "i", 128, outer_tag="g.0", inner_tag="l.0")
k = lp.add_dtypes(k, {"x": "float32", "y": "float32"})
k = lp.tag_data_axes(k, "x", "N0,N1")`
	variants, err := script.Exec("k.star", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		n      int64
		device *facts.Device
		form   models.Form
		want   bool
	}{
		{"few work-groups", 8192, h200, models.PNormForm, true},
		{"few work-groups, overlap", 8192, h200, models.OverlapForm, true},
		{"linear", 8192, h200, models.LinearForm, false},
		{"many work-groups", 1 << 20, h200, models.PNormForm, false},
		{"an unknown device", 8192, nil, models.PNormForm, false},
		{"a CPU", 8192, facts.Of(samples.Fingerprint{Name: "cpu", ComputeUnits: 8}), models.PNormForm, false},
	} {
		set, err := Make([]Target{{Script: "k.star", Variant: variants[0], Sizes: []map[string]int64{{"n": c.n, "m": 512}}}},
			Options{Name: "k", Form: c.form, Device: c.device}, generators(t))
		if err != nil {
			t.Fatal(err)
		}
		names := set.Model.ParameterNames()
		for _, p := range []string{"p_delay_exp", "p_delay_add", "p_window", "p_hide", "p_turn_wait"} {
			if slices.Contains(names, p) != c.want {
				t.Errorf("%s: %s is among the parameters: %v", c.name, p, !c.want)
			}
		}
		for _, generator := range []string{"chain_pattern", "body_pattern"} {
			if slices.ContainsFunc(set.Planned, func(p Planned) bool { return p.Name == generator }) != c.want {
				t.Errorf("%s: %s is measured: %v", c.name, generator, !c.want)
			}
		}
		if form, gmem, onchip, ok := set.Model.Form(); !ok || c.form != "" && form != c.form || gmem != "gmem" || onchip != "onchip" {
			t.Errorf("%s: form %s of %s and %s", c.name, form, gmem, onchip)
		}
	}
}
