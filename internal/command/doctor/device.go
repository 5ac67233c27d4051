package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuperf/device/measure"
	"gpuperf/internal/format"
	"gpuperf/samples"
)

// coarse is the resolution of a timer, in seconds, above which times of short kernels say little.
const coarse = 1.1e-6

// timers says how fine the devices take times.
func timers(_ context.Context, m *Machine) (all []Finding) {
	for _, d := range m.found {
		resolution := float64(d.TimerNS) * 1e-9
		f := Finding{Subject: "timer", Verdict: Good, Text: fmt.Sprintf("%s: times are multiples of %s", d.Fingerprint, format.Rough(resolution, "s"))}
		switch {
		case d.TimerNS == 0:
			continue
		case resolution > coarse:
			f.Verdict, f.Remedy = Doubt, "measure sizes that take longer: --time-range 1ms..10s"
		}
		all = append(all, f)
	}
	return all
}

const (
	rounds = 5                     // of the kernel that shows whether a device is steady
	pause  = 50 * time.Millisecond // between them
	steady = 0.02                  // the least spread of their medians that is a doubt
	hot    = 85                    // degrees Celsius
)

// steadiness runs a kernel on the default device, several times with pauses, and compares the medians of its times.
func steadiness(ctx context.Context, m *Machine) []Finding {
	if m.deviceError != nil {
		return nil
	}
	dev, err := m.OpenDevice(ctx)
	if err != nil {
		return []Finding{{Subject: "clock", Verdict: Failure, Text: err.Error()}}
	}
	defer dev.Close()
	name := dev.Info().Name
	job := measure.SentinelJob(dev.Info().Fingerprint)
	var medians []float64
	var all []Finding
	for round := range rounds {
		if round > 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		}
		r, err := dev.Run(ctx, job)
		if err != nil {
			return []Finding{{
				"clock", Failure, fmt.Sprintf("%s: a kernel that only multiplies and adds did not run: %v", name, err),
				"look at the message of the driver; other kernels will not run either",
			}}
		}
		medians = append(medians, samples.Summarize(r.Trials).Median)
		if c := r.Clocks; c != nil && round == rounds-1 {
			state := Finding{Subject: "temperature", Verdict: Good, Text: fmt.Sprintf("%s: %d °C, %.0f W, %d MHz", name, c.Temperature, c.Power, c.SM)}
			held := slices.DeleteFunc(slices.Clone(c.Limits), func(l string) bool { return l == "idle" })
			if len(held) > 0 {
				state.Text += "; clocks are held down by " + strings.Join(held, ", ")
			}
			if c.Temperature >= hot || slices.ContainsFunc(held, func(l string) bool { return strings.Contains(l, "thermal") || strings.Contains(l, "brake") }) {
				state.Verdict, state.Remedy = Doubt, "let the device cool, and look at its fans and its power limit"
			}
			all = append(all, state)
		}
	}
	slices.Sort(medians)
	spread := medians[len(medians)-1]/medians[0] - 1
	f := Finding{Subject: "clock", Verdict: Good, Text: fmt.Sprintf("%s: %d runs of one kernel differ by %.1f %%", name, rounds, 100*spread)}
	if spread > steady {
		f.Verdict, f.Remedy = Doubt, "stop other work on the device; fix the clocks, if you may (NVIDIA: nvidia-smi --lock-gpu-clocks)"
	}
	return append([]Finding{f}, all...)
}
