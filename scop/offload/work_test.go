package offload

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gpuperf/cfront"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// TestWork: kernels of all examples are found within limits of work, whatever else the machine does: 10 million units, some half a second of one core, for each, and a million in the median. LONG=1
// looks at all.
func TestWork(t *testing.T) {
	const most = int64(10_000_000)
	var all []int64
	for _, folder := range []string{"polybench", "nests"} {
		files, err := filepath.Glob("../../examples/" + folder + "/*.c")
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for i, file := range files {
			if os.Getenv("LONG") == "" && i%10 != 3 {
				continue
			}
			nests, err := scop.Load(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			budget := polycount.NewBudget(most)
			p, err := find(nests[0].Within(budget), schedule.Smart, Options{})
			used := most - budget.Left()
			if budget.End(); err != nil || p.Original != nil {
				t.Errorf("%s: within %d units of work no order is found: %v", file, most, err)
			}
			t.Logf("%s: %.2f million units, %v", filepath.Base(file), float64(used)/1e6, time.Since(begun).Round(time.Millisecond))
			all = append(all, used)
		}
	}
	slices.Sort(all)
	if median := all[len(all)/2]; median > 1_000_000 {
		t.Errorf("%d units of work in the median", median)
	}
}
