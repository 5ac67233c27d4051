package polycount_test

import (
	"fmt"

	"gpuperf/polycount"
)

func Example() {
	s, _ := polycount.ParseSet("[n] -> { [i,j] : 0 <= j <= i < n }")
	p, _ := s.Count()
	fmt.Println(p)
	v, _ := p.Eval(map[string]int64{"n": 64})
	fmt.Println(v.RatString())
	// Output:
	// [n] -> { 1/2*n + 1/2*n^2 : n > 0 }
	// 2080
}

func ExamplePoly_Gist() {
	s, _ := polycount.ParseSet("[n] -> { [t,l] : 0 <= 16t < n and 0 <= l < 16 }")
	p, _ := s.Count()
	assumed, _ := polycount.ParseSet("[n] -> { : n mod 16 = 0 and n >= 1 }")
	q, _ := p.Gist(assumed)
	fmt.Println(p)
	fmt.Println(q)
	// Output:
	// [n] -> { 16*floor((n + 15)/16) : n > 0 }
	// [n] -> { n }
}

// check stops an example where an operation fails.
func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func ExampleSet() {
	s := check(polycount.ParseSet("[n] -> { [i,j] : 0 <= i < n and 0 <= j <= i }"))
	even := check(s.Intersect(check(polycount.ParseSet("{ [i,j] : i mod 2 = 0 }"))))
	fmt.Println(even)
	fmt.Println(check(even.Project("i")))
	fmt.Println(check(s.Lexmax()))
	fmt.Println(check(even.IsSubset(s)), check(s.IsSubset(even)))
	fmt.Println(check(s.Subtract(check(polycount.ParseSet("{ [i,j] : j < i }")))))
	fmt.Println(check(even.Points(map[string]int64{"n": 3}, 10)))
	// Output:
	// [n] -> { [i, j] : i mod 2 = 0 and 0 <= i < n and 0 <= j <= i }
	// [n] -> { [i] : i mod 2 = 0 and 0 <= i < n }
	// [n] -> { [i, j] : j = i and i = n - 1 and j >= 0 }
	// true false
	// [n] -> { [i, j] : j = i and 0 <= i < n and j >= 0 }
	// [[0 0] [2 0] [2 1] [2 2]]
}

func ExampleMap() {
	access := check(polycount.ParseMap("[n] -> { [i,j] -> [i + j] : 0 <= i < n and 0 <= j < 3 }"))
	fmt.Println(check(access.Domain()))
	fmt.Println(check(access.Range()))
	fmt.Println(check(access.Card()))
	// Output:
	// [n] -> { [i, j] : 0 <= i < n and 0 <= j <= 2 }
	// [n] -> { [o0] : n > 0 and 0 <= o0 <= n + 1 }
	// [n, i, j] -> { 1 : 0 <= i < n and 0 <= j <= 2 }
}

func ExampleMap_Apply() {
	m := check(polycount.ParseMap("{ [i] -> [2i + 1] : i >= 0 }"))
	fmt.Println(check(m.Apply(check(polycount.ParseSet("{ [i] : -3 <= i < 4 }")))))
	fmt.Println(check(m.Preimage(check(polycount.ParseSet("{ [i] : 0 <= i <= 6 }")))))
	fmt.Println(check(m.IntersectRange(check(polycount.ParseSet("{ [i] : i <= 5 }")))))
	// Output:
	// { [o0] : (o0 + 1) mod 2 = 0 and 1 <= o0 <= 8 }
	// { [i] : 0 <= i <= 2 }
	// { [i] -> [o0] : o0 = 2*i + 1 and i >= 0 and o0 <= 5 }
}

func ExampleMap_Then() {
	shift := check(polycount.ParseMap("{ [i] -> [i + 1] }"))
	double := check(polycount.ParseMap("{ [i] -> [2i] }"))
	both := check(shift.Then(double))
	fmt.Println(both)
	fmt.Println(both.Reverse())
	fmt.Println(check(both.IsEqual(check(double.Then(check(shift.Then(shift)))))))
	// Output:
	// { [i] -> [o0_] : o0_ = 2*i + 2 }
	// { [o0_] -> [i] : 2*i = o0_ - 2 }
	// true
}

func ExampleMap_Subtract() {
	before := check(polycount.ParseMap("[n] -> { [i] -> [j] : 0 <= i < j < n }"))
	next := check(polycount.ParseMap("[n] -> { [i] -> [i + 1] : 0 <= i < n - 1 }"))
	fmt.Println(check(before.Subtract(next)))
	fmt.Println(check(before.Intersect(next)))
	fmt.Println(check(next.IsSubset(before)), check(check(next.Subtract(before)).IsEmpty()))
	fmt.Println(check(check(before.Union(next)).Coalesce()))
	fmt.Println(check(next.Gist(before)))
	// Output:
	// [n] -> { [i] -> [j] : i >= 0 and i + 2 <= j < n }
	// [n] -> { [i] -> [j] : j = i + 1 and 0 <= i <= n - 2 and i < j < n }
	// true true
	// [n] -> { [i] -> [j] : i >= 0 and i < j < n }
	// [n] -> { [i] -> [o0] : o0 = i + 1 }
}

func ExampleMap_Lexmin() {
	uses := check(polycount.ParseMap("[n] -> { [i] -> [t,x] : 0 <= i < n and i <= t < n and x = t - i }"))
	fmt.Println(check(uses.Lexmin()))
	fmt.Println(check(uses.Lexmax()))
	// Output:
	// [n] -> { [i] -> [t, x] : t = i and i + x = t and 0 <= i < n }
	// [n] -> { [i] -> [t, x] : i + x = t and t = n - 1 and i >= 0 and t >= i }
}

// What statements write, and how often each of them writes.
func ExampleUnionMap() {
	writes := check(polycount.ParseUnionMap("[n] -> { S[i] -> A[i] : 0 <= i < n; T[i] -> A[2i] : 0 <= i < n; T[i] -> B[j] : 0 <= j < i }"))
	fmt.Println(check(writes.Range()))
	for _, c := range check(writes.Card()) {
		fmt.Println(c.Tuple, c.Count)
	}
	// Output:
	// [n] -> { A[o0] : 0 <= o0 < n; A[o0] : o0 mod 2 = 0 and n > floor(o0/2) and o0 >= 0; B[j] : j >= 0 }
	// S [n, i] -> { 1 : 0 <= i < n }
	// T [n, i] -> { i : i >= n and i > 0; 1 + i : 0 <= i < n }
}

func ExampleUnionSet() {
	a := check(polycount.ParseUnionSet("[n] -> { A[i] : 0 <= i < n; B[i,j] : 0 <= i,j < 2 }"))
	fmt.Println(check(a.Count()))
	for _, s := range a.Sets() {
		fmt.Println(s)
	}
	// Output:
	// [n] -> { 4 + n : n > 0; 4 : n <= 0 }
	// [n] -> { A[i] : 0 <= i < n }
	// [n] -> { B[i, j] : 0 <= i <= 1 and 0 <= j <= 1 }
}

func ExampleParseAffine() {
	a := check(polycount.ParseAffine("16*floor(n/16) + n mod 16"))
	fmt.Println(a, "|", a.FloorDiv(4).Sub(polycount.Int(1)))
	far := polycount.Name("n").Scale(1 << 62).Scale(4)
	fmt.Println(far.Err())
	// Output:
	// n | floor(n/4) - 1
	// affine expression: coefficients of the constraints leave the 64-bit range
}

func ExampleParsePoly() {
	p := check(polycount.ParsePoly("[n] -> { 1/2*n + 1/2*n^2 : n > 0 }"))
	q := check(p.Subst(map[string]polycount.Affine{"n": polycount.Name("m").Scale(2)}))
	fmt.Println(q)
	fmt.Println(check(p.Eval(map[string]int64{"n": 64})).RatString())
	// Output:
	// [m] -> { m + 2*m^2 : m > 0 }
	// 2080
}
