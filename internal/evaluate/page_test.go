package evaluate

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/samples"
)

// page is an evaluation in which everything happens that the report has words for.
func page() *Page {
	at := func(n int64) map[string]int64 { return map[string]int64{"n": n, "m": 3} }
	unknown := calibrate.Interval{math.NaN(), math.NaN()}
	report := &Report{Suites: []SuiteReport{
		{Name: "Matrix <multiplication>", Variants: []VariantReport{
			{Name: "tiles & \"more\"", Model: "overlap", Points: []Point{
				{At: at(512), Predicted: 9e-4, Interval: calibrate.Interval{8e-4, 1e-3}, Measured: 1e-3},
				{At: at(2048), Predicted: 3.8e-2, Interval: unknown, Measured: 4e-2, Warnings: []string{"outside <the> range"}},
				{At: at(4096), Predicted: 0.33, Interval: calibrate.Interval{-0.1, 0.5}, Measured: 0.32},
			}},
			{Name: "plain", Model: "linear", Points: []Point{
				{At: at(512), Predicted: 1.1e-3, Interval: calibrate.Interval{1e-3, 1.2e-3}, Measured: 1.005e-3},
				{At: at(2048), Predicted: 3.7e-2, Interval: unknown, Measured: 5e-2},
				{At: at(4096), Predicted: 0.4, Interval: unknown, Measured: 0.41},
			}},
		}},
		{Name: "matrix multiplication", Variants: []VariantReport{{Name: "one", Model: "linear", Points: []Point{
			{At: map[string]int64{"n": 1, "m": 2}, Predicted: 1, Interval: unknown, Measured: 1},
			{At: map[string]int64{"n": 2, "m": 1}, Predicted: 2, Interval: unknown, Measured: 2.1},
		}}}},
	}}
	report.Summarize()
	device := samples.Fingerprint{Name: "NVIDIA H200", Vendor: "NVIDIA", Platform: "OpenCL", ComputeUnits: 132, ClockMHz: 1980, SubgroupSize: 32, UUID: "00"}
	known := facts.Of(device)
	global, _ := machine.GlobalPeak(known)
	madd, _ := machine.LocalPeak(known)
	when := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return &Page{
		Report: report, SuiteFiles: []string{"a.yaml", "b.yaml"}, Device: device, Facts: known, SamplesFile: "s.jsonl", SamplesHash: "abc",
		Models: []Model{{
			Calibration: &calibrate.Calibration{
				Fit:        calibrate.Fit{Model: "overlap", Rows: 9, Kernels: 3, Freedom: 6, Starts: 24, Iterations: 7, Status: "converged", Warnings: []string{"p_b is <not> determined"}, Cross: &calibrate.CrossEval{GeomeanRelErr: 0.05}},
				Definition: "expression: p_a * f_x < 3",
			},
			Costs: []Cost{
				{Estimate: calibrate.Estimate{Name: "p_a", Value: 1e-12, StdErr: 1e-14, Unit: "s per 4 B", Rate: 9.6e12, RateUnit: "B/s"}, Peak: &global, Remark: "caches"},
				{Estimate: calibrate.Estimate{Name: "p_b", Value: 1, StdErr: math.Inf(1), Rate: 1e12, RateUnit: "B/s"}, Peak: &madd},
				{Estimate: calibrate.Estimate{Name: "p_c", AtBound: "min"}},
				{Estimate: calibrate.Estimate{Name: "p_d", Value: 2, StdErr: math.NaN()}},
			},
		}},
		Records: []samples.Record{
			{Mode: samples.Warm, Trials: []float64{1, 2}, Time: when.Add(time.Minute), Perf: "abc"},
			{Mode: samples.Cold, Trials: []float64{1}, Time: when, Perf: "def", Warnings: []string{"the clock fell"}},
		},
	}
}

// elements reads HTML that is written as XML, and returns its tags by name and its text.
func elements(t *testing.T, text string) (tags map[string]int, content string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.Entity = xml.HTMLEntity
	tags = map[string]int{}
	var all strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return tags, all.String()
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch token := token.(type) {
		case xml.StartElement:
			tags[token.Name.Local]++
			for _, a := range token.Attr {
				if a.Name.Local == "href" || a.Name.Local == "src" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s has %s=%q: the page must need nothing else", token.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			all.Write(token)
		}
	}
}

func TestPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "report")
	paths, err := page().Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"report.html", "matrix-multiplication.svg", "matrix-multiplication-2.svg"}
	for i, p := range paths {
		if paths[i] != filepath.Join(dir, want[i]) {
			t.Errorf("file %s, want %s", p, want[i])
		}
	}
	html, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	tags, content := elements(t, string(html))
	if tags["script"] != 0 || tags["link"] != 0 || tags["svg"] != 4 {
		t.Errorf("the page has %v", tags)
	}
	for i, s := range page().Report.Suites {
		svg, err := os.ReadFile(paths[i+1])
		if err != nil || !strings.Contains(string(html), string(svg)) {
			t.Errorf("picture of %s: %v, or it is not that of the page", s.Name, err)
		}
	}
	for _, text := range []string{
		"Suite Matrix <multiplication>", `tiles & "more"`, "−10 %", "-10.00 %", "not known", "800 µs … 1 ms",
		"Right at 2 of 3 sizes", `plain < tiles & "more"`, "−100 ms … 500 ms", `measured tiles & "more" ≈ plain`, "wrong", "right",
		`tiles & "more", m=3, n=2048: outside <the> range`,
		"9 rows of 3 kernels", "5.00 % for each kernel predicted from the others", "p_b is <not> determined", "p_a * f_x < 3",
		"200.00 %", "above the peak: caches", "not determined", "at its min",
		"2026-11-21 12:00:00 to 2026-11-21 12:01:00 UTC", "1 to 2 for each time, caches warm and cold", "abc, def", "the clock fell",
		"NVIDIA H200 datasheet, GPU memory bandwidth", "66.9 TFLOP/s", "132 multiprocessors × 128 lanes × 2 × 1980 MHz", "62914560 B",
	} {
		if !strings.Contains(content, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
}

// The pages of warm and cold caches link to each other.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		dir   string
		other *Link
		want  string
	}{
		{dir, LinkTo("cold", samples.Cold), `<a href="cold/report.html">the same with cold caches</a>`},
		{filepath.Join(dir, "cold"), LinkTo("..", samples.Warm), `<a href="../report.html">the same with warm caches</a>`},
	} {
		p := page()
		p.Other = c.other
		paths, err := p.Write(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		if html, err := os.ReadFile(paths[0]); err != nil || !strings.Contains(string(html), c.want) {
			t.Errorf("%v, or %s lacks %s", err, paths[0], c.want)
		}
	}
}

// A page without anything is a page still.
func TestEmptyPage(t *testing.T) {
	paths, err := (&Page{Report: &Report{}}).Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	_, content := elements(t, string(html))
	if !strings.Contains(content, "No peak rates are known") || len(paths) != 1 {
		t.Errorf("%v:\n%s", paths, content)
	}
}

func TestFigureAxis(t *testing.T) {
	suite := func(points ...map[string]int64) *SuiteReport {
		s := &SuiteReport{Variants: make([]VariantReport, 1)}
		for _, at := range points {
			s.Variants[0].Points = append(s.Variants[0].Points, Point{At: at, Predicted: 1, Measured: 1})
		}
		return s
	}
	type sizes = map[string]int64
	for _, c := range []struct {
		suite *SuiteReport
		want  string // label, ordinal, texts
	}{
		{suite(sizes{"n": 1}, sizes{"n": 4}), "n false [1 4]"},
		{suite(sizes{"n": 1, "m": 7}, sizes{"n": 4, "m": 7}), "n false [1 4]"},
		{suite(sizes{"n": 3}), "n false [3]"},
		{suite(sizes{"n": 0}, sizes{"n": 4}), "n true [n=0 n=4]"},
		{suite(sizes{"n": 4}, sizes{"n": 4}), "n true [n=4 n=4]"},
		{suite(sizes{"n": 1, "m": 7}, sizes{"n": 4, "m": 8}), "m, n true [m=7, n=1 m=8, n=4]"},
		{suite(sizes{"n": 1, "m": 7}), "m, n true [m=7, n=1]"},
		{suite(sizes{}), " true []"},
	} {
		f := c.suite.Figure()
		var texts []string
		for _, p := range f.Panels[0].Points {
			texts = append(texts, p.XText)
		}
		if diff := cmp.Diff(c.want, fmt.Sprint(f.XLabel, " ", f.Ordinal, " ", texts)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSignedPercent(t *testing.T) {
	for _, c := range []struct {
		r    float64
		want string
	}{{0.0012, "+0.12 %"}, {-0.0537, "−5.4 %"}, {-0.9026, "−90 %"}, {0.00997, "+1.0 %"}, {0.0996, "+10 %"}, {0, "+0.00 %"}, {12, "+1200 %"}} {
		if got := signedPercent(c.r); got != c.want {
			t.Errorf("%g: %s, want %s", c.r, got, c.want)
		}
	}
}
