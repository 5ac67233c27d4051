package polycount

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// Footprints that leave two or more existentials: their counts, each with little work.
func TestFootprints(t *testing.T) {
	for _, c := range []struct{ m, want string }{
		{"[n] -> { [i,j,k] -> [i + j, 2i + 3k] : 0 <= i,j,k < n }", "[n] -> { 18 - 21*n + 8*n^2 : n >= 4; n^3 : 1 <= n <= 3 }"},
		{"[n] -> { [i,j,k] -> [3i + 5j, 2i + 7k] : 0 <= i,j,k < n }", "[n] -> { 7350 - 1295*n + 66*n^2 : n >= 36; n^3 : 1 <= n <= 35 }"},
		{"[n] -> { [i,j,k,l] -> [3i + 5j, 2k + 7l] : 0 <= i,j,k,l < n }", "[n] -> { 210 - 247*n + 72*n^2 : n >= 8; n^4 : 1 <= n <= 5; -15*n^2 + 8*n^3 : 6 <= n <= 7 }"},
		{"[n] -> { [i,j,k] -> [2i + 3j + 5k] : 0 <= i,j,k < n }", "[n] -> { -11 + 10*n : n >= 4; 1 - 3*n + 3*n^2 : 1 <= n <= 3 }"},
		{"[n] -> { [i,j,k,l] -> [13i + 11j + 7k + 5l] : 0 <= i,j,k,l < n }", "[n] -> { -49 + 36*n : n >= 4; -9 + 28*n - 32*n^2 + 16*n^3 - 2*n^4 : 1 <= n <= 3 }"},
		{"[n] -> { [i,j,k,l] -> [2i + 3j + 5k, i + j + l] : 0 <= i,j,k,l < n }", "[n] -> { 28 - 48*n + 21*n^2 : n > 0 }"},
		{"[n] -> { [i,j,k] -> [7i + 5j + 3k] : 0 <= i,j < n and 0 <= k < 4 }", "[n] -> { -8 + 12*n : n > 0 }"},
		{"[n] -> { [i,j,k] -> [6i + 10j + 15k] : 0 <= i,j,k < n }", "[n] -> { -60 + 31*n : n >= 6; n^3 : 1 <= n <= 3; -6*n + 5*n^2 : 4 <= n <= 5 }"},
		{"[n] -> { [i,j,k] -> [101i + 137j + 171k] : 0 <= i,j,k < n }", "[n] -> { -3160 + 409*n : n >= 20; n^3 : 1 <= n <= 8; 56 - 71*n + 16*n^2 : 9 <= n <= 19 }"},
		{"[n] -> { [i,j,k] -> [3i + 5j + 7k] : 0 <= k <= j and j <= i < n }", "[n] -> { -39 + 15*n : n >= 8; 1/3*n + 1/2*n^2 + 1/6*n^3 : 1 <= n <= 4; 24 - 59/3*n + 6*n^2 - 1/3*n^3 : 5 <= n <= 7 }"},
		{"[n,m] -> { [x,y,kx,ky] -> [4x + 6kx, 4y + 9ky] : 0 <= x < n and 0 <= y < m and 0 <= kx,ky < 5 }", "[n, m] -> { 81 + 18*n + 36*m + 8*n*m : n >= 4 and m >= 10; 45*n + 20*n*m : 1 <= n <= 3 and m >= 10; 25*n*m : 1 <= n <= 3 and 1 <= m <= 9; 45*m + 10*n*m : n >= 4 and 1 <= m <= 9 }"},
		// A direction in which the existentials are not bounded together.
		{"[n] -> { [i,j,k] -> [i] : 0 <= i < n and 2j >= 3k + i and 5j <= 9k }", "[n] -> { n : n > 0 }"},
		{"[n] -> { [i,j,k] -> [6i + 4j - 6k] : 0 <= i < n and j >= k }", ""},
	} {
		p, err := must(must(ParseMap(c.m)).Range()).Count(WithLimit(10_000_000))
		if c.want == "" {
			var u *UnboundedError
			if !errors.As(err, &u) {
				t.Errorf("%s: %v, %v, want an unbounded set", c.m, p, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.m, err)
			continue
		}
		if p.String() != c.want {
			t.Errorf("%s\n is  %v\n want %s", c.m, p, c.want)
		}
	}
	for _, m := range []string{
		"[n] -> { [i,j,k] -> [3i + 5j, 2i + 7k] : 0 <= i,j,k < n }",
		"[n] -> { [i,j,k] -> [6i + 10j + 15k] : 0 <= i,j,k < n }",
		"[n] -> { [i,j,k] -> [3i + 5j + 7k] : 0 <= k <= j and j <= i < n }",
	} {
		checkRange(t, m, []string{"n"}, [][]int64{{-1}, {0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {20}, {36}, {37}})
	}
}

// Unions and intersections of images, whose quantified forms go on.
func TestUnionsOfRanges(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"[n] -> { [i,j] -> [3i + 5j] : 0 <= i,j < n }", "[n] -> { [i,j] -> [5i + 7j + 1] : 0 <= i,j < n }"},
		{"[n] -> { [i,j,k] -> [i + j, 2i + 3k] : 0 <= i,j,k < n }", "[n] -> { [i,j] -> [i, 3j] : 0 <= i,j < 2n }"},
		{"[n] -> { [i,j] -> [4i + 6j] : 0 <= i < n and 0 <= j < 5 }", "[n] -> { [i,j] -> [6i + 9j] : 0 <= i < n and 0 <= j < 5 }"},
	} {
		a, b := must(must(ParseMap(c.a)).Range()), must(must(ParseMap(c.b)).Range())
		b = &Set{params: b.params, dims: a.dims, cs: b.cs, open: b.open, pending: b.pending}
		u, i := must(a.Union(b)), must(a.Intersect(b))
		pu, err := u.Count()
		if err != nil {
			t.Errorf("%s ∪ %s: %v", c.a, c.b, err)
			continue
		}
		pi, err := i.Count()
		if err != nil {
			t.Errorf("%s ∩ %s: %v", c.a, c.b, err)
			continue
		}
		for n := int64(-1); n < 9; n++ {
			at := map[string]int64{"n": n}
			in := map[string]int{}
			for k, text := range []string{c.a, c.b} {
				m := must(ParseMap(text))
				points := must(m.Graph().Points(at, 100_000))
				for _, p := range points {
					in[fmt.Sprint(p[len(m.in):])] |= 1 << k
				}
			}
			var both int64
			for _, v := range in {
				if v == 3 {
					both++
				}
			}
			if got := must(pu.Eval(at)); got.Num().Int64() != int64(len(in)) {
				t.Errorf("%s ∪ %s at %v: %v, want %d", c.a, c.b, at, got, len(in))
			}
			if got := must(pi.Eval(at)); got.Num().Int64() != both {
				t.Errorf("%s ∩ %s at %v: %v, want %d", c.a, c.b, at, got, both)
			}
		}
		for _, s := range []*Set{u, i} {
			again, err := ParseSet(s.String())
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			at := map[string]int64{"n": 4}
			if a, b := must(s.Fix(at)), must(again.Fix(at)); !must(a.IsEqual(b)) {
				t.Errorf("%v comes back as %v", a, b)
			}
		}
	}
}

// A set that stays quantified prints with exists and reads back, contains what it should, and has points.
func TestQuantifiedSet(t *testing.T) {
	s := must(must(ParseMap("[n] -> { [i,j,k] -> [3i + 5j, 2i + 7k] : 0 <= i,j,k < n }")).Range())
	if s.open == nil {
		t.Fatal("the quantified form is lost")
	}
	s = &Set{params: s.params, dims: s.dims, open: s.open, pending: true}
	text := s.String()
	if !strings.Contains(text, "exists") {
		t.Fatalf("printed as %s", text)
	}
	again, err := ParseSet(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	at := map[string]int64{"n": 3}
	points := must(again.Points(at, 1000))
	if len(points) != 27 {
		t.Fatalf("%d points, want 27", len(points))
	}
	for _, p := range points {
		if in := must(s.Contains(map[string]int64{"n": 3, s.dims[0]: p[0], s.dims[1]: p[1]})); !in {
			t.Errorf("%v is missing", p)
		}
	}
	if must(s.Contains(map[string]int64{"n": 3, s.dims[0]: 1, s.dims[1]: 0})) {
		t.Error("[1, 0] is in it")
	}
	fixed := must(s.Fix(at))
	if p, ok, err := fixed.Sample(); err != nil || !ok || !must(fixed.Contains(p)) {
		t.Errorf("sample %v, %v, %v", p, ok, err)
	}
	if n := must(fixed.Count()); n.String() != "{ 27 }" {
		t.Errorf("%v points", n)
	}
}

// Random images of random polytopes, their unions, and the same under exists, against enumeration.
func TestRandomShadows(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	budget := 0
	trials := *randomSets / 10
	for range trials {
		piece := func(out int) string {
			names := []string{"i", "j", "k", "l"}[:2+r.Intn(3)]
			var cs, forms []string
			for q, d := range names {
				lo, hi := fmt.Sprint(r.Intn(3)-1), []string{"n", "m", "4", "3", "n + m"}[r.Intn(5)]
				if q > 0 && r.Intn(4) == 0 {
					lo = names[r.Intn(q)]
				}
				cs = append(cs, fmt.Sprintf("%s <= %s < %s and %s <= 5", lo, d, hi, d))
			}
			if r.Intn(3) == 0 {
				cs = append(cs, fmt.Sprintf("%d*%s + %d*%s <= %d + n", 1+r.Intn(3), names[0], r.Intn(5)-2, names[1], r.Intn(6)))
			}
			if r.Intn(5) == 0 {
				cs = append(cs, fmt.Sprintf("(%s + %d*%s) mod %d <= %d", names[0], 1+r.Intn(3), names[1], 2+r.Intn(3), r.Intn(2)))
			}
			for range out {
				f := ""
				for _, d := range names {
					f += fmt.Sprintf(" + %d*%s", r.Intn(13)-4, d)
				}
				forms = append(forms, strings.TrimPrefix(f, " + "))
			}
			return "[" + strings.Join(names, ",") + "] -> [" + strings.Join(forms, ", ") + "] : " + strings.Join(cs, " and ")
		}
		out := 1 + r.Intn(2)
		var parts []string
		for range 1 + r.Intn(3)/2 {
			parts = append(parts, piece(out))
		}
		var s *Set
		for _, p := range parts {
			x := must(must(ParseMap("[n,m] -> { " + p + " }")).Range())
			if s == nil {
				s = x
				continue
			}
			s = must(s.Union(&Set{params: x.params, dims: s.dims, cs: x.cs, open: x.open, pending: x.pending}))
		}
		p, err := s.Count(WithLimit(3_000_000))
		if errors.Is(err, ErrBudget) {
			budget++
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", parts, err)
		}
		for range 4 {
			at := map[string]int64{"n": int64(r.Intn(8) - 1), "m": int64(r.Intn(8) - 1)}
			seen := map[string]bool{}
			for _, text := range parts {
				m := must(ParseMap("[n,m] -> { " + text + " }"))
				for _, q := range must(m.Graph().Points(at, 1_000_000)) {
					seen[fmt.Sprint(q[len(m.in):])] = true
				}
			}
			if got := must(p.Eval(at)); !got.IsInt() || got.Num().Int64() != int64(len(seen)) {
				t.Fatalf("%v\nis %v\nat %v: %v, want %d", strings.Join(parts, "; "), p, at, got, len(seen))
			}
		}
	}
	t.Logf("%d of %d exceeded the budget", budget, trials)
	if budget > trials/5 {
		t.Errorf("%d of %d exceeded the budget", budget, trials)
	}
}
