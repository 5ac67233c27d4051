package features

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Value is the value of a feature at sizes, exact up to the rounding to a float64. A missing size is an *[expr.MissingError]; sizes that
// violate the kernel's assumptions are an error. A feature that selects no record is 0.
func (s *Statistics) Value(id ID, sizes map[string]int64) (float64, error) {
	c, err := s.row(id)
	if err != nil {
		return 0, err
	}
	var buffer [8]int64
	values, err := s.bind(buffer[:0], sizes)
	if err != nil {
		return 0, fmt.Errorf("kernel %s: %w", s.Kernel, err)
	}
	var v float64
	if c.value == nil {
		v, err = s.sumOfCounts(c, id, sizes, values)
	} else {
		v, err = c.value(s, c, id, point{sizes, slices.Clone(values)}) // the buffer stays on the stack
	}
	return v, s.wrap(id, err)
}

func (s *Statistics) row(id ID) (*class, error) {
	if c := id.Class.row(); c != nil {
		return c, nil
	}
	return nil, s.wrap(id, errors.New("not a feature identifier; ParseID makes them"))
}

// wrap names the kernel and the feature of an error.
func (s *Statistics) wrap(id ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("kernel %s: feature %s: %w", s.Kernel, id, err)
}

// point is a choice of sizes, and the values of s.Params among them.
type point struct {
	sizes  map[string]int64
	values []int64
}

// sumOfCounts is the sum of the counts of the selected records.
func (s *Statistics) sumOfCounts(c *class, id ID, sizes map[string]int64, values []int64) (_ float64, err error) {
	defer throw.Catch(&err)
	var sum total
	s.selected(c, id, sizes, func(record int) error {
		sum.add(s.evals[record], values)
		return nil
	})
	return sum.float(), nil
}

func (s *Statistics) groupCount(_ *class, _ ID, at point) (float64, error) {
	return number(s.groups, at.values), nil
}

func (s *Statistics) subGroupCount(_ *class, _ ID, at point) (_ float64, err error) {
	defer throw.Catch(&err)
	perGroup := s.c.subGroups()
	return number(s.groups, at.values) * float64(perGroup), nil
}

// localBytes is the local memory of a work-group at the sizes. It limits the resident work-groups of a multiprocessor.
func (s *Statistics) localBytes(_ *class, _ ID, at point) (sum float64, err error) {
	for _, a := range s.c.k.Temps {
		if s.c.k.SpaceOf(a.Name) == kernel.Local {
			n, err := a.Elements(at.sizes)
			if err != nil {
				return 0, fmt.Errorf("local array %s: %w", a.Name, err)
			}
			sum += float64(n) * float64(a.DType.Size())
		}
	}
	return sum, nil
}

// UnknownTag reports that id selects accesses by a tag that no access of the kernel has, so that its value is 0 at all sizes. It returns
// the tags of the kernel's accesses, sorted.
func (s *Statistics) UnknownTag(id ID) (tags []string, unknown bool) {
	if id.Tag == "" {
		return nil, false
	}
	for _, r := range s.Records {
		m, ok := r.Key.(Mem)
		if ok && m.Selector() == id.Tag {
			return nil, false
		}
		if ok && m.Selector() != "" && !slices.Contains(tags, m.Selector()) {
			tags = append(tags, m.Selector())
		}
	}
	slices.Sort(tags)
	return tags, true
}

// bind appends the values of s.Params to buffer and checks the assumptions.
func (s *Statistics) bind(buffer []int64, sizes map[string]int64) ([]int64, error) {
	for name, n := range s.c.at {
		if sizes[name] != n {
			return nil, fmt.Errorf("counted at %s=%d, not at %d", name, n, sizes[name])
		}
	}
	values, err := bind(buffer, s.Params, sizes)
	if err != nil {
		return nil, err
	}
	return values, s.check(values)
}

func bind(buffer []int64, params []string, sizes map[string]int64) ([]int64, error) {
	for _, name := range params {
		v, ok := sizes[name]
		if !ok {
			return nil, &expr.MissingError{Name: name}
		}
		buffer = append(buffer, v)
	}
	return buffer, nil
}

// check checks that the values of s.Params satisfy the kernel's assumptions.
func (s *Statistics) check(values []int64) error {
	if s.valid == nil {
		return nil
	}
	if n, ok := s.valid.Int64(values); ok && n == 1 {
		return nil
	} else if !ok && s.valid.Big(values).Sign() != 0 {
		return nil
	}
	at := map[string]int64{}
	var parts []string
	for i, p := range s.Params {
		at[p] = values[i]
		parts = append(parts, fmt.Sprintf("%s=%d", p, values[i]))
	}
	text, assumptions := strings.Join(parts, ", "), s.c.k.Assumptions
	if cs, exact := assumptions.Constraints(); exact {
		for _, c := range cs {
			x, err := c.Affine.Eval(at)
			if err == nil && (x < 0 || c.Equality && x != 0) {
				return fmt.Errorf("%s violates the assumption %s", text, c)
			}
		}
	}
	return fmt.Errorf("%s violates the assumptions %s", text, assumptions)
}

// total sums counts, in 64 bits as long as they fit.
type total struct {
	small int64
	big   *big.Rat
}

func (t *total) add(e *polycount.Evaluator, values []int64) {
	v, ok := e.Int64(values)
	if sum := t.small + v; ok && t.big == nil && (sum > t.small) == (v > 0) {
		t.small = sum
		return
	}
	if t.big == nil {
		t.big = new(big.Rat).SetInt64(t.small)
	}
	t.big.Add(t.big, e.Rat(values))
}

func (t *total) float() float64 {
	if t.big == nil {
		return float64(t.small)
	}
	f, _ := t.big.Float64()
	return f
}

func number(e *polycount.Evaluator, values []int64) float64 {
	var t total
	t.add(e, values)
	return t.float()
}

// evaluator evaluates a count that is not among the records.
type evaluator struct {
	params []string
	poly   *polycount.Evaluator
}

func newEvaluator(p *polycount.Poly) *evaluator {
	return &evaluator{p.Params(), p.Compile(p.Params())}
}

func (e *evaluator) rat(sizes map[string]int64) *big.Rat {
	return e.poly.Rat(throw.Get(bind(nil, e.params, sizes)))
}

// int64 is the value where it is a natural number of 64 bits and all sizes are known.
func (e *evaluator) int64(sizes map[string]int64) (v int64, ok bool) {
	var buffer [8]int64
	values, err := bind(buffer[:0], e.params, sizes)
	if err != nil {
		return 0, false
	}
	v, ok = e.poly.Int64(values)
	return v, ok && v >= 0
}
