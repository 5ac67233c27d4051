package offload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/machine"
	"gpuperf/internal/golden"
)

// machines are the devices whose default mappings stand in golden files.
var machines = []string{"NVIDIA H200", "NVIDIA H100 80GB HBM3", "../../device/machine/testdata/small.yaml"}

// mappings are the default mappings of some examples on a device, by kernels.
func mappings(t *testing.T, device string) (out []string) {
	t.Helper()
	on, err := machine.Named(device)
	if err != nil {
		t.Fatal(err)
	}
	for name, sizes := range map[string]map[string]int64{
		"gemm":      {"ni": 1000, "nj": 1100, "nk": 1200},
		"syr2k":     {"n": 1200, "m": 1000},
		"mvt":       {"n": 2000},
		"gesummv":   {"n": 1300},
		"heat-3d":   {"n": 120, "tsteps": 500},
		"jacobi-2d": {"n": 1300, "tsteps": 500},
		"lu":        {"n": 1000},
		"trisolv":   {"n": 2000},
	} {
		p, err := Find(t.Context(), example(t, name, "float"), Options{Sizes: sizes, On: on})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.asked {
			m := Default(a.form)
			out = append(out, fmt.Sprintf("%s, %s: block %s, points %s, depth %d, share %d, side %s, steps %d",
				name, strings.Join(a.statements, "+"), written(m.Block), written(m.Points), m.Depth, m.Share, written(m.Side), m.Steps))
		}
	}
	slices.Sort(out)
	return out
}

// TestMachines: default mappings are those of the device that is compiled for. Of two devices that differ in the rate of memory alone they are the same.
func TestMachines(t *testing.T) {
	of := map[string][]string{}
	var text strings.Builder
	for _, device := range machines {
		of[device] = mappings(t, device)
		fmt.Fprintf(&text, "%s\n  %s\n", device, strings.Join(of[device], "\n  "))
	}
	golden.Check(t, "testdata/mappings.txt", text.String())
	if slices.Equal(of[machines[0]], of[machines[2]]) {
		t.Errorf("a device with 20 multiprocessors, 48 KB and half the latencies has the mappings of the H200")
	}
}

// TestSmallGroups: where a device refuses work-groups of more than 64 work-items or 4 KB of local memory, there are none, by default or among the options.
func TestSmallGroups(t *testing.T) {
	on := *machine.Of(nil)
	on.MostItems, on.MostLocal = 64, 4<<10
	forms := []Form{
		{Group: true},
		{Tiled: 2},
		{Parallel: 1, Serial: true},
		{Parallel: 2, Serial: true},
		{Parallel: 3, Serial: true},
		{Parallel: 2, Sums: None},
		{Sums: Terms},
		{Parallel: 1, Sums: Items, Bytes: 4, Stages: [stages]Stage{{1000, 1000}, {1000, 1000}, {1000, 1000}, {1000, 1000}}},
		{Parallel: 2, Tiles: true, Operands: 2, Bytes: 4, Terms: 1000, Extent: [3]int64{1000, 1000}},
		{Parallel: 2, Pointwise: true, Extent: [3]int64{1000, 1000}},
		{Parallel: 3, Pointwise: true, Extent: [3]int64{100, 100, 100}},
		{Parallel: 2, Updates: 1, Arrays: 1, Bytes: 4, Reach: [3]int64{2, 2}, First: [3]int64{2, 2}},
	}
	for _, f := range forms {
		f.On = &on
		if m := Default(f); product(m.Block)*max(m.Share, 1) > on.MostItems || m.Depth > 0 && f.local(written(m.Block), written(m.Points), m.Depth) > on.MostLocal {
			t.Errorf("%+v: by default %+v", f, m)
		}
		made := map[string]string{}
		for _, d := range decisions {
			options := d.options(f, made)
			if len(options) > 0 {
				made[d.name] = options[0]
			}
			for _, o := range options {
				if d.name == "block" && product(numbers(o))*max(number(made["share"]), 1) > on.MostItems {
					t.Errorf("%+v: the option %s", f, o)
				}
			}
		}
	}
	for _, name := range []string{"gemm", "mvt", "heat-3d", "jacobi-2d", "lu"} {
		p, err := Find(t.Context(), example(t, name, "float"), Options{On: &on})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Kernels {
			if err := (&compiler{opt: Options{On: &on}}).runs(k); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
