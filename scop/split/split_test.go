package split_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"gpuperf/internal/ctest/nesttest"
	"gpuperf/polycount"
	"gpuperf/scop/split"
)

func text(t testing.TB, file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestNest: where statements are split, and that the parts do what the whole does.
func TestNest(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"floyd-warshall", text(t, "../../examples/polybench/floyd-warshall.c"), "[S0 is split at -j + k = 0 and -i + k = 0] 9 parts"},
		{"row k", `void f(int n, double A[n][n]) {
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] = A[i][j] * 2 - A[k][j];
#pragma endscop
}`, "[S0 is split at -i + k = 0] 3 parts"},
		{"the middle", `void f(int n, int m, double x[n]) {
#pragma scop
  for (int t = 0; t < n; t++)
    for (int i = 0; i < n; i++)
      x[i] = x[i] / 2 + x[m];
#pragma endscop
}`, "[S0 is split at i - m = 0] 3 parts"},
		{"the product", text(t, "../../examples/polybench/gemm.c"), "[] 2 parts"},
		{"triangles", text(t, "../../examples/polybench/lu.c"), "[] 3 parts"},
	} {
		a, err := nesttest.Analysis(t.Context(), x.text)
		if err != nil {
			t.Fatal(err)
		}
		n, cuts, err := split.Nest(a)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		if got := fmt.Sprintf("%v %d parts", cuts, len(n.Statements)); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
		at := map[string]int64{}
		for i, p := range n.Params {
			at[p] = 7 - 2*int64(i)
		}
		if err := nesttest.Same(a.Nest, n, at); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

// TestRandomPrograms: the parts of random nests do what these do, and some have any.
func TestRandomPrograms(t *testing.T) {
	const programs = 24
	parts := 0
	for seed := range programs {
		a, text, err := nesttest.Random(t.Context(), seed)
		if errors.Is(err, polycount.ErrBudget) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		n, cuts, err := split.Nest(a)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		parts += len(cuts)
		for _, at := range []map[string]int64{{"n": 4, "m": 3}, {"n": 5, "m": 8}} {
			if err := nesttest.Same(a.Nest, n, at); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	}
	if parts < 1 {
		t.Errorf("%d statements are split", parts)
	}
}
