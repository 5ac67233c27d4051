package features

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/polycount"
)

// Work of the counts of one kernel, in units of package polycount: what one record may take, half a second of one core, what all may take together, and what is left for each of those after that.
const (
	workOfRecord = 10_000_000
	workOfAll    = 40_000_000
	workAtLeast  = 1_000_000
)

// limit is the work that is left for the records of a count. A record whose formula takes more is not counted; others are.
type limit struct {
	left   int64
	budget *polycount.Budget // of the record that is counted
	failed map[where]error   // what exceeded it
}

func newLimit() *limit { return &limit{left: workOfAll, failed: map[where]error{}} }

// limited counts a record within the limit.
func (c *counter) limited(count func() (*polycount.Poly, error)) (*polycount.Poly, error) {
	units := max(min(c.limit.left, workOfRecord), workAtLeast)
	b := polycount.NewBudget(units)
	c.limit.budget = b
	n, err := count()
	b.End()
	c.limit.budget = nil
	c.limit.left -= units - b.Left()
	return n, err
}

// noted remembers what exceeds the limit, as other records need it as well.
func (l *limit) noted(w where, err error) error {
	if errors.Is(err, polycount.ErrBudget) {
		l.failed[w] = err
	}
	return err
}

// uncounted says why there is no record of something. Where that is the limit of work, there may be a number at given sizes.
func uncounted(what string, err error) error {
	if errors.Is(err, polycount.ErrBudget) {
		return fmt.Errorf("%s has %s (%w)", what, noFormula, err)
	}
	return fmt.Errorf("%s is not counted: %w", what, err)
}

const noFormula = "no formula within the limit of work"

// Uncounted are the keys of records that are missing, as warnings say: their numbers are not known, and not 0.
func (s *Statistics) Uncounted() (keys []Key) {
	return lists.Map(s.failed, func(f failure) Key { return f.key })
}

// Limited reports that something has no formula within the limit of work: at given sizes it may be counted.
func (s *Statistics) Limited() bool {
	return slices.ContainsFunc(s.failed, func(f failure) bool { return errors.Is(f.err, polycount.ErrBudget) })
}

// exceeds reports that the formula of a record takes more work than is allowed.
func (s *Statistics) exceeds(key Key) bool {
	return slices.ContainsFunc(s.failed, func(f failure) bool { return f.key == key && errors.Is(f.err, polycount.ErrBudget) })
}
