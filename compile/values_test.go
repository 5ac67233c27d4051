package compile

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

const (
	items = 256
	slots = 160
)

func archive(t *testing.T) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader("../emulate/exec/testdata/values/host.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return files
}

// TestValues compiles kernels that store every kind of intermediate result, executes them, and compares with what g++ made of the same source.
func TestValues(t *testing.T) {
	host := archive(t)
	text, err := os.ReadFile("../emulate/exec/testdata/values/values.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whole", "logic", "division", "longs", "lanes", "shared", "atomics", "floats", "doubles", "conversions", "control", "approximate"} {
		t.Run(name, func(t *testing.T) {
			p, err := Kernel(context.Background(), string(text), name, nil, false, Options{Architecture: "sm_90", Name: "values.cu"})
			if err != nil {
				t.Fatal(err)
			}
			out := run(t, p.Function, host["in.bin"])
			compare(t, name, out, host[name+".bin"], string(host[name+".kinds"]))
		})
	}
}

func run(t *testing.T, f *sass.Function, inputs []byte) []byte {
	t.Helper()
	job := device.Job{Global: []int64{items}, Local: []int64{items}}
	for i, name := range []string{"a", "b", "c"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, inputs[4*items*i:][:4*items], 0o600); err != nil {
			t.Fatal(err)
		}
		job.Args = append(job.Args, device.Arg{Name: name, Kind: device.Buffer, DType: "uint32", Count: items, File: &device.File{Path: path}})
	}
	job.Args = append(
		job.Args,
		device.Arg{Name: "out", Kind: device.Buffer, DType: "uint32", Count: items * slots, Sequence: &device.Sequence{}},
		device.Arg{Kind: device.Scalar, DType: "int32", Int: items},
	)
	launch, err := exec.New(f, job, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	group := launch.Group([3]uint32{})
	group.Run(1_000_000)
	if !group.Ended() {
		t.Errorf("it does not end")
	}
	for _, d := range launch.Doubts() {
		if d.Kind != exec.AssumedOrder {
			t.Errorf("%v %s", &f.Instructions[d.Index], d.Kind)
		}
	}
	out, _ := group.Read("out", 0, 4*items*slots)
	return out
}

func compare(t *testing.T, name string, got, want []byte, kinds string) {
	t.Helper()
	word := func(b []byte, slot, item int) uint32 { return binary.LittleEndian.Uint32(b[4*(slot*items+item):]) }
	for slot, kind := range kinds {
		if kind == '-' {
			continue
		}
		for item := range items {
			g, w := word(got, slot, item), word(want, slot, item)
			low := slot
			if kind == 'D' {
				low--
			}
			double := func(b []byte) float64 {
				return math.Float64frombits(uint64(word(b, low, item)) | uint64(word(b, low+1, item))<<32)
			}
			same := g == w
			switch kind {
			case 'f':
				same = same || close(float64(math.Float32frombits(g)), float64(math.Float32frombits(w)))
			case 'd', 'D':
				same = same || close(double(got), double(want))
			}
			if !same {
				t.Errorf("%s: result %d of item %d is %08x and should be %08x (%c)", name, slot, item, g, w, kind)
				break
			}
		}
	}
}

func close(a, b float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-5*math.Abs(b)+1e-6
}
