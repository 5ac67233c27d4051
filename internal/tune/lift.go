package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/measure"
	"gpuperf/internal/bounded"
	"gpuperf/internal/campaign"
	"gpuperf/internal/parallel"
	"gpuperf/internal/throw"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/lift/export"
	"gpuperf/lift/rank"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/workload"
)

// program is a functional program: the recipes of its variants, their numbers, and ND-ranges.
type program struct {
	jobs
	*explore.Graph
	usual search.Config
	ready func(context.Context, *campaign.Campaign) (*device.Expect, []string, error)
	kept  *rank.Kept // the vectors beside the samples
}

// Functional says which variants of functional programs there are, and how the strategy rank learns.
type Functional struct {
	explore.Request
	explore.Learning
}

// openLift derives the variants of a program; when ctx ends it returns at once.
func openLift(ctx context.Context, path string, sizes map[string]int64, on *device.Info, o Functional) (p *program, err error) {
	made := make(chan *program, 1)
	err = bounded.Do(ctx, bounded.Limits{}, func(context.Context, func() int) error {
		p, err := newProgram(path, sizes, on, o)
		made <- p
		return err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return <-made, err
}

// newProgram derives the variants that a device can run; nil is any.
func newProgram(path string, sizes map[string]int64, on *device.Info, o Functional) (*program, error) {
	o.Sizes, o.Seed, o.Static = sizes, cmp.Or(o.Seed, 1), staticOf(o.Static, on)
	space, err := o.Open(path, on)
	if err != nil {
		return nil, err
	}
	return programOf(space, o.Learning)
}

// staticOf are options of static features with what is known of a device; nil is nothing.
func staticOf(o launch.Options, on *device.Info) launch.Options {
	if on != nil {
		o.SubgroupSize, o.Device = int(on.SubgroupSize), facts.Of(on.Fingerprint)
	}
	return o
}

// programOf has the points of a space searched.
func programOf(space *explore.Space, learning explore.Learning) (_ *program, err error) {
	defer throw.Catch(&err)
	space.Prepare(nil, learning.Static)
	reference := throw.Get(space.Reference())
	p := &program{}
	p.jobs = jobs{p.tasks, p.job, map[string]samples.Record{}}
	p.Graph = throw.Get(explore.NewGraph(space))
	p.Learning = learning
	p.usual = p.Config(space.Points[0])
	for _, point := range slices.Backward(space.Points) {
		if point.Variant.ID == reference.Variant.ID {
			p.usual = p.Config(point)
		}
	}
	var once sync.Once
	var expect *device.Expect
	var warnings []string
	p.ready = func(ctx context.Context, on *campaign.Campaign) (*device.Expect, []string, error) {
		once.Do(func() {
			p.kept = &rank.Kept{Path: rank.VectorsFile(on.SamplesFile())}
			expect, _, err = reference.Verified(ctx, on.Device, &warnings)
		})
		told := warnings
		warnings = nil
		return expect, told, err
	}
	return p, nil
}

// Measure stops where the reference differs from results that the user has given: all variants would.
func (p *program) Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(int, Outcome)) ([]string, error) {
	var wrong error
	warnings, err := p.jobs.Measure(ctx, on, list, func(i int, o Outcome) {
		if p.Given() && o.Record.Status == samples.WrongResult && list[i].Config.String() == p.usual.String() {
			wrong = &campaign.InputError{Err: fmt.Errorf("the plainest variant, which agrees with the meaning of the program at a small size, differs from the files of --expect: %s", o.Record.Error)}
		}
		done(i, o)
	})
	return warnings, cmp.Or(wrong, err)
}

// predictBy has the points predicted by a model, where the ranker asks for that.
func (p *program) predictBy(m *campaign.Predictor) {
	if r, err := rank.Find(cmp.Or(p.Ranker, rank.Default)); err != nil || !r.Predicted() {
		throw.If(err)
		return
	}
	throw.If(p.PredictBy(m, p.Static.Device))
}

func (p *program) Name() string         { return p.Source }
func (p *program) Space() search.Space  { return p.Graph }
func (p *program) Usual() search.Config { return p.usual }

func (p *program) Counted(_ context.Context, c search.Config) (out []Counted, err error) {
	_, cases, _, err := p.launch(c)
	for _, one := range cases {
		out = append(out, Counted{Case: one, Times: 1})
	}
	return out, err
}

// launch is a configuration as a job, its kernels, and its vector.
func (p *program) launch(c search.Config) (job device.Job, cases []*workload.Case, vector rank.Vector, err error) {
	if !p.Do(c, func(point *explore.Point) {
		if job, cases, err = p.Launch(point); err == nil {
			vector = *point.Vector
		}
	}) {
		err = fmt.Errorf("there is no variant of %s", c)
	}
	return job, cases, vector, err
}

// job is the job of the task of a configuration.
func (p *program) job(_ context.Context, _ samples.Interface, c search.Config) device.Job {
	job, _, _, err := p.launch(c)
	if err != nil {
		return refused(p.Problem(), c, err).Job
	}
	return job
}

// tasks are configurations as they run.
func (p *program) tasks(ctx context.Context, on *campaign.Campaign, list []Request) ([]measure.Task, []string, error) {
	expect, warnings, err := p.ready(ctx, on)
	if err != nil {
		return nil, warnings, err
	}
	tasks, vectors := make([]measure.Task, len(list)), make([]rank.Vector, len(list))
	parallel.For(len(list), func(i int) {
		job, _, vector, err := p.launch(list[i].Config)
		if err != nil {
			tasks[i] = refused(p.Problem(), list[i].Config, err)
		} else {
			job.Expect = expect
			tasks[i], vectors[i] = measure.Task{Job: job}, vector
		}
		list[i].enter(&tasks[i])
		tasks[i].Tags = append(tasks[i].Tags, rank.Tags(strings.ReplaceAll(list[i].Config.Option("recipe"), " + ", ", "))...)
	})
	told, err := p.kept.Add(rank.Vectors{Names: p.Names(), List: slices.DeleteFunc(vectors, func(v rank.Vector) bool { return v.Values == nil })})
	for _, w := range told {
		warnings = append(warnings, w.Error())
	}
	return tasks, warnings, err
}

// text is a variant by its name, which perf lift emit takes, and as a program.
func (p *program) text(c search.Config) (text string) {
	p.Do(c, func(point *explore.Point) {
		text = fmt.Sprintf("variant %s\n%s", point.Variant.ID, point.Variant.Program)
	})
	return text
}

// Write writes the kernels of a configuration, a host function that launches them, and a description.
func (p *program) Write(_ context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error) {
	as := map[samples.Interface]string{samples.OpenCL: "opencl", samples.CUDA: "cuda"}[on.Device.Info().Interface]
	var what export.What
	if !p.Do(c, func(point *explore.Point) {
		what = export.What{Program: p.Program, Variant: point.Variant, Sizes: p.Sizes, Local: point.Local, Global: point.Global, Accuracy: p.Accuracy()}
	}) {
		return nil, fmt.Errorf("there is no variant of %s", c)
	}
	r, err := export.New(what, as)
	if err != nil {
		return nil, err
	}
	return r.Files, r.Write(dir)
}
