package counters

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gpuperf/measure"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Source is where the counts of cases come from.
type Source interface {
	Take(ctx context.Context, c *workload.Case, mode samples.Mode) (samples.Record, error)
	Close() error
}

// NotRecorded is the error of a file without counts of a kernel.
type NotRecorded struct {
	File   string
	Mode   samples.Mode
	Kernel samples.Identity
}

func (e *NotRecorded) Error() string {
	return fmt.Sprintf("%s has no %s counts of %s", e.File, e.Mode, e.Kernel)
}

// recorded is a samples file.
type recorded struct {
	path string
	set  *samples.Set
}

// Recorded opens a samples file that a source of Live has written.
func Recorded(path string) (Source, error) {
	set, err := samples.Load(path)
	if err != nil {
		return nil, err
	}
	return &recorded{path, set}, nil
}

func (s *recorded) Take(_ context.Context, c *workload.Case, mode samples.Mode) (samples.Record, error) {
	for r, err := range s.set.All() {
		if err == nil && r.Mode == mode && r.Metrics != nil && r.Kernel.Key() == c.Identity.Key() {
			return *r, nil
		}
	}
	return samples.Record{}, &NotRecorded{s.path, mode, c.Identity}
}

func (s *recorded) Close() error { return s.set.Close() }

// live is a device under ncu.
type live struct {
	options Options
	journal *samples.Journal // nil where nothing is kept
}

// Live counts on a device, and adds the counts to a samples file where one is named.
func Live(device, to string) (Source, error) {
	ncu, err := Find()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &live{options: Options{NCU: ncu, Device: strings.TrimPrefix(device, samples.CUDA.String()+":"), Worker: []string{self, measure.WorkerArg}}}
	if to != "" {
		s.journal, err = samples.Open(to)
	}
	return s, err
}

func (s *live) Take(ctx context.Context, c *workload.Case, mode samples.Mode) (samples.Record, error) {
	r, err := Measure(ctx, s.options, c, mode)
	if err == nil && s.journal != nil {
		err = s.journal.Append(r)
	}
	return r, err
}

func (s *live) Close() error {
	if s.journal == nil {
		return nil
	}
	return s.journal.Close()
}
