package survey

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/parallel"
	"gpuperf/launchfile"
	"gpuperf/memory"
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
	kinds     map[string]*kind // of each kernel with each ND-range
	known     int              // results that were kept
	again     bool             // launches are emulated again
	held      map[string]*launches.Report
	bytes     int // that those which are held take, about
	alike     int // files whose outcome was that of another
	done, all int // emulations of launch files, of all passes so far
}

func newEmulator(o Options) *emulator {
	return &emulator{options: o, keep: newKeep(o), listings: map[string]*once[*sass.Listing]{}, outcomes: map[string]*once[*Outcome]{}, kinds: map[string]*kind{}, held: map[string]*launches.Report{}}
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

// kind is the launches of a kernel with an ND-range: what binds them is found out of the first one, and awaited by all others.
type kind struct {
	known      chan struct{} // closed when it is
	bottleneck string        // "" where it could not be found out
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

// task is a launch file that is to be emulated.
type task struct {
	file    *launchfile.File
	row     *Row
	regions [][]region // that its launches touch, where that is known: one after the other, over and over
	others  emulate.Others
}

// touch keeps what its launches touch of their buffers.
func (t *task) touch(job device.Job, touched []memory.Bytes) {
	ways := []map[string]int64{nil} // not known
	if a := t.row.Application; a != nil && a.Addresses != nil {
		ways = a.Addresses
	}
	t.regions = nil
	for _, addresses := range ways {
		t.regions = append(t.regions, regions(job, addresses, touched))
	}
}

// explained is the part of the application's time of which it is found out what binds: those launches that take most of it.
const explained = 0.95

// rows are those of launch files. Where the application has told when it launched them, they are emulated again with what others have left in the cache, and what binds is told of
// those that take most of the time: of all otherwise. It is found out of one launch of each kernel and ND-range.
func (e *emulator) rows(ctx context.Context, paths []string) (rows []*Row, err error) {
	device := e.options.Each.Device
	second := device.Value(facts.ClockMHz) * 1e6 // in cycles
	var tasks []task
	timed := true
	for _, path := range paths {
		r := &Row{File: filepath.Base(path), Times: 1, unrecorded: device.Value(facts.UnrecordedCycles) / second, unrecordedFull: device.Value(facts.UnrecordedFull) / second}
		f, err := launchfile.Load(path)
		if r.Err = err; err == nil {
			r.Times, r.Application = max(f.Launches, 1), f.Application
			timed = timed && f.Application != nil
			tasks = append(tasks, task{file: f, row: r})
		}
		rows = append(rows, r)
	}
	e.again = timed
	if err := e.emulate(ctx, tasks, e.options.Each.Binds && !timed); err != nil || !timed {
		return rows, err
	}
	known, alike := e.known, e.alike // what comes now is of the same files
	defer func() { e.known, e.alike = known, alike }()
	tasks = slices.DeleteFunc(tasks, func(t task) bool { return t.row.Err != nil || !t.row.counts() })
	e.among(tasks)
	rest := tasks
	if e.options.Each.Binds {
		var most []task
		most, rest = split(tasks)
		err = e.emulate(ctx, most, true)
	}
	rest = slices.DeleteFunc(slices.Clone(rest), func(t task) bool { return t.others == emulate.Others{} })
	return rows, cmp.Or(err, e.emulate(ctx, rest, false))
}

// among finds out what the launches of an application do to the cache between two of the same.
func (e *emulator) among(tasks []task) {
	var rows []*Row
	var touched [][][]region
	for _, t := range tasks {
		if t.regions == nil {
			t.regions = [][]region{nil}
		}
		rows, touched = append(rows, t.row), append(touched, t.regions)
	}
	for i, o := range others(e.options.Each.Device, rows, touched) {
		tasks[i].others = o
	}
}

// split parts launch files into those that take most of the time, and the rest.
func split(tasks []task) (most, rest []task) {
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(b.row.All(), a.row.All()) })
	sum, until := 0.0, 0.0
	for _, t := range tasks {
		sum += t.row.All()
	}
	for i, t := range tasks {
		if until > explained*sum {
			return tasks[:i], tasks[i:]
		}
		until += t.row.All()
	}
	return tasks, nil
}

// emulate emulates launch files.
func (e *emulator) emulate(ctx context.Context, tasks []task, binds bool) error {
	e.all += len(tasks)
	parallel.Try(len(tasks), runtime.GOMAXPROCS(0), func(i int) error {
		t := &tasks[i]
		t.row.Outcome, t.row.Err = e.outcome(ctx, t, binds)
		e.lock.Lock()
		defer e.lock.Unlock()
		if e.done++; e.options.Progress != nil {
			e.options.Progress(e.done, e.all)
		}
		return ctx.Err()
	})
	return ctx.Err()
}

// outcome is what emulation tells of a launch file.
func (e *emulator) outcome(ctx context.Context, t *task, binds bool) (*Outcome, error) {
	f := t.file
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
	if !binds {
		o, err := e.emulated(ctx, s, l, key, t.others, false)
		if err == nil && o.Touched != nil {
			t.touch(s.Job, o.Touched)
		}
		return o, err
	}
	if len(s.Job.Then) > 0 {
		return e.emulated(ctx, s, l, key, t.others, true)
	}
	k, first := e.kind(fmt.Sprint(f.Program(), s.Code.Listing, s.Job.Entry, s.Job.Global, s.Job.Local))
	if first {
		defer close(k.known)
	}
	o, err := e.emulated(ctx, s, l, key, t.others, first)
	if err != nil {
		return nil, err
	}
	if first {
		k.bottleneck = o.Bottleneck
		return o, nil
	}
	<-k.known
	with := *o
	with.Bottleneck = k.bottleneck
	return &with, nil
}

// kind is that of a key; first tells whether it is new, and its bottleneck is yet to be found out by whoever asks.
func (e *emulator) kind(key string) (k *kind, first bool) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.kinds[key] == nil {
		e.kinds[key], first = &kind{known: make(chan struct{})}, true
	}
	return e.kinds[key], first
}

// emulated is the outcome of a sequence with a hash after others: what was found out before, or now.
func (e *emulator) emulated(ctx context.Context, s *launches.Sequence, l *sass.Listing, key string, others emulate.Others, binds bool) (*Outcome, error) {
	each := e.options.Each
	each.Others, each.Binds = others, binds
	hash := key
	if others != (emulate.Others{}) {
		key += fmt.Sprint(" after ", others)
	}
	if binds {
		key += " and what binds"
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
		report, err := e.report(ctx, s, l, hash, each)
		if err != nil {
			return nil, err
		}
		o, err := outcomeOf(report, s.Job.Buffers())
		if err == nil {
			e.keep.save(key, o)
		}
		return o, err
	})
}

// mostHeld is how many bytes the traces of reports take that are held, about.
const mostHeld = 512 << 20

// report emulates a sequence with a hash. Of one that was emulated before in this call the traces are there, as far as there is room for them: those of the longest launches, which most is asked of.
func (e *emulator) report(ctx context.Context, s *launches.Sequence, l *sass.Listing, hash string, each launches.Options) (r *launches.Report, err error) {
	if r = e.take(hash); r != nil {
		r = r.After(each.Others, each.Binds)
	} else if r, err = s.Run(ctx, l, each); err != nil {
		return nil, err
	}
	if r.One() && e.again && !each.Binds { // nothing more is asked of one of which it is known what binds
		e.hold(hash, r)
	}
	return r, nil
}

// hold keeps a report, in the place of others of shorter launches where there is no room.
func (e *emulator) hold(hash string, r *launches.Report) {
	e.lock.Lock()
	defer e.lock.Unlock()
	bytes := r.Launches[0].Effort.Bytes
	if e.held[hash] != nil || bytes > mostHeld {
		return
	}
	for e.bytes+bytes > mostHeld {
		least := hash
		for other, o := range e.held {
			if before := e.held[least]; o.Launches[0].Seconds < cmp.Or(before, r).Launches[0].Seconds {
				least = other
			}
		}
		if least == hash {
			return
		}
		e.bytes -= e.held[least].Launches[0].Effort.Bytes
		delete(e.held, least)
	}
	e.held[hash], e.bytes = r, e.bytes+bytes
}

// take is a report that is held, and no longer is; nil where there is none.
func (e *emulator) take(hash string) *launches.Report {
	e.lock.Lock()
	defer e.lock.Unlock()
	r := e.held[hash]
	if r != nil {
		delete(e.held, hash)
		e.bytes -= r.Launches[0].Effort.Bytes
	}
	return r
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
