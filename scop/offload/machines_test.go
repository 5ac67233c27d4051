package offload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/machine"
	"gpuperf/internal/golden"
	"gpuperf/samples"
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
		"2mm":       {"ni": 4096, "nj": 4096, "nk": 4096, "nl": 4096},
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
			out = append(out, fmt.Sprintf("%s, %s: block %s, points %s, depth %d, parts %d, share %d, side %s, steps %d",
				name, strings.Join(a.statements, "+"), written(m.Block), written(m.Points), m.Depth, m.Parts, m.Share, written(m.Side), m.Steps))
			if m.Depth > 1 {
				out[len(out)-1] += ", operands " + operandsOf(m)
			}
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

// TestSmallGroups: on a device with less than usual of what a work-group may have, defaults have no more of it, nor has any option.
func TestSmallGroups(t *testing.T) {
	on := machine.Told(device.Info{Fingerprint: samples.Fingerprint{MaxWorkGroup: 128, LocalMem: 12 << 10}})
	for _, name := range []string{"gemm", "syr2k", "mvt", "heat-3d", "jacobi-2d", "lu", "trisolv", "seidel-2d", "atax"} {
		p, err := Find(t.Context(), example(t, name, "float"), Options{On: on})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Kernels {
			if err := runs(k, on); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, a := range p.asked {
			made := map[string]string{}
			for _, d := range decisions {
				list := d.options(a.form, made)
				for _, option := range list {
					if d.name == "block" && product(numbers(option))*max(1, number(made["share"])) > on.MostItems {
						t.Errorf("%s: %v offers a block of %s", name, a.statements, option)
					}
				}
				if len(list) > 0 {
					made[d.name] = list[0]
				}
			}
			m := a.form.mapping(made)
			if m.Steps > 0 && !a.form.fits(made, written(m.Points)) {
				t.Errorf("%s: %v has tiles that local memory does not hold: %+v", name, a.statements, m)
			}
		}
	}
}
