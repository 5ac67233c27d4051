package interp

import (
	"math"

	"gpuperf/internal/round"
	"gpuperf/kernel/expr"
)

// rounded rounds to the float type, to nearest, ties to even. For + − · / and sqrt, the float64 result rounded again is
// the correctly rounded one: 53 bits are at least twice those of float32 and two more (Figueroa 1995).
func rounded(t expr.DType, v float64) float64 {
	switch t {
	case expr.Float32:
		return float64(float32(v))
	case expr.Float16:
		return round.FromHalf(round.ToHalf(v, round.Nearest))
	}
	return v
}

// fma is x·y + z rounded once to the type. In float32 and float16 the product is exact in float64, and the sum is
// rounded to odd there, so that the second rounding sees what was lost.
func fma(t expr.DType, x, y, z float64) float64 {
	if t == expr.Float64 {
		return math.FMA(x, y, z)
	}
	return rounded(t, round.Odd(x*y, z))
}
