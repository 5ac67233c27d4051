package modelgen

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/workload"
)

// TestInventedDevice calibrates on a device that obeys another law than the models do: memory takes as long as the
// busier of DRAM and second-level cache, hits turn to misses over a range of footprints, and work-groups start,
// loads come and units compute meanwhile, but for a little, and so does waiting for loads and operations, in loops that are
// unrolled within a budget. Models are calibrated without a run of the kernels
// and must predict them; that the law is not theirs costs a few per cent. Those that take seconds each are for LONG=1.
func TestInventedDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			if os.Getenv("LONG") == "" && slices.Contains([]string{"softmax", "matvec", "dg", "nbody", "transpose", "seven_point"}, e.name) {
				t.Skip("slow: LONG=1")
			}
			targets := targetsOf(t, e.script, e.sizes)
			tolerance := 0.08
			if slices.Contains([]string{"softmax", "matvec", "nbody"}, e.name) {
				tolerance = 0.15 // few work-groups, which wait by steps where the model has a slope
			}
			set, err := Make(targets, Options{Name: e.name, Form: "pnorm", Device: h200}, generators(t))
			if err != nil {
				t.Fatal(err)
			}
			var rows []calibrate.Row
			for _, p := range set.Planned {
				row := calibrate.Row{Kernel: p.Program(), Label: p.String(), Features: valuesOf(t, set.Model, p.Case)}
				row.Output = timeOn(t, p.Case) * (1 + 0.005*r.NormFloat64())
				if p.Name == "overlap_ratio" {
					row.Ratio = float64(p.Sizes["m"])
				}
				rows = append(rows, row)
			}
			model, fit, err := calibrate.Choose(t.Context(), set.Model, nil, rows, calibrate.Options{Lanes: 32})
			if err != nil {
				t.Fatal(err)
			}
			p, err := calibrate.NewPredictor(model, fit)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range targets {
				k := workload.NewKernel(target.Variant.Kernel)
				for _, at := range target.Sizes {
					c := &workload.Case{Kernel: k, Name: target.Variant.Name, Sizes: at}
					got, err := p.Predict(valuesOf(t, model, c))
					if err != nil {
						t.Fatal(err)
					}
					if want := timeOn(t, c); math.Abs(got.Seconds-want) > tolerance*want {
						t.Errorf("%s at %v (%s): %.4g s predicted, it takes %.4g s", c.Name, at, fit.Choice.Form, got.Seconds, want)
					}
				}
			}
		})
	}
}

// The invented device.
const (
	units     = 132
	cycle     = 1 / 1.98e9
	dramRate  = 4.3e12 // B/s
	cacheRate = 5.5e12
)

// latencies of a load, in seconds.
const (
	fromOwnCache = 20e-9
	fromCache    = 130e-9
	fromDRAM     = 330e-9
)

// delayOf an operation of a sub-group on the next that needs its result, in cycles; others take 4.
var delayOf = map[string]float64{"div": 40, "func:exp": 32, "func:rsqrt": 42}

// budget of instructions that compilers unroll a loop to, in which they make a power of two of copies, at most 8.
const budget = 75

// unrolls reports that so many copies of a body are within the budget; the jump and its condition stand there once.
func unrolls(copies, instructions, trips float64) bool {
	return trips == 0 || copies*(instructions/trips-2)+2 <= budget
}

// cyclesOf a multiprocessor that an operation of a sub-group takes.
var cyclesOf = map[string]float64{
	"add": 0.25, "mul": 0.25, "madd": 0.25, "div": 2.5, "func:exp": 2, "func:rsqrt": 2, "func:max": 0.5,
}

// timeOn is how long a case takes on the invented device.
func timeOn(t *testing.T, c *workload.Case) float64 {
	t.Helper()
	s, err := c.Statistics(features.Options{SubgroupSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	value := func(feature string) float64 {
		v, err := valueOf(s, feature, c.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	nest, err := c.Nest()
	if err != nil {
		t.Fatal(err)
	}
	size, err := nest.Kernel.LocalSize()
	if err != nil {
		t.Fatal(err)
	}
	k := &subject{ir: nest.Kernel, stats: s, lanes: 32}
	items, groups := float64(size[0]*size[1]*size[2]), value("f_thread_groups")
	missing := min(1, max(0, (4*value("f_mem_footprint_global")-30e6)/36e6))
	busiest := math.Ceil(groups/units) * cycle / groups // seconds of the busiest multiprocessor per cycle of all
	var dram, cache, loads, operations float64
	waits := map[string]float64{} // by loop
	for _, r := range s.Records {
		n, err := k.count(r.Key, c.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		switch key := r.Key.(type) {
		case features.Op:
			operations += n * cyclesOf[key.Op] * busiest
		case features.Mem:
			if key.Space == kernel.Local {
				continue
			}
			requests, sectors := n, 1.0
			if key.Granularity == features.WorkItem {
				requests, sectors = n/32, 4
				if key.LStrides.Along(0) != "1" {
					sectors = 16
				}
			}
			wait := fromCache + missing*(fromDRAM-fromCache)
			touched := 4 * value("f_mem_footprint_tag:"+key.Selector())
			switch {
			case key.Granularity == features.SubGroup: // a line serves 32 loads
				wait = (31*fromOwnCache + wait) / 32
				cache += requests * 32 / 8 / cacheRate
			case touched < 200e3:
				wait = fromOwnCache
			default:
				dram += touched * missing / dramRate
				cache += requests * sectors * 32 / cacheRate
			}
			loads += requests * max(1, sectors/4) * busiest
			loop := k.innermost(key)
			if key.Direction == features.Load {
				waits[loop] = max(waits[loop], wait*requests/groups/max(1, math.Ceil(items/32)))
			}
		}
	}
	far := value("f_mem_hoisted_local_lstrides:{0:16}") // eight of the work-items share a bank
	loads += (value("f_mem_hoisted_local") + 7*far) * busiest
	barriers := value("f_sync_barrier_local") * value("f_sub_groups") * 8e-12
	waiting := 0.0
	for _, loop := range slices.Sorted(maps.Keys(waits)) {
		copies := 8.0
		for loop != "" && copies > 1 && !unrolls(copies, value("f_loop_size_iname:"+loop), value("f_loop_trips_iname:"+loop)) {
			copies /= 2
		}
		waiting += waits[loop] / copies
	}
	loops, err := s.Loops()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range loops {
		copies := 8.0
		for copies > 1 && !unrolls(copies, value("f_loop_size_iname:"+l.Iname), value("f_loop_trips_iname:"+l.Iname)) {
			copies /= 2
		}
		path, carried := 0.0, 0.0
		sum := func(kinds []string, class string) (cycles float64) {
			for _, kind := range kinds {
				if _, op, ok := strings.Cut(kind, "_"); ok {
					delay := delayOf[op]
					if delay == 0 {
						delay = 4
					}
					cycles += delay * value("f_loop_"+class+"_"+kind+"_iname:"+l.Iname)
				}
			}
			return cycles
		}
		path, carried = sum(l.Path, "path"), sum(l.Carried, "carried")
		waiting += (carried + max(0, path-carried)/copies) * cycle
	}
	waiting *= math.Ceil(groups / (units * min(32, math.Floor(2048/items))))
	return 4.2e-6 + together(2.5, together(2.2, together(2, dram+barriers, groups*6e-10), together(1.8, loads+cache, operations)), waiting)
}

// together is a p-norm of times.
func together(p float64, times ...float64) float64 {
	sum := 0.0
	for _, x := range times {
		sum += math.Pow(x, p)
	}
	return math.Pow(sum, 1/p)
}
