package campaign

import (
	"maps"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/samples"
	"gpuperf/workload"
)

// processor is a formula of a CPU.
type processor struct{ formula }

func (d *processor) Info() device.Info {
	info := d.formula.Info()
	info.Type, info.ComputeUnits = "cpu", 2
	return info
}

func TestPaced(t *testing.T) {
	matmul := []string{"matmul_sq", "dtype:float32", "prefetch:True", "lsize_0:16", "lsize_1:16", "groups_fit:True"}
	axpy := []string{"axpy", "dtype:float32", "lsize_0:256", "groups_fit:True"}
	refused := func(map[string]int64) (float64, samples.Status) { return 0, samples.Refused }
	hangs := func(map[string]int64) (float64, samples.Status) { return 0, samples.Timeout }
	for name, tt := range map[string]struct {
		tags []string
		n    string
		time func(map[string]int64) (float64, samples.Status)
		want []int64 // sizes that are left
		why  string
	}{
		"fast":                 {matmul, "n:1024,2048", power(1e-13, 3, 1e-5), []int64{1024, 2048}, ""},
		"slow":                 {matmul, "n:1024,2048", power(1e-9, 3, 0), []int64{256, 128}, ""},
		"slow at the largest":  {matmul, "n:256,1024", power(1e-9, 3, 0), []int64{256, 128}, ""},
		"much slower":          {matmul, "n:4096", power(1e-7, 3, 0), []int64{64}, ""},
		"never fast enough":    {matmul, "n:8192", power(1e-5, 3, 0), nil, "a CPU would take"},
		"launches that last":   {axpy, "n:1048576", power(1e-13, 1, 1e-4), []int64{1 << 20}, ""},
		"more than it fills":   {axpy, "n:16777216,268435456", power(1e-12, 1, 0), []int64{1 << 24, 1 << 23}, ""},
		"refused at all sizes": {axpy, "n:1048576", refused, nil, "refused: no"},
		"without an end":       {axpy, "n:1048576", hangs, nil, "a CPU would take"},
	} {
		t.Run(name, func(t *testing.T) {
			ids, err := features.ParseIDs([]string{"f_op_float32_madd", "f_mem_access_global_float32_load"})
			if err != nil {
				t.Fatal(err)
			}
			d := &processor{formula{time: tt.time}}
			plan := &Plan{Cases: casesOf(t, append(tt.tags, tt.n)...), ids: ids}
			paced := func(d device.Device) ([]*workload.Case, []string) {
				cases, warnings, err := New(d, nil, Options{Jobs: 2}).paced(t.Context(), samples.Warm, plan, facts.Of(d.Info().Fingerprint), TimeRange{})
				if err != nil {
					t.Fatal(err)
				}
				return cases, warnings
			}
			cases, warnings := paced(d)
			got := map[int64]bool{}
			for _, c := range cases {
				got[c.Sizes["n"]] = true
			}
			want := map[int64]bool{}
			for _, n := range tt.want {
				want[n] = true
			}
			if !maps.Equal(got, want) || len(cases) != len(want) || !strings.Contains(strings.Join(warnings, "\n"), tt.why) || d.kernels > len(paceProbes) {
				t.Errorf("after %d trials sizes %v are left, want %v; %q", d.kernels, got, tt.want, warnings)
			}
			if cases, warnings := paced(&d.formula); len(cases) != len(plan.Cases) || warnings != nil {
				t.Errorf("no CPU has %d of %d kernels, %q", len(cases), len(plan.Cases), warnings)
			}
		})
	}
}
