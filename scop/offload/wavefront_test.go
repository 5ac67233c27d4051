package offload

import (
	"path/filepath"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// TestWavefronts: wavefronts of tiles compute what the order of the text does, work-item by work-item, without races. Bounds are triangular or not, and loops skewed.
func TestWavefronts(t *testing.T) {
	for _, name := range []string{"lu", "seidel-2d", "cholesky", "trisolv"} {
		t.Run(name, func(t *testing.T) {
			nests, err := scop.Load(t.Context(), filepath.Join("../../examples/polybench", name+".c"), cfront.Options{})
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
			at := map[string]int64{}
			for i, name := range nests[0].Params {
				at[name] = 10 + int64(i)
			}
			check(t, p, at)
		})
	}
}
