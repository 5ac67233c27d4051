package polycount

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/count"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// ErrBudget is wrapped by the error of an operation that exceeded its work limit.
var ErrBudget = linear.ErrBudget

// DefaultLimit is the limit of work where WithLimit gives none: two or three seconds of one core.
const DefaultLimit = linear.DefaultLimit

// Option of Count, Sum and Mul.
type Option func(*settings)

type settings struct {
	ctx   context.Context
	limit int64
}

func workOf(b *Budget, opts []Option) *linear.Work {
	s := settings{ctx: context.Background()}
	for _, o := range opts {
		o(&s)
	}
	return metered(linear.NewWork(s.ctx, s.limit), b)
}

// WithContext cancels the count when ctx is done.
func WithContext(ctx context.Context) Option { return func(s *settings) { s.ctx = ctx } }

// WithLimit bounds the work, in units of about one coefficient touched; exceeding it is an error that wraps ErrBudget.
// The zero limit is two or three seconds of one core.
func WithLimit(units int64) Option { return func(s *settings) { s.limit = units } }

// Count is the number of integer points of s as a function of its parameters. A set that is infinite for some values
// of the parameters is an *UnboundedError.
func (s *Set) Count(opts ...Option) (p *Poly, err error) {
	defer throw.Catch(&err)
	w := workOf(s.budget, opts)
	of, err := s.count(w)
	if err != nil {
		return nil, s.explained(w, err)
	}
	return &Poly{s.params, of, s.budget}, nil
}

func (s *Set) count(w *linear.Work) (p *quasi.Piecewise, err error) {
	if s.open == nil {
		return count.Members(w, s.cs, len(s.params))
	}
	if p, ok, err := count.ByInclusion(w, s.open, len(s.params), count.MaxTerms); ok || err != nil {
		return p, err
	}
	// Where elimination makes many members of one, it rarely helps: not all that is left goes into the attempt.
	rest := w.Left
	if s.pending || len(s.cs) > manyMembers*len(s.open) {
		rest /= 8
	}
	done := w.Within(rest, func(w *linear.Work) { p, err = count.Members(w, s.members(w), len(s.params)) })
	if !done || errors.Is(err, ErrBudget) {
		return nil, s.tooHard()
	}
	return p, err
}

// manyMembers is the number of members from one quantified member above which eliminating the quantifiers rarely helps.
// Without it TestRandomShadows takes twice the time.
const manyMembers = 4

// tooHard is the error for a quantified set that could be counted neither with its quantifiers nor without them.
func (s *Set) tooHard() error {
	n := 0
	for _, c := range s.open {
		n = max(n, len(c.Existentials()))
	}
	return fmt.Errorf("polycount: %w: the set has %d member(s) with up to %d quantified variables; fewer parameters, smaller or common coefficients, or a larger limit may help", ErrBudget, len(s.open), n)
}

// Card is the number of images of each tuple of the domain, whose dimensions follow the parameters.
func (m *Map) Card(opts ...Option) (*Poly, error) {
	return m.Graph().ToParams(m.in...).Count(opts...)
}

// Sum returns Σ p over the points of s, as a function of the remaining parameters: p may use dimensions and
// parameters of s. Where p has no piece it is 0. Errors are those of Count.
func (s *Set) Sum(p *Poly, opts ...Option) (out *Poly, err error) {
	defer throw.Catch(&err)
	budget := shared(s.budget, p.budget)
	w := workOf(budget, opts)
	params := s.params
	for _, n := range p.params {
		if !slices.Contains(s.dims, n) {
			params = unionNames(params, []string{n})
		}
	}
	s = s.respace(params, s.dims)
	of, err := count.Sum(w, s.members(w), p.respace(s.names()).of, len(params))
	if err != nil {
		return nil, s.explained(w, err)
	}
	return &Poly{params, of, budget}, nil
}

// UnboundedError says that a set is infinite, in a direction, where Condition holds.
type UnboundedError struct {
	Dims      []string
	Direction []int64 // per dimension: adding it to any point of the set stays in it
	Condition *Set    // of the parameters; nil: for all their values
}

func (e *UnboundedError) Error() string {
	var parts []string
	for i, v := range e.Direction {
		if v != 0 {
			parts = append(parts, fmt.Sprintf("%+d in %s", v, e.Dims[i]))
		}
	}
	text := "the set is unbounded: from every point it goes on by " + strings.Join(parts, ", ")
	if e.Condition != nil {
		text += fmt.Sprintf(", where %s holds", e.Condition)
	}
	return text
}

// explained says of the error of a count where and in which direction s is infinite, if that is the error.
func (s *Set) explained(w *linear.Work, err error) error {
	var unbounded *count.UnboundedError
	if !errors.As(err, &unbounded) {
		return err
	}
	direction, when := count.Recession(w, unbounded.In, len(s.params))
	if direction == nil {
		return fmt.Errorf("polycount: no direction found in which %v is unbounded", s)
	}
	e := &UnboundedError{Dims: s.Dims(), Direction: direction}
	condition := (&Set{params: s.params}).quantified(w, []*linear.Conj{when})
	if !slices.ContainsFunc(condition.cs, func(q *linear.Conj) bool { return len(q.Eq)+len(q.Ge) == 0 }) {
		e.Condition = condition
	}
	return e
}

// respace rewrites p over params, a superset of its own.
func (p *Poly) respace(params []string) *Poly {
	if slices.Equal(params, p.params) {
		return p
	}
	column := columns(params)
	by := make([]linear.Row, len(p.params))
	for i, n := range p.params {
		at := column(n)
		if at == 0 {
			panic(throw.Errorf("polycount: parameter %q is missing in the new space", n))
		}
		by[i] = linear.Plus(at+1, 0, 1, at)
	}
	return &Poly{params, p.of.Mapped(len(params), by), p.budget}
}
