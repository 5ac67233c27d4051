package features

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// plan is a feature resolved for one kernel: records that it selects at all sizes, and records that it selects where
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
func (s *Statistics) plan(c *class, id ID) *plan {
	if c.match == nil {
		return &plan{}
	}
	return remember(s, s.plans, id, func() *plan {
		p := &plan{}
		for i, r := range s.Records {
			conditions, match, err := c.match(s, c, id, r.Key)
			switch {
			case err != nil:
				panic(throw.Of(err))
			case !match:
			case len(conditions) == 0:
				p.fixed = append(p.fixed, i)
			default:
				p.conditional = append(p.conditional, candidate{i, conditions})
			}
		}
		for _, f := range s.failed {
			if _, match, err := c.match(s, c, id, f.key); err != nil || match {
				panic(throw.Of(f.err))
			}
		}
		return p
	})
}

// selected calls f for the records, by their numbers in s.Records, that a feature selects at the sizes.
func (s *Statistics) selected(c *class, id ID, sizes map[string]int64, f func(record int) error) {
	p := s.plan(c, id)
	for _, i := range p.fixed {
		throw.If(f(i))
	}
	for _, c := range p.conditional {
		ok, err := all(c.conditions, sizes)
		if ok {
			err = f(c.record)
		}
		if err != nil {
			panic(throw.Of(err))
		}
	}
}

func all(conditions []condition, sizes map[string]int64) (bool, error) {
	for _, c := range conditions {
		if ok, err := c.test(sizes); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func matchOp(_ *Statistics, _ *class, id ID, key Key) ([]condition, bool, error) {
	k, ok := key.(Op)
	return nil, ok && id.Op == k.Op && id.DType == k.DType, nil
}

func matchSync(_ *Statistics, _ *class, id ID, key Key) ([]condition, bool, error) {
	k, ok := key.(Sync)
	return nil, ok && id.Op == k.Op, nil
}

// matchMem decides the match as far as it does not depend on sizes.
func matchMem(s *Statistics, c *class, id ID, key Key) (conditions []condition, match bool, err error) {
	defer throw.Catch(&err)
	m, ok := key.(Mem)
	if !ok || c.space != "" && c.space != m.Space || id.Tag != "" && id.Tag != m.Selector() || id.Space != "" && id.Space != m.Space ||
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
			c := throw.Get(parseConstraint(item[2:]))
			axis := int(item[0] - '0')
			stride := family.strides.Along(axis)
			if c.bound == nil {
				if (stride == Varying) != (c.relation == "=") {
					return nil, false, nil
				}
				continue
			}
			if c.relation == "=" && s.lacks(c.bound) {
				return nil, false, nil // no stride of the kernel is a multiple of a size that it does not have
			}
			if stride == Varying {
				undecided = fmt.Errorf("the stride of %s along %s(%d) is not constant, so that it cannot be compared with %s", m.Variable, family.name, axis, item[2:])
				continue
			}
			cond, match := compareStride(stride, c)
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

// lacks reports that the kernel has no parameter for a size that e names.
func (s *Statistics) lacks(e expr.Expr) bool {
	return slices.ContainsFunc(sizeNames(e), func(name string) bool { return !slices.Contains(s.c.k.Params(), name) })
}

// compareStride decides a constraint on a stride, or returns it as a condition on the sizes.
func compareStride(stride string, c constraint) (cond condition, match bool) {
	value, err := expr.Parse(stride)
	if err != nil {
		panic(throw.Errorf("stride %s: %w", stride, err))
	}
	if err := checkSize(value); err != nil {
		panic(throw.Errorf("stride %s: %w", stride, err))
	}
	test := func(sizes map[string]int64) (bool, error) {
		order, err := compareSizes(value, c.bound, sizes)
		return err == nil && holds(c.relation, order), err
	}
	if len(sizeNames(value)) == 0 && len(sizeNames(c.bound)) == 0 {
		match = throw.Get(test(nil))
		return condition{}, match
	}
	if value.String() == c.bound.String() {
		return condition{}, holds(c.relation, 0)
	}
	return condition{fmt.Sprintf("%s %s %s", stride, c.relation, c.bound), test}, true
}

// Explain lists the records that a feature selects, with their conditions on sizes, or describes the count of a feature without records.
func (s *Statistics) Explain(id ID) []string {
	c, err := s.row(id)
	if err != nil {
		return []string{err.Error()}
	}
	if c.explain != nil {
		return c.explain(s, id)
	}
	p, err := throw.Value(func() *plan { return s.plan(c, id) })
	if err != nil {
		return []string{s.wrap(id, err).Error()}
	}
	out := lists.Map(p.fixed, func(i int) string { return s.Records[i].Key.String() })
	for _, c := range p.conditional {
		out = append(out, s.Records[c.record].Key.String()+" where "+lists.Join(c.conditions, " and ", func(cond condition) string { return cond.text }))
	}
	return out
}

// Selected lists the records, by their numbers in s.Records, that a feature selects at the sizes.
func (s *Statistics) Selected(id ID, sizes map[string]int64) (list []int, err error) {
	defer throw.Catch(&err)
	c, err := s.row(id)
	if err == nil {
		err = throw.Try(func() {
			s.selected(c, id, sizes, func(record int) error {
				list = append(list, record)
				return nil
			})
		})
	}
	return list, s.wrap(id, err)
}

// Formula is the symbolic count of a feature at the sizes; nil for a feature that is no sum of records, such as a footprint.
func (s *Statistics) Formula(id ID, sizes map[string]int64) (*polycount.Poly, error) {
	if c, err := s.row(id); err != nil || c.value != nil {
		return nil, err
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

// Covers reports whether a model's time grows with features that count all work, so that it ignores none. growth is how it grows with each.
func Covers(ids []ID, growth []float64) bool {
	for i, id := range ids {
		if id.Class.Work() == AllWork && growth[i] > 0 {
			return true
		}
	}
	return false
}

// Uncovered lists the records that are not zero at the sizes and with which no class of features grows: work that a model ignores.
// growth is how the model's time grows with each feature. Features of one class count in one unit, so that one may take back what another
// counts, as in all stores but those of one array.
func (s *Statistics) Uncovered(ids []ID, growth []float64, sizes map[string]int64) ([]Record, error) {
	if Covers(ids, growth) {
		return nil, nil
	}
	type part struct {
		record int
		class  Class
	}
	grows := map[part]float64{}
	for i, id := range ids {
		selected, err := s.Selected(id, sizes)
		if err != nil {
			return nil, err
		}
		for _, record := range selected {
			grows[part{record, id.Class}] += growth[i]
		}
	}
	covered := make([]bool, len(s.Records))
	for p, g := range grows {
		covered[p.record] = covered[p.record] || g > 0
	}
	values, err := s.bind(nil, sizes)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", s.Kernel, err)
	}
	var out []Record
	for i, r := range s.Records {
		if _, work := r.Key.(Footprint); !work && !covered[i] && number(s.evals[i], values) != 0 {
			out = append(out, r)
		}
	}
	return out, nil
}
