package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/chart"
	"gpuperf/internal/format"
)

// application is what perf emulate prints of a folder of launch files.
type application struct {
	Folder  string  `json:"folder"`
	Device  string  `json:"device"`
	Seconds float64 `json:"seconds"`
	Errors  *struct {
		Kinds     int     `json:"kinds"`
		Measured  float64 `json:"measured"`
		Predicted float64 `json:"predicted"`
		Geometric float64 `json:"geometric_mean"`
		Mean      float64 `json:"mean"`
		Median    float64 `json:"median"`
		Half      int     `json:"off_by_half"`
		Intervals int     `json:"intervals"`
		Inside    int     `json:"inside"`
	} `json:"errors"`
	Launches []launched `json:"launches"`
}

// launched are the launches of a file.
type launched struct {
	File       string   `json:"file"`
	Kernel     string   `json:"kernel"`
	Name       string   `json:"name"`
	Launches   int64    `json:"launches"`
	Seconds    float64  `json:"seconds"`
	Measured   float64  `json:"measured"`
	Predicted  *float64 `json:"predicted"`
	Interval   interval `json:"interval"`
	Status     string   `json:"status"`
	Off        *float64 `json:"error_of_prediction"`
	Share      float64  `json:"share"`
	Bottleneck string   `json:"bottleneck"`
	Busiest    string   `json:"busiest"`
	Lines      []struct {
		Place  string  `json:"place"`
		Part   float64 `json:"part"`
		Reason string  `json:"reason"`
	} `json:"lines"`
	Error string `json:"error"`
}

// predicted is the predicted time of a launch, NaN for none.
func (l launched) predicted() float64 {
	if l.Predicted == nil {
		return math.NaN()
	}
	return *l.Predicted
}

// mostLines is how many lines of sources a table has.
const mostLines = 30

// lines is a table of the lines of the source in which the application spends most of its time.
func (a application) lines() Table {
	type line struct{ kernel, place, reason string }
	var order []line
	times := map[line]float64{}
	for _, l := range a.Launches {
		for _, one := range l.Lines {
			at := line{l.Name, path.Base(one.Place), one.Reason}
			if times[at] == 0 {
				order = append(order, at)
			}
			times[at] += one.Part * l.Seconds
		}
	}
	slices.SortStableFunc(order, func(x, y line) int { return cmp.Compare(times[y], times[x]) })
	t := Table{Title: "source lines", Header: columns("line", "kernel", ">time", ">share", "sub-groups wait for")}
	for _, at := range order[:min(len(order), mostLines)] {
		t.Rows = append(t.Rows, []Cell{text(at.place), text(at.kernel), seconds(times[at]), percent(times[at] / a.Seconds), text(at.reason)})
	}
	return t
}

// applications shows folders of launch files: what takes the time of an application, as measured and as predicted.
func (s *Section) applications(text []byte) error {
	var all struct {
		Folders []application `json:"kernels"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if all.Folders == nil { // there is one alone
		all.Folders = make([]application, 1)
		if err := json.Unmarshal(text, &all.Folders[0]); err != nil {
			return err
		}
	}
	s.Kind = "application"
	if name := filepath.Base(all.Folders[0].Folder); len(all.Folders) == 1 && all.Folders[0].Folder != "" {
		s.Title = name
	}
	for _, a := range all.Folders {
		s.application(a)
	}
	return nil
}

// isApplication reports whether a result of kernels is one of folders of launch files.
func isApplication(text []byte) bool {
	var all struct {
		Kernels []struct {
			Folder   string            `json:"folder"`
			Launches []json.RawMessage `json:"launches"`
		} `json:"kernels"`
	}
	return json.Unmarshal(text, &all) == nil && len(all.Kernels) > 0 && all.Kernels[0].Folder != "" && all.Kernels[0].Launches != nil
}

func (s *Section) application(a application) {
	s.fact("launch files", "%s: %d", a.Folder, len(a.Launches))
	s.fact("device", "%s", a.Device)
	s.fact("time in kernels", "%s", format.Seconds(a.Seconds))
	if e := a.Errors; e != nil {
		s.fact("measured, predicted", "%s, %s (%+.1f %%)", format.Seconds(e.Measured), format.Seconds(e.Predicted), 100*(e.Predicted/e.Measured-1))
		s.fact("errors", "of %s: geometric mean %.1f %%, mean %.1f %%, median %.1f %%; off by over half: %d; inside their intervals: %d of %d",
			format.Count(e.Kinds, "launch file"), 100*e.Geometric, 100*e.Mean, 100*e.Median, e.Half, e.Inside, e.Intervals)
	}
	bars := chart.Bars{Title: "time of all launches", Series: []string{"measured", "predicted"}, Text: format.Seconds}
	t := Table{Header: columns("kernel", ">launches", ">measured", ">predicted", ">error", ">90 % interval", ">all", ">share", "bottleneck", "busiest", "launch file")}
	for _, l := range a.Launches {
		if l.Error != "" {
			s.Notes = append(s.Notes, l.File+" is left out: "+l.Error)
			continue
		}
		times := float64(l.Launches)
		bars.Bars = addLaunches(bars.Bars, l)
		row := []Cell{
			text(l.Name),
			{fmt.Sprint(l.Launches), times},
			seconds(l.Measured), seconds(l.predicted()),
			{},
			pair(l.Interval), seconds(l.Seconds), percent(l.Share),
			text(l.Bottleneck), text(l.Busiest), text(l.File),
		}
		if l.Status != "" && l.Status != "time" {
			row[3].Text = strings.TrimSpace(row[3].Text + " (" + l.Status + ")")
		}
		if l.Off != nil {
			row[4] = signed(*l.Off)
		}
		t.Rows = append(t.Rows, row)
	}
	s.picture(topBars(bars))
	s.table(t)
	s.table(a.lines())
}

// addLaunches adds the times of launches to the bar of their kernel.
func addLaunches(bars []chart.Bar, l launched) []chart.Bar {
	values := []float64{math.NaN(), float64(l.Launches) * l.predicted()}
	if l.Measured > 0 {
		values[0] = l.Seconds
	}
	at := slices.IndexFunc(bars, func(b chart.Bar) bool { return b.Name == l.Name })
	if at < 0 {
		return append(bars, chart.Bar{Name: l.Name, Values: values})
	}
	for i, v := range values {
		bars[at].Values[i] += v
	}
	return bars
}

// topBars are the first bars, without a series of which no value is known.
func topBars(b chart.Bars) *chart.Bars {
	length := func(one chart.Bar) float64 { // as measured, else as predicted
		if math.IsNaN(one.Values[0]) {
			return one.Values[1]
		}
		return one.Values[0]
	}
	slices.SortStableFunc(b.Bars, func(x, y chart.Bar) int { return cmp.Compare(length(y), length(x)) })
	b.Bars = b.Bars[:min(len(b.Bars), mostBars)]
	if !slices.ContainsFunc(b.Bars, func(one chart.Bar) bool { return !math.IsNaN(one.Values[0]) }) {
		b.Title, b.Series = "predicted time of all launches", b.Series[1:]
		for i := range b.Bars {
			b.Bars[i].Values = b.Bars[i].Values[1:]
		}
	}
	return &b
}
