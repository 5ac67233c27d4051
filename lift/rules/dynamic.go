package rules

import (
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// Rules for patterns whose indices are computed: a filter puts each element where a scan of their numbers says, and the segments of a reduction are
// those of work-items, those of work-groups, or parts of a scan that begins anew at each start (Blelloch, "Prefix sums and their applications", 1990).

// scalarFun makes a function of the program by its definition.
func scalarFun(f lift.UserFun) *lift.Term {
	u, err := lift.NewUserFun(f)
	if err != nil {
		panic(err) // its definition stands in this file
	}
	return lift.FunOf(u)
}

func parsed(text string) expr.Expr {
	e, err := expr.Parse(text)
	if err != nil {
		panic(err) // it stands in this file
	}
	return e
}

func filterScan(m *Match) *lift.Term {
	f, xs := m.Term.Fn(), m.Term.Arg()
	n, flag := xs.Type.Len, f.Type.Result
	one := scalarFun(lift.UserFun{
		Name: "kept_" + string(flag.DType), Params: []lift.Param{{Name: "k", Type: flag}}, Result: lift.Int32,
		Defs: []expr.Expr{parsed("if(k != 0, 1, 0)")},
	})
	place := scalarFun(lift.UserFun{
		Name: "place_" + string(flag.DType), Params: []lift.Param{{Name: "i", Type: lift.Int32}, {Name: "k", Type: flag}}, Result: lift.Int32,
		Defs: []expr.Expr{parsed("if(k != 0, i - 1, -1)")},
	})
	plus, err := lift.Builtin("+", expr.Int32)
	if err != nil {
		panic(err)
	}
	kept := lift.Of(lift.Map, lift.Fn1(xs.Type.Elem, func(x *lift.Term) *lift.Term { return one.Apply(f.Apply(x)) }), xs)
	nothing := lift.Make(lift.Inset, lift.Attr{Sizes: []lift.Size{{}, n}}, lift.GenerateOf(lift.Size{}, lift.Fn1(lift.Int32, func(*lift.Term) *lift.Term { return zeroOf(xs.Type.Elem) })))
	return lift.Of(lift.Let, lift.Fn1(lift.Array(lift.Int32, n), func(s *lift.Term) *lift.Term {
		pairs := mapOfZip(s, xs, func(i, x *lift.Term) *lift.Term { return lift.Of(lift.Tuple, place.Apply(i, f.Apply(x)), x) })
		return lift.Of(lift.Tuple, lift.Of(lift.Put, nothing, pairs), lift.Make(lift.Drop, lift.Attr{Sizes: []lift.Size{n.Sub(lift.Nat(1))}}, s))
	}), lift.Of(lift.Scan, plus, lift.Number(expr.Int32, "0"), kept))
}

// zeroOf is a zero of a type, whose components are all zeros.
func zeroOf(t *lift.Type) *lift.Term {
	switch t.Kind {
	case lift.TupleType:
		list := lists.Map(t.Elems, zeroOf)
		return lift.Of(lift.Tuple, list...)
	case lift.VectorType:
		return lift.Splat(t.Width, lift.Number(t.DType, "0"))
	}
	return lift.Number(t.DType, "0")
}

// mapOfZip maps a function of two elements to two arrays. Where the second is a map itself, its function goes into that of the result.
func mapOfZip(xs, ys *lift.Term, f func(x, y *lift.Term) *lift.Term) *lift.Term {
	then := func(x, y *lift.Term) *lift.Term { return f(x, y) }
	if ys.Op == lift.Map && ys.Type.Elem.IsData() {
		g := ys.Fn()
		ys = ys.Arg()
		then = func(x, y *lift.Term) *lift.Term {
			value := g.Apply(y)
			return lift.Of(lift.Let, lift.Fn1(value.Type, func(v *lift.Term) *lift.Term { return f(x, v) }), value)
		}
	}
	zip := lift.Of(lift.Zip, xs, ys)
	return lift.Of(lift.Map, lift.Fn1(zip.Type.Elem, func(p *lift.Term) *lift.Term { return then(lift.GetOf(0, p), lift.GetOf(1, p)) }), zip)
}

// bounds are the start of each segment, and the one after it.
func bounds(starts *lift.Term) *lift.Term {
	one := lift.Nat(1)
	return lift.Of(lift.Zip,
		lift.Make(lift.Take, lift.Attr{Sizes: []lift.Size{starts.Type.Len.Sub(one)}}, starts),
		lift.Make(lift.Drop, lift.Attr{Sizes: []lift.Size{one}}, starts))
}

// between is the reduction of elements between two indices.
func between(f, z, from, to *lift.Term, step lift.Size, xs *lift.Term) *lift.Term {
	return lift.Make(lift.ReduceBetween, lift.Attr{Sizes: []lift.Size{step}}, f, z, from, to, xs)
}

func overSegments(m *Match, single bool) *lift.Term {
	k := m.Term.Kids
	pairs := bounds(k[2])
	if pairs.Err() != nil {
		return pairs
	}
	rows := lift.Of(lift.Map, lift.Fn1(pairs.Type.Elem, func(p *lift.Term) *lift.Term {
		r := between(k[0], k[1], lift.GetOf(0, p), lift.GetOf(1, p), lift.Nat(1), k[3])
		if single {
			return lift.AtOf(0, r)
		}
		return r
	}), pairs)
	if single {
		return rows
	}
	return lift.JoinOf(rows)
}

// letOut takes a let out of a pattern; a component of a tuple is then that component.
func letOut(m *Match) *lift.Term {
	t, let := m.Term, m.Term.Arg()
	value := let.Kids[1]
	return lift.Of(lift.Let, lift.Fn1(value.Type, func(v *lift.Term) *lift.Term {
		body := let.Fn().Apply(v)
		if t.Op == lift.Get && body.Op == lift.Tuple {
			return body.Kids[t.Ints[0]]
		}
		return t.With(append(slices.Clone(t.Kids[:len(t.Kids)-1]), body)...)
	}), value)
}

func betweenMapFusion(m *Match) *lift.Term {
	k, xs := m.Term.Kids, m.Term.Arg()
	f, g := k[0], xs.Fn()
	both := lift.Fn([]*lift.Type{k[1].Type, xs.Arg().Type.Elem}, func(v ...*lift.Term) *lift.Term { return f.Apply(v[0], g.Apply(v[1])) })
	return between(both, k[1], k[2], k[3], m.Term.Sizes[0], xs.Arg())
}

// folds is the function of a reduction if it may be computed in parts; nil for others.
func folds(f, z *lift.Term) *lift.UserFun {
	op, width := operation(f)
	if op == nil || width > 0 || !op.Associative || op.Neutral == nil || op.Neutral != z {
		return nil
	}
	return op
}

func betweenParts(m *Match) *lift.Term {
	k, items := m.Term.Kids, m.Sizes["m"]
	f := folds(k[0], k[1])
	if f == nil || !f.Commutative || m.Term.Sizes[0] != lift.Nat(1) {
		return nil
	}
	plus, err := lift.Builtin("+", expr.Int32)
	if err != nil {
		panic(err)
	}
	number := lift.Fn1(lift.Int32, func(i *lift.Term) *lift.Term { return i })
	parts := lift.Of(lift.Map, lift.Fn1(lift.Int32, func(i *lift.Term) *lift.Term {
		return between(k[0], k[1], plus.Apply(k[2], i), k[3], items, k[4])
	}), lift.GenerateOf(items, number))
	return lift.Of(lift.Reduce, k[0], k[1], lift.JoinOf(parts))
}

// anew is f on pairs of a number, which is not 0 where a segment begins, and an element: what stands before the beginning has no effect. It is
// associative where f is. It is nil for a function without a definition, or with named values.
func anew(f *lift.UserFun) *lift.Term {
	elem := f.Result
	if len(f.Defs) == 0 || f.Body != "" || elem.Kind == lift.VectorType {
		return nil
	}
	parts := lift.Components(elem)
	pair := lift.TupleOf(lift.Int32, elem)
	component := func(of string, k int) expr.Expr {
		return &expr.Access{Array: of, Index: []expr.Expr{expr.Int{Value: int64(k)}}}
	}
	begins := &expr.Op{Kind: expr.Ne, Args: []expr.Expr{component("b", 0), expr.Int{}}}
	defs := []expr.Expr{&expr.Cond{If: &expr.Op{Kind: expr.Ne, Args: []expr.Expr{
		&expr.Op{Kind: expr.Add, Args: []expr.Expr{component("a", 0), component("b", 0)}}, expr.Int{},
	}}, Then: expr.Int{Value: 1}, Else: expr.Int{}}}
	to := map[string]string{f.Params[0].Name: "a", f.Params[1].Name: "b"}
	name := []string{"anew", nameOf(f)}
	for k, def := range f.Expanded() {
		both := expr.Rewrite(def, func(e expr.Expr) expr.Expr {
			switch x := e.(type) {
			case expr.Var:
				if of, ok := to[x.Name]; ok {
					return component(of+"!", 1) // marked, since the names of parameters may be a and b
				}
			case *expr.Access:
				if at, ok := x.Index[0].(expr.Int); ok && to[x.Array] != "" {
					return component(to[x.Array]+"!", 1+int(at.Value))
				}
			}
			return e
		})
		both = expr.Rewrite(both, func(e expr.Expr) expr.Expr {
			if x, ok := e.(*expr.Access); ok {
				return &expr.Access{Array: strings.TrimSuffix(x.Array, "!"), Index: x.Index}
			}
			return e
		})
		defs = append(defs, &expr.Cond{If: begins, Then: component("b", 1+k), Else: both})
		name = append(name, string(parts[k].DType))
	}
	return scalarFun(lift.UserFun{
		Name: strings.Join(name, "_"), Params: []lift.Param{{Name: "a", Type: pair}, {Name: "b", Type: pair}}, Result: pair, Defs: defs,
		Associative: true, Neutral: lift.Of(lift.Tuple, lift.Number(expr.Int32, "0"), f.Neutral),
	})
}

// nameOf is the name of a function as a part of another name.
func nameOf(f *lift.UserFun) string {
	switch f.Name {
	case "+":
		return "sum"
	case "*":
		return "product"
	}
	return f.Name
}

func segmentsScan(m *Match) *lift.Term {
	k := m.Term.Kids
	z, starts, xs := k[1], k[2], k[3]
	op := folds(k[0], z)
	if op == nil || xs.Type.Len == (lift.Size{}) {
		return nil
	}
	f := anew(op)
	pairs := bounds(starts)
	if f == nil || f.Err() != nil || pairs.Err() != nil {
		return nil
	}
	two := []lift.Param{{Name: "a", Type: lift.Int32}, {Name: "b", Type: lift.Int32}}
	head := scalarFun(lift.UserFun{Name: "segment_head", Params: two, Result: lift.Int32, Defs: []expr.Expr{parsed("if(a < b, a, -1)")}})
	last := scalarFun(lift.UserFun{Name: "segment_last", Params: two[1:], Result: lift.Int32, Defs: []expr.Expr{parsed("if(b > 0, b - 1, 0)")}})
	ended, name := []expr.Expr{}, []string{"segment_value"}
	for i, c := range lift.Components(z.Type) {
		x, other := expr.Expr(expr.Var{Name: "x"}), expr.Expr(expr.Var{Name: "z"})
		if z.Type.Kind == lift.TupleType {
			at := []expr.Expr{expr.Int{Value: int64(i)}}
			x, other = &expr.Access{Array: "x", Index: at}, &expr.Access{Array: "z", Index: at}
		}
		ended = append(ended, &expr.Cond{If: parsed("a < b"), Then: x, Else: other})
		name = append(name, string(c.DType))
	}
	end := scalarFun(lift.UserFun{
		Name: strings.Join(name, "_"), Params: append(two[:2:2], lift.Param{Name: "x", Type: z.Type}, lift.Param{Name: "z", Type: z.Type}), Result: z.Type, Defs: ended,
	})
	n, zero, one := xs.Type.Len, lift.Number(expr.Int32, "0"), lift.Number(expr.Int32, "1")
	zeros := lift.Of(lift.Map, lift.Fn1(lift.Int32, func(*lift.Term) *lift.Term { return lift.ID(lift.Int32).Apply(zero) }),
		lift.GenerateOf(n, lift.Fn1(lift.Int32, func(i *lift.Term) *lift.Term { return i })))
	heads := lift.Of(lift.Put, zeros, lift.Of(lift.Map, lift.Fn1(pairs.Type.Elem, func(p *lift.Term) *lift.Term {
		return lift.Of(lift.Tuple, head.Apply(lift.GetOf(0, p), lift.GetOf(1, p)), one)
	}), pairs))
	return lift.Of(lift.Let, lift.Fn1(heads.Type, func(heads *lift.Term) *lift.Term {
		pairsOf := lift.Of(lift.Zip, heads, xs)
		if xs.Op == lift.Map {
			pairsOf = mapOfZip(heads, xs, func(h, x *lift.Term) *lift.Term { return lift.Of(lift.Tuple, h, x) })
		}
		scan := lift.Of(lift.Scan, f, f.User.Neutral, pairsOf)
		return lift.Of(lift.Let, lift.Fn1(scan.Type, func(s *lift.Term) *lift.Term {
			return lift.Of(lift.Map, lift.Fn1(pairs.Type.Elem, func(p *lift.Term) *lift.Term {
				a, b := lift.GetOf(0, p), lift.GetOf(1, p)
				return end.Apply(a, b, lift.GetOf(1, lift.Of(lift.At, last.Apply(b), s)), z)
			}), pairs)
		}), scan)
	}), heads)
}
