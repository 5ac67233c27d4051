package exec

import "gpuperf/internal/round"

// halfBits is the number as binary16, rounded to the nearest, in both halves of a word.
func halfBits(v float64) uint32 {
	h := uint32(round.ToHalf(v, round.Nearest))
	return h | h<<16
}

// halfForms are the opcodes of half precision, two numbers at once.
var halfForms = map[string]form{
	"HADD2":     {number: half, compute: halves(func(a, b, _ float64) float64 { return a + b }, 2)},
	"HADD2_32I": {number: half, compute: halves(func(a, b, _ float64) float64 { return a + b }, 2)},
	"HMUL2":     {number: half, compute: halves(func(a, b, _ float64) float64 { return a * b }, 2)},
	"HMUL2_32I": {number: half, compute: halves(func(a, b, _ float64) float64 { return a * b }, 2)},
	"HFMA2":     {number: half, compute: halves(func(a, b, c float64) float64 { return round.Odd(a*b, c) }, 3)},
	"HFMA2_32I": {number: half, compute: halves(func(a, b, c float64) float64 { return round.Odd(a*b, c) }, 3)},
	"HMNMX2":    {number: half, compute: extremeHalves},
	"HSETP2":    {number: half, compute: compareHalves},
	"HSET2":     {number: half, compute: setHalves},
}

// format is a way to keep numbers in 16 bits.
type format struct {
	from func(uint16) float64
	to   func(float64, round.Mode) uint16
}

// format is the one that the modifiers name.
func (d *decoder) format() format {
	if d.has("BF16_V2") || d.has("BF16") {
		return format{round.FromBfloat, round.ToBfloat}
	}
	return format{round.FromHalf, round.ToHalf}
}

// pair applies a function to both halves.
func pair(f func(shift int) uint16) uint64 { return uint64(f(0)) | uint64(f(16))<<16 }

// halves applies a function of numbers to both halves. With F32 the result is one of single precision, of the low halves.
func halves(f func(a, b, c float64) float64, n int) func(d *decoder) semantics {
	return func(d *decoder) semantics {
		if !d.only("F32", "BF16_V2", "MMA", "SAT", "RELU", "FTZ") {
			return nil
		}
		k, saturate, relu, single, flush := d.format(), d.has("SAT"), d.has("RELU"), d.has("F32"), d.has("FTZ")
		value := func(v uint64, shift int) float64 {
			h := uint16(v >> shift)
			if flush && h&0x7c00 == 0 {
				h &= 0x8000
			}
			return k.from(h)
		}
		at := func(x *item, shift int) float64 {
			var c float64
			if n == 3 {
				c = value(x.v[2], shift)
			}
			v := f(value(x.v[0], shift), value(x.v[1], shift), c)
			switch {
			case saturate && v != v:
				return 0
			case saturate:
				return min(max(v, 0), 1)
			case relu:
				return max(v, 0)
			}
			return v
		}
		if single {
			return func(x *item) { x.d = uint64(round.Single(at(x, 0), round.Nearest)) }
		}
		return func(x *item) {
			x.d = pair(func(shift int) uint16 {
				h := k.to(at(x, shift), round.Nearest)
				if flush && h&0x7c00 == 0 {
					h &= 0x8000
				}
				return h
			})
		}
	}
}

func extremeHalves(d *decoder) semantics {
	if !d.only("BF16_V2", "NAN") {
		return nil
	}
	k, spreads := d.format(), d.has("NAN")
	return func(x *item) {
		x.d = pair(func(shift int) uint16 {
			return k.to(extremeOf(k.from(uint16(x.v[0]>>shift)), k.from(uint16(x.v[1]>>shift)), x.p[0], spreads), round.Nearest)
		})
	}
}

// compareHalves compares the low halves for the first result, and the high ones for the second.
func compareHalves(d *decoder) semantics {
	k := d.format()
	low := d.without("BF16_V2", "FTZ").comparing(func(v uint64) float64 { return k.from(uint16(v)) })
	high := d.without("BF16_V2", "FTZ").comparing(func(v uint64) float64 { return k.from(uint16(v >> 16)) })
	if low == nil || d.has("H2_AND") {
		return nil
	}
	return func(x *item) {
		high(x)
		second := x.q[0]
		low(x)
		x.q[1] = second
	}
}

// setHalves is a comparison whose results are 1.0 (BF) or all bits, or 0.
func setHalves(d *decoder) semantics {
	k := d.format()
	yes := uint16(0xffff)
	if d.has("BF") {
		yes = k.to(1, round.Nearest)
	}
	plain := d.without("BF16_V2", "FTZ", "BF")
	low := plain.comparing(func(v uint64) float64 { return k.from(uint16(v)) })
	high := plain.comparing(func(v uint64) float64 { return k.from(uint16(v >> 16)) })
	if low == nil {
		return nil
	}
	return func(x *item) {
		x.d = 0
		if low(x); x.q[0] {
			x.d = uint64(yes)
		}
		if high(x); x.q[0] {
			x.d |= uint64(yes) << 16
		}
	}
}
