package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

// fake is a driver in this process. Its kernels increment each byte of their first argument; a launch takes a millisecond.
type fake struct {
	memory map[Memory][]byte
	next   Memory
	events int // that were not released
}

func newFake() *fake { return &fake{memory: map[Memory][]byte{}} }

func (f *fake) Alloc(bytes int64) (Memory, error) {
	f.next++
	f.memory[f.next] = make([]byte, bytes)
	return f.next, nil
}
func (f *fake) Free(m Memory) { delete(f.memory, m) }
func (f *fake) Write(m Memory, at int64, data []byte) error {
	copy(f.memory[m][at:], data)
	return nil
}

func (f *fake) Read(m Memory, at int64, data []byte) error {
	copy(data, f.memory[m][at:])
	return nil
}

func (f *fake) Copy(to, from Memory, bytes int64) error {
	copy(f.memory[to], f.memory[from][:bytes])
	return nil
}
func (f *fake) Finish() error { return nil }
func (f *fake) Compile(source, _ string, _ ...string) (Program, string, error) {
	if source == "wrong" {
		return nil, "line 1: wrong", errors.New("it does not compile")
	}
	return source, "", nil
}
func (f *fake) Binary(p Program) ([]byte, error)              { return []byte(p.(string)), nil }
func (f *fake) Load(binary []byte, _ string) (Program, error) { return string(binary), nil }
func (f *fake) Unload(Program)                                {}
func (f *fake) Kernel(Program, string) (Kernel, error)        { return &fakeKernel{fake: f}, nil }
func (f *fake) Verdict(p Phase, err error) *device.Error {
	return device.Errorf([]samples.Status{samples.BuildFailed, samples.Refused, samples.Refused, samples.Crash}[p], "%v", err)
}
func (f *fake) Clocks() *samples.Clocks { return nil }
func (f *fake) Prelude() string         { return "" }
func (f *fake) Close()                  {}

type fakeKernel struct {
	*fake
	first Memory
}

func (k *fakeKernel) Params() int                     { return -1 }
func (k *fakeKernel) Compiled(int64) samples.Compiled { return samples.Compiled{} }
func (k *fakeKernel) SetScalar(int, []byte) error     { return nil }
func (k *fakeKernel) SetLocal(int, int64) error       { return nil }
func (k *fakeKernel) SetDynamic(int64) error          { return nil }
func (k *fakeKernel) Release()                        {}
func (k *fakeKernel) SetBuffer(i int, m Memory) error {
	if i == 0 {
		k.first = m
	}
	return nil
}

func (k *fakeKernel) Launch([]int64, []int64) (Event, error) {
	data := k.memory[k.first]
	for i := range data {
		data[i]++
	}
	k.events++
	return fakeEvent{k.fake}, nil
}

type fakeEvent struct{ *fake }

func (e fakeEvent) Wait() error                      { return nil }
func (e fakeEvent) SecondsTo(Event) (float64, error) { return 1e-3, nil }
func (e fakeEvent) Release()                         { e.events-- }

func increment(n int64) device.Job {
	return device.Job{
		Identity: samples.Identity{Source: "increment"}, Source: "increment", Entry: "increment", Global: []int64{n},
		Args:   []device.Arg{{Name: "y", Kind: device.Buffer, DType: "uint8", Count: n, Seed: 1, Read: true, Write: true}},
		Policy: device.Policy{Trials: 3, MinWarmUp: -1, MaxWarmUp: time.Nanosecond}, Keep: []string{"y"},
	}
}

func newDevice() (*Device, *fake) {
	f := newFake()
	return New(f, device.Info{Fingerprint: samples.Fingerprint{GlobalMem: 1 << 30, MaxAlloc: 1 << 30, TimerNS: 1}}), f
}

// TestUpdatedBuffersAreRestored runs a kernel that reads what it writes several times: each run must start from the same data.
func TestUpdatedBuffersAreRestored(t *testing.T) {
	d, f := newDevice()
	job := increment(8)
	want := make([]byte, 8)
	job.Args[0].Fill(want, 0)
	b, err := d.prepare(context.Background(), job, &device.Result{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := b.run(false); err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.read("y")
	for i := range want {
		if err != nil || out[i] != want[i]+1 {
			t.Fatalf("%v after three runs, of %v (%v)", out, want, err)
		}
	}
	b.release()
	if len(f.memory) != 0 || f.events != 0 {
		t.Errorf("%d buffers and %d events were not given back", len(f.memory), f.events)
	}
}

// TestAlias: arguments of a name are one buffer, which is restored once.
func TestAlias(t *testing.T) {
	d, f := newDevice()
	job := increment(8)
	job.Args = append(job.Args, job.Args[0])
	b, err := d.prepare(context.Background(), job, &device.Result{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.release()
	if len(f.memory) != 2 || len(b.updated) != 1 {
		t.Errorf("%d buffers, of which %d are restored", len(f.memory), len(b.updated))
	}
}

// TestPrograms: one program for each source, the one used longest ago dropped; and a log with what does not compile.
func TestPrograms(t *testing.T) {
	d, _ := newDevice()
	d.MaxPrograms = 2
	for i := range 5 {
		job := increment(8)
		job.Source = fmt.Sprint(i % 3)
		if _, err := d.Run(context.Background(), job); err != nil {
			t.Fatal(err)
		}
	}
	if held := d.Held(); held.Programs != 2 || d.programs["\x00\x003"].Program != nil {
		t.Errorf("%+v", held)
	}
	job := increment(8)
	job.Source = "wrong"
	_, err := d.Run(context.Background(), job)
	if e, ok := device.AsError(err); !ok || e.Status != samples.BuildFailed || e.Log != "line 1: wrong" {
		t.Errorf("%v", err)
	}
}
