package offload

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/format"
	"gpuperf/samples"
	"gpuperf/scop"
)

// TestFurtherNests: nests of other kinds than PolyBench's, from which nothing was fitted, judge the default mappings on an H200, by twenty configurations each that were drawn at random.
// docs/howto/c-loops.md has the table. UPDATE=1 writes it there.
func TestFurtherNests(t *testing.T) {
	const page, head = "../../docs/howto/c-loops.md", "| nest | sizes | launches | default | fastest of those at random | times as long |\n|---|---|---|---|---|---|\n"
	set, err := samples.Load("../../testdata/h200/scop_further.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	files, err := filepath.Glob("../../examples/nests/*.c")
	if err != nil || len(files) != 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	text, logs, ratios := head, 0.0, []float64{}
	for _, file := range files {
		n := further(t, file)
		usual := recordOf(t, set, n.Name)
		if usual == nil || usual.Status != samples.OK {
			t.Errorf("%s: no time", file)
			continue
		}
		least := usual.Summary.Median
		drawn := 0
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Kernel.Source == n.Name && tried(r) && r.Status == samples.OK {
				drawn++
				least = min(least, r.Summary.Median)
			}
		}
		if drawn < 15 {
			t.Errorf("%s: %d configurations at random", file, drawn)
		}
		ratio := usual.Summary.Median / least
		ratios, logs = append(ratios, ratio), logs+math.Log(ratio)
		text += fmt.Sprintf("| `%s` | %s | %d | %s | %s | %.2f |\n", strings.TrimSuffix(filepath.Base(file), ".c"), format.SizeList(usual.Kernel.Sizes, ", "),
			launchesIn(usual), timeOf(usual, sourceOf(t, n, usual)), format.Seconds(least), ratio)
	}
	slices.Sort(ratios)
	mean := math.Exp(logs / float64(len(ratios)))
	text += fmt.Sprintf("\nIn the geometric mean a default takes %.2f times as long as the fastest, in the median %.2f times.\n", mean, ratios[len(ratios)/2])
	if mean > 1.2 || ratios[len(ratios)-1] > 2 {
		t.Errorf("defaults take %.2f times as long in the mean, %.2f at most", mean, ratios[len(ratios)-1])
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(have), text) {
		return
	}
	before, rest, ok := strings.Cut(string(have), head)
	_, after, ok2 := strings.Cut(rest, "\n\nIn the geometric mean a default")
	_, after, ok3 := strings.Cut(after, "\n")
	if !ok || !ok2 || !ok3 || os.Getenv("UPDATE") == "" {
		t.Fatalf("%s has another table than the recordings give (UPDATE=1 writes it):\n%s", page, text)
	}
	if err := os.WriteFile(page, []byte(before+text+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// further is a nest as it was measured: in float, its constants and functions too.
func further(t *testing.T, file string) *scop.Nest {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	floats := strings.NewReplacer("double", "float", "sqrt", "sqrtf", "fmax", "fmaxf", "fmin", "fminf", "1e30", "1e30f")
	return nestOf(t, file, floats.Replace(constant.ReplaceAllString(string(text), "${1}f")))
}
