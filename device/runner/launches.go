package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

// kernels are those of the launches of a job. Launches that differ in arguments alone share one, so that a thousand launches of a
// kernel are as quickly made ready as one.
type kernels struct {
	byKey    map[kernelKey]Kernel
	all      []Kernel
	ofLaunch []Kernel
}

// kernelKey is what a kernel is asked about, and what it is set to for all of its launches.
type kernelKey struct {
	entry      string
	args       int
	packed     bool
	group      int64 // work-items of a work-group
	local      int64 // bytes of local memory that are no declared ones
	dynamic    int64
	attributes string
}

func keyOf(l device.Job) kernelKey {
	key := kernelKey{l.Entry, len(l.Args), l.Packed, items(l.Local), added(l), l.Dynamic, ""}
	if l.Attributes != nil {
		text, _ := json.Marshal(l.Attributes)
		key.attributes = string(text)
	}
	return key
}

func (k *kernels) add(key kernelKey, kernel Kernel) {
	k.byKey[key] = kernel
	k.all, k.ofLaunch = append(k.all, kernel), append(k.ofLaunch, kernel)
}

func (k *kernels) release() {
	for _, kernel := range k.all {
		kernel.Release()
	}
}

// launch is a kernel and its ND-range.
type launch struct {
	entry  string
	kernel Kernel
	global []int64
	local  []int64 // empty leaves the work-group to the driver
	set    settings
}

// settings are arguments of a launch.
type settings []setting

func (list settings) apply(b *bound, kernel Kernel) error {
	for _, s := range list {
		if err := s.apply(b, kernel); err != nil {
			return err
		}
	}
	return nil
}

// setting is an argument that not all launches of the kernel have alike.
type setting struct {
	index  int
	arg    device.Arg
	value  []byte // of an argument by value
	packed bool
}

// settings sets the arguments of kernels that all their launches share, and gives each launch the others.
func (b *bound) settings(jobs []device.Job, ofLaunch []Kernel) error {
	first := map[Kernel]int{}
	varies := map[Kernel][]bool{}
	for n, k := range ofLaunch {
		at, ok := first[k]
		if !ok {
			first[k], varies[k] = n, make([]bool, len(jobs[n].Args))
			continue
		}
		for i, a := range jobs[n].Args {
			varies[k][i] = varies[k][i] || !same(a, jobs[at].Args[i])
		}
	}
	for n, k := range ofLaunch {
		l := launch{entry: jobs[n].Entry, kernel: k, global: jobs[n].Global, local: jobs[n].Local}
		for i, a := range jobs[n].Args {
			if n != first[k] && !varies[k][i] {
				continue
			}
			s, err := b.setting(i, a, jobs[n].Packed)
			if err == nil && n == first[k] {
				err = s.apply(b, k)
			}
			if err != nil {
				return fmt.Errorf("argument %d (%s): %w", i, a.Name, err)
			}
			if varies[k][i] {
				l.set = append(l.set, s)
			}
		}
		b.launches = append(b.launches, l)
	}
	return nil
}

// same reports that two arguments pass the same.
func same(a, b device.Arg) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.DType == b.DType && a.Count == b.Count && a.Int == b.Int && a.Float == b.Float && a.At == b.At &&
		slices.Equal(a.Bits, b.Bits) && slices.EqualFunc(a.Fields, b.Fields, func(x, y device.Field) bool { return x.Offset == y.Offset && same(x.Arg, y.Arg) })
}

func (b *bound) setting(i int, a device.Arg, packed bool) (s setting, err error) {
	s = setting{index: i, arg: a, packed: packed}
	if a.Kind != device.Local && (a.Kind != device.Buffer || a.At != 0) {
		s.value, err = b.value(a)
	}
	return s, err
}

func (s setting) apply(b *bound, kernel Kernel) error {
	switch {
	case s.arg.Kind == device.Local:
		return kernel.SetLocal(s.index, s.arg.Bytes())
	case s.value == nil:
		return kernel.SetBuffer(s.index, b.buffers[s.arg.Name].id)
	case s.packed:
		return kernel.SetAll(s.value)
	}
	return kernel.SetScalar(s.index, s.value)
}

// together is how many launches are enqueued before the host waits for them.
const together = 64

// run is the time of the launches of a job in seconds, by the profiling events of the device and by the host's clock.
type run struct {
	device, host float64
	entries      map[string]float64 // of the launches of each kernel function, where these are timed one by one
}

// run launches the kernels once, one after the other; with cold it flushes the caches before the first. The time between launches counts
// only where they are timed as a whole. When ctx ends, it stops between launches.
func (b *bound) run(ctx context.Context, cold bool) (run, error) {
	d := b.dev
	if err := b.restore(); err != nil {
		return run{}, d.Verdict(Preparing, err)
	}
	if cold {
		if err := d.sweep.flush(d); err != nil {
			return run{}, d.Verdict(Launching, err)
		}
	} else if len(b.updated) > 0 {
		if err := d.Finish(); err != nil {
			return run{}, d.Verdict(Running, err)
		}
	}
	if b.graph != nil {
		return b.launchGraph()
	}
	if b.whole {
		return b.launch(b.launches, true)
	}
	sum, done := run{entries: map[string]float64{}}, 0
	for some := range slices.Chunk(b.launches, together) {
		if err := device.Interrupted(ctx); err != nil {
			return run{}, err
		}
		t, err := b.launch(some, false)
		if err != nil {
			return run{}, err
		}
		sum.device, sum.host = sum.device+t.device, sum.host+t.host
		done += len(some)
		if b.limit > 0 && done < len(b.launches) && sum.device > b.limit.Seconds() {
			return run{}, device.Errorf(samples.Timeout, "%d of %d launches took more than %v", done, len(b.launches), b.limit)
		}
		for entry, seconds := range t.entries {
			sum.entries[entry] += seconds
		}
	}
	return sum, nil
}

// record makes a graph of the launches, if the platform has graphs.
func (b *bound) record() (err error) {
	b.graph, err = b.dev.Graph(func() error {
		for _, l := range b.launches {
			if err := l.set.apply(b, l.kernel); err != nil {
				return err
			}
			if _, err := l.kernel.Launch(l.global, l.local); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// launchGraph launches all kernels, and returns how long they took together.
func (b *bound) launchGraph() (run, error) {
	start := time.Now()
	event, err := b.graph.Launch()
	if err != nil {
		return run{}, b.dev.Verdict(Launching, err)
	}
	defer event.Release()
	if err := event.Wait(); err != nil {
		return run{}, b.dev.Verdict(Running, err)
	}
	seconds, err := event.SecondsTo(event)
	if err != nil {
		return run{}, b.dev.Verdict(Running, err)
	}
	return run{device: seconds, host: time.Since(start).Seconds()}, nil
}

// launch enqueues kernels, waits for the last one, and returns how long they took: as a whole from the start of the first to the end of the last,
// else the sum of their times.
func (b *bound) launch(launches []launch, whole bool) (run, error) {
	d := b.dev
	var events []Event
	defer func() {
		for _, e := range events {
			e.Release()
		}
	}()
	start := time.Now()
	free := func() {}
	if len(launches) > 1 && !whole {
		free = d.Hold()
	}
	for _, l := range launches {
		var event Event
		var err error
		if err = l.set.apply(b, l.kernel); err == nil {
			event, err = l.kernel.Launch(l.global, l.local)
		}
		if err != nil {
			free()
			d.Finish() // what was enqueued before may still run
			return run{}, d.Verdict(Launching, err)
		}
		events = append(events, event)
	}
	free()
	for _, e := range slices.Backward(events) {
		if err := e.Wait(); err != nil {
			return run{}, d.Verdict(Running, err)
		}
	}
	out := run{host: time.Since(start).Seconds(), entries: map[string]float64{}}
	last := len(events) - 1
	for i := range events {
		to := events[i]
		if whole {
			to = events[last]
		}
		seconds, err := events[i].SecondsTo(to)
		if err != nil {
			return run{}, d.Verdict(Running, err)
		}
		if out.device += seconds; whole {
			break
		}
		out.entries[launches[i].entry] += seconds
	}
	return out, nil
}
