package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
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

// TestIntervals: each row has its name, its text and an interval of the right length; what is not determined is a dotted line without ends.
func TestIntervals(t *testing.T) {
	v := Intervals{Title: "P", Rows: []Row{{Name: "p_a", Off: 0.25, Text: "3 s"}, {Name: "p_b", Off: math.Inf(1)}, {Name: "p_c", Off: math.NaN()}, {Name: "<d>", Off: 0}}}
	for _, svg := range []string{v.SVG(), v.Narrow(), (&Intervals{}).SVG()} {
		wellFormed(t, svg)
	}
	svg := v.SVG()
	if n := strings.Count(svg, "stroke-dasharray"); n != 2 {
		t.Errorf("%d dotted lines, want 2", n)
	}
	for _, want := range []string{">p_a<", ">3 s<", "&lt;d&gt;", ">+50 %<", ">0<", ">-25 %<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	// The axis goes from -54 % to +54 %, over 640 pixels: half of the interval of p_a is 0.25/1.08 of them.
	const half = aloneWidth * 0.25 / 1.08
	middle := 24 + textWidth("p_a") + aloneWidth/2
	if line := fmt.Sprintf(`<line x1="%s" y1="66" x2="%s"`, decimal(middle-half), decimal(middle+half)); !strings.Contains(svg, line) {
		t.Errorf("no %s in\n%s", line, svg)
	}
}

// TestParallel: a line goes through its options and its time; the fastest has the colour; what has no time is not drawn.
func TestParallel(t *testing.T) {
	p := Parallel{Title: "P", Axes: []string{"bm", "<x>"}, Lines: []Polyline{
		{Options: []string{"8", "a"}, Seconds: 1}, {Options: []string{"16", ""}, Seconds: 10, Hover: "h"}, {Options: []string{"32", "b"}},
	}}
	for _, svg := range []string{p.SVG(), p.Narrow(), (&Parallel{}).SVG()} {
		wellFormed(t, svg)
	}
	svg := p.SVG()
	// Two options on the first axis, at a quarter and three quarters of the height; one on the second.
	for _, want := range []string{`d="M74 272.5L394 205L714 `, `d="M74 137.5L714 `, `stroke="` + predicted + `"`, ">&lt;x&gt;<", ">h<", ">8<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if n := strings.Count(svg, "<path"); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}
