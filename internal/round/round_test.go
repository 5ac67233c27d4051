package round_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/round"
)

// number draws numbers of double precision of all sizes, often near those of smaller formats.
func number(t *rapid.T, name string) float64 {
	f := math.Float64frombits(rapid.Uint64().Draw(t, name))
	if scale := rapid.IntRange(-170, 170).Draw(t, "scale"); rapid.Bool().Draw(t, "near") {
		m := float64(rapid.Int64Range(-1<<26, 1<<26).Draw(t, "m"))
		f = math.Ldexp(m, scale-26)
	}
	return f
}

// modes are the directions, with those of math/big.
var modes = map[round.Mode]big.RoundingMode{round.ToZero: big.ToZero, round.Down: big.ToNegativeInf, round.Up: big.ToPositiveInf, round.Nearest: big.ToNearestEven}

// TestSingle: a number rounded to single precision is one, lies on the right side, and none lies between.
func TestSingle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := number(t, "v")
		for mode := range modes {
			b := round.Single(v, mode)
			got := float64(math.Float32frombits(b))
			switch {
			case v != v:
				if b != round.Canonical32 {
					t.Fatalf("%x", b)
				}
				continue
			case mode == round.Nearest:
				if got != float64(float32(v)) {
					t.Fatalf("%g becomes %g", v, got)
				}
				continue
			}
			down := mode == round.Down || mode == round.ToZero && v > 0
			if got == v {
				continue
			}
			next := float64(math.Nextafter32(float32(got), float32(math.Inf(map[bool]int{true: 1, false: -1}[down]))))
			if down && !(got < v && next > v) || !down && !(got > v && next < v) {
				t.Fatalf("mode %d: %g becomes %g, with %g beside it", mode, v, got, next)
			}
		}
	})
}

// TestSum: a sum of products is the exact one, rounded by math/big.
func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := number(t, "a"), number(t, "b"), number(t, "c")
		for _, v := range []float64{a, b, c, a * b, a*b + c} {
			if v != v || math.IsInf(v, 0) || v != 0 && math.Abs(v) < 0x1p-1000 {
				t.Skip()
			}
		}
		exact := new(big.Float).SetPrec(4400)
		exact.Mul(new(big.Float).SetFloat64(a), new(big.Float).SetFloat64(b))
		exact.Add(exact, new(big.Float).SetFloat64(c))
		if exact.Sign() != 0 && exact.MantExp(nil) < -1000 {
			t.Skip() // math/big rounds to subnormal numbers to the nearest, whatever the mode is
		}
		for mode, of := range modes {
			want, _ := new(big.Float).SetPrec(53).SetMode(of).Set(exact).Float64()
			if got := round.Sum(a, b, c, mode); got != want {
				t.Fatalf("mode %d: %g * %g + %g is %g, and should be %g", mode, a, b, c, got, want)
			}
		}
	})
}

// TestHalf: numbers of 16 bits keep their value, and what lies between two becomes one of them, the nearer or that with an even last bit.
func TestHalf(t *testing.T) {
	for name, of := range map[string]struct {
		to   func(float64, round.Mode) uint16
		from func(uint16) float64
		most uint16
	}{
		"binary16": {round.ToHalf, round.FromHalf, 0x7bff}, "bfloat16": {round.ToBfloat, round.FromBfloat, 0x7f7f},
	} {
		for h := range of.most {
			v, next := of.from(h), of.from(h+1)
			middle := v + (next-v)/2
			even := h + h&1
			for _, tt := range []struct {
				v    float64
				mode round.Mode
				want uint16
			}{
				{v, round.Nearest, h},
				{middle, round.Nearest, even},
				{middle, round.ToZero, h},
				{middle, round.Up, h + 1},
				{middle, round.Down, h},
				{v + (next-v)/4, round.Nearest, h},
				{v + (next-v)*3/4, round.Nearest, h + 1},
			} {
				if got := of.to(tt.v, tt.mode); got != tt.want {
					t.Fatalf("%s: %g becomes %04x, and should become %04x (mode %d)", name, tt.v, got, tt.want, tt.mode)
				}
				if got := of.to(-tt.v, tt.mode); (tt.mode == round.Nearest || tt.mode == round.ToZero) && got != tt.want|0x8000 {
					t.Fatalf("%s: %g becomes %04x", name, -tt.v, got)
				}
			}
		}
	}
}

// TestOdd: rounding a sum to odd first, and then to single precision, is as rounding it once.
func TestOdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := float32(number(t, "a")), float32(number(t, "b")), float32(number(t, "c"))
		p := float64(a) * float64(b)
		if p != p || c != c || math.IsInf(p, 0) || math.IsInf(float64(c), 0) {
			t.Skip()
		}
		exact := new(big.Float).SetPrec(600).SetFloat64(p)
		exact.Add(exact, new(big.Float).SetFloat64(float64(c)))
		want, _ := exact.Float32()
		if got := math.Float32frombits(round.Single(round.Odd(p, float64(c)), round.Nearest)); got != want {
			t.Fatalf("%g * %g + %g is %g, and should be %g", a, b, c, got, want)
		}
	})
}
