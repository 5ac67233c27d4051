package offload

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/scop/schedule"
)

// TestTriangles: grids of triangles are folded, whatever their sides, tiles and sizes; what they compute is what the text does. Of square tiles no work-group has nothing to do. LONG=1 tries all
// sizes with all tiles.
func TestTriangles(t *testing.T) {
	const text = "void f(int n, int m, double A[n][3], double B[n][3], double C[n][n]) {\n#pragma scop\nfor (int i = %s; i++) for (int j = %s; j++) for (int k = 0; k < 3; k++) C[i][j] += A[i][k] * B[j][k];\n#pragma endscop\n}\n"
	for i, shape := range []struct {
		rows, columns string
		folded        bool
	}{
		{"0; i < n", "0; j <= i", true},
		{"0; i < n", "0; j < i", true},
		{"0; i < n", "i; j < n", true},
		{"0; i < n - 1", "i + 1; j < n", true},
		{"0; i < n", "n - 1 - i; j < n", true},
		{"0; i < n", "0; j < n - i", true},
		{"0; i < n", "i/2; j < n/2", false}, // floors
		{"2; i < n", "1; j <= i", true},
		{"0; i < n/2", "0; j <= 2*i", true},
		{"m; i < n", "m; j <= i", true},
		{"0; i < n", "i < 3 ? 0 : i - 3; j < n", true},
		{"0; i < n", "i < 3 ? 0 : i - 3; j < (i < n - 4 ? i + 4 : n)", false}, // two bounds fall and grow
		{"0; i < n", "0; j < n", false},
	} {
		n := nestOf(t, "triangle.c", fmt.Sprintf(text, shape.rows, shape.columns))
		for j, points := range [][]int64{{1, 1}, {3, 2}, {1, 3}, {2, 1}} {
			if os.Getenv("LONG") == "" && (i+j)%3 != 0 {
				continue
			}
			p, err := find(n, schedule.Smart, Options{Sizes: map[string]int64{"n": 100, "m": 1}, Map: func(f Form) Mapping {
				if f.Folded != shape.folded {
					t.Errorf("%s, %s: folded is %v", shape.rows, shape.columns, f.Folded)
				}
				return Mapping{Block: []int64{2, 2}, Points: points, Depth: 2, Share: 1}
			}})
			if err != nil {
				t.Fatal(err)
			}
			long := slices.ContainsFunc(p.Kernels[0].Temps, func(a *kernel.Array) bool { return strings.HasSuffix(a.Name, "_long") })
			if long != shape.folded {
				t.Errorf("%s, %s, %v: the grid is folded: %v", shape.rows, shape.columns, points, long)
			}
			for size := int64(1); size < 20; size++ {
				if os.Getenv("LONG") == "" && size%3 != int64(i%3) {
					continue
				}
				at := map[string]int64{"n": size, "m": 1}
				check(t, p, at)
				if tiles := (size + 1) / 2; shape.columns == "0; j <= i" && shape.rows == "0; i < n" && points[0] == 1 && points[1] == 1 {
					if got := groupsOf(t, p.Kernels[0], at); got != tiles*(tiles+1)/2 {
						t.Errorf("%d work-groups of a triangle of %d rows", got, tiles)
					}
				}
			}
		}
	}
}

// groupsOf are the work-groups of a kernel at sizes.
func groupsOf(t *testing.T, k *kernel.Kernel, at map[string]int64) int64 {
	t.Helper()
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := n.GroupsAt(at)
	if err != nil {
		t.Fatal(err)
	}
	return groups[0] * groups[1] * groups[2]
}
