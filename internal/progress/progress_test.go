package progress

import (
	"slices"
	"testing"
)

// Each of few tasks has a line; of many twenty have, the last among them.
func TestTold(t *testing.T) {
	for _, total := range []int{1, 3, 20, 21, 500, 12_345} {
		var lines []int
		for number := 1; number <= total; number++ {
			if told(number, total) {
				lines = append(lines, number)
			}
		}
		if len(lines) != min(total, 20) || !slices.Contains(lines, total) {
			t.Errorf("of %d tasks these have lines: %v", total, lines)
		}
	}
}
