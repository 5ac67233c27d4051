package features

import (
	"fmt"

	"gpuperf/polycount"
)

// Uncovered lists the records that none of the features selects at the sizes and that are not zero there: work that a model of these
// features does not see.
func (s *Statistics) Uncovered(ids []ID, sizes map[string]int64) ([]Record, error) {
	covered := make([]bool, len(s.Records))
	for _, id := range ids {
		if id.Class == StaticClass {
			return nil, nil
		}
		if id.Class == GroupsClass || id.Class == TimeClass {
			continue
		}
		selected, err := s.Selected(id, sizes)
		if err != nil {
			return nil, err
		}
		for _, i := range selected {
			covered[i] = true
		}
	}
	var buffer [8]int64
	values, err := s.bind(buffer[:0], sizes)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", s.Kernel, err)
	}
	var out []Record
	for i, r := range s.Records {
		if _, work := r.Key.(Footprint); !work && !covered[i] && s.evals[i].Rat(values).Sign() != 0 {
			out = append(out, r)
		}
	}
	return out, nil
}

// Selected lists the records, by their numbers in s.Records, that a feature selects at the sizes.
func (s *Statistics) Selected(id ID, sizes map[string]int64) ([]int, error) {
	p, err := s.plan(id)
	if err != nil {
		return nil, err
	}
	out := append([]int(nil), p.fixed...)
	for _, c := range p.conditional {
		ok, err := all(c.conditions, sizes)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: feature %s: %w", s.Kernel, id, err)
		}
		if ok {
			out = append(out, c.record)
		}
	}
	return out, nil
}

// Formula is the symbolic count of a feature at the sizes; nil where it is none of records alone, as of footprints, cache lines
// and work-groups.
func (s *Statistics) Formula(id ID, sizes map[string]int64) (*polycount.Poly, error) {
	switch id.Class {
	case OpClass, MemClass, SyncClass:
	default:
		return nil, nil
	}
	selected, err := s.Selected(id, sizes)
	if err != nil || len(selected) == 0 {
		return nil, err
	}
	sum := s.Records[selected[0]].Count
	for _, i := range selected[1:] {
		if sum, err = sum.Add(s.Records[i].Count); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// Sectors is the number of 32-byte sectors that the sub-groups touch in the accesses of a record of global memory, as f_mem_sectors
// counts them.
func (s *Statistics) Sectors(m Mem, sizes map[string]int64) (float64, error) {
	n, err := s.units(SectorsClass, m, sizes)
	if err != nil {
		return 0, err
	}
	v, _ := n.Float64()
	return v, nil
}
