package counters

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/bounded"
	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
	"gpuperf/samples"
	"gpuperf/workload"
)

// longestList is how long a list of kernels may be.
const longestList = 1 << 20

// ReadList reads a list of kernels: a line for the arguments of each, of which works makes the works, and lines such as "# stencils" for the
// kinds of those below. Works is called concurrently.
func ReadList(path string, works func(args []string) ([]Work, error)) (all []Work, err error) {
	text, err := bounded.ReadFile(path, longestList)
	if err != nil {
		return nil, err
	}
	type entry struct {
		kind, line string
		works      []Work
		err        error
	}
	var entries []entry
	kind := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, "#"); is {
			kind = strings.TrimSpace(name)
		} else if line != "" {
			entries = append(entries, entry{kind: kind, line: line})
		}
	}
	parallel.For(len(entries), func(i int) { entries[i].works, entries[i].err = works(strings.Fields(entries[i].line)) })
	for _, e := range entries {
		if e.err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, e.line, e.err)
		}
		for _, w := range e.works {
			w.Kind = e.kind
			all = append(all, w)
		}
	}
	return all, nil
}

// OfCases makes the works of cases on an interface.
func OfCases(cases []*workload.Case, on samples.Interface) (all []Work, err error) {
	for _, c := range cases {
		job, err := c.On(on).Job(device.Policy{})
		if err == nil {
			err = c.CheckInterface(on)
		}
		if verdict := c.Undefined(); err == nil && verdict != nil {
			err = verdict
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		all = append(all, Work{Kernel: c.Program(), Job: job, Cases: []*workload.Case{c}})
	}
	return all, nil
}

// OfJobs makes the works of launches of which no more is known.
func OfJobs(jobs []device.Job) (all []Work) {
	return lists.Map(jobs, func(job device.Job) Work { return Work{Kernel: job.Identity.Source, Job: job} })
}

// Run takes the counts of works in states of the caches from a source, and compares them. With an error that is no *NotRecorded the results
// are those of the works that could be counted.
func Run(ctx context.Context, s Source, works []Work, modes []samples.Mode) ([]Result, error) {
	var counted [][]Counted
	var failed error
	for _, mode := range modes {
		own, err := s.Take(ctx, works, mode)
		if missing := new(NotRecorded); errors.As(err, &missing) {
			return nil, err
		}
		counted, failed = append(counted, own), errors.Join(failed, err)
	}
	results, err := Results(works, counted)
	return results, errors.Join(failed, err)
}
