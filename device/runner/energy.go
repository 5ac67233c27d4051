package runner

import (
	"context"
	"time"

	"gpuperf/device"
	"gpuperf/internal/warning"
)

// asking is how long runs follow each other before the counter of energy is asked: to ask takes as long as a short kernel.
const asking = 20 * time.Millisecond

// mostlyIdle is the part of the time below which kernels ran that the device had too little to do for its energy to be that of runs.
const mostlyIdle = 0.9

// energy runs for as long as the policy says, one run after the other, and tells what the device uses for one, and its power meanwhile: between two moments at which
// its counter has moved, as that moves some times a second.
func (d *Device) energy(ctx context.Context, policy device.Policy, b *bound, cold bool, result *device.Result) error {
	const patience = 2 * time.Second // beyond the time of the policy, in which a counter that works has moved
	if policy.Energy <= 0 {
		return nil
	}
	untold := func() {
		result.Warnings = append(result.Warnings, warning.LeftOut.About("", "the device does not tell what energy it uses"))
	}
	begun, ok := d.Energy()
	if !ok {
		untold()
		return nil
	}
	runs, busy := -1, 0.0 // until the counter has moved for the first time
	for start, first, asked := time.Now(), begun, time.Now(); time.Since(start) < policy.Energy+patience; {
		if err := device.Interrupted(ctx); err != nil {
			return err
		}
		one, err := b.run(ctx, cold)
		if err != nil {
			return err
		}
		if runs >= 0 {
			runs, busy = runs+1, busy+one.device
		}
		if time.Since(asked) < min(asking, policy.Energy) {
			continue
		}
		now, ok := d.Energy()
		asked = time.Now()
		switch {
		case !ok || now == begun:
		case runs < 0:
			runs, first, start = 0, now, asked
		case asked.Sub(start) >= policy.Energy:
			result.Energy, result.Power = (now-first)/float64(runs), (now-first)/asked.Sub(start).Seconds()
			if share := busy / asked.Sub(start).Seconds(); share < mostlyIdle {
				result.Warnings = append(result.Warnings, warning.Noisy.About("", "kernels ran in %.0f %% of the time in which energy was measured: that of a run is with what the device uses between runs", 100*share))
			}
			return nil
		}
		begun = now
	}
	untold()
	return nil
}
