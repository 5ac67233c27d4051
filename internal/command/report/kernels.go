package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/internal/chart"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/roofline"
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
	Costs     []struct {
		By      string  `json:"by"`      // the term in words
		Seconds float64 `json:"seconds"` // what it adds to the predicted time
	} `json:"costs"` // of explanations
	Bound      string `json:"bound"`
	Bottleneck struct {
		Resource string `json:"resource"`
		Kind     string `json:"kind"`
	} `json:"bottleneck"` // of emulation
	Remedies []struct {
		Text string `json:"text"`
	} `json:"remedies"`
	Advice   []sentence      `json:"advice"`
	Lines    []line          `json:"lines"`
	Warnings []string        `json:"warnings"`
	Measured json.RawMessage `json:"measured"` // an object, or in explanations a time
	Rank     int             `json:"rank"`
	Roof     struct {
		Seconds  float64 `json:"seconds"`
		Resource string  `json:"resource"`
	} `json:"roof"`
	Roofline *roofline.Roofline `json:"roofline"` // of explanations
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

// parts are the seconds that each term of an explanation adds to the time: those of its costs, which are its own and not of a term that it joins. names
// are the terms in the order in which their costs come, the greatest first; none where nothing is known but what terms take each alone.
func (k kernel) parts() (names []string, seconds map[string]float64) {
	seconds = map[string]float64{}
	for _, c := range k.Costs {
		if seconds[c.By] == 0 {
			names = append(names, c.By)
		}
		seconds[c.By] += c.Seconds
	}
	return names, seconds
}

// changes are the sentences that an explanation says about what to change.
func (k kernel) changes() (list []string) {
	for _, r := range k.Remedies {
		list = append(list, r.Text)
	}
	return append(list, lists.Map(k.Advice, func(s sentence) string { return string(s) })...)
}

// bound is what takes most of the time.
func (k kernel) bound() string {
	if k.Bound == "" && k.Bottleneck.Resource != "" {
		return k.Bottleneck.Resource + ": " + k.Bottleneck.Kind
	}
	return k.Bound
}

// orNaN is a time, NaN for 0, which stands for one that is not known.
func orNaN(seconds float64) float64 {
	if seconds == 0 {
		return math.NaN()
	}
	return seconds
}

// mostBars is how many kernels a picture shows as bars.
const mostBars = 60

// visible is the least share of a time that a part has in a picture.
const visible = 1e-4

// kernels shows predictions: a table, the times as bars, and what they are made of where that is known.
func (s *Section) kernels(title string, all []kernel) {
	all = tellApart(all)
	t := Table{Title: title, Header: columns(">rank", "kernel", ">predicted", ">90 % interval", ">measured", ">error", ">memory", ">arithmetic", ">of the roof", "bound by", "model")}
	bars := chart.Bars{Title: "predicted and measured times", Series: []string{"predicted", "measured"}, Text: format.Seconds}
	stack := chart.Bars{Title: "what predicted times are made of", Stacked: true, Text: format.Seconds}
	var roofs []roofline.Named
	for i, k := range all {
		m := k.measurement()
		row := []Cell{{"", float64(i)}, text(k.name()), seconds(k.predicted()), pair(k.Interval), seconds(m.Seconds), {}, quantity(m.Bytes, "B/s"), quantity(m.FLOP, "FLOP/s"), {}, text(k.bound()), text(k.Model)}
		if k.Rank > 0 {
			row[0] = Cell{fmt.Sprint(k.Rank), float64(k.Rank)}
		}
		if m.Seconds > 0 && k.predicted() > 0 {
			row[5] = signed(k.predicted()/m.Seconds - 1)
		}
		if m.OfRoof > 0 {
			row[8] = percent(m.OfRoof)
		}
		t.Rows = append(t.Rows, row)
		bars.Bars = append(bars.Bars, chart.Bar{Name: k.name(), Values: []float64{orNaN(k.predicted()), orNaN(m.Seconds)}})
		one := chart.Bar{Name: k.name(), Values: make([]float64, len(stack.Series))}
		names, times := k.parts()
		for _, name := range names {
			if times[name] < visible*k.predicted() {
				continue
			}
			at := slices.Index(stack.Series, name)
			if at < 0 {
				at = len(stack.Series)
				stack.Series, one.Values = append(stack.Series, name), append(one.Values, 0)
			}
			one.Values[at] = times[name]
		}
		stack.Bars = append(stack.Bars, one)
		if k.Roofline != nil {
			roofs = append(roofs, roofline.Named{Name: k.name(), Roofline: k.Roofline})
		}
		for _, w := range k.Warnings {
			s.Notes = append(s.Notes, k.name()+": "+w)
		}
		for _, a := range k.changes() {
			if len(all) > 1 {
				a = k.name() + ": " + a
			}
			s.fact("what to change", "%s", a)
		}
	}
	s.pictures(&bars, &stack, roofs)
	s.table(t)
	s.lines(all)
}

// pictures shows the times of kernels as bars, what these are made of, and their rooflines, as far as they are known.
func (s *Section) pictures(bars, stack *chart.Bars, roofs []roofline.Named) {
	if !slices.ContainsFunc(bars.Bars, func(b chart.Bar) bool { return !math.IsNaN(b.Values[1]) }) {
		bars.Title, bars.Series = "predicted times", bars.Series[:1]
		for i := range bars.Bars {
			bars.Bars[i].Values = bars.Bars[i].Values[:1]
		}
	}
	if len(bars.Bars) > 1 && len(bars.Bars) <= mostBars {
		s.picture(bars)
	}
	if len(stack.Series) > 0 && len(bars.Bars) <= mostBars {
		s.picture(stack)
	}
	if len(roofs) > 0 {
		s.picture(roofline.Chart(roofs))
	}
}

func (s *Section) prediction(text []byte) error {
	var k kernel
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	s.devices([]kernel{k})
	s.Title = k.name()
	s.kernels("", []kernel{k})
	return nil
}

func (s *Section) predictions(text []byte) error {
	if isApplication(text) {
		return s.applications(text)
	}
	var all struct {
		Kernels []kernel     `json:"kernels"`
		Work    []difference `json:"work"`
		Lines   []difference `json:"lines"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	s.devices(all.Kernels)
	if len(all.Kernels) > 0 {
		s.Title = titleOf(all.Kernels)
	}
	s.kernels("", all.Kernels)
	if len(all.Kernels) == 2 {
		s.differences(lists.Map(tellApart(all.Kernels), kernel.name), all.Work, all.Lines)
	}
	return nil
}

// titleOf names kernels, the first ones where they are many, with the sizes that all have.
func titleOf(all []kernel) string {
	var names []string
	sizes := sizesOf(all[0].At)
	for _, k := range tellApart(all) {
		if name := cmp.Or(k.Kernel, k.Launch); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if sizesOf(k.At) != sizes {
			sizes = ""
		}
	}
	return format.First(together(names), mostInTitle) + sizes
}

// mostInTitle is how many names a title has room for.
const mostInTitle = 3

// together is launches that differ by what follows the name as one, by what all have.
func together(names []string) []string {
	words := strings.Fields(names[0])
	for _, name := range names[1:] {
		other := strings.Fields(name)
		if other[0] != words[0] {
			return names
		}
		words = slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(other, w) })
	}
	if len(names) == 1 {
		return names
	}
	return []string{strings.Join(words, " ")}
}

// devices says of which devices the times of kernels are.
func (s *Section) devices(all []kernel) {
	var names []string
	for _, k := range all {
		if k.Device != "" && !slices.Contains(names, k.Device) {
			names = append(names, k.Device)
		}
	}
	s.fact("device", "%s", strings.Join(names, "; "))
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
	kernels := lists.Flat(all, func(r ranked) []kernel { return r.Ranking })
	s.devices(kernels)
	if len(all) == 1 && len(kernels) > 0 {
		s.Title = titleOf(kernels)
	}
	for _, r := range all {
		heading := "each at its own sizes"
		if len(r.At) > 0 {
			heading = "at" + sizesOf(r.At)
		}
		s.kernels(heading, r.Ranking)
	}
}
