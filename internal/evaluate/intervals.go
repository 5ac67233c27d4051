package evaluate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/internal/format"
)

// Intervals tells what the intervals of predictions are worth. Those without two ends are not among them.
type Intervals struct {
	Level     float64 `json:"level"` // the share of the times that they claim to hold
	Points    int     `json:"points"`
	Inside    int     `json:"inside"`     // points that were measured within the interval
	HalfWidth float64 `json:"half_width"` // the median of [calibrate.Interval.HalfWidth]
}

// intervals is nil where no point has one.
func (points Points) intervals() *Intervals {
	out := &Intervals{Level: calibrate.Confidence}
	var halves []float64
	for _, p := range points {
		if p.Interval.Known() {
			halves = append(halves, p.Interval.HalfWidth())
			if p.Interval.Holds(p.Measured) {
				out.Inside++
			}
		}
	}
	if out.Points = len(halves); halves == nil {
		return nil
	}
	slices.Sort(halves)
	out.HalfWidth = halves[len(halves)/2]
	return out
}

func (i *Intervals) String() string {
	if i == nil {
		return "none"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", i.Inside, i.Points, 100*float64(i.Inside)/float64(i.Points))
}

// Group is a part of an evaluation: what one model predicted, or the suites of one kind.
type Group struct {
	Name                 string     `json:"name"` // "model parts", or the first word of the names of its suites
	GeomeanRelativeError float64    `json:"geomean_relative_error"`
	Intervals            *Intervals `json:"intervals,omitempty"`
	Points               Points     `json:"-"`
}

// groups are the parts of a report, in the order in which they first occur: by model where there are several, then by kind of suites where
// there are several kinds, of which one has two suites.
func (r *Report) groups() (all []Group) {
	models, kinds := groupsBy(r.Suites, func(_ SuiteReport, v VariantReport) string { return "model " + v.Model }),
		groupsBy(r.Suites, func(s SuiteReport, _ VariantReport) string { return kind(s.Name) })
	if len(models) > 1 {
		all = models
	}
	if len(kinds) > 1 && len(kinds) < len(r.Suites) {
		all = append(all, kinds...)
	}
	return all
}

// kind is the first word of the name of a suite.
func kind(suite string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(suite), " ")
	return first
}

func groupsBy(suites []SuiteReport, name func(SuiteReport, VariantReport) string) (all []Group) {
	for _, s := range suites {
		for _, v := range s.Variants {
			if len(v.Points) == 0 {
				continue
			}
			of := name(s, v)
			i := slices.IndexFunc(all, func(g Group) bool { return g.Name == of })
			if i < 0 {
				i, all = len(all), append(all, Group{Name: of})
			}
			all[i].Points = append(all[i].Points, v.Points...)
		}
	}
	for i, g := range all {
		all[i].GeomeanRelativeError, _ = g.Points.geomeans()
		all[i].Intervals = g.Points.intervals()
	}
	return all
}

// writeIntervals writes what intervals are worth, of all points and of each group.
func (r *Report) writeIntervals(w io.Writer) {
	if r.Intervals != nil {
		fmt.Fprintf(w, "%.0f %% intervals hold %s measured times, median half-width %s\n", 100*r.Intervals.Level, r.Intervals, format.Percent(r.Intervals.HalfWidth))
	}
	if r.Groups == nil {
		return
	}
	t := format.NewTable("of", ">points", ">error", ">mean", ">worst", ">inside interval", ">half-width")
	for _, g := range r.Groups {
		half := "-"
		if g.Intervals != nil {
			half = format.Percent(g.Intervals.HalfWidth)
		}
		t.Row(g.Name, fmt.Sprint(len(g.Points)), format.Percent(g.GeomeanRelativeError), format.Percent(g.Points.Mean()), format.Percent(g.Points.Worst()),
			g.Intervals.String(), half)
	}
	t.Write(w)
}
