package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/chart"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/workload"
)

// Figure is the picture of a suite, like Figures 7 to 9 of the Perflex paper: a panel for each variant, times against the size that
// varies. If several sizes vary, or none, the points are at equal distances in the order of the sizes. A
// variant without points has no panel.
func (s *SuiteReport) Figure() *chart.Figure {
	name, along := s.varying()
	f := &chart.Figure{Title: s.Name, XLabel: name, Ordinal: !along}
	for _, v := range s.Variants {
		if len(v.Points) == 0 {
			continue
		}
		panel := chart.Panel{Title: v.Name, Note: "geometric mean relative error " + format.Percent(v.GeomeanRelativeError)}
		for _, p := range v.Points {
			at := chart.Point{
				X: float64(p.At[name]), XText: workload.FormatSizes(p.At),
				Predicted: p.Predicted, Measured: p.Measured, Interval: p.Interval,
				Note:  signedPercent(p.RelativeError),
				Hover: p.hover(v.Name),
			}
			if along {
				at.XText = fmt.Sprint(p.At[name])
			}
			panel.Points = append(panel.Points, at)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

// varying returns the only size in which the points of the suite differ, if it is positive and so can be an axis; otherwise the names
// of all sizes.
func (s *SuiteReport) varying() (name string, along bool) {
	values := map[string]map[int64]bool{}
	points := 0
	for _, v := range s.Variants {
		points = max(points, len(v.Points))
		for _, p := range v.Points {
			for n, value := range p.At {
				if values[n] == nil {
					values[n] = map[int64]bool{}
				}
				values[n][value] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(values))
	varying := lists.Where(names, func(n string) bool { return len(values[n]) > 1 })
	if len(varying) == 0 && len(names) == 1 {
		varying = names
	}
	if len(varying) != 1 || len(values[varying[0]]) != points || slices.Min(slices.Collect(maps.Keys(values[varying[0]]))) <= 0 {
		return strings.Join(names, ", "), false
	}
	return varying[0], true
}

func (p Point) hover(variant string) string {
	lines := []string{
		variant + ", " + workload.FormatSizes(p.At),
		"predicted " + chart.Seconds(p.Predicted) + intervalText(p),
		"measured " + chart.Seconds(p.Measured),
		"relative error " + signedPercent(p.RelativeError),
	}
	return strings.Join(append(lines, p.Warnings...), "\n")
}

func intervalText(p Point) string {
	switch {
	case p.Interval.Open():
		return fmt.Sprintf(" (≥ %s)", chart.Seconds(p.Interval[0]))
	case !p.Interval.Known():
		return ""
	}
	return fmt.Sprintf(" (%s … %s)", chart.Seconds(p.Interval[0]), chart.Seconds(p.Interval[1]))
}

// signedPercent has three digits at most, so that it fits above a point; minus is the sign, not the hyphen.
func signedPercent(r float64) string {
	digits := 2
	switch {
	case r >= 0.0995 || r <= -0.0995:
		digits = 0
	case r >= 0.00995 || r <= -0.00995:
		digits = 1
	}
	return strings.Replace(fmt.Sprintf("%+.*f %%", digits, 100*r), "-", "−", 1)
}
