package derive

import (
	"slices"
	"sync"
	"testing"
)

// Terms are shared by all goroutines: deriving at the same time gives what deriving one after the other does.
func TestDeriveConcurrently(t *testing.T) {
	lists := make([][]string, 4)
	var wait sync.WaitGroup
	for i := range lists {
		wait.Go(func() {
			name := []string{"asum", "hotspot2d"}[i%2]
			result, err := Derive(example(t, name), Options{Count: 40, Seed: 11, Sizes: large[name]})
			if err != nil {
				t.Error(err)
				return
			}
			for _, v := range result.Variants {
				lists[i] = append(lists[i], v.ID)
			}
		})
	}
	wait.Wait()
	if !slices.Equal(lists[0], lists[2]) || !slices.Equal(lists[1], lists[3]) {
		t.Error("goroutines derive different variants")
	}
}
