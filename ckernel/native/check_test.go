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
		if err != nil {
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

func TestTry(t *testing.T) {
	file := os.Getenv("TRY")
	if file == "" {
		t.Skip("no TRY")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := check(t, []*function{{text: string(text), openCL: filepath.Ext(file) == ".cl", kernel: "k", local: []int64{32}, global: []string{"n"}, sizes: []map[string]int64{{"n": 40}, {"n": 64}}, held: os.Getenv("HELD") != ""}})
	fmt.Println(o[0].refused)
	fmt.Println(o[0].wrong)
}
