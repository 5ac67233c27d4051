package tune

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/bounded"
	"gpuperf/internal/campaign"
	"gpuperf/lift/explore"
	"gpuperf/lift/export"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/workload"
)

// program is a functional program: the recipes of its variants, their numbers, and ND-ranges.
type program struct {
	jobs
	search.Listed
	source string
	space  *explore.Space
	usual  search.Config
	points map[string]*variant // by configuration
	ready  func(context.Context, *campaign.Campaign) (*device.Expect, []string, error)
}

// variant is a point of the space; what prepares it does so for one at a time.
type variant struct {
	mu sync.Mutex
	*explore.Point
}

// recipe is the choice of a strategy of rewriting.
const recipe = "recipe"

// variants are how many of a program are derived, and ranges the most ND-ranges of each.
const (
	variants = 1000
	ranges   = 10
)

// openLift derives the variants of a program; when ctx ends it returns at once.
func openLift(ctx context.Context, path string, sizes map[string]int64) (p *program, err error) {
	made := make(chan *program, 1)
	err = bounded.Do(ctx, bounded.Limits{}, func(context.Context, func()) error {
		p, err := newProgram(path, sizes)
		made <- p
		return err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return <-made, err
}

func newProgram(path string, sizes map[string]int64) (*program, error) {
	space, err := explore.Request{Sizes: sizes, Variants: variants, Ranges: ranges, Seed: 1}.Open(path, nil)
	if err != nil {
		return nil, err
	}
	reference, err := space.Reference()
	if err != nil {
		return nil, err
	}
	p := &program{source: filepath.Base(path), space: space, points: map[string]*variant{}}
	p.jobs = jobs{p.tasks, map[string]samples.Record{}}
	used := 1
	for _, point := range space.Points {
		for i := range axes {
			if point.Global[i] > 1 {
				used = max(used, i+1)
			}
		}
	}
	var all []search.Config
	for _, point := range space.Points {
		c := configOf(point, used)
		if p.points[c.String()] != nil {
			continue
		}
		p.points[c.String()] = &variant{Point: point}
		all = append(all, c)
		if p.usual == nil && point.Variant.ID == reference.Variant.ID {
			p.usual = c
		}
	}
	if p.usual == nil {
		p.usual = all[0]
	}
	var once sync.Once
	var expect *device.Expect
	var warnings []string
	p.ready = func(ctx context.Context, on *campaign.Campaign) (*device.Expect, []string, error) {
		once.Do(func() {
			space.For(on.Device.Info().Interface)
			expect, _, err = reference.Verified(ctx, on.Device, &warnings)
		})
		told := warnings
		warnings = nil
		return expect, told, err
	}
	p.Listed, err = search.NewListed(all)
	return p, err
}

// axes are the names of those of ND-ranges.
var axes = []string{"x", "y", "z"}

// configOf are the choices that lead to a point of a space with so many axes.
func configOf(p *explore.Point, used int) search.Config {
	c := search.Config{{Choice: recipe, Option: strings.ReplaceAll(p.Variant.Recipe, ", ", " + ")}} // a comma would end it
	for _, name := range slices.Sorted(maps.Keys(p.Variant.Numbers)) {
		c = append(c, search.Pick{Choice: name, Option: fmt.Sprint(p.Variant.Numbers[name])})
	}
	for i, axis := range axes[:used] {
		c = append(c, search.Pick{Choice: "local " + axis, Option: fmt.Sprint(p.Local[i])}, search.Pick{Choice: "global " + axis, Option: fmt.Sprint(p.Global[i])})
	}
	return c
}

func (p *program) Name() string         { return p.source }
func (p *program) Space() search.Space  { return p.Listed }
func (p *program) Usual() search.Config { return p.usual }

func (p *program) Counted(_ context.Context, c search.Config) (out []Counted, err error) {
	_, cases, err := p.launch(c)
	for _, one := range cases {
		out = append(out, Counted{one, 1})
	}
	return out, err
}

// launch is a configuration as a job, and its kernels.
func (p *program) launch(c search.Config) (device.Job, []*workload.Case, error) {
	v := p.points[c.String()]
	v.mu.Lock()
	defer v.mu.Unlock()
	return p.space.Launch(v.Point)
}

// tasks are configurations as they run.
func (p *program) tasks(ctx context.Context, on *campaign.Campaign, list []Request) ([]measure.Task, []string, error) {
	expect, warnings, err := p.ready(ctx, on)
	if err != nil {
		return nil, warnings, err
	}
	tasks := make([]measure.Task, len(list))
	for i, r := range list {
		job, _, err := p.launch(r.Config)
		if err != nil {
			tasks[i] = refused(p.source, r.Config, err)
		} else {
			job.Expect = expect
			tasks[i] = measure.Task{Job: job}
		}
		r.enter(&tasks[i])
	}
	return tasks, warnings, nil
}

// Write writes the kernels of a configuration, a host function that launches them, and a description.
func (p *program) Write(_ context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error) {
	point := p.points[c.String()]
	as := map[samples.Interface]string{samples.OpenCL: "opencl", samples.CUDA: "cuda"}[on.Device.Info().Interface]
	r, err := export.New(export.What{Program: p.space.Program, Variant: point.Variant, Sizes: p.space.Sizes, Local: point.Local, Global: point.Global, Accuracy: p.space.Accuracy()}, as)
	if err != nil {
		return nil, err
	}
	return r.Files, r.Write(dir)
}
