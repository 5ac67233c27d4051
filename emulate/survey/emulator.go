package survey

import (
	"context"
	"path/filepath"
	"sync"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/launchfile"
	"gpuperf/sass"
)

// emulator emulates the launch files of a folder, those alike once.
type emulator struct {
	options Options
	keep    *keep

	compiling sync.Mutex // compilers keep what they have made
	lock      sync.Mutex // of what follows
	listings  map[string]*once[*sass.Listing]
	outcomes  map[string]*once[*Outcome]
	known     int // results that were kept
	alike     int // files whose outcome was that of another
}

func newEmulator(o Options) *emulator {
	return &emulator{options: o, keep: newKeep(o), listings: map[string]*once[*sass.Listing]{}, outcomes: map[string]*once[*Outcome]{}}
}

// once is something that is made by whoever asks first, and awaited by all others.
type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (o *once[T]) get(make func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = make() })
	return o.value, o.err
}

// entry is that of a key; first tells whether it is new.
func entry[T any](e *emulator, all map[string]*once[T], key string) (one *once[T], first bool) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if all[key] == nil {
		all[key], first = new(once[T]), true
	}
	return all[key], first
}

// row is that of a launch file.
func (e *emulator) row(ctx context.Context, path string) *Row {
	device := e.options.Each.Device
	r := &Row{File: filepath.Base(path), Times: 1, unrecorded: device.Value(facts.UnrecordedCycles) / device.Value(facts.ClockMHz) / 1e6}
	f, err := launchfile.Load(path)
	if err == nil {
		r.Times, r.Application = max(f.Launches, 1), f.Application
		r.Outcome, err = e.outcome(ctx, f)
	}
	r.Err = err
	return r
}

// outcome is what emulation tells of a launch file.
func (e *emulator) outcome(ctx context.Context, f *launchfile.File) (*Outcome, error) {
	s, err := launches.OfFile(f, e.options.Sizes)
	if err != nil {
		return nil, err
	}
	l, err := e.listing(ctx, s, f.Program())
	if err != nil {
		return nil, err
	}
	key, err := s.Hash(l)
	if err != nil {
		return nil, err
	}
	one, first := entry(e, e.outcomes, key)
	if !first {
		e.count(&e.alike)
	}
	return one.get(func() (*Outcome, error) {
		if o := e.keep.load(key); o != nil {
			e.count(&e.known)
			return o, nil
		}
		report, err := s.Run(ctx, l, e.options.Each)
		if err != nil {
			return nil, err
		}
		o, err := outcomeOf(report)
		if err == nil {
			e.keep.save(key, o)
		}
		return o, err
	})
}

func (e *emulator) count(n *int) {
	e.lock.Lock()
	*n++
	e.lock.Unlock()
}

// listing is the machine code of a sequence: that of a kernel of a program, which many launches have, is read once.
func (e *emulator) listing(ctx context.Context, s *launches.Sequence, program string) (*sass.Listing, error) {
	read := func() (*sass.Listing, error) { return s.Listing(ctx, "", e.options.Compiler) }
	switch {
	case s.Code.Listing != "":
		one, _ := entry(e, e.listings, s.Code.Listing)
		return one.get(read)
	case program != "" && len(s.Job.Then) == 0:
		one, _ := entry(e, e.listings, program+"\x00"+s.Job.Entry)
		return one.get(read)
	}
	e.compiling.Lock()
	defer e.compiling.Unlock()
	return read()
}
