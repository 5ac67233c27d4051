package lift

import (
	"math/big"
	"slices"

	"gpuperf/internal/throw"
)

// Patterns whose indices are computed by the program: what they do with an element depends on the data. Their types have sizes that hold for
// all data: filter gives an array as long as its input, of which only the first elements are written, with their number.

func typeFilter(d *draft) *Type {
	a := d.array()
	if r := d.kids[0].Type.Result; r.Kind != ScalarType || !r.DType.IsInteger() {
		return d.fail("its function returns %s, not an integer that is 0 for elements to leave out", r)
	}
	if !a.Elem.IsData() {
		return d.fail("its elements are %s: it works on numbers, vectors and tuples of them", a.Elem)
	}
	return TupleOf(a, Array(Int32, Nat(1)))
}

func typePut(d *draft) *Type {
	base, pairs := d.kids[0].Type, d.array()
	if base.Kind != ArrayType {
		return d.fail("it puts elements in an array, not in %s", base)
	}
	if pair := pairs.Elem; pair.Kind != TupleType || len(pair.Elems) != 2 || pair.Elems[0] != Int32 || pair.Elems[1] != base.Elem {
		return d.fail("it takes pairs of an int32 and of %s, not %s", base.Elem, pair)
	}
	return base
}

func typeSegments(d *draft) *Type {
	d.accumulates()
	starts := d.kids[2].Type
	if starts.Kind != ArrayType || starts.Elem != Int32 {
		return d.fail("the starts of the segments are %s, not an array of int32", starts)
	}
	d.need(Assumption{Kind: AtLeast, A: starts.Len, B: Nat(2)})
	return Array(d.kids[1].Type, starts.Len.Sub(Nat(1)))
}

func typeBetween(d *draft) *Type {
	d.accumulates()
	for _, k := range d.kids[2:4] {
		if k.Type != Int32 {
			return d.fail("it reduces elements between two indices of type int32, not %s", k.Type)
		}
	}
	d.need(Assumption{Kind: AtLeast, A: d.Sizes[0], B: Nat(1)})
	return Array(d.kids[1].Type, Nat(1))
}

// Starts are the inputs of a program that are starts of segments, with the number of elements that these are cut from.
func Starts(p *Program) map[string]Size {
	found := map[string]Size{}
	var walk func(t *Term, around int)
	walk = func(t *Term, around int) {
		if t.ops&Set(ReduceSegments) == 0 {
			return
		}
		if t.Op == ReduceSegments && t.Kids[2].Op == Var {
			if i := around - 1 - t.Kids[2].Ints[0]; i < len(p.Inputs) {
				found[p.Inputs[i].Name] = t.Arg().Type.Len
			}
		}
		if t.Op == Lambda {
			around += len(t.Params)
		}
		for _, k := range t.Kids {
			walk(k, around)
		}
	}
	walk(p.Body, len(p.Inputs))
	return found
}

// whole is the value of a term that is a whole number.
func (e *evaluator) whole(t *Term, env *binding) int64 {
	x, ok := e.eval(t, env).(Num)
	if !ok {
		panic(throw.Of(ErrUnwritten))
	}
	i, ok := x.Int()
	if !ok {
		fail("%v is no index", x)
	}
	return i
}

func evalFilter(e *evaluator, t *Term, env *binding) Value {
	xs := e.array(t.Arg(), env)
	out := make(Values, 0, len(xs))
	for _, x := range xs {
		keep, ok := e.call(t.Kids[0], env, x).(Num)
		if !ok {
			panic(throw.Of(ErrUnwritten))
		}
		if keep.sign() != 0 {
			out = append(out, x)
		}
	}
	count := e.number(new(big.Rat).SetInt64(int64(len(out))))
	for len(out) < len(xs) {
		out = append(out, Unwritten{})
	}
	return Values{out, Values{count}}
}

// evalPut fails where two values have one index: which of them stays would depend on the order.
func evalPut(e *evaluator, t *Term, env *binding) Value {
	out := slices.Clone(e.array(t.Kids[0], env))
	taken := make([]bool, len(out))
	for _, p := range e.array(t.Arg(), env) {
		at, ok := tuple(p)[0].(Num)
		if !ok {
			panic(throw.Of(ErrUnwritten))
		}
		i, ok := at.Int()
		switch {
		case !ok || i < 0 || i >= int64(len(out)):
			continue
		case taken[i]:
			fail("two elements are put at index %d", i)
		}
		out[i], taken[i] = tuple(p)[1], true
	}
	return out
}

// between is the elements from an index, step apart, before another.
func (e *evaluator) between(xs Values, from, to int64, step int) (out Values) {
	for i := from; i < to; i += int64(step) {
		if i < 0 || i >= int64(len(xs)) {
			fail("index %d is outside 0 .. %d", i, len(xs)-1)
		}
		out = append(out, xs[i])
	}
	return out
}

func evalSegments(e *evaluator, t *Term, env *binding) Value {
	z, starts, xs := e.eval(t.Kids[1], env), e.array(t.Kids[2], env), e.array(t.Arg(), env)
	at := make([]int64, len(starts))
	for i, s := range starts {
		x, ok := s.(Num)
		if !ok {
			panic(throw.Of(ErrUnwritten))
		}
		if at[i], ok = x.Int(); !ok {
			fail("start %d is %v", i, x)
		}
		if i > 0 && at[i] < at[i-1] {
			fail("segment %d starts at %d, before segment %d at %d", i, at[i], i-1, at[i-1])
		}
	}
	return build(len(at)-1, func(i int) Value { return e.fold(t, env, z, e.between(xs, at[i], at[i+1], 1)) })
}
