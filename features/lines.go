package features

import (
	"fmt"
	"math/big"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/launch"
)

// unit is a size in which global memory is cached or transferred.
type unit struct {
	name string
	of   func(launch.Units) int64
}

var (
	cacheLines = unit{"lines", func(u launch.Units) int64 { return u.Lines }}
	sectors    = unit{"sectors", func(u launch.Units) int64 { return u.Sectors }}
)

// unitsOf counts the units of a size that the accesses of a record touch.
func unitsOf(u unit) func(*Statistics, Mem, map[string]int64) (*big.Rat, error) {
	return func(s *Statistics, m Mem, sizes map[string]int64) (*big.Rat, error) { return s.units(u, m, sizes) }
}

// Sectors is the number of 32-byte sectors that the sub-groups touch in the accesses of a record of global memory, as f_mem_sectors
// counts them.
func (s *Statistics) Sectors(m Mem, sizes map[string]int64) (float64, error) {
	n, err := s.units(sectors, m, sizes)
	if err != nil {
		return 0, err
	}
	v, _ := n.Float64()
	return v, nil
}

// units counts the units that the work-items of a sub-group touch in one execution of an access, each once, summed over all executions. Addresses are absolute, with
// arrays at multiples of the unit; work-items are numbered through the group with axis 0 running fastest, as hardware does, so that a sub-group may be a 16x2 piece of a
// 16x16 group; those that the domain leaves out touch nothing.
func (s *Statistics) units(u unit, m Mem, sizes map[string]int64) (*big.Rat, error) {
	sum, err := s.touched(u, m, sizes)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", u.name, m.Variable, err)
	}
	return new(big.Rat).SetInt64(sum), nil
}

func (s *Statistics) touched(u unit, m Mem, sizes map[string]int64) (sum int64, err error) {
	defer throw.Catch(&err)
	var places []launch.Occurrence
	for _, site := range s.sites[m] {
		_ = throw.Get(s.c.flatIndex(site))
		domain := s.c.pointsOf(site.at)
		throw.If(s.c.dependsOnData(domain))
		if place := site.place(m.Direction); !slices.Contains(places, place) { // it has those of all accesses that are the same
			places = append(places, place)
		}
	}
	all := s.walked(sizes)
	for _, place := range places {
		units, there := all[place]
		if !there {
			return 0, fmt.Errorf("the launch has no access %s", place.Access)
		}
		sum += u.of(units)
	}
	return sum, nil
}

// place is where the launch has an access. An atomic update of global memory is one there, that of the store.
func (s site) place(direction Direction) launch.Occurrence {
	place := launch.Occurrence{Statement: s.at.stmt.ID, Access: s.access.String(), Store: direction == Store}
	if s.guard {
		place.Statement = ""
	}
	if s.at.stmt.Update() != nil && place.Access == s.at.stmt.LHS.String() {
		place.Store = true
	}
	return place
}

// exactBoxes is into how many parts a launch is divided until its units are exact: minutes of a walk.
const exactBoxes = 1 << 20

// walked are the units of the launch at sizes. Those of the last sizes are kept, as features of a kernel are asked for together.
func (s *Statistics) walked(sizes map[string]int64) map[launch.Occurrence]launch.Units {
	program := throw.Get(s.c.program())
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(sizes)
	if s.moved.at == key {
		return s.moved.units
	}
	p := throw.Get(launch.New(program.nest, launch.Options{SubgroupSize: s.SubgroupSize, Borders: true, Boxes: exactBoxes}))
	units := throw.Get(p.Units(sizes))
	s.moved.at, s.moved.units = key, units
	return units
}
