package offload

import (
	"testing"

	"gpuperf/kernel/linear"
)

// TestStridedSum: a sum with every other term, by work-items that share it, has no more work-items than were asked for.
func TestStridedSum(t *testing.T) {
	n := nestOf(t, "test.c", `void f(int m, double B[120][120])
{
  int i, j;
#pragma scop
  for (i = 0; i < m; i += 2) {
    for (j = i - 1; j >= 0; j -= 2) {
      B[i + 40][i + 41] = B[i + 40][j + 41] < B[i + 40][i + 41] ? B[42][j + 40] : B[i + 40][i + 41];
      if (j > 1)
        B[i + 40][i + 40] = B[i + 40][i + 40] + B[j + 40][i + 40];
    }
  }
#pragma endscop
}
`)
	p, err := Find(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for _, k := range p.Kernels {
		l, err := linear.New(k)
		if err != nil {
			t.Fatal(err)
		}
		if l.Local[1] > 1 {
			shared++
		}
		if product(l.Local[:]) > unnamed().MostItems {
			t.Errorf("a work-group of %v work-items", l.Local)
		}
	}
	if shared == 0 {
		t.Error("work-items share no sum")
	}
	check(t, p, map[string]int64{"m": 9})
}

// TestSizeOfTiles: a tile that the loop of a sum moves along one axis, for all of the other, needs no more local memory than devices have.
func TestSizeOfTiles(t *testing.T) {
	n := nestOf(t, "test.c", `void f(int n, int m, double A[64][64])
{
  int i, j, k;
#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      for (k = 0; k < 3; k++)
        A[i][j] += 0.125 * A[i + k][j + 2];
#pragma endscop
}
`)
	p, err := Find(t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if err := runs(k, unnamed()); err != nil {
			t.Error(err)
		}
	}
	check(t, p, map[string]int64{"n": 17, "m": 13})
}
