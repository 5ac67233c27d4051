package polycount

import (
	"fmt"
	"math/rand"
	"testing"
)

// value is an expression as text, and its value at a point.
type value struct {
	text string
	at   func(x, y, z int64) int64
}

// randomValue is an expression with minima and maxima in any place where the notation allows them.
func randomValue(r *rand.Rand, depth int) value {
	if depth == 0 {
		c := int64(r.Intn(7) - 3)
		return []value{
			{"x", func(x, _, _ int64) int64 { return x }},
			{"y", func(_, y, _ int64) int64 { return y }},
			{"z", func(_, _, z int64) int64 { return z }},
			{fmt.Sprintf("(%d)", c), func(_, _, _ int64) int64 { return c }},
		}[r.Intn(4)]
	}
	a, b := randomValue(r, depth-1), randomValue(r, depth-1)
	k := int64(r.Intn(5) - 2)
	d := int64(2 + r.Intn(2))
	return []value{
		{fmt.Sprintf("min(%s, %s)", a.text, b.text), func(x, y, z int64) int64 { return min(a.at(x, y, z), b.at(x, y, z)) }},
		{fmt.Sprintf("max(%s, %s)", a.text, b.text), func(x, y, z int64) int64 { return max(a.at(x, y, z), b.at(x, y, z)) }},
		{fmt.Sprintf("(%s + %s)", a.text, b.text), func(x, y, z int64) int64 { return a.at(x, y, z) + b.at(x, y, z) }},
		{fmt.Sprintf("(%s - %s)", a.text, b.text), func(x, y, z int64) int64 { return a.at(x, y, z) - b.at(x, y, z) }},
		{fmt.Sprintf("(%d)*%s", k, a.text), func(x, y, z int64) int64 { return k * a.at(x, y, z) }},
		{fmt.Sprintf("floor((%s)/%d)", a.text, d), func(x, y, z int64) int64 { return floorDiv(a.at(x, y, z), d) }},
		{fmt.Sprintf("((%s) mod %d)", a.text, d), func(x, y, z int64) int64 { v := a.at(x, y, z); return v - d*floorDiv(v, d) }},
		{fmt.Sprintf("(x < y ? %s : %s)", a.text, b.text), func(x, y, z int64) int64 {
			if x < y {
				return a.at(x, y, z)
			}
			return b.at(x, y, z)
		}},
		{fmt.Sprintf("min(2, %d)*%s", d, a.text), func(x, y, z int64) int64 { return 2 * a.at(x, y, z) }},
	}[r.Intn(9)]
}

func floorDiv(a, d int64) int64 {
	q := a / d
	if q*d > a {
		q--
	}
	return q
}

// Comparisons of minima and maxima mean what their values say.
func TestComparedExtremes(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	holds := map[string]func(a, b int64) bool{
		"<":  func(a, b int64) bool { return a < b },
		"<=": func(a, b int64) bool { return a <= b },
		">":  func(a, b int64) bool { return a > b },
		">=": func(a, b int64) bool { return a >= b },
		"=":  func(a, b int64) bool { return a == b },
		"!=": func(a, b int64) bool { return a != b },
	}
	ops := Comparisons()
	for range 300 {
		a, b, op := randomValue(r, 1+r.Intn(3)), randomValue(r, r.Intn(3)), ops[r.Intn(len(ops))]
		for holds[op] == nil {
			op = ops[r.Intn(len(ops))]
		}
		not := ""
		if r.Intn(4) == 0 {
			not = "not "
		}
		text := fmt.Sprintf("{ [x,y,z] : %s(%s %s %s) }", not, a.text, op, b.text)
		s, err := ParseSet(text)
		if err != nil {
			continue // too many combinations
		}
		eachPoint(s.dims, -3, 3, func(at map[string]int64) {
			x, y, z := at["x"], at["y"], at["z"]
			want := holds[op](a.at(x, y, z), b.at(x, y, z)) != (not != "")
			if got := contains(t, s, at); got != want {
				t.Fatalf("%s\nis %v\nat %v: %v, want %v", text, s, at, got, want)
			}
		})
	}
}
