package explore

import (
	"context"
	"strings"
	"testing"

	"gpuperf/lift"
)

// The sizes of the check satisfy the assumptions, however they relate the sizes, and are as small as those allow.
func TestSmallSizes(t *testing.T) {
	for _, c := range []struct {
		sizes, assume, input string
		at                   map[string]int64
		most                 int64 // of the elements
	}{
		{"n", "4 | n, n >= 8", "[float32]n", map[string]int64{"n": 1000000}, smallWork},
		{"n", "4096 | n", "[float32]n", map[string]int64{"n": 3 << 20}, 2 * 4096},
		{"n", "1000 | n", "[float32]n", map[string]int64{"n": 7000000}, smallWork},
		{"n", "n >= 5000", "[float32]n", map[string]int64{"n": 1 << 20}, 2 * 6000},
		{"n", "7 | n - 2", "[float32]n", map[string]int64{"n": 7000002}, smallWork},
		{"n", "", "[float32]n", map[string]int64{"n": 1000003}, smallWork},
		{"n, m", "n >= m, m >= n", "[[float32]n]m", map[string]int64{"n": 1000, "m": 1000}, smallWork},
		{"n, m", "n >= m + 2, m + 2 >= n, 16 | m", "[[float32]n]m", map[string]int64{"n": 4098, "m": 4096}, smallWork},
		{"n, m", "n >= 2*m, 2*m >= n", "[[float32]n]m", map[string]int64{"n": 2000, "m": 1000}, smallWork},
		{"n, m, k", "n >= m, m >= n, n >= k, k >= n", "[[[float32]n]m]k", map[string]int64{"n": 96, "m": 96, "k": 96}, smallWork},
		{"n, m", "m | n", "[[float32]n]m", map[string]int64{"n": 3 * 5 * 7 * 64, "m": 3 * 64}, smallWork},
	} {
		text := "program p\nsize " + c.sizes + "\n"
		if c.assume != "" {
			text += "assume " + c.assume + "\n"
		}
		p, err := lift.Parse(text + "fun(xs: " + c.input + " => " + mapped(c.input) + " $ xs)")
		if err != nil {
			t.Fatalf("%s: %v", c.assume, err)
		}
		s, err := NewSpace(p, "p.lift", c.at, Options{Variants: 20, Ranges: 1})
		if err != nil {
			t.Errorf("%s: %v", c.assume, err)
			continue
		}
		at, err := s.Verify(context.Background(), nil)
		if err != nil {
			t.Errorf("%s: %v", c.assume, err)
			continue
		}
		if work, err := s.work(at); err != nil || work > c.most {
			t.Errorf("%s: verified at %v with %d elements (%v)", c.assume, at, work, err)
		}
		t.Log(c.assume, at)
	}
}

// The plainest variant of these rows gives what a row computes first to other work-items than the row: it cannot be lowered, and is not the reference.
func TestReferenceIsLowered(t *testing.T) {
	p, err := lift.Parse(`program sums
size m, n
def scaled(s: float32): float32 = s * 0.5f
fun(xs: [[float32]n]m => map(map(scaled) o join o map(reduce(+, 0)) o slide(3, 1) o pad(1, 1, clamp)) $ xs)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{64, 35, 61} {
		s, err := NewSpace(p, "sums.lift", map[string]int64{"m": 8, "n": n}, Options{Variants: 20, Ranges: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Verify(context.Background(), nil); err != nil {
			t.Errorf("n = %d: %v", n, err)
		}
	}
}

// mapped is neg in as many maps as the type has dimensions.
func mapped(input string) string {
	n := strings.Count(input, "[")
	return strings.Repeat("map(", n) + "neg" + strings.Repeat(")", n)
}
