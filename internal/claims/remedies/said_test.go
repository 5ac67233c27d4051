package remedies

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/advise"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/lists"
)

// planted is a kernel with a defect, and its cured version, as a table has them: in one source, or launched by files.
type planted struct {
	name          string
	before, after string // as perf explain takes them
	launch        frontend.Options
	sizes         map[string]int64
	arrays        []string // of which the first advice names one; "-" where the defect is in no array
	line          int
}

var marker = regexp.MustCompile(`// defect: ([^,\n]*)`)

// planted reads the table of a folder.
func table(t *testing.T, folder string) (all []planted) {
	t.Helper()
	text, err := os.ReadFile(folder + "table.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := lists.Map(strings.Split(line, "|"), strings.TrimSpace)
		p := planted{name: cells[0], before: folder + cells[0] + "#before", after: folder + cells[0] + "#after"}
		switch {
		case strings.HasSuffix(cells[1], ".yaml"):
			p.before, p.after = folder+cells[1], folder+cells[2]
		default:
			if strings.HasPrefix(cells[2], "#") {
				p.after = folder + cells[0] + cells[2]
			}
			p.launch = launchedAs(cells[1])
			cases, err := format.ParseCases([]string{cells[3]}, 1)
			if err != nil {
				t.Fatal(err)
			}
			p.sizes = cases[0]
		}
		p.arrays, p.line = defect(t, folder+cells[0], cells[4])
		all = append(all, p)
	}
	return all
}

// defect is where a kernel has it: in arrays and a line, as a table says or the source itself.
func defect(t *testing.T, file, said string) (arrays []string, line int) {
	t.Helper()
	if name, at, ok := strings.Cut(said, ", "); ok {
		line, _ = strconv.Atoi(at)
		return strings.Split(name, " or "), line
	}
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(string(text), "\n") {
		if m := marker.FindStringSubmatch(l); m != nil {
			return strings.Split(m[1], " or "), i + 1
		}
	}
	t.Fatalf("%s does not say where its defect is", file)
	return nil, 0
}

// first is the first advice on a kernel, as perf explain gives it: kernels that exist are emulated, others are for the model.
func (k *planted) first(t *testing.T, p *campaign.Predictor) emulate.Advice {
	t.Helper()
	if strings.Contains(k.before, ".star") {
		e := explained(t, p, k.launch, k.before, k.sizes)
		cases, err := campaign.Cases(t.Context(), k.launch, []string{k.before}, []map[string]int64{k.sizes})
		if err != nil {
			t.Fatal(err)
		}
		advise.Refine(t.Context(), p.Device.Name, cases[0], e)
		if len(e.Remedies) == 0 {
			return emulate.Advice{}
		}
		r := e.Remedies[0]
		return emulate.Advice{Rule: r.Kind, Array: r.Array, Line: r.Line, Gain: r.Gain}
	}
	cases, err := campaign.Cases(t.Context(), k.launch, []string{k.before}, []map[string]int64{k.sizes})
	if err != nil {
		t.Fatal(err)
	}
	sequences, err := advise.SequencesOf(cases)
	if strings.HasSuffix(k.before, ".yaml") {
		sequences, err = launches.LoadAll(k.before, []map[string]int64{nil})
	}
	if err != nil {
		t.Fatal(err)
	}
	r := launches.Request{On: []string{p.Device.Name}, From: launches.Source}
	reports, _, err := r.Run(t.Context(), sequences)
	if err != nil {
		t.Fatal(err)
	}
	if err := advise.Launch(t.Context(), reports[0], cases[0], p); err != nil {
		t.Fatal(err)
	}
	if list := reports[0].Launches[0].Advice; len(list) > 0 {
		return list[0]
	}
	return emulate.Advice{}
}

// sets are the folders with kernels, and of how many the first advice names array and line, and has the gain within a third.
var sets = []struct {
	folder               string
	all, named, asGained int
}{{"", 30, 30, 28}, {"more/", 50, 49, 37}, {"hour/", 8, 8, 6}, {"twelve/", 12, 8, 5}, {"second/", 8, 6, 3}, {"advised/", 5, 5, 4}, {"third/", 8, 6, 4}}

// The first advice names the array and the line of the planted defect, and the cured kernel gains on an H200 what it says. make test looks at some.
func TestSaid(t *testing.T) {
	p := predictor(t)
	for _, set := range sets {
		t.Run(strings.Trim(set.folder, "/"), func(t *testing.T) {
			times, all := recorded(t, folder+set.folder), table(t, folder+set.folder)
			if len(all) != set.all {
				t.Fatalf("%d kernels, not %d", len(all), set.all)
			}
			unnamed, off := 0, 0
			for i := range all {
				k := &all[i]
				if os.Getenv("LONG") == "" && (i%15 != 1 || set.all < 8) {
					continue
				}
				name := func(of string) string { return strings.TrimPrefix(of, folder+set.folder) }
				before, after := times[name(k.before)], times[name(k.after)]
				a := k.first(t, p)
				ok := a.Line == k.line && (k.arrays[0] == "-" || slices.Contains(k.arrays, a.Array))
				if !ok {
					unnamed++
				}
				right := "not measured"
				if before > 0 && after > 0 {
					right = fmt.Sprintf("%.2f measured: %v", before/after, near(a.Gain, before/after))
					if !near(a.Gain, before/after) {
						off++
					}
				}
				t.Logf("%-12s %s in %s, line %d: %v; %.2f said, %s", k.name, a.Rule, a.Array, a.Line, ok, a.Gain, right)
			}
			if unnamed > set.all-set.named || off > set.all-set.asGained {
				t.Errorf("of %d, %d are not named, and %d gain something else than was said", set.all, unnamed, off)
			}
		})
	}
}
