package remedies

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/explain"
	"gpuperf/internal/frontend"
)

// launchedAs are the flags of a launch.
func launchedAs(text string) (o frontend.Options) {
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		switch words[i] {
		case "--local":
			o.Local = words[i+1]
		case "--global":
			o.Global = words[i+1]
		case "--groups":
			o.Groups = words[i+1]
		}
	}
	return o
}

// TestAgain: what a work-item has loaded before, in another line, is named; neighbours of it, which it loads in another line, are not.
func TestAgain(t *testing.T) {
	const passes = `__global__ void k(const float *x, float *y, int m) {
  int first = threadIdx.x;
  float sum = 0;
  for (int c = 0; c < m; c += 256)
    sum += x[first + c];
  %s
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
`
	for shift, want := range map[string]bool{"": true, " + 1": false} {
		file := filepath.Join(t.TempDir(), "k.cu")
		if err := os.WriteFile(file, fmt.Appendf(nil, passes, strings.Repeat("for (int c = 0; c < m; c += 256) sum = sum * 0.5f + x[first + c"+shift+"];\n", 12)), 0o600); err != nil {
			t.Fatal(err)
		}
		e := explained(t, predictor(t), frontend.Options{Local: "256", Groups: "n"}, file, map[string]int64{"n": 65536, "m": 2048})
		got := false
		for _, r := range e.Remedies {
			got = got || r.Kind == "loads again" && r.Array == "x" && r.Line == 6
		}
		if got != want {
			t.Errorf("x[first + c%s]: %v, %+v", shift, got, e.Remedies)
		}
	}
}

// TestByOne: loops that one work-item of a group runs alone, and constants that those of a sub-group ask for at different places, come first; loops that all run and
// constants that all ask for at once have no such remedy.
func TestByOne(t *testing.T) {
	const sum = `__global__ void k(const float *x, float *y, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  if (%s)
    for (int i = 0; i < 256; i++) sum += sqrtf(s[i]);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
`
	const table = `__constant__ float c[4096];
__global__ void k(const int *x, float *y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = c[%s];
}
`
	for _, c := range []struct {
		source, kind, array string
		line                int
		want                bool
	}{
		{fmt.Sprintf(sum, "threadIdx.x == 0"), "a single work-item", "sum", 7, true},
		{fmt.Sprintf(sum, "n > 0"), "a single work-item", "sum", 7, false},
		{fmt.Sprintf(table, "x[i]"), "constants", "c", 4, true},
		{fmt.Sprintf(table, "n"), "constants", "c", 4, false},
	} {
		file := filepath.Join(t.TempDir(), "k.cu")
		if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
			t.Fatal(err)
		}
		e := explained(t, predictor(t), frontend.Options{Local: "256", Groups: "n"}, file, map[string]int64{"n": 65536})
		is := slices.IndexFunc(e.Remedies, func(r explain.Remedy) bool { return r.Kind == c.kind && r.Line == c.line && r.Array == c.array })
		if c.want != (is == 0) {
			t.Errorf("%s: %+v", c.source, e.Remedies)
		}
	}
}

// TestRows: where work-items go through rows that data delimit, a sub-group for each row is advised, by the array and the line, and gains.
func TestRows(t *testing.T) {
	const product = `__global__ void k(const int *first, const int *column, const float *value, const float *x, float *y) {
  int row = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int i = first[row]; i < first[row + 1]; i++)
    sum += value[i] * x[column[i]];
  y[row] = sum;
}
`
	file := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(file, []byte(product), 0o600); err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"n": 1024, "trips_4": 32, "column_size": 8388608, "value_size": 8388608, "x_size": 262144}
	e := explained(t, predictor(t), frontend.Options{Local: "256", Groups: "n"}, file, sizes)
	if len(e.Remedies) == 0 || e.Remedies[0].Array != "value" || e.Remedies[0].Line != 5 || e.Remedies[0].Gain < 1.5 || !strings.Contains(e.Remedies[0].Remedy, "let a sub-group go through each row of it together") {
		t.Errorf("%+v", e.Remedies)
	}
}
