package exec

import (
	"math"
	"math/big"
)

// rounding is a direction of rounding.
type rounding uint8

// The directions, as modifiers name them: RN, RZ, RM and RP.
const (
	nearest rounding = iota // ties to even
	toZero
	down
	up
)

// canonical32 and canonical64 are what operations give in place of a number.
const (
	canonical32 = 0x7fffffff
	canonical64 = 0xfff8000000000000
)

// narrow rounds to a format of 16 or 32 bits, by the bits of its exponent and fraction.
func narrow(v float64, exponent, fraction int, mode rounding) uint64 {
	bits := math.Float64bits(v)
	sign := bits >> 63 << (exponent + fraction)
	bias := 1<<(exponent-1) - 1
	infinite := uint64(1<<exponent-1) << fraction
	switch {
	case math.IsNaN(v):
		return infinite | (1<<fraction - 1)
	case math.IsInf(v, 0):
		return sign | infinite
	case v == 0:
		return sign
	}
	e := int(bits>>52&0x7ff) - 1023
	m := bits&(1<<52-1) | 1<<52
	if bits>>52&0x7ff == 0 { // too small for every format: what is left is that it is not zero
		e, m = -1022, 1<<52|1
	}
	shift := 52 - fraction
	if e < 1-bias { // a subnormal number
		shift += 1 - bias - e
		e = -bias
	}
	kept, rest, tie := uint64(0), m, uint64(math.MaxUint64)
	if shift < 64 {
		kept, rest, tie = m>>shift, m&(1<<shift-1), 1<<(shift-1)
	}
	if e == -bias {
		kept |= 0
	} else {
		kept -= 1 << fraction
	}
	out := uint64(e+bias)<<fraction + kept
	increment := false
	switch mode {
	case nearest:
		increment = rest > tie || rest == tie && kept&1 != 0
	case down:
		increment = rest != 0 && sign != 0
	case up:
		increment = rest != 0 && sign == 0
	}
	if increment {
		out++
	}
	if out >= infinite {
		out = infinite
		if e+bias >= 1<<exponent-1 && (mode == toZero || mode == down && sign == 0 || mode == up && sign != 0) {
			out--
		}
	}
	return sign | out
}

// to32 rounds to binary32, of which what is no number is the canonical one.
func to32(v float64, mode rounding) uint32 {
	if mode == nearest && v == v {
		return math.Float32bits(float32(v))
	}
	if v != v {
		return canonical32
	}
	return uint32(narrow(v, 8, 23, mode))
}

// odd is x + y with an odd last bit where the sum is not exact, so that rounding it again to fewer bits is as rounding the exact sum:
// Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums", 2008.
func odd(x, y float64) float64 {
	s := x + y
	if math.IsInf(s, 0) || s != s {
		return s
	}
	t := s - x
	rest := (x - (s - t)) + (y - t)
	if rest == 0 || math.Float64bits(s)&1 != 0 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(math.Float64bits(s) + 1)
	}
	return math.Float64frombits(math.Float64bits(s) - 1)
}

// sum64 is a*b + c rounded once; b is 1 for sums.
func sum64(a, b, c float64, mode rounding) float64 {
	near := math.FMA(a, b, c)
	if mode == nearest || near != near || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return near
	}
	exact := new(big.Float).SetPrec(4400)
	exact.Mul(new(big.Float).SetPrec(120).SetFloat64(a), new(big.Float).SetFloat64(b))
	exact.SetPrec(4400)
	exact.Add(exact, new(big.Float).SetFloat64(c))
	return directed(exact, near, mode)
}

// directed rounds an exact number to a neighbour of the one that is nearest.
func directed(exact *big.Float, near float64, mode rounding) float64 {
	if exact.Sign() == 0 {
		if near == 0 && mode == down && !math.Signbit(near) && exact.Sign() == 0 {
			return near
		}
		return near
	}
	away := big.Float{}
	if !math.IsInf(near, 0) {
		away.SetFloat64(near)
	} else if exact.Sign() > 0 {
		return map[bool]float64{true: near, false: math.MaxFloat64}[mode == up]
	} else {
		return map[bool]float64{true: near, false: -math.MaxFloat64}[mode == down]
	}
	order := exact.Cmp(&away)
	lower := mode == down || mode == toZero && exact.Sign() > 0
	switch {
	case order < 0 && lower:
		return math.Nextafter(near, math.Inf(-1))
	case order > 0 && !lower:
		return math.Nextafter(near, math.Inf(1))
	}
	return near
}
