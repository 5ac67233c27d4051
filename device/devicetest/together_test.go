package devicetest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
)

// told keeps what it is given.
type told struct {
	device.Device
	sync.Mutex
	jobs []device.Job
}

func (d *told) Run(_ context.Context, job device.Job) (*device.Result, error) {
	d.Lock()
	defer d.Unlock()
	d.jobs = append(d.jobs, job)
	return &device.Result{Trials: []float64{float64(job.Global[0])}}, nil
}

// TestTogether: texts that ask for the same are one program, in which each has functions of its own; each call gets its own result, whether others call less
// or more often.
func TestTogether(t *testing.T) {
	d := &told{}
	devicetest.Together(d, 5, func(i int, on device.Device) {
		text := fmt.Sprintf("#define N %d\nint twice(int x) { return 2 * x; }\n__kernel void __attribute__((reqd_work_group_size(1, 1, 1)))\nk(__global int *x) { if (x[0]) { x[0] = twice(N); } }\n", i)
		if i == 4 {
			text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + text
		}
		for call := range i {
			n := int64(10*i + call)
			r, err := on.Run(t.Context(), device.Job{Source: text, Entry: "k", Global: []int64{n}, Then: []device.Launch{{Entry: "k"}}})
			if err != nil || r.Trials[0] != float64(n) {
				t.Errorf("call %d of %d: %v, %v", call, i, r, err)
			}
		}
	})
	programs := map[string][]string{}
	for _, j := range d.jobs {
		if j.Then[0].Entry != j.Entry || !strings.Contains(j.Source, "#define k "+j.Entry+"\n") || !strings.Contains(j.Source, "#define twice twice"+strings.TrimPrefix(j.Entry, "k")+"\n") {
			t.Errorf("%s and %s of\n%s", j.Entry, j.Then[0].Entry, j.Source)
		}
		if !slices.Contains(programs[j.Source], j.Entry) {
			programs[j.Source] = append(programs[j.Source], j.Entry)
		}
		if n := strings.Count(j.Source, "#undef N\n"); n != strings.Count(j.Source, "#define N ") || strings.Contains(j.Source, "#define if") {
			t.Errorf("%d texts end\n%s", n, j.Source)
		}
	}
	var sizes []int
	for _, entries := range programs {
		sizes = append(sizes, len(entries))
	}
	slices.Sort(sizes)
	if len(d.jobs) != 10 || !slices.Equal(sizes, []int{1, 3}) {
		t.Errorf("%d jobs of programs with %v kernels", len(d.jobs), sizes)
	}
}
