package tune

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"gpuperf/internal/campaign"
	"gpuperf/samples"
	"gpuperf/search"
)

// stuck is a target of a hundred configurations, of which all but the first runs last until they are cancelled.
type stuck struct {
	cancelled int
	reached   func() // if not nil, is called when such a run begins
}

func (*stuck) Name() string              { return "stuck" }
func (*stuck) Problem() samples.Identity { return samples.Identity{Source: "stuck"} }
func (*stuck) Repeats(context.Context, samples.Interface, Run) bool {
	return true
}

func (*stuck) Usual() search.Config  { return search.Config{{Choice: "x", Option: "0"}} }
func (s *stuck) Space() search.Space { return s }
func (*stuck) Counted(context.Context, search.Config) ([]Counted, error) {
	return nil, errors.New("nothing is counted")
}

func (*stuck) Write(context.Context, *campaign.Campaign, string, search.Config) ([]string, error) {
	return nil, nil
}

func (*stuck) Next(made search.Config) *search.Choice {
	if made.Option("x") != "" {
		return nil
	}
	c := &search.Choice{Name: "x"}
	for i := range 100 {
		c.Options = append(c.Options, strconv.Itoa(i))
	}
	return c
}

func (s *stuck) Measure(ctx context.Context, _ *campaign.Campaign, list []Request, done func(int, Outcome)) ([]string, error) {
	for i, r := range list {
		if r.Config.Option("x") != "0" {
			if s.reached != nil {
				s.reached()
			}
			<-ctx.Done()
			s.cancelled++
			return nil, context.Cause(ctx)
		}
		done(i, Outcome{Record: samples.Record{Status: samples.OK, Summary: &samples.Summary{Median: 1e-6}}})
	}
	return nil, nil
}

// TestUntil: when the time is over the search leaves the run that is under way, and tells of those before; a search whose time is over from the start has one run.
func TestUntil(t *testing.T) {
	for _, limit := range []time.Duration{-time.Second, 20 * time.Millisecond} {
		target := &stuck{}
		s := &Search{Target: target, Campaign: &campaign.Campaign{}, Strategy: "random", Budget: 10, Until: time.Now().Add(limit)}
		result, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Runs) != 1 || len(result.Best) != 1 || result.Usual == nil {
			t.Errorf("%v: %d runs, %d best", limit, len(result.Runs), len(result.Best))
		}
		if want := min(max(int(limit), 0), 1); target.cancelled > want {
			t.Errorf("%v: %d runs were cancelled", limit, target.cancelled)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	told := errors.New("interrupted")
	s := &Search{Target: &stuck{reached: func() { cancel(told) }}, Campaign: &campaign.Campaign{}, Strategy: "random", Budget: 10, Until: time.Now().Add(time.Hour)}
	if result, err := s.Run(ctx); !errors.Is(err, told) || len(result.Runs) != 1 {
		t.Errorf("%v, %+v", err, result)
	}
}
