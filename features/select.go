package features

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// plan is a feature resolved for one kernel: records that it selects whatever the sizes, and records that it selects where
// conditions on the sizes hold.
type plan struct {
	fixed       []int
	conditional []candidate
}

type candidate struct {
	record     int
	conditions []condition
}

// condition decides at given sizes. Its text is what Explain says.
type condition struct {
	text string
	test func(sizes map[string]int64) (bool, error)
}

// plan resolves id, once.
func (s *Statistics) plan(id ID) (*plan, error) {
	s.mu.Lock()
	p, ok := s.plans[id]
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	p, err := s.resolve(id)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: feature %s: %w", s.Kernel, id, err)
	}
	s.mu.Lock()
	s.made++
	s.plans[id] = p
	s.mu.Unlock()
	return p, nil
}

func (s *Statistics) resolve(id ID) (*plan, error) {
	p := &plan{}
	switch id.Class {
	case OpClass, MemClass, HoistedClass, LinesClass, SectorsClass, FootprintClass, SyncClass, GroupsClass, SubGroupsClass:
	case LocalBytesClass, LoopTripsClass, LoopSizeClass, LoopPathClass, LoopCarriedClass, StaticClass: // no records
		return p, nil
	case TimeClass:
		return nil, fmt.Errorf("the time is measured, not counted")
	default:
		return nil, fmt.Errorf("not a feature identifier; ParseID makes them")
	}
	for i, r := range s.Records {
		conditions, match, err := s.match(id, r.Key)
		switch {
		case err != nil:
			return nil, err
		case !match:
		case len(conditions) == 0:
			p.fixed = append(p.fixed, i)
		default:
			p.conditional = append(p.conditional, candidate{i, conditions})
		}
	}
	for _, f := range s.failed {
		if _, match, err := s.match(id, f.key); err != nil || match {
			return nil, f.err
		}
	}
	return p, nil
}

// match decides what it can without sizes. Where match is true the feature selects the record if all conditions hold.
func (s *Statistics) match(id ID, key Key) (conditions []condition, match bool, err error) {
	switch k := key.(type) {
	case Op:
		return nil, id.Class == OpClass && id.Op == k.Op && id.DType == k.DType, nil
	case Sync:
		return nil, id.Class == SyncClass && id.Op == k.Op, nil
	case Mem:
		if id.Class == MemClass || id.Class == HoistedClass || id.Class == FootprintClass || unitBytes[id.Class] > 0 && k.Space == kernel.Global {
			return s.matchMem(id, k)
		}
	}
	return nil, false, nil
}

func (s *Statistics) matchMem(id ID, m Mem) (conditions []condition, match bool, err error) {
	if id.Tag != "" && id.Tag != m.tag() || id.Space != "" && id.Space != m.Space ||
		id.DType != "" && id.DType != m.DType || id.Direction != "" && id.Direction != m.Direction {
		return nil, false, nil
	}
	var undecided error // matters only where everything else matches
	for _, family := range []struct {
		name, constraints string
		strides           Strides
	}{{"lid", id.LStrides, m.LStrides}, {"gid", id.GStrides, m.GStrides}} {
		if family.constraints == "" {
			continue
		}
		for _, item := range strings.Split(family.constraints, ";") {
			c, err := parseConstraint(item[2:])
			if err != nil {
				return nil, false, err
			}
			axis := int(item[0] - '0')
			stride := family.strides.Along(axis)
			if stride == varying {
				undecided = fmt.Errorf("the stride of %s along %s(%d) is not constant, so that it cannot be compared with %s", m.Variable, family.name, axis, item[2:])
				continue
			}
			cond, match, err := compareStride(stride, c)
			if err != nil {
				return nil, false, err
			}
			if !match {
				return nil, false, nil
			}
			if cond.test != nil {
				conditions = append(conditions, cond)
			}
		}
	}
	if undecided != nil {
		return nil, false, undecided
	}
	if id.AFR != "" {
		conditions = append(conditions, s.afrCondition(m, id.AFR))
	}
	return conditions, true, nil
}

// compareStride decides a constraint on a stride, or returns the condition on the sizes that it is.
func compareStride(stride string, c constraint) (cond condition, match bool, err error) {
	value, err := expr.Parse(stride)
	if err != nil {
		return condition{}, false, fmt.Errorf("stride %s: %w", stride, err)
	}
	if err := checkSize(value); err != nil {
		return condition{}, false, fmt.Errorf("stride %s: %w", stride, err)
	}
	test := func(sizes map[string]int64) (bool, error) {
		order, err := compareSizes(value, c.bound, sizes)
		return err == nil && holds(c.relation, order), err
	}
	if len(sizeNames(value)) == 0 && len(sizeNames(c.bound)) == 0 {
		match, err = test(nil)
		return condition{}, match, err
	}
	if value.String() == c.bound.String() {
		return condition{}, holds(c.relation, 0), nil
	}
	return condition{fmt.Sprintf("%s %s %s", stride, c.relation, c.bound), test}, true, nil
}

// Explain lists the records that a feature selects, with the conditions on sizes under which it does.
func (s *Statistics) Explain(id ID) []string {
	switch id.Class {
	case GroupsClass:
		return []string{"number of work-groups"}
	case SubGroupsClass:
		return []string{"number of sub-groups of all work-groups"}
	case StaticClass:
		i := slices.IndexFunc(staticTotals, func(t StaticTotal) bool { return t.Name == id.Op })
		return []string{staticTotals[i].Doc}
	}
	if id.Class == LocalBytesClass {
		return []string{"bytes of local memory of a work-group"}
	}
	if id.Class.ofLoops() {
		return s.explainLoops(id)
	}
	p, err := s.plan(id)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, i := range p.fixed {
		out = append(out, s.Records[i].Key.String())
	}
	for _, c := range p.conditional {
		var texts []string
		for _, cond := range c.conditions {
			texts = append(texts, cond.text)
		}
		out = append(out, s.Records[c.record].Key.String()+" where "+strings.Join(texts, " and "))
	}
	return out
}
