package expand

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/cfront"
	"gpuperf/kernel/interp"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/scoptest"
)

// TestPolybench compares the copies of the examples with a golden file, and what their nests do with the text.
func TestPolybench(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var out strings.Builder
	for _, file := range files {
		nests, err := scop.Load(t.Context(), file, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := deps.Analyze(nests[0])
		if err != nil {
			t.Fatal(err)
		}
		n, copies, err := Nest(a, Most)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(copies) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s\n", n.Name)
		for _, c := range copies {
			fmt.Fprintf(&out, "  %s\n", c)
		}
		for _, s := range n.Statements[len(nests[0].Statements):] {
			fmt.Fprintf(&out, "  %s = %s where %s\n", s.LHS, s.RHS, s.Domain)
		}
		for first := range int64(3) {
			at := map[string]int64{}
			for i, p := range n.Params {
				at[p] = 3*first + 1 + int64(i%3)
			}
			same(t, nests[0], n, at)
		}
	}
	const golden = "testdata/polybench.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != out.String() {
		t.Errorf("the copies differ from %s (UPDATE=1 writes them): %v\n%s", golden, err, out.String())
	}
}

// TestRandomPrograms: nests with copies do what the text does, and have copies often enough to tell.
func TestRandomPrograms(t *testing.T) {
	const programs = 24
	over, back := 0, 0
	for seed := range programs {
		text := rapid.Custom(func(t *rapid.T) string { return scoptest.Program(t, true) }).Example(seed)
		f, err := cfront.Parse(t.Context(), "test.c", text, cfront.Options{})
		if err != nil {
			t.Fatal(err)
		}
		regions, err := f.Regions()
		if err != nil {
			t.Fatal(err)
		}
		n, err := scop.Build(f, regions[0])
		if err != nil {
			t.Fatal(err)
		}
		a, err := deps.Analyze(n)
		if errors.Is(err, polycount.ErrBudget) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		expanded, copies, err := Nest(a, 1000)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, c := range copies {
			if len(c.Over) > 0 {
				over++
			}
		}
		back += len(expanded.Statements) - len(n.Statements)
		for _, at := range []map[string]int64{{"n": 4, "m": 3}, {"n": 5, "m": 8}, {"n": 1, "m": 2}} {
			same(t, n, expanded, at)
		}
	}
	if over < programs/4 || back < programs/8 {
		t.Errorf("%d arrays have copies over loops, and %d statements write back", over, back)
	}
}

// same compares what two nests do to the arrays of the first.
func same(t *testing.T, n, m *scop.Nest, at map[string]int64) {
	t.Helper()
	want, got := run(t, n, at), run(t, m, at)
	for _, a := range n.Arrays {
		w, g := want[a.Name], got[a.Name]
		if a.Local || w == nil || g == nil {
			continue
		}
		for i := range w.Len() {
			if x, y := w.At(i), g.At(i); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("%s[%d] is %g, want %g at %v\n%s\n%s", a.Name, i, y, x, at, n, m)
			}
		}
	}
}

// run interprets a nest. What arrays hold first depends on their names alone.
func run(t *testing.T, n *scop.Nest, at map[string]int64) map[string]*interp.Buffer {
	t.Helper()
	k, err := n.Kernel()
	if err != nil {
		t.Fatalf("%v\n%s", err, n)
	}
	l, err := linear.New(k)
	if err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	buffers := map[string]*interp.Buffer{}
	sizes := map[string]int64{}
	for _, name := range l.Kernel.Params() {
		sizes[name] = at[name]
	}
	for _, a := range l.Kernel.Args {
		count := int64(1)
		if a.IsValue && l.Kernel.IsParam(a.Name) {
			continue
		}
		if !a.IsValue {
			if count, err = a.Elements(at); err != nil {
				t.Fatalf("%v at %v\n%s", err, at, k)
			}
		}
		b := interp.NewBuffer(a.DType, int(count))
		for i := range b.Len() {
			b.Set(i, 1+math.Mod(float64(i*7+len(a.Name)*3+int(a.Name[0])), 11)/8)
		}
		buffers[a.Name] = b
	}
	if _, err := interp.Run(l, sizes, buffers); err != nil {
		t.Fatalf("%v at %v\n%s", err, at, k)
	}
	return buffers
}
