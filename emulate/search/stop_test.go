package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpuperf/emulate"
)

// stub is an oracle that takes a microsecond for a work-item of a block along x, and fails where it is told to.
type stub struct {
	refused func(Configuration) bool
	after   int // how many configurations are emulated before cancel is called
	cancel  context.CancelFunc
	seen    int
}

func (s *stub) Emulate(ctx context.Context, c Configuration, _ bool) (*emulate.Result, error) {
	if s.refused != nil && s.refused(c) {
		return nil, impossible{fmt.Errorf("line 3: no")}
	}
	if s.seen++; s.cancel != nil && s.seen >= s.after {
		s.cancel()
	}
	return &emulate.Result{Seconds: float64(c[0]) * 1e-6, Occupancy: 1}, ctx.Err()
}

// What a search has found when it is interrupted is told; without anything it fails, as the start does that cannot be compiled.
func TestStops(t *testing.T) {
	f, err := Load("../../testdata/search/stencil-space.yaml")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := Progress{}
	found, err := Find(ctx, f, f.Base, &stub{after: 2, cancel: cancel}, Options{Progress: func(p Progress) { told = p }})
	if told.Best == 0 || told.Seen == 0 || told.Compilations == 0 {
		t.Errorf("told %+v", told)
	}
	if err != nil || !found.Interrupted || len(found.Best) == 0 || found.Start == nil {
		t.Fatal(found, err)
	}
	r, err := report(found, f, "space.yaml", "NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r.Write(&text)
	for _, want := range []string{", until it was interrupted\n", "   start        64 µs     1.00×"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if _, err := Find(ctx, f, f.Base, &stub{}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before anything was emulated: %v", err)
	}
	none := &stub{refused: func(Configuration) bool { return true }}
	if _, err := Find(t.Context(), f, f.Base, none, Options{}); err == nil || err.Error() != "line 3: no" {
		t.Errorf("no configuration is possible: %v", err)
	}
}
