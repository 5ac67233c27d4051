package evaluate

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gpuperf/samples"

	"gpuperf/internal/source"
)

const suiteFile = `version: 1
suites:
  - name: matmul
    model: matmul.yaml
    sizes: [{n: 1024}, {n: 2048}]
    variants:
      - name: prefetch
        script: matmul.star#knl
      - name: plain
        tags: [matmul_sq, "prefetch:False"]
        model: other.yaml
`

func TestParse(t *testing.T) {
	file, err := Parse("s.yaml", []byte(suiteFile))
	if err != nil {
		t.Fatal(err)
	}
	want := []Suite{{
		Name:  "matmul",
		Sizes: []map[string]int64{{"n": 1024}, {"n": 2048}},
		Variants: []Variant{
			{Name: "prefetch", Script: "matmul.star", Kernel: "knl", Model: "matmul.yaml"},
			{Name: "plain", Tags: []string{"matmul_sq", "prefetch:False"}, Model: "other.yaml"},
		},
	}}
	ignorePlaces := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Pos" }, cmp.Ignore())
	if diff := cmp.Diff(want, file.Suites, ignorePlaces); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"version: 1", "version: 7", "s.yaml:1:10: a suite file of version 7"},
		{"model: matmul.yaml", "modle: matmul.yaml", "s.yaml:4:5:"},
		{"    sizes: [{n: 1024}, {n: 2048}]\n", "", "the suite has no sizes"},
		{"n: 1024", "n: many", "s.yaml:5:17:"},
		{"name: plain", "name: prefetch", "two variants"},
		{"        script: matmul.star#knl\n", "", "variant prefetch needs either a script or tags"},
		{"    model: matmul.yaml\n", "", "variant prefetch has no model"},
		{"version: 1", "", "no version"},
	} {
		_, err := Parse("s.yaml", []byte(strings.Replace(suiteFile, c.old, c.new, 1)))
		var place *source.Error
		if !errors.As(err, &place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: got error %v, want one with %q", c.new, c.old, err, c.want)
		}
	}
}

// The schema and the reader refuse the same mistakes of form, and accept the suites of the examples.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("suite.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("suite.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text []byte) error {
		var value any
		if err := yaml.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	example, err := os.ReadFile("../../examples/matmul/paper_2_2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{[]byte(suiteFile), example} {
		if err := check(text); err != nil {
			t.Error(err)
		}
		if _, err := Parse("", text); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct{ old, bad string }{
		{"version: 1", "version: 2"},
		{"    sizes: [{n: 1024}, {n: 2048}]\n", ""},
		{"n: 1024", "n: big"},
		{"        script: matmul.star#knl\n", ""},
		{"script: matmul.star#knl", "scripts: matmul.star"},
	} {
		text := []byte(strings.Replace(suiteFile, c.old, c.bad, 1))
		if check(text) == nil {
			t.Errorf("the schema accepts %q", c.bad)
		}
		if _, err := Parse("", text); err == nil {
			t.Errorf("Parse accepts %q", c.bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(suiteFile)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("s.yaml", []byte(text))
		if (file == nil) == (err == nil) {
			t.Errorf("%v and %v", file, err)
		}
	})
}

func TestSummarize(t *testing.T) {
	at := func(n int64) map[string]int64 { return map[string]int64{"n": n} }
	report := Report{Suites: []SuiteReport{{
		Name: "s",
		Variants: []VariantReport{
			{Name: "fast", Points: []Point{
				{At: at(1), Predicted: 1.1, Measured: 1},
				{At: at(2), Predicted: 4, Measured: 2},
				{At: at(3), Predicted: 3.2, Measured: 3},
			}},
			{Name: "slow", Points: []Point{
				{At: at(1), Predicted: 1.8, Measured: 2},
				{At: at(2), Predicted: 3, Measured: 3},
				{At: at(3), Predicted: 3.1, Measured: 3.02},
			}},
		},
	}}}
	report.Summarize()
	s := report.Suites[0]
	// At n=2 the prediction swaps the two; at n=3 they are a tie, whichever way they are predicted.
	if s.Ranking.Right != 2 || s.Ranking.Of != 3 || s.Ranking.Sizes[1].Right || len(s.Ranking.Sizes[2].Ties) != 1 {
		t.Errorf("ranking: %+v", s.Ranking)
	}
	// Equal predictions are wrong in whichever order the variants come, unless they are of a tie.
	for _, c := range []struct {
		measured [2]float64
		right    bool
	}{{[2]float64{1, 2}, false}, {[2]float64{2, 1}, false}, {[2]float64{1, 1.005}, true}} {
		v := verdict([]entry{{"a", Point{Predicted: 3, Measured: c.measured[0]}}, {"b", Point{Predicted: 3, Measured: c.measured[1]}}})
		if v.Right != c.right || len(v.Equal) != 1 {
			t.Errorf("measured %g with equal predictions: %+v", c.measured, v)
		}
	}
	want := math.Cbrt(0.1 * 1 * (0.2 / 3))
	if got := s.Variants[0].GeomeanRelativeError; math.Abs(got-want) > 1e-12 {
		t.Errorf("geometric mean of fast is %g, want %g", got, want)
	}
	if got := s.Variants[0].Points.Mean(); math.Abs(got-(0.1+1+0.2/3)/3) > 1e-12 {
		t.Errorf("mean of fast is %g", got)
	}
	if got, want := report.Points().Mean(), (s.Variants[0].Points.Mean()+s.Variants[1].Points.Mean())/2; math.Abs(got-want) > 1e-12 || s.Points().Mean() != got {
		t.Errorf("mean is %g, of the suite %g, want %g", got, s.Points().Mean(), want)
	}
	if got := s.Variants[0].Points.Worst(); got != 1 {
		t.Errorf("worst of fast is %g", got)
	}
	// An exact hit counts as the floor, so that it does not make the mean zero.
	want = math.Cbrt(0.1 * errorFloor * (0.08 / 3.02))
	if got := s.Variants[1].GeomeanRelativeError; math.Abs(got-want) > 1e-12 {
		t.Errorf("geometric mean of slow is %g, want %g", got, want)
	}
}

// TestSkipped: a variant that was not measured at a size is ranked where it was, and what is left is judged alone.
func TestSkipped(t *testing.T) {
	at := func(n int64) map[string]int64 { return map[string]int64{"n": n} }
	refused := func(n int64) Skip {
		return Skip{At: at(n), Status: samples.Refused, Reason: "a work-group of 324 work-items, the device allows 256"}
	}
	report := Report{Suites: []SuiteReport{
		{Name: "s", Variants: []VariantReport{
			{Name: "16x16", Points: []Point{{At: at(1), Predicted: 1.1, Measured: 1}, {At: at(2), Predicted: 2.2, Measured: 2}}},
			{Name: "18x18", Points: []Point{{At: at(2), Predicted: 3, Measured: 3}}, Skipped: []Skip{refused(1)}},
		}},
		{Name: "none", Variants: []VariantReport{{Name: "a", Skipped: []Skip{refused(1)}}}},
	}}
	report.Summarize()
	s := report.Suites[0]
	if s.Ranking.Of != 1 || s.Ranking.Right != 1 || s.Ranking.Sizes[0].At["n"] != 2 {
		t.Errorf("ranking %+v", s.Ranking)
	}
	if skips := s.Skips(); len(skips) != 1 || skips[0] != "18x18, n=1: refused: a work-group of 324 work-items, the device allows 256" {
		t.Errorf("%q", skips)
	}
	if len(report.Points()) != 3 || len(report.Suites[1].Points()) > 0 {
		t.Errorf("%d points", len(report.Points()))
	}
	p := page()
	p.Report = &report
	dir := t.TempDir()
	paths, err := p.Write(dir)
	if err != nil || len(paths) != 2 { // the page, and the picture of the first suite
		t.Fatal(paths, err)
	}
	html, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"skipped: 18x18, n=1: refused", "skipped: a, n=1: refused", "not measured"} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
