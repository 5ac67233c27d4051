package polycount

import "testing"

// Systems with few points and many floors, on which elimination alone exceeds any budget.
func TestManyFloorsInASmallBox(t *testing.T) {
	a := mustSet(t, "[n] -> { [i,j] : -4 <= i,j <= 6 and -i - j + n + 2 >= ((j + n - 2) mod 2) and floor((-j - n + 1)/4) != floor((2i - n - 4)/4) }")
	for _, text := range []string{
		"[n] -> { [i,j] : -4 <= i,j <= 6 and floor((i - 2j - 3)/4) >= ((-j + n + 2) mod 4) }",
		"[n] -> { [i,j] : 0 <= i < n and n < 7 and -4 <= j <= i and floor((-i - 2j)/3) >= 0 }",
	} {
		b := mustSet(t, text)
		within := NewBudget(10_000_000)
		both := must(a.Within(within).Intersect(b))
		less := must(a.Within(within).Subtract(b))
		for n := int64(-9); n <= 12; n += 3 {
			for i := int64(-5); i <= 7; i++ {
				for j := int64(-5); j <= 7; j++ {
					at := map[string]int64{"n": n, "i": i, "j": j}
					inA, inB := must(a.Contains(at)), must(b.Contains(at))
					if must(both.Contains(at)) != (inA && inB) || must(less.Contains(at)) != (inA && !inB) {
						t.Fatalf("%s: wrong at %v", text, at)
					}
				}
			}
		}
	}
}
