package evaluate

import (
	"fmt"
	"math"

	"gpuperf/internal/chart"
	"gpuperf/samples"
)

// Conditions describes the state of the device during the measurements: the times of the sentinel kernel, and the clocks, power and
// temperature as far as the platform reports them; and how many results were verified. It is empty if the records have none of these.
func Conditions(records []samples.Record) []string {
	var sentinel, ratio, sm, memory, power, heat span
	verified, timed, unverified, why := 0, 0, 0, ""
	limits := map[string]int{}
	var names []string // of limits, in the order in which they first occur
	for _, r := range records {
		if r.Sentinel != nil {
			sentinel.add(r.Sentinel.Seconds)
			ratio.add(r.Sentinel.Ratio)
		}
		switch n := len(r.Verified); {
		case n == 0 && r.Unverified != "":
			unverified++
			why = r.Unverified
		case n > 0 && r.Unverified == "":
			timed++
			fallthrough
		case n > 0:
			verified++
		}
		if r.Clocks == nil {
			continue
		}
		sm.add(float64(r.Clocks.SM))
		memory.add(float64(r.Clocks.Memory))
		power.add(r.Clocks.Power)
		heat.add(float64(r.Clocks.Temperature))
		for _, l := range r.Clocks.Limits {
			if limits[l]++; limits[l] == 1 {
				names = append(names, l)
			}
		}
	}
	var out []string
	if sentinel.n > 0 {
		out = append(out, fmt.Sprintf("sentinel kernel %s, %s times what it took first (%d of %d samples)",
			sentinel.text(chart.Seconds), ratio.text(func(v float64) string { return fmt.Sprintf("%.4f", v) }), sentinel.n, len(records)))
	}
	if verified+unverified > 0 {
		text := fmt.Sprintf("results compared with a reference: %d of %d samples, %d of them at the sizes that were measured", verified, len(records), timed)
		if unverified > 0 {
			text += fmt.Sprintf("; %d are not verified, such as: %s", unverified, why)
		}
		out = append(out, text)
	}
	plain := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	for _, s := range []struct {
		what, unit string
		span
	}{{"multiprocessors at", "MHz", sm}, {"memory at", "MHz", memory}, {"power", "W", power}, {"temperature", "°C", heat}} {
		if s.hi > 0 {
			out = append(out, fmt.Sprintf("%s %s %s", s.what, s.text(plain), s.unit))
		}
	}
	for _, l := range names {
		out = append(out, fmt.Sprintf("clocks limited by %s in %d of %d samples", l, limits[l], len(records)))
	}
	return out
}

// span is the range of some values. A zero was not reported, and does not count.
type span struct {
	lo, hi float64
	n      int
}

func (s *span) add(v float64) {
	if v == 0 {
		return
	}
	if s.n == 0 {
		s.lo, s.hi = v, v
	}
	s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
	s.n++
}

func (s span) text(format func(float64) string) string {
	lo, hi := format(s.lo), format(s.hi)
	if lo == hi {
		return lo
	}
	return lo + " to " + hi
}
