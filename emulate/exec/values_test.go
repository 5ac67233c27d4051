package exec_test

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/sass"
)

// Sizes of the launches in testdata/values: work-items, and words of results for each.
const (
	valueItems = 256
	valueSlots = 160
)

// archive reads the files of a zip in testdata/values.
func archive(t *testing.T, name string) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(filepath.Join("testdata", "values", name))
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

// wholeNumbers are the kernels whose results do not depend on how exactly floating-point numbers are computed.
var wholeNumbers = []string{"whole", "logic", "division", "longs", "lanes", "shared", "atomics", "hopper"}

// approximate are the results that hardware approximates, from one on and before another, by the recording and the kernel.
var approximate = map[string][2]int{
	"host approximate": {0, valueSlots}, "h200 approximate": {0, 24}, "h200_fast approximate": {0, 24},
	"h200_fast floats": {21, 31}, // quotients and roots
}

// TestValues executes kernels that store every kind of intermediate result, and compares what they store with what a processor computes
// from the same source, by definitions of its own (testdata/values/host.h), or bit by bit with what a device stored where that was recorded.
func TestValues(t *testing.T) {
	host := archive(t, "host.zip")
	for name, all := range map[string]bool{"h200.zip": true, "h200_fast.zip": true, "sm_90.zip": true, "sm_80.zip": true, "sm_90_fast.zip": false} {
		t.Run(strings.TrimSuffix(name, ".zip"), func(t *testing.T) {
			t.Parallel()
			files := archive(t, name)
			l, err := sass.Parse(string(files["values.sass"]))
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Complete(files["values.cubin"]); err != nil {
				t.Fatal(err)
			}
			inputs := files["in.bin"]
			if inputs == nil {
				inputs = host["in.bin"]
			}
			compared, exact := 0, 0
			for _, f := range l.Functions {
				out := runValues(t, f, inputs)
				switch recorded := files[f.Name+".bin"]; {
				case recorded != nil:
					kinds := []byte(strings.Repeat("i", len(host[f.Name+".kinds"])))
					near := approximate[strings.TrimSuffix(name, ".zip")+" "+f.Name]
					copy(kinds[near[0]:near[1]], host[f.Name+".kinds"][near[0]:])
					n := compareValues(t, f.Name, out, recorded, string(kinds), near)
					compared += n
					if near == [2]int{} && (contains(wholeNumbers, f.Name) || f.Name == "conversions") {
						exact += n
					}
				case all || contains(wholeNumbers, f.Name):
					compared += compareValues(t, f.Name, out, host[f.Name+".bin"], string(host[f.Name+".kinds"]), approximate["host "+f.Name])
				}
			}
			t.Logf("%d results, %d of integers and conversions as a device stored them", compared, exact)
			if least := map[bool]int{true: 600, false: 300}[all] * valueItems; compared < least {
				t.Errorf("%d results were compared, and there are more than %d", compared, least)
			}
		})
	}
}

func contains(list []string, name string) bool {
	return slices.Contains(list, name)
}

// runValues executes a kernel on one group.
func runValues(t *testing.T, f *sass.Function, inputs []byte) []byte {
	t.Helper()
	job := device.Job{Global: []int64{valueItems}, Local: []int64{valueItems}}
	for i, name := range []string{"a", "b", "c"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, inputs[4*valueItems*i:][:4*valueItems], 0o600); err != nil {
			t.Fatal(err)
		}
		job.Args = append(job.Args, device.Arg{Name: name, Kind: device.Buffer, DType: "uint32", Count: valueItems, File: &device.File{Path: path}})
	}
	job.Args = append(
		job.Args,
		device.Arg{Name: "out", Kind: device.Buffer, DType: "uint32", Count: valueItems * valueSlots, Sequence: &device.Sequence{}},
		device.Arg{Kind: device.Scalar, DType: "int32", Int: valueItems},
	)
	launch, err := exec.New(f, job, exec.Assumptions{})
	if err != nil {
		t.Fatal(err)
	}
	group := launch.Group([3]uint32{})
	group.Run(1_000_000)
	if !group.Ended() {
		t.Errorf("%s does not end", f.Name)
	}
	for _, d := range launch.Doubts() {
		if d.Kind != exec.AssumedOrder {
			t.Errorf("%s: %v %s", f.Name, &f.Instructions[d.Index], d.Kind)
		}
	}
	out, known := group.Read("out", 0, 4*valueItems*valueSlots)
	for i, k := range known {
		if !k {
			t.Errorf("%s: result %d of item %d is not known", f.Name, i/4/valueItems, i/4%valueItems)
			break
		}
	}
	return out
}

// compareValues compares the results of a kernel by their kinds, and returns how many there are. Some are approximate.
func compareValues(t *testing.T, name string, got, want []byte, kinds string, approximate [2]int) (n int) {
	t.Helper()
	word := func(b []byte, slot, item int) uint32 { return binary.LittleEndian.Uint32(b[4*(slot*valueItems+item):]) }
	for slot, kind := range kinds {
		if kind == '-' {
			continue
		}
		for item := range valueItems {
			n++
			g, w := word(got, slot, item), word(want, slot, item)
			low := slot - map[bool]int{true: 1}[kind == 'D']
			double := func(b []byte) float64 {
				return math.Float64frombits(uint64(word(b, low, item)) | uint64(word(b, low+1, item))<<32)
			}
			same := g == w
			rough := slot >= approximate[0] && slot < approximate[1]
			switch kind {
			case 'f':
				same = same || isNaN(g) && isNaN(w) || rough && near(float64(math.Float32frombits(g)), float64(math.Float32frombits(w)))
			case 'd', 'D':
				a, b := double(got), double(want)
				same = same || a != a && b != b || rough && near(a, b)
			}
			if !same {
				t.Errorf("%s: result %d of item %d is %08x and should be %08x", name, slot, item, g, w)
				break
			}
		}
	}
	return n
}

func isNaN(b uint32) bool { return b&0x7fffffff > 0x7f800000 }

// near reports whether two numbers agree as well as fast functions of the hardware do: sine and cosine are of a rounded number of turns.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-5*math.Abs(b)+1e-5 || a == b
}
