package polycount

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestUnbounded(t *testing.T) {
	for _, c := range []struct{ set, direction, condition string }{
		{"{ [i] : i >= 0 }", "+1 in i", ""},
		{"{ [i,j] : 0 <= i <= 3 and j <= i }", "-1 in j", ""},
		{"[n] -> { [i,j] : 0 <= i and i - 1 <= j <= i and n >= 5 }", "+1 in i, +1 in j", "[n] -> { : n >= 5 }"},
		{"[n] -> { [i] : n mod 2 = 0 and i >= n }", "+1 in i", "[n] -> { : n mod 2 = 0 }"},
		{"[n] -> { [i] : 0 <= i < n; [i] : i >= 0 and n = 7 }", "+1 in i", "[n] -> { : n = 7 }"},
		{"{ [i,j] : 2j <= i <= 2j + 1 and j >= 4 }", "+2 in i, +1 in j", ""},
	} {
		_, err := mustSet(t, c.set).Count()
		var u *UnboundedError
		if !errors.As(err, &u) {
			t.Errorf("%s: %v", c.set, err)
			continue
		}
		if !strings.Contains(err.Error(), c.direction) {
			t.Errorf("%s: %v, want the direction %s", c.set, err, c.direction)
		}
		if got := u.Condition; (got == nil) != (c.condition == "") || got != nil && !must(got.IsEqual(mustSet(t, c.condition))) {
			t.Errorf("%s: condition %v, want %q", c.set, got, c.condition)
		}
	}
	for _, finite := range []string{
		"{ [i] : i >= 0 and i <= -1 }",
		"{ [i,j] : 1 <= 3i - 6j <= 2 }", // unbounded over the rationals, empty over the integers
		"{ [i] : exists (j : j >= i and 0 <= i <= 5) }",
	} {
		if _, err := mustSet(t, finite).Count(); err != nil {
			t.Errorf("%s: %v", finite, err)
		}
	}
}

const hard = "[a,b,c,p,q] -> { [r,s,t,u,v,w,x,y,z] : 0 <= r,s,t,u,v,w,x,y,z and r + s + t = a and u + v + w = b and x + y + z = c and r + u + x = p and s + v + y = q }"

func TestBudgetAndCancellation(t *testing.T) {
	s := mustSet(t, hard)
	if _, err := s.Count(WithLimit(100_000)); !errors.Is(err, ErrBudget) {
		t.Errorf("limit: %v", err)
	}
	const early = 3
	ctx := &lookedAt{Context: context.Background()}
	ctx.left.Store(early)
	if _, err := s.Count(WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
	if after := -ctx.left.Load(); after != 1 {
		t.Errorf("what is done was looked at %d times", after)
	}
}

// lookedAt is a context that is done once it has been looked at so many times: in the midst of work on a machine of any speed.
type lookedAt struct {
	context.Context
	left atomic.Int64
}

func (c *lookedAt) Err() error {
	if c.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// What is refused for its work has not taken much memory before.
func TestMemoryUnderBudget(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("it takes seconds: LONG=1")
	}
	var union strings.Builder // boxes that overlap in general position, skewed and with moduli
	for i := range 40 {
		fmt.Fprintf(&union, "[x,y,z] : %d <= x + %dy < n + %d and %d*z <= %d*x + %d*y + m and x,y,z >= -%d and x,y,z <= n and (x + %d*z) mod %d <= 1; ", i, i%5, 7*i, 2+i%3, i%7, i%4, i, i%5, 3+i%5)
	}
	product := func(opts ...Option) error {
		terms := func(names string) *Poly {
			s := "[a,b,c,d,e,f] -> { 0"
			for i := range 24 {
				for j := range 24 {
					s += fmt.Sprintf(" + %d*%c^%d*%c^%d*%c^%d", i+j+1, names[0], i, names[1], j, names[2], (i*j)%17)
				}
			}
			return must(ParsePoly(s + " }"))
		}
		p, q := terms("abc"), terms("def")
		p, err := p.Mul(p, opts...)
		if err == nil {
			q, err = q.Mul(q, opts...)
		}
		if err == nil {
			_, err = p.Mul(q, opts...)
		}
		return err
	}
	limits := map[string]int64{"cones": 1_000_000, "union": 10_000_000, "product": 10_000_000}
	for name, f := range map[string]func(...Option) error{
		"cones": func(o ...Option) error { _, err := mustSet(t, hard).Count(o...); return err },
		"union": func(o ...Option) error {
			_, err := mustSet(t, "[n,m] -> { "+union.String()+" }").Count(o...)
			return err
		},
		"product": product,
	} {
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		done, peak := make(chan error), uint64(0)
		go func() { done <- f(WithLimit(limits[name])) }()
		var err error
		for running := true; running; {
			select {
			case err = <-done:
				running = false
			case <-time.After(5 * time.Millisecond):
			}
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		if !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v", name, err)
		}
		if mib := (int64(peak) - int64(before.HeapAlloc)) >> 20; mib > 256 {
			t.Errorf("%s: %d MiB", name, mib)
		} else {
			t.Logf("%s: %d MiB", name, mib)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := f(WithContext(ctx)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

func TestOverflowIsReported(t *testing.T) {
	s := mustSet(t, "[n] -> { [i,j] : n >= 0 and 4611686018427387903i = 4611686018427387901j + 2n + 1 and 0 <= i,j <= 9 and n <= 1 }")
	if empty, err := s.IsEmpty(); err != nil || !empty {
		t.Errorf("%v: empty %v, %v", s, empty, err)
	}
	s = mustSet(t, "[n] -> { [i,j] : 4611686018427387903i <= 4611686018427387901j + n and 4611686018427387899j <= 9223372036854775807i - 3n }")
	if _, err := s.IsEmpty(); err != nil && !errors.Is(err, ErrOverflow) {
		t.Errorf("%v", err)
	}
	if _, err := ParseSet("{ [i] : 9223372036854775807i + i >= 0 }"); !errors.Is(err, ErrOverflow) {
		t.Errorf("%v", err)
	}
	if _, err := ParseSet("{ [i] : i <= 9223372036854775808 }"); err == nil {
		t.Errorf("a number of more than 64 bits is read")
	}
	far := Name("i").Scale(1 << 62).Scale(4)
	for _, a := range []Affine{far, far.Add(Name("j")), Name("j").Sub(far), far.Scale(0), far.FloorDiv(3), far.Mod(3), Int(math.MinInt64).Neg(), Int(math.MaxInt64).AddInt(1), Name("i").Subst(map[string]Affine{"i": far}), far.Subst(map[string]Affine{"i": Int(0)})} {
		if !errors.Is(a.Err(), ErrOverflow) || a.IsConstant() || a.Len() == 0 {
			t.Errorf("%v: %v", a, a.Err())
		}
		if _, err := a.Eval(map[string]int64{"i": 0, "j": 0}); !errors.Is(err, ErrOverflow) {
			t.Errorf("the value of %v: %v", a, err)
		}
		for _, c := range append(EQ(a, Int(1)).Negate(), GE(Int(1), a)) {
			if _, err := mustSet(t, "{ [i] : i >= 0 }").Constrain(c); !errors.Is(err, ErrOverflow) {
				t.Errorf("constrained by %v: %v", c, err)
			}
			if _, err := NewSystem(c); !errors.Is(err, ErrOverflow) {
				t.Errorf("a system of %v: %v", c, err)
			}
		}
	}
	for _, c := range []Constraint{{Affine: Name("i").Scale(4).AddInt(math.MinInt64)}, {Affine: Name("i").Scale(-4).AddInt(math.MinInt64), Equality: true}} {
		s := must(NewSet(nil, []string{"i"}).Constrain(c))
		if back := mustSet(t, s.String()); !must(back.IsEqual(s)) {
			t.Errorf("%v prints as %v", c, s)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[n] -> { [i] : 0 <= k < n }", "1:21: unknown name \"k\""},
		{"{ [i] : 0 <= i < }", `1:18: a value is missing between "<" and "}"`},
		{"{ [i] : i * i >= 0 }", "1:11: the product of two variables"},
		{"{ [i] : i mod 0 = 0 }", "1:15: the divisor must be a positive constant"},
		{"{ [i] : i/(n - 1) = 0 }", "1:10: a division must be by a positive constant"},
		{"{ [i] : i/0 = 0 }", "1:10: a division must be by a positive constant"},
		{"{ [i] : 3/(1/2) <= i }", "1:10: a division must be by a positive constant"},
		{"{ [i] : i = 0", "1:14: expected \"}\""},
		{"{ [i] -> [j] : i = j }", "1:7: a set is needed"},
		{"{ [i] : i @ 0 }", "1:11: unexpected character '@'"},
		{"[n,n] -> { [i] : i = n }", "1:4: parameter \"n\" stands twice"},
		{"{ [i] : i = 0; [i,j] : i = j }", "1:16: disjuncts of different dimension"},
		{"{ [i] :\n  0 <= i < m }", "2:12: unknown name \"m\""},
		{"{ [i] : 0 <= i < 0x10 }", "1:19: unknown name \"x10\""},
		{"{ [i] : 0 <= i < k - k + 3 }", "1:18: unknown name \"k\""},
		{"{ [i] : i > 3 and i < 2 and i = k }", "1:33: unknown name \"k\""},
		{"{ [i] : false and exists e : i = 2e + k }", "1:39: unknown name \"k\""},
		{"{ [i] : (exists e : i = 2e) and e > 3 }", "1:33: unknown name \"e\""},
		{"{ [i, 0k] : 0 <= i < 3 }", "1:8: unknown name \"k\""},
		{"{ [[i] -> [j]] : 0 <= i,j < 3 }", "1:4: nested tuples are not known here: write them flat, [i, j]"},
		{"{ A[B[i] -> C[j]] }", "1:5: nested tuples are not known here"},
		{"{ [i] : [i,2] = 3 }", "1:9: a tuple has no place in an expression"},
		{"{ [i,j] : i,j << 3 }", "1:15: \"<<\" compares tuples of one length, here of 2 and 1"},
		{"{ [i] : 0 <= i < (i > 3 ? 2) }", "1:28: expected \":\""},
		{"{ [i] : 0 <= i < (k > 3 ? 2 : 4) }", "1:19: unknown name \"k\""},
		{"{ [i] : 0 <= i < (exists k : i = 2k ? 2 : 4) }", "1:19: exists has no place in the condition of ? :"},
		{"{ [i] : 9223372036854775808 <= i }", "1:9: the number 9223372036854775808 does not fit"},
	} {
		_, err := ParseSet(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestNotation(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"{ [i] : 0 <= i <= 4 and i != 2 }", "{ [i] : i = 0 or i = 1 or 3 <= i <= 4 }"},
		{"{ [i] : not (i < 0 or i > 4) }", "{ [i] : 0 <= i <= 4 }"},
		{"{ [i] : !(i < 0) && i <= 4 }", "{ [i] : 0 <= i <= 4 }"},
		{"{ [i] : i >= 0 implies i <= 4 }", "{ [i] : i <= 4 }"},
		{"{ [i, 2i] : 0 <= i < 3 }", "{ [i,j] : j = 2i and 0 <= i <= 2 }"},
		{"{ [i, j = i + 1] : 0 <= i < 3 }", "{ [i,j] : j = i + 1 and 0 <= i <= 2 }"},
		{"[n] -> { [n] : n > 2 }", "[n] -> { [i] : i = n and n >= 3 }"},
		{"{ [i] : i % 3 = 1 and 0 <= i < 9 }", "{ [1]; [4]; [7] }"},
		{"{ [i] : 2i // 3 = 2 }", "{ [i] : i = 3 or i = 4 }"},
		{"{ [i] : ceil(i/3) = 1 }", "{ [i] : 1 <= i <= 3 }"},
		{"{ [i] : floord(i, 3) = 1 }", "{ [i] : 3 <= i <= 5 }"},
		{"{ [i] : [(i)/3] = 1 }", "{ [i] : 3 <= i <= 5 }"},
		{"{ [i] : floor(i/2 + 1/2) = 1 }", "{ [i] : 1 <= i <= 2 }"},
		{"[n] -> { [i] : max(0, n) <= i <= min(4, n + 2) }", "[n] -> { [i] : 0 <= i and n <= i and i <= 4 and i <= n + 2 }"},
		{"{ [i] : exists j, k = 2 : i = 3j + k and 0 <= j < 2 }", "{ [2]; [5] }"},
		{"{ [i] : exists (i : i = 2) and i = 1 }", "{ [1] }"},
		{"{ [i,j] : i,j = 1,2 }", "{ [i,j] : false }"},
		{"{ : }", "{ : true }"},
		// quotients are rational numbers until they are rounded
		{"[n] -> { [i] : 0 <= i < n/16 }", "[n] -> { [i] : 0 <= i < floor(n/16) }"},
		{"[n] -> { [i] : 0 <= i and n/16 > i }", "[n] -> { [i] : 0 <= i and 16i <= n - 16 }"},
		{"[n] -> { [i] : i > n/16 and not (i > 9) }", "[n] -> { [i] : 16i >= n + 16 and i <= 9 }"},
		{"[n] -> { [i] : 0 <= i <= (n-1)/2 }", "[n] -> { [i] : 0 <= i and 2i <= n - 1 }"},
		{"[n] -> { [i] : i = n/2 }", "[n] -> { [i] : 2i = n }"},
		{"[n] -> { [i] : i != n/2 and 0 <= i < n }", "[n] -> { [i] : 0 <= i < n and not (2i = n) }"},
		{"[n,m] -> { [i] : -n/6 + 1/4 < i <= m/3/2 - 2 }", "[n,m] -> { [i] : 15 - 2n <= 12i and 6i <= m - 12 }"},
		{"[n,m] -> { [i] : max(n/2, m/3) <= i < min(n, 3m/2 + 5) }", "[n,m] -> { [i] : n <= 2i and m <= 3i and i < n and 2i <= 3m + 8 }"},
		{"[n] -> { [i] : i = floor((n/2 + 1/3)/2) }", "[n] -> { [i] : 12i <= 3n + 2 < 12i + 12 }"},
		{"[n] -> { [i] : i = ceil(n/4 - 1/2) }", "[n] -> { [i] : 4i - 4 < n - 2 <= 4i }"},
		{"[n] -> { [i] : (n/2) mod 3 = i }", "[n] -> { [i] : exists (q : 2i = n - 6q and 0 <= i < 3) }"},
		{"[n] -> { [i] : n/2 // 3 = i }", "[n] -> { [i] : 6i <= n < 6i + 6 }"},
		{"[n] -> { [i] : 4n/2 <= i < 16*n/4 }", "[n] -> { [i] : 2n <= i < 4n }"},
		{"[n] -> { [n/2] : n > 0 }", "[n] -> { [i] : 2i = n and n > 0 }"},
		{"{ [] }", "{ : 1 >= 0 }"},
		// tuples by the order of words
		{"{ [i,j] : 0 <= i,j < 3 and i,j << 1,2 }", "{ [0,0]; [0,1]; [0,2]; [1,0]; [1,1] }"},
		{"{ [i,j] : 0 <= i,j < 3 and [i,j] <<= [1,0] }", "{ [0,0]; [0,1]; [0,2]; [1,0] }"},
		{"{ [i,j] : 0 <= i,j < 3 and [i,j] >> [1,1] }", "{ [1,2]; [2,0]; [2,1]; [2,2] }"},
		{"[n] -> { [i,j] : 0 <= i,j < n and not ([i, j] >>= [j, i]) }", "[n] -> { [i,j] : 0 <= i < j < n }"},
		{"{ [i] : [0] << [i] <<= [3] }", "{ [1]; [2]; [3] }"},
		// cases
		{"[n] -> { [i] : 0 <= i < (n > 5 ? 2n : n + 1) }", "[n] -> { [i] : 0 <= i and (n >= 6 and i < 2n or n <= 5 and i <= n) }"},
		{"[n] -> { [i] : 0 <= i < 2*(n mod 2 = 0 ? n : n < 3 ? 1 : 3) + 1 }", "[n] -> { [i] : 0 <= i and (n mod 2 = 0 and i <= 2n or n mod 2 = 1 and n < 3 and i <= 2 or n mod 2 = 1 and n >= 3 and i <= 6) }"},
		{"{ [i] : 0 <= i < 6 and ((i < 2 or i > 4) and i != 1 ? 1 : 0) = 1 }", "{ [0]; [5] }"},
		{"{ [i] : 0 <= i < 6 and ((i < 2 ? 0 : 1) = 1 or i = 0) }", "{ [i] : i = 0 or 2 <= i < 6 }"},
		{"{ [(3 > 2 ? 7 : 8)] }", "{ [7] }"},
		{"{ [i] : 0 <= i < 9 and (min(i, 4) != 4 ? 0 : 1) = 1 }", "{ [i] : 4 <= i < 9 }"},
	} {
		a, err := ParseSet(c.a)
		if err != nil {
			t.Errorf("%s: %v", c.a, err)
			continue
		}
		b := mustSet(t, c.b)
		b.dims = a.dims
		if eq, err := a.IsEqual(b); err != nil || !eq {
			t.Errorf("%s is %v, want %v (%v)", c.a, a, b, err)
		}
	}
}

func TestUnusedParametersNeedNoValue(t *testing.T) {
	p := must(ParsePoly("[n,m] -> { 4*n : n > 0 }"))
	if got := must(p.Eval(map[string]int64{"n": 3})).RatString(); got != "12" {
		t.Errorf("%v at n = 3: %v", p, got)
	}
	e := p.Compile([]string{"n"})
	if v, ok := e.Int64([]int64{3}); v != 12 || !ok || e.Big([]int64{3}).Int64() != 12 {
		t.Errorf("%v compiled, at n = 3: %v", p, v)
	}
	for _, needed := range []string{"[m,n] -> { 4*n : m > 0 }", "[m,n] -> { floor((n + m)/3) }", "[m,n] -> { n : m mod 2 = 0 }", "[n,m] -> { floor((n + 2*floor((m + n)/3))/5) }"} {
		if _, err := must(ParsePoly(needed)).Eval(map[string]int64{"n": 3}); err == nil || !strings.Contains(err.Error(), `parameter "m"`) {
			t.Errorf("%s without m: %v", needed, err)
		}
	}
}

func TestMaps(t *testing.T) {
	for _, c := range []struct{ m, domain, rng, card string }{
		{"[n] -> { [i,j] -> [2i + j] : 0 <= i,j < n }", "[n] -> { [i,j] : 0 <= i,j < n }", "[n] -> { [a] : 0 <= a <= 3n - 3 and n >= 2; [0] : n = 1 }", "[n,i,j] -> { 1 : 0 <= i < n and 0 <= j < n }"},
		{"[n] -> { A[i] -> B[j] : 0 <= j <= i < n }", "[n] -> { A[i] : 0 <= i < n }", "[n] -> { B[j] : 0 <= j < n }", "[n,i] -> { i + 1 : 0 <= i < n }"},
		{"{ [i] -> [i, i + 1] : 0 <= i < 3; [i] -> [i, 7] : i = 9 }", "{ [i] : 0 <= i < 3 or i = 9 }", "{ [0,1]; [1,2]; [2,3]; [9,7] }", "[i] -> { 1 : 0 <= i < 3; 1 : i = 9 }"},
	} {
		m := must(ParseMap(c.m))
		for _, x := range []struct {
			what string
			got  *Set
			want string
		}{{"domain", must(m.Domain()), c.domain}, {"range", must(m.Range()), c.rng}, {"preimage of the range", must(m.Preimage(must(m.Range()))), c.domain}, {"image of the domain", must(m.Apply(must(m.Domain()))), c.rng}} {
			want := mustSet(t, x.want)
			want.dims = x.got.dims
			if !must(x.got.IsEqual(want)) {
				t.Errorf("%s of %v: %v, want %v", x.what, m, x.got, want)
			}
		}
		if got := must(m.Card()); !must(got.Equal(must(ParsePoly(c.card)))) {
			t.Errorf("card of %v: %v, want %v", m, got, c.card)
		}
		if back := must(ParseMap(m.String())); !must(back.Graph().IsEqual(m.Graph())) {
			t.Errorf("%v reads as %v", m, back)
		}
	}
}

func TestThen(t *testing.T) {
	a := must(ParseMap("[n] -> { [i] -> [j] : j = 2i and 0 <= i < n }"))
	b := must(ParseMap("{ [i] -> [i + 1, k] : 0 <= k < i }"))
	want := mustSet(t, "[n] -> { [i,x,y] : 0 <= i < n and x = 2i + 1 and 0 <= y < 2i }")
	got := must(a.Then(b)).Graph()
	want.dims = got.dims
	if !must(got.IsEqual(want)) {
		t.Errorf("%v", got)
	}
}

func TestZeroDimensionalSetHasOnePoint(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"{ : }", "{ 1 }"}, {"{ [] }", "{ 1 }"}, {"[n] -> { : n > 3 }", "[n] -> { 1 : n >= 4 }"}, {"{ : false }", "{ 0 }"},
	} {
		if got := must(mustSet(t, c.set).Count()); got.String() != c.want {
			t.Errorf("%s: %v", c.set, got)
		}
	}
}
