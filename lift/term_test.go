package lift

import (
	"strings"
	"testing"

	"gpuperf/kernel/expr"
)

func builtinOf(t *testing.T, name string) *Term {
	t.Helper()
	f, err := Builtin(name, expr.Float32)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Two lambdas that differ in how they were made are one term; a tiled map prints as the papers write it.
func TestTermsAreShared(t *testing.T) {
	n := Sym("n")
	abs := builtinOf(t, "abs")
	tiled := func() *Term {
		return Fn1(Array(Float32, n), func(xs *Term) *Term {
			return JoinOf(MapDim(MapWrg, 0, Fn1(Array(Float32, Nat(128)), func(row *Term) *Term {
				return MapDim(MapLcl, 0, Fn1(Float32, func(x *Term) *Term { return abs.Apply(x) }), row)
			}), SplitOf(Nat(128), xs)))
		})
	}
	a := tiled()
	b := Fn1(Int32, func(*Term) *Term {
		return Fn1(Int32, func(*Term) *Term {
			return AtOf(0, Fn1(Array(Float32, n), func(xs *Term) *Term { return xs }).Apply(Of(Map, abs, GenerateOf(n, Fn1(Int32, func(*Term) *Term { return Number(expr.Float32, "1") })))))
		}).Body()
	})
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
	if a != tiled() {
		t.Error("the same term was made twice")
	}
	if got, want := a.String(), "join o mapWrg(0, mapLcl(0, abs)) o split(128)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := a.Type.String(), "([float32]n) -> [float32]n"; got != want {
		t.Errorf("type %s, want %s", got, want)
	}
	if got := a.Assumptions(); len(got) != 1 || got[0].String() != "128 | n" {
		t.Errorf("assumptions %v", got)
	}
}

// A lambda applied to an array of another length is typed anew.
func TestApplyRetypes(t *testing.T) {
	add, zero := builtinOf(t, "+"), Number(expr.Float32, "0")
	n := Sym("n")
	half := Fn1(Array(Float32, n), func(xs *Term) *Term {
		return JoinOf(Of(Map, Fn1(Array(Float32, Nat(2)), func(c *Term) *Term { return Of(Reduce, add, zero, c) }), SplitOf(Nat(2), xs)))
	})
	tree := Fn1(Array(Float32, Nat(16)), func(xs *Term) *Term { return IterateOf(4, half, xs) })
	if tree.Err() != nil {
		t.Fatal(tree.Err())
	}
	if got := tree.Type.Result; got != Array(Float32, Nat(1)) {
		t.Errorf("type %s", got)
	}
	five := Fn1(Array(Float32, Nat(16)), func(xs *Term) *Term { return IterateOf(5, half, xs) })
	if five.Err() == nil || !strings.Contains(five.Err().Error(), "2 | 1 never holds") {
		t.Errorf("16 elements cannot be halved 5 times: %v", five.Err())
	}
}

func TestTypeErrors(t *testing.T) {
	xs := Hole(Array(Float32, Nat(10)))
	for _, c := range []struct {
		term *Term
		want string
	}{
		{SplitOf(Nat(4), xs), "4 | 10 never holds"},
		{JoinOf(xs), "array of arrays, not on [float32]10"},
		{Of(Zip, xs, SlideOf(Nat(3), Nat(1), xs)), "lengths 10 and 8"},
		{SlideOf(Nat(3), Nat(2), xs), "2 | 7 never holds"},
		{SlideOf(Nat(11), Nat(1), xs), "10 >= 11 never holds"},
		{Of(Map, builtinOf(t, "+"), xs), "takes (float32, float32), but is given (float32)"},
		{Of(Reduce, builtinOf(t, "+"), Number(expr.Int32, "0"), xs), "initial value is int32"},
		{AtOf(10, xs), "10 >= 11 never holds"},
		{ScatterOf(mustIndex(t, "i//2"), xs), "permutes"},
		{GatherOf(mustIndex(t, "i + 1"), xs), "stays in"},
		{AsVectorOf(3, xs), "2, 4, 8 or 16"},
	} {
		if err := c.term.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want … %s …", err, c.want)
		}
	}
	if err := ScatterOf(mustIndex(t, "(3*i + 2) % n"), xs).Err(); err != nil {
		t.Errorf("3 and 10 are coprime: %v", err)
	}
}

func mustIndex(t *testing.T, text string) *IndexFun {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ExprIndex(e)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
