package expand

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/nesttest"
	"gpuperf/internal/golden"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
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
		first, early, err := Initial(a)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(copies)+len(early) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s\n", n.Name)
		for _, c := range early {
			fmt.Fprintf(&out, "  at first %s\n", c)
		}
		for _, c := range copies {
			fmt.Fprintf(&out, "  %s\n", c)
		}
		for _, s := range n.Statements[len(nests[0].Statements):] {
			fmt.Fprintf(&out, "  %s = %s where %s\n", s.LHS, s.RHS, s.Domain)
		}
		for i := range int64(3) {
			at := map[string]int64{}
			for j, p := range n.Params {
				at[p] = 3*i + 1 + int64(j%3)
			}
			for _, m := range []*scop.Nest{n, first} {
				if err := nesttest.Same(nests[0], m, at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	golden.Check(t, "testdata/polybench.txt", out.String())
}

// TestRandomPrograms: nests with copies do what the text does, and have copies often enough to tell.
func TestRandomPrograms(t *testing.T) {
	const programs = 24
	over, back, early := 0, 0, 0
	for seed := range programs {
		a, text, err := nesttest.Random(t.Context(), seed)
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
		back += len(expanded.Statements) - len(a.Nest.Statements)
		first, copies, err := Initial(a)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		early += len(copies)
		for _, at := range []map[string]int64{{"n": 4, "m": 3}, {"n": 5, "m": 8}, {"n": 1, "m": 2}} {
			for _, n := range []*scop.Nest{expanded, first} {
				if err := nesttest.Same(a.Nest, n, at); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
			}
		}
	}
	if early < 2 {
		t.Errorf("%d reads are of copies made first", early)
	}
	if over < programs/4 || back < programs/8 {
		t.Errorf("%d arrays have copies over loops, and %d statements write back", over, back)
	}
}
