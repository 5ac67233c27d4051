package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"sync"

	"gpuperf/emulate"
	"gpuperf/internal/parallel"
	"gpuperf/search"
	"gpuperf/search/params"
)

// Oracle tells what a configuration does.
type Oracle interface {
	// Emulate compiles and emulates a configuration. Of errors that are ErrImpossible, it is passed by.
	Emulate(ctx context.Context, c Configuration, sensitivity bool) (*emulate.Result, error)
}

// ErrImpossible is of configurations that cannot be compiled or launched.
var ErrImpossible = errors.New("the configuration is not possible")

// Options bound a search.
type Options struct {
	Compilations int // at most; 0 is 10
	Best         int // how many are listed; 0 is 10
	// Progress is told after each configuration; nil is not.
	Progress func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	Seen, Compilations int     // configurations that were emulated, and programs that were compiled
	Best               float64 // seconds of the fastest so far; 0 is of none
}

// Seen is a configuration that was emulated.
type Seen struct {
	Configuration Configuration
	Seconds       float64
	Move          string // why it was looked at

	result *emulate.Result
	detail bool // with sensitivity
}

// Found is what a search has found.
type Found struct {
	Best         []*Seen // the fastest first
	Seen         int     // configurations that were emulated
	Compilations int
	Start        *Seen    // where the search began
	Path         []*Seen  // the moves of the search
	Failed       []Failed // configurations that were passed by
	Interrupted  bool     // before its end: what was found until then
}

// Failed is a configuration that cannot be compiled or launched, and why.
type Failed struct {
	Configuration Configuration
	Err           error
}

// walker is the walk as a strategy: a coroutine that proposes configurations, and goes on when it has been told of them.
type walker struct {
	*Space
	oracle  Oracle
	options Options
	ctx     context.Context

	ask      func() (search.Config, bool)
	propose  func(search.Config) bool
	ended    bool                // nothing that is proposed is emulated any more
	proposed map[string]proposal // that were not told yet
	seen     map[string]*Seen    // nil is of a configuration that is not possible
	codes    map[string]bool
	steps    []unit  // from the start
	path     []*Seen // the moves
	failed   []Failed
	err      error // of the oracle, asked for the sensitivity of what was told

	telling  sync.Mutex
	progress Progress
}

// proposal says why a configuration is looked at, and whether with its sensitivity.
type proposal struct {
	Configuration
	move   string
	detail bool
}

// Find searches a space from a configuration that it has.
func Find(ctx context.Context, space *Space, from Configuration, oracle Oracle, o Options) (*Found, error) {
	o.Compilations, o.Best = cmp.Or(o.Compilations, 10), cmp.Or(o.Best, 10)
	w := &walker{Space: space, oracle: oracle, options: o, ctx: ctx, proposed: map[string]proposal{}, seen: map[string]*Seen{}, codes: map[string]bool{}}
	ask, stop := iter.Pull(func(propose func(search.Config) bool) {
		w.propose = propose
		if w.walk(from); len(w.path) > 0 && !w.ended {
			w.around()
		}
	})
	w.ask = ask
	_, err := search.Run(ctx, w, nil, search.Limits{Budget: math.MaxInt, Together: math.MaxInt}, w.emulate)
	stop()
	err = cmp.Or(err, w.err)
	if err == nil && len(w.path) == 0 {
		return nil, w.failed[0].Err // the start
	}
	f := &Found{Seen: len(w.seen) - len(w.failed), Compilations: len(w.codes), Start: w.seen[w.Text(from)], Path: w.path, Failed: w.failed, Interrupted: ctx.Err() != nil}
	if err != nil && (!f.Interrupted || f.Seen == 0) {
		return nil, err
	}
	for _, c := range w.seen {
		if c != nil {
			f.Best = append(f.Best, c)
		}
	}
	slices.SortFunc(f.Best, faster)
	f.Best = f.Best[:min(len(f.Best), o.Best)]
	return f, nil
}

// Ask is the next proposal of the walk; nil while it waits for what is emulated of those before, and at its end.
func (s *walker) Ask() search.Config {
	c, _ := s.ask()
	return c
}

// Tell enters what the oracle says of a proposal.
func (s *walker) Tell(t search.Trial) {
	p := s.proposed[t.Config.String()]
	delete(s.proposed, t.Config.String())
	s.enter(p, t.Result.Evidence)
}

// emulate asks the oracle for configurations, side by side.
func (s *walker) emulate(ctx context.Context, list []search.Config) ([]search.Result, error) {
	out, errs := make([]search.Result, len(list)), make([]error, len(list))
	parallel.For(len(list), func(i int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			out[i], errs[i] = s.one(s.proposed[list[i].String()])
		}
	})
	err := errors.Join(errs...)
	if err != nil { // what has been emulated counts
		for i, c := range list {
			if errs[i] == nil {
				s.Tell(search.Trial{Config: c, Result: out[i]})
			}
		}
		s.ended = true
	}
	return out, err
}

// one emulates a configuration. Where it is not possible the evidence is the error.
func (s *walker) one(p proposal) (search.Result, error) {
	r, err := s.oracle.Emulate(s.ctx, p.Configuration, p.detail)
	s.tell(r)
	switch {
	case errors.Is(err, ErrImpossible):
		return search.Result{Evidence: err}, nil
	case err != nil:
		return search.Result{}, err
	}
	return search.Result{Seconds: r.Seconds, Evidence: r}, nil
}

// enter remembers what was emulated of a configuration, or why it is not possible.
func (s *walker) enter(p proposal, evidence any) {
	key := s.Text(p.Configuration)
	switch x := evidence.(type) {
	case error:
		s.seen[key] = nil
		s.failed = append(s.failed, Failed{p.Configuration, x})
	case *emulate.Result:
		if s.seen[key] == nil {
			s.seen[key] = &Seen{Configuration: p.Configuration, Move: p.move}
		}
		known := s.seen[key]
		known.Seconds, known.result, known.detail = x.Seconds, x, p.detail
	}
}

// look emulates a configuration; nil where that is not possible, or too much would be compiled.
func (s *walker) look(c Configuration, move string, detail bool) *Seen {
	if c == nil {
		return nil
	}
	return s.all([]Configuration{c}, move, detail)[0]
}

// all looks at configurations side by side.
func (s *walker) all(list []Configuration, move string, detail bool) []*Seen {
	waits := false
	for _, c := range list {
		known, ok := s.seen[s.Text(c)]
		switch p := (proposal{c, move, detail}); {
		case s.ended, ok && (known == nil || known.detail || !detail):
		case ok: // it is known, but for its sensitivity
			r, err := s.one(p)
			if s.enter(p, r.Evidence); err != nil {
				s.err, s.ended = err, true
			}
		case s.compiles(c):
			waits = s.put(p) || waits
		}
	}
	if waits && !s.ended {
		s.ended = !s.propose(nil) // until they have been emulated
	}
	out := make([]*Seen, len(list))
	for i, c := range list {
		out[i] = s.seen[s.Text(c)]
	}
	return out
}

// put proposes a configuration, unless it was just proposed.
func (s *walker) put(p proposal) bool {
	c := s.Config(p.Configuration)
	if _, again := s.proposed[c.String()]; again {
		return false
	}
	s.proposed[c.String()] = p
	s.ended = !s.propose(c)
	return true
}

// compiles reports that the code of a configuration has been compiled, or may be.
func (s *walker) compiles(c Configuration) bool {
	code := s.code(c)
	if !s.codes[code] && len(s.codes) >= s.options.Compilations {
		return false
	}
	s.codes[code] = true
	return true
}

// tell tells how far the search has come, after a configuration with a result; nil for none.
func (s *walker) tell(r *emulate.Result) {
	if s.options.Progress == nil || r == nil {
		return
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	p := &s.progress
	p.Seen++
	p.Compilations = len(s.codes)
	if p.Best == 0 || r.Seconds < p.Best {
		p.Best = r.Seconds
	}
	s.options.Progress(*p)
}

// walk goes from configuration to configuration, until fewer work-groups run at once and the time has become worse (algorithm 2).
func (s *walker) walk(from Configuration) {
	now := s.look(from, "start", true)
	if now == nil {
		return
	}
	s.steps = s.units(now)
	now = s.shaped(now, 1)
	s.path = append(s.path, now)
	best, occupancy := now.Seconds, now.result.Occupancy
	for len(s.codes) < s.options.Compilations && !s.ended {
		to, move := s.next(now)
		next := s.look(to, move, true)
		if next == nil {
			break
		}
		next = s.shaped(next, 1)
		s.path = append(s.path, next)
		if next.result.Occupancy < occupancy && next.Seconds > best {
			break
		}
		now, occupancy, best = next, next.result.Occupancy, min(best, next.Seconds)
	}
}

// shaped is the fastest configuration with the code of one, as far as steps along one parameter of the launch each lead to it.
func (s *walker) shaped(c *Seen, rounds int) *Seen {
	for range rounds {
		var list []Configuration
		for p := range s.Parameters {
			if s.Parameters[p].Compiled {
				continue
			}
			for _, to := range []Configuration{s.moved(c.Configuration, p, 1), s.moved(c.Configuration, p, -1), s.turned(c.Configuration, p)} {
				if to != nil {
					list = append(list, to)
				}
			}
		}
		best := c
		for _, next := range s.all(list, "launch", false) {
			if next != nil && next.Seconds < best.Seconds {
				best = next
			}
		}
		if best == c {
			break
		}
		c = best
	}
	if detailed := s.look(c.Configuration, "", true); detailed != nil {
		return detailed
	}
	return c
}

// turned has as many work-items in a work-group, twice as many along one axis and half along the next one that allows it.
func (s *walker) turned(c Configuration, p int) Configuration {
	if s.Parameters[p].Role != params.Reshape {
		return nil
	}
	for q := range s.Parameters {
		if q == p || s.Parameters[q].Role != params.Reshape {
			continue
		}
		values := s.Parameters[q].Values
		at := slices.Index(values, c[q])
		up := slices.Index(s.Parameters[p].Values, c[p]) + 1
		if at == 0 || up >= len(s.Parameters[p].Values) {
			continue
		}
		out := slices.Clone(c)
		out[q], out[p] = values[at-1], s.Parameters[p].Values[up]
		if s.Has(out) {
			return out
		}
	}
	return nil
}

// What is done around the best configurations: rounds of steps of the launch, for codes that are at most so much slower before, as other launches of these may be faster than all so far;
// and how far parameters of the code are moved while more may be compiled.
const (
	finely   = 3
	near     = 1.15
	farthest = 3
)

// direction is steps of a parameter, up or down.
type direction struct{ parameter, steps int }

// around looks at the neighbours of the best configuration, as long as more may be compiled, and last at launches of the best ones. What has
// helped is tried again first, then what helped most at the start.
func (s *walker) around() {
	var order []direction
	for far := range farthest {
		for _, step := range s.byGain() {
			if s.Parameters[step.parameter].Compiled {
				order = append(order, direction{step.parameter, far + 1})
			}
		}
		for p := range s.Parameters {
			if s.Parameters[p].Compiled {
				order = append(order, direction{p, -far - 1})
			}
		}
	}
	for i := 0; i < len(order) && len(s.codes) < s.options.Compilations && !s.ended; i++ {
		best, d := s.best(), order[i]
		to := s.fitted(best.Configuration, d.parameter, d.steps)
		if to == nil || s.seen[s.Text(to)] != nil {
			continue
		}
		next := s.look(to, "neighbour", false)
		if next != nil && next.Seconds < near*best.Seconds {
			next = s.shaped(next, 1)
		}
		if next != nil && next.Seconds < best.Seconds {
			order = append([]direction{d}, slices.Delete(slices.Clone(order), i, i+1)...)
			i = -1
		}
	}
	for _, c := range s.fronts() {
		if !s.ended && c.Seconds < near*s.best().Seconds {
			s.shaped(c, finely)
		}
	}
}

// fronts are the fastest configurations of each code so far, the fastest first.
func (s *walker) fronts() (list []*Seen) {
	for _, c := range s.seen {
		if c != nil {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, faster)
	codes := map[string]bool{}
	return slices.DeleteFunc(list, func(c *Seen) bool {
		code := s.code(c.Configuration)
		again := codes[code]
		codes[code] = true
		return again
	})
}

// faster orders configurations by their times.
func faster(a, b *Seen) int {
	return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), slices.Compare(a.Configuration, b.Configuration))
}

// best is the fastest configuration so far.
func (s *walker) best() (best *Seen) {
	for _, c := range s.seen {
		if c != nil && (best == nil || faster(c, best) < 0) {
			best = c
		}
	}
	return best
}
