package scop_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// polybench are the nests of examples/polybench: their loops and statements, of which a = b = c is two.
var polybench = map[string]struct{ loops, statements int }{
	"2mm": {6, 4}, "3mm": {9, 6}, "adi": {7, 27}, "atax": {4, 4}, "bicg": {3, 4}, "cholesky": {4, 4}, "correlation": {9, 15}, "covariance": {7, 8},
	"deriche": {12, 47}, "doitgen": {5, 3}, "durbin": {4, 10}, "fdtd-2d": {8, 4}, "floyd-warshall": {3, 1}, "gemm": {4, 2}, "gemver": {7, 4},
	"gesummv": {2, 5}, "gramschmidt": {6, 7}, "heat-3d": {7, 2}, "jacobi-1d": {3, 2}, "jacobi-2d": {5, 2}, "lu": {5, 3}, "ludcmp": {9, 12},
	"mvt": {4, 2}, "nussinov": {3, 5}, "seidel-2d": {3, 1}, "symm": {3, 4}, "syr2k": {4, 2}, "syrk": {4, 2}, "trisolv": {2, 3}, "trmm": {3, 2},
}

// TestPolybench: the nests of the examples do what runs of their text do.
func TestPolybench(t *testing.T) {
	files, err := filepath.Glob("../examples/polybench/*.c")
	if err != nil || len(files) != len(polybench) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := cfront.Read(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			regions, err := f.Regions()
			if err != nil || len(regions) != 1 {
				t.Fatal(len(regions), err)
			}
			n, err := scop.Build(f, regions[0])
			if err != nil {
				t.Fatal(err)
			}
			if want := polybench[name]; len(n.Loops) != want.loops || len(n.Statements) != want.statements {
				t.Errorf("%d loops and %d statements, want %d and %d", len(n.Loops), len(n.Statements), want.loops, want.statements)
			}
			var sizes []map[string]int64
			for _, base := range []int64{4, 7} {
				at := map[string]int64{}
				for i, v := range regions[0].Function.Params {
					if len(v.Dims) == 0 && v.DType.IsInteger() {
						at[v.Name] = base + int64(i)
					}
				}
				sizes = append(sizes, at)
			}
			checkRegion(t, regions[0], n, sizes)
		})
	}
}
