package opencl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/samples"
)

// sums are what shift can write beside x. All are in one program, as building takes most of the time.
var sums = []string{
	"1.0f", "1.000003f", "1.0003f", "(i == 700 ? NAN : 1.0f)", "1.0f; if (i == 0) y[n + 1] = 5", "1.0f; if (i == 0) y[-3] = 5",
	"1.0f; ((__global float *)x)[n] = 2", "(i == 9 ? 1e38f : 1.0f)", "(i == 9 ? 1e38f : 1.001f)", "(i < 600 ? 1e38f : 1.0f)", "(i < 600 ? 1e38f : 1.001f)",
	"(i == 9 ? INFINITY : 1.0f)", "(i == 9 ? -INFINITY : 1.0f)", "(i == 9 ? NAN : 1.0f)", "(i == 9 ? NAN : 2.0f)", "0.0f - x[i] + 1e-39f", "0.0f - x[i]",
	"(i == 9 ? -x[i] : 1.0f)", "(i == 9 ? 1e-6f - x[i] : 1.0f)",
}

// shift writes x + by, which is one of the sums, to y, but for the elements from skip on.
func shift(n, skip int64, by string) device.Job {
	way, text := slices.Index(sums, by), "__kernel void shift(__global float *y, __global const float *x, int n, int way) {\n  int i = get_global_id(0);\n  switch (way) {\n"
	if way < 0 {
		panic(by)
	}
	for i, s := range sums {
		text += fmt.Sprintf("  case %d: if (i < n) y[i] = x[i] + %s; break;\n", i, s)
	}
	return device.Job{
		Identity: samples.Identity{Source: "shift"}, Source: text + "  }\n}", Entry: "shift", Global: []int64{(n + 63) / 64 * 64}, Local: []int64{64}, Policy: quick,
		Args: []device.Arg{
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, Seed: 1, Write: true},
			{Name: "x", Kind: device.Buffer, DType: "float32", Count: n, Seed: 2, Read: true},
			{Name: "n", Kind: device.Scalar, DType: "int32", Int: n - skip},
			{Name: "way", Kind: device.Scalar, DType: "int32", Int: int64(way)},
		},
		Reuse: true,
	}
}

func TestExpect(t *testing.T) {
	const n = 1000
	everyWay(t, func(t *testing.T, d *runner.Device) {
		right := device.Expect{Job: shift(n, 0, "1.0f"), Results: []string{"y"}, Tolerance: 1e-5}
		for _, test := range []struct {
			name string
			job  device.Job
			want string // of the error
		}{
			{"the same", shift(n, 0, "1.0f"), ""},
			{"nearly", shift(n, 0, "1.000003f"), ""},
			{"not nearly", shift(n, 0, "1.0003f"), "one of 1000 wrong elements of 1000"},
			{"not a number", shift(n, 0, "(i == 700 ? NAN : 1.0f)"), "y[700] is NaN"},
			{"written outside", shift(n, 0, "1.0f; if (i == 0) y[n + 1] = 5"), "y[1001] = 5, behind the 1000 elements of y"},
			{"written in front", shift(n, 0, "1.0f; if (i == 0) y[-3] = 5"), "y[-3] = 5, in front of the 1000 elements of y"},
			{"an input written outside", shift(n, 0, "1.0f; ((__global float *)x)[n] = 2"), "x[1000] = 2, behind the 1000 elements of x"},
			// What the job before wrote does not stand in for what this one leaves out.
			{"the end is missing", shift(n, 3, "1.0f"), "y[997] is"},
			{"right again", shift(n, 0, "1.0f"), ""},
			{"another length", shift(n/2, 0, "1.0f"), "y has 2000 bytes instead of 4000"},
		} {
			test.job.Expect = &right
			r, err := d.Run(context.Background(), test.job)
			if test.want == "" {
				if err != nil || len(r.Trials) == 0 {
					t.Errorf("%s: %v", test.name, err)
				}
				continue
			}
			e, ok := device.AsError(err)
			if !ok || e.Status != samples.WrongResult || !strings.Contains(e.Msg, test.want) {
				t.Errorf("%s: %v, want a wrong result with %q", test.name, err, test.want)
			}
		}
		if held := d.Held(); held.Expected != 1 {
			t.Errorf("the job to compare with ran %d times", held.Expected)
		}
		bad := right
		bad.Job.Source = "no kernel"
		job := shift(n, 0, "1.0f")
		job.Expect = &bad
		if _, err := d.Run(context.Background(), job); err == nil || !strings.Contains(err.Error(), "the reference: ") {
			t.Errorf("with a job to compare with that does not build: %v", err)
		}
	})
}

// Each element is judged by itself and by what is usual, whatever the greatest is; and what is not finite in the reference is matched by itself, or
// verifies nothing.
func TestExpectExtremes(t *testing.T) {
	const n = 1000
	everyWay(t, func(t *testing.T, d *runner.Device) {
		for _, test := range []struct {
			name, right, got, want, unverified string
		}{
			{"huge", "(i == 9 ? 1e38f : 1.0f)", "(i == 9 ? 1e38f : 1.001f)", "one of 999 wrong elements", ""},
			{"mostly huge", "(i < 600 ? 1e38f : 1.0f)", "(i < 600 ? 1e38f : 1.001f)", "one of 400 wrong elements", ""},
			{"infinite", "(i == 9 ? INFINITY : 1.0f)", "(i == 9 ? INFINITY : 1.0f)", "", ""},
			{"finite instead", "(i == 9 ? INFINITY : 1.0f)", "1.0f", "y[9] is ", ""},
			{"the other sign", "(i == 9 ? INFINITY : 1.0f)", "(i == 9 ? -INFINITY : 1.0f)", "y[9] is -Inf instead of +Inf", ""},
			{"infinite instead", "1.0f", "(i == 9 ? INFINITY : 1.0f)", "y[9] is +Inf instead of", ""},
			{"no number", "(i == 9 ? NAN : 1.0f)", "(i == 9 ? NAN : 1.0f)", "", "the reference has NaN at y[9], one of 1 such elements of 1000"},
			{"no number, and wrong", "(i == 9 ? NAN : 1.0f)", "(i == 9 ? NAN : 2.0f)", "one of 999 wrong elements", ""},
			{"tiny", "0.0f - x[i] + 1e-39f", "0.0f - x[i]", "", ""},
			{"near zero", "(i == 9 ? -x[i] : 1.0f)", "(i == 9 ? 1e-6f - x[i] : 1.0f)", "", ""},
		} {
			job, right := shift(n, 0, test.got), shift(n, 0, test.right)
			job.Expect = &device.Expect{Job: right, Results: []string{"y"}, Tolerance: 1e-5}
			r, err := d.Run(context.Background(), job)
			if test.want == "" {
				if err != nil || r.Unverified != test.unverified {
					t.Errorf("%s: %v, %+v", test.name, err, r)
				}
				continue
			}
			if e, ok := device.AsError(err); !ok || e.Status != samples.WrongResult || !strings.Contains(e.Msg, test.want) {
				t.Errorf("%s: %v, want a wrong result with %q", test.name, err, test.want)
			}
		}
		nothing := shift(n, n, "1.0f") // writes no element
		nothing.Expect = &device.Expect{Job: nothing, Results: []string{"y"}}
		if r, err := d.Run(context.Background(), nothing); err != nil || r.Unverified != "the reference leaves y as it was" {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// Half precision is compared also where nothing computes in it.
func TestExpectHalf(t *testing.T) {
	scale := func(by string) device.Job {
		return device.Job{
			Source: `__kernel void scale(__global half *y, __global const half *x) {
  int i = get_global_id(0);
  vstore_half(vload_half(i, x) * (` + by + `), i, y);
}`,
			Entry: "scale", Global: []int64{1024}, Local: []int64{64}, Policy: quick,
			Args: []device.Arg{
				{Name: "y", Kind: device.Buffer, DType: "float16", Count: 1024, Write: true},
				{Name: "x", Kind: device.Buffer, DType: "float16", Count: 1024, Seed: 2, Read: true},
			},
		}
	}
	everyWay(t, func(t *testing.T, d *runner.Device) {
		for by, want := range map[string]string{
			"2.0f": "", "i == 1000 ? -2.0f : 2.0f": "y[1000] is -", "i == 3 ? INFINITY : 2.0f": "y[3] is +Inf", "i == 3 ? 1e-7f : 2.0f": "y[3] is 1.19",
		} {
			job := scale(by)
			job.Expect = &device.Expect{Job: scale("2.0f"), Results: []string{"y"}, Tolerance: 1e-3}
			_, err := d.Run(context.Background(), job)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "one of 1 wrong")) {
				t.Errorf("%s: %v, want %q", by, err, want)
			}
		}
	})
}

// Integers are compared exactly, and data that a kernel updates is restored in buffers that are shared, too.
func TestReuse(t *testing.T) {
	everyWay(t, func(t *testing.T, d *runner.Device) {
		for range 3 {
			job := axpy(1000)
			job.Reuse = true
			r, err := d.Run(context.Background(), job)
			if err != nil {
				t.Fatal(err)
			}
			checkAxpy(t, floats(r.Outputs["y"]))
		}
		if held := d.Held(); held.Filled != 2 || held.Written != 1 {
			t.Errorf("%d filled buffers and %d others, want 2 and 1", held.Filled, held.Written)
		}
		count := device.Job{
			Source: "__kernel void count(__global int *y, int by) { y[get_global_id(0)] = get_global_id(0) + by; }",
			Entry:  "count", Global: []int64{512}, Local: []int64{64}, Policy: quick, Reuse: true,
			Args: []device.Arg{
				{Name: "y", Kind: device.Buffer, DType: "int32", Count: 512, Seed: 1, Write: true},
				{Name: "by", Kind: device.Scalar, DType: "int32", Int: 1 << 24},
			},
		}
		other := count
		other.Expect = &device.Expect{Job: count, Results: []string{"y"}, Tolerance: 0.1}
		if _, err := d.Run(context.Background(), other); err != nil {
			t.Error(err)
		}
		other.Args = append([]device.Arg{}, other.Args...)
		other.Args[1].Int++
		if _, err := d.Run(context.Background(), other); err == nil || !strings.Contains(err.Error(), "wrong elements") {
			t.Errorf("integers that differ by one: %v", err)
		}
		d.MaxPool = 1
		if _, err := d.Run(context.Background(), count); err != nil || d.Held().Bytes > 1<<20 {
			t.Errorf("the pool holds %d bytes (%v)", d.Held().Bytes, err)
		}
	})
}

func TestCutoff(t *testing.T) {
	everyWay(t, func(t *testing.T, d *runner.Device) {
		job := axpy(1 << 16)
		job.Policy.Cutoff = 1
		r, err := d.Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Trials) != 1 || len(r.Warnings) == 0 {
			t.Errorf("trials %v, warnings %v", r.Trials, r.Warnings)
		}
		checkAxpy(t, floats(r.Outputs["y"]))
		job.Policy.Cutoff = time.Hour
		if r, err := d.Run(context.Background(), job); err != nil || len(r.Trials) < 3 {
			t.Errorf("%v, %v", r, err)
		}
	})
}

// Launches as one give the same results, and no other order of time.
func TestWhole(t *testing.T) {
	everyWay(t, func(t *testing.T, d *runner.Device) {
		const n = 1 << 18
		job := shift(n, 0, "1.0f")
		job.Source += `
__kernel void twice(__global float *z, __global const float *y) { z[get_global_id(0)] = 2.0f * y[get_global_id(0)]; }`
		job.Then = []device.Launch{{Entry: "twice", Global: []int64{n}, Local: []int64{64}, Args: []device.Arg{
			{Name: "z", Kind: device.Buffer, DType: "float32", Count: n, Seed: 3, Write: true},
			{Name: "y", Kind: device.Buffer, DType: "float32", Count: n, Seed: 1, Read: true},
		}}}
		job.Keep = []string{"z"}
		job.Policy.Trials = 20
		var least [2]float64
		for i, whole := range []bool{false, true} {
			job.Whole = whole
			r, err := d.Run(context.Background(), job)
			if err != nil {
				t.Fatal(err)
			}
			x := seeded(n, 2)
			for k, z := range floats(r.Outputs["z"]) {
				if z != 2*(x[k]+1) {
					t.Fatalf("whole %v: element %d is %v", whole, k, z)
				}
			}
			least[i] = samples.Summarize(r.Trials).Min
		}
		if least[1] < 0.2*least[0] {
			t.Errorf("as one %g s, one after the other %g s", least[1], least[0])
		}
		job.Then[0].Local = []int64{1 << 20}
		job.Then[0].Global = []int64{1 << 20}
		if _, err := d.Run(context.Background(), job); err == nil {
			t.Error("a launch that the device refuses")
		}
	})
}
