package offload

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/format"
	"gpuperf/samples"
	"gpuperf/scop"
)

// TestRecordedChains: on an H200 loops that carry values forward take far less in chunks than on one work-item or one work-group, as they were made before, with right results.
// docs/howto/c-loops.md has the table. UPDATE=1 writes it there.
func TestRecordedChains(t *testing.T) {
	const page, head = "../../docs/howto/c-loops.md", "| loop | sizes | launches | time | in one launch | times as long |\n|---|---|---|---|---|---|\n"
	set, err := samples.Load("../../testdata/h200/scop_chains.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	whole := map[string]float64{} // in one launch
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		if launchesIn(r) == 1 && r.Status == samples.OK {
			whole[r.Kernel.Source] = r.Summary.Median
		}
	}
	nests, err := scop.Load(t.Context(), filepath.Join("testdata", "chains.c"), cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := head
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		if launchesIn(r) == 1 {
			continue
		}
		for _, n := range nests {
			if n.Name != r.Kernel.Source {
				continue
			}
			if len(r.Verified) != 2 || r.Unverified != "" { // with the text at smaller sizes, with other kernels at these
				t.Errorf("%s: compared with %v %s", n.Name, r.Verified, r.Unverified)
			}
			ratio := whole[n.Name] / r.Summary.Median
			if ratio < 50 {
				t.Errorf("%s takes %s in chunks, and %s in one launch", n.Name, format.Seconds(r.Summary.Median), format.Seconds(whole[n.Name]))
			}
			text += fmt.Sprintf("| `%s` | %s | %d | %s | %s | %.0f |\n", n.Name, format.SizeList(r.Kernel.Sizes, ", "), launchesIn(r), timeOf(r, sourceOf(t, n, r)), format.Seconds(whole[n.Name]), ratio)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(have), head)
	_, after, ok2 := strings.Cut(rest, "\n\n")
	switch {
	case strings.Contains(string(have), text+"\n") && strings.Count(text, "\n") == 2+len(nests):
	case !ok || !ok2 || os.Getenv("UPDATE") == "":
		t.Fatalf("%s has another table than the recordings give (UPDATE=1 writes it):\n%s", page, text)
	default:
		if err := os.WriteFile(page, []byte(before+text+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
