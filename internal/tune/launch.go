package tune

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/source"
	"gpuperf/samples"
	"gpuperf/search"
	"gpuperf/search/params"
	"gpuperf/workload"
)

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
