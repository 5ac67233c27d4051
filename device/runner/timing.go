package runner

import (
	"context"
	"fmt"
	"time"

	"gpuperf/device"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// time takes the trials of a bound kernel: the first run is thrown away, and its outputs kept; then runs until the times
// are steady and the clocks had time to rise; then trials until the policy has enough (paper section 6.1.4: 60 trials,
// transfers excluded). A kernel whose first run takes longer than the policy's cutoff has that one trial.
func (d *Device) time(ctx context.Context, job device.Job, b *bound, result *device.Result) {
	policy := job.Policy.WithDefaults()
	cold := job.CacheMode() == samples.Cold
	if cold {
		if err := d.sweep.prepare(d); err != nil {
			panic(throw.Of(d.Verdict(Preparing, fmt.Errorf("flushing the caches: %w", err))))
		}
		result.Warnings = append(result.Warnings, d.sweep.warnings...)
	}
	b.limit = policy.Abandon
	first := throw.Get(b.run(ctx, false))
	b.limit = 0
	d.read(job, b, result)
	if policy.Cutoff > 0 && first.device > policy.Cutoff.Seconds() {
		result.Trials, result.Entries = []float64{first.device}, first.entries
		result.Warnings = append(result.Warnings, warning.OneTrial.About("", "it was run once alone, as that took longer than %v", policy.Cutoff))
		return
	}
	result.WarmUp = 1
	if policy.Graph && len(b.launches) > 1 {
		d.graph(ctx, b, first, cold, result)
	}
	warmUp(ctx, policy, b, cold, result)
	if policy.Profiled {
		if err := d.Profile(true); err != nil {
			panic(throw.Of(d.Verdict(Launching, err)))
		}
		defer d.Profile(false)
	}
	d.trials(ctx, policy, b, cold, result)
	result.Clocks = d.clocks(job.Reuse)
	d.energy(ctx, policy, b, cold, result)
	if err := b.outside(job); err != nil {
		panic(throw.Of(d.Verdict(Running, err)))
	}
}

// read compares what the first run wrote with what is expected, and keeps the outputs that the job asks for.
func (d *Device) read(job device.Job, b *bound, result *device.Result) {
	if err := b.outside(job); err != nil {
		panic(throw.Of(d.Verdict(Running, err)))
	}
	if b.want != nil {
		if err := b.compare(job.Expect); err != nil {
			panic(throw.Of(d.Verdict(Running, err)))
		}
		if why := b.want.nothing; why != "" {
			result.Unverified = why
			result.Warnings = append(result.Warnings, warning.Unverified.About("", "results are not verified: %s", why))
		}
	}
	if len(job.Keep) > 0 {
		result.Outputs = map[string][]byte{}
	}
	for _, name := range job.Keep {
		out, err := b.kept(job, name)
		if err != nil {
			panic(throw.Of(d.Verdict(Running, err)))
		}
		result.Outputs[name] = out
	}
}

// long is a run of which what the first one takes more than others do not matter, in seconds.
const long = 5e-3

// graph records the launches as one graph, where the driver can. The times of the single launches are those of a run before.
func (d *Device) graph(ctx context.Context, b *bound, apart run, cold bool, result *device.Result) {
	if apart.device < long {
		apart = throw.Get(b.run(ctx, cold))
	}
	if err := b.record(); err != nil {
		panic(throw.Of(d.Verdict(Launching, err)))
	}
	result.Graph, result.Entries = b.graph != nil, apart.entries
}

// warmUp runs until the times are steady, within the policy's limits of time.
func warmUp(ctx context.Context, policy device.Policy, b *bound, cold bool, result *device.Result) {
	var runs []float64
	for start := time.Now(); ; {
		throw.If(device.Interrupted(ctx))
		t := throw.Get(b.run(ctx, cold))
		runs = append(runs, t.device)
		result.WarmUp++
		spent := time.Since(start)
		if len(runs) < policy.WarmUps {
			continue
		}
		if spent >= policy.MinWarmUp && device.Steady(runs) {
			return
		}
		if spent < policy.MaxWarmUp {
			continue
		}
		if len(runs) > 4 {
			result.Warnings = append(result.Warnings, warning.Noisy.About("", "the times were not steady after %v of warming up", policy.MaxWarmUp))
		}
		return
	}
}

// trials runs until the policy has enough trials.
func (d *Device) trials(ctx context.Context, policy device.Policy, b *bound, cold bool, result *device.Result) {
	var clocks clocks
	for start := time.Now(); ; {
		throw.If(device.Interrupted(ctx))
		t := throw.Get(b.run(ctx, cold))
		result.Trials = append(result.Trials, clocks.add(t, d.info.TimerNS))
		if !result.Graph {
			result.Entries = t.entries
		}
		if policy.Enough(result.Trials, time.Since(start)) {
			break
		}
	}
	result.Warnings = append(result.Warnings, clocks.warnings(result.Trials, d.info.TimerNS, cold)...)
}

// clocks is the state of the device now. For short jobs in quick succession, a recent answer will do, as asking can take
// longer than a job.
func (d *Device) clocks(recent bool) *samples.Clocks {
	const moment = 100 * time.Millisecond // in which clocks change little
	if !recent || time.Since(d.asked) > moment {
		d.lastClocks, d.asked = d.Clocks(), time.Now()
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
		out = append(out, warning.Timer.About("", "%d of %d trials were too short for the device's timer", c.unseen, len(trials)))
	}
	median := samples.Summarize(trials).Median
	if step := float64(stepNS) * 1e-9; c.unseen == 0 && median < 10*step {
		out = append(out, warning.Timer.About("", "the time of %s is only %.1f steps of the device's timer", format.Seconds(median), median/step))
	}
	// The device cannot have worked longer than the host waited, nor, if the kernel is long, much shorter.
	if c.device > 1.05*c.host || !cold && median > 0.05 && c.device < 0.5*c.host {
		out = append(out, warning.Timer.About("", "the device's timer counted %s while the host waited %s", format.Seconds(c.device), format.Seconds(c.host)))
	}
	return out
}
