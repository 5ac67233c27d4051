package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// wellFormed reads a document and counts its elements.
func wellFormed(t *testing.T, svg string) map[string]int {
	count := map[string]int{}
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
}

func TestLines(t *testing.T) {
	l := &Lines{Title: "best <so far>", XLabel: "runs", YLabel: "of the best", Panels: []LinePanel{
		{"a & b", []Curve{{"random", []float64{0.1, 0.5, 0.5, 0.5, 1}}, {"ranked", []float64{0.9, math.NaN(), 1}}}},
		{"c", []Curve{{"random", []float64{0.2, 2}}}},
		{"nothing", nil},
	}}
	svg := l.SVG()
	if n := wellFormed(t, svg); n["path"] != 3 || n["svg"] != 1 {
		t.Errorf("%v elements, want 3 paths", n)
	}
	if strings.Count(svg, ">random<") != 1 {
		t.Error("the legend names a curve more than once")
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("a coordinate is no number\n%s", svg)
	}
	if n := wellFormed(t, (&Lines{}).SVG()); n["svg"] != 1 {
		t.Error("no panels give no document")
	}
}

func TestBars(t *testing.T) {
	b := &Bars{Title: "factors", Series: []string{"runs", "time"}, Log: true, Bars: []Bar{
		{"jacobi", []float64{35, 450}}, {"gaussian", []float64{0.5, math.NaN()}}, {"srad", []float64{math.Inf(1), 1}},
	}}
	for _, log := range []bool{true, false} {
		b.Log = log
		svg := b.SVG()
		if n := wellFormed(t, svg); n["rect"] != 1+2+5 { // background, legend, bars
			t.Errorf("%v elements, want 8 rectangles", n)
		}
		if strings.Contains(svg, `"NaN"`) || strings.Contains(svg, `"+Inf"`) {
			t.Errorf("a coordinate is no number\n%s", svg)
		}
	}
	if n := wellFormed(t, (&Bars{}).SVG()); n["svg"] != 1 {
		t.Error("no bars give no document")
	}
}
