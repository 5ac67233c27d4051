package chart

import (
	"math"
	"slices"

	"gpuperf/internal/format"
)

// axis maps values to the unit interval, logarithmically unless it is linear.
type axis struct {
	lo, hi float64
	linear bool
}

// logAxis spans the values with a little room at either end.
func logAxis(values []float64) axis {
	if len(values) == 0 {
		return axis{lo: 1, hi: 10}
	}
	lo, hi := slices.Min(values), slices.Max(values)
	room := max(math.Pow(hi/lo, 0.06), 1.05)
	return axis{lo: lo / room, hi: hi * room}
}

// at is where v lies: 0 at the low end, 1 at the high end, and at these ends for what lies beyond.
func (a axis) at(v float64) float64 {
	var t float64
	switch {
	case a.linear:
		t = (v - a.lo) / (a.hi - a.lo)
	case v <= a.lo:
		t = 0
	default:
		t = math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(t, 0), 1)
}

// contains tells whether v lies between the ends.
func (a axis) contains(v float64) bool { return a.lo <= v && v <= a.hi }

const (
	fewTicks  = 3 // that tell a scale
	manyTicks = 9 // that have room for their texts
)

// ticks returns round values along an axis, between three and nine as far as there are: powers of ten with or without
// their double and fivefold, every second (third …) power over a wide range, and equal steps over a narrow range and along a linear axis.
func (a axis) ticks() []float64 {
	if a.linear {
		return a.equalSteps()
	}
	for _, mantissas := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if t := a.powers(mantissas, 1); len(t) <= manyTicks {
			if len(t) < fewTicks {
				return a.equalSteps()
			}
			return t
		}
	}
	for every := 2; ; every++ {
		if t := a.powers([]float64{1}, every); len(t) <= manyTicks {
			return t
		}
	}
}

func (a axis) powers(mantissas []float64, every int) (ticks []float64) {
	first, last := int(math.Floor(math.Log10(a.lo))), int(math.Ceil(math.Log10(a.hi)))
	for e := first; e <= last; e++ {
		if e%every != 0 {
			continue
		}
		for _, m := range mantissas {
			if v := scaled(m, e); a.contains(v) {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// scaled is v·10^e, rounded once: 15/100 is 0.15, and 3·0.05 is not.
func scaled(v float64, e int) float64 {
	if e < 0 {
		return v / math.Pow10(-e)
	}
	return v * math.Pow10(e)
}

// equalSteps returns multiples of 1, 2 or 5 times a power of ten: the widest step that gives enough of them.
func (a axis) equalSteps() (ticks []float64) {
	for e := int(math.Ceil(math.Log10(a.hi))); ; e-- {
		for _, m := range []float64{5, 2, 1} {
			step := m * math.Pow10(e)
			ticks = ticks[:0]
			for k := math.Ceil(a.lo / step); k*step <= a.hi; k++ {
				if v := scaled(k*m, e); a.contains(v) {
					ticks = append(ticks, v)
				}
			}
			if len(ticks) >= fewTicks {
				return ticks
			}
		}
	}
}

// Seconds writes a time, with the sign that charts use.
func Seconds(s float64) string {
	if s < 0 {
		return "−" + format.Seconds(-s)
	}
	return format.Seconds(s)
}
