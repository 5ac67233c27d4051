package exec

import (
	"math"

	"gpuperf/internal/round"
)

// vector computes an operation in all lanes at once: low and high words of the result from those of the operands. It is what semantics
// computes lane by lane, for the forms that programs use most, without predicates. Words of lanes that are not known are 0.
type vector func(low, high *row, s, t *[4]*row)

// operandsOf is how many operands the operations have that are computed in all lanes at once.
var operandsOf = map[string]int{"IADD3": 2, "VIADD": 2, "IMAD": 3, "FFMA": 3, "FADD": 2, "FMUL": 2, "MOV": 1}

// vector finds the one of an operation, nil for none.
func (d *decoder) vector() vector {
	o, in := d.o, d.in
	if len(o.sources) < operandsOf[in.Name] {
		return nil
	}
	if o.results > 0 || len(o.guards) > 0 || o.uniform {
		return nil
	}
	for i := range o.sources {
		if o.sources[i].change != nil {
			if o.sources[i].wide {
				return nil
			}
			o.changed = true
		}
	}
	switch in.Name {
	case "IADD3", "VIADD":
		switch {
		case d.only() && len(o.sources) == 3:
			return addThreeWords
		case d.only() && len(o.sources) == 2:
			return addTwoWords
		}
	case "IMAD":
		if d.only("MOV", "IADD", "SHL", "U32", "S32") {
			return multiplyAddWords
		}
		if d.only("WIDE", "U32") {
			return multiplyAddWide(d.has("U32"))
		}
	case "FFMA":
		if d.only() {
			return multiplyAddSingles
		}
	case "FADD":
		if d.only() {
			return addSingles
		}
	case "FMUL":
		if d.only() {
			return multiplySingles
		}
	case "MOV":
		return moveWords
	}
	return nil
}

func moveWords(low, _ *row, s, _ *[4]*row) { *low = *s[0] }

func addTwoWords(low, _ *row, s, _ *[4]*row) {
	a, b := s[0], s[1]
	for i := range low {
		low[i] = a[i] + b[i]
	}
}

func addThreeWords(low, _ *row, s, _ *[4]*row) {
	a, b, c := s[0], s[1], s[2]
	for i := range low {
		low[i] = a[i] + b[i] + c[i]
	}
}

func multiplyAddWords(low, _ *row, s, _ *[4]*row) {
	a, b, c := s[0], s[1], s[2]
	for i := range low {
		low[i] = a[i]*b[i] + c[i]
	}
}

func multiplyAddWide(unsigned bool) vector {
	if unsigned {
		return func(low, high *row, s, t *[4]*row) {
			a, b, c, top := s[0], s[1], s[2], t[2]
			for i := range low {
				v := uint64(a[i])*uint64(b[i]) + (uint64(c[i]) | uint64(top[i])<<32)
				low[i], high[i] = uint32(v), uint32(v>>32)
			}
		}
	}
	return func(low, high *row, s, t *[4]*row) {
		a, b, c, top := s[0], s[1], s[2], t[2]
		for i := range low {
			v := uint64(int64(int32(a[i]))*int64(int32(b[i]))) + (uint64(c[i]) | uint64(top[i])<<32)
			low[i], high[i] = uint32(v), uint32(v>>32)
		}
	}
}

// rounded rounds x + y to single precision. Rounding to double precision first does no harm unless that lies halfway between two numbers
// of single precision, or in the range of subnormal numbers.
func rounded(x, y float64) uint32 {
	const (
		rest, half = 1<<29 - 1, 1 << 28 // the bits that a double has beyond single precision, and half of the least that stays
		least      = 0x381 << 52        // 2^-126
	)
	sum := x + y
	b := math.Float64bits(sum)
	if b&rest == half || b&^(1<<63) < least || sum != sum {
		return round.Single(round.Odd(x, y), round.Nearest)
	}
	return math.Float32bits(float32(sum))
}

func multiplyAddSingles(low, _ *row, s, _ *[4]*row) {
	a, b, c := s[0], s[1], s[2]
	for i := range low {
		p := float64(math.Float32frombits(a[i])) * float64(math.Float32frombits(b[i]))
		low[i] = rounded(p, float64(math.Float32frombits(c[i])))
	}
}

func addSingles(low, _ *row, s, _ *[4]*row) {
	a, b := s[0], s[1]
	for i := range low {
		low[i] = rounded(float64(math.Float32frombits(a[i])), float64(math.Float32frombits(b[i])))
	}
}

func multiplySingles(low, _ *row, s, _ *[4]*row) {
	a, b := s[0], s[1]
	for i := range low {
		low[i] = round.Single(float64(math.Float32frombits(a[i]))*float64(math.Float32frombits(b[i])), round.Nearest)
	}
}
