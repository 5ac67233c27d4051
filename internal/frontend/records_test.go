package frontend

import (
	"path/filepath"
	"strings"
	"testing"

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
		verdict, err := CheckLaunch(t.Context(), file, nil)
		if verdict != nil {
			got = verdict.Error()
		}
		if err != nil || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q (%v), want %q", buffer, got, err, want)
		}
	}
}
