package campaign

import (
	"fmt"

	"gpuperf/internal/format"
	"gpuperf/samples"
)

// Sample is a record, and what its kernel achieved.
type Sample struct {
	samples.Record
	Achieved
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
	header := append([]string{"kernel", "caches", ">median", ">95 % interval"}, columns...)
	t := format.NewTable(append(header, ">trials", "verified", "status")...)
	for _, s := range list {
		row := []string{s.Kernel.Key(), string(s.Mode)}
		if s.Status != samples.OK {
			row = append(append(row, make([]string, 4+len(columns))...), fmt.Sprintf("%s: %s", s.Status, s.Error))
		} else {
			row = append(row, format.Seconds(s.Seconds()), format.Seconds(s.Summary.Lo)+" – "+format.Seconds(s.Summary.Hi))
			row = append(append(row, s.Cells()[:len(columns)]...), fmt.Sprint(len(s.Trials)), s.Verification(), "ok")
		}
		t.Row(row...)
	}
	return t
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
