package runner

import (
	"context"
	"time"

	"gpuperf/device"
	"gpuperf/internal/warning"
)

// energy runs for as long as the policy says, one run after the other, and tells what the device uses for one: between two moments at which its counter has moved,
// as that moves some times a second.
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
	runs := -1 // until the counter has moved for the first time
	for start, first := time.Now(), begun; time.Since(start) < policy.Energy+patience; {
		if err := device.Interrupted(ctx); err != nil {
			return err
		}
		if _, err := b.run(ctx, cold); err != nil {
			return err
		}
		if runs >= 0 {
			runs++
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
	untold()
	return nil
}
