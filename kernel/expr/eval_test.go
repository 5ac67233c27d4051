package expr_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel/expr"
)

// anIndex draws an integer expression over i, n and m; divisors may be zero.
func anIndex(depth int) *rapid.Generator[expr.Expr] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.OneOf(rapid.Int64Range(-5, 5), rapid.Int64()), func(v int64) expr.Expr { return expr.Int{v} }),
		rapid.Map(rapid.SampledFrom([]string{"i", "n", "m"}), func(name string) expr.Expr { return expr.Var{name} }),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) expr.Expr {
		op := rapid.SampledFrom([]expr.OpKind{"", expr.Neg, expr.Add, expr.Sub, expr.Mul, expr.FloorDiv, expr.Mod, expr.Min, expr.Max}).Draw(t, "op")
		sub := anIndex(depth - 1)
		switch op {
		case "":
			return leaf.Draw(t, "leaf")
		case expr.Neg:
			return &expr.Op{expr.Neg, []expr.Expr{sub.Draw(t, "a")}}
		case expr.Add, expr.Mul, expr.Min, expr.Max:
			return &expr.Op{op, rapid.SliceOfN(sub, 2, 3).Draw(t, "args")}
		}
		return expr.Binary(op, sub.Draw(t, "a"), sub.Draw(t, "b"))
	})
}

// aPoint draws values, small ones and some near the ends of 64 bits.
func aPoint(t *rapid.T) map[string]int64 {
	value := rapid.OneOf(rapid.Int64Range(-20, 20), rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
	return map[string]int64{"i": value.Draw(t, "i"), "n": value.Draw(t, "n"), "m": value.Draw(t, "m")}
}

// bigAt evaluates by the definitions of floor division and remainder alone.
func bigAt(e expr.Expr, at map[string]int64) (v *big.Int, ok bool) {
	switch x := e.(type) {
	case expr.Int:
		return big.NewInt(x.Value), true
	case expr.Var:
		return big.NewInt(at[x.Name]), true
	case *expr.Op:
		for i, arg := range x.Args {
			w, ok := bigAt(arg, at)
			if !ok {
				return nil, false
			}
			switch {
			case x.Kind == expr.Neg:
				v = new(big.Int).Neg(w)
			case i == 0:
				v = w
			case x.Kind == expr.Add:
				v = new(big.Int).Add(v, w)
			case x.Kind == expr.Sub:
				v = new(big.Int).Sub(v, w)
			case x.Kind == expr.Mul:
				v = new(big.Int).Mul(v, w)
			case x.Kind == expr.Min && w.Cmp(v) < 0, x.Kind == expr.Max && w.Cmp(v) > 0:
				v = w
			case x.Kind == expr.FloorDiv || x.Kind == expr.Mod:
				if w.Sign() == 0 {
					return nil, false
				}
				q, r := new(big.Int).DivMod(v, w, new(big.Int)) // r >= 0
				if w.Sign() < 0 && r.Sign() != 0 {
					q, r = q.Sub(q, big.NewInt(1)), r.Add(r, w)
				}
				v = map[expr.OpKind]*big.Int{expr.FloorDiv: q, expr.Mod: r}[x.Kind]
			}
		}
	}
	return v, true
}

func TestIntegersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, at := anIndex(3).Draw(t, "e"), aPoint(t)
		want, ok := bigAt(e, at)
		got, err := expr.EvalInt(e, at)
		if (err == nil) != ok || ok && got.Cmp(want) != 0 {
			t.Fatalf("%s at %v is %v (%v), want %v", e, at, got, err, want)
		}
		if v, fits := expr.EvalInt64(e, at); fits && (!ok || want.Cmp(big.NewInt(v)) != 0) {
			t.Fatalf("%s at %v is %d in 64 bits, want %v", e, at, v, want)
		}
	})
}

func TestSymbolicFormsAgreeWithValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anIndex(3).Draw(t, "e")
		value := rapid.Int64Range(-50, 50)
		at := map[string]int64{"i": value.Draw(t, "i"), "n": value.Draw(t, "n"), "m": value.Draw(t, "m")}
		want, err := expr.EvalInt(e, at)
		if err != nil || !want.IsInt64() {
			t.Skip("no value of 64 bits")
		}
		if a, err := expr.ToAffine(e, nil); err == nil {
			if v, err := a.Eval(at); err == nil && v != want.Int64() {
				t.Fatalf("%s is the affine %s, whose value at %v is %d, want %v", e, a, at, v, want)
			}
		}
		if p, err := expr.PolyOf(e, nil); err == nil {
			if v, err := p.Eval(at); err != nil || v.Cmp(want) != 0 {
				t.Fatalf("%s is the polynomial %s, whose value at %v is %v (%v), want %v", e, p, at, v, err, want)
			}
		}
	})
}

// span is an interval of integers.
type span struct{ lo, hi int64 }

// spans are intervals, conditions 0 or 1: the domain in which conditions may be unknown.
var spans = expr.Domain[span]{
	Int: func(v int64) span { return span{v, v} },
	Unary: func(op expr.OpKind, a span) (span, error) {
		if op != expr.Neg {
			return a, expr.ErrNoValue
		}
		return span{-a.hi, -a.lo}, nil
	},
	Binary: func(op expr.OpKind, a, b span) (span, error) {
		switch op {
		case expr.Add:
			return span{a.lo + b.lo, a.hi + b.hi}, nil
		case expr.Max:
			return span{max(a.lo, b.lo), max(a.hi, b.hi)}, nil
		case expr.Lt:
			return span{btoi(a.hi < b.lo), btoi(a.lo < b.hi)}, nil
		}
		return a, expr.ErrNoValue
	},
	Truth: func(a span) expr.Truth {
		switch {
		case a.lo > 0 || a.hi < 0:
			return expr.True
		case a.lo == 0 && a.hi == 0:
			return expr.False
		}
		return expr.Unknown
	},
	Bool: func(t expr.Truth) span {
		return map[expr.Truth]span{expr.True: {1, 1}, expr.False: {0, 0}, expr.Unknown: {0, 1}}[t]
	},
	Either: func(a, b span) (span, error) { return span{min(a.lo, b.lo), max(a.hi, b.hi)}, nil },
}

func btoi(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// aSelect draws an expression of sums, maxima, comparisons, logic and selects.
func aSelect(depth int) *rapid.Generator[expr.Expr] {
	if depth == 0 {
		return rapid.OneOf(
			rapid.Map(rapid.Int64Range(-3, 3), func(v int64) expr.Expr { return expr.Int{v} }),
			rapid.Map(rapid.SampledFrom([]string{"i", "n", "m"}), func(name string) expr.Expr { return expr.Var{name} }),
		)
	}
	return rapid.Custom(func(t *rapid.T) expr.Expr {
		sub := aSelect(depth - 1)
		switch op := rapid.SampledFrom([]expr.OpKind{"", "if", expr.Neg, expr.Not, expr.Add, expr.Max, expr.Lt, expr.And, expr.Or}).Draw(t, "op"); op {
		case "":
			return aSelect(0).Draw(t, "leaf")
		case "if":
			return &expr.Cond{sub.Draw(t, "if"), sub.Draw(t, "then"), sub.Draw(t, "else")}
		case expr.Neg, expr.Not:
			return &expr.Op{op, []expr.Expr{sub.Draw(t, "a")}}
		default:
			return expr.Binary(op, sub.Draw(t, "a"), sub.Draw(t, "b"))
		}
	})
}

// An interval contains the values at all points of a box, also where conditions are unknown on it; on a single point it
// is the value.
func TestIntervalsContainValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := aSelect(4).Draw(t, "e")
		box, at := map[string]span{}, map[string]int64{}
		for _, name := range []string{"i", "n", "m"} {
			lo := rapid.Int64Range(-4, 4).Draw(t, name)
			box[name] = span{lo, lo + rapid.Int64Range(0, 3).Draw(t, name+" length")}
			at[name] = rapid.Int64Range(box[name].lo, box[name].hi).Draw(t, name+" at")
		}
		over := func(box map[string]span) span {
			v, err := spans.Eval(e, func(e expr.Expr) (span, error) { return box[e.(expr.Var).Name], nil })
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		v := over(map[string]span{"i": {at["i"], at["i"]}, "n": {at["n"], at["n"]}, "m": {at["m"], at["m"]}})
		if all := over(box); v.lo != v.hi || v.lo < all.lo || v.hi > all.hi {
			t.Fatalf("%s is %v at %v, and %v over %v", e, v, at, all, box)
		}
	})
}

func TestEvalStopsWhereTheResultIsDecided(t *testing.T) {
	for _, c := range []struct{ text, reads string }{
		{"u and f and x", "uf"},
		{"f and x", "f"},
		{"f or u or x", "fux"},
		{"t or x", "t"},
		{"x if t else u", "tx"},
		{"x if f else u", "fu"},
		{"x if u else t", "uxt"},
	} {
		reads := ""
		_, err := spans.Eval(parsedExpr(t, c.text), func(e expr.Expr) (span, error) {
			reads += e.(expr.Var).Name
			return map[string]span{"t": {1, 1}, "f": {0, 0}, "u": {0, 1}, "x": {0, 1}}[e.(expr.Var).Name], nil
		})
		if err != nil || reads != c.reads {
			t.Errorf("%s reads %q (%v), want %q", c.text, reads, err, c.reads)
		}
	}
}
