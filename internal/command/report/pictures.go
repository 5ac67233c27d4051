package report

import (
	"fmt"
	"math"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/chart"
	"gpuperf/internal/evaluate"
	"gpuperf/internal/format"
)

// rooflineOf shows what kernels achieved, over their arithmetic intensity, under the roofs of a device as far as these are known.
func rooflineOf(d *facts.Device, points []chart.XY) *chart.Curves {
	flops := func(v float64) string { return format.Rough(v, "FLOP/s") }
	c := &chart.Curves{
		Title: "Roofline", XLabel: "FLOP for each byte of global memory", YLabel: "FLOP per second", XText: func(v float64) string { return fmt.Sprintf("%g", v) }, YText: flops,
		Series: []chart.Series{{Name: "kernels", Style: chart.PointsStyle, Points: points}},
	}
	lo, hi := points[0].X, points[0].X
	for _, p := range points {
		lo, hi = min(lo, p.X), max(hi, p.X)
	}
	memory, known := machine.GlobalPeak(d)
	for _, dtype := range []string{"float32", "float64"} {
		peak, ok := machine.ArithmeticPeak(d, dtype, "madd", "FLOP/s")
		if !known || !ok {
			continue
		}
		ridge := peak.Rate / memory.Rate
		from, to := min(lo, ridge)/2, max(hi, ridge)*2
		roof := chart.Series{Name: fmt.Sprintf("%s: %s, %s", dtype, flops(peak.Rate), format.Rough(memory.Rate, "B/s")), Style: chart.GreyStyle}
		if dtype == "float32" {
			roof.Style = chart.BlackStyle
		}
		for _, x := range []float64{from, ridge, to} {
			roof.Points = append(roof.Points, chart.XY{X: x, Y: min(peak.Rate, x*memory.Rate)})
		}
		c.Series = append(c.Series, roof)
	}
	if !known {
		c.Note = "the peaks of the device are not known"
	}
	return c
}

// intervalsOf shows how well a fit determines its parameters.
func intervalsOf(fit *calibrate.Fit) *chart.Intervals {
	const normal = 1.645 // of a 90 % interval, in standard errors
	v := &chart.Intervals{Title: "Parameters of " + fit.Model, Note: "90 % interval, in parts of the value; dotted where the value is not determined"}
	for _, e := range fit.Parameters {
		value, deviation, unit := format.Uncertain(e.Value, e.StdErr, e.Unit)
		v.Rows = append(v.Rows, chart.Row{
			Name: e.Name, Off: normal * e.StdErr / math.Abs(e.Value), Text: value + " " + unit,
			Hover: fmt.Sprintf("%s: %s ± %s %s", e.Name, value, deviation, unit),
		})
	}
	return v
}

// scatter shows the predicted times of an evaluation over the measured ones, and by what they are off.
func (s *Section) scatter(r *evaluate.Report) {
	lo, hi := math.Inf(1), 0.0
	over := chart.Series{Name: "points", Style: chart.PointsStyle}
	off := chart.Series{Name: "predicted over measured", Style: chart.PointsStyle}
	for _, suite := range r.Suites {
		for _, v := range suite.Variants {
			for _, p := range v.Points {
				if !(p.Measured > 0 && p.Predicted > 0) {
					continue
				}
				lo, hi = min(lo, p.Measured, p.Predicted), max(hi, p.Measured, p.Predicted)
				hover := suite.Name + ", " + v.Name + sizesOf(p.At) + ": " + format.Percent(p.RelativeError)
				over.Points = append(over.Points, chart.XY{X: p.Measured, Y: p.Predicted, Hover: hover})
				off.Points = append(off.Points, chart.XY{X: p.Measured, Y: p.Predicted / p.Measured, Hover: hover})
			}
		}
	}
	if len(over.Points) < 2 || lo == hi {
		return
	}
	line := func(name string, at func(x float64) float64) chart.Series {
		return chart.Series{Name: name, Style: chart.GreyStyle, Points: []chart.XY{{X: lo, Y: at(lo)}, {X: hi, Y: at(hi)}}}
	}
	constant := func(y float64) func(float64) float64 { return func(float64) float64 { return y } }
	s.picture(&chart.Curves{
		Title: "Predicted over measured times", XLabel: "measured", YLabel: "predicted", XText: chart.Seconds,
		Series: []chart.Series{line("equal", func(x float64) float64 { return x }), over},
	})
	const band = 1.1 // a tenth: what readers judge errors by
	s.picture(&chart.Curves{
		Title: "Residuals", XLabel: "measured", YLabel: "predicted over measured", XText: chart.Seconds, YText: func(v float64) string { return fmt.Sprintf("%.3g x", v) },
		Series: []chart.Series{line("equal", constant(1)), line("10 % more", constant(band)), line("10 % less", constant(1/band)), off},
	})
}
