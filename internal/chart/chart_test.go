package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/golden"
)

// example is a figure with all that can happen: intervals of every kind, notes that are close, four panels.
func example() *Figure {
	f := &Figure{Title: "DG <differentiation>", XLabel: "nelements"}
	for k, name := range []string{"plain", "u prefetch", "matrix prefetch", "both & transposed"} {
		p := Panel{Title: name, Note: fmt.Sprintf("geometric mean relative error %d.00 %%", k+3)}
		for i, n := range []float64{10000, 12000, 40000, 160000, 640000} {
			t := n * 2e-8 / float64(k+1)
			at := Point{X: n, XText: fmt.Sprintf("%.0f", n), Measured: t, Predicted: t * (1 + 0.1*float64(i-2)), Note: fmt.Sprintf("%+d.1 %%", 10*(i-2)), Hover: name}
			at.Interval = [][2]float64{
				{at.Predicted * 0.8, at.Predicted * 1.2},
				{-at.Predicted, at.Predicted * 3},
				{math.NaN(), math.NaN()},
				{at.Predicted * 0.5, at.Predicted * 1e6},
				{at.Predicted * 0.7, at.Predicted * 1.3},
			}[i]
			p.Points = append(p.Points, at)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func TestGolden(t *testing.T) {
	const path = "testdata/example.svg"
	got := example().SVG()
	golden.Check(t, path, got)
}

// For narrow screens there is a panel in a row, as wide as half a figure.
func TestNarrow(t *testing.T) {
	elements, err := parse(example().Narrow())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range elements {
		if left := e.attrs["x"]; e.attrs["fill"] == "none" && left != "" && left != "74" {
			t.Errorf("a panel beside another: %v", e)
		}
	}
	if width := elements[0].attrs["width"]; width != "492" {
		t.Errorf("the figure is %s wide", width)
	}
}

// element is a start tag of a drawing.
type element struct {
	name  string
	attrs map[string]string
}

func (e element) number(t *rapid.T, name string) float64 {
	v, err := strconv.ParseFloat(e.attrs[name], 64)
	if err != nil {
		t.Fatalf("%s of %v: %v", name, e, err)
	}
	return v
}

func parse(text string) (all []element, err error) {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok {
			e := element{start.Name.Local, map[string]string{}}
			for _, a := range start.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all = append(all, e)
		}
	}
}

func drawFigure(t *rapid.T) *Figure {
	time := rapid.Custom(func(t *rapid.T) float64 { return math.Pow(10, rapid.Float64Range(-9, 4).Draw(t, "log time")) })
	f := &Figure{Title: rapid.String().Draw(t, "title"), Ordinal: rapid.Bool().Draw(t, "ordinal")}
	for range rapid.IntRange(1, 5).Draw(t, "panels") {
		p := Panel{Title: rapid.String().Draw(t, "variant")}
		for range rapid.IntRange(0, 6).Draw(t, "points") {
			at := Point{X: rapid.Float64Range(1, 1e9).Draw(t, "x"), Measured: time.Draw(t, "measured"), Predicted: time.Draw(t, "predicted")}
			at.Note, at.Hover, at.XText = rapid.String().Draw(t, "note"), rapid.String().Draw(t, "hover"), fmt.Sprint(at.X)
			at.Interval = [2]float64{at.Predicted * rapid.Float64Range(-1, 1).Draw(t, "lo"), at.Predicted * rapid.Float64Range(1, 1e5).Draw(t, "hi")}
			if rapid.Bool().Draw(t, "no interval") {
				at.Interval = [2]float64{math.NaN(), math.NaN()}
			}
			p.Points = append(p.Points, at)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// Any figure is well-formed XML; every point lies inside the frame of its panel, and every error bar goes upwards and stays inside.
func TestDrawing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFigure(t)
		elements, err := parse(f.SVG())
		if err != nil {
			t.Fatal(err)
		}
		var frames []element
		for _, e := range elements {
			if e.name == "rect" && e.attrs["fill"] == "none" {
				frames = append(frames, e)
			}
		}
		inside := func(x, y float64) bool {
			for _, r := range frames {
				dx, dy := x-r.number(t, "x"), y-r.number(t, "y")
				if -0.1 <= dx && dx <= r.number(t, "width")+0.1 && -0.1 <= dy && dy <= r.number(t, "height")+0.1 {
					return true
				}
			}
			return false
		}
		points, bars, wantPoints, wantBars := 0, 0, 0, 0
		for _, p := range f.Panels {
			for _, at := range p.Points {
				wantPoints++
				if at.hasBar() {
					wantBars++
				}
			}
		}
		const legend = 1 // mark of each kind
		for _, e := range elements {
			switch {
			case e.name == "circle":
				if points++; points > legend && !inside(e.number(t, "cx"), e.number(t, "cy")) {
					t.Fatalf("a point lies outside: %v", e)
				}
			case e.attrs["class"] == "bar":
				x, upper, lower := e.number(t, "x1"), e.number(t, "y1"), e.number(t, "y2")
				if bars++; bars > legend && (upper > lower || !inside(x, upper) || !inside(x, lower)) {
					t.Fatalf("an error bar is upside down or outside: %v", e)
				}
			}
		}
		if len(frames) != len(f.Panels) || points-legend != wantPoints || bars-legend != wantBars {
			t.Fatalf("%d frames, %d points, %d bars for %d panels, %d points, %d bars", len(frames), points-legend, bars-legend, len(f.Panels), wantPoints, wantBars)
		}
	})
}

// An axis holds all its values, and has at least three ticks and not too many, in order, inside, with different texts.
func TestAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-9, 4).Draw(t, "lo"))
		hi := lo * math.Pow(10, rapid.Float64Range(0, 14).Draw(t, "decades"))
		a := logAxis([]float64{lo, hi})
		if !(a.lo < lo && hi < a.hi) || a.at(lo) <= 0 || a.at(hi) >= 1 || a.at(lo) > a.at(hi) {
			t.Fatalf("%+v does not hold %g and %g", a, lo, hi)
		}
		ticks := a.ticks()
		if len(ticks) < fewTicks || len(ticks) > 2*manyTicks {
			t.Fatalf("ticks from %g to %g: %g", a.lo, a.hi, ticks)
		}
		for i, v := range ticks {
			if !a.contains(v) || i > 0 && (v <= ticks[i-1] || Seconds(v) == Seconds(ticks[i-1])) {
				t.Fatalf("ticks from %g to %g: %g, written %s", a.lo, a.hi, ticks, Seconds(v))
			}
		}
		for _, v := range (axis{hi: hi, linear: true}).ticks() {
			if text := strconv.FormatFloat(v, 'e', -1, 64); len(text) > len("1.25e-09") {
				t.Fatalf("a tick up to %g is %s", hi, text)
			}
		}
	})
}

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		s    float64
		want string
	}{
		{1e-3, "1 ms"},
		{0.00099999999, "1 ms"},
		{0.0009994, "999.4 µs"},
		{math.Pow10(-4), "100 µs"},
		{2.5, "2.5 s"},
		{-2e-3, "−2 ms"},
		{0, "0 s"},
		{3e-9, "3 ns"},
		{1.234567e-12, "1.235 ps"},
	} {
		if got := Seconds(c.s); got != c.want {
			t.Errorf("%g: %s, want %s", c.s, got, c.want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0.9e-3, 110e-3, "1 ms, 2 ms, 5 ms, 10 ms, 20 ms, 50 ms, 100 ms"},
		{0.9e-6, 1.1e-3, "1 µs, 3 µs, 10 µs, 30 µs, 100 µs, 300 µs, 1 ms"},
		{0.9e-9, 1.1, "10 ns, 1 µs, 100 µs, 10 ms, 1 s"},
		{1.01e-3, 1.38e-3, "1.1 ms, 1.2 ms, 1.3 ms"},
	} {
		var got []string
		for _, v := range (axis{lo: c.lo, hi: c.hi}).ticks() {
			got = append(got, Seconds(v))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%g to %g: %s, want %s", c.lo, c.hi, text, c.want)
		}
	}
}
