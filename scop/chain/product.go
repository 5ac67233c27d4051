package chain

import (
	"math"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Factors of matrices that are no more than rounding would let pass.
const (
	mostGrown = 16      // times as far apart as two values are before a chunk they may be behind it
	mostLost  = 128     // times as large as a sum its terms may be
	leastPart = 0x1p-60 // of the greatest factor
)

// product makes what the iterations of each chunk do together: the factors of a fraction, of which the greatest is 1 where it divides.
func (s *Chunks) product(name string) *scop.Nest {
	m := s.nest(name)
	chunks := s.chunks(m)
	x := s.states[0]
	f := *x.fraction
	var first, next []store
	own := func(e expr.Expr) expr.Expr { // of an iteration, which is computed once
		if e == nil {
			return nil
		}
		v := m.own(x.terms)
		next = append(next, store{v, s.at(e, s.iteration())})
		return v
	}
	one := fraction{own(f.a), own(f.b), own(f.c), own(f.d)}
	var all []expr.Expr
	for _, e := range x.factors() {
		v := m.own(x.terms)
		if all = append(all, v); e == nil {
			e = number(0, x.terms)
		}
		first = append(first, store{v, s.at(e, s.begin())})
	}
	m.add(chunks, nil, first...)
	if !f.divides() {
		if f.b != nil {
			next = append(next, store{all[1], sum(times(one.a, all[1]), one.b)})
		}
		next = append(next, store{all[0], times(one.a, all[0])})
	} else {
		next = append(next, s.rows(m, one, all)...)
	}
	m.add(s.iterations(m, chunks, 1), nil, next...)
	for i, v := range all {
		m.add(chunks, nil, store{s.parts[i], v})
	}
	return m.made()
}

// rows are the statements that multiply two matrices.
func (s *Chunks) rows(m *launched, by fraction, all []expr.Expr) (list []store) {
	of := s.states[0].terms
	var made []expr.Expr
	for _, row := range [][2]expr.Expr{{by.a, by.b}, {by.c, by.d}} {
		for column := range 2 {
			e := sum(times(row[0], all[column]), times(row[1], all[2+column]))
			v := m.own(of)
			made, list = append(made, v), append(list, store{v, e})
		}
	}
	greatest := size(made[0])
	for _, v := range made[1:] {
		greatest = &expr.Call{Func: "fmax", Args: []expr.Expr{greatest, size(v)}}
	}
	scale := m.own(of)
	list = append(list, store{scale, expr.Binary(expr.Div, number(1, of), greatest)})
	for i, v := range made {
		list = append(list, store{all[i], times(v, scale)})
	}
	return list
}

// Between makes the values before the chunks of a line, one after the other. Where a product of factors says less than the iterations of its chunk, as where it is too large, all iterations of the
// line are made.
func (s *Chunks) Between(name string) *scop.Nest {
	m := s.nest(name)
	x := s.states[0]
	lines := m.body
	some := []polycount.Constraint{polycount.GE(s.Upper, s.Lower)}
	v, next, strays, stray := m.own(x.dtype), m.own(x.terms), m.own(expr.Int32), m.own(expr.Int32)
	m.add(lines, nil, store{strays, expr.Int{}})
	m.add(lines, some, store{v, x.first})
	value, good := s.applied(v, next)
	m.add(s.chunks(m), nil,
		store{s.from[0], v}, store{next, value},
		store{strays, expr.Binary(expr.Add, strays, &expr.Cond{If: good, Then: expr.Int{}, Else: expr.Int{Value: 1}})}, store{v, x.stored(next)})
	m.add(lines, nil, store{stray, strays})
	begin := m.own(x.dtype)
	m.add(lines, some, store{begin, x.first})
	again := *s // with a loop of another name
	again.Each = s.fresh("chunk")
	chunks := again.chunks(m)
	m.where = expr.Binary(expr.Ne, stray, expr.Int{})
	m.add(chunks, nil, store{expr.Subst(s.from[0], map[string]expr.Expr{s.Each: expr.Var{Name: again.Each}}), begin})
	m.add(again.iterations(m, chunks, 0), nil, store{begin, again.at(x.stored(s.step(begin)), again.iteration())})
	return m.made()
}

// step is the next value.
func (s *Chunks) step(v expr.Expr) expr.Expr {
	x := s.states[0]
	return swapped(x.next, map[string]expr.Expr{x.old.String(): v})
}

// applied is the value behind a chunk, and whether that is, in a variable, about as good as what its iterations would make of the value before.
func (s *Chunks) applied(v, next expr.Expr) (value, good expr.Expr) {
	x := s.states[0]
	of, most := x.terms, math.MaxFloat32
	if of == expr.Float64 {
		most = math.MaxFloat64
	}
	if of != x.dtype {
		v = &expr.Cast{DType: of, Arg: v}
	}
	part := func(i int) expr.Expr { return s.parts[i] }
	all := func(list ...expr.Expr) expr.Expr { return &expr.Op{Kind: expr.And, Args: list} }
	least := func(a, b expr.Expr) expr.Expr { return expr.Binary(expr.Le, a, b) }
	finite := least(size(next), number(most, of))
	if !x.fraction.divides() {
		value = times(part(0), v)
		if x.fraction.b != nil {
			value = sum(value, part(1))
		}
		return value, all(least(size(part(0)), number(mostGrown, of)), finite)
	}
	above, below := [2]expr.Expr{times(part(0), v), part(1)}, [2]expr.Expr{times(part(2), v), part(3)}
	kept := func(terms [2]expr.Expr) expr.Expr {
		return least(sum(size(terms[0]), size(terms[1])), times(number(mostLost, of), size(sum(terms[0], terms[1]))))
	}
	return expr.Binary(expr.Div, sum(above[0], above[1]), sum(below[0], below[1])), all(finite, kept(above), kept(below), least(number(leastPart, of), size(sum(below[0], below[1]))))
}

// fromThere makes the iterations of each chunk, from the value before it on.
func (s *Chunks) fromThere(name string) *scop.Nest {
	m := s.nest(name)
	chunks := s.chunks(m)
	x := s.states[0]
	v, next := m.own(x.dtype), m.own(x.dtype)
	m.add(chunks, nil, store{v, s.from[0]})
	m.add(s.iterations(m, chunks, 0), nil, s.among([]store{{next, x.stored(s.step(v))}, {s.stores[0].to, next}, {v, next}})...)
	return m.made()
}
