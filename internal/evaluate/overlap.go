package evaluate

import (
	"fmt"

	"gpuperf/calibrate"
	"gpuperf/internal/chart"
)

// OverlapFigure is the picture of the overlap experiment with a model's costs, like Figure 5 of the Perflex paper: whether the time follows
// the sum of the two costs or the larger of them.
func OverlapFigure(model string, e *calibrate.Experiment) *chart.Curves {
	f := &chart.Curves{
		Title:  "Overlap of local and global memory: " + model,
		XLabel: "local for each global access",
	}
	if e.Hidden != nil {
		f.Note = "where the two costs are within a factor of four, " + e.HiddenText()
	}
	for _, line := range []struct {
		name  string
		style chart.Style
		time  func(calibrate.ExperimentPoint) float64
	}{
		{"their sum", chart.GreyStyle, calibrate.ExperimentPoint.Sum},
		{"the larger", chart.BlackStyle, calibrate.ExperimentPoint.Max},
		{"global memory alone", chart.GreenStyle, func(p calibrate.ExperimentPoint) float64 { return p.Overhead + p.Gmem }},
		{"on-chip work alone", chart.PurpleStyle, func(p calibrate.ExperimentPoint) float64 { return p.Overhead + p.Onchip }},
		{"measured", chart.MeasuredStyle, func(p calibrate.ExperimentPoint) float64 { return p.Measured }},
		{"model", chart.PredictedStyle, func(p calibrate.ExperimentPoint) float64 { return p.Predicted }},
	} {
		s := chart.Series{Name: line.name, Style: line.style}
		for _, p := range e.Points {
			s.Points = append(s.Points, chart.XY{X: p.Ratio, Y: line.time(p), Hover: fmt.Sprintf(
				"ratio %.4g\nmeasured %s\nmodel %s (%s)\nglobal memory %s, on-chip work %s, overhead %s",
				p.Ratio, chart.Seconds(p.Measured), chart.Seconds(p.Predicted), signedPercent(p.Predicted/p.Measured-1),
				chart.Seconds(p.Gmem), chart.Seconds(p.Onchip), chart.Seconds(p.Overhead))})
		}
		f.Series = append(f.Series, s)
	}
	return f
}
