// Package round rounds as NVIDIA's floating-point units do: to formats of 16, 32 and 64 bits, once, in a direction.
package round

import (
	"math"
	"math/big"
)

// Mode is a direction of rounding.
type Mode uint8

// The directions, as modifiers name them: RN, RZ, RM and RP.
const (
	Nearest Mode = iota // ties to even
	ToZero
	Down
	Up
)

// Canonical32 and Canonical64 are the bits that operations give where the result is no number.
const (
	Canonical32 = 0x7fffffff
	Canonical64 = 0xfff8000000000000
)

// narrow rounds to a format of 16 or 32 bits, by the bits of its exponent and fraction.
func narrow(v float64, exponent, fraction int, mode Mode) uint64 {
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
	if e > -bias {
		kept -= 1 << fraction // the bit that is not kept
	}
	out := uint64(e+bias)<<fraction + kept
	increment := false
	switch mode {
	case Nearest:
		increment = rest > tie || rest == tie && kept&1 != 0
	case Down:
		increment = rest != 0 && sign != 0
	case Up:
		increment = rest != 0 && sign == 0
	}
	if increment {
		out++
	}
	if out >= infinite {
		out = infinite
		if e+bias >= 1<<exponent-1 && (mode == ToZero || mode == Down && sign == 0 || mode == Up && sign != 0) {
			out--
		}
	}
	return sign | out
}

// Single rounds to binary32, of which what is no number is the canonical one.
func Single(v float64, mode Mode) uint32 {
	if mode == Nearest && v == v {
		return math.Float32bits(float32(v))
	}
	if v != v {
		return Canonical32
	}
	return uint32(narrow(v, 8, 23, mode))
}

// Odd is x + y with an odd last bit where the sum is not exact, so that rounding it again to fewer bits is as rounding the exact sum:
// Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums", 2008.
func Odd(x, y float64) float64 {
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

// Sum is a*b + c of double precision, rounded once.
func Sum(a, b, c float64, mode Mode) float64 {
	near := math.FMA(a, b, c)
	if mode == Nearest || near != near || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return near
	}
	const enough = 4400 // bits of the exact sum: from the product of the least numbers to the greatest
	exact := new(big.Float).SetPrec(enough)
	exact.Mul(new(big.Float).SetFloat64(a), new(big.Float).SetFloat64(b))
	exact.Add(exact, new(big.Float).SetFloat64(c))
	return directed(exact, near, mode)
}

// directed rounds an exact number to the neighbour of the nearest one that lies in the direction.
func directed(exact *big.Float, near float64, mode Mode) float64 {
	if exact.Sign() == 0 {
		return near
	}
	lower := mode == Down || mode == ToZero && exact.Sign() > 0
	if math.IsInf(near, 0) { // what is exact is finite
		if lower == (near < 0) {
			return near
		}
		return math.Nextafter(near, 0)
	}
	order := exact.Cmp(new(big.Float).SetFloat64(near))
	switch {
	case order < 0 && lower:
		return math.Nextafter(near, math.Inf(-1))
	case order > 0 && !lower:
		return math.Nextafter(near, math.Inf(1))
	}
	return near
}

// ToHalf rounds to binary16.
func ToHalf(v float64, mode Mode) uint16 { return uint16(narrow(v, 5, 10, mode)) }

// ToBfloat rounds to bfloat16.
func ToBfloat(v float64, mode Mode) uint16 { return uint16(narrow(v, 8, 7, mode)) }

// FromHalf is the value of a binary16.
func FromHalf(h uint16) float64 { return widen(uint64(h), 5, 10) }

// FromBfloat is the value of a bfloat16.
func FromBfloat(h uint16) float64 { return float64(math.Float32frombits(uint32(h) << 16)) }

// widen is the value of a floating-point number by the bits of its exponent and fraction.
func widen(bits uint64, exponent, fraction int) float64 {
	sign := bits>>(exponent+fraction)&1 != 0
	e := int(bits >> fraction & (1<<exponent - 1))
	f := bits & (1<<fraction - 1)
	bias := 1<<(exponent-1) - 1
	var v float64
	switch {
	case e == 1<<exponent-1 && f != 0:
		return math.NaN()
	case e == 1<<exponent-1:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(float64(f), 1-bias-fraction)
	default:
		v = math.Ldexp(float64(f|1<<fraction), e-bias-fraction)
	}
	if sign {
		v = -v
	}
	return v
}
