package tune

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/internal/campaign"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
	"gpuperf/samples"
	"gpuperf/search"
)

// someVariants are a few variants of scal.
func someVariants(t *testing.T, n int64) *explore.Space {
	t.Helper()
	r := explore.Request{Sizes: map[string]int64{"n": n}, Variants: 12, Ranges: 2, MaxGroup: 256, Seed: 1}
	s, err := r.Open("../../examples/lift/scal.lift", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// recordsOf counts the records of a set.
func recordsOf(t *testing.T, set *samples.Set) (n int) {
	t.Helper()
	for _, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestProgram: a variant that is wrong is told from the others, which are a database with the vectors beside them; what was stopped goes on; and nothing runs twice.
func TestProgram(t *testing.T) {
	dev := devicetest.Open(t)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	journal, err := samples.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	searching := func(space *explore.Space) *Search {
		p, err := programOf(space, explore.Learning{})
		if err != nil {
			t.Fatal(err)
		}
		return &Search{
			Target: p, Campaign: campaign.New(dev, journal, campaign.Options{Samples: path}), Strategy: "rank", Budget: 6, Trials: 2, Best: 2,
			Final: device.Policy{Trials: 4, MinWarmUp: -1, MaxWarmUp: 1},
		}
	}
	wrong, err := lift.Parse("program scal\nsize n\nfun(xs: [float32]n, alpha: float32 => mapGlb(fun(x => alpha + x)) $ xs)")
	if err != nil {
		t.Fatal(err)
	}
	withWrong := func() *explore.Space {
		s := someVariants(t, 1<<12)
		s.For(dev.Info().Interface)
		s.Points = append(s.Points[:5:5], &explore.Point{
			Variant: &derive.Variant{ID: "bad", Recipe: "bad, very", Program: wrong}, Range: explore.Range{Local: [3]int64{64, 1, 1}, Global: [3]int64{4096, 1, 1}},
		})
		return s
	}
	r, err := searching(withWrong()).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 6 || r.Statuses[samples.OK] != 5 || r.Statuses[samples.WrongResult] != 1 {
		t.Fatalf("%d runs, %v", len(r.Runs), r.Statuses)
	}
	for _, run := range r.Runs {
		if bad := run.Record.Kernel.Variant == "bad"; bad != (run.Record.Status == samples.WrongResult) || bad && !strings.Contains(run.Config.String(), "recipe=bad + very,") {
			t.Errorf("%s: %s %s", run.Config, run.Record.Status, run.Record.Error)
		}
	}
	if len(r.Best) != 2 || r.Best[0].Seconds() > r.Best[1].Seconds() || len(r.Best[0].Record.Trials) < 3 {
		t.Errorf("best: %+v", r.Best)
	}

	before := recordsOf(t, journal.Set)
	if r, err = searching(withWrong()).Run(t.Context()); err != nil || len(r.Runs) != 6 {
		t.Fatalf("again %d runs (%v)", len(r.Runs), err)
	}
	for _, run := range r.Runs {
		if !run.Reused {
			t.Errorf("%s runs again", run.Config)
		}
	}
	if now := recordsOf(t, journal.Set); now > before+3 { // others may be the fastest now, or the usual one
		t.Errorf("%d records became %d", before, now)
	}

	v, warnings, err := rank.ReadVectors(rank.VectorsFile(path))
	if err != nil || len(warnings) > 0 || len(v.List) != 6 {
		t.Fatalf("%d vectors, %v (%v)", len(v.List), warnings, err)
	}
	set, _, err := rank.Join(v, journal.All())
	if err != nil || len(set.Points) != 5 {
		t.Fatalf("%d points (%v)", len(set.Points), err)
	}
	for _, p := range set.Points {
		if !(p.Seconds > 0) || p.Kind == "" {
			t.Errorf("%s, of kind %q, takes %g s", p.ID, p.Kind, p.Seconds)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	stopped := searching(someVariants(t, 1<<13))
	stopped.Progress = func(e Event) {
		if e.Done == 2 {
			cancel()
		}
	}
	if _, err := stopped.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	if r, err = searching(someVariants(t, 1<<13)).Run(t.Context()); err != nil || len(r.Runs) != 6 || !r.Runs[0].Reused || !r.Runs[1].Reused {
		t.Errorf("what was stopped does not go on: %+v (%v)", r, err)
	}
}

// TestShares: the parts of a program have its configurations once, and each has strategies of its own; the usual one is in one part.
func TestShares(t *testing.T) {
	p, err := programOf(someVariants(t, 1<<12), explore.Learning{})
	if err != nil {
		t.Fatal(err)
	}
	const parts = 3
	seen := map[string]bool{}
	usual := 0
	for part := range parts {
		s := &Search{Target: p, Part: part, Parts: parts}
		space, first, err := s.share()
		if err != nil {
			t.Fatal(err)
		}
		if len(first) != 1 {
			t.Fatalf("part %d runs %v first", part, first)
		}
		if first[0].String() == p.Usual().String() {
			usual++
		}
		for _, c := range allOf(t, space) {
			if seen[c] {
				t.Errorf("%s is in two parts", c)
			}
			seen[c] = true
		}
	}
	if all := allOf(t, p.Space()); len(seen) != len(all) || usual != 1 {
		t.Errorf("%d of %d configurations, the usual one in %d parts", len(seen), len(all), usual)
	}
}

// allOf are the configurations that the strategy rank proposes of a space until there are no more.
func allOf(t *testing.T, space search.Space) (all []string) {
	t.Helper()
	s, err := search.New("rank", space, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for c := s.Ask(); c != nil; c = s.Ask() {
		all = append(all, c.String())
		s.Tell(search.Trial{Config: c, Result: search.Result{Seconds: 1}})
	}
	return all
}
