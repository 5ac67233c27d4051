package runner

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/samples"
)

// fake is a driver in this process. Its kernels increment each byte of their first argument; a launch takes a millisecond.
type fake struct {
	tells  bool // what energy it has used
	memory map[Memory][]byte
	whole  map[Memory]Memory // of parts
	place  map[Memory]int64
	parts  map[Memory][]byte // of memory
	stray  []int64           // where kernels write 7, as seen from their first argument
	next   Memory
	events int // that were not released

	kernels int      // that were made
	passed  [][]byte // argument 1 of each launch

	recording bool
	graphs    [][][]byte // argument 1 of each launch of those that are there

	variables map[string]Memory
	// launches are counted while a profiler watches, and while it does not.
	watched           bool
	profiled, ignored int
}

func newFake() *fake {
	return &fake{memory: map[Memory][]byte{}, parts: map[Memory][]byte{}, whole: map[Memory]Memory{}, place: map[Memory]int64{}}
}

func (f *fake) Alloc(bytes int64) (Memory, error) {
	f.next++
	f.memory[f.next] = make([]byte, bytes)
	return f.next, nil
}
func (f *fake) Free(m Memory) { delete(f.memory, m) }
func (f *fake) Part(m Memory, at, bytes int64) (Memory, error) {
	f.next++
	f.parts[f.next] = f.memory[m][at : at+bytes]
	f.whole[f.next], f.place[f.next] = m, at
	return f.next, nil
}
func (f *fake) FreePart(m Memory) { delete(f.parts, m) }

// bytes are those of a memory or of a part.
func (f *fake) bytes(m Memory) []byte {
	if part, ok := f.parts[m]; ok {
		return part
	}
	return f.memory[m]
}

func (f *fake) Write(m Memory, at int64, data []byte) error {
	copy(f.bytes(m)[at:], data)
	return nil
}

func (f *fake) Read(m Memory, at int64, data []byte) error {
	copy(data, f.bytes(m)[at:])
	return nil
}

func (f *fake) Copy(to, from Memory, bytes int64) error {
	copy(f.bytes(to), f.bytes(from)[:bytes])
	return nil
}
func (f *fake) Finish() error { return nil }
func (f *fake) Hold() func()  { return func() {} }
func (f *fake) Graph(enqueue func() error) (Graph, error) {
	before := len(f.passed)
	f.recording = true
	err := enqueue()
	f.recording = false
	f.graphs = append(f.graphs, slices.Clone(f.passed[before:]))
	f.passed = f.passed[:before]
	return fakeGraph{f}, err
}

// fakeGraph takes as long as a launch.
type fakeGraph struct{ *fake }

func (g fakeGraph) Launch() (Event, error) {
	g.events++
	g.passed = append(g.passed, g.graphs[len(g.graphs)-1]...)
	return fakeEvent(g), nil
}
func (g fakeGraph) Release() { g.graphs = nil }

func (f *fake) Compile(s Source) (Program, string, error) {
	if s.Text == "wrong" {
		return nil, "line 1: wrong", errors.New("it does not compile")
	}
	return s.Text, "", nil
}
func (f *fake) Binary(p Program) ([]byte, error)              { return []byte(p.(string)), nil }
func (f *fake) Load(binary []byte, _ string) (Program, error) { return string(binary), nil }
func (f *fake) Unload(Program)                                {}
func (f *fake) MachineCode(Program, string) ([]byte, string)  { return nil, "" }
func (f *fake) Kernel(Program, string) (Kernel, error) {
	f.kernels++
	return &fakeKernel{fake: f, values: map[int][]byte{}}, nil
}

func (f *fake) Verdict(p Phase, err error) *device.Error {
	if e, ok := device.AsError(err); ok {
		return e
	}
	return device.Errorf([]samples.Status{samples.BuildFailed, samples.Refused, samples.Refused, samples.Crash}[p], "%v", err)
}
func (f *fake) Address(m Memory) (uint64, error) { return uint64(m), nil }
func (f *fake) Variable(_ Program, name string) (Memory, int64, error) {
	return f.variables[name], int64(len(f.memory[f.variables[name]])), nil
}
func (f *fake) Clocks() *samples.Clocks { return nil }

// Energy moves by 3 J for each launch, if at all.
func (f *fake) Energy() (joules float64, ok bool) {
	return 3 * float64(f.profiled+f.ignored), f.tells
}

func (f *fake) Profile(on bool) error {
	f.watched = on
	return nil
}
func (f *fake) Prelude() string { return "" }
func (f *fake) Close()          {}

type fakeKernel struct {
	*fake
	first  Memory
	values map[int][]byte // of what is passed by value; -1 is all
}

func (k *fakeKernel) Params() int                            { return -1 }
func (k *fakeKernel) Compiled(int64) samples.Compiled        { return samples.Compiled{} }
func (k *fakeKernel) SetLocal(int, int64) error              { return nil }
func (k *fakeKernel) SetDynamic(int64) error                 { return nil }
func (k *fakeKernel) SetAttributes(*device.Attributes) error { return nil }
func (k *fakeKernel) Release()                               {}
func (k *fakeKernel) SetAll(value []byte) error              { return k.SetScalar(-1, value) }
func (k *fakeKernel) SetScalar(i int, value []byte) error {
	k.values[i] = value
	return nil
}

func (k *fakeKernel) SetBuffer(i int, m Memory) error {
	if i == 0 {
		k.first = m
	}
	return nil
}

func (k *fakeKernel) Launch([]int64, []int64) (Event, error) {
	if k.recording {
		k.passed = append(k.passed, k.values[1])
		return nil, nil
	}
	data := k.bytes(k.first)
	for i := range data {
		data[i]++
	}
	for _, at := range k.stray {
		k.memory[k.whole[k.first]][k.place[k.first]+at] = 7
	}
	k.events++
	k.passed = append(k.passed, k.values[1])
	if k.watched {
		k.profiled++
	} else {
		k.ignored++
	}
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
		if _, err := b.run(t.Context(), false); err != nil {
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

// TestValues: structures are passed with the addresses of buffers in them, alone or as all parameters, and a place in a buffer as an address.
func TestValues(t *testing.T) {
	d, _ := newDevice()
	y := increment(8).Args[0]
	at := y
	at.At = 3
	raw := device.Arg{Kind: device.Raw, Bits: []byte{7, 8}}
	all := device.Arg{Kind: device.Struct, Count: 20, Fields: []device.Field{{Offset: 0, Arg: raw}, {Offset: 8, Arg: at}}}
	job := increment(8)
	job.Args = []device.Arg{y, at, all}
	values := func() (map[int][]byte, uint64) {
		b, err := d.prepare(context.Background(), job, &device.Result{})
		if err != nil || job.Check(d.info.Limits()) != nil {
			t.Fatal(err, job.Check(d.info.Limits()))
		}
		defer b.release()
		return b.launches[0].kernel.(*fakeKernel).values, uint64(b.buffers["y"].id)
	}
	whole := func(address uint64) []byte {
		b := binary.LittleEndian.AppendUint64([]byte{7, 8, 0, 0, 0, 0, 0, 0}, address+3)
		return append(b, 0, 0, 0, 0)
	}
	got, address := values()
	want := map[int][]byte{1: binary.LittleEndian.AppendUint64(nil, address+3), 2: whole(address)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	job.Args, job.Packed = []device.Arg{all}, true
	got, address = values()
	if diff := cmp.Diff(map[int][]byte{-1: whole(address)}, got); diff != "" {
		t.Error(diff)
	}
}

// TestVariables: a variable of the program starts with its data in every run, and its size must be right.
func TestVariables(t *testing.T) {
	d, f := newDevice()
	m, _ := f.Alloc(8)
	f.variables = map[string]Memory{"v": m}
	job := increment(8)
	job.Variables = []device.Arg{{Name: "v", Kind: device.Variable, DType: "uint8", Count: 8, Sequence: &device.Sequence{Mul: 1}, Read: true, Write: true}}
	job.Keep = []string{"v"}
	b, err := d.prepare(context.Background(), job, &device.Result{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f.memory[m][3] = 99
		if _, err := b.run(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if out, err := b.kept(job, "v"); err != nil || !slices.Equal(out, []byte{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("%v (%v)", out, err)
		}
	}
	b.release()
	if len(f.memory) != 1 {
		t.Errorf("%d pieces of memory are left beside the variable", len(f.memory)-1)
	}
	job.Variables[0].Count = 9
	if _, err := d.prepare(context.Background(), job, &device.Result{}); err == nil || !strings.Contains(err.Error(), "the variable v has 8 bytes, and is given 9") {
		t.Error(err)
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
	if held := d.Held(); held.Programs != 2 || d.programs["\x00\x00\x003"].Program != nil {
		t.Errorf("%+v", held)
	}
	job := increment(8)
	job.Source = "wrong"
	_, err := d.Run(context.Background(), job)
	if e, ok := device.AsError(err); !ok || e.Status != samples.BuildFailed || e.Log != "line 1: wrong" {
		t.Errorf("%v", err)
	}
}
