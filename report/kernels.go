package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gpuperf/internal/chart"
	"gpuperf/internal/format"
)

// interval has ends that may not be known.
type interval [2]*float64

// kernel is a kernel at sizes, as predict, rank and explain print it.
type kernel struct {
	Script    string           `json:"script"`
	Launch    string           `json:"launch_file"`
	Kernel    string           `json:"kernel"`
	Model     string           `json:"model"`
	Device    string           `json:"device"`
	At        map[string]int64 `json:"at"`
	Seconds   float64          `json:"seconds"`
	Predicted float64          `json:"predicted"` // in explanations
	Interval  interval         `json:"interval"`
	Terms     json.RawMessage  `json:"terms"` // times by name, or in explanations a list of parts
	Bound     string           `json:"bound"`
	Advice    []string         `json:"advice"`
	Warnings  []string         `json:"warnings"`
	Measured  json.RawMessage  `json:"measured"` // an object, or in explanations a time
	Rank      int              `json:"rank"`
	Roof      struct {
		Seconds  float64 `json:"seconds"`
		Resource string  `json:"resource"`
	} `json:"roof"`
}

func (k kernel) name() string { return cmp.Or(k.Kernel, k.Launch) + sizesOf(k.At) }

// tellApart names kernels that have one name in several files by their files too.
func tellApart(all []kernel) []kernel {
	out := slices.Clone(all)
	for i, k := range all {
		if k.Kernel != "" && slices.ContainsFunc(all, func(o kernel) bool { return o.Kernel == k.Kernel && o.Script != k.Script }) {
			out[i].Kernel = filepath.Base(k.Script) + "#" + k.Kernel
		}
	}
	return out
}

func sizesOf(at map[string]int64) string {
	if len(at) == 0 {
		return ""
	}
	return " " + format.Sizes(at)
}

func (k kernel) predicted() float64 { return cmp.Or(k.Seconds, k.Predicted) }

// measurement is the measured time, with what it achieved.
func (k kernel) measurement() (m struct {
	Seconds float64 `json:"seconds"`
	Bytes   float64 `json:"bytes_per_second"`
	FLOP    float64 `json:"flop_per_second"`
	OfRoof  float64 `json:"of_roof"`
},
) {
	if json.Unmarshal(k.Measured, &m) != nil {
		m.Seconds = 0
		_ = json.Unmarshal(k.Measured, &m.Seconds)
	}
	return m
}

// part is a part of a predicted time.
type part struct {
	Name    string   `json:"name"`
	Joins   []string `json:"joins"` // other parts, which Seconds contains
	Seconds float64  `json:"seconds"`
}

// parts are the parts that make up the time, in their order, each without those that it joins; none where the terms are each alone.
func (k kernel) parts() (all []part) {
	if json.Unmarshal(k.Terms, &all) != nil {
		return nil
	}
	whole := map[string]float64{}
	for _, p := range all {
		whole[p.Name] = p.Seconds
	}
	for i := range all {
		for _, name := range all[i].Joins {
			all[i].Seconds -= whole[name]
		}
	}
	return all
}

// known is a time, NaN for 0, which stands for one that is not known.
func known(seconds float64) float64 {
	if seconds == 0 {
		return math.NaN()
	}
	return seconds
}

// kernels shows predictions: a table, the times as bars, and what they are made of where that is known.
func (s *Section) kernels(title string, all []kernel) {
	all = tellApart(all)
	t := Table{Title: title, Header: columns(">rank", "kernel", ">predicted", ">90 % interval", ">measured", ">error", ">memory", ">arithmetic", ">of the roof", "bound by", "model")}
	bars := chart.Bars{Title: "predicted and measured times", Series: []string{"predicted", "measured"}, Text: format.Seconds}
	stack := chart.Bars{Title: "what predicted times are made of", Stacked: true, Text: format.Seconds}
	for i, k := range all {
		m := k.measurement()
		row := []Cell{{"", float64(i)}, text(k.name()), seconds(k.predicted()), pair(k.Interval), seconds(m.Seconds), {}, quantity(m.Bytes, "B/s"), quantity(m.FLOP, "FLOP/s"), {}, text(cmp.Or(k.Bound, k.Roof.Resource)), text(k.Model)}
		if k.Rank > 0 {
			row[0] = Cell{fmt.Sprint(k.Rank), float64(k.Rank)}
		}
		if m.Seconds > 0 && k.predicted() > 0 {
			row[5] = percent(k.predicted()/m.Seconds - 1)
		}
		if m.OfRoof > 0 {
			row[8] = percent(m.OfRoof)
		}
		t.Rows = append(t.Rows, row)
		bars.Bars = append(bars.Bars, chart.Bar{Name: k.name(), Values: []float64{known(k.predicted()), known(m.Seconds)}})
		one := chart.Bar{Name: k.name(), Values: make([]float64, len(stack.Series))}
		for _, p := range k.parts() {
			if !(p.Seconds > 0) {
				continue
			}
			at := slices.Index(stack.Series, p.Name)
			if at < 0 {
				at = len(stack.Series)
				stack.Series, one.Values = append(stack.Series, p.Name), append(one.Values, 0)
			}
			one.Values[at] += p.Seconds
		}
		stack.Bars = append(stack.Bars, one)
		for _, w := range k.Warnings {
			s.Notes = append(s.Notes, k.name()+": "+w)
		}
		for _, a := range k.Advice {
			s.fact("advice for "+k.name(), "%s", a)
		}
	}
	if !slices.ContainsFunc(bars.Bars, func(b chart.Bar) bool { return !math.IsNaN(b.Values[1]) }) {
		bars.Title, bars.Series = "predicted times", bars.Series[:1]
		for i := range bars.Bars {
			bars.Bars[i].Values = bars.Bars[i].Values[:1]
		}
	}
	if len(all) > 1 && len(all) <= 60 {
		s.picture(&bars)
	}
	if len(stack.Series) > 0 && len(all) <= 60 {
		s.picture(&stack)
	}
	s.table(t)
}

func (s *Section) prediction(text []byte) error {
	var k kernel
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	s.fact("device", "%s", k.Device)
	s.kernels("", []kernel{k})
	return nil
}

func (s *Section) predictions(text []byte) error {
	var all struct {
		Kernels []kernel `json:"kernels"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	s.kernels("", all.Kernels)
	return nil
}

// ranked is a ranking at one size.
type ranked struct {
	At      map[string]int64 `json:"at"`
	Ranking []kernel         `json:"ranking"`
}

func (s *Section) ranking(text []byte) error {
	var r ranked
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	s.ranks([]ranked{r})
	return nil
}

func (s *Section) rankings(text []byte) error {
	var all struct {
		Rankings []ranked `json:"rankings"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	s.ranks(all.Rankings)
	return nil
}

func (s *Section) ranks(all []ranked) {
	for _, r := range all {
		if len(r.Ranking) > 0 {
			s.fact("device"+sizesOf(r.At), "%s", r.Ranking[0].Device)
		}
		s.kernels("at"+sizesOf(r.At), r.Ranking)
	}
}
