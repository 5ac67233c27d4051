package rank

import (
	"math"
	"slices"

	"gpuperf/launch"
)

const warpItems = 32 // sub-group size for which the database's features are counted

// roofs are a launch's demands on each part of a device, per 128 bytes of the program's arrays, so that programs and sizes are
// comparable: how much more the variant does than moving its data through memory once. Each is a product of features, which
// distances and trees cannot represent.
//
// In the functions, v returns the value of a static feature, and warps is the number of full sub-groups that the launch's
// work-items form, per 128 bytes of data.
var roofs = []struct {
	name string
	of   func(v func(string) float64, warps float64) float64
}{
	// Wavefronts through the pipe that L1 and local memory share: lines of accesses to global memory, cycles of the others.
	{"wavefronts", func(v func(string) float64, warps float64) float64 {
		return warps * (v("global_loads")*v("cache_lines_load") + v("global_stores")*v("cache_lines_store") +
			(v("local_loads")+v("local_stores"))*max(v("bank_cycles"), 1))
	}},
	// Accesses, each an instruction of the load-store unit.
	{"accesses", func(v func(string) float64, warps float64) float64 {
		return warps * (v("global_loads") + v("global_stores") + v("local_loads") + v("local_stores"))
	}},
	// Sectors that the work-items of a sub-group touch, counted once per access.
	{"traffic", func(v func(string) float64, warps float64) float64 { return warps * v("sectors_item") }},
	// Instructions that the schedulers issue.
	{"issue", func(v func(string) float64, warps float64) float64 {
		return warps * (v("global_loads") + v("global_stores") + v("local_loads") + v("local_stores") + v("statements") +
			v("loop_bodies") + v("ifs") + v("selects") + v("adds") + v("muls") + v("madds") + v("divs") + v("special_ops") + v("other_ops"))
	}},
	// Sequential loads and barriers of a work-item over the occupancy, in whole waves of work-groups.
	{"latency", func(v func(string) float64, warps float64) float64 {
		waves := v("waves")
		if waves <= 0 || v("occupancy") <= 0 {
			return 0
		}
		return warps * (v("global_loads") + v("local_loads") + v("barriers")) * math.Ceil(waves) / waves / v("occupancy")
	}},
	{"synchronization", func(v func(string) float64, warps float64) float64 { return warps * v("barriers") }},
	// Lanes that idle in the last wave of work-groups.
	{"tail", func(v func(string) float64, _ float64) float64 {
		if waves := v("waves"); waves > 0 {
			return math.Ceil(waves) / waves
		}
		return 1
	}},
}

// demands returns a function that computes the roofs of points with features of these names; nil if a feature is missing.
func demands(names []string) func(row []float64) []float64 {
	at := map[string]int{}
	lacks := false
	value := func(row []float64) func(string) float64 {
		return func(name string) float64 {
			i, ok := at[name]
			if !ok {
				if i = slices.Index(names, name); i < 0 {
					lacks = true
					return 0
				}
				at[name] = i
			}
			return row[i]
		}
	}
	of := func(row []float64) []float64 {
		v := value(row)
		items := v("global_size_0") * v("global_size_1") * v("global_size_2")
		warps := items / warpItems * launch.LineBytes / max(v("data_bytes"), 1)
		out := make([]float64, len(roofs))
		for i, r := range roofs {
			out[i] = r.of(v, warps)
		}
		return out
	}
	of(make([]float64, len(names))) // looks up the names before concurrent use
	if lacks {
		return nil
	}
	return of
}
