package offload

import (
	"errors"
	"os"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/ctest/scoptest"
	"gpuperf/polycount"
	"gpuperf/scop/schedule"
)

// TestEach: where work-groups each make problems of a batch they compute what the text says, without races. LONG=1 tries many.
func TestEach(t *testing.T) {
	programs := 14
	if os.Getenv("LONG") != "" {
		programs = 400
	}
	made, sums, refused := 0, 0, 0
	seeds := []int{38} // its tile holds elements between those that a sum reads
	for seed := range programs {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		text := rapid.Custom(scoptest.Batch).Example(seed)
		n := nestOf(t, "test.c", text)
		f, err := schedule.Search(n, schedule.Wavefronts, schedule.Options{Fusion: schedule.Fusions[seed%len(schedule.Fusions)]})
		if errors.Is(err, polycount.ErrBudget) {
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		tree, err := f.Launches()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(f.Nest, tree, Options{Map: small})
		if err != nil { // the order of the text is taken then
			refused++
			continue
		}
		if p.asked[0].form.Each {
			made++
		} else if l, ok := tree.(*schedule.Launch); ok && l.Each && p.asked[0].form.Sums != None {
			sums++
		}
		p.Text = n
		check(t, p, map[string]int64{"n": 7, "m": 5})
		if t.Failed() {
			t.Fatal(text)
		}
	}
	t.Logf("of %d, %d have a work-group for each problem, and %d shared sums in steps; %d are refused", programs, made, sums, refused)
	if made < programs/10 || sums < programs/10 || refused > programs/10 {
		t.Error("there are too few")
	}
}
