package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuperf/campaign"
	"gpuperf/device"
	"gpuperf/frontend"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/measure"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/compile"
	"gpuperf/scop/offload"
	"gpuperf/search"
)

// nest is a loop nest of a C file: schedules, and how their kernels put loops on work-items.
type nest struct {
	path    string
	name    string // of the file
	sizes   map[string]int64
	options frontend.Options
	nest    *scop.Nest

	schedules offload.Schedules
	space     *offload.Space

	mu    sync.Mutex
	nodes map[string]*search.Choice
	known map[string]samples.Record // of the journal, by configuration; nil before it was read
}

func openNest(ctx context.Context, path string, sizes map[string]int64, o Options) (*nest, error) {
	all, err := o.Files.Nests(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		var names []string
		for _, n := range all {
			names = append(names, n.Name)
		}
		return nil, source.At(path, "", source.Pos{}, "there are several loop nests").WithHint("name one: %s#%s", path, strings.Join(names, " | "))
	}
	file, _, _ := source.CutName(path)
	n := &nest{path: file, name: filepath.Base(file), nest: all[0], options: o.Files, schedules: o.Schedules, nodes: map[string]*search.Choice{}}
	if n.sizes, err = offload.SizesOf(n.nest, sizes, true); err != nil {
		return nil, err
	}
	n.space, err = offload.NewSpace(ctx, n.nest, n.sizes, o.Schedules)
	return n, err
}

func (n *nest) Name() string         { return n.name }
func (n *nest) Space() search.Space  { return n }
func (n *nest) Usual() search.Config { return search.Usual(n) }

// picks are those of a path as the compiler takes them.
func picks(c search.Config) offload.Config { return arguments(c) }

// Next is the next choice of the compiler.
func (n *nest) Next(made search.Config) *search.Choice {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := made.String()
	c, ok := n.nodes[key]
	if !ok {
		if next := n.space.Next(picks(made)); next != nil {
			c = &search.Choice{Name: next.Name, Options: next.Options, Part: next.Part}
		}
		n.nodes[key] = c
	}
	return c
}

func (n *nest) Counted(_ context.Context, c search.Config) (out []Counted, err error) {
	p, err := n.space.Program(picks(c))
	if err != nil {
		return nil, err
	}
	all, err := p.Launched(n.sizes, samples.OpenCL)
	for _, l := range all {
		out = append(out, Counted{l.Case, l.Times})
	}
	return out, err
}

func (n *nest) Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(int, Outcome)) (warnings []string, err error) {
	if n.known == nil {
		if err := n.recall(on); err != nil {
			return nil, err
		}
	}
	if warnings, err = n.build(ctx, on, list); err != nil {
		return warnings, err
	}
	for i, r := range list {
		if before, ok := n.known[r.Config.String()]; ok && r.Before == nil {
			done(i, Outcome{before, true})
			continue
		}
		record, err := n.run(ctx, on, r)
		if err != nil {
			return warnings, err
		}
		if err := on.Keep(record); err != nil {
			return warnings, err
		}
		n.known[r.Config.String()] = record
		done(i, Outcome{Record: record})
	}
	return warnings, nil
}

// build builds programs ahead, where they are many.
func (n *nest) build(ctx context.Context, on *campaign.Campaign, list []Request) ([]string, error) {
	if len(list) == 1 {
		return nil, nil
	}
	tasks := make([]measure.Task, len(list))
	parallel.For(len(list), func(i int) {
		if _, ok := n.known[list[i].Config.String()]; ok {
			return
		}
		if p, err := n.space.Program(picks(list[i].Config)); err == nil {
			tasks[i].Job, _ = p.Job(n.sizes, on.Device.Info()) // that it cannot be made is told when it is to run
		}
	})
	return on.Build(ctx, slices.DeleteFunc(tasks, func(t measure.Task) bool { return t.Job.Source == "" }))
}

// recall reads what the journal has of the nest at the sizes, as far as this version of the program has measured it.
func (n *nest) recall(on *campaign.Campaign) error {
	set, err := samples.Load(on.SamplesFile())
	if err != nil {
		return err
	}
	defer set.Close()
	runs, err := runsOf(set, func(r *samples.Record) bool {
		return r.Kernel.Source == n.name && r.Status.Settled() && r.Perf == on.Version() && same(r.Kernel.Sizes, n.sizes)
	})
	n.known = map[string]samples.Record{}
	for _, r := range runs {
		n.known[r.Config.String()] = r.Record
	}
	return err
}

// run runs a configuration, judged.
func (n *nest) run(ctx context.Context, on *campaign.Campaign, r Request) (samples.Record, error) {
	p, err := n.space.Program(picks(r.Config))
	if err != nil {
		return n.failed(on, r, device.Errorf(samples.Refused, "%v", err)), nil
	}
	result, err := p.Run(ctx, reusing{on.Device}, n.sizes, r.Policy)
	verdict, ok := device.AsError(err)
	switch {
	case ctx.Err() != nil:
		return samples.Record{}, context.Cause(ctx)
	case ok:
		return n.failed(on, r, verdict), nil
	case err != nil:
		return n.failed(on, r, device.Errorf(samples.Refused, "%v", err)), nil
	case !result.Compared && !result.Verified && result.VerifiedAt == nil && result.Why == "":
		return n.failed(on, r, device.Errorf(samples.WrongResult, "results are not verified")), nil
	}
	record := result.Sample()
	n.mark(on, &record, r)
	record.Time = record.Time.Truncate(time.Millisecond)
	labels := n.space.Parts(picks(r.Config))
	for kernel, seconds := range result.Times {
		record.Metrics[partMetric+labels[kernel]] = samples.Metric{Value: seconds, Unit: "s"}
	}
	return record, nil
}

// reusing is a device that keeps buffers from one configuration to the next.
type reusing struct{ device.Device }

func (d reusing) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	job.Reuse = true
	return d.Device.Run(ctx, job)
}

// mark gives a record the identity of a configuration.
func (n *nest) mark(on *campaign.Campaign, record *samples.Record, r Request) {
	record.Kernel = samples.Identity{Source: n.name, Variant: n.nest.Name, Sizes: n.sizes, Args: arguments(r.Config)}
	record.Tags = append(tags(r.Config), record.Tags...)
	record.Perf = on.Version()
	record.Metrics = map[string]samples.Metric{}
	if r.Predicted > 0 {
		record.Metrics[predictedMetric] = samples.Metric{Value: r.Predicted, Unit: "s"}
	}
}

// failed is the record of a configuration without a time.
func (n *nest) failed(on *campaign.Campaign, r Request, why *device.Error) samples.Record {
	hash := sha256.Sum256([]byte(r.Config.String()))
	record := samples.Record{
		Version: samples.Version, SourceHash: hex.EncodeToString(hash[:]), Entry: n.nest.Name, Global: []int64{1}, Mode: samples.Warm,
		Status: why.Status, Error: why.Error(), Log: why.Log, Device: on.Device.Info().Fingerprint, Time: time.Now().UTC().Truncate(time.Millisecond),
	}
	n.mark(on, &record, r)
	return record
}

// same reports equal sizes.
func same(a, b map[string]int64) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// Write writes the C file anew, with the nest as kernels of the configuration.
func (n *nest) Write(ctx context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error) {
	as := map[samples.Interface]string{samples.OpenCL: "opencl", samples.CUDA: "cuda"}[on.Device.Info().Interface]
	find := func(ctx context.Context, other *scop.Nest, sizes map[string]int64) (*offload.Program, error) {
		if other.Name != n.nest.Name {
			return offload.Find(ctx, other, sizes)
		}
		space, err := offload.NewSpace(ctx, other, sizes, n.schedules)
		if err != nil {
			return nil, err
		}
		return space.Program(picks(c))
	}
	r, err := compile.File(ctx, n.path, dir, compile.Options{Options: n.options.Options, Language: as, Sizes: n.sizes, Find: find})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range r.Written {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
