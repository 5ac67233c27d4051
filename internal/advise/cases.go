package advise

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/counters"
	"gpuperf/internal/lists"
	"gpuperf/samples"
	"gpuperf/workload"
)

// SequencesOf are the launches of cases, as they are emulated: of a source that exists as it is, else of CUDA C that is written from the kernel.
func SequencesOf(cases []*workload.Case) (all []*launches.Sequence, err error) {
	for i, name := range namesOf(cases) {
		c := cases[i]
		on := samples.CUDA
		if c.Own != nil {
			on = c.Own.Interface
		}
		works, err := counters.OfCases([]*workload.Case{c}, on)
		if err != nil {
			return nil, err
		}
		s := launches.OfSource(works[0].Job, on, name)
		s.Source = cmp.Or(sourceOf(c), s.Source)
		all = append(all, s)
	}
	return all, nil
}

// sourceOf is the file that lines of the machine code are in: that of a source that exists, or what is generated from a script.
func sourceOf(c *workload.Case) string {
	if c.Own == nil && c.Script != "" {
		return filepath.Base(c.Script) + ", generated"
	}
	for _, s := range c.IR.Statements {
		if s.At.File != "" {
			return filepath.Base(s.At.File)
		}
	}
	return ""
}

// namesOf are names of cases: of functions without the launch that the command line gives, unless that tells two of them apart.
func namesOf(cases []*workload.Case) []string {
	short := lists.Map(cases, func(c *workload.Case) string {
		id := c.Identity
		if c.Own != nil {
			id.Args = nil
		}
		return id.Key()
	})
	if all := slices.Sorted(slices.Values(short)); len(slices.Compact(all)) == len(cases) {
		return short
	}
	return lists.Map(cases, (*workload.Case).String)
}

// Emulated emulates cases from source; nil where that comes to no time of one of them.
func Emulated(ctx context.Context, device string, cases []*workload.Case, r launches.Request) []*launches.Report {
	return emulated(ctx, device, cases, r, func(s emulate.Status) bool { return s == emulate.Whole })
}

// emulated is the same for times of some kinds.
func emulated(ctx context.Context, device string, cases []*workload.Case, r launches.Request, timed func(emulate.Status) bool) []*launches.Report {
	sequences, err := SequencesOf(cases)
	if err != nil {
		return nil
	}
	r.On, r.From = []string{device}, launches.Source
	all, _, err := r.Run(ctx, sequences)
	if err != nil || slices.ContainsFunc(all, func(one *launches.Report) bool { return !timed(one.Status()) }) {
		return nil
	}
	return all
}
