package offload

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/samples"
)

// slowest is how many times as long as the straightforward mapping a default may take: 1.00 was measured, of restriction.
const slowest = 1.01

// TestStraightforward: on an H200 no nest of the examples is slower than with the outermost parallel loops of its text as work-items, one for each iteration. docs/howto/c-loops.md says how much
// faster they are. UPDATE=1 writes it there.
func TestStraightforward(t *testing.T) {
	const page, begins = "../../docs/howto/c-loops.md", "With the outermost parallel loops of their text as work-items"
	f, err := os.Open("../../testdata/h200/straightforward.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	usual := map[string]float64{}
	for _, name := range []string{"scop_defaults", "scop_further"} {
		set, err := samples.Load("../../testdata/h200/" + name + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		for x, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			if !tried(x) {
				usual[x.Kernel.Source] = x.Summary.Median
			}
		}
	}
	var ratios []float64
	var slower []string
	for _, row := range rows[1:] {
		plain, err := strconv.ParseFloat(row[2], 64)
		if err != nil || usual[row[1]] == 0 {
			t.Fatalf("%v: %v", row, err)
		}
		ratio := plain / usual[row[1]]
		if ratios = append(ratios, ratio); ratio < 0.995 { // 1.00 says nothing
			slower = append(slower, fmt.Sprintf("`%s` %.2f", row[0], 1/ratio))
		}
		if ratio < 1/slowest {
			t.Errorf("%s takes %g s, and %g as it stands", row[0], usual[row[1]], plain)
		}
	}
	slices.Sort(ratios)
	text := fmt.Sprintf("%s, one for each iteration, the %d of the %d nests that have such and were timed so took %.1f times as long in the median ([recorded](../../testdata/h200/README.md)).",
		begins, len(ratios), len(usual), ratios[len(ratios)/2])
	if len(slower) > 0 {
		text += fmt.Sprintf(" Slower by default are, in times as long: %s.", strings.Join(slower, ", "))
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(have), begins)
	_, after, ok2 := strings.Cut(rest, "\n")
	switch {
	case strings.Contains(string(have), text+"\n"):
	case !ok || !ok2 || os.Getenv("UPDATE") == "":
		t.Fatalf("%s does not say (UPDATE=1 writes it): %s", page, text)
	default:
		if err := os.WriteFile(page, []byte(before+text+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
