package features

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// StaticTotal is a feature of models, f_static_<name>, that is made from static features: what a whole launch does, in numbers that
// the costs of a model can multiply. Where static features are per work-item, totals are by sub-groups, which is what
// instructions and memory transactions are counted in; lanes that a sub-group leaves empty cost as much as those in use.
type StaticTotal struct {
	Name string
	Unit string
	Doc  string
	// Busiest marks work inside of multiprocessors: it is what the one with most work-groups does, by the number of
	// multiprocessors. With fewer groups than multiprocessors, or slightly more than a multiple, the others wait for it.
	Busiest bool
	of      func(v statics) float64
}

// statics are the values of static features.
type statics struct {
	at     map[string]int
	values []float64
	lacks  *string // a name that was asked for in vain
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

// busiest is the work-groups of the multiprocessor with most by those of the mean.
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
		sum := 0.0
		for _, name := range names {
			sum += v.get(name)
		}
		return sum * v.warps(defaultSubgroup)
	}
}

// inWaves sums what a work-item does one after the other over work-groups that run one after the other, as many as a
// multiprocessor does not hold at once.
func inWaves(name string) func(statics) float64 {
	return func(v statics) float64 { return v.get(name) * math.Ceil(v.get("waves")) }
}

var staticTotals = []StaticTotal{
	{"launches", "", "kernels that run one after the other", false, func(v statics) float64 { return v.get("launches") }},
	{"groups", "", "work-groups", false, func(v statics) float64 { return v.get("work_groups") }},
	{"sub_groups", "", "sub-groups of all work-groups", false, func(v statics) float64 { return v.warps(defaultSubgroup) }},
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

func init() {
	for i := range staticTotals {
		t := &staticTotals[i]
		if of := t.of; t.Busiest {
			t.of = func(v statics) float64 { return of(v) * v.busiest() }
		}
	}
}

// StaticTotals lists the features of models that are made from static features, in a fixed order.
func StaticTotals() []StaticTotal { return slices.Clone(staticTotals) }

// Totals makes features of models from static features.
type Totals struct {
	at   map[string]int
	list []*StaticTotal
	ids  []ID
}

// NewTotals prepares features for vectors whose components have the given names. A component that is missing is an error, and so
// is an identifier that is not of StaticClass.
func NewTotals(names []string, ids []ID) (*Totals, error) {
	t := &Totals{at: map[string]int{}, ids: ids}
	for i, name := range names {
		t.at[name] = i
	}
	zero, lacks := make([]float64, len(names)), ""
	for _, id := range ids {
		i := slices.IndexFunc(staticTotals, func(s StaticTotal) bool { return id.Class == StaticClass && s.Name == id.Op })
		if i < 0 {
			return nil, fmt.Errorf("feature %s is not made from static features", id)
		}
		t.list = append(t.list, &staticTotals[i])
		if staticTotals[i].of(statics{t.at, zero, &lacks}); lacks != "" {
			return nil, &LacksError{id, lacks}
		}
	}
	return t, nil
}

// At returns the values of the features for a vector, by identifier.
func (t *Totals) At(values []float64) map[string]float64 {
	out := make(map[string]float64, len(t.list))
	for i, s := range t.list {
		out[t.ids[i].text] = s.of(statics{at: t.at, values: values})
	}
	return out
}

// LacksError is the error of a feature of models that is made from a static feature which vectors lack.
type LacksError struct {
	Feature ID
	Lacks   string
}

func (e *LacksError) Error() string {
	return fmt.Sprintf("feature %s is made from %s, which the vectors lack", e.Feature, e.Lacks)
}

// Totals returns the values of features of StaticClass, by identifier. An error says which facts of the device are not known that
// they are made from.
func (v *StaticVector) Totals(ids []ID) (map[string]float64, error) {
	t, err := NewTotals(v.Names(), ids)
	if lacks := (*LacksError)(nil); errors.As(err, &lacks) {
		return nil, StaticNeeds(v.device, lacks.Lacks)
	}
	if err != nil {
		return nil, err
	}
	return t.At(v.Values), nil
}

// static is the value of a feature of StaticClass, on the device of the options.
func (s *Statistics) static(_ *class, id ID, at point) (float64, error) {
	program, err := s.c.program()
	if err != nil {
		return 0, err
	}
	p, err := NewStatic(program.nest, StaticOptions{SubgroupSize: s.SubgroupSize, Device: s.c.opt.Device})
	if err != nil {
		return 0, err
	}
	v, err := p.at(at.sizes)
	if err != nil {
		return 0, err
	}
	values, err := v.Totals([]ID{id})
	return values[id.text], err
}

func explainStatic(_ *Statistics, id ID) []string {
	i := slices.IndexFunc(staticTotals, func(t StaticTotal) bool { return t.Name == id.Op })
	return []string{staticTotals[i].Doc}
}
