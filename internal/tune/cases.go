package tune

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/workload"
)

// cases are the kernels of configurations that are one kernel each.
type cases struct {
	name    string // of the file
	problem samples.Identity
	of      func(ctx context.Context, c search.Config) (*workload.Case, error)
	// otherwise is a configuration as it runs where there is no kernel of it; nil where it is refused then.
	otherwise func(c search.Config, why error) measure.Task

	jobs
	mu    sync.Mutex
	known map[string]kernelOf
}

func newCases(name string, of func(context.Context, search.Config) (*workload.Case, error)) *cases {
	s := &cases{name: name, of: of, known: map[string]kernelOf{}}
	s.jobs = jobs{s.tasks, s.job, map[string]samples.Record{}}
	return s
}

// maxCases bounds the kernels that are kept: one takes some hundred kilobytes.
const maxCases = 128

// kernelOf is the kernel of a configuration, or why there is none.
type kernelOf struct {
	*workload.Case
	err error
}

func (s *cases) Name() string              { return s.name }
func (s *cases) Problem() samples.Identity { return s.problem }

func (s *cases) at(ctx context.Context, c search.Config) kernelOf {
	key := c.String()
	s.mu.Lock()
	one, ok := s.known[key]
	s.mu.Unlock()
	if ok {
		return one
	}
	if one.Case, one.err = s.of(ctx, c); one.err == nil {
		one.Identity.Source, one.Identity.Args = s.name, c.Options()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxCases {
		clear(s.known)
	}
	s.known[key] = one
	return one
}

func (s *cases) Counted(ctx context.Context, c search.Config) ([]Counted, error) {
	one := s.at(ctx, c)
	return []Counted{{Case: one.Case, Times: 1}}, one.err
}

// tasks are configurations as they run.
func (s *cases) tasks(ctx context.Context, on *campaign.Campaign, list []Request) ([]measure.Task, []string, error) {
	tasks := make([]measure.Task, len(list))
	var at []int
	var kernels []*workload.Case
	for i, r := range list {
		one := s.at(ctx, r.Config)
		if one.err != nil {
			if tasks[i] = refused(s.problem, r.Config, one.err); s.otherwise != nil {
				tasks[i] = s.otherwise(r.Config, one.err)
			}
			continue
		}
		at, kernels = append(at, i), append(kernels, one.Case)
	}
	prepared, warnings, err := on.Tasks(ctx, samples.Warm, kernels)
	if err != nil {
		return nil, warnings, err
	}
	for i, t := range prepared {
		tasks[at[i]] = t
	}
	for i, r := range list {
		r.enter(&tasks[i])
	}
	return tasks, warnings, nil
}

// job is the job of the task of a configuration.
func (s *cases) job(ctx context.Context, on samples.Interface, c search.Config) device.Job {
	one := s.at(ctx, c)
	if one.err == nil {
		job, err := one.On(on).Job(device.Policy{})
		if _, verdict := device.AsError(err); err == nil || verdict {
			return job
		}
	}
	if s.otherwise != nil {
		return s.otherwise(c, one.err).Job
	}
	return refused(s.problem, c, one.err).Job
}

func (s *cases) Write(ctx context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error) {
	tasks, _, err := s.tasks(ctx, on, []Request{{Config: c}})
	if err != nil {
		return nil, err
	}
	return writeSource(dir, tasks[0].Job, on.Device.Info().Interface)
}

func writeSource(dir string, job device.Job, face samples.Interface) ([]string, error) {
	name := "kernel" + map[samples.Interface]string{samples.OpenCL: ".cl", samples.CUDA: ".cu"}[face]
	path, write := filepath.Join(dir, name), replace.Copy.Bytes
	if _, err := os.Stat(filepath.Join(dir, configurationFile)); err == nil { // an earlier search wrote both
		write = replace.Bytes
	}
	return []string{name}, write(path, []byte(job.Source))
}

// refused is the task of a configuration that cannot run.
func refused(problem samples.Identity, c search.Config, why error) measure.Task {
	return measure.Task{
		Job: device.Job{
			Identity: of(problem, c), Entry: "none", Global: []int64{1}, Mode: samples.Warm,
			Source: c.String(), // so that it is told from others
		},
		Verdict: device.Errorf(samples.Refused, "%s", source.Message(why)),
	}
}
