package runner

import (
	"context"
	"math"
	"slices"
	"time"

	"gpuperf/device"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// energy runs for as long as the policy says and tells what the device uses for one run, between two moments at which its counter has moved, as that moves some
// times a second. Runs follow each other without a gap, in which the device would use energy too: a kernel whose caches or buffers are prepared before each run
// has none.
func (d *Device) energy(ctx context.Context, policy device.Policy, b *bound, cold bool, result *device.Result) error {
	const patience = 2 * time.Second // beyond the time of the policy, in which a counter that works has moved
	if policy.Energy <= 0 {
		return nil
	}
	untold := func(why string) error {
		result.Warnings = append(result.Warnings, warning.LeftOut.About("", "%s", why))
		return nil
	}
	if cold || len(b.updated) > 0 {
		return untold("what energy a run uses is not told: before each, its buffers or the caches are prepared, which uses energy too")
	}
	begun, ok := d.Energy()
	if !ok {
		return untold("the device does not tell what energy it uses")
	}
	each := b.inARow(samples.Summarize(result.Trials).Median)
	runs := -1 // until the counter has moved for the first time
	for start, first := time.Now(), begun; time.Since(start) < policy.Energy+patience; {
		if err := device.Interrupted(ctx); err != nil {
			return err
		}
		if _, err := b.launch(slices.Repeat(b.launches, each), true); err != nil {
			return err
		}
		if runs >= 0 {
			runs += each
		}
		now, ok := d.Energy()
		switch {
		case !ok || now == begun:
		case runs < 0:
			runs, first, start = 0, now, time.Now()
		case time.Since(start) >= policy.Energy:
			result.Energy = (now - first) / float64(runs)
			return nil
		}
		begun = now
	}
	return untold("the device does not tell what energy it uses")
}

// inARow is how many runs of so many seconds are enqueued at once, so that the device is hardly ever without work while the host looks at its counter.
func (b *bound) inARow(seconds float64) int {
	const enough, most = 0.05, 4096 // seconds, launches
	return int(max(1, min(math.Ceil(enough/max(seconds, 1e-9)), float64(most/max(1, len(b.launches))))))
}
