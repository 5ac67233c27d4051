package polycount

import "gpuperf/polycount/internal/linear"

// Budget is work that operations share: those on the sets within it, on the counts of these, and on what is made of them, in units as of WithLimit. An operation that
// exceeds it is an error that wraps ErrBudget, as are all after that one. It is for tasks of many operations, whose results must not depend on time.
type Budget struct{ meter *linear.Meter }

// NewBudget is a budget of so many units.
func NewBudget(units int64) *Budget { return &Budget{linear.NewMeter(units)} }

// Exceeded reports that nothing is left.
func (b *Budget) Exceeded() bool { return b.meter.Left() <= 0 }

// Left is how many units are left.
func (b *Budget) Left() int64 { return max(b.meter.Left(), 0) }

// End ends the task: operations on what was made within the budget are limited each for itself again.
func (b *Budget) End() { b.meter.End() }

// Within is s within a budget; with nil, or where s is within one whose task goes on, it is s.
func (s *Set) Within(b *Budget) *Set {
	if s == nil || b == nil || s.budget != nil && !s.budget.meter.Ended() {
		return s
	}
	out := *s
	out.budget = b
	return &out
}

// Budget is the one that s is within, nil without one.
func (s *Set) Budget() *Budget { return s.budget }

// work meters an operation on s.
func (s *Set) work() *linear.Work { return metered(linear.AnyWork(), s.budget) }

func metered(w *linear.Work, b *Budget) *linear.Work {
	if b == nil {
		return w
	}
	return w.On(b.meter)
}

// shared is the budget of a or that of b, rather one whose task goes on.
func shared(a, b *Budget) *Budget {
	if a == nil || b != nil && a.meter.Ended() {
		return b
	}
	return a
}
