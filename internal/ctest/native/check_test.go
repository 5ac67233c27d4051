package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// outcome is what came of a function.
type outcome struct {
	refused error
	wrong   string
	long    int // launches that are too long to compare
}

// check compares functions, which are compiled together.
func check(t testing.TB, list []*function) []outcome {
	t.Helper()
	folder := t.TempDir()
	out := make([]outcome, len(list))
	counted := make([][]counts, len(list))
	var cases []Case
	var of []int
	for i, f := range list {
		own := filepath.Join(folder, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o755); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var err error
		counted[i], err = f.count(own)
		if d := time.Since(start); os.Getenv("SLOW") != "" && d > 5*time.Second {
			t.Logf("%v: %v\n%s", d, err, f.text)
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			out[i].wrong = fmt.Sprintf("counting takes longer than %v\n", patience)
			continue
		case err != nil:
			out[i].refused = err
			continue
		}
		c, err := f.native()
		if err != nil {
			t.Fatal(err)
		}
		cases, of = append(cases, c), append(of, i)
	}
	for len(cases) > 0 {
		reports, err := Run(context.Background(), folder, cases)
		if bad := (*CompileError)(nil); errors.As(err, &bad) && len(bad.Cases()) > 0 { // no C++, or none that the shim knows
			for _, n := range slices.Backward(slices.Sorted(slices.Values(bad.Cases()))) {
				out[of[n]].wrong = err.Error()
				cases, of = slices.Delete(cases, n, n+1), slices.Delete(of, n, n+1)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for n, i := range of {
			out[i].wrong = list[i].differences(counted[i], reports[n])
			for _, r := range reports[n] {
				if r.Endless {
					out[i].long++
				}
			}
			if out[i].long == len(reports[n]) {
				out[i].wrong += "all launches are too long to compare\n"
			}
		}
		break
	}
	return out
}

// differences are those at all sizes.
func (f *function) differences(counted []counts, reports []*Report) (text string) {
	for s, r := range reports {
		for _, d := range compare(counted[s], r, f.held) {
			text += fmt.Sprintf("at %v: %s\n", f.sizes[s], d)
		}
	}
	return text
}

// TestDiffers: a load, an operation or a barrier more is seen.
func TestDiffers(t *testing.T) {
	if _, err := Compiler(); err != nil {
		t.Skip(err)
	}
	const head = "__global__ void k(float *y, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
	f := &function{text: head + "y[i] = x[i] * 2.0f; }", kernel: "k", local: []int64{8}, global: []string{"n"}, sizes: []map[string]int64{{"n": 16}, {"n": 32}}}
	counted, err := f.count(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bodies := []string{
		"y[i] = x[i] * 2.0f; }", "y[i] = x[i] * 2.0f; y[i] = 0; }", "y[i] = x[i] * 2.0f + x[i]; }", "y[i] = x[i] / 2.0f; }", "y[i] = x[i] * 2.0; }",
		"y[i] = x[i] * 2.0f; __syncthreads(); }", "if (i > 0) y[i] = x[i] * 2.0f; }",
		"for (int k = 0; k < n; k += n < 32 ? n : 0) y[i] = x[i] * 2.0f; }",
	}
	var cases []Case
	for _, body := range bodies {
		f.text = head + body
		c, err := f.native()
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	reports, err := Run(context.Background(), t.TempDir(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range reports {
		if wrong := f.differences(counted, r); (wrong != "") != (i > 0) {
			t.Errorf("%s\n%s", bodies[i], wrong)
		}
	}
	last := reports[len(reports)-1]
	if last[0].Endless || !last[1].Endless {
		t.Errorf("a run that ends at 16 and not at 32 ends as %+v and %+v", last[0], last[1])
	}
	if long := (counts{values: map[string]int64{"op integer add": MostSteps / 2}}); len(compare(long, last[1], false)) > 0 {
		t.Error("a run that is as long as its count is taken for an endless one")
	}
}
