package runner

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

func TestTooLarge(t *testing.T) {
	e := device.Errorf(samples.BuildFailed, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE")
	e.Log = "first\nptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)\n"
	if got := tooLarge(e); got.Status != samples.Refused || !strings.Contains(got.Msg, "0xc000 max") || got.Hint == "" {
		t.Errorf("%+v", got)
	}
	e = device.Errorf(samples.BuildFailed, "x")
	e.Log = "syntax error"
	if got := tooLarge(e); got.Status != samples.BuildFailed {
		t.Errorf("%+v", got)
	}
}

func TestClocks(t *testing.T) {
	for name, tt := range map[string]struct {
		run  run
		step int64
		want string
	}{
		"plausible":    {run{device: 1e-3, host: 1.2e-3}, 1000, ""},
		"unseen":       {run{device: 0, host: 1e-5}, 1000, "3 of 3 trials were too short"},
		"coarse":       {run{device: 2e-6, host: 1e-5}, 1000, "only 2.0 steps"},
		"fast clock":   {run{device: 1, host: 0.1}, 1, "the device's timer counted 3 s while the host waited 300 ms"},
		"slow clock":   {run{device: 0.1, host: 1}, 1, "the device's timer counted 300 ms"},
		"launch bound": {run{device: 1e-5, host: 1e-4}, 1, ""},
	} {
		var c clocks
		var trials []float64
		for range 3 {
			trials = append(trials, c.add(tt.run, tt.step))
		}
		got := strings.Join(c.warnings(trials, tt.step, false), "; ")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if slices.Min(trials) <= 0 {
			t.Errorf("%s: trials %v", name, trials)
		}
	}
}

// TestProfiled: a profiler sees the trials and no run before them.
func TestProfiled(t *testing.T) {
	d, f := newDevice()
	job := increment(8)
	job.Policy.Profiled = true
	result, err := d.Run(t.Context(), job)
	if err != nil || f.watched {
		t.Fatalf("%v; watched afterwards: %v", err, f.watched)
	}
	if want := len(result.Trials); f.profiled != want || f.ignored != result.WarmUp {
		t.Errorf("%d launches were profiled of %d trials, and %d not of %d runs before", f.profiled, want, f.ignored, result.WarmUp)
	}
}

// TestManyLaunches: launches of one kernel share it, and each passes its own arguments, in every run.
func TestManyLaunches(t *testing.T) {
	d, f := newDevice()
	job := increment(8)
	number := func(v int64) device.Arg { return device.Arg{Name: "k", Kind: device.Scalar, DType: "int32", Int: v} }
	y := job.Args[0]
	job.Args = []device.Arg{y, number(0)}
	const launches = 2*together + 3
	for k := range int64(launches - 1) {
		job.Then = append(job.Then, device.Launch{Entry: "increment", Global: []int64{8}, Args: []device.Arg{y, number(k + 1)}})
	}
	b, err := d.prepare(t.Context(), job, &device.Result{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.release()
	for range 2 {
		f.passed = nil
		r, err := b.run(t.Context(), false)
		if err != nil || f.events != 0 || len(f.passed) != launches {
			t.Fatalf("%v, %d events, %d launches", err, f.events, len(f.passed))
		}
		if want := 1e-3 * launches; r.device < 0.99*want || r.device > 1.01*want || r.entries["increment"] != r.device {
			t.Errorf("%g s", r.device)
		}
		for k, v := range f.passed {
			if int(v[0])|int(v[1])<<8 != k {
				t.Fatalf("launch %d is given %v", k, v)
			}
		}
	}
	if f.kernels != 1 {
		t.Errorf("%d kernels", f.kernels)
	}
}

// TestGraph: trials are of a graph, in which each launch has its own arguments, and which is given back.
func TestGraph(t *testing.T) {
	d, f := newDevice()
	job := increment(8)
	number := func(v int64) device.Arg { return device.Arg{Name: "k", Kind: device.Scalar, DType: "int32", Int: v} }
	job.Args = append(job.Args, number(5))
	for k := range int64(2) {
		job.Then = append(job.Then, device.Launch{Entry: "increment", Global: []int64{8}, Args: []device.Arg{job.Args[0], number(k + 6)}})
	}
	job.Policy.Graph = true
	r, err := d.Run(t.Context(), job)
	if err != nil || !r.Graph || r.Entries["increment"] < 2.9e-3 || f.events != 0 || f.graphs != nil {
		t.Errorf("%v, %+v, %d events", err, r, f.events)
	}
	if len(f.passed)%3 != 0 || len(f.passed) < 12 {
		t.Errorf("%d launches", len(f.passed))
	}
	for i, v := range f.passed {
		if int(v[0]) != 5+i%3 {
			t.Errorf("launch %d is given %v", i, v)
		}
	}
}

// TestAbandon: a first run of several launches ends between two of them when it takes too long; the times of those that were not too long stay as they are.
func TestAbandon(t *testing.T) {
	d, f := newDevice()
	job := increment(8)
	for range 200 {
		job.Then = append(job.Then, device.Launch{Entry: job.Entry, Global: job.Global, Args: job.Args})
	}
	job.Policy.Abandon = 100 * time.Millisecond // a launch takes 1 ms
	_, err := d.Run(t.Context(), job)
	if verdict, ok := device.AsError(err); !ok || verdict.Status != samples.Timeout || len(f.passed) != 2*together {
		t.Errorf("%v after %d launches", err, len(f.passed))
	}
	job.Policy.Abandon = 300 * time.Millisecond
	if result, err := d.Run(t.Context(), job); err != nil || len(result.Trials) != 3 {
		t.Error(err)
	}
}

// TestTurn: a device that is shared has the turn from after the build until the trials are taken, whatever comes of them.
func TestTurn(t *testing.T) {
	d, f := newDevice()
	taken, ended := 0, 0
	d.TakeTurns(func(context.Context) (func(), error) {
		taken++
		return func() { ended++ }, nil
	})
	wrong := increment(8)
	wrong.Source = "wrong"
	if _, err := d.Run(t.Context(), wrong); err == nil || taken != 0 {
		t.Errorf("%v, %d turns for what does not compile", err, taken)
	}
	if _, err := d.Run(t.Context(), increment(8)); err != nil || taken != 1 || ended != 1 {
		t.Errorf("%v, %d turns of which %d ended", err, taken, ended)
	}
	long := increment(8)
	long.Then = make([]device.Launch, 100)
	for i := range long.Then {
		long.Then[i] = device.Launch{Entry: long.Entry, Global: long.Global, Args: long.Args}
	}
	long.Policy.Abandon = time.Millisecond
	if _, err := d.Run(t.Context(), long); err == nil || taken != 2 || ended != 2 || len(f.memory) != 0 {
		t.Errorf("%v, %d turns of which %d ended", err, taken, ended)
	}
	d.TakeTurns(func(context.Context) (func(), error) { return nil, device.Errorf(samples.Interrupted, "Ctrl-C") })
	if _, err := d.Run(t.Context(), increment(8)); err == nil || err.Error() != "interrupted: Ctrl-C" || len(f.memory) != 0 {
		t.Error(err)
	}
}

// TestEnergy: what the device uses for a run is told between two moves of its counter, if it has one, which is asked after many runs.
func TestEnergy(t *testing.T) {
	for _, c := range []struct {
		tells, restored bool
	}{{true, false}, {true, true}, {false, false}} {
		d, f := newDevice()
		f.tells = c.tells
		job := increment(8)
		job.Args[0].Read, job.Policy.Energy = c.restored, time.Millisecond
		result, err := d.Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]float64{true: 3}[c.tells]; result.Energy != want || result.Power > 0 != c.tells {
			t.Errorf("%+v: %v J, %v W", c, result.Energy, result.Power)
		}
	}
}

// Runs that are asked for come before the trials, though times are steady before.
func TestWarmUps(t *testing.T) {
	d, _ := newDevice()
	job := increment(8)
	job.Policy.WarmUps = 25
	if result, err := d.Run(t.Context(), job); err != nil || result.WarmUp < 25 {
		t.Errorf("%d runs before the trials, want 25 (%v)", result.WarmUp, err)
	}
}
