package remedies

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/explain"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
)

// TestMore: of kernels that no rule was made for, the first remedy names array and line of nearly all, from their sources as they are. What their cures
// gain is known; make test looks at every fourth.
func TestMore(t *testing.T) {
	const more = folder + "more/"
	text, err := os.ReadFile(more + "table.txt")
	if err != nil {
		t.Fatal(err)
	}
	p, times := predictor(t), recorded(t, more)
	all, named, gained := 0, 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") || os.Getenv("LONG") == "" && i%4 != 0 {
			continue
		}
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		file := cells[0]
		cases, err := format.ParseCases([]string{cells[3]}, 1)
		if err != nil {
			t.Fatal(err)
		}
		array, at := defect(t, more+file, cells[4])
		gain := times[file+"#before"] / times[file+"#after"]
		if all++; !(gain > 1) {
			t.Errorf("%s: the cure gains %v", file, gain)
		}
		e := explained(t, p, launchedAs(cells[1]), more+file+"#before", cases[0])
		if len(e.Remedies) == 0 {
			t.Logf("%-12s nothing", file)
			continue
		}
		first := e.Remedies[0]
		ok := first.Line == at && (array[0] == "-" || slices.Contains(array, first.Array))
		if ok {
			named++
		}
		if near(first.Gain, gain) {
			gained++
		}
		t.Logf("%-12s %s in %s, line %d: %v; %.2f said, %.2f measured: %v", file, first.Kind, first.Array, first.Line, ok, first.Gain, gain, near(first.Gain, gain))
	}
	if named < all || 2*gained < all {
		t.Errorf("%d of %d are named, and %d gain what was said", named, all, gained)
	}
}

// defect is where a kernel has it: in arrays, "-" for none, and a line.
func defect(t *testing.T, file, said string) (arrays []string, line int) {
	t.Helper()
	if name, at, ok := strings.Cut(said, ", "); ok {
		line, _ = strconv.Atoi(at)
		return strings.Split(name, " or "), line
	}
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(string(text), "\n") {
		if _, name, ok := strings.Cut(l, "// defect: "); ok {
			return strings.Split(name, " or "), i + 1
		}
	}
	t.Fatal(fmt.Errorf("%s does not say where its defect is", file))
	return nil, 0
}

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

// TestHour: of eight kernels whose advice was written down before they were timed, the first remedy names array and line. What it says is gained is right within a third
// for three of them: the times of the others are off before the cure or after it (testdata/remedies/README.md).
func TestHour(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("LONG=1 looks at all")
	}
	const hour = folder + "hour/"
	times := map[string]float64{}
	text, err := os.ReadFile(hour + "times.csv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, us, _ := strings.Cut(strings.TrimSpace(line), ",")
		times[name], _ = strconv.ParseFloat(us, 64)
	}
	if text, err = os.ReadFile(hour + "table.txt"); err != nil {
		t.Fatal(err)
	}
	p, all, named, gained := predictor(t), 0, 0, 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), " | ")
		cases, err := format.ParseCases([]string{cells[2]}, 1)
		if err != nil {
			t.Fatal(err)
		}
		array, at := defect(t, "", cells[3])
		e := explained(t, p, launchedAs(cells[1]), hour+cells[0]+"#before", cases[0])
		all++
		if len(e.Remedies) == 0 {
			t.Errorf("%s: nothing", cells[0])
			continue
		}
		name, first := strings.TrimSuffix(cells[0], ".cu"), e.Remedies[0]
		gain := times[name+".before"] / times[name+".after"]
		if first.Line == at && slices.Contains(array, first.Array) {
			named++
		}
		if near(first.Gain, gain) {
			gained++
		}
		t.Logf("%-12s %s in %s, line %d; %.2f said, %.2f measured: %v", cells[0], first.Kind, first.Array, first.Line, first.Gain, gain, near(first.Gain, gain))
	}
	if all != 8 || named < 7 || gained < 3 {
		t.Errorf("of %d, %d are named, and %d gain what was said", all, named, gained)
	}
}
