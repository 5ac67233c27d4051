package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/samples"
)

// Sample is a record, and what its kernel achieved.
type Sample struct {
	samples.Record
	Achieved
	OfFastest float64 `json:"of_fastest,omitempty"` // its time over that of the fastest of several launch files; 0 is not known
}

// Faster orders samples by their times, those without one last.
func (s Sample) Faster(o Sample) int {
	return cmp.Compare(s.orLast(), o.orLast())
}

// orLast is the time of a sample, infinite without one.
func (s Sample) orLast() float64 {
	if t := s.Seconds(); !math.IsNaN(t) {
		return t
	}
	return math.Inf(1)
}

// Samples joins records with what their kernels achieved, as many, or none where that is not known.
func Samples(records []samples.Record, achieved []Achieved) []Sample {
	list := make([]Sample, len(records))
	for i, r := range records {
		list[i].Record = r
		if achieved != nil {
			list[i].Achieved = achieved[i]
		}
	}
	return list
}

// SampleTable is a table of samples, with columns for what the kernels achieved or without.
func SampleTable(list []Sample, achieved bool) *format.Table {
	columns := AchievedHeader
	if !achieved {
		columns = nil
	}
	known := compiledColumns(list)
	header := []string{"kernel", "caches", ">median", ">95 % interval"}
	compared := slices.ContainsFunc(list, func(s Sample) bool { return s.OfFastest > 0 })
	if compared {
		header = append(header, ">of the fastest")
	}
	header = append(header, columns...)
	for _, c := range known {
		header = append(header, c.header)
	}
	header = append(header, ">trials", "verified", "status")
	t := format.NewTable(header...)
	for _, s := range list {
		row := []string{s.Kernel.Key(), string(s.Mode)}
		if s.Status != samples.OK {
			row = append(append(row, make([]string, len(header)-3)...), fmt.Sprintf("%s: %s", s.Status, s.Error))
		} else {
			row = append(row, format.Seconds(s.Seconds()), format.Seconds(s.Summary.Lo)+" – "+format.Seconds(s.Summary.Hi))
			if compared {
				row = append(row, format.Known(s.OfFastest, fmt.Sprintf("%.2f x", s.OfFastest)))
			}
			row = append(row, s.Cells()[:len(columns)]...)
			for _, c := range known {
				row = append(row, cmp.Or(c.cell(s.Compiled), "-"))
			}
			row = append(row, fmt.Sprint(len(s.Trials)), s.Verification(), "ok")
		}
		t.Row(row...)
	}
	return t
}

// compiledColumn tells something of the built kernel, "" where that is not known.
type compiledColumn struct {
	header string
	cell   func(samples.Compiled) string
}

// compiledColumns are the columns that some of the samples have something for. Private memory is one where registers are: what a driver for
// a CPU calls so holds the values of many work-items.
func compiledColumns(list []Sample) []compiledColumn {
	return slices.DeleteFunc([]compiledColumn{
		{">registers", func(c samples.Compiled) string { return positive(c.Registers, fmt.Sprint(c.Registers)) }},
		{">private", func(c samples.Compiled) string {
			return positive(min(c.Registers, c.PrivateMem), format.Bytes(c.PrivateMem))
		}},
		{">occupancy", func(c samples.Compiled) string { return positive(c.GroupsPerUnit, occupancy(c)) }},
	}, func(c compiledColumn) bool {
		return !slices.ContainsFunc(list, func(s Sample) bool { return c.cell(s.Compiled) != "" })
	})
}

// occupancy is the share of the sub-groups that a compute unit can hold, or, where that is not known, how many work-groups there are.
func occupancy(c samples.Compiled) string {
	if c.Occupancy == 0 {
		return format.Count(int(c.GroupsPerUnit), "group")
	}
	return fmt.Sprintf("%.0f %%", 100*c.Occupancy)
}

func positive(n int64, text string) string {
	if n > 0 {
		return text
	}
	return ""
}

// InModes measures kernels in each state of the caches. The records are in the order of the kernels.
func InModes(modes []samples.Mode, measure func(samples.Mode) (*Result, error)) (*Result, error) {
	all := &Result{}
	for i, mode := range modes {
		r, err := measure(mode)
		if err != nil {
			return nil, err
		}
		all.Warnings = append(all.Warnings, r.Warnings...)
		if i == 0 {
			all.Records = make([]samples.Record, len(r.Records)*len(modes))
		}
		for k, record := range r.Records {
			all.Records[k*len(modes)+i] = record
		}
	}
	return all, nil
}
