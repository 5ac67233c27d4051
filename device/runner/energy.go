package runner

import (
	"context"
	"math"
	"slices"
	"time"

	"gpuperf/device"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// asking is how long runs follow each other before the counter of energy is asked: to ask takes as long as a short kernel.
const asking = 50 * time.Millisecond

// mostlyIdle is the part of the time below which kernels ran that the device had too little to do for its energy to be that of runs.
const mostlyIdle = 0.9

// energy runs for as long as the policy says, and tells what the device uses for one run, and its power meanwhile: between two moments at which its counter has
// moved, as that moves some times a second.
func (d *Device) energy(ctx context.Context, policy device.Policy, b *bound, cold bool, result *device.Result) {
	const patience = 2 * time.Second // beyond the time of the policy, in which a counter that works has moved
	if policy.Energy <= 0 {
		return
	}
	untold := func() {
		result.Warnings = append(result.Warnings, warning.LeftOut.About("", "the device does not tell what energy it uses"))
	}
	begun, ok := d.Energy()
	if !ok {
		untold()
		return
	}
	each := samples.Summarize(result.Trials).Median
	inARow := b.inARow(each)
	runs := -1 // until the counter has moved for the first time
	for start, first := time.Now(), begun; time.Since(start) < policy.Energy+patience; {
		n := throw.Get(b.runs(ctx, inARow, cold))
		if runs >= 0 {
			runs += n
		}
		now, ok := d.Energy()
		asked := time.Now()
		switch {
		case !ok || now == begun:
		case runs < 0:
			runs, first, start = 0, now, asked
		case asked.Sub(start) >= policy.Energy:
			seconds := asked.Sub(start).Seconds()
			result.Energy, result.Power = (now-first)/float64(runs), (now-first)/seconds
			if share := each * float64(runs) / seconds; share < mostlyIdle {
				result.Warnings = append(result.Warnings, warning.Noisy.About("", "kernels ran in %.0f %% of the time in which energy was measured: that of a run is with what the device uses between runs", 100*share))
			}
			return
		}
		begun = now
	}
	untold()
}

// inARow is how many runs of so many seconds are enqueued at once.
func (b *bound) inARow(seconds float64) int {
	const most = 4096 // launches
	return int(max(1, min(math.Ceil(asking.Seconds()/max(seconds, 1e-9)), float64(most/max(1, len(b.launches))))))
}

// runs makes runs that follow each other without gaps, or, where a graph, buffers or caches are prepared for each, one after the other for as long as the others take.
func (b *bound) runs(ctx context.Context, inARow int, cold bool) (n int, err error) {
	if err := device.Interrupted(ctx); err != nil {
		return 0, err
	}
	if !cold && b.graph == nil && len(b.updated) == 0 {
		_, err := b.launch(slices.Repeat(b.launches, inARow), true)
		return inARow, err
	}
	for start := time.Now(); n == 0 || n < inARow && time.Since(start) < asking; n++ {
		if _, err := b.run(ctx, cold); err != nil {
			return 0, err
		}
	}
	return n, nil
}
