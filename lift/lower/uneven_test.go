package lower_test

import (
	"math/rand"
	"os"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/features"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/lower"
)

// TestUnevenSizes: variants for sizes that nothing divides, primes and sizes below those of tiles and vectors among them, compute
// what their programs mean.
func TestUnevenSizes(t *testing.T) {
	count := 3
	if os.Getenv("LONG") != "" {
		count = 300
	}
	dev := devicetest.Open(t)
	list := []struct {
		name  string
		sizes map[string]int64
	}{
		{"dot", map[string]int64{"n": 331}},
		{"dot", map[string]int64{"n": 1}},
		{"asum", map[string]int64{"n": 514}},
		{"peak", map[string]int64{"n": 67}},
		{"scal", map[string]int64{"n": 1}},
		{"scal", map[string]int64{"n": 523}},
		{"blackscholes", map[string]int64{"n": 67}},
		{"gemv", map[string]int64{"n": 37, "m": 11}},
		{"matmul", map[string]int64{"m": 13, "k": 37, "n": 19}},
		{"matmul", map[string]int64{"m": 1, "k": 1, "n": 2}},
		{"md", map[string]int64{"n": 37, "k": 3}},
		{"stencil2d", map[string]int64{"h": 17, "w": 9}},
		{"jacobi2d_5pt", map[string]int64{"h": 21, "w": 20}},
		{"srad1", map[string]int64{"h": 1, "w": 17}},
		{"srad2", map[string]int64{"h": 17, "w": 3}},
		{"hotspot2d", map[string]int64{"h": 19, "w": 23}},
		{"heat3d", map[string]int64{"d": 3, "h": 7, "w": 5}},
		{"hotspot3d", map[string]int64{"d": 3, "h": 5, "w": 17}},
	}
	devicetest.Together(dev, len(list), func(i int, dev device.Device) {
		c := list[i]
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile("../../examples/lift/" + c.name + ".lift")
			if err != nil {
				t.Fatal(err)
			}
			list := points(t, parse(t, string(text)), c.sizes, explore.Options{Variants: count, Ranges: 1, Seed: 3})
			checkPoints(t, list, c.sizes, dev)
			t.Logf("%v: %d points", c.sizes, len(list))
		})
	})
}

// TestRandomSizes: a variant of a random program at random sizes computes what the program means.
func TestRandomSizes(t *testing.T) {
	const functions = "def larger(a: float32, b: float32): float32 = maximum(a, b)\n    associative\n    commutative\n    neutral -3.4028235e+38f\n"
	bodies := []string{
		"map(%f) $ xs", "map(%2) $ zip(xs, map(%f) $ ys)", "map(fun((x, y) => tuple(x, x * y))) $ zip(xs, ys)", "gather(reverse) o map(%f) $ xs",
		"reduce(+, 0) o map(%f) $ xs", "reduce(larger, -3.4028235e+38f) o map(%f) $ xs", "reduce(+, 0) o map(%2) $ zip(xs, ys)", "reduce(*, 1.0f) $ xs",
		"map(fun(w => at(0) o reduce(+, 0) $ w)) o slide(3, 1) o pad(1, 1, clamp) $ xs",
		"map(fun(r => map(%f) $ r)) $ grid", "map(fun(x => map(fun(y => x * y)) $ ys)) $ xs", "map(fun(r => at(0) o reduce(+, 0) o map(%f) $ r)) $ grid",
		"map(map(fun(w => at(1, at(0, w)) - at(0, at(1, w))))) o map(transpose) o slide(2, 1) o map(slide(2, 1)) o pad(0, 1, clamp) o map(pad(1, 0, mirror)) $ grid",
		"map(fun(r => map(fun(s => at(0) o reduce(+, 0) o map(*) $ zip(r, s))) $ grid)) $ grid", "transpose o map(map(%f)) $ grid",
	}
	checks := 24
	if os.Getenv("LONG") != "" {
		checks = 2000
	}
	rng := rand.New(rand.NewSource(11))
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	size := func() int64 {
		return []int64{1, 2, 1 + rng.Int63n(9), 10 + rng.Int63n(80), 10 + rng.Int63n(80), 97, 127, 257, 263}[rng.Intn(9)]
	}
	for range checks {
		unary, binary := pick("abs", "fun(x => x * 2.0f)", "fun(x => x + 1.0f)"), pick("*", "-", "fun((x, y) => x * y + 1.0f)")
		body := strings.NewReplacer("%f", unary, "%2", binary).Replace(pick(bodies...))
		sizes := map[string]int64{"n": size(), "m": size()}
		if strings.Contains(body, "grid") {
			sizes["n"], sizes["m"] = sizes["n"]%40+1, sizes["m"]%40+1
		}
		p := parse(t, "program p\nsize n, m\n"+functions+"fun(xs: [float32]n, ys: [float32]n, grid: [[float32]n]m => "+body+")")
		result, err := derive.Derive(p, derive.Options{Count: 40, Seed: rng.Int63n(100), Sizes: sizes})
		if err != nil {
			t.Fatalf("%s at %v: %v", body, sizes, err)
		}
		v := result.Variants[rng.Intn(len(result.Variants))]
		if _, err := check(t, v.Program, lower.Options{Sizes: sizes}, nil); err != nil {
			t.Errorf("%s at %v: %s: %v", body, sizes, v.Program.BodyText(), err)
		}
	}
}

// TestUnevenCounts: what is read and written of arrays that are padded is counted where it is.
func TestUnevenCounts(t *testing.T) {
	text, err := os.ReadFile("../../examples/lift/scal.lift")
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"n": 523}
	result, err := derive.Derive(parse(t, string(text)), derive.Options{Count: 40, Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range result.Variants {
		l, err := lower.Lower(v.Program, lower.Options{Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		total := map[string]float64{}
		for _, k := range l.Kernels {
			stats, err := features.Count(k, features.Options{ExactBranches: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range []string{"load", "store"} {
				for width, lanes := range map[string]float64{"float32": 1, "float32x2": 2, "float32x4": 4, "float32x8": 8} {
					id, err := features.ParseID("f_mem_access_global_" + width + "_" + what)
					if err != nil {
						t.Fatal(err)
					}
					n, err := stats.Value(id, nil)
					if err != nil {
						t.Fatal(err)
					}
					total[what] += n * lanes
				}
			}
		}
		if total["load"] != 523 || total["store"] != 523 {
			t.Errorf("%s: %v\n%s", v.Recipe, total, v.Program.BodyText())
		}
	}
}
