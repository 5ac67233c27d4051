package campaign

import (
	"fmt"
	"io"
	"math"

	"gpuperf/calibrate"
	"gpuperf/internal/format"
	"gpuperf/samples"
)

// Summary is a prediction with what it is of and what was measured, as perf predict and perf rank print it.
type Summary struct {
	Script   string           `json:"script,omitempty"`
	Kernel   string           `json:"kernel"`
	Model    string           `json:"model"`
	Device   string           `json:"device"`
	At       map[string]int64 `json:"at,omitempty"`
	Row      string           `json:"row,omitempty"` // of a table of feature values
	Measured *Measured        `json:"measured,omitempty"`
	*calibrate.Prediction
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

// Summaries sums up predictions.
func (p *Predictor) Summaries(predictions []*Prediction) []Summary {
	all := make([]Summary, len(predictions))
	for i, r := range predictions {
		all[i] = Summary{
			Script: r.Script, Kernel: r.Name, Model: p.Model.Name, Device: p.Device.Name, At: r.Sizes, Prediction: r.Prediction,
		}
		m := r.Measured
		if m == nil {
			continue
		}
		all[i].Measured = &Measured{Status: m.Status, Error: m.Error}
		if m.Status == samples.OK {
			all[i].Measured.Seconds = m.Seconds()
			all[i].Measured.Interval = &[2]float64{m.Summary.Lo, m.Summary.Hi}
			all[i].Measured.RelativeError = errorOf(r)
			all[i].Measured.Verified = m.Verification()
			all[i].Measured.Achieved = p.Achieved(r)
		}
	}
	return all
}

// PredictTable predicts each row of a table of feature values.
func (p *Predictor) PredictTable(path string) ([]Summary, error) {
	table, err := calibrate.LoadTable(path)
	if err != nil {
		return nil, err
	}
	rows, err := table.Features(p.Rows.Features())
	if err != nil {
		return nil, err
	}
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
	t := format.NewTable("row", "kernel", ">predicted", ">95 % interval")
	for _, r := range rows {
		t.Row(r.Row, r.Kernel, format.Seconds(r.Seconds), r.Interval.String())
	}
	return t.Write(w)
}

// Write writes predictions as a table, with the terms of the model.
func (p *Predictor) Write(w io.Writer, predictions []*Prediction) error {
	fmt.Fprintf(w, "model %s, calibrated on %s\n", p.Model.Name, p.Device)
	header := append([]string{"kernel", "sizes", ">predicted", ">95 % interval"}, measuredHeader(predictions)...)
	var terms []int // that join no others, whose times would be shown twice
	for i, term := range predictions[0].Terms {
		if len(p.Model.Joins(term.Name)) == 0 {
			terms = append(terms, i)
			header = append(header, ">"+term.Name)
		}
	}
	t := format.NewTable(header...)
	for _, r := range predictions {
		row := []string{r.Label, format.Sizes(r.Sizes), format.Known(r.Seconds, format.Seconds(r.Seconds)), r.Interval.String()}
		row = append(row, p.measuredCells(r)...)
		for _, i := range terms {
			row = append(row, format.Seconds(r.Terms[i].Value))
		}
		t.Row(row...)
	}
	return t.Write(w)
}

// WriteRanking writes a ranking as a table, and below it what was skipped. A rank begins with ~ where the intervals of a kernel and of the
// one before it overlap.
func (p *Predictor) WriteRanking(w io.Writer, r Ranking) error {
	header := []string{">rank", "kernel", "sizes", ">predicted", ">95 % interval"}
	measured := measuredHeader(r.Predictions)
	if measured != nil {
		header = append(header, ">measured rank")
	}
	t := format.NewTable(append(append(header, ">of the fastest"), measured...)...)
	places := r.Places()
	for i, one := range r.Predictions {
		place := places[i]
		rank := fmt.Sprint(place.Rank)
		if place.Tied {
			rank = "~ " + rank
		}
		row := []string{rank, one.Label, format.Sizes(one.Sizes), format.Known(one.Seconds, format.Seconds(one.Seconds)), one.Interval.String()}
		if measured != nil {
			row = append(row, format.Known(float64(place.MeasuredRank), fmt.Sprint(place.MeasuredRank)))
		}
		row = append(row, format.Known(place.Ratio, fmt.Sprintf("%.2f x", place.Ratio)))
		t.Row(append(row, p.measuredCells(one)...)...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, k := range r.Skipped {
		fmt.Fprintf(w, "skipped %s %s: %s: %s\n", k.Label, format.Sizes(k.At), k.Status, k.Reason)
	}
	return nil
}

// measuredHeader and measuredCells are the columns of measurements, none where nothing was measured.
func measuredHeader(predictions []*Prediction) []string {
	if len(predictions) == 0 || predictions[0].Measured == nil {
		return nil
	}
	return append([]string{">measured", ">error"}, AchievedHeader...)
}

func (p *Predictor) measuredCells(r *Prediction) []string {
	switch m := r.Measured; {
	case m == nil:
		return nil
	case m.Status != samples.OK:
		return []string{string(m.Status), "", "", "", ""}
	}
	return append([]string{format.Seconds(r.Measured.Seconds()), format.Known(r.RelativeError(), format.SignedPercent(r.RelativeError()))}, p.Achieved(r).Cells()...)
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

// Ranked are the predictions of a ranking with their places.
func (p *Predictor) Ranked(r Ranking) []Ranked {
	all, places := make([]Ranked, len(r.Predictions)), r.Places()
	for i, one := range p.Summaries(r.Predictions) {
		all[i] = Ranked{places[i], one}
	}
	return all
}
