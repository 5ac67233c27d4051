// Package remedies holds perf explain to what testdata/remedies says: kernels with one planted defect each, and their cured versions.
package remedies

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuperf/calibrate/profiles"
	"gpuperf/internal/campaign"
	"gpuperf/internal/explain"
	"gpuperf/internal/frontend"
	"gpuperf/samples"
	"gpuperf/workload"
)

const folder = "../../../testdata/remedies/"

// planted is a kernel with a defect, and its cured version.
type planted struct {
	name          string
	before, after string // as perf explain takes them
	sizes         map[string]int64
	arrays        []string // of which the first remedy names one; none where the defect is in no array
	line          int
}

// scripts say where their defects are: a text of instructions has no comments.
var scripts = map[string]planted{
	"axes":    {sizes: map[string]int64{"n": 4096}, arrays: []string{"x", "y"}, line: 5},
	"product": {sizes: map[string]int64{"n": 2048}, arrays: []string{"a", "b"}, line: 5},
	"sums":    {sizes: map[string]int64{"n": 16384}, line: 5},
	"doubles": {sizes: map[string]int64{"n": 1048576, "m": 32}, line: 3},
}

var marker = regexp.MustCompile(`// defect: (.*), (.*)`)

// list reads the folder.
func list(t *testing.T) (all []planted) {
	t.Helper()
	files, err := filepath.Glob(folder + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		ext := filepath.Ext(file)
		name := strings.TrimSuffix(filepath.Base(file), ext)
		switch ext {
		case ".star":
			p, ok := scripts[name]
			if !ok {
				t.Fatalf("%s: nobody says where its defect is", file)
			}
			p.name, p.before, p.after = name, file+"#before", file+"#after"
			all = append(all, p)
		case ".cu", ".cl":
			p := planted{name: name, before: folder + name + ".yaml", after: folder + name + "-cured.yaml"}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if m := marker.FindStringSubmatch(line); m != nil {
					if p.line = i + 1; m[1] != "-" {
						p.arrays = strings.Split(m[1], " or ")
					}
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// explained explains a kernel by the profile of the H200.
func explained(t *testing.T, p *campaign.Predictor, o frontend.Options, kernel string, sizes map[string]int64) *explain.Explanation {
	t.Helper()
	cases, err := campaign.Cases(t.Context(), o, []string{kernel}, []map[string]int64{maps.Clone(sizes)})
	if err != nil {
		t.Fatal(err)
	}
	one, err := p.Predict(cases[0])
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.New(subject(p, cases[0], one))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func subject(p *campaign.Predictor, c *workload.Case, one *campaign.Prediction) explain.Subject {
	return explain.Subject{
		Case: c, Device: p.Device.Name, Model: p.For(c).Model, Fit: one.Fit, Lanes: int(p.Device.SubgroupSize), Facts: p.Facts,
		Prediction: one.Prediction, Unpriced: one.Unpriced, Roof: p.Roof(c, p.Cache),
	}
}

// near reports whether a gain is what another one is, within a third of it.
func near(said, is float64) bool { return math.Abs(said-is) <= is/3 }

// The first remedy names the array and the line of the planted defect, and the cured kernel gains on an H200 what it says.
func TestPlanted(t *testing.T) {
	p, times := predictor(t), recorded(t, folder)
	all := list(t)
	if len(all) != 30 {
		t.Fatalf("%d kernels, not 30", len(all))
	}
	named, gained := 0, 0
	for _, k := range all {
		before, gain, verdict := explained(t, p, frontend.Options{}, k.before, k.sizes), times[filepath.Base(k.before)]/times[filepath.Base(k.after)], "nothing"
		if math.IsNaN(gain) {
			t.Fatalf("%s: the recording has no times", k.name)
		}
		if len(before.Remedies) > 0 {
			first := before.Remedies[0]
			if first.Kind == "atomic operations" && !math.IsInf(before.Interval[1], 1) {
				t.Errorf("%s: predicted as if its atomic operations took no time, %v", k.name, before.Interval)
			}
			ok, same := first.Line == k.line && (len(k.arrays) == 0 || slices.Contains(k.arrays, first.Array)), near(first.Gain, gain)
			if ok {
				named++
			}
			if same {
				gained++
			}
			verdict = fmt.Sprintf("%s in %s, line %d: %v; %.2f: %v", first.Kind, first.Array, first.Line, ok, first.Gain, same)
		}
		t.Logf("%-12s line %2d, %.2f measured; said: %s", k.name, k.line, gain, verdict)
	}
	if named < leastNamed || gained < leastGained {
		t.Errorf("%d of %d are named, and %d gain what was said", named, len(all), gained)
	}
}

// least of thirty.
const leastNamed, leastGained = 29, 26

// recorded are the medians of times, by launch file, or script and kernel.
func recorded(t *testing.T, folder string) map[string]float64 {
	t.Helper()
	times := map[string]float64{}
	files, err := filepath.Glob(folder + "h200_*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		set, err := samples.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			name := r.Kernel.Source
			if r.Kernel.Variant != "" {
				name += "#" + r.Kernel.Variant
			}
			times[name] = r.Seconds()
		}
	}
	return times
}

// predictor is the model of the profile that comes with the program.
func predictor(t *testing.T) *campaign.Predictor {
	t.Helper()
	profile, err := profiles.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	p, err := campaign.PredictorOf(profile, &profile.Models[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}
