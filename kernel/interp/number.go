package interp

import (
	"math"

	"gpuperf/kernel/expr"
)

// round rounds to the float type, to nearest, ties to even. For + − · / and sqrt, the float64 result rounded again is
// the correctly rounded one: 53 bits are at least twice those of float32 and two more (Figueroa 1995).
func round(t expr.DType, v float64) float64 {
	switch t {
	case expr.Float32:
		return float64(float32(v))
	case expr.Float16:
		return halfValue(halfBits(v))
	}
	return v
}

// halfBits is the IEEE binary16 nearest to v, ties to even.
func halfBits(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
		v = -v
	}
	switch {
	case math.IsNaN(v):
		return sign | 0x7e00
	case v >= 65520: // half way between the largest number and the next power of two
		return sign | 0x7c00
	case v == 0:
		return sign
	}
	_, e := math.Frexp(v) // v = f·2^e with f in [1/2, 1)
	e = max(e, -13)       // below 2^-14 numbers are subnormal
	unit := math.Ldexp(1, e-11)
	m := math.RoundToEven(v / unit) // exact: a power of two divides
	if e == -13 && m < 1024 {
		return sign | uint16(m)
	}
	if m == 2048 {
		m, e = 1024, e+1
	}
	return sign | uint16(e+14)<<10 | uint16(m-1024)
}

func halfValue(h uint16) float64 {
	e, m := int(h>>10&31), float64(h&1023)
	var v float64
	switch e {
	case 31:
		v = math.Inf(1)
		if m != 0 {
			v = math.NaN()
		}
	case 0:
		v = math.Ldexp(m, -24)
	default:
		v = math.Ldexp(1024+m, e-25)
	}
	if h&0x8000 != 0 {
		v = -v
	}
	return v
}

// fma is x·y + z rounded once to the type. In float32 and float16 the product is exact in float64, and the sum is
// rounded to odd there, so that the second rounding sees what was lost.
func fma(t expr.DType, x, y, z float64) float64 {
	if t == expr.Float64 {
		return math.FMA(x, y, z)
	}
	p := x * y
	s := p + z
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return round(t, s)
	}
	v := s - p
	lost := (p - (s - v)) + (z - v)
	if bits := math.Float64bits(s); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return round(t, s)
}
