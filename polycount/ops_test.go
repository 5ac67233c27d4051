package polycount

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"gpuperf/polycount/internal/arith"
)

// The operations are compared with their meaning at every point of a box.

const boxLo, boxHi = -3, 8

// eachPoint calls f with every assignment of the names in the box.
func eachPoint(names []string, lo, hi int64, f func(map[string]int64)) {
	at := map[string]int64{}
	var walk func(k int)
	walk = func(k int) {
		if k == len(names) {
			f(at)
			return
		}
		for v := lo; v <= hi; v++ {
			at[names[k]] = v
			walk(k + 1)
		}
	}
	walk(0)
}

func contains(t *testing.T, s *Set, at map[string]int64) bool {
	t.Helper()
	in, err := s.Contains(at)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// randomPair gives two random sets over the same at most three names.
func randomPair(t *testing.T, r *rand.Rand) (a, b *Set) {
	for {
		a, b = mustSet(t, randomSet(r)), mustSet(t, randomSet(r))
		if len(a.dims)+len(a.params) <= 3 && slices.Equal(a.dims, b.dims) && slices.Equal(a.params, b.params) {
			return a, b
		}
	}
}

func TestSetOperations(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 60 {
		a, b := randomPair(t, r)
		union, inter, diff := must(a.Union(b)), must(a.Intersect(b)), must(a.Subtract(b))
		coal := must(union.Coalesce())
		gist := must(a.Gist(b))
		subset, equal := true, true
		eachPoint(a.names(), boxLo, boxHi, func(at map[string]int64) {
			x, y := contains(t, a, at), contains(t, b, at)
			subset, equal = subset && (!x || y), equal && x == y
			for _, c := range []struct {
				op   string
				s    *Set
				want bool
			}{{"∪", union, x || y}, {"∩", inter, x && y}, {`\`, diff, x && !y}, {"coalesced ∪", coal, x || y}} {
				if contains(t, c.s, at) != c.want {
					t.Fatalf("%v\n%s %v\nis %v, wrong at %v", a, c.op, b, c.s, at)
				}
			}
			if y && contains(t, gist, at) != x {
				t.Fatalf("gist of %v\nunder %v\nis %v, wrong at %v", a, b, gist, at)
			}
		})
		if len(a.params) == 0 { // the box holds all points then
			if got := must(a.IsSubset(b)); got != subset {
				t.Fatalf("%v ⊆ %v: %v", a, b, got)
			}
			if got := must(a.IsEqual(b)); got != equal {
				t.Fatalf("%v = %v: %v", a, b, got)
			}
		}
		if len(coal.cs) > len(union.cs) {
			t.Errorf("coalescing %v gives more: %v", union, coal)
		}
	}
}

func TestProject(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 150 {
		s := mustSet(t, randomSet(r))
		if len(s.dims) < 2 || len(s.dims)+len(s.params) > 4 {
			continue
		}
		keep := s.dims[:1+r.Intn(len(s.dims)-1)]
		p := must(s.Project(keep...))
		inside := map[[4]int64]bool{}
		key := func(at map[string]int64) (k [4]int64) {
			for i, n := range slices.Concat(s.params, keep) {
				k[i] = at[n]
			}
			return k
		}
		eachPoint(s.names(), boxLo, 7, func(at map[string]int64) {
			if contains(t, s, at) {
				inside[key(at)] = true
			}
		})
		eachPoint(slices.Concat(s.params, keep), boxLo, 7, func(at map[string]int64) {
			if contains(t, p, at) != inside[key(at)] {
				t.Fatalf("%v\non %v\nis %v, wrong at %v", s, keep, p, at)
			}
		})
	}
}

func TestPointsBoundsLexminSample(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 120 {
		s := mustSet(t, randomSet(r))
		if len(s.dims) > 3 {
			continue
		}
		least, most := must(s.Lexmin()), must(s.Lexmax())
		at := map[string]int64{"n": int64(r.Intn(8) - 1), "m": int64(r.Intn(8) - 1)}
		var want [][]int64
		fixed := must(s.Fix(at))
		eachPoint(s.dims, boxLo, boxHi, func(p map[string]int64) {
			if contains(t, fixed, p) {
				x := []int64{}
				for _, d := range s.dims {
					x = append(x, p[d])
				}
				want = append(want, x)
			}
		})
		got := must(s.Points(at, 100000))
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%v at %v: %v, want %v", s, at, got, want)
		}
		ends := [][][]int64{must(least.Points(at, 10)), must(most.Points(at, 10))}
		for i, e := range ends {
			if len(want) == 0 && len(e) > 0 || len(want) > 0 && (len(e) != 1 || !slices.Equal(e[0], want[i*(len(want)-1)])) {
				t.Fatalf("%v at %v: ends %v of %v", s, at, e, want)
			}
		}
		if p, ok := mustSample(t, fixed); ok != (len(want) > 0) || ok && !contains(t, fixed, p) {
			t.Fatalf("%v: sample %v %v", fixed, p, ok)
		}
		for _, d := range s.Disjuncts() {
			for _, dim := range s.dims {
				checkBounds(t, d, dim, at)
			}
		}
	}
}

func mustSample(t *testing.T, s *Set) (map[string]int64, bool) {
	p, ok, err := s.Sample()
	if err != nil {
		t.Fatal(err)
	}
	return p, ok
}

// checkBounds: every point obeys the bounds and the stride of dim.
func checkBounds(t *testing.T, d *Set, dim string, at map[string]int64) {
	lower, upper, err := d.Bounds(dim)
	if empty := must(d.IsEmpty()); empty {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m, res := d.Stride(dim)
	for _, p := range must(d.Points(at, 100000)) {
		point := map[string]int64{"n": at["n"], "m": at["m"]}
		for i, n := range d.dims {
			point[n] = p[i]
		}
		for _, b := range lower {
			if point[dim]*b.Den < must(b.Num.Eval(point)) {
				t.Fatalf("%v: %s below %v/%d at %v", d, dim, b.Num, b.Den, point)
			}
		}
		for _, b := range upper {
			if point[dim]*b.Den > must(b.Num.Eval(point)) {
				t.Fatalf("%v: %s above %v/%d at %v", d, dim, b.Num, b.Den, point)
			}
		}
		if arith.Mod(point[dim]-must(res.Eval(point)), m) != 0 {
			t.Fatalf("%v: %s ≢ %v mod %d at %v", d, dim, res, m, point)
		}
	}
}

// TestBoundsWithoutFloors: a bound has no floor that an equality says.
func TestBoundsWithoutFloors(t *testing.T) {
	for set, want := range map[string]string{
		"[n] -> { [i,j] : (i + 2) mod 3 = 0 and 1 <= j <= n + 3*floor((i + 2)/3) - 4 }": "i + n - 2",
		"[n] -> { [i,j] : i mod 3 = 0 and 0 <= j <= n + floor(i/2) }":                   "n + floor(i/2)",
	} {
		_, upper, err := mustSet(t, set).Bounds("j")
		if err != nil || len(upper) != 1 || upper[0].Num.String() != want || upper[0].Den != 1 {
			t.Errorf("%s: %v, %v; want %s", set, upper, err, want)
		}
	}
}

func TestSum(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	weights := []string{"[i] -> { i^2 - 3*i }", "[i,n] -> { n*i : i > 1; 7 : i <= 1 }", "[i,m] -> { floor((i + m)/3)*i }", "[i,j] -> { i*j^2 + j }"}
	done := 0
	for trial := 0; done < 60; trial++ {
		s := mustSet(t, randomSet(r))
		p := must(ParsePoly(weights[trial%len(weights)]))
		if len(s.dims) > 3 || !slices.Contains(s.dims, "j") && slices.Contains(p.params, "j") {
			continue
		}
		done++
		sum, err := s.Sum(p)
		if err != nil {
			t.Fatalf("%v of %v: %v", p, s, err)
		}
		for range 4 {
			at := map[string]int64{"n": int64(r.Intn(8) - 1), "m": int64(r.Intn(8) - 1)}
			want := new(big.Rat)
			for _, x := range must(s.Points(at, 100000)) {
				point := map[string]int64{"n": at["n"], "m": at["m"]}
				for i, d := range s.dims {
					point[d] = x[i]
				}
				want.Add(want, must(p.Eval(point)))
			}
			if got := must(sum.Eval(at)); got.Cmp(want) != 0 {
				t.Fatalf("Σ %v over %v\nis %v, at %v: %v, want %v", p, s, sum, at, got, want)
			}
		}
	}
}

func TestPolyOperations(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for range 40 {
		a, b := must(mustSet(t, randomSet(r)).Count()), must(mustSet(t, randomSet(r)).Count())
		sum, prod, diff := must(a.Add(b)), must(a.Mul(b)), must(a.Sub(b))
		subst := must(a.Subst(map[string]Affine{"n": mustAffine(t, "m + floor((k + 1)/2)"), "m": mustAffine(t, "k - 1")}))
		back := must(ParsePoly(a.String()))
		if !must(back.Equal(a)) {
			t.Fatalf("%v reads as %v", a, back)
		}
		differ := false
		eachPoint([]string{"n", "m", "k"}, -1, 7, func(at map[string]int64) {
			x, y := must(a.Eval(at)), must(b.Eval(at))
			differ = differ || x.Cmp(y) != 0
			for _, c := range []struct {
				op   string
				p    *Poly
				want *big.Rat
			}{{"+", sum, new(big.Rat).Add(x, y)}, {"·", prod, new(big.Rat).Mul(x, y)}, {"−", diff, new(big.Rat).Sub(x, y)}} {
				if got := must(c.p.Eval(at)); got.Cmp(c.want) != 0 {
					t.Fatalf("%v\n%s %v\nis %v, at %v: %v, want %v", a, c.op, b, c.p, at, got, c.want)
				}
			}
			moved := map[string]int64{"n": at["m"] + arith.FloorDiv(at["k"]+1, 2), "m": at["k"] - 1}
			if got, want := must(subst.Eval(at)), must(a.Eval(moved)); got.Cmp(want) != 0 {
				t.Fatalf("%v substituted is %v, at %v: %v, want %v", a, subst, at, got, want)
			}
		})
		if differ && must(a.Equal(b)) {
			t.Fatalf("%v = %v", a, b)
		}
	}
}
