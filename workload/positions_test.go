package workload

import "testing"

// TestPositions: each number is below 64, and tuples come in the order of their sums.
func TestPositions(t *testing.T) {
	for n, want := range map[int]int{1: 64, 2: 64 * 64, 3: 4096} {
		count, before := 0, 0
		for at := range positions(n) {
			sum := 0
			for _, v := range at {
				if sum += v; v > 63 {
					t.Fatalf("%d of %v", v, at)
				}
			}
			if sum < before {
				t.Fatalf("%v comes after the sum %d", at, before)
			}
			before = sum
			count++
		}
		if count != want {
			t.Errorf("%d tuples of %d numbers, want %d", count, n, want)
		}
	}
}
