package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"gpuperf/calibrate"
	"gpuperf/internal/format"
)

// Where the counts of instructions come from.
const (
	FromIR     = "from the IR"
	FromBinary = "with the binary"
)

// WithBinary is the prediction of a point from its machine code.
type WithBinary struct {
	Predicted     float64            `json:"predicted"`
	Interval      calibrate.Interval `json:"interval"`
	RelativeError float64            `json:"relative_error"`
	FromIR        string             `json:"from_ir,omitempty"` // why it is the prediction from the IR after all

	Prediction *calibrate.Prediction `json:"-"`
}

// Row sums up the predictions of all points by where the counts of instructions come from.
type Row struct {
	Counts               string         `json:"counts"` // "from the IR" or "with the binary"
	Points               int            `json:"points"`
	FromIR               map[string]int `json:"from_ir,omitempty"` // of these, why points are counted from the IR after all
	GeomeanRelativeError float64        `json:"geomean_relative_error"`
	Mean                 float64        `json:"mean_relative_error"`
	Percentile95         float64        `json:"percentile_95"`
	Worst                float64        `json:"worst"`
	Intervals            *Intervals     `json:"intervals,omitempty"`
	Choice               *Choice        `json:"choice,omitempty"`
}

// row sums up a report.
func (r *Report) row(counts string) Row {
	points := r.Points()
	return Row{
		Counts: counts, Points: len(points), GeomeanRelativeError: r.GeomeanRelativeError, Mean: points.Mean(), Percentile95: points.Percentile(0.95),
		Worst: points.Worst(), Intervals: r.Intervals, Choice: r.Choice,
	}
}

// rows are the two of a report, none where no point was predicted from its machine code. They are of those that could be.
func (r *Report) rows() []Row {
	ir, binary := &Report{}, &Report{}
	reasons := map[string]int{}
	for i := range r.Suites {
		for _, one := range []*Report{ir, binary} {
			one.Suites = append(one.Suites, SuiteReport{Name: r.Suites[i].Name})
		}
		for j := range r.Suites[i].Variants {
			v := &r.Suites[i].Variants[j]
			a, b := VariantReport{Name: v.Name, Model: v.Model}, VariantReport{Name: v.Name, Model: v.Model}
			for k := range v.Points {
				p := v.Points[k]
				if p.Binary == nil {
					continue
				}
				p.Binary.RelativeError = (p.Binary.Predicted - p.Measured) / p.Measured
				a.Points = append(a.Points, p)
				if p.Binary.FromIR != "" {
					reasons[p.Binary.FromIR]++
				}
				p.Predicted, p.Interval, p.Prediction = p.Binary.Predicted, p.Binary.Interval, p.Binary.Prediction
				p.Binary = nil
				b.Points = append(b.Points, p)
			}
			ir.Suites[i].Variants, binary.Suites[i].Variants = append(ir.Suites[i].Variants, a), append(binary.Suites[i].Variants, b)
		}
	}
	if len(binary.Points()) == 0 {
		return nil
	}
	binary.Summarize()
	for i := range ir.Suites {
		for j := range ir.Suites[i].Variants {
			for k := range ir.Suites[i].Variants[j].Points {
				ir.Suites[i].Variants[j].Points[k].Binary = nil
			}
		}
	}
	ir.Summarize()
	with := binary.row(FromBinary)
	with.FromIR = reasons
	return []Row{ir.row(FromIR), with}
}

// writeRows writes the two rows, and why points are counted from the IR after all.
func (r *Report) writeRows(w io.Writer) {
	if r.Rows == nil {
		return
	}
	t := format.NewTable("instructions", ">points", ">geometric mean", ">mean", ">95th percentile", ">worst", ">pairs ranked right", ">inside of intervals")
	for _, row := range r.Rows {
		pairs := "-"
		if c := row.Choice; c != nil {
			pairs = fmt.Sprintf("%d of %d", c.Apart.Right, c.Apart.Of)
		}
		t.Row(row.Counts, fmt.Sprint(row.Points), format.Percent(row.GeomeanRelativeError), format.Percent(row.Mean), format.Percent(row.Percentile95),
			format.Percent(row.Worst), pairs, row.Intervals.String())
	}
	fmt.Fprintln(w)
	t.Write(w)
	reasons := r.Rows[1].FromIR
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) }) {
		fmt.Fprintf(w, "counted from the IR after all: %s: %s\n", format.Count(reasons[reason], "point"), reason)
	}
}
