package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gpuperf/lift"
)

// Run is a rewriting in progress: its assumptions and the steps so far.
type Run struct {
	Options
	Steps []Step
	// MaxSteps bounds the steps of strategies that repeat; 0 means 1000.
	MaxSteps int
}

// Step is a rule that was applied at a place.
type Step struct {
	Rule *Rule
	Args Args
	Path []int // the kids that lead from the root to the place
}

// Strategy rewrites a term at a site. It returns the rewritten term, or an error if it does not apply; then the run is
// unchanged.
type Strategy func(run *Run, t *lift.Term, site *Site) (*lift.Term, error)

// errNowhere reports that a strategy applies nowhere in the term.
var errNowhere = errors.New("the strategy applies nowhere")

// Do rewrites a term from its root.
func (run *Run) Do(s Strategy, t *lift.Term) (*lift.Term, error) { return run.at(s, t, nil) }

// at runs the strategy, and forgets the steps of one that fails.
func (run *Run) at(s Strategy, t *lift.Term, site *Site) (*lift.Term, error) {
	before := len(run.Steps)
	r, err := s(run, t, site)
	if err != nil {
		run.Steps = run.Steps[:before]
		return nil, err
	}
	return r, nil
}

// With is the strategy that applies the rule at the term itself. Args come in pairs of a name and a size or an int.
func (r *Rule) With(args ...any) Strategy {
	a := Args{}
	for i := 0; i+1 < len(args); i += 2 {
		switch v := args[i+1].(type) {
		case lift.Size:
			a[args[i].(string)] = v
		case int:
			a[args[i].(string)] = lift.Nat(int64(v))
		default:
			panic(fmt.Sprintf("rule %s: argument %v is a %T", r.Name, args[i], v))
		}
	}
	return r.WithArgs(a)
}

// WithArgs is With for arguments that are collected already.
func (r *Rule) WithArgs(a Args) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) { return run.apply(r, a, t, site) }
}

func (run *Run) apply(r *Rule, args Args, t *lift.Term, site *Site) (*lift.Term, error) {
	if most := cmp.Or(run.MaxSteps, 1000); len(run.Steps) >= most {
		return nil, fmt.Errorf("more than %d steps", most)
	}
	right, err := r.Apply(t, site, args, run.Options)
	if err != nil {
		return nil, err
	}
	run.Steps = append(run.Steps, Step{r, args, site.Path()})
	return right, nil
}

// Use is With for the rule of a name, which must exist.
func Use(name string, args ...any) Strategy {
	r := ByName(name)
	if r == nil {
		panic("no rule is named " + name)
	}
	return r.With(args...)
}

// ID changes nothing.
func ID(_ *Run, t *lift.Term, _ *Site) (*lift.Term, error) { return t, nil }

// Seq applies strategies in sequence, each to the result of the previous one.
func Seq(list ...Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		var err error
		for _, s := range list {
			if t, err = run.at(s, t, site); err != nil {
				return nil, err
			}
		}
		return t, nil
	}
}

// Else applies the first strategy of the list that applies.
func Else(list ...Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		err := errNowhere
		for _, s := range list {
			r, e := run.at(s, t, site)
			if e == nil {
				return r, nil
			}
			err = better(err, e)
		}
		return nil, err
	}
}

// better prefers, of the errors of alternatives, one that is more specific than a missing match.
func better(old, now error) error {
	if r, ok := old.(*Refused); ok && r.Why != noMatch || now == errNowhere {
		return old
	}
	return now
}

// Try applies the strategy if it applies, and otherwise leaves the term unchanged.
func Try(s Strategy) Strategy { return Else(s, ID) }

// Repeat applies the strategy as often as it applies.
func Repeat(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		for {
			r, err := run.at(s, t, site)
			if err != nil || r == t {
				return t, nil
			}
			t = r
		}
	}
}

// withKid returns the term with another kid. Rules preserve types, so an error here is a fault of a rule.
func withKid(t *lift.Term, i int, kid *lift.Term) (*lift.Term, error) {
	kids := slices.Clone(t.Kids)
	kids[i] = kid
	r := t.With(kids...)
	return r, r.Err()
}

// AtKid applies the strategy to one kid of the term.
func AtKid(i int, s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		if i < 0 || i >= len(t.Kids) {
			return nil, fmt.Errorf("%s has no kid %d", t.Op, i)
		}
		r, err := run.at(s, t.Kids[i], &Site{site, t, i})
		if err != nil {
			return nil, err
		}
		return withKid(t, i, r)
	}
}

// AtArg applies the strategy to the last kid of the term: the array that a pattern works on.
func AtArg(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		return AtKid(len(t.Kids)-1, s)(run, t, site)
	}
}

// Below applies the strategy n patterns below the term, each the array that the one before works on.
func Below(n int, s Strategy) Strategy {
	for range n {
		s = AtArg(s)
	}
	return s
}

// AtBody applies the strategy to the body of a pattern's function.
func AtBody(s Strategy) Strategy { return AtKid(0, AtKid(0, s)) }

// One applies the strategy to the first kid where it applies.
func One(s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		err := errNowhere
		for i, kid := range t.Kids {
			r, e := run.at(s, kid, &Site{site, t, i})
			if e == nil {
				return withKid(t, i, r)
			}
			err = better(err, e)
		}
		return nil, err
	}
}

// TopDown applies the strategy at the first place where it applies, a term before its kids.
func TopDown(s Strategy) (down Strategy) {
	below := One(func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) { return down(run, t, site) })
	down = Else(s, below)
	return down
}

// BottomUp applies the strategy at the first place where it applies, the kids of a term before it.
func BottomUp(s Strategy) (up Strategy) {
	below := One(func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) { return up(run, t, site) })
	up = Else(below, s)
	return up
}

// At applies the strategy at the end of a path.
func At(path []int, s Strategy) Strategy {
	for i := len(path) - 1; i >= 0; i-- {
		s = AtKid(path[i], s)
	}
	return s
}

// Where applies the strategy to terms that a test passes.
func Where(ok func(t *lift.Term) bool, s Strategy) Strategy {
	return func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		if !ok(t) {
			return nil, errNowhere
		}
		return s(run, t, site)
	}
}

// Normalize applies strategies anywhere until none applies.
func Normalize(list ...Strategy) Strategy { return Repeat(TopDown(Else(list...))) }
