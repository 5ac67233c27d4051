package frontend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/launchfile"
)

const records = `struct Particle { float x, y, z; int cell; double mass; };
__global__ void k(Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i].x +
    p[i + 1].mass;
}
`

// TestRecordBuffers: a launch that reads a member behind the bytes of its buffer is refused where the member is read, whatever type the launch file gives the buffer.
func TestRecordBuffers(t *testing.T) {
	for buffer, want := range map[string]string{
		"dtype: uint8, size: 24 * n + 24":    "",
		"dtype: uint8, size: 24 * n + 23":    "k.cu:5:5: p",
		"dtype: uint8, size: 24 * n":         "k.cu:5:5: p",
		"dtype: float32, size: 6 * n + 6":    "",
		"dtype: float32, size: 6 * n + 5":    "k.cu:5:5: p",
		"dtype: float64, size: 3 * n + 3":    "",
		"dtype: float64, size: 3 * n + 2":    "k.cu:5:5: p",
		"dtype: float64, size: 3 * (64 + 1)": "k.cu:4:12: p",
		"dtype: uint8, size: 1":              "k.cu:",
	} {
		text := "version: 1\nsource: k.cu\nkernel: k\nsizes: {n: 128}\ngrid: [n / 64]\nblock: [64]\nargs: [{buffer: p, " + buffer + "}, {buffer: out, dtype: float32, size: n}]\n"
		file, err := launchfile.Load(filepath.Join(written(t, map[string]string{"k.cu": records, "k.yaml": text}), "k.yaml"))
		if err != nil {
			t.Errorf("%s: %v", buffer, err)
			continue
		}
		got := ""
		verdict, _, err := CheckLaunch(t.Context(), file, nil)
		if verdict != nil {
			got = verdict.Error()
		}
		if err != nil || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q (%v), want %q", buffer, got, err, want)
		}
	}
}

// TestStructures: structures and vectors that are passed lie as CUDA lays them out, integers among their members are sizes, and buffers of members are as large
// as the kernel accesses.
func TestStructures(t *testing.T) {
	const text = `struct Box { int n; double scale; const float *data; struct { short first, last; } ends; };
__global__ void k(float *y, char c, Box b, float3 d, float4 v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.n) y[i] = b.data[i] * v.x + d.z + b.scale + c;
}
`
	k := only(t, Options{Local: "64", Global: "b_n"}, filepath.Join(written(t, map[string]string{"k.cu": text}), "k.cu"))
	job, err := k.Own.Job(map[string]int64{"b_n": 100, "c": 2, "b_ends_first": 7})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var list func(fields []device.Field, at int64)
	list = func(fields []device.Field, at int64) {
		for _, f := range fields {
			if at := at + f.Offset; f.Arg.Kind == device.Struct {
				list(f.Arg.Fields, at)
			} else {
				got = append(got, fmt.Sprintf("%d %s=%v[%d]", at, f.Arg.Name, float64(f.Arg.Int)+f.Arg.Float, f.Arg.Count))
			}
		}
	}
	for _, a := range job.Args {
		list(a.Fields, 0)
	}
	want := []string{
		"0 y=0[100]", "8 c=2[0]", "16 b_n=100[0]", "24 b_scale=1.5[0]", "32 b_data=0[100]", "40 b_ends_first=7[0]", "42 b_ends_last=1[0]",
		"48 d_x=1.5[0]", "52 d_y=1.5[0]", "56 d_z=1.5[0]", "64 v_lane0=1.5[0]", "68 v_lane1=1.5[0]", "72 v_lane2=1.5[0]", "76 v_lane3=1.5[0]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, a := range k.Kernel.Args { // what the interpreter needs is in the job, lanes of vectors too
		if a.IsValue && !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, " "+a.Name+"=") }) {
			t.Errorf("the job has no argument %s", a.Name)
		}
	}
	for _, f := range k.Kernel.Functions {
		t.Errorf("function %s cannot be run here", f.Name)
	}
}
