package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/frontend"
	"gpuperf/internal/progress"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Groups of flags that several commands have.

// measuringRuns is what the help of every command says that may measure.
const measuringRuns = `

Measuring runs the kernels on the device, and with them the OpenCL C that a file gives as the body of a function (lp.Function): a
device that is a CPU runs it with your rights. Measure such files only if you trust them; to show, count and predict runs nothing.`

// measureFlags say on what a command measures, how, and where it keeps the samples.
type measureFlags struct {
	device  string
	face    string // the interface to it; "" is the first
	options campaign.Options
	cache   string // state of the caches: warm, cold or both
	within  string // as --time-range; "" leaves sizes as they are
	again   string // as --remeasure; "" is none
}

func (f *measureFlags) add(cmd *cobra.Command) {
	cmd.Long += measuringRuns
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&f.device, "device", "", "the device: an index or part of a name as perf devices lists them, or replay:SAMPLES.jsonl")
	flags.StringVar(&f.face, "interface", "", "how to drive the device: cuda or opencl (default: cuda where there is a driver for it)")
	flags.StringVarP(&o.Samples, "output", "o", "", "the samples file to add to (default: the device's own in the data directory)")
	flags.BoolVar(&o.Retry, "retry", false, "measure again what failed before")
	flags.StringVar(&f.again, "remeasure", "", "measure again what the file has already: all, the samples noisier than a share of their median such as 5%, or those with a tag such as n:1024")
	flags.IntVar(&o.Trials, "trials", 0, "the most trials of each kernel (default 60; fewer once the median is certain)")
	flags.IntVar(&o.WarmUps, "warm-ups", 0, "runs of each kernel before its trials, at least (default: until its times are steady)")
	flags.DurationVar(&o.MinTime, "min-time", 0, "how long trials of each kernel go on, at least, as in 2s (default: until the median is certain)")
	flags.Float64Var(&o.Drift, "drift", 2, "doubt samples once a kernel that never changes takes so many per cent more or less than at first, as clocks are throttled")
	flags.StringVar(&f.cache, "cache", "warm", "state of the caches before each trial: warm (as the previous trial left them), cold (flushed), or both")
	flags.DurationVar(&o.Limit, "limit", 0, "time limit for building and running one kernel (default 2m; --retry tries it again)")
	flags.IntVar(&o.Jobs, "jobs", 0, fmt.Sprintf("programs to build, and results to verify, in parallel before measuring (default: the number of processors, at most %d; on a CPU programs are then built one at a time)", campaign.MaxJobs))
}

func (f *measureFlags) addTimeRange(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.within, "time-range", "",
		"a range such as 1ms..1s: scale the sizes of measurement kernels until their times are within it, and leave out kernels that cannot reach it")
}

// modes are the states of the caches that --cache asks for.
func (f *measureFlags) modes() ([]samples.Mode, error) {
	switch f.cache {
	case "", "warm":
		return []samples.Mode{samples.Warm}, nil
	case "cold":
		return []samples.Mode{samples.Cold}, nil
	case "both":
		return []samples.Mode{samples.Warm, samples.Cold}, nil
	}
	return nil, usagef("--cache %s: choose warm, cold or both", f.cache)
}

// mode is modes for what cannot be done for both.
func (f *measureFlags) mode(what string) (samples.Mode, error) {
	modes, err := f.modes()
	switch {
	case err != nil:
		return "", err
	case len(modes) > 1:
		return "", usagef("--cache both: %s; choose warm or cold", what)
	}
	return modes[0], nil
}

// open opens the device and the journal, and tells which they are.
func (f *measureFlags) open(cmd *cobra.Command) (*campaign.Campaign, error) {
	o := f.options
	for flag, enough := range map[string]bool{"trials": o.Trials > 0, "limit": o.Limit > 0, "jobs": o.Jobs > 0, "warm-ups": o.WarmUps > 0, "min-time": o.MinTime > 0, "drift": o.Drift > 0} {
		if given := cmd.Flag(flag); given != nil && given.Changed && !enough {
			return nil, usagef("--%s %s: must be more than 0", flag, given.Value)
		}
	}
	query, err := f.query()
	if err != nil {
		return nil, err
	}
	if o.Again, err = campaign.ParseRemeasure(f.again); err != nil {
		return nil, err
	}
	if _, err := f.modes(); err != nil {
		return nil, err
	}
	if o.Data, err = dataDir(); err != nil {
		return nil, err
	}
	o.Version, o.Monitor = version(), monitor(cmd)
	c, err := campaign.Open(cmd.Context(), query, o)
	if err != nil {
		return nil, err
	}
	note(cmd, "device: %s", c.Device.Info().Fingerprint)
	warn(cmd, c.Warnings)
	if c.Live() {
		note(cmd, "samples: %s", c.SamplesFile())
	}
	return c, nil
}

// monitor shows on standard error how far measuring is, and what it waits for.
func monitor(cmd *cobra.Command) campaign.Monitor {
	m := cmd.ErrOrStderr().(*messages)
	return progress.New(m, m.w, &m.warnings)
}

// openModes is open, with the states of the caches that are asked for.
func (f *measureFlags) openModes(cmd *cobra.Command) (*campaign.Campaign, []samples.Mode, error) {
	modes, err := f.modes()
	if err != nil {
		return nil, nil, err
	}
	c, err := f.open(cmd)
	return c, modes, err
}

// finish closes a campaign, and tells what took its time.
func finish(cmd *cobra.Command, c *campaign.Campaign) {
	if text := c.Spent.String(); c.Live() && text != "" {
		note(cmd, "time: %s", text)
	}
	if again := cmd.Flag("remeasure"); again != nil && again.Changed && c.Repeated == 0 {
		warnf(cmd, warning.NoMatch, "--remeasure "+again.Value.String(), "no sample was chosen")
	}
	if err := c.Close(); err != nil {
		warn(cmd, []error{err})
	}
}

// ranged returns the cases at sizes within --time-range, and tells what was changed.
func (f *measureFlags) ranged(cmd *cobra.Command, c *campaign.Campaign, mode samples.Mode, cases []*workload.Case) ([]*workload.Case, error) {
	within, err := campaign.ParseTimeRange(f.within)
	if err != nil {
		return nil, err
	}
	out, err := c.InRange(cmd.Context(), mode, cases, within)
	tellRanged(cmd, within, out)
	return out.Cases, err
}

// tellRanged prints what a search for sizes has changed and what it left out.
func tellRanged(cmd *cobra.Command, within campaign.TimeRange, r *campaign.Ranged) {
	if r == nil {
		return
	}
	warn(cmd, r.Warnings)
	if t := r.Table(); t != nil {
		note(cmd, "sizes for times within %s:", within)
		t.Write(cmd.ErrOrStderr())
	}
}

// openDevice opens the device that --device names, and says which it is.
func openDevice(cmd *cobra.Command, query string) (device.Device, error) {
	dev, err := campaign.OpenDevice(cmd.Context(), query, measure.Options{})
	if err == nil {
		note(cmd, "device: %s", dev.Info().Fingerprint)
	}
	return dev, err
}

// dataDir is where profiles and samples are kept unless the user names files: $PERF_DATA, else perf in the XDG data
// directory.
func dataDir() (string, error) {
	if dir := os.Getenv("PERF_DATA"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "perf"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share", "perf"), err
}

func addGenerators(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "generators", "", "a folder of generators to use beside the built-in ones")
}

// addSelection adds the flags of the measurement kernels of models, and of the form that models are fitted in.
func addSelection(cmd *cobra.Command, s *campaign.Selection) {
	addGenerators(cmd, &s.Generators)
	cmd.Flags().StringArrayVar(&s.Tags, "tag", nil, "a variant tag such as n:512,1024, in place of the model's for that argument (may be repeated)")
	addForm(cmd, &s.Form)
}

func addForm(cmd *cobra.Command, form *string) {
	cmd.Flags().StringVar(form, "model", "",
		"the form to fit the models in: linear, overlap or pnorm instead of their own, or auto, which compares them on held-out rows")
}

func addMatch(cmd *cobra.Command, match *string) {
	cmd.Flags().StringVar(match, "match", "superset",
		"how a generator's tags must relate to the generator tags given: superset, subset, identical or intersect")
}

// addSizes adds -p.
func addSizes(cmd *cobra.Command, sizes *[]string) {
	addSizeFlags(cmd, sizes, "sizes, for example n=4096 or n=1M,m=64; n=1k,2k and a repeated -p n=... stand for several")
}

// addSizeFlags adds -p, and -s, which commands for functional programs had once, for the same list.
func addSizeFlags(cmd *cobra.Command, sizes *[]string, about string) {
	flags := cmd.Flags()
	flags.StringArrayVarP(sizes, "param", "p", nil, about+". "+sizeForms)
	other := *flags.Lookup("param") // with the same value
	other.Name, other.Shorthand, other.Hidden = "size", "s", true
	flags.AddFlag(&other)
}

// sizeForms says how sizes can be written.
const sizeForms = "Also " + format.Integers

// parseSizes reads the texts of one or more -p. Sizes are positive.
func parseSizes(texts []string) ([]map[string]int64, error) { return parseValues(texts, 1) }

// parseArguments reads what kernel functions are given: sizes, and integers that may be 0 or negative.
func parseArguments(texts []string) ([]map[string]int64, error) {
	return parseValues(texts, math.MinInt64)
}

func parseValues(texts []string, least int64) ([]map[string]int64, error) {
	cases, err := format.ParseCases(texts, least)
	if err != nil {
		return nil, usage(err)
	}
	return cases, nil
}

// parseOneSize reads sizes that must describe a single case.
func parseOneSize(texts []string) (map[string]int64, error) {
	cases, err := parseSizes(texts)
	switch {
	case err != nil:
		return nil, err
	case len(cases) > 1:
		return nil, usagef("expected one size, but %s gives %d", strings.Join(texts, " "), len(cases))
	}
	return cases[0], nil
}

// addC adds the flags of C files.
func addC(cmd *cobra.Command, o *frontend.Options) {
	cmd.Flags().StringArrayVarP(&o.Include, "include", "I", nil, "of a file in C: a folder of headers, beside its own (may be repeated)")
	cmd.Flags().StringArrayVarP(&o.Define, "define", "D", nil, "of a file in C: a macro, NAME or NAME=VALUE (may be repeated)")
}

// kernelFiles is what the help of every command says that takes files with kernels.
const kernelFiles = `

KERNEL is a kernel script (KERNEL.star), a C file with loop nests (.c; perf scop), a kernel function in OpenCL C or CUDA C (.cl, .cu; perf
help c) with its launch as --local 256 --global n, or a launch file that says all of it (.yaml; perf help launch). KERNEL#NAME is one of
several.`

// addFiles adds the flags of files that are no scripts.
func addFiles(cmd *cobra.Command, o *frontend.Options) {
	cmd.Long += kernelFiles
	flags := cmd.Flags()
	flags.StringVar(&o.Kernel, "kernel", "", "of a .cl or .cu file: the kernel function, or an instance of a template such as 'tile<16, float>'")
	flags.StringVar(&o.Local, "local", "", "of a .cl or .cu file: the work-items of a work-group along each axis, such as 256 or 16,16")
	flags.StringVar(&o.Global, "global", "", "of a .cl or .cu file: the work-items in all, rounded up to work-groups: expressions in sizes, such as n or m,n/4")
	flags.StringVar(&o.Groups, "groups", "", "of a .cl or .cu file: the work-groups, in place of --global")
	flags.StringVar(&o.Shared, "shared", "", "of a .cl or .cu file: dynamic shared memory in bytes; under OpenCL elements by parameter, such as tile=256")
	flags.StringArrayVar(&o.Before, "before", nil, "of a .cl or .cu file: a file whose text the program puts before it for the compiler (may be repeated)")
	flags.StringArrayVar(&o.Assume, "assume", nil, "what holds for sizes, such as 'n % 16 = 0', or how often the loop in a line runs, as 'trips(12) = nnz/n' (may be repeated)")
	addC(cmd, o)
}

// fileCases returns every kernel of a file at every one of the sizes, which are texts such as "n=4096".
func fileCases(cmd *cobra.Command, o frontend.Options, path string, sizes []string) ([]*workload.Case, error) {
	variants, err := parseArguments(sizes)
	if err != nil {
		return nil, err
	}
	return campaign.Cases(cmd.Context(), o, []string{path}, variants)
}
