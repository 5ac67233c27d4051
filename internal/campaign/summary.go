package campaign

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/internal/explain"
	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
	"gpuperf/internal/lists"
	"gpuperf/internal/roofline"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Summary is a prediction with what it is of and what was measured, as perf predict and perf rank print it.
type Summary struct {
	Script   string           `json:"script,omitempty"`
	Launch   string           `json:"launch_file,omitempty"` // which has no prediction
	Kernel   string           `json:"kernel"`
	Model    string           `json:"model,omitempty"`
	Counts   string           `json:"counts,omitempty"` // "from the IR" or "with the binary", where that was asked for
	Device   string           `json:"device"`
	At       map[string]int64 `json:"at,omitempty"`
	Row      string           `json:"row,omitempty"` // of a table of feature values
	Measured *Measured        `json:"measured,omitempty"`
	Bound    string           `json:"bound,omitempty"`   // what takes most of the time, in the words of explain
	Status   string           `json:"status,omitempty"`  // of an emulated time: what kind of one it is; of what has none as it cannot run, that of its launch
	Error    string           `json:"error,omitempty"`   // why it cannot run
	Time     any              `json:"seconds,omitempty"` // of the prediction: null where it has none
	*calibrate.Prediction
	Roofline *roofline.Roofline `json:"roofline,omitempty"` // where it was asked for
}

// Measured is the measurement beside a prediction.
type Measured struct {
	Seconds       float64        `json:"seconds,omitempty"`
	Interval      *[2]float64    `json:"interval,omitempty"`
	RelativeError float64        `json:"relative_error,omitempty"`
	Status        samples.Status `json:"status"`
	Error         string         `json:"error,omitempty"`
	Verified      string         `json:"verified,omitempty"`
	Achieved
}

// SecondsOf is the time of a prediction as JSON has it: null where it is not finite, nothing where there is no prediction.
func SecondsOf(p *calibrate.Prediction) any {
	if p == nil {
		return nil
	}
	return jsonvalue.Finite(p.Seconds)
}

// Summaries sums up predictions.
func (p *Predictor) Summaries(predictions []*Prediction) []Summary {
	return lists.Map(predictions, p.summary)
}

func (p *Predictor) summary(r *Prediction) Summary {
	s := Summary{Time: SecondsOf(r.Prediction), Script: r.Script, Kernel: r.Name, Model: p.For(r.Case).Model.Name, Counts: p.counts(r), Device: p.Device.Name, At: r.Sizes, Prediction: r.Prediction, Roofline: r.roofline}
	if r.Code != "" {
		s.Model, s.Counts = Emulator, "from "+r.Code
	}
	if r.values != nil {
		s.Bound = explain.BoundOf(r.model, r.Fit, r.values, r.Prediction).String()
	}
	if r.Measured == nil {
		return s
	}
	if s.Measured = measuredOf(r.Measured); s.Measured.Status == samples.OK {
		s.Measured.RelativeError = errorOf(r)
		s.Measured.Achieved = p.Achieved(r)
	}
	return s
}

func measuredOf(r *samples.Record) *Measured {
	m := &Measured{Status: r.Status, Error: r.Error}
	if r.Status == samples.OK {
		m.Seconds, m.Interval, m.Verified = r.Seconds(), &[2]float64{r.Summary.Lo, r.Summary.Hi}, r.Verification()
	}
	return m
}

// MeasuredBeside is a measurement beside a time that was predicted of it, in seconds.
func MeasuredBeside(r *samples.Record, predicted float64) *Measured {
	m := measuredOf(r)
	if m.Status == samples.OK && m.Seconds > 0 && !math.IsInf(predicted, 0) {
		m.RelativeError = predicted/m.Seconds - 1
	}
	return m
}

// PredictTable predicts each row of a table of feature values.
func (p *Predictor) PredictTable(path string) (_ []Summary, err error) {
	defer throw.Catch(&err)
	table := throw.Get(calibrate.LoadTable(path))
	rows := throw.Get(table.Features(p.Rows.Features()))
	kernels := table.Kernels()
	all := make([]Summary, len(rows))
	for i, values := range rows {
		result, err := p.Rows.Predict(values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table.Label(i), err)
		}
		all[i] = Summary{Kernel: kernels[i], Model: p.Model.Name, Device: p.Device.Name, Row: table.Label(i), Prediction: result}
	}
	return all, nil
}

// WriteRows writes the predictions of the rows of a table.
func WriteRows(w io.Writer, rows []Summary) error {
	t := format.NewTable("row", "kernel", ">predicted", ">90 % interval")
	for _, r := range rows {
		t.Row(r.Row, r.Kernel, format.Seconds(r.Seconds), r.Interval.String())
	}
	return t.Write(w)
}

// negligible is of a predicted time what a table does not show.
const negligible = 1e-4

// shown are the numbers of the terms that are more than that in some prediction, and in words what they are in one.
func shown(predictions []*Prediction) (terms []int) {
	for i := range predictions[0].Terms {
		if slices.ContainsFunc(predictions, func(r *Prediction) bool { return !(r.Terms[i].Value < negligible*r.Seconds) }) {
			terms = append(terms, i)
		}
	}
	return terms
}

func inTable(term, whole float64) string {
	if term > 0 && term < negligible*whole {
		return "~0 s"
	}
	return format.Seconds(term)
}

// Write writes predictions as a table, with the terms of the model that are more than nothing.
func (p *Predictor) Write(w io.Writer, predictions []*Prediction) error {
	fmt.Fprintf(w, "model %s%s, calibrated on %s%s\n", p.Model.Name, p.binaryNote(predictions), p.Device, p.refinedNote(predictions))
	header := []string{"kernel", "sizes", ">predicted", ">90 % interval"}
	measured := slices.ContainsFunc(predictions, func(r *Prediction) bool { return r.Measured != nil })
	if measured {
		header = append(header, measuredHeader...)
	}
	terms := shown(predictions)
	for _, i := range terms {
		header = append(header, ">"+predictions[0].Terms[i].Name)
	}
	t := format.NewTable(header...)
	for _, r := range predictions {
		row := entry{Prediction: r}.cells()
		if measured {
			row = append(row, p.measuredCells(entry{Prediction: r})...)
		}
		for _, i := range terms {
			row = append(row, inTable(r.Terms[i].Value, r.Seconds))
		}
		t.Row(row...)
	}
	return t.Write(w)
}

// WriteRanking writes a ranking as a table, and below it which were measured alone and what was skipped. Where some cannot be told apart, a
// column lists the ranks of those that may be as fast.
func (p *Predictor) WriteRanking(w io.Writer, r Ranking) error {
	entries := r.entries()
	places := places(entries)
	header := []string{">rank", "kernel", "sizes", ">predicted", ">90 % interval"}
	emulated := slices.ContainsFunc(r.Predictions, func(p *Prediction) bool { return p.Code != "" })
	if emulated {
		header = append(header, "by")
	}
	compared := slices.ContainsFunc(r.Predictions, func(p *Prediction) bool { return p.Measured != nil })
	if compared {
		header = append(header, ">measured rank")
	}
	header = append(header, ">of the fastest")
	tied := slices.ContainsFunc(places, func(p Place) bool { return p.TiedWith != nil })
	if tied {
		header = append(header, "tied with")
	}
	measured := compared || len(r.Launched) > 0
	if measured {
		header = append(header, measuredHeader...)
	}
	t := format.NewTable(header...)
	for i, e := range entries {
		place := places[i]
		row := append([]string{fmt.Sprint(place.Rank)}, e.cells()...)
		if emulated {
			row = append(row, p.by(e))
		}
		if compared {
			row = append(row, format.Known(float64(place.MeasuredRank), fmt.Sprint(place.MeasuredRank)))
		}
		row = append(row, format.Known(place.Ratio, fmt.Sprintf("%.2f x", place.Ratio)))
		if tied {
			row = append(row, ranksText(place.TiedWith))
		}
		if measured {
			row = append(row, p.measuredCells(e)...)
		}
		t.Row(row...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, one := range r.Launched {
		what := "ranked by its measured time"
		if one.Status != samples.OK {
			what = fmt.Sprintf("%s: %s", one.Status, one.Error)
		}
		fmt.Fprintf(w, "launch file %s: %s\n", one.Kernel.Source, what)
	}
	if r.Bounded > 0 {
		fmt.Fprintf(w, "%s slower, by bounds of their times\n", format.Count(r.Bounded, "other kernel"))
	}
	for _, k := range r.Skipped {
		fmt.Fprintf(w, "skipped %s %s: %s: %s\n", k.Label, format.Sizes(k.At), k.Status, k.Reason)
	}
	return nil
}

// cells are what is known of an entry without measuring scripts: its name, its sizes and what was predicted.
func (e entry) cells() []string {
	if e.Prediction == nil {
		return []string{e.launched.Kernel.Source, format.Sizes(e.launched.Kernel.Sizes), "-", "-"}
	}
	return []string{e.Label, format.Sizes(e.Sizes), format.Known(e.Seconds, format.Seconds(e.Seconds)), e.Interval.String()}
}

// by names what the time of an entry is by.
func (p *Predictor) by(e entry) string {
	switch {
	case e.Prediction == nil:
		return "measured"
	case e.Code != "":
		return Emulator + ", code from " + e.Code
	}
	return "model " + p.For(e.Case).Model.Name
}

// measuredHeader names the columns of measuredCells.
var measuredHeader = append([]string{">measured", ">error"}, AchievedHeader...)

func (p *Predictor) measuredCells(e entry) []string {
	m := e.record()
	cells := []string{"-", "-", "-", "-", "-"}
	switch {
	case m == nil:
		return cells
	case m.Status != samples.OK:
		return []string{string(m.Status), "", "", "", ""}
	}
	cells[0] = format.Seconds(m.Seconds())
	if r := e.Prediction; r != nil {
		cells[1] = format.Known(r.RelativeError(), format.SignedPercent(r.RelativeError()))
		copy(cells[2:], p.Achieved(r).Cells())
	}
	return cells
}

// errorOf is the relative error, 0 where it is not known.
func errorOf(r *Prediction) float64 {
	if e := r.RelativeError(); !math.IsNaN(e) {
		return e
	}
	return 0
}

// Ranked is a prediction with its place in a ranking.
type Ranked struct {
	Place
	Summary
}

// Ranked are the kernels of a ranking with their places.
func (p *Predictor) Ranked(r Ranking) []Ranked {
	entries := r.entries()
	places := places(entries)
	all := make([]Ranked, len(entries))
	for i, e := range entries {
		all[i].Place = places[i]
		if l := e.launched; l != nil {
			all[i].Summary = Summary{Launch: l.Kernel.Source, Kernel: l.Entry, Device: l.Device.Name, At: l.Kernel.Sizes, Measured: measuredOf(l)}
		} else {
			all[i].Summary = p.summary(e.Prediction)
		}
	}
	return all
}
