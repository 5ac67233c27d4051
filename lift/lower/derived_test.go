package lower_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/kernel/interp"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/lower"
)

// sizes at which derived variants of the examples are small enough to interpret.
var smallSizes = map[string]map[string]int64{
	"scal": {"n": 256}, "asum": {"n": 512}, "dot": {"n": 256}, "gemv": {"n": 32, "m": 16}, "matmul": {"m": 16, "k": 8, "n": 16},
	"blackscholes": {"n": 64}, "md": {"n": 32, "k": 8}, "stencil2d": {"h": 16, "w": 16}, "jacobi2d_5pt": {"h": 18, "w": 18},
	"jacobi2d_9pt": {"h": 18, "w": 18}, "gaussian": {"h": 20, "w": 20}, "gradient": {"h": 18, "w": 18}, "hotspot2d": {"h": 16, "w": 16},
	"srad1": {"h": 16, "w": 16}, "srad2": {"h": 16, "w": 16}, "heat3d": {"d": 10, "h": 10, "w": 10}, "hotspot3d": {"d": 4, "h": 16, "w": 8},
	"prefix": {"n": 256}, "argmax": {"n": 256}, "normalize": {"n": 128}, "moments": {"n": 128}, "transpose": {"h": 16, "w": 12},
	"filter": {"n": 128}, "segments": {"n": 128, "m": 8}, "spmv": {"n": 96, "m": 16, "k": 32},
}

// points are derived variants of a program with ND-ranges.
func points(t testing.TB, p *lift.Program, sizes map[string]int64, opt explore.Options) []*explore.Point {
	t.Helper()
	s, err := explore.NewSpace(p, "test.lift", sizes, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Points {
		derivedFrom.Store(x.Variant.Program, p)
	}
	return s.Points
}

// derivedFrom has the programs that variants were derived from: their inputs, such as starts of segments, are known by these.
var derivedFrom sync.Map

// unmakable say that no kernel can be made of a variant, which a search passes over: of one in three at most.
var unmakable = regexp.MustCompile("keep them in memory first")

// checkPoints checks points with the interpreter, and one in twelve of them on the device.
func checkPoints(t *testing.T, list []*explore.Point, sizes map[string]int64, dev device.Device) {
	t.Helper()
	refused := 0
	for i, x := range list {
		var on device.Device
		if i%12 == 0 {
			on = dev
		}
		v := x.Variant
		_, err := check(t, v.Program, lower.Options{Sizes: sizes, Local: x.Local, Global: x.Global}, on)
		if unmakable.MatchString(fmt.Sprint(err)) && refused < len(list)/3 {
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%s %v at %v: %v\n%s", v.Recipe, v.Numbers, x.Range, err, v.Program.BodyText())
			return
		}
	}
}

// TestDerivedVariants: what package derive makes of the examples computes what they mean, at several ND-ranges. Every third is run on the device, too; with LONG=1 all.
func TestDerivedVariants(t *testing.T) {
	count := 3
	if os.Getenv("LONG") != "" {
		count = 150
	}
	dev := devicetest.Open(t)
	names := slices.Sorted(maps.Keys(smallSizes))
	devicetest.Together(dev, len(names), func(i int, dev device.Device) {
		name, sizes := names[i], smallSizes[names[i]]
		if i%3 > 0 && os.Getenv("LONG") == "" {
			dev = nil // to build takes most of the time
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("../../examples/lift/" + name + ".lift")
			if err != nil {
				t.Fatal(err)
			}
			checkPoints(t, points(t, parse(t, string(text)), sizes, explore.Options{Variants: count, Ranges: 2, Seed: 3}), sizes, dev)
		})
	})
}

// slow are programs whose recipes are tried with LONG=1.
var slow = []string{"heat3d", "hotspot3d", "matmul", "srad2", "stencil2d"}

// TestEveryRecipe: of every recipe of these programs a variant computes what the program means.
func TestEveryRecipe(t *testing.T) {
	for name, sizes := range map[string]map[string]int64{
		"matmul": {"m": 64, "k": 8, "n": 32}, "prefix": {"n": 256}, "filter": {"n": 64},
		"heat3d": {"d": 10, "h": 10, "w": 10}, "hotspot3d": {"d": 4, "h": 8, "w": 8},
		"jacobi2d_5pt": {"h": 18, "w": 18}, "hotspot2d": {"h": 16, "w": 16}, "srad2": {"h": 16, "w": 16}, "stencil2d": {"h": 16, "w": 16},
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("LONG") == "" && slices.Contains(slow, name) {
				t.Skip("slow: LONG=1")
			}
			text, err := os.ReadFile("../../examples/lift/" + name + ".lift")
			if err != nil {
				t.Fatal(err)
			}
			first := map[string]*derive.Variant{}
			list := points(t, parse(t, string(text)), sizes, explore.Options{Variants: 400, Ranges: 2, Seed: 5})
			list = slices.DeleteFunc(list, func(x *explore.Point) bool {
				v := x.Variant
				if first[v.Recipe] == nil {
					first[v.Recipe] = v
				}
				return first[v.Recipe] != v && os.Getenv("LONG") == ""
			})
			checkPoints(t, list, sizes, nil)
			t.Logf("%d recipes", len(first))
		})
	}
}

// TestResultsAreNumbers: on the data that devices begin with, every result is finite, so that comparing it is a check. (Not so with
// md: a particle whose number stands among its own neighbours is at no distance from one, and random numbers do stand there.)
func TestResultsAreNumbers(t *testing.T) {
	var finite func(v lift.Value) bool
	finite = func(v lift.Value) bool {
		switch v := v.(type) {
		case lift.Values:
			return !slices.ContainsFunc(v, func(x lift.Value) bool { return !finite(x) })
		case lift.Num:
			return !math.IsNaN(v.Float64()) && !math.IsInf(v.Float64(), 0)
		}
		return true // not written
	}
	for name, sizes := range smallSizes {
		if name == "md" {
			continue
		}
		text, err := os.ReadFile("../../examples/lift/" + name + ".lift")
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, string(text))
		fixed, err := p.AtSizes(sizes)
		if err != nil {
			t.Fatal(err)
		}
		result, err := derive.Derive(p, derive.Options{Count: 1, Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		l, err := lower.Lower(result.Variants[0].Program, lower.Options{Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		var inputs []lift.Value
		rest := l.Inputs
		for i, in := range fixed.Inputs {
			k := len(lift.Components(in.Type))
			var bufs []*interp.Buffer
			for _, a := range rest[:k] {
				bufs = append(bufs, data(a, i+1, explore.Segments(fixed)))
			}
			inputs = append(inputs, lower.Read(in.Type, bufs))
			rest = rest[k:]
		}
		v, err := lift.Eval(fixed, nil, inputs, lift.EvalOptions{Float: true})
		if err != nil || !finite(v) {
			t.Errorf("%s: %v (%v)", name, v, err)
		}
	}
}

// TestDerivedIterations: variants of programs that iterate compute what these mean, in several kernels where an iteration reads
// what other work-groups wrote in the one before.
func TestDerivedIterations(t *testing.T) {
	dev := devicetest.Open(t)
	bodies := []string{
		"iterate(3, map(fun(x => x * 2.0f))) $ xs",
		"iterate(2, fun(ys => map(fun(w => at(0) o reduce(+, 0) $ w)) o slide(3, 1) o pad(1, 1, clamp) $ ys)) $ xs",
		"iterate(3, fun(ys => join o map(reduce(+, 0)) o split(2) $ ys)) $ xs",
	}
	devicetest.Together(dev, len(bodies), func(i int, dev device.Device) {
		body := bodies[i]
		p := parse(t, "program it\nsize n\nassume 8 | n\nfun(xs: [float32]n => "+body+")")
		sizes := map[string]int64{"n": 64}
		list := points(t, p, sizes, explore.Options{Variants: 12, Ranges: 2, Seed: 3})
		checkPoints(t, list, sizes, dev)
		variants := map[*derive.Variant]bool{}
		for _, x := range list {
			variants[x.Variant] = true
		}
		if len(variants) != 12 {
			t.Errorf("%s: %d variants", body, len(variants))
		}
	})
}
