package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/workload"
)

// formula is a device on which a kernel takes what a function of its sizes says.
type formula struct {
	time func(sizes map[string]int64) (float64, samples.Status)
	runs int

	kernels int // runs but for those of the sentinel
}

func (d *formula) Info() device.Info {
	return device.Info{Fingerprint: samples.Fingerprint{Name: "formula", Platform: "test", SubgroupSize: 32}}
}
func (d *formula) Close() error { return nil }
func (d *formula) Run(_ context.Context, job device.Job) (*device.Result, error) {
	d.runs++
	if job.Entry != "sentinel" {
		d.kernels++
	}
	t, status := d.time(job.Identity.Sizes)
	if status != samples.OK {
		return nil, device.Errorf(status, "no")
	}
	return &device.Result{Trials: []float64{t, t, t}}, nil
}

func power(perUnit float64, exponent float64, overhead float64) func(map[string]int64) (float64, samples.Status) {
	return func(sizes map[string]int64) (float64, samples.Status) {
		return overhead + perUnit*math.Pow(float64(sizes["n"]), exponent), samples.OK
	}
}

func casesOf(t *testing.T, tags ...string) []*workload.Case {
	t.Helper()
	cases, err := TagCases("", tags, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestTimeRange(t *testing.T) {
	matmul := []string{"matmul_sq", "dtype:float32", "prefetch:True", "lsize_0:16", "lsize_1:16", "groups_fit:True"}
	axpy := []string{"axpy", "dtype:float32", "lsize_0:256", "groups_fit:True"}
	fails := func(above int64, status samples.Status) func(map[string]int64) (float64, samples.Status) {
		return func(sizes map[string]int64) (float64, samples.Status) {
			if sizes["n"] > above {
				return 0, status
			}
			return 1e-9 * float64(sizes["n"]), samples.OK
		}
	}
	for name, tt := range map[string]struct {
		tags []string
		n    string
		time func(map[string]int64) (float64, samples.Status)
		kept int
		want string // in the table, or of the error
	}{
		"within":             {matmul, "n:1024,2048", power(1e-12, 3, 0), 2, ""},
		"too short":          {matmul, "n:64,128,256", power(1e-12, 3, 0), 3, "n=64"},
		"too long":           {matmul, "n:8192,16384", power(1e-12, 3, 0), 2, "n=16384"},
		"under the overhead": {matmul, "n:64,128", power(1e-13, 3, 2e-5), 2, "n=64"},
		"far too short":      {axpy, "n:1024,2048", power(1e-12, 1, 5e-6), 2, "n=1024"},
		"too wide":           {matmul, "n:64,1024,4096", power(1e-12, 3, 0), 2, "left out: too short"},
		"constant":           {axpy, "n:1024,2048", power(0, 1, 1e-5), 0, "no kernel has sizes whose times are within"},
		"out of memory":      {axpy, "n:33554432,67108864", fails(40_000_000, samples.OutOfMemory), 2, "out_of_memory"},
		"out of time":        {axpy, "n:33554432,67108864", fails(40_000_000, samples.Timeout), 2, "timeout"},
		"refused":            {axpy, "n:33554432,67108864", fails(40_000_000, samples.Refused), 1, "left out: refused: no"},
	} {
		t.Run(name, func(t *testing.T) {
			run := func() ([]*workload.Case, string, int, error) {
				d := &formula{time: tt.time}
				out, err := New(d, nil, Options{}).InRange(t.Context(), samples.Warm, casesOf(t, append(tt.tags, tt.n)...), TimeRange{Lo: 1e-3, Hi: 1})
				var log strings.Builder
				for _, s := range out.Sizes {
					if s.To != nil || s.LeftOut != "" {
						fmt.Fprintf(&log, "%s %s left out: %s\n", s.Case, s.Record.Status, s.LeftOut)
					}
				}
				return out.Cases, log.String(), d.runs, err
			}
			kept, log, runs, err := run()
			if err != nil {
				log += err.Error()
			}
			if len(kept) != tt.kept || !strings.Contains(log, tt.want) || (err != nil) != (tt.kept == 0) {
				t.Fatalf("%d kept, %v\n%s", len(kept), err, log)
			}
			var first float64
			for i, c := range kept {
				s, _ := tt.time(c.Sizes)
				if s < 1e-3 || s > 1 {
					t.Errorf("%s takes %g s", c, s)
				}
				if err := c.CheckSizes(); err != nil {
					t.Error(err)
				}
				if i == 0 {
					first = float64(c.Sizes["n"])
				} else if ratio := float64(c.Sizes["n"]) / first; math.Abs(math.Log2(ratio)-math.Round(math.Log2(ratio))) > 0.1 {
					t.Errorf("%s: sizes that were powers of two apart are not any more", c)
				}
			}
			if runs > 40 {
				t.Errorf("%d runs", runs)
			}
			again, _, _, _ := run()
			for i := range again {
				if again[i].Identity.Key() != kept[i].Identity.Key() {
					t.Errorf("the search is not repeatable: %s and %s", again[i], kept[i])
				}
			}
			t.Logf("%d runs\n%s", runs, log)
		})
	}
}

func TestParseTimeRange(t *testing.T) {
	if r, err := ParseTimeRange("1ms..1000ms"); err != nil || r.Lo != 1e-3 || r.Hi != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := ParseTimeRange(""); err != nil || r != (TimeRange{}) {
		t.Errorf("%v, %v", r, err)
	}
	for _, text := range []string{" ", "1ms", "1ms..", "..1s", "1s..1ms", "0s..1s", "-1s..1s", "1..2", "1ms-1s"} {
		var input *InputError
		if _, err := ParseTimeRange(text); !errors.As(err, &input) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
