package expand_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/nesttest"
	"gpuperf/internal/golden"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/expand"
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
		n, copies, err := expand.Nest(a, expand.Most)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		first, early, err := expand.Initial(a)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		once, alike, err := expand.Invariant(a)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(copies)+len(early)+len(alike) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s\n", n.Name)
		for _, c := range early {
			fmt.Fprintf(&out, "  at first %s\n", c)
		}
		for _, c := range alike {
			fmt.Fprintf(&out, "  once %s\n", c)
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
			for _, m := range []*scop.Nest{n, first, once.Nest} {
				if err := nesttest.Same(nests[0], m, at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	golden.Check(t, "testdata/polybench.txt", out.String())
}

// TestRandomPrograms: nests with copies do what the text does, and have copies often enough to tell. LONG=1 tries many.
func TestRandomPrograms(t *testing.T) {
	programs := 24
	if os.Getenv("LONG") != "" {
		programs = 480
	}
	over, back, early, handed := 0, 0, 0, 0
	for seed := range programs {
		a, text, err := nesttest.Random(t.Context(), seed)
		if errors.Is(err, polycount.ErrBudget) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		expanded, copies, err := expand.Nest(a, 1000)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, c := range copies {
			if len(c.Over) > 0 {
				over++
			}
		}
		back += len(expanded.Statements) - len(a.Nest.Statements)
		first, copies, err := expand.Initial(a)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		early += len(copies)
		over, copies, err := expand.Carried(a, 1000)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		handed += len(copies)
		once, _, err := expand.Invariant(a)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, at := range []map[string]int64{{"n": 4, "m": 3}, {"n": 5, "m": 8}, {"n": 1, "m": 2}} {
			for _, n := range []*scop.Nest{expanded, first, over, once.Nest} {
				if err := nesttest.Same(a.Nest, n, at); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
			}
		}
	}
	if early < 2 {
		t.Errorf("%d reads are of copies made first", early)
	}
	t.Logf("%d values are handed over", handed)
	if over < programs/8 || back < programs/16 {
		t.Errorf("%d arrays have copies over loops, and %d statements write back", over, back)
	}
}

// expands checks that a nest with copies has those that are wanted, and does what the nest of a text does.
func expands(t *testing.T, text string, before, after *scop.Nest, copies []expand.Copies, want string) {
	t.Helper()
	var said []string
	for _, c := range copies {
		said = append(said, c.String())
	}
	if got := strings.Join(said, "; "); got != want {
		t.Errorf("%s: %q, not %q", text, got, want)
	}
	for n := range int64(5) {
		for m := range int64(4) {
			if err := nesttest.Same(before, after, map[string]int64{"n": n + 1, "m": m + 1}); err != nil {
				t.Errorf("%s: n=%d, m=%d: %v", text, n+1, m+1, err)
			}
		}
	}
}

// TestCarried: values that a loop hands to its next iteration, whether they come from before the nest, from before an inner loop, or live on behind it; what is more, or less, stays.
func TestCarried(t *testing.T) {
	const head = "void f(int n, int m, double x[n][m], double y[n][m], double z[n], double *out) { double a = 2.0, b = 3.0;\n#pragma scop\n"
	const tail = "\n#pragma endscop\n out[0] = a; }"
	for _, c := range []struct {
		name, text string
		copies     string
	}{
		{"from before the nest", "for (int i = 0; i < n; i++) { y[i][0] = a; a = z[i]; }", "a becomes a_0[n + 1]"},
		{"two", "for (int i = 2; i < n; i++) { y[i][0] = a + b; b = a; a = z[i]; }", "a becomes a_0[n + 1]; b becomes b_0[n + 1]"},
		{"read behind, too", "for (int i = 0; i < n; i++) { y[i][0] = a; a = z[i]; x[i][0] = a; }", "a becomes a_0[n + 1]"},
		{"an element", "for (int i = 0; i < n; i++) { z[i] = 1.0; for (int j = 1; j < m; j++) { y[i][j] = z[i]; z[i] = x[i][j]; } }", "z becomes z_0[m + 1][n]"},
		{"under a condition", "for (int i = 0; i < n; i++) { y[i][0] = a; if (i > 1) a = z[i]; }", ""},
		{"a recurrence", "for (int i = 0; i < n; i++) { y[i][0] = a; a = a * z[i]; }", ""},
		{"two steps back", "for (int i = 0; i < n; i++) { y[i][0] = a; if (i % 2 == 0) a = z[i]; }", ""},
		{"across the outer loop", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { y[i][j] = a; a = x[i][j]; }", ""},
		{"written twice", "for (int i = 0; i < n; i++) { y[i][0] = a; a = z[i]; x[i][0] = a; a = 1.0; }", "a becomes a_0[n + 1]"},
	} {
		a, err := nesttest.Analysis(t.Context(), head+c.text+tail)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		over, copies, err := expand.Carried(a, 1000)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		expands(t, c.name+": "+c.text, a.Nest, over, copies, c.copies)
	}
}

// TestInvariant: recurrences that are the same in all iterations of loops around are made once, before these; what depends on such a loop by what it reads, or by whose value it reads, stays.
func TestInvariant(t *testing.T) {
	const head = "void f(int n, int m, double x[n][m], double y[n][m], double z[m], double w[n]) {\n#pragma scop\n for (int i = 0; i < n; i++) {\n w[0] = w[0]*0.5 + 1.0;"
	for _, c := range []struct {
		name, text string
		copies     string
	}{
		{"by row", "x[i][0] = 0.5; for (int j = 1; j < m; j++) { x[i][j] = 1.0/(x[i][j-1] + 2.0); y[i][j] = y[i][j]*x[i][j-1]; }", "x becomes x_0[m]"},
		{"the same elements", "z[0] = 0.5; for (int j = 1; j < m; j++) { z[j] = 1.0/(z[j-1] + 2.0); y[i][j] = z[j]; }", "z becomes z_0[m]"},
		{"counting down", "x[i][m-1] = 0.5; for (int j = m - 2; j >= 0; j--) { x[i][j] = 1.0/(x[i][j+1] + 2.0); y[i][j] = x[i][j+1]; }", "x becomes x_0[m]"},
		{"of data that stay", "x[i][0] = z[0]; for (int j = 1; j < m; j++) x[i][j] = x[i][j-1]*z[j];", "x becomes x_0[m]"},
		{"of data that change", "x[i][0] = z[0]; for (int j = 1; j < m; j++) x[i][j] = x[i][j-1]*z[j]; z[0] = w[i];", ""},
		{"of data of the row", "x[i][0] = 0.5; for (int j = 1; j < m; j++) x[i][j] = x[i][j-1]*y[i][j];", ""},
		{"from the row", "x[i][0] = w[i]; for (int j = 1; j < m; j++) x[i][j] = x[i][j-1]*0.5;", ""},
		{"from before", "for (int j = 1; j < m; j++) x[i][j] = x[i][j-1]*0.5;", ""},
		{"with the number of the row", "x[i][0] = 0.5; for (int j = 1; j < m; j++) x[i][j] = x[i][j-1]*i;", ""},
		{"begun in some rows", "if (i < 2) z[0] = 0.5; for (int j = 1; j < m; j++) z[j] = z[j-1]*0.5; z[0] = z[m-1];", ""},
		{"begun elsewhere in some rows", "z[0] = 0.5; if (i > 2 && m > 1) z[1] = 0.25; for (int j = 2; j < m; j++) z[j] = z[j-1]*0.5;", ""},
		{"shifted by the row", "x[i][0] = 0.5; for (int j = 1; j < m; j++) x[i][j] = i > 0 ? x[i-1][j-1]*0.5 : x[i][j-1]*0.5;", ""},
		{"a triangle", "x[i][0] = 0.5; for (int j = 1; j < i && j < m; j++) x[i][j] = x[i][j-1]*0.5;", "x becomes x_0[m]"},
	} {
		a, err := nesttest.Analysis(t.Context(), head+c.text+"\n }\n#pragma endscop\n}")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		once, copies, err := expand.Invariant(a)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		expands(t, c.name+": "+c.text, a.Nest, once.Nest, copies, c.copies)
	}
}
