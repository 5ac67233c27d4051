package workload

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/samples"
)

// oneArray is a kernel over n elements of a, in work-groups of 16.
func oneArray(t *testing.T, statement, dtype string, n int64) *Case {
	t.Helper()
	return makeCase(t, fmt.Sprintf(`
k = lp.make_kernel("[n] -> {[i]: 0<=i<n}", "%s", [lp.GlobalArg("a,c", dtype="%s", shape="n"), "..."])
k = lp.split_iname(k, "i", 16, outer_tag="g.0", inner_tag="l.0")
`, statement, dtype), map[string]int64{"n": n})
}

// edited changes the results that a device gives.
type edited struct {
	device.Device
	edit func(job device.Job, out []byte)
	runs int
}

func (d *edited) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	d.runs++
	r, err := d.Device.Run(ctx, job)
	if err == nil {
		d.edit(job, r.Outputs["c"])
	}
	return r, err
}

// TestVerifyTolerances: results agree within the rounding errors of what was computed, relative to it, and not within more.
func TestVerifyTolerances(t *testing.T) {
	put32 := func(v float32) func(device.Job, []byte) {
		return func(_ device.Job, out []byte) { binary.LittleEndian.PutUint32(out, math.Float32bits(v)) }
	}
	scale32 := func(by float32) func(device.Job, []byte) {
		return func(_ device.Job, out []byte) {
			binary.LittleEndian.PutUint32(out, math.Float32bits(by*math.Float32frombits(binary.LittleEndian.Uint32(out))))
		}
	}
	none := func(device.Job, []byte) {}
	dev := devicetest.Open(t)
	list := []struct {
		statement, dtype string
		edit             func(device.Job, []byte)
		want             string
	}{
		{"c[i] = 2*a[i]", "float32", none, ""},
		{"c[i] = 2*a[i]", "float32", scale32(1 + 0x1p-23), ""},
		{"c[i] = 2*a[i]", "float32", scale32(1 + 0x1p-20), "array c: element 0 is"},
		{"c[i] = a[i]", "float32", scale32(1 + 0x1p-23), "array c: element 0 is"}, // a copy is exact
		{"c[i] = a[i] * 1e-6f", "float32", none, ""},
		{"c[i] = a[i] * 1e-6f", "float32", scale32(1.0001), "array c: element 0 is"},
		{"c[i] = a[i] * 1e-6f", "float32", put32(0), "array c: element 0 is 0,"},
		{"c[i] = a[i] * 1e-30f", "float32", put32(1e-35), "array c: element 0 is 1."},
		{"c[i] = a[i] * 1e-38f * 1e-4f", "float32", none, ""}, // a device may flush it
		{"c[i] = a[i] * 1e-38f * 1e-4f", "float32", put32(0), ""},
		{"c[i] = a[i] * 1e-38f * 1e-4f", "float32", put32(1e-30), "array c: element 0 is"},
		{"c[i] = a[i] * 1e38f * 1e38f", "float32", none, ""},
		{"c[i] = a[i] * 1e38f * 1e38f", "float32", put32(3e38), "the reference has +Inf"},
		{"c[i] = a[i] * 1e38f * 1e38f", "float32", put32(float32(math.Inf(-1))), "the reference has +Inf"},
		{"c[i] = a[i] * 1e38f * 1e38f", "float32", put32(float32(math.NaN())), "the reference has +Inf"},
		{"c[i] = a[i]", "float32", put32(float32(math.Inf(1))), "element 0 is +Inf"},
		{"c[i] = a[i]", "float32", put32(float32(math.NaN())), "element 0 is NaN"},
		{"c[i] = sqrt(0.1 - a[i])", "float32", none, ""},
		{"c[i] = sqrt(0.1 - a[i])", "float32", put32(0), "the reference has NaN"},
		{"c[i] = a[i]*a[i] - (a[i] + 1)*(a[i] - 1)", "float32", none, ""}, // 1, with cancellation
		{"c[i] = a[i]/3 + exp(a[i]) - log(a[i]) + sin(a[i])*cos(a[i])", "float32", none, ""},
		{"c[i] = a[i]/3 + exp(a[i]) - log(a[i]) + sin(a[i])*cos(a[i])", "float32", scale32(1 + 1e-5), "element 0"},
		{"c[i] = a[i]/3 + exp(a[i])", "float64", none, ""},
		{"c[i] = a[i]/3 + exp(a[i])", "float64", func(_ device.Job, out []byte) { out[1] ^= 1 }, "element 0"}, // 2^-44
		{"c[i] = a[i] * 1000000007 * 1000000009", "int64", none, ""},
		{"c[i] = a[i] * 1000000007 * 1000000009", "int64", func(_ device.Job, out []byte) { out[0] ^= 1 }, "element 0 is"},
		{"c[i] = a[i] // 2", "uint64", func(_ device.Job, out []byte) { out[7] ^= 0x80 }, "element 0 is"},
		{"c[i] = sum(j, a[i] * (j + 1))", "float32", none, ""},
		{"c[i] = sum(j, a[i] * (j + 1))", "float32", scale32(1 + 0x1p-10), "element 0"},
		{"c[i] = sum(j, a[i] * (j % 3 - 1))", "float32", none, "not verified at n=40: rounding may change"}, // nothing but cancellation
	}
	devicetest.Together(dev, len(list), func(i int, dev device.Device) {
		c := list[i]
		k := oneArray
		if strings.Contains(c.statement, "sum(j") {
			k = func(t *testing.T, statement, dtype string, n int64) *Case {
				return makeCase(t, fmt.Sprintf(`
k = lp.make_kernel("[n] -> {[i,j]: 0<=i<n and 0<=j<300}", "%s", [lp.GlobalArg("a,c", dtype="%s", shape="n"), "..."])
k = lp.split_iname(k, "i", 16, outer_tag="g.0", inner_tag="l.0")
`, statement, dtype), map[string]int64{"n": n})
			}
		}
		_, err := k(t, c.statement, c.dtype, 40).Compare(context.Background(), &edited{Device: dev, edit: c.edit})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.statement, err, c.want)
		}
		if e, ok := device.AsError(err); err != nil && !errors.Is(err, ErrUnverified) && (!ok || e.Status != samples.WrongResult) {
			t.Errorf("%s: %v is no wrong result", c.statement, err)
		}
	})
}

// TestVerifyUnwritten: elements that the kernel leaves alone stay as they are.
func TestVerifyUnwritten(t *testing.T) {
	dev := devicetest.Open(t)
	c := makeCase(t, `
k = lp.make_kernel("[n] -> {[i]: 0<=i<n}", "c[2*i] = a[i]", [lp.GlobalArg("a", dtype="float32", shape="n"), lp.GlobalArg("c", dtype="float32", shape="2*n"), "..."])
k = lp.split_iname(k, "i", 16, outer_tag="g.0", inner_tag="l.0")
`, map[string]int64{"n": 40})
	if _, err := c.Compare(context.Background(), dev); err != nil {
		t.Error(err)
	}
	if _, err := c.Compare(context.Background(), &edited{Device: dev, edit: func(_ device.Job, out []byte) { out[4] ^= 1 }}); err == nil {
		t.Error("a write between the elements was not noticed")
	}
}

// TestVerifyFaults: a kernel that the interpreter finds a fault in never comes to the device, at a small size nor at that which is timed.
func TestVerifyFaults(t *testing.T) {
	dev := devicetest.Open(t)
	for _, c := range []struct{ statement, want string }{
		{"c[i*i] = a[i]", "out of bounds"},
		{"c[i] = a[i*i - 3]", "out of bounds"},
		{"c[i % 7] = a[i] {if=a[i]>0}", "race"},
		{"c[(i*i) % 5] = a[i]", "race"},
		{"c[i] = a[i*i - i*i - 1]", "out of bounds"},
	} {
		watched := &edited{Device: dev}
		_, err := Verify(context.Background(), watched, oneArray(t, c.statement, "float32", 4096))
		e, ok := device.AsError(err)
		if !ok || e.Status != samples.Faulty || !strings.Contains(err.Error(), c.want) || watched.runs > 0 {
			t.Errorf("%s: %v after %d launches, want %q", c.statement, err, watched.runs, c.want)
		}
	}
	// Before the first element, but only at sizes below 20, at which nobody has said that a kernel of the user's own may be launched.
	early := func() *Case {
		return oneArray(t, "c[i] = a[min(i*i - i*i + i, n - 20)]", "float32", 4096).On(dev.Info().Interface)
	}
	if _, err := Verify(context.Background(), dev, early()); !faulty(err) {
		t.Errorf("a fault at the smallest size: %v", err)
	}
	own, generated := early(), early()
	own.Own = &Own{Interface: dev.Info().Interface, Job: func(at map[string]int64) (device.Job, error) {
		one := *generated
		one.Sizes = at
		return one.Job(device.Policy{})
	}}
	if compared, err := Verify(context.Background(), dev, own); err != nil || compared.Sizes["n"] < 20 {
		t.Errorf("a fault at the smallest size alone: %v, %v", compared, err)
	}
	// 100 elements beyond the end of a, but only at sizes above 300.
	late := oneArray(t, "c[i] = a[i + ((i // 300)*(i // 300)) * 100]", "float32", 4096)
	if _, err := Verify(context.Background(), dev, late); err != nil {
		t.Error(err)
	}
	if _, err := late.TimedReference(must(late.Job(device.Policy{}))); err == nil || !strings.Contains(err.Error(), "it was not launched at n=4096: ") {
		t.Errorf("a fault at the timed size alone: %v", err)
	}
}

// TestTimedReference: of the launch that is timed, work-groups from its start to its end are compared, on the elements that they touch.
func TestTimedReference(t *testing.T) {
	dev := devicetest.Open(t)
	const n = 1 << 20
	c := oneArray(t, "c[i] = a[n - 1 - i] + a[(i*7919) % n]", "float32", n).On(dev.Info().Interface)
	ref, err := c.TimedReference(must(c.Job(device.Policy{})))
	if err != nil {
		t.Fatal(err)
	}
	if ref.Groups != timedGroups || ref.Of != n/16 {
		t.Errorf("%d of %d work-groups", ref.Groups, ref.Of)
	}
	run := func(edit func(device.Job, []byte)) error {
		job := must(c.Job(device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1}))
		ref.Ask(&job)
		r, err := (&edited{Device: dev, edit: func(job device.Job, out []byte) {
			if len(out) != 4*16*timedGroups {
				t.Errorf("%d bytes were read", len(out))
			}
			edit(job, out)
		}}).Run(context.Background(), job)
		if err != nil {
			t.Fatal(err)
		}
		return ref.Check(r.Outputs)
	}
	if err := run(func(device.Job, []byte) {}); err != nil {
		t.Error(err)
	}
	if err := run(func(_ device.Job, out []byte) { out[len(out)-2] ^= 1 }); err == nil || !strings.Contains(err.Error(), "element 1048575 is") {
		t.Errorf("the last element: %v", err)
	}
	wide := makeCase(t, fitting, map[string]int64{"n": 1 << 16})
	if _, err := wide.TimedReference(must(wide.Job(device.Policy{}))); !errors.Is(err, ErrUnverified) {
		t.Errorf("a work-group of 16 million steps: %v", err)
	}
}

// dying is a device whose worker dies some times.
type dying struct {
	device.Device
	deaths, runs int
	status       samples.Status
}

func (d *dying) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if d.runs++; d.runs <= d.deaths {
		return nil, device.Errorf(d.status, "the worker died: signal: killed")
	}
	return d.Device.Run(ctx, job)
}

// TestVerifyRetries: a worker that dies, or is late, gets the job again; only then the kernel has crashed.
func TestVerifyRetries(t *testing.T) {
	dev := devicetest.Open(t)
	for deaths, want := range map[int]samples.Status{0: "", 1: "", 2: samples.Crash, 3: samples.Timeout} {
		d := &dying{Device: dev, deaths: deaths, status: cmp.Or(want, samples.Timeout)}
		_, err := Verify(context.Background(), d, oneArray(t, "c[i] = a[i]", "float32", 64))
		status := samples.Status("")
		if e, ok := device.AsError(err); ok {
			status = e.Status
		}
		if status != want || d.runs != max(1, min(deaths+1, 2)) {
			t.Errorf("%d deaths: %v after %d runs", deaths, err, d.runs)
		}
	}
}
