package chain

import (
	"fmt"
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Chunks makes nests of a recurrence in chunks (Blelloch, Prefix sums and their applications, 1990): what the terms of each chunk are together; the values before each chunk, which are a
// recurrence of fewer terms; and, where the values in between are needed, the iterations of each chunk from there on.
type Chunks struct {
	*Recurrence
	Like   *scop.Nest    // has the arrays and parameters
	Arrays []*scop.Array // of the nests alone
	Each   string        // the loop over chunks, whose iterations are independent

	fresh func(base string) string
	pos   cfront.Pos
	chunk int64
	own   string         // the loop over the iterations of a chunk
	parts []*expr.Access // of each state: what the terms of a chunk are together
	from  []*expr.Access // of each state: the value before a chunk
}

// InChunks is a recurrence of a nest in chunks of so many iterations. Fresh makes names that nothing has.
func InChunks(r *Recurrence, like *scop.Nest, chunk int64, fresh func(base string) string) *Chunks {
	s := &Chunks{Recurrence: r, Like: like, Each: fresh("chunk"), fresh: fresh, pos: like.Statements[0].Pos, chunk: chunk, own: fresh(r.Loop)}
	for _, x := range r.states {
		for range x.factors() {
			s.parts = append(s.parts, s.array("part", x.terms))
		}
		if r.Scans() {
			s.from = append(s.from, s.array("before", x.dtype))
		}
	}
	return s
}

// array is an element, of a chunk, of an array of the launches alone.
func (s *Chunks) array(name string, t expr.DType) *expr.Access {
	a := &scop.Array{Name: s.fresh(s.Like.Name + "_" + name), DType: t, Local: true, Written: true}
	to := &expr.Access{Array: a.Name}
	a.Shape = []expr.Expr{&expr.Op{Kind: expr.Max, Args: []expr.Expr{expr.FromAffine(s.Upper.Sub(s.Lower).FloorDiv(s.chunk).AddInt(1)), expr.Int{Value: 1}}}}
	to.Index = []expr.Expr{expr.Var{Name: s.Each}}
	s.Arrays = append(s.Arrays, a)
	own, like := *a, *s.Like
	own.Local = false
	like.Arrays = append(slices.Clone(like.Arrays), &own)
	s.Like = &like
	return to
}

// begin is the first iteration of a chunk.
func (s *Chunks) begin() polycount.Affine { return s.Lower.AddScaled(s.chunk, polycount.Name(s.Each)) }

// at is an expression with the loop of the chain at a value.
func (s *Chunks) at(e expr.Expr, value polycount.Affine) expr.Expr {
	return expr.Subst(e, map[string]expr.Expr{s.Loop: expr.FromAffine(value)})
}

// chunks is the loop over those that begin before a last iteration.
func (s *Chunks) chunks(m *launched) *scop.Body {
	each := polycount.Name(s.Each)
	return m.loop(m.body, s.Each, polycount.GE(each, polycount.Int(0)), polycount.GE(s.Upper, s.begin()))
}

// iteration is that of a chunk.
func (s *Chunks) iteration() polycount.Affine { return s.begin().Add(polycount.Name(s.own)) }

// iterations is the loop over those of a chunk, but for the first ones: the same for all but the last chunk.
func (s *Chunks) iterations(m *launched, chunks *scop.Body, but int64) *scop.Body {
	own := polycount.Name(s.own)
	return m.loop(chunks, s.own, polycount.GE(polycount.Name(s.Each), polycount.Int(0)), polycount.GE(own, polycount.Int(but)), polycount.GE(polycount.Int(s.chunk-1), own), polycount.GE(s.Upper, s.iteration()))
}

// among are statements at an iteration of a chunk.
func (s *Chunks) among(list []store) []store {
	for i, x := range list {
		list[i] = store{s.at(x.to, s.iteration()), s.at(x.value, s.iteration())}
	}
	return list
}

// next are the statements by which values take their terms, those that stand beside an extreme before it. In a chunk terms are combined with each other: one that is no number has been taken
// unseen where it was the first, and takes no other's place when chunks are put together.
func (s *Chunks) next(values, terms []expr.Expr, chunk bool) (list []store) {
	test := func(x *state) expr.Expr {
		i := slices.Index(s.states, x.extreme)
		e := x.extreme.less(terms[i], values[i])
		if chunk && x.extreme.dtype.IsFloat() {
			e = expr.Binary(expr.Or, e, expr.Binary(expr.Ne, values[i], values[i]))
		}
		return e
	}
	var behind []store
	for i, x := range s.states {
		switch {
		case x.extreme == x:
			behind = append(behind, store{values[i], &expr.Cond{If: test(x), Then: terms[i], Else: values[i]}})
		case x.extreme != nil:
			list = append(list, store{values[i], &expr.Cond{If: test(x), Then: terms[i], Else: values[i]}})
		case chunk && x.factor == 0:
			list = append(list, store{values[i], x.reduced(values[i], terms[i])})
		default:
			list = append(list, store{values[i], x.join(values[i], terms[i])})
		}
	}
	return append(list, behind...)
}

// reduced is what two terms of a reduction are together.
func (s *state) reduced(a, b expr.Expr) expr.Expr {
	switch {
	case s.kind == "sum":
		return expr.Binary(expr.Add, a, b)
	case s.kind == "product":
		return expr.Binary(expr.Mul, a, b)
	case s.terms.IsFloat():
		return &expr.Call{Func: s.kind, Args: []expr.Expr{a, b}}
	}
	return expr.Binary(extremes[s.kind], a, b)
}

// Rest is the recurrence over chunks: of their parts. Before each it stores the values that there are.
func (s *Chunks) Rest() *Recurrence {
	out := &Recurrence{Loop: s.Each, Lower: polycount.Int(0), Upper: s.Upper.Sub(s.Lower).FloorDiv(s.chunk)}
	by := map[*state]*state{}
	for i, x := range s.states {
		y := *x
		y.term, by[x] = s.parts[i], &y
		if x.factor != 0 {
			y.factor = power(x.factor, x.terms, s.chunk)
			y.join = func(value, term expr.Expr) expr.Expr { return damped(y.factor, x.terms, value, term) }
		}
		if s.Scans() {
			y.old = expr.Var{Name: fmt.Sprintf("old %d", i)} // no text has it
			out.stores = append(out.stores, store{s.from[i], y.old})
		}
		out.states = append(out.states, &y)
	}
	for _, y := range out.states {
		y.extreme = by[y.extreme]
	}
	return out
}

// Whole makes a nest of a recurrence that is in no chunks: a loop that accumulates, or whose values are in variables.
func Whole(r *Recurrence, like *scop.Nest, name string, fresh func(base string) string) *scop.Nest {
	s := &Chunks{Recurrence: r, Like: like, fresh: fresh, pos: like.Statements[0].Pos}
	m := s.nest(name)
	some := []polycount.Constraint{polycount.GE(s.Upper, s.Lower)}
	values, terms := make([]expr.Expr, len(s.states)), make([]expr.Expr, len(s.states))
	shared := s.Sums() && !s.Scans()
	for i, x := range s.states {
		values[i], terms[i] = x.first, x.term
		if !shared {
			values[i] = m.own(x.dtype)
			m.add(m.body, some, store{values[i], x.first})
		}
	}
	loop := polycount.Name(s.Loop)
	loops := m.loop(m.body, s.Loop, polycount.GE(loop, s.Lower), polycount.GE(s.Upper, loop))
	m.add(loops, nil, s.statements(m, values, terms)...)
	for i, x := range s.states {
		if x.last != nil && !shared {
			m.add(m.body, some, store{x.last, values[i]})
		}
	}
	return m.made()
}

// statements are those of an iteration of the chain, with the values in other places.
func (s *Chunks) statements(m *launched, values, terms []expr.Expr) []store {
	by := map[string]expr.Expr{}
	for i, x := range s.states {
		by[x.old.String()] = values[i]
	}
	var list, behind []store
	for _, x := range s.stores {
		value := swapped(x.value, by)
		if s.reads(x.to) { // by others, which need what was there
			t := m.own(m.n.Array(x.to.(*expr.Access).Array).DType)
			list, behind = append(list, store{t, value}), append(behind, store{x.to, t})
			continue
		}
		list = append(list, store{x.to, value})
	}
	return slices.Concat(list, s.next(values, terms, false), behind)
}

// reads reports that an iteration reads the array of an element that it stores.
func (s *Chunks) reads(to expr.Expr) bool {
	name := to.(*expr.Access).Array
	is := func(e expr.Expr) bool { a, ok := e.(*expr.Access); return ok && a.Array == name }
	return slices.ContainsFunc(s.states, func(x *state) bool { return reads(x.term, is) }) || slices.ContainsFunc(s.stores, func(x store) bool { return reads(x.value, is) })
}

// combined makes what the terms of each chunk are together.
func (s *Chunks) combined(name string) *scop.Nest {
	m := s.nest(name)
	chunks := s.chunks(m)
	values, terms := make([]expr.Expr, len(s.states)), make([]expr.Expr, len(s.states))
	for i, x := range s.states {
		values[i], terms[i] = s.parts[i], x.term
		if !s.Sums() {
			values[i] = m.own(x.terms)
		}
		m.add(chunks, nil, store{values[i], s.at(x.term, s.begin())})
	}
	loops := s.iterations(m, chunks, 1)
	m.add(loops, nil, s.among(s.next(values, terms, true))...)
	if !s.Sums() {
		for i := range s.states {
			m.add(chunks, nil, store{s.parts[i], values[i]})
		}
	}
	return m.made()
}

// continued makes the iterations of each chunk, from the values before it on; that of the last one leaves those behind the loop.
func (s *Chunks) continued(name string) *scop.Nest {
	m := s.nest(name)
	chunks := s.chunks(m)
	values, terms := make([]expr.Expr, len(s.states)), make([]expr.Expr, len(s.states))
	for i, x := range s.states {
		values[i], terms[i] = m.own(x.dtype), x.term
		m.add(chunks, nil, store{values[i], s.from[i]})
	}
	loops := s.iterations(m, chunks, 0)
	m.add(loops, nil, s.among(s.statements(m, values, terms))...)
	final := []polycount.Constraint{polycount.GE(s.begin().AddInt(s.chunk-1), s.Upper)}
	for i, x := range s.states {
		if x.last != nil {
			m.add(chunks, final, store{x.last, values[i]})
		}
	}
	return m.made()
}
