package launches

import (
	"context"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/internal/counters"
	"gpuperf/samples"
)

// recording is a file of counts that has those of one kernel.
type recording struct{ code []counters.Instruction }

func (r recording) Take(_ context.Context, works []counters.Work, _ samples.Mode) ([]counters.Counted, error) {
	return []counters.Counted{{Code: r.code}}, nil
}

func (recording) Close() error { return nil }

// Counts of the hardware decide about branches on data that nobody knows, where they are of the same code.
func TestCounted(t *testing.T) {
	s, err := Load(matmul, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listing(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Device: sheet(t), Counted: recording{[]counters.Instruction{{Address: 0x7, Text: "FADD R1, R2, R3", Warps: 1, Items: 32}}}}
	r, err := s.Run(t.Context(), l, o)
	if err != nil || !strings.Contains(strings.Join(r.All(), ""), "is of other machine code") {
		t.Error(err, r.All())
	}
	o.Counted = recording{}
	if _, err := s.Run(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "not of its instructions") {
		t.Error(err)
	}
	s.Job.Then = []device.Launch{{Entry: s.Job.Entry, Global: s.Job.Global, Local: s.Job.Local, Args: s.Job.Args}}
	if _, err := s.Run(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "do not tell its launches apart") {
		t.Error(err)
	}
}
