package launch

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/lists"
)

// Total is a feature of models, f_static_<name>, computed from static features: a count over a whole launch that a cost can multiply.
// Static features are per work-item; totals count instructions and memory transactions of sub-groups, in which empty lanes cost as much
// as those in use.
type Total struct {
	Name string
	Unit string
	Doc  string
	// Busiest marks work inside of multiprocessors: it is the work of the multiprocessor with most work-groups, times the number of
	// multiprocessors. With fewer groups than multiprocessors, or slightly more than a multiple, the others are idle meanwhile.
	Busiest bool
	// Walked marks what Program.Totals makes and vectors do not have.
	Walked bool
	// Code marks what is counted in machine code.
	Code bool
	// Cached marks what depends on what caches hold: without a look into them, only a least value is known.
	Cached bool
	of     func(v statics) float64 // reads it from a vector
	made   func(v statics) float64 // makes it of other components, in all multiprocessors
	walked func(*estimate) float64
}

// statics are the values of static features.
type statics struct {
	at     map[string]int
	values []float64
	lacks  *string // the last component that was missing
}

func (v statics) get(name string) float64 {
	i, ok := v.at[name]
	if !ok {
		*v.lacks = name
		return 0
	}
	return v.values[i]
}

// items are the work-items of the launch.
func (v statics) items() float64 {
	return v.get("global_size_0") * v.get("global_size_1") * v.get("global_size_2")
}

// warps are the sub-groups of the launch, each as if it were full.
func (v statics) warps(lanes float64) float64 {
	return v.items() / lanes / max(v.get("lanes_used"), 1/lanes)
}

// busiest is the number of work-groups of the multiprocessor with most over the mean.
func (v statics) busiest() float64 {
	resident, waves, groups := v.get("groups_resident"), v.get("waves"), v.get("work_groups")
	if waves <= 0 || groups <= 0 {
		return 1
	}
	each := waves * max(resident, 1) // groups by multiprocessors
	return math.Ceil(each) / each
}

// launched is a feature per work-item that counts what sub-groups do, over the launch.
func launched(name string) func(statics) float64 {
	return func(v statics) float64 { return v.items() * v.get(name) }
}

// perWarp sums features per work-item over sub-groups.
func perWarp(names ...string) func(statics) float64 {
	return func(v statics) float64 {
		sum := lists.Sum(names, v.get)
		return sum * v.warps(DefaultSubgroup)
	}
}

// inWaves multiplies a feature of a work-item by the number of waves.
func inWaves(name string) func(statics) float64 {
	return func(v statics) float64 { return v.get(name) * math.Ceil(v.get("waves")) }
}

// vectorTotals are totals of vectors.
var vectorTotals = []struct {
	name, unit, doc string
	busiest         bool
	of              func(v statics) float64
}{
	{"launches", "", "kernels that run one after the other", false, func(v statics) float64 { return v.get("launches") }},
	{"groups", "", "work-groups", false, func(v statics) float64 { return v.get("work_groups") }},
	{"sub_groups", "", "sub-groups of all work-groups", false, func(v statics) float64 { return v.warps(DefaultSubgroup) }},
	{"data_bytes", "B", "arrays in global memory that are accessed: what has to come from memory, or go there, at least once", false, func(v statics) float64 { return v.get("data_bytes") }},
	{"tile_bytes", "B", "what work-groups have to fetch or store, each its own: global memory in the bounding boxes of their accesses, or the sectors of these if fewer", false, func(v statics) float64 {
		return min(v.get("work_groups")*v.get("tile_bytes"), v.items()*v.get("sectors_distinct")*SectorBytes)
	}},
	{"sector_bytes", "B", "sectors of global memory that sub-groups touch, loads of elements that straight-line code holds left out", false, func(v statics) float64 {
		return v.items() * v.get("sectors_distinct") * SectorBytes
	}},
	{"wavefronts", "", "cycles of the path that L1 and local memory share, of which each of the banks gives a word in one: of accesses by sub-groups, loads of elements that straight-line code holds left out", true, launched("wavefronts")},
	{"lines", "", "lines of 128 B of global memory that these accesses touch", true, launched("lines_distinct")},
	{"accesses", "", "these accesses, by sub-groups, to global and local memory", true, perWarp("global_loads_distinct", "global_stores", "local_loads_distinct", "local_stores")},
	{"arithmetic", "", "additions, multiplications and multiply-adds of sub-groups", true, perWarp("adds", "muls", "madds")},
	{"divisions", "", "divisions of sub-groups", true, perWarp("divs")},
	{"functions", "", "powers and functions of sub-groups", true, perWarp("special_ops")},
	{"control", "", "iterations of loops that are not unrolled, guards and selects of sub-groups, and other operations", true, perWarp("loop_bodies", "ifs", "selects", "other_ops")},
	{"load_rounds", "", "load_rounds of a work-item, in each wave of work-groups", false, inWaves("load_rounds")},
	{"fresh_rounds", "", "load_rounds as far as they load what the work-group has not loaded before", false, func(v statics) float64 {
		touched := v.items() * v.get("sectors_distinct") * SectorBytes
		return inWaves("load_rounds")(v) * min(v.get("work_groups")*v.get("tile_bytes")/max(touched, 1), 1)
	}},
	{"iterations", "", "iterations of loops of a work-item, in each wave of work-groups", false, inWaves("loop_bodies")},
	{"phases", "", "barriers that a work-item meets, in each wave of work-groups", false, inWaves("barriers")},
	{"barriers", "", "barriers that sub-groups pass", true, perWarp("barriers")},
}

var allTotals = func() (all []Total) {
	for _, t := range vectorTotals {
		all = append(all, Total{Name: t.name, Unit: t.unit, Doc: t.doc, Busiest: t.busiest, made: t.of})
	}
	all = append(all, walkedTotals...)
	for i := range all {
		all[i].of = all[i].reader()
	}
	return all
}()

// reader reads the total from a vector that has it, or makes it from other components.
func (t Total) reader() func(statics) float64 {
	name := t.Feature()
	return func(v statics) (total float64) {
		if i, ok := v.at[name]; ok {
			total = v.values[i]
		} else if t.Walked {
			total = v.get(name) // which notes that it is missing
		} else {
			total = t.made(v)
		}
		if t.Busiest {
			total *= v.busiest()
		}
		return total
	}
}

// count is the total of one kernel in all multiprocessors, from an estimate and the vector of the same walk.
func (t *Total) count(e *estimate, v statics) float64 {
	if t.Walked {
		return t.walked(e)
	}
	return t.made(v)
}

// byFeature are the totals by their identifiers.
var byFeature = func() map[string]*Total {
	all := map[string]*Total{}
	for i := range allTotals {
		all[allTotals[i].Feature()] = &allTotals[i]
	}
	return all
}()

// Totals lists the features of models that are made from static features, in a fixed order.
func Totals() []Total { return slices.Clone(allTotals) }

// Feature is the identifier of the total as a feature of models.
func (t *Total) Feature() string { return "f_static_" + t.Name }

// Selection evaluates some totals for vectors whose components have given names.
type Selection struct {
	at   map[string]int
	list []*Total
}

// NewSelection prepares the totals with the given identifiers. A component that is missing from the names is an error.
func NewSelection(names, totals []string) (*Selection, error) {
	return selection(placesOf(names), totals)
}

// placesOf are the places of the components of vectors, by their names.
func placesOf(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return at
}

func selection(at map[string]int, totals []string) (*Selection, error) {
	t := &Selection{at: at}
	zeros := make([]float64, len(at))
	for _, id := range totals {
		total := byFeature[id]
		if total == nil {
			return nil, fmt.Errorf("feature %s is not made from static features", id)
		}
		t.list = append(t.list, total)
		if lacks := total.lacks(at, zeros); lacks != "" {
			return nil, fmt.Errorf("feature %s is made from %s, which the vectors lack", id, lacks)
		}
	}
	return t, nil
}

// lacks names a component that the total needs and vectors do not have; "" if they have all.
func (t *Total) lacks(at map[string]int, values []float64) (name string) {
	t.of(statics{at, values, &name})
	return name
}

// At returns the values of the totals for a vector, in order.
func (t *Selection) At(values []float64) []float64 {
	return lists.Map(t.list, func(s *Total) float64 { return s.of(statics{at: t.at, values: values}) })
}

// Totals returns the values of the totals with the given identifiers, in order. An error names the facts of the device that they are
// made from and that are not known.
func (v *Vector) Totals(totals []string) ([]float64, error) {
	return v.totals(placesOf(v.Names()), totals)
}

// totals are the totals of a vector whose components have these places.
func (v *Vector) totals(at map[string]int, totals []string) ([]float64, error) {
	t, err := selection(at, totals)
	if err == nil {
		return t.At(v.Values), nil
	}
	for i := range allTotals {
		s := &allTotals[i]
		if slices.Contains(totals, s.Feature()) {
			if lacks := s.lacks(at, make([]float64, len(at))); lacks != "" {
				return nil, Needs(v.device, lacks)
			}
		}
	}
	return nil, err
}
