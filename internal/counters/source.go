package counters

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gpuperf/device/measure"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Source is where the counts of works come from. Take answers in the order of the works. With an error the records of some have no status:
// they were not counted.
type Source interface {
	Take(ctx context.Context, works []Work, mode samples.Mode) ([]Counted, error)
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
	code map[string][]Instruction
}

// Recorded opens a samples file that a source of Live has written, and the code beside it.
func Recorded(path string) (Source, error) {
	set, err := samples.Load(path)
	if err != nil {
		return nil, err
	}
	s := &recorded{path: path, set: set}
	if s.code, err = loadCode(CodeFile(path)); err != nil {
		set.Close()
		return nil, err
	}
	return s, nil
}

func (s *recorded) Take(_ context.Context, works []Work, mode samples.Mode) ([]Counted, error) {
	all := make([]Counted, len(works))
	var missing error
	for i, w := range works {
		want := w.Job.Record()
		want.Mode = mode
		r, found, err := s.set.Find(want)
		if err != nil {
			return all, err
		}
		if found == samples.Fresh {
			all[i] = Counted{r, s.code[r.Kernel.Key()]}
		} else if missing == nil {
			missing = &NotRecorded{s.path, mode, want.Kernel}
		}
	}
	return all, missing
}

func (s *recorded) Close() error { return s.set.Close() }

// Open opens a samples file where one is named as recorded, else a device as Live does.
func Open(recorded, device, to string, tell func(format string, args ...any)) (Source, error) {
	if recorded != "" {
		return Recorded(recorded)
	}
	return Live(device, to, tell)
}

// live is a device under ncu.
type live struct {
	ncu     ncu
	journal *samples.Journal // nil where nothing is kept
	code    *os.File         // beside the journal
	told    func(format string, args ...any)
}

// Live counts on a device, and adds the counts to a samples file where one is named. What that has already is not counted again. It tells
// how far it is.
func Live(device, to string, tell func(format string, args ...any)) (_ Source, err error) {
	defer throw.Catch(&err)
	path := throw.Get(Find())
	self := throw.Get(os.Executable())
	s := &live{told: tell, ncu: ncu{path: path, device: strings.TrimPrefix(device, samples.CUDA.String()+":"), worker: []string{self, measure.WorkerArg}}}
	if to == "" {
		return s, nil
	}
	s.journal = throw.Get(samples.Open(to))
	if s.code, err = os.OpenFile(CodeFile(to), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		s.journal.Close()
		return nil, err
	}
	return s, nil
}

// batch is how many works are counted in one process, and lost together where it fails.
const batch = 32

func (s *live) Take(ctx context.Context, works []Work, mode samples.Mode) ([]Counted, error) {
	all := make([]Counted, len(works))
	var missing []int
	for i, w := range works {
		known, err := s.recorded(w, mode)
		if err != nil {
			return nil, err
		}
		if all[i].Record = known; known.Status == "" {
			missing = append(missing, i)
		}
	}
	var failed error
	for len(missing) > 0 && ctx.Err() == nil {
		n := min(batch, len(missing))
		if err := s.take(ctx, works, missing[:n], mode, all); err != nil {
			failed = err
		}
		missing = missing[n:]
		s.told("%s: %d of %d launches counted", mode, len(works)-len(missing), len(works))
	}
	return all, failed
}

// recorded is what the journal has of a work.
func (s *live) recorded(w Work, mode samples.Mode) (samples.Record, error) {
	if s.journal == nil {
		return samples.Record{}, nil
	}
	want := w.Job.Record()
	want.Mode = mode
	r, found, err := s.journal.Find(want)
	if found != samples.Fresh {
		return samples.Record{}, err
	}
	return r, err
}

// take counts some of the works. Where that fails it counts each half of them.
func (s *live) take(ctx context.Context, works []Work, which []int, mode samples.Mode, all []Counted) error {
	own := lists.Map(which, func(i int) Work { return works[i] })
	// The instructions that are executed do not depend on the caches.
	counted, err := s.ncu.count(ctx, own, mode, metrics(), mode == samples.Warm)
	if err == nil && mode == samples.Warm {
		err = s.ncu.countAlone(ctx, own, counted, mode)
	}
	switch {
	case err != nil && len(own) == 1:
		s.told("%s: %v", own[0].Kernel, err)
		return fmt.Errorf("%s: %w", own[0].Kernel, err)
	case err != nil:
		half := len(which) / 2
		err = s.take(ctx, works, which[:half], mode, all)
		if rest := s.take(ctx, works, which[half:], mode, all); rest != nil {
			err = rest
		}
		return err
	}
	for n, i := range which {
		all[i] = counted[n]
		if s.journal == nil {
			continue
		}
		if err := s.journal.Append(counted[n].Record); err != nil {
			return err
		}
		if err := writeCode(s.code, counted[n]); err != nil {
			return err
		}
	}
	return nil
}

func (s *live) Close() error {
	if s.journal == nil {
		return nil
	}
	s.code.Close()
	return s.journal.Close()
}
