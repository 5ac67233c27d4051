package ckerneltest

import (
	"math"

	"gpuperf/kernel/expr"
)

// form says what an integer is made of. A later form has the earlier ones as special cases.
type form uint8

const (
	known form = iota // a number of the text or of the launch
	param             // what is computed of arguments by sums and products
	index             // what is linear in work-items, work-groups and iterations, or a quotient of that
	data              // everything else: floats, what is read from memory, what depends on such
)

// number is the value of one lane, or a pointer.
type number struct {
	i    int64 // of integers; uint64 as the same bits
	f    float64
	at   *array // what a pointer points into; i is the offset, in scalars
	form form
	axes uint8 // the local axes along which it varies, as bits
	// read: memory or an argument in floating point has a part in it.
	read bool
	// version is the assignment that an integer variable has its value from, nil if nothing is to be counted for its use.
	version *version
}

// values are those of one expression, for each work-item of a group: lanes numbers each.
type values struct {
	t     expr.DType // "" for pointers
	lanes int
	v     []number
	depth int // of a variable: the branches on data around its declaration
}

func newValues(t expr.DType, items int) values {
	lanes := max(1, int(t.Lanes()))
	return values{t: t, lanes: lanes, v: make([]number, items*lanes)}
}

// lane is a lane of the value of a work-item. A scalar is all lanes.
func (x values) lane(item, lane int) number {
	if x.lanes == 1 {
		return x.v[item]
	}
	return x.v[item*x.lanes+lane]
}

// mix is what is made of x and y: the form of the later, and all axes.
func mix(x, y number) number {
	return number{form: max(x.form, y.form), axes: x.axes | y.axes, read: x.read || y.read}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func truth(x number, t expr.DType) bool {
	if t.IsFloat() {
		return x.f != 0
	}
	return x.i != 0
}

// wrap is an integer as a type has it.
func wrap(t expr.DType, i int64) int64 {
	switch t {
	case expr.Bool:
		return bit(i != 0)
	case expr.Int8:
		return int64(int8(i))
	case expr.Uint8:
		return int64(uint8(i))
	case expr.Int16:
		return int64(int16(i))
	case expr.Uint16:
		return int64(uint16(i))
	case expr.Int32:
		return int64(int32(i))
	case expr.Uint32:
		return int64(uint32(i))
	}
	return i
}

// round is a float as a type has it.
func round(t expr.DType, f float64) float64 {
	switch {
	case t == expr.Float32:
		return float64(float32(f))
	case t != expr.Float16 || f == 0 || math.IsNaN(f) || math.IsInf(f, 0):
		return f
	}
	_, exponent := math.Frexp(f)
	unit := math.Ldexp(1, max(exponent, -13)-11) // of the last of 11 binary digits
	if f = math.RoundToEven(f/unit) * unit; math.Abs(f) > 65504 {
		return math.Inf(int(math.Copysign(1, f)))
	}
	return f
}

// convert is a scalar of one type as one of another.
func convert(x number, from, to expr.DType) number {
	if from == to || from == "" || to == "" {
		return x
	}
	switch {
	case to.IsFloat():
		f := x.f
		if !from.IsFloat() {
			if f = float64(x.i); from == expr.Uint64 {
				f = float64(uint64(x.i))
			}
		}
		return number{f: round(to, f), form: data, axes: x.axes, read: x.read}
	case from.IsFloat():
		out := number{form: data, axes: x.axes, read: x.read}
		if to == expr.Bool {
			out.i = bit(x.f != 0)
		} else if math.Abs(x.f) < 1<<62 {
			out.i = wrap(to, int64(x.f))
		}
		return out
	}
	x.i = wrap(to, x.i)
	return x
}

// arithmetic is x op y for operands of type t; ok is false for an operator that it does not know. Division by zero gives 0.
func arithmetic(op string, t expr.DType, x, y number) (out number, ok bool) {
	if t.IsFloat() {
		out = mix(x, y)
		out.form = data
		switch op {
		case "+":
			out.f = x.f + y.f
		case "-":
			out.f = x.f - y.f
		case "*":
			out.f = x.f * y.f
		case "/":
			out.f = x.f / y.f
		default:
			return out, false
		}
		out.f = round(t, out.f)
		return out, true
	}
	out = mix(x, y)
	out.form = formOf(op, x, y)
	width := uint64(t.Size()*8 - 1)
	unsigned := t == expr.Uint64
	switch op {
	case "+":
		out.i = x.i + y.i
	case "-":
		out.i = x.i - y.i
	case "*":
		out.i = x.i * y.i
	case "/", "%":
		switch {
		case y.i == 0:
		case unsigned && op == "/":
			out.i = int64(uint64(x.i) / uint64(y.i))
		case unsigned:
			out.i = int64(uint64(x.i) % uint64(y.i))
		case op == "/":
			out.i = x.i / y.i
		default:
			out.i = x.i % y.i
		}
	case "<<":
		out.i = x.i << (uint64(y.i) & width)
	case ">>":
		if out.i = x.i >> (uint64(y.i) & width); unsigned {
			out.i = int64(uint64(x.i) >> (uint64(y.i) & width))
		}
	case "&":
		out.i = x.i & y.i
	case "|":
		out.i = x.i | y.i
	case "^":
		out.i = x.i ^ y.i
	default:
		return out, false
	}
	out.i = wrap(t, out.i)
	return out, true
}

// formOf is the form of x op y: index forms are sums, products with numbers and parameters, and quotients by numbers.
func formOf(op string, x, y number) form {
	out := max(x.form, y.form)
	if out == known || out == data {
		return out
	}
	mask := func(x number) bool { return x.form == known && x.i >= 0 && x.i&(x.i+1) == 0 }
	switch op {
	case "+", "-":
		return out
	case "*":
		if x.form == index && y.form == index {
			return data
		}
		return out
	case "/", "%", ">>":
		if y.form == known {
			return index
		}
	case "<<":
		if y.form == known {
			return out
		}
	case "&":
		if mask(x) || mask(y) {
			return index
		}
	}
	return data
}

// compare is x op y for operands of type t.
func compare(op string, t expr.DType, x, y number) number {
	order := 0
	less := func(is, more bool) {
		if is {
			order = -1
		} else if more {
			order = 1
		}
	}
	out := mix(x, y)
	switch {
	case t.IsFloat():
		out.form = data
		if math.IsNaN(x.f) || math.IsNaN(y.f) {
			out.i = bit(op == "!=")
			return out
		}
		less(x.f < y.f, x.f > y.f)
	case t == expr.Uint64:
		less(uint64(x.i) < uint64(y.i), uint64(x.i) > uint64(y.i))
	default:
		less(x.i < y.i, x.i > y.i)
	}
	is := map[string]bool{"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "==": order == 0, "!=": order != 0}[op]
	out.i = bit(is)
	return out
}
