package launchfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gpuperf/device"
	"gpuperf/internal/yamlfile"
	"gpuperf/internal/yamlfile/yamltest"
	"gpuperf/samples"
)

// base is a launch file that errors are planted in. Its source takes all kinds of arguments.
const base = `version: 1
source: k.cl
kernel: k
sizes: {n: 1000, m: 3}
define: {TILE: 16, FAST: }
options: [-cl-mad-enable, "-w -Werror"]
grid: [(n + 255) / 256, m]
block: [256]
args:
  - {buffer: x, dtype: float32, size: n * m, restore: false}
  - {buffer: y, bytes: 4 * n, fill: zeros}
  - {buffer: x}
  - {local: float32, size: 256}
  - {int32: "min(n, 64) - 1"}
  - {float32: 1.0 / m}
expect: {kernel: ref, grid: [1], block: [1], results: [y], tolerance: 1e-3}
`

// cuda is the same for CUDA.
var cuda = strings.NewReplacer("k.cl", "k.cu", "  - {local: float32, size: 256}\n", "", "kernel: k\n", "kernel: k<float>\nshared: 4 * n\n", "-cl-mad-enable", "-use_fast_math", "-w -Werror", "-w -lineinfo").Replace(base)

// folder holds sources for launch files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func job(t testing.TB, files map[string]string, text string, sizes map[string]int64) (device.Job, error) {
	t.Helper()
	f, err := Parse(filepath.Join(folder(t, files), "l.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Job(sizes)
}

var sources = map[string]string{"k.cl": "__kernel void k() {}", "k.cu": "// no <<<\n__global__ void k() {}", "k.ptx": ".version 8.0"}

func TestJob(t *testing.T) {
	got, err := job(t, sources, base, map[string]int64{"n": 300})
	if err != nil {
		t.Fatal(err)
	}
	args := []device.Arg{
		{Name: "x", Kind: device.Buffer, DType: "float32", Count: 900, Seed: device.SeedOf("x"), Write: true},
		{Name: "y", Kind: device.Buffer, DType: "uint8", Count: 1200, Seed: device.SeedOf("y"), Sequence: &device.Sequence{}, Stated: true, Read: true, Write: true},
		{Name: "x", Kind: device.Buffer, DType: "float32", Count: 900, Seed: device.SeedOf("x"), Write: true},
		{Name: "local memory", Kind: device.Local, DType: "float32", Count: 256},
		{Name: "min(n, 64) - 1", Kind: device.Scalar, DType: "int32", Int: 63},
		{Name: "1.0 / m", Kind: device.Scalar, DType: "float32", Float: 1.0 / 3},
	}
	const options = "-cl-mad-enable -w -Werror -DTILE=16 -DFAST"
	want := device.Job{
		Identity: samples.Identity{Source: "l.yaml", Sizes: map[string]int64{"n": 300, "m": 3}},
		Source:   sources["k.cl"], Entry: "k", Options: options, Content: got.Content, Then: []device.Launch{},
		Global: []int64{512, 3}, Local: []int64{256, 1}, Args: args,
		Expect: &device.Expect{Results: []string{"y"}, Tolerance: 1e-3, Job: device.Job{
			Identity: samples.Identity{Source: "k.cl", Variant: "ref"}, Source: sources["k.cl"], Entry: "ref", Options: options,
			Global: []int64{1}, Local: []int64{1}, Args: args, Then: []device.Launch{},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	marked, err := job(t, map[string]string{"k.cl": "\ufeff" + sources["k.cl"]}, base, map[string]int64{"n": 300})
	if diff := cmp.Diff(want, marked); diff != "" {
		t.Errorf("with a byte order mark: %v, %s", err, diff)
	}
}

func TestCUDA(t *testing.T) {
	got, err := job(t, sources, cuda, nil)
	if err != nil || !got.Named || got.Entry != "k<float>" || got.Dynamic != 4000 || !got.Expect.Job.Named {
		t.Errorf("%+v (%v)", got, err)
	}
	text := regexp.MustCompile(`(?m)^(define|options|expect).*\n`).ReplaceAllString(cuda, "")
	got, err = job(t, sources, strings.ReplaceAll(text, "k.cu", "k.ptx"), nil)
	if err != nil || string(got.Image) != sources["k.ptx"] || got.Source != "" || got.Named {
		t.Errorf("%+v (%v)", got, err)
	}
}

// TestStructures: parts stand where C puts them, pointers may be to buffers that are described later, and arguments with offsets are one
// piece.
func TestStructures(t *testing.T) {
	const text = `version: 1
source: k.cu
kernel: k
sizes: {n: 100}
grid: [1]
block: [1]
args: ARGS
globals: {c: {dtype: float32, size: 8, fill: iota, restore: false}}
`
	x := device.Arg{Name: "x", Kind: device.Buffer, DType: "float32", Count: 100, Seed: device.SeedOf("x"), Read: true, Write: true}
	at := func(n int64) device.Arg {
		a := x
		a.At = n
		return a
	}
	scalar := func(dtype string, v int64) device.Arg {
		return device.Arg{Name: strconv.FormatInt(v, 10), Kind: device.Scalar, DType: dtype, Int: v}
	}
	raw := device.Arg{Name: "bytes", Kind: device.Raw, Bits: []byte{1, 0xab}}
	structure := func(name string, bytes int64, fields ...device.Field) []device.Arg {
		return []device.Arg{{Name: name, Kind: device.Struct, Count: bytes, Fields: fields}}
	}
	for args, want := range map[string][]device.Arg{
		"[{buffer: x, dtype: float32, size: n, at: 4}, {hex: 01 ab}]": {at(4), raw},
		"[{struct: [{int8: 1}, {pointer: x, at: n}, {int32: 2}]}, {buffer: x, dtype: float32, size: n}]": append(structure("structure", 24,
			device.Field{Offset: 0, Arg: scalar("int8", 1)}, device.Field{Offset: 8, Arg: at(100)}, device.Field{Offset: 16, Arg: scalar("int32", 2)}), x),
		"[{struct: [{int8: 1}, {struct: [{hex: 01ab}, {int16: 2}]}, {int8: 3, offset: 20}]}]": structure("structure", 22,
			device.Field{Offset: 0, Arg: scalar("int8", 1)}, device.Field{Offset: 2, Arg: raw}, device.Field{Offset: 4, Arg: scalar("int16", 2)},
			device.Field{Offset: 20, Arg: scalar("int8", 3)}),
		"[{int32: 1, offset: 24}, {buffer: x, dtype: float32, size: n, offset: 8}, {int64: 2}]": structure("arguments", 28,
			device.Field{Offset: 24, Arg: scalar("int32", 1)}, device.Field{Offset: 8, Arg: x}, device.Field{Offset: 16, Arg: scalar("int64", 2)}),
	} {
		got, err := job(t, sources, strings.Replace(text, "ARGS", args, 1), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, got.Args); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
		if got.Packed != (want[0].Name == "arguments") {
			t.Errorf("%s: packed %v", args, got.Packed)
		}
		variable := device.Arg{Name: "c", Kind: device.Variable, DType: "float32", Count: 8, Seed: device.SeedOf("c"), Sequence: &device.Sequence{Mul: 1}, Stated: true, Write: true}
		if diff := cmp.Diff([]device.Arg{variable}, got.Variables); diff != "" || !slices.Contains(got.Names(), "&c") {
			t.Errorf("%s; names %q", diff, got.Names())
		}
		if err := got.Check(device.Limits{}); err != nil {
			t.Error(err)
		}
	}
}

func TestSequence(t *testing.T) {
	got, err := job(t, sources, `version: 1
source: k.cl
kernel: k
sizes: {n: 3}
block: [8]
sequence:
  - {grid: [n], args: [{int32: n}]}
  - {kernel: l, grid: [step + 1], args: [{int32: n - step}], repeat: n - 1}
`, map[string]int64{"n": 3})
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, l := range got.Launches() {
		text = append(text, l.Entry+" "+strconv.FormatInt(l.Global[0], 10)+" "+strconv.FormatInt(l.Args[0].Int, 10))
	}
	if diff := cmp.Diff([]string{"k 24 3", "l 8 3", "l 16 2"}, text); diff != "" {
		t.Error(diff)
	}
}

// TestContent: whatever times or verdicts depend on shows in the hash, and where the files lie does not.
func TestContent(t *testing.T) {
	files := map[string]string{"k.cl": "#include \"h.h\"\n", "h.h": "#include <deep.h>\n", "inc/deep.h": "1", "x.bin": strings.Repeat("abcd", 3000)}
	text := strings.Replace(strings.Replace(base, "kernel: k\n", "kernel: k\ninclude: [inc]\n", 1), "size: n * m,", "data: x.bin,", 1)
	hash := func(text string, change ...string) string {
		changed := map[string]string{}
		maps.Copy(changed, files)
		for i := 0; i < len(change); i += 2 {
			changed[change[i]] = change[i+1]
		}
		j, err := job(t, changed, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Include) != 2 || j.Keepable() {
			t.Errorf("headers in %q", j.Include)
		}
		return j.SourceHash() + j.Options
	}
	first := hash(text)
	if hash(text) != first {
		t.Error("the folder shows in the hash")
	}
	for what, other := range map[string]string{
		"source":    hash(text, "k.cl", "#include \"h.h\"\n//"),
		"header":    hash(text, "h.h", "#include <deep.h>\n//"),
		"deep":      hash(text, "inc/deep.h", "2"),
		"data":      hash(text, "x.bin", strings.Repeat("abce", 3000)),
		"define":    hash(strings.Replace(text, "TILE: 16", "TILE: 32", 1)),
		"options":   hash(strings.Replace(text, "-Werror", "-cl-std=CL2.0", 1)),
		"fill":      hash(strings.Replace(text, "zeros", "iota", 1)),
		"scalar":    hash(strings.Replace(text, "64) - 1", "64) - 2", 1)),
		"restore":   hash(strings.Replace(text, "restore: false", "restore: true", 1)),
		"tolerance": hash(strings.Replace(text, "1e-3", "1e-2", 1)),
		"reference": hash(strings.Replace(text, "kernel: ref", "kernel: ref2", 1)),
	} {
		if other == first {
			t.Errorf("%s does not show in the hash", what)
		}
	}
}

// TestContentOfCUDA: files of data in structures and of variables count, and where they lie does not.
func TestContentOfCUDA(t *testing.T) {
	text := strings.NewReplacer("{buffer: x, dtype: float32, size: n * m, restore: false}", "{struct: [{buffer: x, dtype: float32, data: x.bin}]}",
		"kernel: k<float>\n", "kernel: k<float>\nglobals: {c: {dtype: float32, data: c.bin}}\n").Replace(cuda)
	hash := func(x, c string) string {
		j, err := job(t, map[string]string{"k.cu": "__global__ void k() {}", "x.bin": x, "c.bin": c}, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		return j.SourceHash()
	}
	first := hash("abcd", "efgh")
	if hash("abcd", "efgh") != first {
		t.Error("the folder shows in the hash")
	}
	if hash("abce", "efgh") == first || hash("abcd", "efgi") == first {
		t.Error("data do not show in the hash")
	}
}

// TestErrors plants a mistake in a launch file and finds it named, with its place: the new text, what the error says of it, and
// the text that it replaces.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ base, old, new, want string }{
		{base, "version: 1", "version: 2", "1:10: a launch file of version 2"},
		{base, "version: 1\n", "", "the launch file has no version"},
		{base, "kernel: k\n", "", "the launch has no kernel"},
		{base, "block: [256]\n", "", "the launch has no block"},
		{base, "kernel: k", "kernle: k", `3:1: unknown key "kernle"`},
		{base, "k.cl", "k.sass", "2:9: a listing of machine code is not supported yet"},
		{base, "k.cl", "k.txt", "2:9: \"k.txt\" is none of the sources"},
		{base, "k.cl", "none.cl", "2:9: there is no file"},
		{base, "kernel: k", "globals: {c: {}}", "3:10: OpenCL sets no variables of a program"},
		{cuda, "kernel: k", "globals: {c: {}}\nkernel: k", "3:14: the variable c has no size"},
		{cuda, "kernel: k", "globals: {c: {bytes: 4}, c: {bytes: 4}}\nkernel: k", `"c"`},
		{cuda, "kernel: k", "globals: {x: {bytes: 4}}\nkernel: k", "x is a variable of the module, and no buffer"},
		{base, "kernel: k", "attributes: {cluster: [2, 1, 1]}", "3:23: launches under opencl have no cluster"},
		{base, "kernel: k", "attributes: {begin: [2, 1]}\nkernel: k", "3:25: with m=3, n=1000 the launch has only 1 dimension"},
		{base, "kernel: k", "attributes: {begin: [-1]}\nkernel: k", "3:22: with m=3, n=1000"},
		{cuda, "kernel: k", "attributes: {begin: [2]}\nkernel: k", "3:21: launches under cuda have no begin"},
		{cuda, "kernel: k", "attributes: {clusters: 2}\nkernel: k", `3:14: unknown key "clusters"`},
		{cuda, "kernel: k", "attributes: {cluster: [3]}\nkernel: k", "3:24: with m=3, n=1000 the grid has 4 work-groups in this dimension, which 3 do not divide"},
		{cuda, "kernel: k", "attributes: {cluster: [4, 1, 5]}\nkernel: k", "3:30: with m=3, n=1000 the cluster has more than 16"},
		{cuda, "kernel: k", "attributes: {carveout: n}\nkernel: k", "3:24: with m=3, n=1000 it is 1000, and a part of the cache is at most 100 percent"},
		{base, "kernel: k", "compiler: nvcc\nkernel: k", "3:11: OpenCL C is compiled by the driver"},
		{cuda, "kernel: k", "compiler: gcc\nkernel: k", `3:11: "gcc" is no compiler of CUDA C`},
		{base, `{int32: "min(n, 64) - 1"}`, "{struct: [{pointer: x}]}", "14:25: a structure holds no pointers under OpenCL"},
		{base, `{int32: "min(n, 64) - 1"}`, "{struct: [{local: float32, size: 1}]}", "14:23: local memory is no part of a structure"},
		{base, `{int32: "min(n, 64) - 1"}`, "{struct: []}", "14:14: the structure is empty"},
		{base, `{int32: "min(n, 64) - 1"}`, "{struct: [{int32: 1}, {offset: 3, int8: 1}]}", "14:27: it begins at byte 3, and what stands before it ends after byte 3"},
		{base, `{int32: "min(n, 64) - 1"}`, "{struct: [{offset: 70000, int8: 1}]}", "14:15: the structure has more than 65536 bytes"},
		{base, `{int32: "min(n, 64) - 1"}`, "{offset: 4, hex: \"00\"}", "14:14: OpenCL takes arguments one by one, without offsets"},
		{base, `{int32: "min(n, 64) - 1"}`, "{hex: \"012\"}", `14:11: expected bytes in hexadecimal digits, found "012"`},
		{base, `{int32: "min(n, 64) - 1"}`, "{texture: t}", "14:6: a texture is not supported"},
		{base, "fill: zeros", "at: 16", "11:35: OpenCL passes whole buffers"},
		{cuda, "fill: zeros", "at: 4 * n + 1", "12:35: with m=3, n=1000 it is 4001, and y has 4000 bytes"},
		{cuda, "{buffer: x}", "{pointer: z}", `13:5: there is no buffer "z"`},
		{base, "kernel: k", "shared: 4", "3:9: OpenCL passes local memory as an argument"},
		{cuda, `{int32: "min(n, 64) - 1"}`, "{local: float32, size: 4}", "CUDA passes no shared memory as an argument"},
		{strings.ReplaceAll(cuda, "k.cu", "k.ptx"), "kernel: k", "kernel: k", "6:9: define is for a compiler"},
		{base, "grid: [(n +", "grid: [(q +", `7:9: there is no size "q"`},
		{base, "grid: [(n + 255) / 256, m]", "grid: ['min(i, 4)']", `7:13: there is no size "i"`},
		{base, "grid: [(n +", "grid: [(n ++/", "7:"},
		{base, "grid: [(n + 255) / 256, m]", "grid: [1, 2, 3, 4]", "7:7: expected one to three numbers, found 4"},
		{base, "grid: [(n + 255) / 256, m]", "grid: [n - 1000]", "7:8: with m=3, n=1000 it is 0, and must be at least 1"},
		{base, "grid: [(n + 255) / 256, m]", "grid: [n / (m - 3)]", "7:8: "},
		{base, "grid: [(n + 255) / 256, m]", "grid: [m, ceil(n / 256)]", "7:11: unknown function ceil"},
		{base, "grid: [(n + 255) / 256, m]", "grid: [m, n > 4]", "7:11: a number is needed here, and this is a condition"},
		{base, "grid: [(n + 255) / 256, m]", "grid: [n > 4 ? 2 : 1]", "put quotes around text that has a : and a blank after it"},
		{base, "grid: [(n + 255) / 256, m]", "grid: ['n > 4 ? n - 1000 : 1']", "7:8: with m=3, n=1000 it is 0, and must be at least 1"},
		{base, "{n: 1000, m: 3}", "{n: 0}", "size n is 0; sizes are at least 1"},
		{base, "m: 3}", "step: 3}", "a size cannot be called step"},
		{base, "dtype: float32, size", "dtype: float, size", `10:24: "float" is no type of elements`},
		{base, ", size: n * m", "", "10:5: the buffer x has no size"},
		{base, "dtype: float32, size", "size", "10:5: the buffer x has no dtype"},
		{base, "{buffer: x}", "{buffer: x, size: 3}", "12:5: the buffer x is described twice"},
		{base, "fill: zeros", "fill: ones", `11:37: "ones" is no way to fill a buffer`},
		{base, "size: n * m", "data: none.bin", "10:39: there is no file"},
		{base, "size: n * m", "size: n, data: k.cl, data_at: 3999", "10:48: k.cl holds 20 bytes, and from byte 3999 on x has 1"},
		{base, "size: n * m", "data: k.cl, data_at: 0", "10:54: the data are a part of the buffer, whose size nothing says"},
		{base, "size: n * m", "size: n, data_at: 4", "10:51: the buffer has no data"},
		{base, "{n: 1000, m: 3}", "{}", "give it a value: sizes: {n: 1048576}"},
		{base, "block: [256]", "block: 256", `8:8: expected a list, found "256"`},
		{base, `{int32: "min(n, 64) - 1"}`, "{int8: 2 ** (m + 4)}", "128 does not fit int8"},
		{base, `{int32: "min(n, 64) - 1"}`, "{int8: 2 ** n}", "2**n is not an integer expression"},
		{base, `{int32: "min(n, 64) - 1"}`, "{float32: 1 / (m - 3)}", "14:15: with m=3, n=1000 it is +Inf"},
		{base, `{int32: "min`, `{int8: "1000 + min`, "does not fit int8"},
		{base, `{int32: "min(n, 64) - 1"}`, "{int32: 1, int8: 2}", "14:5: expected a buffer, a pointer, local memory, a structure, bytes or one number"},
		{base, "TILE: 16", "TILE: 1 6", "a macro with blanks cannot be passed"},
		{base, "results: [y]", "results: [z]", `there is no buffer "z"`},
		{base, "1e-3", "-1", "the tolerance is -1"},
		{base, "kernel: ref", "source: k.cu, kernel: ref", "it runs under cuda, and the kernel under opencl"},
		{base, "kernel: k", "assume: {loop: 3, trips: 4}\nkernel: k", "3:9: expected a list"},
		{base, "kernel: k", "assume: [{loop: 3}]\nkernel: k", "3:10: expected an assumption"},
		{base, "kernel: k", "assume: [{loop: 3, trips: q}]\nkernel: k", `there is no size "q"`},
		{base, "kernel: k", "assume: [{loop: 3, trips: n, sizes: n = 4}]\nkernel: k", "3:10: expected an assumption"},
		{base, "kernel: ref, ", "", "grid belongs to a reference kernel, and none is named"},
		{base, "expect: {kernel: ref, grid: [1], block: [1], results: [y], tolerance: 1e-3}", "expect: {y: y.bin}", `expected a file *.npy, found "y.bin"`},
		{base, "expect: {kernel: ref, grid: [1], block: [1], results: [y], tolerance: 1e-3}", "sequence: []", "the sequence has no launches"},
		{base, "expect: {kernel: ref, grid: [1], block: [1], results: [y], tolerance: 1e-3}", "sequence: [{repeat: 99999}]", "there are more than 10000 launches"},
		{base, "expect: {kernel: ref, grid: [1], block: [1], results: [y], tolerance: 1e-3}", "sequence: [{repeat: 9999, args: [" + strings.Repeat("{int8: 1}, ", 60) + "]}]", "the launches have more than 500000 arguments"},
	} {
		if strings.Count(c.base, c.old) == 0 {
			t.Errorf("%q is not there", c.old)
		}
		f, err := Parse(filepath.Join(folder(t, sources), "l.yaml"), []byte(strings.Replace(c.base, c.old, c.new, 1)))
		if err == nil {
			_, err = f.Job(nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.new, err, c.want)
		}
	}
	if _, err := job(t, sources, base, map[string]int64{"k": 3}); err == nil || !strings.Contains(err.Error(), `no size "k"`) {
		t.Error(err)
	}
}

// npy is a file in NumPy's format.
func npy(header string, elements int) string {
	header += "\n"
	return "\x93NUMPY" + "\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + strings.Repeat("\x00", elements)
}

func TestNPY(t *testing.T) {
	const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (10, 100), }"
	text := strings.NewReplacer("dtype: float32, size: n * m", "data: x.npy", "bytes: 4 * n, fill: zeros", "dtype: float32, size: n",
		"{kernel: ref, grid: [1], block: [1], results: [y], tolerance: 1e-3}", "{y: x.npy, tolerance: 1e-4}").Replace(base)
	for header, want := range map[string]string{
		good:                                          "",
		strings.Replace(good, "<f4", ">f4", 1):        "big-endian",
		strings.Replace(good, "<f4", "<i4", 1):        "holds int32, and y is of float32",
		strings.Replace(good, "<f4", "<c8", 1):        "elements of type c8 are not supported",
		strings.Replace(good, "False", "True", 1):     "order of Fortran",
		strings.Replace(good, "10, 100", "10, 10", 1): "it has 4000 bytes of elements, and its shape stands for 400",
		"{'descr': [('a', '<f4')]}":                   "not plain numbers",
	} {
		j, err := job(t, map[string]string{"k.cl": "k", "x.npy": npy(header, 4000)}, text, nil)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", header, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		given := j.Expect.Given[0]
		if x := j.Args[0]; x.DType != "float32" || x.Count != 1000 || x.File.Offset != int64(len(npy(header, 0))) || given.Name != "y" || *given.File != *x.File {
			t.Errorf("%+v, %+v", x, given)
		}
		element := make([]byte, 8)
		if err := given.Load(element, 998); err != nil {
			t.Error(err)
		}
		if given.Load(element, 999) == nil {
			t.Error("more is read than there is")
		}
	}
}

// TestPart: a file may have a part of a buffer. Zeros stand for the rest, also where a place that is read begins or ends beside the part.
func TestPart(t *testing.T) {
	text := strings.Replace(base, "size: n * m", "size: n, data: x.bin, data_at: 6", 1)
	j, err := job(t, map[string]string{"k.cl": "k", "x.bin": "abcde"}, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first int64
		want  string
	}{
		{0, "\x00\x00\x00\x00\x00\x00ab"}, {1, "\x00\x00abcde\x00"}, {2, "cde\x00\x00\x00\x00\x00"}, {3, "\x00\x00\x00\x00\x00\x00\x00\x00"}, {998, "\x00\x00\x00\x00\x00\x00\x00\x00"},
	} {
		got := []byte("garbage!")
		if err := j.Args[0].Load(got, c.first); err != nil || string(got) != c.want {
			t.Errorf("%d: %q, %v", c.first, got, err)
		}
	}
	if whole, err := job(t, map[string]string{"k.cl": "k", "x.bin": "abcd"}, strings.Replace(base, "size: n * m", "size: 1, data: x.bin", 1), nil); err != nil || whole.Args[0].File.Part() {
		t.Errorf("%+v, %v", whole, err)
	}
}

// TestSchema: the schema has the keys that the reader has, accepts what it accepts, and refuses mistakes that a schema can see.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("launch.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("launch.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../examples/launch/*.yaml")
	more, err2 := filepath.Glob("testdata/cuda/*.yaml")
	if err != nil || err2 != nil || len(files) < 3 || len(more) < 10 {
		t.Fatal(files, more, err, err2)
	}
	files = append(files, more...)
	texts := []string{base, cuda}
	for _, file := range files {
		f, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Emulated(nil); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	valid := func(text string) error {
		root, err := yamlfile.Parse("", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(yamltest.Plain(root, nil))
	}
	for _, text := range texts {
		if err := valid(text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	for old, new := range map[string]string{
		"version: 1": "version: 2", "kernel: k\n": "kernle: k\n", "k.cl": "k.txt", "fill: zeros": "fill: ones", "float32, size": "float, size",
		"{buffer: x}": "{bufer: x}", "1e-3": "2", "m: 3}": "step: 3}", "restore: false": "restore: 1", "kernel: ref, ": "",
	} {
		if valid(strings.Replace(base, old, new, 1)) == nil {
			t.Errorf("%s is accepted", new)
		}
	}
	var top struct{ Properties map[string]any }
	if err := json.Unmarshal(Schema, &top); err != nil {
		t.Fatal(err)
	}
	for _, key := range Keys["file"] {
		if top.Properties[key] == nil {
			t.Errorf("the schema lacks %s", key)
		}
	}
	if len(top.Properties) != len(Keys["file"]) {
		t.Error("the schema has keys that the reader does not know")
	}
}

// FuzzParse: whatever the text, the reader gives a launch or an error about the file.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		base, cuda,
		"version: 1\nsource: k.cu\nkernel: k\ngrid: [4]\nblock: [8]\nattributes: {cluster: [2], carveout: 5, cooperative: true}\nglobals: {c: {bytes: 4}}\n" +
			"args: [{offset: 8, struct: [{pointer: x, at: 1}, {hex: \"01 02\"}, {int8: 1, offset: 20}]}, {buffer: x, bytes: 9}]\n",
		"version: 1\nsource: k.cl\nsequence: [{kernel: k, grid: [1], block: [1], repeat: n, args: [{int32: step}]}]\nsizes: {n: 2}\n",
	} {
		f.Add(text)
	}
	dir := folder(f, sources)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(filepath.Join(dir, "l.yaml"), []byte(text))
		if err != nil || strings.Contains(text, "/") && strings.Contains(text, "source") && !filepath.IsLocal(file.program.path) {
			return
		}
		job, err := file.Job(nil)
		if err != nil {
			return
		}
		for d, g := range job.Global {
			if g < 1 || g%job.Local[d] != 0 {
				t.Errorf("%v work-items in work-groups of %v", job.Global, job.Local)
			}
		}
	})
}
