package tune

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/format"
	"gpuperf/samples"
)

// searched is a recorded search: its runs, and the times of the first, the fastest of the first few, and the fastest in seconds.
type searched struct {
	runs               int
	first, early, best float64
}

// early is how many runs are few.
const early = 20

// budget is how many runs the recorded searches had at most.
const budget = 50

// kinds are the recorded searches of a nest: by ants with the schedules of each kind, and at random.
var kinds = []string{"O1", "O2", "O3", "random"}

// recordedSearches reads the searches of loop nests at LARGE that an H200 ran, by nest and kind.
func recordedSearches(t *testing.T) map[string]map[string]searched {
	t.Helper()
	set, err := samples.Load("../../testdata/h200/searched.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	out := map[string]map[string]searched{}
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		name, kind := strings.TrimSuffix(r.Kernel.Source, ".c"), strings.TrimPrefix(r.Tags[0], "options:")
		if out[name] == nil {
			out[name] = map[string]searched{}
		}
		s := out[name][kind]
		s.runs++
		if r.Status == samples.OK {
			s.first, s.best = cmp.Or(s.first, r.Seconds()), min(cmp.Or(s.best, r.Seconds()), r.Seconds())
			if s.runs <= early {
				s.early = s.best
			}
		}
		out[name][kind] = s
	}
	return out
}

// TestOptions: the document has the times of the recorded searches. What perf tune finds by default in at most 50 runs is 8 times as fast as the code of PPCG by its defaults in the geometric
// mean, and never slower.
func TestOptions(t *testing.T) {
	ppcg, all := ppcgTimes(t), recordedSearches(t)
	document, err := os.ReadFile("../../docs/howto/tuning.md")
	if err != nil {
		t.Fatal(err)
	}
	says := func(line string) {
		if !strings.Contains(string(document), "\n"+line+"\n") {
			t.Errorf("docs/howto/tuning.md lacks:\n%s", line)
		}
	}
	compared, nests, whole := 0, 0, 0
	near := map[string]int{}                               // nests in which so much of a search reaches 95 % of the best of all
	gain, of := map[string]float64{}, map[string]float64{} // logarithms; the latter of nests of which all searches have all runs
	for _, name := range slices.Sorted(maps.Keys(all)) {
		searches := all[name]
		usual := searches["O1"].first
		row := []string{"`" + name + "`", format.Known(ppcg[name], format.Seconds(ppcg[name])), format.Seconds(usual)}
		complete, best := true, math.Inf(1)
		for _, s := range searches {
			best = min(best, cmp.Or(s.best, best))
		}
		for what, time := range map[string]float64{"default": usual, "ants": searches["O1"].early, "all ants": searches["O1"].best, "random": searches["random"].early, "all random": searches["random"].best} {
			if time > 0 && 0.95*time <= best {
				near[what]++
			}
		}
		for _, kind := range kinds {
			s := searches[kind]
			complete = complete && s.runs == budget
			if s.runs > budget {
				t.Errorf("%s, %s: %d runs", name, kind, s.runs)
			}
			cell := format.Known(s.best, format.Seconds(s.best))
			if s.runs > 0 && s.runs < budget {
				cell += fmt.Sprintf(" (%d)", s.runs)
			}
			row = append(row, cell)
		}
		says("| " + strings.Join(row, " | ") + " |")
		if nests++; ppcg[name] == 0 {
			continue
		}
		compared++
		found := ppcg[name] / searches["O1"].best
		if found < 0.95 {
			t.Errorf("%s: %.2f times as fast as PPCG's code", name, found)
		}
		gain["default"] += math.Log(ppcg[name] / usual)
		gain["O1"] += math.Log(found)
		if complete {
			whole++
			of["default"] += math.Log(ppcg[name] / usual)
			for _, kind := range kinds {
				of[kind] += math.Log(ppcg[name] / searches[kind].best)
			}
		}
	}
	mean := func(logs float64, n int) float64 { return math.Exp(logs / float64(n)) }
	if found := mean(gain["O1"], compared); found < 8 || compared < 28 {
		t.Errorf("%.1f times as fast as PPCG's code in the mean of %d nests", found, compared)
	}
	row := []string{fmt.Sprintf("%d nests", whole), "1", fmt.Sprintf("%.3g", mean(of["default"], whole))}
	for _, kind := range kinds {
		row = append(row, fmt.Sprintf("%.3g", mean(of[kind], whole)))
	}
	says("| " + strings.Join(row, " | ") + " |")
	says(fmt.Sprintf("Of the fastest of all runs of a nest, 54 to 200 of them, the default reaches 95 %% in %d of %d nests, %d runs by strategies in %d and at random in %d, and all runs of these searches in %d and %d.",
		near["default"], nests, early, near["ants"], near["random"], near["all ants"], near["all random"]))
	says(fmt.Sprintf("Over the %d nests with a time of PPCG, the default is %.3g times as fast as its code in the geometric mean, and what `perf tune` finds by default %.3g times.",
		compared, mean(gain["default"], compared), mean(gain["O1"], compared)))
}

// ppcgTimes are the recorded seconds of PPCG's code.
func ppcgTimes(t *testing.T) map[string]float64 {
	t.Helper()
	f, err := os.Open("../../testdata/h200/ppcg.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, row := range rows[1:] {
		ms, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		out[row[0]] = ms / 1e3
	}
	return out
}
