package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"gpuperf/device"
	"gpuperf/samples"
)

// Options says how workers are started and how long they may take. The zero value is the default.
type Options struct {
	Command    []string      // the worker's command line; empty is this executable with [WorkerArg]
	Env        []string      // added to this process's environment
	StartLimit time.Duration // for starting, listing the devices and opening one, each; 0 is 1 minute
	Deadline   time.Duration // for a job, its compilation included; 0 is 2 minutes
	Grace      time.Duration // for a worker to end when it is no longer needed; 0 is 2 s
	Programs   string        // folder that keeps built programs; "" is none
	// Waiting is called when a job has to wait for the device, with words for the process that has it; nil is not at all.
	Waiting func(holder string)

	kind string // of process
}

func (o Options) withDefaults() (Options, error) {
	if len(o.Command) == 0 {
		if len(o.Env) == 0 && o.Grace == 0 {
			o.kind = kindOf(os.Environ())
		}
		self, err := os.Executable()
		if err != nil {
			return o, fmt.Errorf("starting a worker: %w", err)
		}
		o.Command = []string{self, WorkerArg}
	}
	o.StartLimit, o.Deadline = cmp.Or(o.StartLimit, time.Minute), cmp.Or(o.Deadline, 2*time.Minute)
	return o, nil
}

// Devices lists the devices, as a worker sees them, with all that it can tell of them.
func Devices(ctx context.Context, o Options) ([]device.Info, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	var all []device.Info
	err = persist(ctx, died, func() error {
		var p *process
		if p, all, err = o.begin(ctx, opDescribe); err == nil {
			p.rest()
		}
		return err
	})
	return all, err
}

// persist calls f again while its error is one to retry. A driver can need a moment to get over what killed a worker.
func persist(ctx context.Context, retry func(error) bool, f func() error) error {
	var err error
	for _, pause := range []time.Duration{0, 500 * time.Millisecond, 3 * time.Second} {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		if err = f(); err == nil || !retry(err) {
			break
		}
	}
	return err
}

// died reports whether an error is the death of a worker, which may have been killed.
func died(err error) bool {
	var dead *deadError
	return errors.As(err, &dead)
}

// begin has a worker list the devices.
func (o Options) begin(ctx context.Context, list op) (*process, []device.Info, error) {
	p, err := o.worker()
	if err != nil {
		return nil, nil, fmt.Errorf("starting a worker: %w", err)
	}
	p.grace, p.waiting = o.Grace, o.Waiting
	answer, err := p.ask(ctx, request{Op: list}, o.StartLimit)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the devices: %w", explain(err))
	}
	if answer.Failure != "" {
		p.close()
		return nil, nil, errors.New(answer.Failure)
	}
	return p, answer.Devices, nil
}

// explain adds to a worker's death the words that it left.
func explain(err error) error {
	var dead *deadError
	if errors.As(err, &dead) && dead.log != "" {
		return fmt.Errorf("%w\n%s", err, dead.log)
	}
	return err
}

// Remote is a device in a worker process. When the worker dies, or has to be killed, the next job starts another one.
type Remote struct {
	options Options
	info    device.Info
	process *process // nil when there is none
	waited  time.Duration
	closed  bool
}

// Open starts a worker and opens the device that [device.Select] finds for the query.
func Open(ctx context.Context, query string, o Options) (*Remote, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Remote{options: o}
	err = persist(ctx, died, func() error {
		return r.connect(ctx, func(all []device.Info) (int, error) { return device.Select(all, query) })
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Remote) connect(ctx context.Context, choose func([]device.Info) (int, error)) error {
	p, all, err := r.options.begin(ctx, opDevices)
	if err != nil {
		return err
	}
	index, err := choose(all)
	if err != nil {
		p.rest()
		return err
	}
	answer, err := p.ask(ctx, request{Op: opOpen, Index: index, Programs: r.options.Programs, Place: here()}, r.options.StartLimit)
	if err != nil {
		return fmt.Errorf("opening %v: %w", all[index].Fingerprint, explain(err))
	}
	if answer.Failure != "" || answer.Info == nil {
		p.close()
		return errors.New(answer.Failure)
	}
	r.process, r.info = p, *answer.Info
	return nil
}

// again finds the device among all of a new worker's.
func again(info device.Info) func([]device.Info) (int, error) {
	return func(all []device.Info) (int, error) {
		for i, d := range all {
			if d.Same(info.Fingerprint) && d.PlatformIndex == info.PlatformIndex && d.DeviceIndex == info.DeviceIndex {
				return i, nil
			}
		}
		return 0, fmt.Errorf("device %v is no longer there", info.Fingerprint)
	}
}

// reconnect starts a new worker on the same device.
func (r *Remote) reconnect(ctx context.Context) error {
	always := func(error) bool { return ctx.Err() == nil }
	if err := persist(ctx, always, func() error { return r.connect(ctx, again(r.info)) }); err != nil {
		return fmt.Errorf("the device cannot be opened again: %w", err)
	}
	return nil
}

// Info describes the device.
func (r *Remote) Info() device.Info { return r.info }

// Run has the worker run the job. A worker that dies is a crash, one that does not answer by the deadline is killed and is
// a timeout, and when ctx ends the job is interrupted. An error that is no *device.Error means that there is no
// device any more.
func (r *Remote) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	answer, err := r.ask(ctx, request{Op: opRun, Job: &job})
	switch {
	case err != nil:
		return nil, err
	case answer.Failure != "" || answer.Result == nil:
		return nil, fmt.Errorf("running %s: %s", job.Identity, answer.Failure)
	}
	return answer.Result, nil
}

// build has the worker build the program of a job. Errors are as those of Run.
func (r *Remote) build(ctx context.Context, job device.Job) error {
	answer, err := r.ask(ctx, request{Op: opBuild, Job: &job})
	if err == nil && answer.Failure != "" {
		err = fmt.Errorf("building %s: %s", job.Identity, answer.Failure)
	}
	return err
}

// ask passes a request with a job on, to a new worker where there is none. The verdict on the job is an error.
func (r *Remote) ask(ctx context.Context, q request) (response, error) {
	if r.closed {
		return response{}, errors.New("the device is closed")
	}
	err := device.Interrupted(ctx)
	if err == nil && r.process == nil {
		if err = r.reconnect(ctx); ctx.Err() != nil {
			err = device.Interrupted(ctx)
		}
	}
	if err != nil {
		return response{}, err
	}
	p := r.process
	answer, err := p.ask(ctx, q, r.options.Deadline)
	r.waited, p.waited = r.waited+p.waited, 0
	if err != nil {
		r.process = nil
		return response{}, verdict(err, r.options.Deadline)
	}
	if answer.Error != nil {
		if answer.Error.Fatal {
			r.process.close()
			r.process = nil
		}
		return response{}, answer.Error
	}
	return answer, nil
}

func verdict(err error, deadline time.Duration) error {
	var dead *deadError
	switch {
	case errors.Is(err, errStopped):
		return device.Errorf(samples.Interrupted, "stopped while the job ran")
	case errors.Is(err, errDeadline):
		return device.Errorf(samples.Timeout, "no answer within %v; the worker was killed", deadline)
	case errors.As(err, &dead):
		e := device.Errorf(samples.Crash, "%v", dead)
		e.Log = dead.log
		return e
	}
	return err
}

// Waited is how long jobs have waited for other processes that had the device.
func (r *Remote) Waited() time.Duration { return r.waited }

// Close closes the device. Its worker waits for another to open it, or ends.
func (r *Remote) Close() error {
	r.closed = true
	if r.process != nil {
		r.process.rest()
		r.process = nil
	}
	return nil
}
