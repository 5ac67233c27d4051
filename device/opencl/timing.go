package opencl

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"gpuperf/device"
	"gpuperf/samples"
)

// time takes the trials of a bound kernel: the first run is thrown away, and its outputs kept; then runs until the times
// are steady and the clocks had time to rise; then trials until the policy has enough (paper section 6.1.4: 60 trials,
// transfers excluded).
func (d *Device) time(ctx context.Context, job device.Job, b *bound, result *device.Result) error {
	policy := job.Policy.WithDefaults()
	cold := job.CacheMode() == samples.Cold
	if cold {
		if err := d.sweep.prepare(d); err != nil {
			return failed(preparing, fmt.Errorf("flushing the caches: %w", err))
		}
		result.Warnings = append(result.Warnings, d.sweep.warnings...)
	}
	first, err := b.run(false)
	if err != nil {
		return err
	}
	result.WarmUp = 1
	if b.want != nil {
		if err := b.compare(job.Expect); err != nil {
			return failed(running, err)
		}
	}
	if len(job.Keep) > 0 {
		result.Outputs = map[string][]byte{}
	}
	for _, name := range job.Keep {
		out, err := b.kept(job, name)
		if err != nil {
			return failed(running, err)
		}
		result.Outputs[name] = out
	}
	if policy.Cutoff > 0 && first.device > policy.Cutoff.Seconds() {
		result.WarmUp, result.Trials = 0, []float64{first.device}
		result.Warnings = append(result.Warnings, fmt.Sprintf("it was run once alone, as that took longer than %v", policy.Cutoff))
		return nil
	}

	var runs []float64
	for start := time.Now(); ; {
		if err := device.Interrupted(ctx); err != nil {
			return err
		}
		t, err := b.run(cold)
		if err != nil {
			return err
		}
		runs = append(runs, t.device)
		spent := time.Since(start)
		if spent >= policy.MinWarmUp && device.Steady(runs) {
			break
		}
		if spent >= policy.MaxWarmUp {
			if len(runs) > 4 {
				result.Warnings = append(result.Warnings, fmt.Sprintf("the times were not steady after %v of warming up", policy.MaxWarmUp))
			}
			break
		}
	}
	result.WarmUp += len(runs)

	var clocks clocks
	for start := time.Now(); ; {
		if err := device.Interrupted(ctx); err != nil {
			return err
		}
		t, err := b.run(cold)
		if err != nil {
			return err
		}
		result.Trials = append(result.Trials, clocks.add(t, d.info.TimerNS))
		if policy.Enough(result.Trials, time.Since(start)) {
			break
		}
	}
	result.Clocks = d.clocks(job.Reuse)
	result.Warnings = append(result.Warnings, clocks.warnings(result.Trials, d.info.TimerNS, cold)...)
	return nil
}

// run is the time of the launches of a job in seconds, by the profiling events of the device and by the host's clock.
type run struct{ device, host float64 }

// run launches the kernels once, one after the other, and waits for each; with cold it flushes the caches before the first.
// The time between launches does not count.
func (b *bound) run(cold bool) (run, error) {
	d := b.dev
	if err := b.restore(); err != nil {
		return run{}, failed(preparing, err)
	}
	if cold {
		if err := d.sweep.flush(d); err != nil {
			return run{}, failed(launching, err)
		}
	} else if len(b.updated) > 0 {
		if err := d.call(finish, uintptr(d.queue)); err != nil {
			return run{}, failed(running, err)
		}
	}
	if b.whole {
		return d.launch(b.launches...)
	}
	var sum run
	for _, l := range b.launches {
		t, err := d.launch(l)
		if err != nil {
			return run{}, err
		}
		sum.device, sum.host = sum.device+t.device, sum.host+t.host
	}
	return sum, nil
}

// launch enqueues kernels, waits for the last one, and returns how long they took, including the time between them.
func (d *Device) launch(launches ...launch) (run, error) {
	var events []object
	defer func() {
		for _, e := range events {
			d.release(releaseEvent, e)
		}
	}()
	start := time.Now()
	for _, l := range launches {
		event, err := d.enqueue(l)
		if err != nil {
			d.call(finish, uintptr(d.queue)) // what was enqueued before may still run
			return run{}, failed(launching, err)
		}
		events = append(events, event)
	}
	for _, e := range slices.Backward(events) {
		if err := d.wait(e); err != nil {
			return run{}, failed(running, err)
		}
	}
	host := time.Since(start)
	const began, ended = 0x1282, 0x1283
	from, err := d.query(getEventProfilingInfo, began, events[0])
	if err != nil {
		return run{}, failed(running, err)
	}
	to, err := d.query(getEventProfilingInfo, ended, events[len(events)-1])
	if err != nil {
		return run{}, failed(running, err)
	}
	return run{float64(int64(le(to)-le(from))) / 1e9, host.Seconds()}, nil
}

// enqueue launches a kernel, and returns its event.
func (d *Device) enqueue(l launch) (object, error) {
	var local uintptr
	if l.local != nil {
		local = uintptr(unsafe.Pointer(&l.local[0]))
	}
	event := new(object)
	err := d.call(enqueueNDRangeKernel, uintptr(d.queue), uintptr(l.kernel), uintptr(len(l.global)), 0,
		uintptr(unsafe.Pointer(&l.global[0])), local, 0, 0, uintptr(unsafe.Pointer(event)))
	return *event, err
}

// wait waits for a launch, and finds the error that ended it.
func (d *Device) wait(event object) error {
	const executionStatus = 0x11D3
	list := []object{event}
	err := d.call(waitForEvents, 1, uintptr(unsafe.Pointer(&list[0])))
	b, queryErr := d.query(getEventInfo, executionStatus, event)
	if queryErr == nil && len(b) == 4 {
		if status := code(int32(le(b))); status < 0 {
			return fmt.Errorf("the kernel was aborted: %w", &callError{enqueueNDRangeKernel, d.library, status})
		}
	}
	if codeOf(err) == waitListError {
		return fmt.Errorf("the kernel was aborted: %w", err)
	}
	return err
}

// clocks is the state of the device now. For short jobs in quick succession, a recent answer will do, as asking can take
// longer than a job.
func (d *Device) clocks(recent bool) *samples.Clocks {
	const moment = 100 * time.Millisecond
	if !recent || time.Since(d.asked) > moment {
		d.lastClocks, d.asked = d.state.clocks(), time.Now()
	}
	return d.lastClocks
}

// clocks compares the device's clock with the host's, and counts what the device's is too coarse for.
type clocks struct {
	device, host float64
	unseen       int
}

// add returns the time of a trial in seconds. One that is too short to be seen counts as one step of the timer.
func (c *clocks) add(r run, stepNS int64) float64 {
	c.device += r.device
	c.host += r.host
	if r.device <= 0 {
		c.unseen++
		return float64(max(stepNS, 1)) * 1e-9
	}
	return r.device
}

func (c *clocks) warnings(trials []float64, stepNS int64, cold bool) (out []string) {
	if c.unseen > 0 {
		out = append(out, fmt.Sprintf("%d of %d trials were too short for the device's timer", c.unseen, len(trials)))
	}
	median := samples.Summarize(trials).Median
	if step := float64(stepNS) * 1e-9; c.unseen == 0 && median < 10*step {
		out = append(out, fmt.Sprintf("the time of %.3g s is only %.1f steps of the device's timer", median, median/step))
	}
	// The device cannot have worked longer than the host waited, nor, if the kernel is long, much shorter.
	if c.device > 1.05*c.host || !cold && median > 0.05 && c.device < 0.5*c.host {
		out = append(out, fmt.Sprintf("the device's timer counted %.3g s while the host waited %.3g s", c.device, c.host))
	}
	return out
}
