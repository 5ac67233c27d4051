package tune

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/bounded"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/replace"
	"gpuperf/internal/source"
	"gpuperf/kernel/script"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/search/params"
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

// launchFile is a launch file with parameters.
type launchFile struct {
	*cases
	path  string
	file  *params.File
	sizes map[string]int64 // that are no parameters
	space search.Space
}

func openLaunch(path string, sizes map[string]int64) (*launchFile, error) {
	f, err := params.Load(path)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if slices.ContainsFunc(f.Parameters, func(p params.Parameter) bool { return p.Name == name }) {
			return nil, source.At(path, "", source.Pos{}, "%s is a parameter, and not to be given", name)
		}
	}
	l := &launchFile{path: path, file: f, sizes: sizes}
	l.cases = newCases(filepath.Base(path), l.kernel)
	l.otherwise = l.plain
	l.space = f.Space()
	usual, err := l.launch(l.Usual())
	l.problem = problem(usual.Identity)
	return l, err
}

func (l *launchFile) Space() search.Space  { return l.space }
func (l *launchFile) Usual() search.Config { return l.file.Config(l.file.Base) }

// kernel is the kernel of a configuration, as far as the front end can read the function.
func (l *launchFile) kernel(ctx context.Context, c search.Config) (*workload.Case, error) {
	file, sizes := l.file.At(l.file.Configuration(c))
	maps.Copy(sizes, l.sizes)
	k, err := frontend.Options{}.Launched(ctx, file, sizes)
	if err != nil {
		return nil, err
	}
	k.File = file.Path
	return campaign.CaseOf(k, sizes)
}

// plain is a configuration whose kernel cannot be read: the launch file alone says what its results are compared with.
func (l *launchFile) plain(c search.Config, _ error) measure.Task {
	job, err := l.launch(c)
	if err != nil {
		return refused(l.problem, c, err)
	}
	t := measure.Task{Job: job}
	if job.Expect == nil {
		t.Unverified = "its launch file has no expect"
	}
	return t
}

// launch is the job of a configuration by the launch file alone.
func (l *launchFile) launch(c search.Config) (device.Job, error) {
	file, sizes := l.file.At(l.file.Configuration(c))
	maps.Copy(sizes, l.sizes)
	job, err := file.Job(sizes)
	job.Identity.Source, job.Identity.Args, job.Mode = l.name, c.Options(), samples.Warm
	return job, err
}

// Write writes the source and the macros and sizes of a configuration.
func (l *launchFile) Write(_ context.Context, on *campaign.Campaign, dir string, c search.Config) ([]string, error) {
	return writeSource(dir, l.plain(c, nil).Job, on.Device.Info().Interface)
}

// scripted is a kernel script with tunables. Where it defines several kernels, which one is a choice too.
type scripted struct {
	*cases
	path, text, only string
	sizes            map[string]int64
	space            search.Space
}

// which is the choice among several kernels.
const which = "kernel"

// mostText bounds the bytes of a script.
const mostText = 64 << 20

func openScript(ctx context.Context, path string, sizes map[string]int64) (*scripted, error) {
	s := &scripted{sizes: sizes}
	s.path, s.only, _ = source.CutName(path)
	s.cases = newCases(filepath.Base(s.path), s.kernel)
	_, wrong := script.Options{}.Load(ctx, s.path) // with the first values
	text, err := bounded.ReadFile(s.path, mostText)
	if err != nil {
		return nil, cmp.Or(wrong, err)
	}
	s.text = string(text)
	g := &graph{ctx, s, map[string]open{}}
	if wrong != nil && !g.unfit() {
		return nil, wrong
	}
	if first := g.open(nil); first.next == nil && wrong == nil {
		return nil, source.At(s.path, "", source.Pos{}, "there is nothing to choose").WithHint(`leave a choice open, as in bm = lp.tunable("bm", [16, 32])`)
	}
	if s.space = search.Prune(g, g.fits); s.space == nil {
		empty := source.At(s.path, "", source.Pos{}, "")
		errors.As(wrong, &empty) // at the constraint that refuses the first values
		empty.Msg = "the space is empty: no values of the tunables fit the constraints"
		return nil, empty
	}
	usual := s.at(ctx, search.Usual(s.space))
	if usual.err == nil {
		s.problem = problem(usual.Identity)
	}
	return s, usual.err
}

func (s *scripted) Space() search.Space  { return s.space }
func (s *scripted) Usual() search.Config { return search.Usual(s.space) }

func (s *scripted) kernel(ctx context.Context, c search.Config) (*workload.Case, error) {
	variants, err := s.options(c).Exec(ctx, s.path, s.text)
	if err != nil {
		return nil, err
	}
	v := variants[0]
	if name := c.Option(which); name != "" || s.only != "" {
		if v, err = script.Named(s.path, variants, s.only+name); err != nil {
			return nil, err
		}
	}
	return campaign.CaseOf(&frontend.Kernel{Variant: v, File: s.path}, s.sizes)
}

func (s *scripted) options(made search.Config) script.Options {
	return script.Options{Tuned: made.Options()}
}

// maxFound bounds the choices that are remembered, of each a few words.
const maxFound = 1 << 13

// graph is the space of a script, with its dead ends.
type graph struct {
	ctx    context.Context
	script *scripted
	known  map[string]open // by the choices that are made
}

// open is what a run of the script finds: the next choice, or why there is none.
type open struct {
	next *search.Choice
	err  error
}

func (g *graph) Next(made search.Config) *search.Choice { return g.open(made).next }

// unfit reports that a constraint refuses the first value of each choice.
func (g *graph) unfit() bool {
	var made search.Config
	for {
		o := g.open(made)
		if o.err != nil || o.next == nil || len(o.next.Options) == 0 {
			return errors.Is(o.err, script.ErrUnfit)
		}
		made = append(made, search.Pick{Choice: o.next.Name, Option: o.next.Options[0]})
	}
}

// fits reports that the script accepts choices, as far as it comes with them.
func (g *graph) fits(made search.Config) bool { return g.open(made).err == nil }

func (g *graph) open(made search.Config) open {
	key := made.String()
	out, ok := g.known[key]
	if !ok {
		out.next, out.err = g.find(made)
		if len(g.known) >= maxFound {
			clear(g.known)
		}
		g.known[key] = out
	}
	return out
}

// find runs the script with choices as far as the next one.
func (g *graph) find(made search.Config) (*search.Choice, error) {
	s := g.script
	if made.Option(which) != "" {
		return nil, nil
	}
	t, variants, err := s.options(made).Open(g.ctx, s.path, s.text)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return &search.Choice{Name: t.Name, Options: t.Values}, nil
	case s.only != "" || len(variants) <= 1:
		return nil, nil // what the script refuses is told when it is to run
	}
	c := &search.Choice{Name: which}
	for _, v := range variants {
		c.Options = append(c.Options, v.Name)
	}
	return c, nil
}
