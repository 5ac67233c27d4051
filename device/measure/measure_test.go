package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/device/opencl"
	"gpuperf/device/replay"
	"gpuperf/samples"
)

// Variables that tell the test binary, started again, what to be.
const (
	envBackend = "PERF_TEST_BACKEND" // of a worker: fake, or the real one
	envJournal = "PERF_TEST_JOURNAL" // of the parent that is to be killed
	envPID     = "PERF_TEST_PID"     // where a fake worker leaves its process's number
	envDeaths  = "PERF_TEST_DEATHS"  // the file that says how many fake workers are still to die when they list the devices
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == WorkerArg {
		var b device.Backend = &opencl.Backend{}
		if os.Getenv(envBackend) == "fake" {
			b = fake{}
		}
		os.Exit(WorkerMain(b))
	}
	if path := os.Getenv(envJournal); path != "" {
		os.Exit(killMe(path))
	}
	os.Exit(m.Run())
}

// fake is a backend whose one device does what the entry of a job names.
type fake struct{}

func (fake) Devices() ([]device.Info, error) {
	if path := os.Getenv(envDeaths); path != "" {
		text, _ := os.ReadFile(path)
		if n, _ := strconv.Atoi(string(text)); n > 0 {
			os.WriteFile(path, []byte(strconv.Itoa(n-1)), 0o644)
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	info := device.Info{Fingerprint: samples.Fingerprint{Name: "Fake", Platform: "Test", Type: "gpu", ComputeUnits: 1, GlobalMem: 3 * builderShare}}
	cpu := info
	cpu.Name, cpu.Type, cpu.DeviceIndex = "Fake CPU", "cpu", 1
	return []device.Info{cpu, info}, nil
}

func (f fake) Open(i int) (device.Device, error) {
	if path := os.Getenv(envPID); path != "" {
		os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o644)
	}
	all, _ := f.Devices()
	return &fakeDevice{info: all[i]}, nil
}

type fakeDevice struct {
	info     device.Info
	programs string // the folder that keeps them
	turn     func(context.Context) (func(), error)
}

func (d *fakeDevice) Info() device.Info { return d.info }

func (d *fakeDevice) Close() error {
	if path := os.Getenv(envPID); path != "" {
		os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+" closed"), 0o644)
	}
	return nil
}

func (d *fakeDevice) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	n := float64(job.Identity.Sizes["n"])
	switch job.Entry {
	case "ok":
		return &device.Result{Trials: []float64{n, n, n}, Outputs: map[string][]byte{"a": {1, 2, 3}, "b": bytes.Repeat([]byte("x\n{"), 100000)}, BuildTime: 1}, nil
	case "where":
		folder, _ := os.Getwd()
		return &device.Result{Outputs: map[string][]byte{"a": fmt.Appendf(nil, "%s %s %d", folder, os.TempDir(), os.Getpid())}}, nil
	case "print":
		fmt.Println("drivers print what they like")
		syscall.Write(1, []byte("{\"id\": 1}\n"))
		return &device.Result{Trials: []float64{n}}, nil
	case "refuse":
		return nil, device.Errorf(samples.Refused, "too much").WithHint("use less")
	case "fatal":
		e := device.Errorf(samples.Crash, "the context is lost")
		e.Fatal = true
		return nil, e
	case "exit":
		fmt.Fprintln(os.Stderr, "driver: internal error 7")
		os.Exit(3)
	case "segfault":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "panic":
		panic("a bug")
	case "hang":
		select {}
	case "in turn":
		return d.inTurn(ctx, n)
	case "slow":
		select {
		case <-time.After(time.Duration(n) * time.Millisecond):
			return &device.Result{Trials: []float64{n / 1000}}, nil
		case <-ctx.Done():
			return nil, device.Errorf(samples.Interrupted, "%v", context.Cause(ctx))
		}
	}
	return nil, errors.New("what is " + job.Entry)
}

func task(entry string, n int64) Task {
	return Task{Job: device.Job{
		Identity: samples.Identity{Source: "test", Variant: entry, Sizes: map[string]int64{"n": n}},
		Source:   "source of " + entry, Entry: entry, Global: []int64{n},
	}, Tags: []string{"test"}}
}

func openFake(t *testing.T, o Options) *Remote {
	t.Helper()
	o.Env = append(o.Env, envBackend+"=fake")
	r, err := Open(context.Background(), "", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func openJournal(t *testing.T, path string) *samples.Journal {
	t.Helper()
	j, err := samples.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// records returns all records of a set.
func records(t *testing.T, set *samples.Set) (out []samples.Record) {
	t.Helper()
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, *r)
	}
	return out
}

func TestDevices(t *testing.T) {
	all, err := Devices(context.Background(), Options{Env: []string{envBackend + "=fake"}})
	if err != nil || len(all) != 2 || all[0].Name != "Fake CPU" {
		t.Errorf("%+v, %v", all, err)
	}
	if r := openFake(t, Options{}); r.Info().Name != "Fake" {
		t.Errorf("%+v", r.Info())
	}
	if _, err := Open(context.Background(), "titan", Options{Env: []string{envBackend + "=fake"}}); err == nil || !strings.Contains(err.Error(), "Fake CPU") {
		t.Errorf("%v", err)
	}
}

// TestDevicesSurvive: a worker that is killed while it lists or opens devices is replaced, up to a limit.
func TestDevicesSurvive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deaths")
	o := Options{Env: []string{envBackend + "=fake", envDeaths + "=" + path}}
	for deaths, ok := range map[string]bool{"1": true, "2": true, "3": false} {
		for what, do := range map[string]func() error{
			"listing": func() error { _, err := Devices(context.Background(), o); return err },
			"opening": func() error {
				r, err := Open(context.Background(), "", o)
				if err == nil {
					r.Close()
				}
				return err
			},
		} {
			if err := os.WriteFile(path, []byte(deaths), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := do(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "the worker died: signal: killed") {
				t.Errorf("%s after %s deaths: %v", what, deaths, err)
			}
		}
	}
}

func TestRemote(t *testing.T) {
	r := openFake(t, Options{Deadline: 5 * time.Second})
	for _, tt := range []struct {
		entry  string
		status samples.Status
		want   string
		log    string
	}{
		{"ok", samples.OK, "", ""},
		{"print", samples.OK, "", ""},
		{"refuse", samples.Refused, "too much (use less)", ""},
		{"exit", samples.Crash, "the worker died: exit status 3: driver: internal error 7", "internal error 7"},
		{"ok", samples.OK, "", ""},
		{"fatal", samples.Crash, "the context is lost", ""},
		{"segfault", samples.Crash, "the worker died: signal: killed", ""},
		{"panic", samples.Crash, "the worker died: exit status 2: panic: a bug", "goroutine"},
		{"hang", samples.Timeout, "no answer within 5s; the worker was killed", ""},
		{"slow", samples.OK, "", ""},
	} {
		res, err := r.Run(context.Background(), task(tt.entry, 5).Job)
		if tt.status == samples.OK {
			if err != nil || len(res.Trials) == 0 {
				t.Errorf("%s: %v", tt.entry, err)
			}
			if tt.entry == "ok" && (len(res.Outputs) != 2 || !bytes.Equal(res.Outputs["a"], []byte{1, 2, 3}) || len(res.Outputs["b"]) != 300000) {
				t.Errorf("%d outputs", len(res.Outputs))
			}
			continue
		}
		e, ok := device.AsError(err)
		if !ok || e.Status != tt.status || !strings.Contains(e.Error(), tt.want) || !strings.Contains(e.Log, tt.log) {
			t.Errorf("%s: %v", tt.entry, err)
		}
	}
	if _, err := r.Run(context.Background(), task("nothing", 1).Job); err == nil || !strings.Contains(err.Error(), "what is nothing") {
		t.Errorf("%v", err)
	}
	r.Close()
	if _, err := r.Run(context.Background(), task("ok", 1).Job); err == nil {
		t.Error("a closed device runs")
	}
}

// TestStop ends a context under a job that listens, and under one that does not.
func TestStop(t *testing.T) {
	r := openFake(t, Options{})
	first := r.process
	for _, entry := range []string{"slow", "hang"} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		start := time.Now()
		_, err := r.Run(ctx, task(entry, 60000).Job)
		cancel()
		if e, ok := device.AsError(err); !ok || e.Status != samples.Interrupted || time.Since(start) > 10*time.Second {
			t.Errorf("%s: %v after %v", entry, err, time.Since(start))
		}
		if entry == "slow" && r.process != first {
			t.Error("a worker that listens was thrown away")
		}
		if _, err := r.Run(context.Background(), task("ok", 1).Job); err != nil {
			t.Errorf("after %s: %v", entry, err)
		}
	}
}

func TestBadWorkers(t *testing.T) {
	for name, tt := range map[string]struct {
		command []string
		want    string
	}{
		"missing":  {[]string{"/no/such/program"}, "starting a worker"},
		"ends":     {[]string{"sh", "-c", "echo no device for you >&2"}, "the worker died: exit status 0: no device for you"},
		"fails":    {[]string{"sh", "-c", "exit 4"}, "the worker died: exit status 4"},
		"nonsense": {[]string{"sh", "-c", "echo hello; sleep 60"}, "broken answer: not a response"},
		"silent":   {[]string{"sleep", "60"}, "no answer before the deadline"},
		"half":     {[]string{"sh", "-c", `echo '{"id":1,"devices":[]' | tr -d '\n'`}, "the worker died: exit status 0"},
		"other id": {[]string{"sh", "-c", `echo '{"id":9}'; sleep 60`}, "answer 9 to request 1"},
		"refuses":  {[]string{"sh", "-c", `echo '{"id":1,"failure":"no library"}'; sleep 60`}, "no library"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Devices(context.Background(), Options{Command: tt.command, StartLimit: time.Second})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

func TestServeEndsWithItsInput(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- Serve(in, &bytes.Buffer{}, fake{}) }()
	writeRequest(out, request{ID: 1, Op: opOpen})
	job := task("hang", 1).Job
	writeRequest(out, request{ID: 2, Op: opRun, Job: &job})
	out.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a job under way keeps the worker alive")
	}
	if err := Serve(strings.NewReader("hello\n"), &bytes.Buffer{}, fake{}); err == nil {
		t.Error("nonsense is accepted")
	}
}

func statuses(records []samples.Record) (out []string) {
	for _, r := range records {
		out = append(out, fmt.Sprintf("%s %s", r.Kernel, r.Status))
	}
	return out
}

func TestSweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	j := openJournal(t, path)
	wrong := task("ok", 3)
	wrong.Check = func(out map[string][]byte) error { return fmt.Errorf("element 1 is %d, want 7", out["a"][1]) }
	right := task("ok", 4)
	right.Check = func(out map[string][]byte) error {
		if !bytes.Equal(out["a"], []byte{1, 2, 3}) {
			return errors.New("no outputs")
		}
		return nil
	}
	tasks := []Task{task("ok", 1), task("exit", 1), task("hang", 1), task("refuse", 1), task("ok", 2), wrong, right}
	want := []string{
		"test#ok n=1 ok", "test#exit n=1 crash", "test#hang n=1 timeout", "test#refuse n=1 refused",
		"test#ok n=2 ok", "test#ok n=3 wrong_result", "test#ok n=4 ok",
	}
	dev := openFake(t, Options{Deadline: 5 * time.Second})
	ran, reused := 0, 0
	sweep := Sweep{Device: dev, Journal: j, Perf: "test", Progress: func(e Event) {
		switch {
		case e.Total != len(tasks) || e.Task.Job.Identity.Key() != tasks[e.Index].Job.Identity.Key():
			t.Errorf("event %+v", e)
		case e.Reused:
			reused++
		case e.Record != nil:
			ran++
		}
	}}
	got, err := sweep.Run(context.Background(), tasks)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, statuses(got)); diff != "" || ran != len(tasks) || reused != 0 {
		t.Errorf("%s, %d ran, %d reused", diff, ran, reused)
	}
	if e := got[3].Error; e != "too much; use less" {
		t.Errorf("error %q", e)
	}
	if e := got[5].Error; e != "element 1 is 2, want 7" || len(got[5].Trials) == 0 {
		t.Errorf("error %q, %d trials", e, len(got[5].Trials))
	}

	// Again: everything is in the journal, in the file as in memory.
	ran, reused = 0, 0
	again, err := sweep.Run(context.Background(), tasks)
	if err != nil || ran != 0 || reused != len(tasks) {
		t.Errorf("%v, %d ran, %d reused", err, ran, reused)
	}
	file, err := samples.Load(path)
	if err != nil || len(file.Warnings) > 0 {
		t.Fatal(err, file.Warnings)
	}
	defer file.Close()
	if diff := cmp.Diff(got, again) + cmp.Diff(got, records(t, file)); diff != "" {
		t.Error(diff)
	}

	// An edited source is measured anew; failures only on request.
	ran, reused = 0, 0
	tasks[4].Job.Source += " edited"
	if _, err := sweep.Run(context.Background(), tasks); err != nil || ran != 1 || reused != len(tasks)-1 {
		t.Errorf("%v, %d ran, %d reused", err, ran, reused)
	}
	ran, reused = 0, 0
	sweep.Again = func(r samples.Record) bool { return r.Status != samples.OK }
	if _, err := sweep.Run(context.Background(), tasks); err != nil || ran != 4 || reused != len(tasks)-4 {
		t.Errorf("%v, %d ran, %d reused", err, ran, reused)
	}

	// The same journal answers a sweep without a device.
	recorded, err := replay.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := Sweep{Device: recorded}.Run(context.Background(), tasks)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, statuses(replayed)); diff != "" {
		t.Error(diff)
	}
	if _, err := (Sweep{Device: recorded}).Run(context.Background(), []Task{task("ok", 77)}); !errors.As(err, new(*replay.MissingError)) {
		t.Errorf("%v", err)
	}
}

func TestSweepStops(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "s.jsonl"))
	dev := openFake(t, Options{})
	ctx, cancel := context.WithCancelCause(context.Background())
	tasks := []Task{task("ok", 1), task("slow", 60000), task("ok", 2)}
	got, err := Sweep{Device: dev, Journal: j, Progress: func(e Event) {
		if e.Index == 1 && e.Record == nil {
			time.AfterFunc(100*time.Millisecond, func() { cancel(errors.New("Ctrl-C")) })
		}
	}}.Run(ctx, tasks)
	if err == nil || err.Error() != "Ctrl-C" || len(got) != 1 || len(records(t, j.Set)) != 1 {
		t.Errorf("%v, %d answers, %d kept", err, len(got), len(records(t, j.Set)))
	}
}

func TestSweepRefusesAnotherDevicesJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	j := openJournal(t, path)
	if _, err := (Sweep{Device: openFake(t, Options{}), Journal: j}).Run(context.Background(), []Task{task("ok", 1)}); err != nil {
		t.Fatal(err)
	}
	cpu, err := Open(context.Background(), "cpu", Options{Env: []string{envBackend + "=fake"}})
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	if _, err := (Sweep{Device: cpu, Journal: j}).Run(context.Background(), []Task{task("ok", 1)}); err == nil ||
		!strings.Contains(err.Error(), "keep one file for each device") {
		t.Errorf("%v", err)
	}
}

func TestDoubts(t *testing.T) {
	for _, tt := range []struct {
		trials []float64
		want   int
	}{
		{[]float64{1, 1, 1, 1, 1, 1, 1}, 0},
		{[]float64{1, 2, 1, 2, 1, 2, 1, 2}, 1},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9, 9}, 1},
	} {
		if got := doubts(samples.Summarize(tt.trials), len(tt.trials)); len(got) != tt.want {
			t.Errorf("%v: %q", tt.trials, got)
		}
	}
}

func killTasks() (out []Task) {
	for n := range int64(12) {
		out = append(out, task("slow", 50+n))
	}
	return out
}

// killMe is the process that TestKilledParent kills.
func killMe(path string) int {
	j, err := samples.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dev, err := Open(context.Background(), "", Options{Env: []string{envBackend + "=fake"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	tasks := append(killTasks()[:4], task("hang", 1)) // it never gets beyond
	if _, err := (Sweep{Device: dev, Journal: j}).Run(context.Background(), tasks); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestKilledParent kills a measuring process as nothing can be prepared for, while its worker hangs: the worker must go with
// it, and the next run must find all that was finished.
func TestKilledParent(t *testing.T) {
	dir := t.TempDir()
	path, pidPath := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "pid")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), envJournal+"="+path, envPID+"="+pidPath)
	parent.Stderr = os.Stderr
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "four samples", func() bool {
		b, _ := os.ReadFile(path)
		return bytes.Count(b, []byte("\n")) == 4
	})
	parent.Process.Kill()
	parent.Wait()
	b, err := os.ReadFile(pidPath)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the worker's end", func() bool { return gone(pid) })

	j := openJournal(t, path)
	if len(records(t, j.Set)) != 4 {
		t.Fatalf("%d records", len(records(t, j.Set)))
	}
	reused := 0
	got, err := Sweep{Device: openFake(t, Options{}), Journal: j, Progress: func(e Event) {
		if e.Reused {
			reused++
		}
	}}.Run(context.Background(), killTasks())
	if err != nil || reused != 4 || len(got) != len(killTasks()) || len(records(t, j.Set)) != len(killTasks()) {
		t.Errorf("%v, %d reused, %d answers, %d kept", err, reused, len(got), len(records(t, j.Set)))
	}
}

// gone reports whether a process has ended; one that nobody has waited for yet is gone too.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) != nil
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(state, "Z")
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// TestRealDevice takes kernels that work, crash, hang, do not compile and ask for too much through a real device. What hangs is given up soon, and is
// of one work-group, which keeps one processor busy until then; nothing else has to be done in any time.
func TestRealDevice(t *testing.T) {
	real := func(name, body string) Task {
		return Task{Job: device.Job{
			Identity: samples.Identity{Source: "real", Variant: name, Sizes: map[string]int64{"n": 256}},
			Source:   "__kernel void k(__global float *y, __global const float *x, int zero) { int i = get_global_id(0); " + body + " }",
			Entry:    "k", Global: []int64{256}, Local: []int64{16}, Keep: []string{"y"},
			Policy: device.Policy{Trials: 5, MinWarmUp: -1, MaxWarmUp: time.Millisecond},
			Args: []device.Arg{
				{Name: "y", Kind: device.Buffer, DType: "float32", Count: 256, Seed: 1, Write: true},
				{Name: "x", Kind: device.Buffer, DType: "float32", Count: 256, Seed: 2, Read: true},
				{Name: "zero", Kind: device.Scalar, DType: "int32"},
			},
		}, Check: func(out map[string][]byte) error {
			want := make([]byte, 4*256)
			device.Fill("float32", want, 2)
			if !bytes.Equal(out["y"], want) {
				return errors.New("y is no copy of x")
			}
			return nil
		}}
	}
	greedy := real("greedy", "y[i] = x[i];")
	greedy.Job.Global, greedy.Job.Local = []int64{1 << 22}, []int64{1 << 22}
	hangs := real("hangs", "volatile __global float *v = y; while (v[0] < 1000.0f + zero) v[1] = x[i]; y[i] = x[i];")
	hangs.Job.Global = hangs.Job.Local
	tasks := []Task{
		real("copies", "y[i] = x[i];"),
		real("typo", "y[i] = z[i];"),
		greedy,
		real("twice", "y[i] = 2 * x[i];"),
		real("wild", "y[i] = x[i]; *(volatile __global int *)((size_t)zero + 16) = 1;"),
		real("copies again", "y[i] = x[i] + zero;"),
	}
	for _, c := range []struct {
		deadline time.Duration
		tasks    []Task
		want     []string
	}{
		{10 * time.Minute, tasks, []string{
			"real#copies n=256 ok", "real#typo n=256 build_failed", "real#greedy n=256 refused", "real#twice n=256 wrong_result", "real#wild n=256 crash",
			`real#"copies again" n=256 ok`,
		}},
		{time.Second, []Task{hangs}, []string{"real#hangs n=256 timeout"}},
	} {
		r, err := Open(context.Background(), "", Options{Deadline: c.deadline})
		if err != nil {
			if strings.Contains(err.Error(), opencl.ErrNone.Error()) {
				t.Skip(err)
			}
			t.Fatal(err)
		}
		defer r.Close()
		got, err := Sweep{Device: r, Journal: openJournal(t, filepath.Join(t.TempDir(), "s.jsonl"))}.Run(context.Background(), c.tasks)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, statuses(got)); diff != "" {
			t.Error(diff)
		}
		for _, r := range got {
			t.Logf("%s %s: %v %.200s %.200q", r.Kernel.Variant, r.Status, r.Summary, r.Error, r.Log)
		}
	}
}
