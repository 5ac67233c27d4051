package tune

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"gpuperf/campaign"
	"gpuperf/device"
	"gpuperf/internal/source"
	"gpuperf/measure"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/workload"
)

// cases are the kernels of configurations that are one kernel each.
type cases struct {
	name string // of the file
	of   func(ctx context.Context, c search.Config) (*workload.Case, error)
	// otherwise is a configuration as it runs where there is no kernel of it.
	otherwise func(c search.Config, why error) measure.Task

	mu    sync.Mutex
	known map[string]kernelOf
	ran   map[string]samples.Record // by what is launched
}

func newCases(name string, of func(context.Context, search.Config) (*workload.Case, error)) *cases {
	return &cases{name: name, of: of, known: map[string]kernelOf{}, ran: map[string]samples.Record{}}
}

// maxCases bounds the kernels that are kept: one takes some ten kilobytes.
const maxCases = 1024

// kernelOf is the kernel of a configuration, or why there is none.
type kernelOf struct {
	*workload.Case
	err error
}

func (s *cases) Name() string { return s.name }

// at is the kernel of a configuration.
func (s *cases) at(ctx context.Context, c search.Config) kernelOf {
	key := c.String()
	s.mu.Lock()
	one, ok := s.known[key]
	s.mu.Unlock()
	if ok {
		return one
	}
	if one.Case, one.err = s.of(ctx, c); one.err == nil {
		one.Identity.Source, one.Identity.Args = s.name, arguments(c)
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
	return []Counted{{one.Case, 1}}, one.err
}

// tasks are configurations as they run.
func (s *cases) tasks(ctx context.Context, on *campaign.Campaign, list []Request) ([]measure.Task, []string, error) {
	tasks := make([]measure.Task, len(list))
	var at []int
	var kernels []*workload.Case
	for i, r := range list {
		one := s.at(ctx, r.Config)
		if one.err != nil {
			tasks[i] = s.otherwise(r.Config, one.err)
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
		tasks[i].Job.Policy, tasks[i].Tags = r.Policy, tags(r.Config)
		if r.Predicted > 0 {
			tasks[i].Metrics = func(map[string][]byte) (map[string]samples.Metric, error) {
				return map[string]samples.Metric{predictedMetric: {Value: r.Predicted, Unit: "s"}}, nil
			}
		}
		if r.Before != nil { // what it was compared with then
			tasks[i].Verified, tasks[i].Unverified = r.Before.Verified, r.Before.Unverified
			if tasks[i].Job.Expect != nil { // which enters itself
				tasks[i].Verified = nil
			}
		}
	}
	return tasks, warnings, nil
}

func (s *cases) Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(int, Outcome)) ([]string, error) {
	tasks, warnings, err := s.tasks(ctx, on, list)
	if err != nil {
		return warnings, err
	}
	if list[0].Before != nil {
		records, err := on.Again(ctx, tasks)
		for i, r := range records {
			done(i, Outcome{Record: r})
		}
		return warnings, err
	}
	more, err := on.Build(ctx, tasks)
	if warnings = append(warnings, more...); err != nil {
		return warnings, err
	}
	var todo []measure.Task
	same := map[string][]int{} // what launches the same
	for i, t := range tasks {
		key := launched(t.Job)
		if r, ok := s.ran[key]; ok {
			done(i, Outcome{r, true})
			continue
		}
		if same[key] == nil {
			todo = append(todo, t)
		}
		same[key] = append(same[key], i)
	}
	ran, err := on.Run(ctx, todo, func(e measure.Event) {
		if e.Record == nil {
			return
		}
		key := launched(e.Task.Job)
		s.ran[key] = *e.Record
		for n, i := range same[key] {
			done(i, Outcome{*e.Record, e.Reused || n > 0})
		}
	})
	return append(warnings, ran.Warnings...), err
}

// launched is a text that jobs share which launch the same.
func launched(job device.Job) string {
	job.Identity, job.Policy, job.Expect = samples.Identity{}, device.Policy{}, nil
	job.Keep, job.Parts = nil, nil
	text, _ := json.Marshal(job)
	return string(text)
}

func (s *cases) Write(ctx context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error) {
	tasks, _, err := s.tasks(ctx, on, []Request{{Config: c}})
	if err != nil {
		return nil, err
	}
	return writeSource(dir, tasks[0].Job, on.Device.Info().Interface)
}

// writeSource writes the source of a job.
func writeSource(dir string, job device.Job, face samples.Interface) ([]string, error) {
	name := "kernel" + map[samples.Interface]string{samples.OpenCL: ".cl", samples.CUDA: ".cu"}[face]
	return []string{name}, os.WriteFile(filepath.Join(dir, name), []byte(job.Source), 0o666)
}

// refused is the task of a configuration that cannot run.
func (s *cases) refused(c search.Config, why error) measure.Task {
	return measure.Task{
		Job: device.Job{
			Identity: samples.Identity{Source: s.name, Args: arguments(c)}, Entry: "none", Global: []int64{1}, Mode: samples.Warm,
			Source: c.String(), // so that it is told from others
		},
		Verdict: device.Errorf(samples.Refused, "%s", source.Message(why)),
	}
}

// arguments are the choices of a configuration as those of a sample's identity.
func arguments(c search.Config) map[string]string {
	out := map[string]string{}
	for _, p := range c {
		out[p.Choice] = p.Option
	}
	return out
}
