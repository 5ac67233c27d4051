package chain

import (
	"math"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// fraction is the next value of a state x as (a·x + b) / (c·x + d), nil for a 0; without c and d it is a·x + b. What several iterations do together is a fraction, too, whose factors are a product of
// matrices (Stone, An efficient parallel algorithm for the solution of a tridiagonal linear system of equations, 1973).
type fraction struct{ a, b, c, d expr.Expr }

func (f fraction) divides() bool { return f.c != nil || f.d != nil }

// list are the factors that there are.
func (f fraction) list() []expr.Expr {
	return slices.DeleteFunc([]expr.Expr{f.a, f.b, f.c, f.d}, func(e expr.Expr) bool { return e == nil })
}

// divided reports that a state is a fraction of itself, in floating-point numbers.
func (s *state) divided(k *kernel.Kernel, value expr.Expr) bool {
	of, err := k.TypeOf(value)
	if err != nil || !s.dtype.IsFloat() || of != expr.Float32 && of != expr.Float64 || of.Size() < s.dtype.Size() {
		return false
	}
	p := parser{k: k, old: s.old.String(), of: of}
	f, ok := p.fraction(value)
	if !ok || f.a == nil && f.c == nil {
		return false
	}
	s.fraction, s.terms, s.next = &f, of, value
	return true
}

// parser reads expressions as fractions of a value.
type parser struct {
	k   *kernel.Kernel
	old string
	of  expr.DType // in which all is computed
}

// float is an expression in that type.
func (p parser) float(e expr.Expr) expr.Expr {
	if x, ok := e.(expr.Float); ok && x.DType == "" {
		x.DType, x.Text = p.of, ""
		return x
	}
	if of, err := p.k.TypeOf(e); err != nil || of != p.of {
		return &expr.Cast{DType: p.of, Arg: e}
	}
	return e
}

func (p parser) number(v float64) expr.Expr { return number(v, p.of) }

func (p parser) reads(e expr.Expr) bool {
	return reads(e, func(e expr.Expr) bool { return e.String() == p.old })
}

func (p parser) fraction(e expr.Expr) (f fraction, ok bool) {
	switch x := e.(type) {
	case *expr.Cast:
		from, err := p.k.TypeOf(x.Arg)
		if p.reads(e) && err == nil && from.IsFloat() && x.DType.IsFloat() && from.Size() <= x.DType.Size() {
			return p.fraction(x.Arg)
		}
	case *expr.Op:
		if p.reads(e) && e.String() != p.old {
			return p.operation(x)
		}
	}
	if e.String() == p.old {
		return fraction{a: p.number(1)}, true
	}
	return fraction{b: p.float(e)}, !p.reads(e)
}

func (p parser) operation(x *expr.Op) (f fraction, ok bool) {
	if f, ok = p.fraction(x.Args[0]); !ok {
		return f, false
	}
	if x.Kind == expr.Neg {
		f.a, f.b = negative(f.a), negative(f.b)
		return f, true
	}
	for _, arg := range x.Args[1:] {
		g, ok := p.fraction(arg)
		if !ok {
			return f, false
		}
		switch x.Kind {
		case expr.Sub:
			g.a, g.b = negative(g.a), negative(g.b)
			f, ok = f.plus(g)
		case expr.Add:
			f, ok = f.plus(g)
		case expr.Mul:
			f, ok = f.times(g)
		case expr.Div:
			f, ok = p.over(f, g)
		default:
			return f, false
		}
		if !ok {
			return f, false
		}
	}
	return f, true
}

// alone reports that a fraction has nothing of the value.
func (f fraction) alone() bool { return f.a == nil && f.c == nil && f.d == nil }

func (f fraction) plus(g fraction) (fraction, bool) {
	switch {
	case !f.divides() && !g.divides():
		return fraction{a: sum(f.a, g.a), b: sum(f.b, g.b)}, true
	case f.divides() && g.alone():
		return fraction{sum(f.a, times(g.b, f.c)), sum(f.b, times(g.b, f.d)), f.c, f.d}, true
	case f.alone() && g.divides():
		return g.plus(f)
	}
	return f, false
}

func (f fraction) times(g fraction) (fraction, bool) {
	if f.alone() {
		f, g = g, f
	}
	return fraction{times(f.a, g.b), times(f.b, g.b), f.c, f.d}, g.alone()
}

func (p parser) over(f, g fraction) (fraction, bool) {
	switch {
	case g.alone() && f.divides():
		return fraction{f.a, f.b, times(f.c, g.b), times(f.d, g.b)}, true
	case g.alone() && f.a != nil && f.b != nil: // one division, whose rounding is nobody's
		one := expr.Binary(expr.Div, p.number(1), g.b)
		return fraction{a: times(f.a, one), b: times(f.b, one)}, true
	case g.alone():
		return fraction{a: quotient(f.a, g.b), b: quotient(f.b, g.b)}, true
	case f.divides() || g.divides() && !f.alone():
		return f, false
	case g.divides():
		return fraction{times(f.b, g.c), times(f.b, g.d), g.a, g.b}, true
	}
	return fraction{f.a, f.b, g.a, g.b}, true
}

// What follows has nil for 0.

func negative(a expr.Expr) expr.Expr {
	if a == nil {
		return nil
	}
	return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{a}}
}

func sum(a, b expr.Expr) expr.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return expr.Binary(expr.Add, a, b)
}

func times(a, b expr.Expr) expr.Expr {
	switch {
	case a == nil || b == nil:
		return nil
	case isOne(a):
		return b
	case isOne(b):
		return a
	}
	return expr.Binary(expr.Mul, a, b)
}

func isOne(e expr.Expr) bool { x, ok := e.(expr.Float); return ok && x.Value == 1 }

func quotient(a, b expr.Expr) expr.Expr {
	if a == nil {
		return nil
	}
	return expr.Binary(expr.Div, a, b)
}

// Factors of matrices that are no more than rounding would let pass.
const (
	mostGrown = 16      // times as far apart as two values are before a chunk they may be behind it
	mostLost  = 128     // times as large as a sum its terms may be
	leastPart = 0x1p-60 // of the greatest factor
)

// Loads are how many elements an iteration reads.
func (c *Recurrence) Loads() int {
	seen := map[string]bool{}
	for _, e := range c.states[0].fraction.list() {
		expr.Walk(e, func(e expr.Expr) bool {
			if a, ok := e.(*expr.Access); ok && expr.Mentions(a, c.Loop) {
				seen[a.String()] = true
			}
			return true
		})
	}
	return len(seen)
}

// Factors are how many a chunk has.
func (c *Recurrence) Factors() int { return len(c.states[0].factors()) }

// Waits is how long a work-item takes for an iteration that waits for the one before, in additions, of which a division takes so many: what follows each other, and a quarter of what there is,
// as instructions that do not wait are issued so much faster.
func (c *Recurrence) Waits(division float64) float64 {
	old, all := c.states[0].old.String(), 0.0
	var visit func(e expr.Expr) float64 // 0 where it does not depend on the value
	visit = func(e expr.Expr) (most float64) {
		if e.String() == old {
			return 1
		}
		var parts []expr.Expr
		takes := 0.0
		switch x := e.(type) {
		case *expr.Op:
			parts = x.Args
			switch x.Kind {
			case expr.Div:
				takes = division
			case expr.Add, expr.Sub: // a product in it is fused
				takes = 1
			}
		case *expr.Cast:
			parts, takes = []expr.Expr{x.Arg}, 1
		case *expr.Call:
			parts, takes = x.Args, division
		case *expr.Access:
			takes = 1
		}
		all += takes
		for _, p := range parts {
			if n := visit(p); n > 0 {
				most = max(most, n+takes)
			}
		}
		return most
	}
	path := visit(c.states[0].next)
	return path + all/4
}

// product makes what the iterations of each chunk do together: the factors of a fraction, of which the greatest is 1 where it divides.
func (s *Chunks) product(name string) *scop.Nest {
	m := s.nest(name)
	chunks := s.chunks(m, s.lines(m))
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

func number(v float64, of expr.DType) expr.Expr { return expr.Float{Value: v, DType: of} }

func size(e expr.Expr) expr.Expr { return &expr.Call{Func: "fabs", Args: []expr.Expr{e}} }

// factors are those of chunks: of a fraction that divides all four, nil for 0.
func (s *state) factors() []expr.Expr {
	if f := s.fraction; f.divides() {
		return []expr.Expr{f.a, f.b, f.c, f.d}
	}
	return s.fraction.list()
}

// Between makes the values before the chunks of a line, one after the other. Where a product of factors says less than the iterations of its chunk, as where it is too large, all iterations of the
// line are made.
func (s *Chunks) Between(name string) *scop.Nest {
	m := s.nest(name)
	x := s.states[0]
	lines := s.lines(m)
	some := []polycount.Constraint{polycount.GE(s.Upper, s.Lower)}
	v, next, strays, stray := m.own(x.dtype), m.own(x.terms), m.own(expr.Int32), m.own(expr.Int32)
	m.add(lines, nil, store{strays, expr.Int{}})
	m.add(lines, some, store{v, x.first})
	value, good := s.applied(v, next)
	m.add(s.chunks(m, lines), nil,
		store{s.from[0], v}, store{next, value},
		store{strays, expr.Binary(expr.Add, strays, &expr.Cond{If: good, Then: expr.Int{}, Else: expr.Int{Value: 1}})}, store{v, x.stored(next)})
	m.add(lines, nil, store{stray, strays})
	begin := m.own(x.dtype)
	m.add(lines, some, store{begin, x.first})
	again := *s // with a loop of another name
	again.Each = s.fresh("chunk")
	chunks := again.chunks(m, lines)
	m.where = expr.Binary(expr.Ne, stray, expr.Int{})
	m.add(chunks, nil, store{expr.Subst(s.from[0], map[string]expr.Expr{s.Each: expr.Var{Name: again.Each}}), begin})
	m.add(again.iterations(m, chunks, 0), nil, store{begin, again.at(x.stored(s.step(begin)), again.iteration())})
	return m.made()
}

// stored is a value in the type of the state.
func (s *state) stored(e expr.Expr) expr.Expr {
	if s.terms != s.dtype {
		return &expr.Cast{DType: s.dtype, Arg: e}
	}
	return e
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
	chunks := s.chunks(m, s.lines(m))
	x := s.states[0]
	v, next := m.own(x.dtype), m.own(x.dtype)
	m.add(chunks, nil, store{v, s.from[0]})
	m.add(s.iterations(m, chunks, 0), nil, s.among([]store{{next, x.stored(s.step(v))}, {s.stores[0].to, next}, {v, next}})...)
	return m.made()
}
