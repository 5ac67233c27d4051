package measure

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/samples"
)

// Ahead builds the programs of jobs in several worker processes at once, and returns when all have ended: building takes
// more time than most trials, but nothing is to be built while a kernel is timed. The workers keep the programs in
// o.Programs, where a [Remote] that is opened with the same folder finds them; what is there already is not built.
type Ahead struct {
	Options  Options
	Jobs     int                   // workers, at most; 0 is 1
	Least    int                   // if fewer programs are missing, none is built ahead, unless two or more are and workers are kept for them; 0 is 1
	Progress func(done, total int) // called after each program, in some order; nil is not at all
	// Keep, if not nil, has the workers between one call and the next: to start one may take as long as to build a program.
	Keep *Builders
	// Hung is called, one call at a time, for a program that is not built by the deadline; nil is not at all.
	Hung func(device.Job, *device.Error)
}

// Run builds, for the device. What cannot be built is left to those who run it, whose verdict counts. The error is that of
// a worker that could not be started, or that ctx has ended.
func (a Ahead) Run(ctx context.Context, dev device.Info, jobs []device.Job) error {
	if a.Options.Programs == "" {
		return errors.New("building ahead: no folder to keep programs in")
	}
	missing := a.missing(dev, jobs)
	workers := min(max(a.Jobs, 1), len(missing)) // one starts in about the time that a program takes to build
	if len(missing) < max(a.Least, 1) {
		if workers = min(workers, a.Keep.ready()); workers < 2 {
			return nil
		}
	}
	o, err := a.Options.withDefaults()
	if err != nil {
		return err
	}
	queue := make(chan device.Job, len(missing))
	for _, job := range missing {
		queue <- job
	}
	close(queue)
	var done atomic.Int64
	var progress sync.Mutex
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			errs[i] = a.buildAll(ctx, o, dev, queue, func(job device.Job, verdict *device.Error) {
				progress.Lock()
				defer progress.Unlock()
				if verdict != nil && verdict.Status == samples.Timeout && a.Hung != nil {
					a.Hung(job, verdict)
				}
				if n := done.Add(1); a.Progress != nil {
					a.Progress(int(n), len(missing))
				}
			})
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// As long as one worker came through the queue, all is built that can be.
	if slices.Contains(errs, nil) {
		return nil
	}
	return errors.Join(errs...)
}

// missing lists one job for each program that is not kept yet, in the order of the jobs. What the device is known to refuse
// is never built.
func (a Ahead) missing(dev device.Info, jobs []device.Job) (out []device.Job) {
	seen := map[string]bool{}
	for _, job := range jobs {
		file := device.ProgramFile(a.Options.Programs, dev.Fingerprint, job)
		if seen[file] || job.Check(facts.Limits(dev)) != nil {
			continue
		}
		seen[file] = true
		if _, err := os.Stat(file); err != nil {
			out = append(out, job)
		}
	}
	return out
}

// buildAll is one worker: it builds what the queue holds until it is empty.
func (a Ahead) buildAll(ctx context.Context, o Options, dev device.Info, queue <-chan device.Job, built func(device.Job, *device.Error)) error {
	r := a.Keep.take()
	if r == nil {
		r = &Remote{options: o, info: dev}
		if err := r.connect(ctx, again(dev)); err != nil {
			return err
		}
	}
	defer a.Keep.give(r)
	for job := range queue {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := r.build(ctx, job)
		verdict, ok := device.AsError(err)
		if err != nil && !ok && r.process == nil {
			return err // the device is gone
		}
		built(job, verdict)
	}
	return nil
}

// Builders are workers of one device with nothing to build. The zero value has none.
type Builders struct {
	mu   sync.Mutex
	idle []*Remote
}

// builderShare is how many bytes a device has for each worker that is kept: what a worker takes of them is less than an eighth of that.
const builderShare = 4 << 30

// ready is how many there are.
func (b *Builders) ready() int {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.idle)
}

// take returns a worker, nil where there is none.
func (b *Builders) take() *Remote {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.idle)
	if n == 0 {
		return nil
	}
	r := b.idle[n-1]
	b.idle = b.idle[:n-1]
	return r
}

// give keeps a worker, or ends it where it has ended or there are many.
func (b *Builders) give(r *Remote) {
	if b != nil && r.process != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if int64(len(b.idle)) < r.info.GlobalMem/builderShare {
			b.idle = append(b.idle, r)
			return
		}
	}
	r.Close()
}

// Close ends the workers.
func (b *Builders) Close() {
	var wg sync.WaitGroup
	defer wg.Wait()
	for r := b.take(); r != nil; r = b.take() {
		wg.Go(func() { r.Close() })
	}
}
