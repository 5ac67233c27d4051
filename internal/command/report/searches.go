package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/internal/chart"
	"gpuperf/internal/format"
)

// tried is a run of a search.
type tried struct {
	Seconds float64 `json:"seconds"` // 0 where it failed
	After   float64 `json:"after_seconds"`
	Status  string  `json:"status"`
}

// curves are the times of runs and the best so far, over the number of runs and over the time of the search as far as that is known; and a table of the best so far.
func (s *Section) curves(runs []tried, names []string) {
	all := chart.Series{Name: "runs", Style: chart.PointsStyle}
	best := chart.Series{Name: "best so far", Style: chart.PredictedStyle}
	inTime := chart.Series{Name: best.Name, Style: best.Style}
	progress := Table{Title: "best so far", Header: columns(">run", ">after", ">time")}
	least := math.Inf(1)
	for i, r := range runs {
		number := float64(i + 1)
		if r.Seconds > 0 {
			all.Points = append(all.Points, chart.XY{X: number, Y: r.Seconds, Hover: names[i] + ": " + format.Seconds(r.Seconds)})
		}
		better := r.Seconds > 0 && r.Seconds < least
		if !better && i < len(runs)-1 {
			continue
		}
		if !math.IsInf(least, 1) { // it stays until this run
			best.Points = append(best.Points, chart.XY{X: number, Y: least})
			if r.After > 0 {
				inTime.Points = append(inTime.Points, chart.XY{X: r.After, Y: least})
			}
		}
		if !better {
			continue
		}
		least = r.Seconds
		best.Points = append(best.Points, chart.XY{X: number, Y: least, Hover: fmt.Sprintf("run %d: %s", i+1, format.Seconds(least))})
		if r.After > 0 {
			inTime.Points = append(inTime.Points, chart.XY{X: r.After, Y: least, Hover: fmt.Sprintf("after %s: %s", format.Seconds(r.After), format.Seconds(least))})
		}
		progress.Rows = append(progress.Rows, []Cell{{fmt.Sprint(i + 1), number}, seconds(r.After), seconds(least)})
	}
	if len(progress.Rows) == 0 {
		return // nothing ran
	}
	s.fact("best", "%s, as it was first measured", format.Seconds(least))
	plain := func(v float64) string { return fmt.Sprintf("%g", v) }
	s.picture(&chart.Curves{Title: "search", XLabel: "runs", Even: true, XText: plain, Series: []chart.Series{all, best}})
	if len(inTime.Points) > 0 {
		s.picture(&chart.Curves{Title: "search over time", XLabel: "seconds since it began", Even: true, XText: plain, Series: []chart.Series{inTime}})
	}
	s.table(progress)
}

// search shows what tune prints: the curve of the best so far, and the runs.
func (s *Section) search(content []byte) error {
	var r searched
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	return s.searched(r)
}

// searched is what tune prints.
type searched struct {
	File           string     `json:"file"`
	Device         string     `json:"device"`
	Strategy       string     `json:"strategy"`
	Configurations int        `json:"configurations"`
	Usual          float64    `json:"usual_seconds"`
	Best           []searchOf `json:"best"`
	Final          bool       `json:"measured_again"`
	Runs           []searchOf `json:"runs"`
	Ranges         []struct {
		From   map[string]int64 `json:"from"`
		To     map[string]int64 `json:"to"`
		Run    searchOf         `json:"run"`
		Regret float64          `json:"regret"`
		Next   string           `json:"next"`
	} `json:"ranges"`
	Text     string   `json:"text"`
	Stopped  string   `json:"stopped"`
	Warnings []string `json:"warnings"`
}

// searchOf is a run of it.
type searchOf struct {
	tried
	Configuration choices `json:"configuration"`
	Predicted     float64 `json:"predicted_seconds"`
	OfRoof        float64 `json:"of_roof"`
	Times         []struct {
		At      map[string]int64 `json:"at"`
		Seconds float64          `json:"seconds"`
	} `json:"times"` // at each size, where there are several
}

func (s *Section) searched(r searched) error {
	if len(r.Runs) == 0 {
		return errors.New("it has no runs")
	}
	s.Title = cmp.Or(r.File, s.Title)
	s.fact("device", "%s", r.Device)
	s.fact("strategy", "%s: %d of %d configurations run", r.Strategy, len(r.Runs), r.Configurations)
	s.fact("stopped", "%s", r.Stopped)
	if r.Usual > 0 {
		s.fact("usual configuration", "%s", format.Seconds(r.Usual))
	}
	t := Table{Title: "runs", Header: columns(">run", "configuration", ">measured", ">predicted", "status")}
	var all []tried
	var names []string
	for i, one := range r.Runs {
		name := one.Configuration.String()
		all, names = append(all, one.tried), append(names, name)
		t.Rows = append(t.Rows, []Cell{{fmt.Sprint(i + 1), float64(i + 1)}, text(name), seconds(one.Seconds), seconds(one.Predicted), text(one.Status)})
	}
	s.curves(all, names)
	s.choices(r.Runs)
	title := "the fastest, as they were first measured"
	if r.Final {
		title = "the fastest, measured again with more trials"
	}
	s.table(fastest(title, r.Best))
	ranges := Table{Title: "a configuration for each range", Header: columns("from", "to", ">mean of the best", "configuration", "hands over")}
	for _, one := range r.Ranges {
		ranges.Rows = append(ranges.Rows, []Cell{
			text(format.Sizes(one.From)), text(format.Sizes(one.To)), {fmt.Sprintf("%.2f x", 1+one.Regret), one.Regret}, text(one.Run.Configuration.String()), text(one.Next),
		})
	}
	s.table(ranges)
	s.table(t)
	if r.Text != "" {
		s.Folded = append(s.Folded, Fold{"the fastest configuration", r.Text})
	}
	s.Notes = append(s.Notes, r.Warnings...)
	return nil
}

// fastest is a table of configurations, with their times at each size where there are several.
func fastest(title string, best []searchOf) Table {
	t := Table{Title: title, Header: columns(">time", ">of the roof", "configuration")}
	if len(best) > 0 && len(best[0].Times) > 0 {
		t.Header[0].Name = "mean"
	}
	for _, b := range best {
		row := []Cell{seconds(b.Seconds), {}, text(b.Configuration.String())}
		if b.OfRoof > 0 {
			row[1] = percent(b.OfRoof)
		}
		for i, one := range b.Times {
			if len(t.Rows) == 0 {
				t.Header = slices.Insert(t.Header, i+1, Column{format.Sizes(one.At), true})
			}
			row = slices.Insert(row, i+1, seconds(one.Seconds))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// choices shows how the options of each choice go with the time: the part of its variance that lies between options, and a line for each configuration.
func (s *Section) choices(runs []searchOf) {
	var ran []searchOf
	var axes []string
	for _, r := range runs {
		if !(r.Seconds > 0) {
			continue
		}
		ran = append(ran, r)
		for _, one := range r.Configuration {
			if !slices.Contains(axes, one.Choice) {
				axes = append(axes, one.Choice)
			}
		}
	}
	const few = 3 // runs of which nothing is told
	if len(ran) <= few {
		return
	}
	bars := chart.Bars{Title: "what matters", Series: []string{"variance of log(time) between the options of a choice"}, Text: format.Percent}
	lines := chart.Parallel{Title: "configurations and their times", Axes: axes}
	options := make([][]string, len(ran))
	for i, r := range ran {
		for _, axis := range axes {
			options[i] = append(options[i], r.Configuration.option(axis))
		}
		lines.Lines = append(lines.Lines, chart.Polyline{Options: options[i], Seconds: r.Seconds, Hover: r.Configuration.String() + ": " + format.Seconds(r.Seconds)})
	}
	for i, axis := range axes {
		bars.Bars = append(bars.Bars, chart.Bar{Name: axis, Values: []float64{between(ran, func(k int) string { return options[k][i] })}})
	}
	slices.SortStableFunc(bars.Bars, func(a, b chart.Bar) int { return cmp.Compare(b.Values[0], a.Values[0]) })
	bars.Bars = bars.Bars[:min(len(bars.Bars), mostBars)]
	s.picture(&bars)
	if len(axes) <= mostAxes {
		s.picture(&lines)
	}
}

// mostAxes bounds the axes of configurations: a page is not wide enough for more.
const mostAxes = 12

// between is the part of the variance of the logarithms of times that lies between groups, of 1; 0 where there is none.
func between(runs []searchOf, group func(i int) string) float64 {
	type sums struct{ n, sum float64 }
	groups, all, squares := map[string]sums{}, sums{}, 0.0
	for i, r := range runs {
		v := math.Log(r.Seconds)
		g := groups[group(i)]
		groups[group(i)] = sums{g.n + 1, g.sum + v}
		all, squares = sums{all.n + 1, all.sum + v}, squares+v*v
	}
	total, within := squares-all.sum*all.sum/all.n, squares
	for _, g := range groups {
		within -= g.sum * g.sum / g.n
	}
	const rounding = 1e-12 // of the squares
	if total <= rounding*squares {
		return 0
	}
	return max(0, 1-within/total)
}

// choices are a configuration.
type choices []struct {
	Choice string `json:"choice"`
	Option string `json:"option"`
}

// option is what is chosen; "" where that choice does not come.
func (c choices) option(choice string) string {
	for _, one := range c {
		if one.Choice == choice {
			return one.Option
		}
	}
	return ""
}

// String is "bm=32, bn=16".
func (c choices) String() string {
	var all []string
	for _, one := range c {
		all = append(all, one.Choice+"="+one.Option)
	}
	return strings.Join(all, ", ")
}

// onDevices shows what tune --device all prints.
func (s *Section) onDevices(content []byte) error {
	var all struct {
		Devices []struct {
			Device string    `json:"device"`
			Result *searched `json:"result"`
		} `json:"devices"`
	}
	if err := json.Unmarshal(content, &all); err != nil {
		return err
	}
	for _, d := range all.Devices {
		if d.Result == nil {
			s.Notes = append(s.Notes, d.Device+": nothing was searched")
			continue
		}
		before := len(s.Tables)
		if err := s.searched(*d.Result); err != nil {
			return err
		}
		for i := range s.Tables[before:] {
			s.Tables[before+i].Title = d.Device + ": " + s.Tables[before+i].Title
		}
	}
	if len(s.Tables) == 0 {
		return errors.New("no device has searched anything")
	}
	return nil
}

// ranges shows which recipe of a program is taken for which sizes.
func (s *Section) ranges(content []byte) error {
	var r struct {
		Program string `json:"program"`
		Size    string `json:"size"`
		Ranges  []struct {
			From   int64  `json:"from"`
			To     int64  `json:"to"`
			At     int64  `json:"at"`
			Recipe string `json:"recipe"`
			Best   struct {
				Variant string `json:"variant"`
			} `json:"best"`
			Gain     float64 `json:"predicted_gain"`
			Measured []struct {
				Recipe  string  `json:"recipe"`
				Seconds float64 `json:"seconds"`
			} `json:"measured"`
		} `json:"ranges"`
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	s.fact("program", "%s", r.Program)
	number := func(n int64) Cell { return Cell{fmt.Sprint(n), float64(n)} }
	t := Table{Header: columns(">"+r.Size+" from", ">to", ">measured at", "recipe", "variant", ">predicted gain", ">time", ">of the neighbours")}
	for _, one := range r.Ranges {
		own, other := 0.0, math.Inf(1)
		for _, m := range one.Measured {
			if m.Recipe == one.Recipe {
				own = m.Seconds
			} else {
				other = min(other, m.Seconds)
			}
		}
		t.Rows = append(t.Rows, []Cell{number(one.From), number(one.To), number(one.At), text(one.Recipe), text(one.Best.Variant), percent(one.Gain), seconds(own), seconds(other)})
	}
	s.table(t)
	s.Notes = append(s.Notes, r.Warnings...)
	return nil
}

// configurations shows what rank --tunables prints: the best of all configurations of a file.
func (s *Section) configurations(content []byte) error {
	var r struct {
		File           string           `json:"file"`
		Sizes          map[string]int64 `json:"at"`
		Model          string           `json:"model"`
		Device         string           `json:"device"`
		Configurations int              `json:"configurations"`
		Refused        int              `json:"refused"`
		Best           []struct {
			Configuration string   `json:"configuration"`
			Seconds       float64  `json:"seconds"`
			Low           *float64 `json:"lo"`
			High          *float64 `json:"hi"`
		} `json:"best"`
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	s.fact("kernel", "%s", r.File+sizesOf(r.Sizes))
	s.fact("device", "%s", r.Device)
	s.fact("model", "%s", r.Model)
	s.fact("configurations", "%d, of which the device would refuse %d", r.Configurations, r.Refused)
	bars := chart.Bars{Title: "predicted times", Series: []string{"predicted"}, Text: format.Seconds}
	t := Table{Header: columns(">rank", "configuration", ">predicted", ">90 % interval")}
	for i, b := range r.Best {
		name := strings.ReplaceAll(b.Configuration, ",", ", ")
		t.Rows = append(t.Rows, []Cell{{fmt.Sprint(i + 1), float64(i + 1)}, text(name), seconds(b.Seconds), pair(interval{b.Low, b.High})})
		bars.Bars = append(bars.Bars, chart.Bar{Name: name, Values: []float64{orNaN(b.Seconds)}})
	}
	if len(r.Best) > 1 && len(r.Best) <= mostBars {
		s.picture(&bars)
	}
	s.table(t)
	return nil
}

// compared is what searches of some programs by strategies came to.
type compared struct {
	Seeds    int `json:"seeds"`
	Programs []struct {
		Program        string  `json:"program"`
		Configurations int     `json:"configurations"`
		Best           float64 `json:"best_seconds"`
		Strategies     []struct {
			Strategy string `json:"strategy"`
			Model    bool   `json:"model"`
			Seeded   bool   `json:"seeded"`
			Runs     band   `json:"runs"`
			Missed   int    `json:"missed"`
			Curve    []band `json:"curve"`
		} `json:"strategies"`
	} `json:"programs"`
}

type band struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// strategies shows what tune prints of a file of samples: how soon each strategy finds fast configurations.
func (s *Section) strategies(content []byte) error {
	var r compared
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	s.fact("seeds", "%d of each strategy", r.Seeds)
	ratio := func(v float64) string { return fmt.Sprintf("%.3g x", v) }
	for _, p := range r.Programs {
		t := Table{
			Title:  fmt.Sprintf("%s: %s, the best takes %s", p.Program, format.Count(p.Configurations, "configuration"), format.Seconds(p.Best)),
			Header: columns("strategy", ">runs to 95 % of the best speed", ">95 % interval", ">never reached"),
		}
		c := chart.Curves{Title: p.Program + ": best so far over the best of all", XLabel: "runs", YLabel: "of the best", Even: true, XText: func(v float64) string { return fmt.Sprintf("%g", v) }, YText: ratio}
		for i, one := range p.Strategies {
			name := one.Strategy
			if one.Model {
				name += ", by predictions"
			} else if one.Seeded {
				name += ", first runs by predictions"
			}
			t.Rows = append(t.Rows, []Cell{
				text(name),
				{fmt.Sprintf("%.1f", one.Runs.Mean), one.Runs.Mean},
				{fmt.Sprintf("%.1f – %.1f", one.Runs.Low, one.Runs.High), one.Runs.Low},
				{fmt.Sprint(one.Missed), float64(one.Missed)},
			})
			line := chart.Series{Name: name, Style: chart.LineStyle(i)}
			for n, b := range one.Curve {
				if b.Mean == 0 { // null: some seeds have found nothing that runs
					continue
				}
				line.Points = append(line.Points, chart.XY{X: float64(n + 1), Y: b.Mean})
			}
			c.Series = append(c.Series, line)
		}
		if slices.ContainsFunc(c.Series, func(l chart.Series) bool { return len(l.Points) > 1 }) {
			s.picture(&c)
		}
		s.table(t)
	}
	return nil
}

// comparison shows what fleet merge prints: the figures of devices side by side.
func (s *Section) comparison(content []byte) error {
	var r struct {
		Devices []struct {
			Label string `json:"label"`
			Count int    `json:"samples"`
		} `json:"devices"`
		Rows []struct {
			What   string     `json:"what"`
			Unit   string     `json:"unit"`
			Values []*float64 `json:"values"`
			Choice []string   `json:"choice"`
			Spread *float64   `json:"spread"`
		} `json:"comparison"`
		Missing  []string `json:"missing"`
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return err
	}
	header := []string{"figure"}
	for i, d := range r.Devices {
		s.fact(fmt.Sprintf("device %d", i+1), "%s, %s", d.Label, format.Count(d.Count, "sample"))
		header = append(header, fmt.Sprintf(">device %d", i+1))
	}
	t := Table{Header: columns(append(header, ">spread", "best choice")...)}
	var work []string // that figures are of
	for _, row := range r.Rows {
		if of, _, _ := strings.Cut(row.What, ": "); !slices.Contains(work, of) {
			work = append(work, of)
		}
		cells := []Cell{text(row.What)}
		for i := range r.Devices {
			cell := Cell{"", math.Inf(1)}
			if i < len(row.Values) && row.Values[i] != nil {
				cell = Cell{format.Quantity(*row.Values[i], row.Unit), *row.Values[i]}
			}
			cells = append(cells, cell)
		}
		spread := Cell{"", math.Inf(1)}
		if row.Spread != nil {
			spread = percent(*row.Spread)
		}
		t.Rows = append(t.Rows, append(cells, spread, text(strings.Join(slices.Compact(slices.Clone(row.Choice)), "; "))))
	}
	s.table(t)
	if len(work) > 0 {
		s.Title = fmt.Sprintf("%s on %s", format.First(work, mostInTitle), format.Count(len(r.Devices), "device"))
	}
	s.Notes = append(append(s.Notes, r.Missing...), r.Warnings...)
	return nil
}
