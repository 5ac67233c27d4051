package tune

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"gpuperf/internal/bounded"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/kernel/script"
	"gpuperf/search"
	"gpuperf/workload"
)

// scripted is a kernel script with tunables. Where it defines several kernels, which one is a choice too.
type scripted struct {
	*cases
	path, text, only string
	sizes            map[string]int64
	space            search.Space
}

// which is the choice among several kernels.
const which = "kernel"

// mostText bounds the bytes of a script.
const mostText = 64 << 20

func openScript(ctx context.Context, path string, sizes map[string]int64) (*scripted, error) {
	s := &scripted{sizes: sizes}
	s.path, s.only, _ = source.CutName(path)
	s.cases = newCases(filepath.Base(s.path), s.kernel)
	_, wrong := script.Options{}.Load(ctx, s.path) // with the first values
	text, err := bounded.ReadFile(s.path, mostText)
	if err != nil {
		return nil, cmp.Or(wrong, err)
	}
	s.text = string(text)
	g := &graph{ctx, s, map[string]open{}}
	if wrong != nil && !g.unfit() {
		return nil, wrong
	}
	if first := g.open(nil); first.next == nil && wrong == nil {
		return nil, source.At(s.path, "", source.Pos{}, "there is nothing to choose").WithHint(`leave a choice open, as in bm = lp.tunable("bm", [16, 32])`)
	}
	if s.space = search.Prune(g, g.fits); s.space == nil {
		empty := source.At(s.path, "", source.Pos{}, "")
		errors.As(wrong, &empty) // at the constraint that refuses the first values
		empty.Msg = "the space is empty: no values of the tunables fit the constraints"
		return nil, empty
	}
	usual := s.at(ctx, search.Usual(s.space))
	if usual.err == nil {
		s.problem = problem(usual.Identity)
	}
	return s, usual.err
}

func (s *scripted) Space() search.Space  { return s.space }
func (s *scripted) Usual() search.Config { return search.Usual(s.space) }

func (s *scripted) kernel(ctx context.Context, c search.Config) (_ *workload.Case, err error) {
	defer throw.Catch(&err)
	variants := throw.Get(s.options(c).Exec(ctx, s.path, s.text))
	v := variants[0]
	if name := c.Option(which); name != "" || s.only != "" {
		v = throw.Get(script.Named(s.path, variants, s.only+name))
	}
	return campaign.CaseOf(&frontend.Kernel{Variant: v, File: s.path}, s.sizes)
}

func (s *scripted) options(made search.Config) script.Options {
	return script.Options{Tuned: made.Options()}
}

// maxFound bounds the choices that are remembered, of each a few words.
const maxFound = 1 << 13

// graph is the space of a script, with its dead ends.
type graph struct {
	ctx    context.Context
	script *scripted
	known  map[string]open // by the choices that are made
}

// open is what a run of the script finds: the next choice, or why there is none.
type open struct {
	next *search.Choice
	err  error
}

func (g *graph) Next(made search.Config) *search.Choice { return g.open(made).next }

// unfit reports that a constraint refuses the first value of each choice.
func (g *graph) unfit() bool {
	var made search.Config
	for {
		o := g.open(made)
		if o.err != nil || o.next == nil || len(o.next.Options) == 0 {
			return errors.Is(o.err, script.ErrUnfit)
		}
		made = append(made, search.Pick{Choice: o.next.Name, Option: o.next.Options[0]})
	}
}

// fits reports that the script accepts choices, as far as it comes with them.
func (g *graph) fits(made search.Config) bool { return g.open(made).err == nil }

func (g *graph) open(made search.Config) open {
	key := made.String()
	out, ok := g.known[key]
	if !ok {
		out.next, out.err = g.find(made)
		if len(g.known) >= maxFound {
			clear(g.known)
		}
		g.known[key] = out
	}
	return out
}

// find runs the script with choices as far as the next one.
func (g *graph) find(made search.Config) (*search.Choice, error) {
	s := g.script
	if made.Option(which) != "" {
		return nil, nil
	}
	t, variants, err := s.options(made).Open(g.ctx, s.path, s.text)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return &search.Choice{Name: t.Name, Options: t.Values}, nil
	case s.only != "" || len(variants) <= 1:
		return nil, nil // what the script refuses is told when it is to run
	}
	c := &search.Choice{Name: which}
	for _, v := range variants {
		c.Options = append(c.Options, v.Name)
	}
	return c, nil
}
