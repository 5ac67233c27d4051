package lift

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whole numbers have the bits of their types, at every step of a definition.
func TestBits(t *testing.T) {
	p, err := Parse(`program mix
def u(x: uint32, k: int32): uint32 = c ^ (c >> 16)
    where a = x ^ (x << 13)
    where b = (a ^ (a >> 17)) * 747796405
    where c = ~b + (b << 5) - (k & 7 | 3)
def i(x: int32): int32 = (~x >> 3) ^ (x & 255 | 4)
def h(x: uint8): uint8 = (x << 4) + (x >> 4)
def f(x: float32, k: uint32): float32 = x - k
fun(x: uint32, k: int32, h8: uint8, a: float32 => tuple(u(x, k), i(k), h(h8), f(a, x)))`)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x, k, b := rapid.Uint32().Draw(t, "x"), rapid.Int32().Draw(t, "k"), rapid.Uint8().Draw(t, "b")
		for _, float := range []bool{false, true} {
			v, err := Eval(p, nil, []Value{Exact(int64(x), 1), Exact(int64(k), 1), Exact(int64(b), 1), Exact(2, 1)}, EvalOptions{Float: float})
			if err != nil {
				t.Fatal(err)
			}
			c := x ^ x<<13
			c = (c ^ c>>17) * 747796405
			c = ^c + c<<5 - uint32(k&7|3)
			want := []Value{Exact(int64(c^c>>16), 1), Exact(int64(^k>>3^(k&255|4)), 1), Exact(int64(b<<4+b>>4), 1), Exact(2-int64(x), 1)}
			for i, w := range want {
				if err := Same(v.(Values)[i], w, 0); err != nil {
					t.Errorf("component %d: %v", i, err)
				}
			}
		}
	})
}

func TestBitsRefuse(t *testing.T) {
	for def, want := range map[string]string{
		"x & 0.5": "operator & works on whole numbers, not on 3 and 1/2",
		"x << 32": "3 << 32: a shift is by 0 to 31 bits",
		"x >> -1": "3 >> -1: a shift is by 0 to 31 bits",
	} {
		p, err := Parse("def f(x: int32): int32 = " + def + "\nfun(x: int32 => f(x))")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Eval(p, nil, []Value{Exact(3, 1)}, EvalOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", def, err, want)
		}
	}
}
