package launches

import (
	"context"
	"path/filepath"

	"gpuperf/counters"
	"gpuperf/device/facts"
	"gpuperf/sass/compiled"
)

// Request is how sequences are emulated, as a user says it.
type Request struct {
	Options
	On      []string // names of data sheets, or files with them
	Codes   []string // listings or cubins, in place of what launch files name or sources are compiled to; none is one ""
	Arch    string   // that sources are compiled for
	Profile string   // a samples file with the hardware's counts; "" is none
}

// Run emulates sequences, each by all codes and on all devices, with sensitivities, and of single launches with advice.
func (r Request) Run(ctx context.Context, sequences []*Sequence) (all []*Report, warnings []string, err error) {
	if r.Profile != "" {
		if r.Counted, err = counters.Recorded(r.Profile); err != nil {
			return nil, nil, err
		}
		defer r.Counted.Close()
	}
	devices := make([]*facts.Device, len(r.On))
	for i, on := range r.On {
		if devices[i], err = facts.Sheet(on); err != nil {
			return nil, nil, err
		}
	}
	if len(r.Codes) == 0 {
		r.Codes = []string{""}
	}
	compiler := &compiled.Compiler{Arch: r.Arch}
	for _, s := range sequences {
		for _, code := range r.Codes {
			listing, err := s.Listing(ctx, code, compiler)
			if err != nil {
				return nil, nil, err
			}
			warnings = append(warnings, listing.Warnings...)
			for _, r.Device = range devices {
				r.Sensitivity, r.Advice = true, len(s.Job.Then) == 0
				report, err := s.Run(ctx, listing, r.Options)
				if err != nil {
					return nil, nil, err
				}
				if len(r.Codes) > 1 {
					report.Code = filepath.Base(code)
				}
				all, warnings = append(all, report), append(warnings, report.All()...)
			}
		}
	}
	return all, warnings, nil
}
