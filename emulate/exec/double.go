package exec

import "math"

// doubleForms are the opcodes of double precision.
var doubleForms = map[string]form{
	"DADD":  {number: float, compute: doubles(func(x *item) (a, b, c float64) { return real64(x, 0), 1, real64(x, 1) })},
	"DMUL":  {number: float, compute: multiplyDoubles},
	"DFMA":  {number: float, compute: doubles(func(x *item) (a, b, c float64) { return real64(x, 0), real64(x, 1), real64(x, 2) })},
	"DMNMX": {number: float, compute: extremeDouble, chooses: choosesOne},
	"DSETP": {number: float, compute: func(d *decoder) semantics { return d.comparing(math.Float64frombits) }, chooses: choosesCompared},
}

func real64(x *item, i int) float64 { return math.Float64frombits(x.v[i]) }

// doubles is a * b + c.
func doubles(operands func(x *item) (a, b, c float64)) func(d *decoder) semantics {
	return func(d *decoder) semantics {
		if !d.only("RN", "RZ", "RM", "RP") {
			return nil
		}
		mode := d.direction()
		return func(x *item) {
			a, b, c := operands(x)
			x.d = bits64(sum64(a, b, c, mode))
		}
	}
}

// bits64 are the bits of a number; what is none is the canonical one.
func bits64(v float64) uint64 {
	if v != v {
		return canonical64
	}
	return math.Float64bits(v)
}

func multiplyDoubles(d *decoder) semantics {
	if !d.only("RN", "RZ", "RM", "RP") {
		return nil
	}
	mode := d.direction()
	return func(x *item) {
		a, b := real64(x, 0), real64(x, 1)
		if mode == nearest {
			x.d = bits64(a * b)
			return
		}
		x.d = bits64(sum64(a, b, math.Copysign(0, a*b), mode))
	}
}

func extremeDouble(d *decoder) semantics {
	if !d.only("NAN") {
		return nil
	}
	return func(x *item) { x.d = bits64(extremeOf(real64(x, 0), real64(x, 1), x.p[0], d.has("NAN"))) }
}
