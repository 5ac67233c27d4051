package offload

import (
	"path/filepath"
	"slices"
	"testing"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// TestWavefronts: wavefronts of tiles compute what the order of the text does, work-item by work-item, without races. Bounds are triangular or not, and loops skewed.
func TestWavefronts(t *testing.T) {
	for _, file := range []string{"polybench/lu.c", "polybench/seidel-2d.c", "polybench/cholesky.c", "polybench/trisolv.c", "nests/alignment.c"} {
		t.Run(file, func(t *testing.T) {
			nests, err := scop.Load(t.Context(), filepath.Join("../../examples", file), cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			f, err := schedule.Search(nests[0], schedule.Wavefronts, schedule.Options{Fusion: schedule.Smart})
			if err != nil {
				t.Fatal(err)
			}
			tree, err := f.Launches()
			if err != nil {
				t.Fatal(err)
			}
			tiled := false
			p, err := Compile(f.Nest, tree, Options{Map: func(f Form) Mapping { tiled = tiled || f.Tiled > 0; return small(f) }})
			if err != nil || !tiled || p.asked[len(p.asked)-1].form.Tiled == 0 {
				t.Fatalf("%v; tiles are asked for: %v", err, tiled)
			}
			local := slices.ContainsFunc(p.Kernels, func(k *kernel.Kernel) bool {
				return slices.ContainsFunc(k.Temps, func(a *kernel.Array) bool { return a.Space == kernel.Local })
			})
			if one := len(nests[0].Statements) == 1; local != one {
				t.Errorf("elements are in local memory: %v", local)
			}
			at := map[string]int64{}
			for i, name := range nests[0].Params {
				at[name] = 10 + int64(i)
			}
			check(t, p, at)
		})
	}
}
