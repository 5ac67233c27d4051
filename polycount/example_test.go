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
