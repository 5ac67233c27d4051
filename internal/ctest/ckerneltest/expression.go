package ckerneltest

import (
	"fmt"

	"gpuperf/cfront"
	"gpuperf/internal/ctest/cvalue"
	"gpuperf/kernel/expr"
)

// evaluated is an expression whose value is known already.
type evaluated struct {
	cfront.Expr
	v values
}

// effect evaluates an expression for its effect.
func (m *machine) effect(e cfront.Expr, mask []bool) {
	switch x := e.(type) {
	case *cfront.Assign:
		if ref, ok := x.To.(*cfront.Ref); ok && m.vars[ref.Var] != nil {
			m.commit(m.assignVar(ref.Var, m.assigned(x, ref), mask))
			return
		}
	case *cfront.List:
		for _, item := range x.Items {
			m.effect(item, mask)
		}
		return
	case *cfront.Cast: // (void) x
		m.effect(x.X, mask)
		return
	}
	m.commit(m.apart(func() { m.value(e, mask) }))
}

// convert is values of one type as those of another; a scalar becomes all lanes of a vector.
func (m *machine) convert(x values, t expr.DType, mask []bool) values {
	if x.t == t || t == "" || x.t == "" {
		return x
	}
	out := newValues(t, m.items)
	if x.lanes > 1 && x.lanes != out.lanes {
		panic(failure(fmt.Sprintf("%s is no %s", x.t, t)))
	}
	for item, is := range mask {
		for l := range out.lanes {
			if is {
				out.v[item*out.lanes+l] = convert(x.lane(item, l), x.t.Base(), t.Base())
			}
		}
	}
	return out
}

// each makes values from one number for each work-item.
func (m *machine) each(t expr.DType, of func(item int) number) values {
	out := newValues(t, m.items)
	for item := range m.items {
		out.v[item] = of(item)
	}
	return out
}

// value evaluates an expression for the work-items of a mask.
func (m *machine) value(e cfront.Expr, mask []bool) values {
	m.spend()
	switch x := e.(type) {
	case *evaluated:
		return x.v
	case *cfront.Int:
		return m.each(x.DType, func(int) number { return number{i: cvalue.Wrap(x.DType, x.Value), f: float64(x.Value)} })
	case *cfront.Float:
		return m.each(x.DType, func(int) number { return number{f: cvalue.Round(x.DType, x.Value), form: data} })
	case *cfront.Ref:
		return m.variable(x, mask)
	case *cfront.Index:
		if x.DType == "" { // an array within an array
			return m.pointer(x, mask)
		}
		return m.load(m.pointer(x, mask), x.DType, mask, x.Pos)
	case *cfront.Lane:
		return m.lanes(x, mask)
	case *cfront.Member:
		return m.builtin(x)
	case *cfront.Address:
		return m.pointer(x.X, mask)
	case *cfront.Unary:
		return m.unary(x, mask)
	case *cfront.Binary:
		return m.binary(x, mask)
	case *cfront.Select:
		return m.selection(x, mask)
	case *cfront.Cast:
		v := m.value(x.X, mask)
		if x.Elem != "" || x.DType == "" {
			return v
		}
		return m.convert(v, x.DType, mask)
	case *cfront.Vector:
		return m.vector(x, mask)
	case *cfront.Call:
		return m.call(x, mask)
	case *cfront.Assign:
		return m.assign(x, mask)
	case *cfront.List:
		var v values
		for _, item := range x.Items {
			v = m.value(item, mask)
		}
		return v
	}
	panic(failure(fmt.Sprintf("line %d: an expression that is not known: %T %+v", e.Place().Line, e, e)))
}

// variable is the value of a variable, or a pointer to the first element of an array.
func (m *machine) variable(x *cfront.Ref, mask []bool) values {
	v := x.Var
	if p, ok := m.places[v]; ok {
		if len(v.Dims) == 0 { // a scalar in local memory
			return m.load(p, v.DType, mask, x.Pos)
		}
		return p
	}
	if m.vars[v] == nil {
		if v.Class != cfront.Global {
			panic(failure("variable " + v.Name + " is not declared"))
		}
		p := m.each("", func(int) number { return number{at: m.arrayOf(v)} })
		if m.places[v] = p; len(v.Dims) == 0 {
			return m.load(p, v.DType, mask, x.Pos)
		}
		return p
	}
	slots := m.vars[v]
	out := values{t: slots.t, lanes: slots.lanes, v: append([]number(nil), slots.v...)}
	var last *version
	for item, is := range mask {
		n := &out.v[item*out.lanes]
		if is && n.version != nil && n.version != last {
			last = n.version
			m.tally.uses = append(m.tally.uses, last)
		}
		n.version = nil
	}
	return out
}

// pointer is the address of an element, or the first element of an array within an array. Its arithmetic is free.
func (m *machine) pointer(e cfront.Expr, mask []bool) (p values) {
	x, ok := e.(*cfront.Index)
	if !ok {
		if ref, ok := e.(*cfront.Ref); ok && m.places[ref.Var].v != nil {
			return m.places[ref.Var]
		}
		if ref, ok := e.(*cfront.Ref); ok && ref.Var.Class == cfront.Global {
			m.variable(ref, make([]bool, m.items))
			return m.places[ref.Var]
		}
		panic(failure(fmt.Sprintf("the address of %T", e)))
	}
	m.apart(func() {
		p = m.value(x.Of, mask)
		elem := max(1, x.Of.PointsTo().Lanes())
		for d, sub := range x.Subs {
			s := m.value(sub, mask)
			p = m.moved(p, s, elem*m.extent(x.Of, d), 1, mask)
		}
	})
	return p
}

// extent is the number of elements in one step of dimension d.
func (m *machine) extent(of cfront.Expr, d int) int64 {
	n := int64(1)
	if ref, ok := of.(*cfront.Ref); ok && d < len(ref.Var.Dims) {
		for _, e := range ref.Var.Dims[d+1:] {
			c, ok := e.(*cfront.Int)
			if !ok {
				panic(failure("an array with an extent that is no number: " + ref.Var.Name))
			}
			n *= c.Value
		}
	}
	return n
}

// moved is p + sign*s*scale.
func (m *machine) moved(p, s values, scale, sign int64, mask []bool) values {
	out := newValues("", m.items)
	for item, is := range mask {
		if is {
			n := mix(p.v[item], s.v[item])
			n.at, n.i = p.v[item].at, p.v[item].i+sign*scale*s.v[item].i
			out.v[item] = n
		}
	}
	return out
}

// shift is a pointer moved by a number of scalars.
func (m *machine) shift(p values, by int64, mask []bool) values {
	return m.moved(p, m.each(expr.Int64, func(int) number { return number{i: by} }), 1, 1, mask)
}

// lanes takes lanes of a vector: of one in memory only these are loaded.
func (m *machine) lanes(x *cfront.Lane, mask []bool) values {
	out := newValues(x.DType, m.items)
	if at, ok := x.X.(*cfront.Index); ok {
		p := m.pointer(at, mask)
		for l, from := range x.Lanes {
			one := m.load(m.shift(p, int64(from), mask), x.DType.Base(), mask, x.Pos)
			for item := range mask {
				out.v[item*out.lanes+l] = one.v[item]
			}
		}
		return out
	}
	v := m.value(x.X, mask)
	for item, is := range mask {
		for l, from := range x.Lanes {
			if is {
				out.v[item*out.lanes+l] = v.lane(item, from)
			}
		}
	}
	return out
}

func (m *machine) vector(x *cfront.Vector, mask []bool) values {
	out := newValues(x.DType, m.items)
	at := 0
	for _, e := range x.Elems {
		v := m.value(e, mask)
		if len(x.Elems) == 1 {
			return m.convert(v, x.DType, mask)
		}
		for l := range v.lanes {
			for item, is := range mask {
				if is {
					out.v[item*out.lanes+at] = convert(v.lane(item, l), v.t.Base(), x.DType.Base())
				}
			}
			at++
		}
	}
	return out
}

func (m *machine) unary(x *cfront.Unary, mask []bool) values {
	v := m.value(x.X, mask)
	if x.Op == "!" {
		return m.each(x.DType, func(item int) number {
			n := v.v[item]
			return number{i: 1 - cvalue.Bit(truth(n, v.t)), form: n.form, axes: n.axes}
		})
	}
	v = m.convert(v, x.DType, mask)
	out := newValues(x.DType, m.items)
	for i, n := range v.v {
		if out.v[i] = n.with(cvalue.Unary(x.Op, x.DType.Base(), n.value())); x.Op == "~" && n.form != known {
			out.v[i].form = data
		}
	}
	if x.Op == "~" {
		m.found("bw", x.DType, mask, 1)
	}
	return out
}

func (m *machine) binary(x *cfront.Binary, mask []bool) values {
	switch {
	case x.Op == "&&" || x.Op == "||":
		return m.logic(x, mask)
	case cvalue.Comparisons[x.Op]:
		return m.comparison(x, mask)
	case x.Elem != "":
		return m.pointerSum(x, mask)
	}
	m.count(x, mask)
	a, b := m.value(x.X, mask), m.value(x.Y, mask)
	t := x.DType
	a = m.convert(a, t, mask)
	if x.Op != "<<" && x.Op != ">>" {
		b = m.convert(b, t, mask)
	}
	out := newValues(t, m.items)
	for item, is := range mask {
		for l := range out.lanes {
			if !is {
				continue
			}
			n, ok := arithmetic(x.Op, t.Base(), a.lane(item, l), b.lane(item, l))
			if !ok {
				panic(failure("operator " + x.Op + " of " + string(t)))
			}
			out.v[item*out.lanes+l] = n
		}
	}
	return out
}

func (m *machine) pointerSum(x *cfront.Binary, mask []bool) (out values) {
	m.apart(func() {
		p, s, sign := m.value(x.X, mask), m.value(x.Y, mask), int64(1)
		if p.t != "" {
			p, s = s, p
		}
		if x.Op == "-" {
			sign = -1
		}
		out = m.moved(p, s, max(1, x.Elem.Lanes()), sign, mask)
	})
	return out
}

func (m *machine) comparison(x *cfront.Binary, mask []bool) values {
	a, b := m.value(x.X, mask), m.value(x.Y, mask)
	t := cfront.Operation(x.Pos, "+", x.X, x.Y).DType
	a, b = m.convert(a, t, mask), m.convert(b, t, mask)
	return m.each(x.DType, func(item int) number { return compare(x.Op, t, a.v[item], b.v[item]) })
}

// logic evaluates the second operand where the first does not decide, and everywhere if that depends on data.
func (m *machine) logic(x *cfront.Binary, mask []bool) values {
	left, onData, leftAxes := m.condition(x.X, mask)
	rest := left
	if x.Op == "||" {
		rest = less(mask, left)
	}
	var right []bool
	var rightData bool
	var rightAxes uint8
	second := func(mask []bool) { right, rightData, rightAxes = m.condition(x.Y, mask) }
	if onData {
		m.pretend(mask, less(mask, rest), second)
	} else {
		second(rest)
	}
	return m.each(x.DType, func(item int) number {
		is := rest[item] && right[item] || x.Op == "||" && left[item]
		f := index
		if onData || rightData {
			f = data
		}
		return number{i: cvalue.Bit(is), form: f, axes: leftAxes | rightAxes, read: f == data}
	})
}

func (m *machine) selection(x *cfront.Select, mask []bool) values {
	holds, onData, axes := m.condition(x.If, mask)
	var then, other values
	first := func(mask []bool) { then = m.convert(m.value(x.Then, mask), x.DType, mask) }
	second := func(mask []bool) { other = m.convert(m.value(x.Else, mask), x.DType, mask) }
	if onData {
		m.run.Guessed = true
		m.pretend(mask, less(mask, holds), first)
		m.pretend(mask, holds, second)
	} else {
		first(holds)
		second(less(mask, holds))
	}
	out := newValues(x.DType, m.items)
	for item, is := range mask {
		for l := range out.lanes {
			if !is {
				continue
			}
			n := other.lane(item, l)
			if holds[item] {
				n = then.lane(item, l)
			}
			if n.form = max(n.form, index); onData {
				n.form, n.read = data, true
			}
			n.axes = axes | then.lane(item, l).axes | other.lane(item, l).axes
			out.v[item*out.lanes+l] = n
		}
	}
	return out
}
