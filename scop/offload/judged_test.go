package offload

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/device/devicetest"
	"gpuperf/scop"
)

// TestJudged: runs of the examples on the device are compared with the interpretation of their text, whatever their recurrences do to the bounds of
// rounding errors. LONG=1 takes all of them.
func TestJudged(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	dev := devicetest.Open(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		if os.Getenv("LONG") == "" && !slices.Contains([]string{"durbin", "heat-3d"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			nests, err := scop.Load(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]int64{}
			for i, p := range nests[0].Params {
				at[p] = 24 - 3*int64(i)
			}
			all, err := RunAll(t.Context(), dev, nests, at, RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r := all[0]
			vague := 0
			for _, a := range r.Arrays {
				vague += a.Vague
			}
			if !r.Verified || vague > 100 { // of some hundred; those of gramschmidt that are nothing but rounding
				t.Errorf("%s: %s; %d elements are not compared", r.Scop, r.Why, vague)
			}
		})
	}
}

// TestCompared: sizes that are too large to interpret are interpreted at smaller ones, and compared with plainer kernels.
func TestCompared(t *testing.T) {
	dev := devicetest.Open(t)
	nests, err := scop.Load(t.Context(), "../../examples/polybench/jacobi-1d.c", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := RunAll(t.Context(), dev, nests, map[string]int64{"tsteps": 100, "n": 8000}, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := all[0]; r.Verified || r.VerifiedAt["n"] >= 8000 || !r.Compared || !r.Valid() {
		t.Errorf("%+v", r)
	}
}
