// Package machines has a test of what changes with the device that something is asked for.
package machines

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate"
	"gpuperf/emulate/emulatetest"
	"gpuperf/internal/campaign"
	"gpuperf/internal/golden"
	"gpuperf/kernel"
	"gpuperf/launch"
	"gpuperf/scop"
	"gpuperf/scop/offload"
)

const top = "../../../"

// small has 20 multiprocessors, 48 KB of shared memory, and latencies of half as many cycles as the H200.
const small = top + "device/machine/testdata/small.yaml"

// answers are what a device changes.
var answers = []struct {
	what string
	of   func(*testing.T, *facts.Device) string
}{
	{"local memory of a compiled product", product},
	{"sizes of measurement kernels", sizes},
	{"half_chain: chain cycles, rounds, waves", func(t *testing.T, d *facts.Device) string {
		return totals(t, d, []string{"ops_pattern", "function:madd", "dtype:float16", "chains:1", "nelements:16896", "m:4096"})
	}},
	{"double_chain: chain cycles, rounds, waves", func(t *testing.T, d *facts.Device) string {
		return totals(t, d, []string{"ops_pattern", "function:madd", "dtype:float64", "chains:1", "nelements:16896", "m:4096"})
	}},
	{"emulated product", emulated},
}

// product tells what a kernel of a product of matrices has in local memory.
func product(t *testing.T, d *facts.Device) string {
	nests, err := scop.Load(t.Context(), top+"examples/polybench/gemm.c", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := offload.Find(t.Context(), nests[0], offload.Options{On: machine.Of(d), Sizes: map[string]int64{"ni": 1000, "nj": 1100, "nk": 1200}})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, k := range p.Kernels {
		for _, a := range k.Arrays() {
			if a.Space == kernel.Local {
				all = append(all, fmt.Sprint(a.Name, a.Shape))
			}
		}
	}
	return strings.Join(all, " ")
}

// sizes are those of some measurement kernels of the general model.
func sizes(t *testing.T, d *facts.Device) string {
	cases, err := campaign.TagCases("", []string{"tree_pattern", "dtype:float32", "lsize_0:64", "groups:MP/2,MP,128*MP", "m:8"}, "", machine.Of(d))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range cases {
		all = append(all, fmt.Sprint(c.Sizes["groups"]))
	}
	return strings.Join(all, " ")
}

// totals are some features of a launch, by which models price it.
func totals(t *testing.T, d *facts.Device, tags []string) string {
	cases, err := campaign.TagCases("", tags, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cases[0].Static(launch.Options{Device: d, Compiled: true, Values: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Totals(cases[0].Sizes, []string{"f_static_chain_cycles", "f_static_rounds", "f_static_turnover"})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v)
}

// emulated is the time of a recorded launch.
func emulated(t *testing.T, d *facts.Device) string {
	all, err := emulatetest.Development(top+"testdata/emulate/choose.txt", top+"testdata/h200/listings_emulate.jsonl.gz", func(i int, _ emulatetest.Kernel) bool { return i == 0 })
	if err != nil {
		t.Fatal(err)
	}
	r, err := emulate.Run(emulate.Input{Function: all[0].Function, Job: all[0].Job, Device: d})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%.4g s", r.Seconds)
}

// TestSmall: a data sheet with other numbers changes mappings of compiled nests, sizes to measure, features of launches, and emulated times.
func TestSmall(t *testing.T) {
	var text strings.Builder
	of := map[string][]string{}
	for _, name := range []string{"NVIDIA H200", small} {
		d, err := facts.Sheet(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text, d.Name())
		for _, a := range answers {
			v := a.of(t, d)
			of[a.what] = append(of[a.what], v)
			fmt.Fprintf(&text, "  %s: %s\n", a.what, v)
		}
	}
	golden.Check(t, "testdata/machines.txt", text.String())
	for what, v := range of {
		if v[0] == v[1] {
			t.Errorf("%s: %s on both devices", what, v[0])
		}
	}
}
