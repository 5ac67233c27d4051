package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"gpuperf/emulate"
	"gpuperf/internal/parallel"
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

// search is one in progress.
type search struct {
	*Space
	context.Context
	oracle  Oracle
	options Options
	seen    map[string]*Seen
	codes   map[string]bool
	steps   []unit // from the start
	failed  []Failed
	err     error

	telling  sync.Mutex
	progress Progress
}

// Find searches a space from a configuration that it has.
func Find(ctx context.Context, space *Space, from Configuration, oracle Oracle, o Options) (*Found, error) {
	o.Compilations, o.Best = cmp.Or(o.Compilations, 10), cmp.Or(o.Best, 10)
	s := &search{Space: space, Context: ctx, oracle: oracle, options: o, seen: map[string]*Seen{}, codes: map[string]bool{}}
	path := s.walk(from)
	if s.err == nil && len(path) == 0 {
		return nil, s.failed[0].Err // the start
	}
	if s.err == nil {
		s.around()
	}
	f := &Found{Seen: len(s.seen) - len(s.failed), Compilations: len(s.codes), Start: s.seen[s.Text(from)], Path: path, Failed: s.failed, Interrupted: ctx.Err() != nil}
	if s.err != nil && (!f.Interrupted || f.Seen == 0) {
		return nil, s.err
	}
	for _, c := range s.seen {
		if c != nil {
			f.Best = append(f.Best, c)
		}
	}
	slices.SortFunc(f.Best, func(a, b *Seen) int {
		return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), slices.Compare(a.Configuration, b.Configuration))
	})
	f.Best = f.Best[:min(len(f.Best), o.Best)]
	return f, nil
}

// look emulates a configuration; nil where that is not possible, or too much would be compiled.
func (s *search) look(c Configuration, move string, detail bool) *Seen {
	if c == nil {
		return nil
	}
	return s.all([]Configuration{c}, move, detail)[0]
}

// all looks at configurations side by side.
func (s *search) all(list []Configuration, move string, detail bool) []*Seen {
	results, errs := make([]*emulate.Result, len(list)), make([]error, len(list))
	var todo []int
	for i, c := range list {
		known, ok := s.seen[s.Text(c)]
		if ok && (known == nil || known.detail || !detail) || s.err != nil || slices.ContainsFunc(todo, func(k int) bool { return slices.Equal(list[k], c) }) {
			continue
		}
		if code := s.code(c); !s.codes[code] {
			if len(s.codes) >= s.options.Compilations {
				continue
			}
			s.codes[code] = true
		}
		todo = append(todo, i)
	}
	parallel.For(len(todo), func(k int) {
		if errs[todo[k]] = s.Err(); errs[todo[k]] == nil {
			results[todo[k]], errs[todo[k]] = s.oracle.Emulate(s.Context, list[todo[k]], detail)
			s.tell(results[todo[k]])
		}
	})
	for _, i := range todo {
		key := s.Text(list[i])
		switch {
		case errors.Is(errs[i], ErrImpossible):
			s.seen[key] = nil
			s.failed = append(s.failed, Failed{list[i], errs[i]})
		case errs[i] != nil:
			s.err = errs[i]
		case s.seen[key] == nil:
			s.seen[key] = &Seen{Configuration: list[i], Move: move}
			fallthrough
		default:
			known := s.seen[key]
			known.Seconds, known.result, known.detail = results[i].Seconds, results[i], detail
		}
	}
	out := make([]*Seen, len(list))
	for i, c := range list {
		out[i] = s.seen[s.Text(c)]
	}
	return out
}

// tell tells how far the search has come, after a configuration with a result; nil for none.
func (s *search) tell(r *emulate.Result) {
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
func (s *search) walk(from Configuration) (path []*Seen) {
	now := s.look(from, "start", true)
	if now == nil {
		return nil
	}
	s.steps = s.units(now)
	now = s.shaped(now, 1)
	path = append(path, now)
	best, occupancy := now.Seconds, now.result.Occupancy
	for len(s.codes) < s.options.Compilations && s.err == nil {
		to, move := s.next(now)
		next := s.look(to, move, true)
		if next == nil {
			break
		}
		next = s.shaped(next, 1)
		path = append(path, next)
		if next.result.Occupancy < occupancy && next.Seconds > best {
			break
		}
		now, occupancy, best = next, next.result.Occupancy, min(best, next.Seconds)
	}
	return path
}

// shaped is the fastest configuration with the code of one, as far as steps along one parameter of the launch each lead to it.
func (s *search) shaped(c *Seen, rounds int) *Seen {
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
func (s *search) turned(c Configuration, p int) Configuration {
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

// What is done around the best configurations: rounds of steps of the launch, for codes that are at most so much slower before, and how far parameters
// of the code are moved while more may be compiled.
const (
	finely   = 3
	near     = 1.15
	farthest = 3
)

// direction is steps of a parameter, up or down.
type direction struct{ parameter, steps int }

// around looks at the neighbours of the best configuration, as long as more may be compiled, and last at launches of the best one. What has
// helped is tried again first, then what helped most at the start.
func (s *search) around() {
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
	for i := 0; i < len(order) && len(s.codes) < s.options.Compilations && s.err == nil; i++ {
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
	if s.err == nil {
		s.shaped(s.best(), finely)
	}
}

// best is the fastest configuration so far.
func (s *search) best() (best *Seen) {
	for _, c := range s.seen {
		if c != nil && (best == nil || c.Seconds < best.Seconds || c.Seconds == best.Seconds && slices.Compare(c.Configuration, best.Configuration) < 0) {
			best = c
		}
	}
	return best
}
