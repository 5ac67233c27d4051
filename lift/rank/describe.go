package rank

import (
	"fmt"

	"gpuperf/device"
	"gpuperf/internal/parallel"
	"gpuperf/launch"
	"gpuperf/workload"
)

// Subject is a case to describe: a variant of a benchmark.
type Subject struct {
	*workload.Case
	Benchmark string
	Size      string
}

// Describe derives the vectors of cases, on all processors. Predict gives the time of a case by a model; it may be nil, and is
// called by several goroutines. Subjects whose features cannot be derived have an error at their place and no vector.
func Describe(subjects []Subject, opt launch.Options, predict func(*workload.Case) (float64, error)) (*Vectors, []error) {
	v := &Vectors{Names: launch.Names(opt.Device)}
	list := make([]*Vector, len(subjects))
	errs := make([]error, len(subjects))
	parallel.For(len(subjects), func(i int) { list[i], errs[i] = describe(&subjects[i], opt, predict) })
	for i, x := range list {
		if errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %w", subjects[i].Case, errs[i])
			continue
		}
		v.List = append(v.List, *x)
	}
	return v, errs
}

func describe(s *Subject, opt launch.Options, predict func(*workload.Case) (float64, error)) (*Vector, error) {
	static, err := s.Kernel.Static(opt)
	if err != nil {
		return nil, err
	}
	values, err := static.At(s.Sizes)
	if err != nil {
		return nil, err
	}
	job, err := s.Job(device.Policy{})
	if err != nil {
		return nil, err
	}
	x := &Vector{Kernel: s.Identity, SourceHash: job.SourceHash(), Benchmark: s.Benchmark, Size: s.Size, Values: values.Values}
	if predict != nil {
		if x.Predicted, err = predict(s.Case); err != nil {
			return nil, err
		}
	}
	return x, nil
}
