package ckerneltest

import (
	"gpuperf/internal/ctest/cvalue"
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

func (x number) value() cvalue.Number { return cvalue.Number{I: x.i, F: x.f} }

// with is the number with another value.
func (x number) with(v cvalue.Number) number {
	x.i, x.f = v.I, v.F
	return x
}

func truth(x number, t expr.DType) bool { return cvalue.Truth(t, x.value()) }

// convert is a scalar of one type as one of another.
func convert(x number, from, to expr.DType) number {
	if from == to || from == "" || to == "" {
		return x
	}
	v := cvalue.Convert(x.value(), from, to)
	if to.IsFloat() || from.IsFloat() {
		return number{form: data, axes: x.axes, read: x.read}.with(v)
	}
	return x.with(v)
}

// arithmetic is x op y for operands of type t; ok is false for an operator that it does not know. Division by zero gives 0.
func arithmetic(op string, t expr.DType, x, y number) (out number, ok bool) {
	out = mix(x, y)
	out.form = formOf(op, x, y)
	if t.IsFloat() {
		out.form = data
	}
	v, ok := cvalue.Arithmetic(op, t, x.value(), y.value())
	return out.with(v), ok
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
	out := mix(x, y)
	if t.IsFloat() {
		out.form = data
	}
	out.i = cvalue.Bit(cvalue.Compare(op, t, x.value(), y.value()))
	return out
}
