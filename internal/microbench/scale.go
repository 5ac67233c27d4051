package microbench

import (
	"fmt"
	"math"
)

// Scaled returns the variant with its open sizes multiplied by the factor; a size is open if it may be any integer of a
// range. Each is rounded to what the generator allows. If check refuses them, multiples of larger powers of two are
// tried. The error says why there is no such variant.
func (v Variant) Scaled(factor float64) (Variant, error) {
	if !(factor > 0) || math.IsInf(factor, 0) {
		return Variant{}, fmt.Errorf("%s cannot be scaled by %g", v, factor)
	}
	const mostDoublings = 12 // a factor of 4096 of work
	reason := ""
	for doublings := range mostDoublings + 1 {
		scaled, open := v.scaledTo(factor, int64(1)<<doublings)
		if !open {
			return Variant{}, fmt.Errorf("%s has no size that may be any integer", v.Generator)
		}
		why, err := v.generator.check(scaled)
		switch {
		case err != nil:
			return Variant{}, err
		case why == "":
			return scaled, nil
		case reason == "":
			reason = why
		}
	}
	return Variant{}, fmt.Errorf("%s", reason)
}

// scaledTo rounds the scaled sizes to multiples of what the generator asks for, times more.
func (v Variant) scaledTo(factor float64, more int64) (scaled Variant, open bool) {
	sets := make([][]Value, len(v.Args))
	for i, arg := range v.generator.Args {
		sets[i] = []Value{v.Args[i].Value}
		old := v.Args[i].Value
		if !arg.Size || !arg.Allowed.Integers || old.Kind != IntValue {
			continue
		}
		open = true
		sets[i] = []Value{{Kind: IntValue, Int: arg.Allowed.nearest(float64(old.Int)*factor, more)}}
	}
	return v.generator.variant(sets, 0), open
}

// nearest returns the multiple of MultipleOf*more nearest to x, within the range as far as there is one.
func (a Allowed) nearest(x float64, more int64) int64 {
	step := a.MultipleOf
	if step <= math.MaxInt64/more {
		step *= more
	}
	first := (max(a.Min, 1) + step - 1) / step * step
	last := a.Max / step * step
	k := math.Round(x / float64(step))
	if k >= float64(last/step) {
		return max(last, first)
	}
	return max(int64(k)*step, first)
}
