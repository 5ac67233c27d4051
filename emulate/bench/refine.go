package bench

import (
	"context"
	"maps"
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/internal/parallel"
	"gpuperf/sass"
)

// rounds of Refine. What rules make of emulated measurements is near the facts already, and each round brings what is left down.
const rounds = 4

// off is the factor by which a rule may be off for a fact to be corrected: where it is more, the measurement shows something else on the emulator.
const off = 2.5

// Refine corrects facts for what rules do not see, such as the other units that an instruction passes: by so much as a rule is off that is applied to what
// the emulator says of the same measurements on the device that the facts describe (indirect inference: Gourieroux, Monfort and Renault, Journal
// of Applied Econometrics 8, 1993). The rest of the device is as base; functions are the machine code that was measured. Facts whose measurements
// cannot be emulated stay as they are.
func Refine(ctx context.Context, n *Numbers, found map[facts.Key]facts.Fact, base *facts.Device, functions map[string]*sass.Function) map[facts.Key]facts.Fact {
	by := map[string]*Measurement{}
	for _, m := range Measurements(n.Multiprocessors) {
		by[m.Key()] = m
	}
	out := maps.Clone(found)
	for range rounds {
		device := base
		for k, f := range out {
			device = device.With(k, f.Value, f.Source)
		}
		emulated := n.emulated(ctx, by, device, functions, func(r *rule) bool { return !r.plain && !r.tried })
		if ctx.Err() != nil {
			break
		}
		worst := 0.0
		for _, r := range rules {
			f, known := out[r.key]
			measured, _, ok := r.of(n)
			said, _, can := r.of(emulated)
			if r.plain || r.tried || !known || !ok || !can || !(said > f.Value/off && said < f.Value*off) {
				continue
			}
			worst = max(worst, math.Abs(measured/said-1))
			out[r.key] = facts.Fact{Value: r.corrected(f.Value, measured, said), Source: f.Source}
		}
		if worst < 0.002 {
			break
		}
	}
	for k, f := range out {
		out[k] = facts.Fact{Value: rounded(f.Value), Source: f.Source}
	}
	return out
}

// corrected is a fact of which a rule says so much, where it says another number of what was measured. What is no number of cycles is in proportion.
func (r *rule) corrected(value, measured, said float64) float64 {
	if v := value + measured - said; r.cycles && v > value/4 {
		return v
	}
	return value * min(max(measured/said, 0.5), 2)
}

// emulated are the numbers that some rules ask for, as the emulator says them of a device.
func (n *Numbers) emulated(ctx context.Context, by map[string]*Measurement, d *facts.Device, functions map[string]*sass.Function, some func(*rule) bool) *Numbers {
	asking := *n
	asking.asked = map[string]bool{}
	for i := range rules {
		if r := &rules[i]; r.key != facts.SubPartitions && some(r) { // that is a number of the machine, not of its units
			r.of(&asking)
		}
	}
	keys := slices.Sorted(maps.Keys(asking.asked))
	values := make([]float64, len(keys))
	parallel.For(len(keys), func(i int) {
		m := by[keys[i]]
		if m == nil || functions[m.kernel] == nil || ctx.Err() != nil {
			return
		}
		if v, err := m.Emulated(functions[m.kernel], d); err == nil {
			values[i] = v
		}
	})
	out := &Numbers{told: map[string]float64{}, Clock: n.Clock, Multiprocessors: n.Multiprocessors, subPartitions: n.subPartitions, constants: n.constants}
	for i, key := range keys {
		name := "cycles"
		if m := by[key]; m != nil && m.timed {
			name = seconds
		}
		if values[i] > 0 {
			out.told[numberKey(key, name)] = values[i]
		}
	}
	return out
}
