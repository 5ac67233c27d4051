package tune

import (
	"context"
	"encoding/json"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/samples"
	"gpuperf/search"
)

// jobs are configurations that are one job each.
type jobs struct {
	tasks func(ctx context.Context, on *campaign.Campaign, list []Request) (tasks []measure.Task, warnings []string, err error)
	// job is a configuration as it is told from others in the journal; it is called concurrently.
	job func(ctx context.Context, on samples.Interface, c search.Config) device.Job
	ran map[string]samples.Record // by what is launched
}

// Repeats compares the jobs.
func (s jobs) Repeats(ctx context.Context, on samples.Interface, r Run) bool {
	return s.job(ctx, on, r.Config).Record().SameWork(r.Record)
}

func (r Request) enter(t *measure.Task) {
	t.Job.Policy, t.Tags = r.Policy, tags(r.Config)
	if r.Predicted > 0 {
		t.Metrics = func(map[string][]byte) (map[string]samples.Metric, error) {
			return map[string]samples.Metric{predictedMetric: {Value: r.Predicted, Unit: "s"}}, nil
		}
	}
	if r.Before != nil { // what it was compared with then
		t.Verified, t.Unverified = r.Before.Verified, r.Before.Unverified
		if t.Job.Expect != nil { // which enters itself
			t.Verified = nil
		}
	}
}

func (s jobs) Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(int, Outcome)) ([]string, error) {
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

// tags of the record of a configuration.
func tags(c search.Config) []string { return samples.TunedTags(c.String()) }
