package evaluate

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/internal/golden"
)

// ratios is an overlap experiment in which the smaller cost hides.
func ratios() *calibrate.Experiment {
	hidden := 0.94
	e := &calibrate.Experiment{Hidden: &hidden}
	for _, m := range []float64{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64} {
		p := calibrate.ExperimentPoint{Ratio: m + 1, Overhead: 4e-6, Gmem: 1.4e-4, Onchip: 1.1e-5 * (m + 1)}
		p.Predicted = p.Overhead + math.Pow(math.Pow(p.Gmem, 12)+math.Pow(p.Onchip, 12), 1./12)
		p.Measured = p.Predicted * (1 + 0.01*math.Sin(m))
		e.Points = append(e.Points, p)
	}
	return e
}

func TestOverlapFigure(t *testing.T) {
	f := OverlapFigure("dg <1>", ratios())
	if len(f.Series) != 6 {
		t.Fatalf("%d lines", len(f.Series))
	}
	for i, p := range ratios().Points {
		sum, larger, gmem, onchip := f.Series[0].Points[i].Y, f.Series[1].Points[i].Y, f.Series[2].Points[i].Y, f.Series[3].Points[i].Y
		if sum != p.Sum() || larger != max(gmem, onchip) || sum < larger {
			t.Errorf("ratio %g: sum %g, larger %g of %g and %g", p.Ratio, sum, larger, gmem, onchip)
		}
	}
	svg := f.SVG()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"dg &lt;1&gt;", "94 % of the smaller cost is hidden", "local for each global access", "on-chip work alone"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if n := strings.Count(svg, "<circle"); n != len(ratios().Points)+1 { // and in the legend
		t.Errorf("%d circles", n)
	}
	golden.Check(t, filepath.Join("testdata", "overlap.svg"), svg)
}

// TestPageShowsTheExperiment, the choice and the coverage, and writes the picture as a file of its own.
func TestPageShowsTheExperiment(t *testing.T) {
	fit := calibrate.Fit{
		Model: "dg", Experiment: ratios(),
		Choice: &calibrate.Choice{Form: "overlap", Reason: "overlap: for good reasons", Candidates: []calibrate.Candidate{{Form: "linear"}, {Form: "overlap", LeaveRatio: 0.02, Ratios: 11}}},
		Unseen: &calibrate.Unseen{Kernels: 4, Level: 0.9, Points: 40, Inside: 0.93, Half: 0.25},
	}
	page := &Page{Report: &Report{}, Models: []Model{{Calibration: &calibrate.Calibration{Fit: fit}}}}
	dir := t.TempDir()
	paths, err := page.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 2 || filepath.Base(paths[1]) != "overlap-dg.svg" {
		t.Errorf("wrote %v", paths)
	}
	html, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"for good reasons", "<strong>overlap</strong>", "90 % intervals: 93.00 % of 40 held-out points lie inside, median half-width 25.00 %", "Overlap of local and global memory: dg"} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
