package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/calibrate"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/replay"
	"gpuperf/measure"
	"gpuperf/microbench"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// sessionOptions say on what a session measures and where it keeps the samples.
type sessionOptions struct {
	device  string // as --device
	samples string // the journal; "" is the device's own in the data directory
	retry   bool   // measure again what failed before
	trials  int    // at most so many per kernel; 0 is the default
	cache   string // state of the caches, as --cache: warm, cold or both
	limit   time.Duration
	jobs    int // how many programs are built at once; 0 is the default

	timeRange string // as --time-range; "" leaves sizes as they are
}

// mostJobs is the default of --jobs on machines with more processors: each job is a process with a context on the device.
const mostJobs = 16

func (o *sessionOptions) addFlags(cmd *cobra.Command) {
	addDeviceFlag(cmd, &o.device)
	cmd.Flags().StringVarP(&o.samples, "output", "o", "", "the samples file to add to (default: the device's own in the data directory)")
	cmd.Flags().BoolVar(&o.retry, "retry", false, "measure again what failed before")
	cmd.Flags().IntVar(&o.trials, "trials", 0, "trials of each kernel, at most (default 60, fewer when the median is certain before)")
	cmd.Flags().StringVar(&o.cache, "cache", "warm", "caches before each trial: warm (as the trial before left them), cold (swept), or both")
	cmd.Flags().DurationVar(&o.limit, "limit", 0, "give up a kernel whose building and trials take longer (default 2m; --retry tries it again)")
	cmd.Flags().IntVar(&o.jobs, "jobs", 0, fmt.Sprintf("programs to build, and results to verify, at once, before times are taken (default the number of processors, at most %d; on a CPU programs are then built one by one)", mostJobs))
}

// modes are the states of the caches that --cache asks for.
func (o *sessionOptions) modes() ([]samples.Mode, error) {
	switch o.cache {
	case "", "warm":
		return []samples.Mode{samples.Warm}, nil
	case "cold":
		return []samples.Mode{samples.Cold}, nil
	case "both":
		return []samples.Mode{samples.Warm, samples.Cold}, nil
	}
	return nil, usagef("--cache %s: caches are warm, cold or both", o.cache)
}

// oneMode is modes for what cannot be done for both.
func (o *sessionOptions) oneMode(what string) error {
	if modes, err := o.modes(); err != nil || len(modes) == 1 {
		return err
	}
	return usagef("--cache both: %s; choose warm or cold", what)
}

// session is an open device with the journal of its samples.
type session struct {
	cmd     *cobra.Command
	device  device.Device
	facts   *facts.Device    // of the device
	journal *samples.Journal // nil when the device is a replay
	options sessionOptions
	workers measure.Options
	ahead   bool         // programs are built ahead where they are many
	mode    samples.Mode // of what is measured next

	fitted []calibrate.Row // of the last calibration

	records []samples.Record  // all that was used, each kernel and mode once
	answers map[answerKey]int // where they stand

	spent spent // on what the session did so far

	sentinel         *measure.Sentinel
	sentinelCompared bool                       // with the file's first
	verified         map[*workload.Kernel]error // the outcome of comparing a kernel's results with the reference
}

func openSession(cmd *cobra.Command, o sessionOptions) (*session, error) {
	if o.trials < 0 {
		return nil, usagef("--trials %d: at least one trial is needed", o.trials)
	}
	if o.limit < 0 {
		return nil, usagef("--limit %v: a time limit is positive", o.limit)
	}
	modes, err := o.modes()
	if err != nil {
		return nil, err
	}
	if o.jobs < 0 {
		return nil, usagef("--jobs %d: at least one job is needed", o.jobs)
	}
	asked := o.jobs > 0
	if !asked {
		o.jobs = min(runtime.NumCPU(), mostJobs)
	}
	data, err := dataDir()
	if err != nil {
		return nil, err
	}
	workers := measure.Options{Deadline: o.limit, Programs: filepath.Join(data, "programs")}
	dev, err := openDeviceWith(cmd, o.device, workers)
	if err != nil {
		return nil, err
	}
	s := &session{
		cmd: cmd, device: dev, facts: facts.Of(dev.Info().Fingerprint), options: o, workers: workers,
		// A CPU compiles for the work-group when the kernel is launched, again, and the builders take its cores.
		ahead: o.jobs > 1 && (asked || dev.Info().Type != "cpu"),
		mode:  modes[0], sentinel: &measure.Sentinel{},
		verified: map[*workload.Kernel]error{},
	}
	if recorded, ok := dev.(*replay.Device); ok {
		s.warn(recorded.Warnings())
		return s, nil
	}
	path := o.samples
	if path == "" {
		if path, err = deviceFile("samples", dev.Info().Fingerprint, ".jsonl"); err != nil {
			return nil, errors.Join(err, dev.Close())
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	if s.journal, err = samples.Open(path); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	s.warn(s.journal.Warnings())
	note(cmd, "samples: %s", path)
	return s, nil
}

func (s *session) warn(warnings []error) {
	for _, w := range warnings {
		note(s.cmd, "warning: %v", w)
	}
}

func (s *session) close() {
	if s.journal != nil {
		if s.spent.measuring > 0 {
			note(s.cmd, "time: %s", s.spent)
		}
		if err := s.journal.Close(); err != nil {
			note(s.cmd, "warning: closing %s: %v", s.journal.Path(), err)
		}
	}
	s.device.Close()
}

// spent is what a session took.
type spent struct{ building, verifying, measuring time.Duration }

func (t spent) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	return fmt.Sprintf("%v building ahead, %v verifying results, %v measuring", round(t.building), round(t.verifying), round(t.measuring))
}

// samplesFile is where the samples of the session are kept.
func (s *session) samplesFile() string {
	if s.journal != nil {
		return s.journal.Path()
	}
	return strings.TrimPrefix(s.options.device, replay.Prefix)
}

// measure returns a record for each case, in order. A case that fails is a record with its status.
func (s *session) measure(cases []*workload.Case) ([]samples.Record, error) {
	tasks, err := s.tasks(cases)
	if err != nil {
		return nil, err
	}
	show := newProgress(s.cmd.ErrOrStderr())
	defer show.done()
	sweep := s.sweep()
	sweep.Progress = show.event
	start := time.Now()
	records, err := sweep.Run(s.cmd.Context(), tasks)
	s.spent.measuring += time.Since(start)
	for _, r := range records {
		if s.answers == nil {
			s.answers = map[answerKey]int{}
		}
		key := answerKey{r.Kernel.Key(), r.Mode}
		if i, known := s.answers[key]; known {
			s.records[i] = r
			continue
		}
		s.answers[key] = len(s.records)
		s.records = append(s.records, r)
	}
	return records, err
}

// answerKey tells the records of a session apart.
type answerKey struct {
	kernel string
	mode   samples.Mode
}

// taken returns the records that the session has used, in one state of the caches, in the order of first use.
func (s *session) taken(mode samples.Mode) []samples.Record {
	return slices.DeleteFunc(slices.Clone(s.records), func(r samples.Record) bool { return r.Mode != mode })
}

func (s *session) sweep() measure.Sweep {
	return measure.Sweep{
		Device: s.device, Journal: s.journal, Retry: s.options.retry, Perf: version(), Sentinel: s.sentinel, Watch: s.watch,
	}
}

// watch tells of a sentinel run that shows another device than the one that measured before, in this session or when the
// file was begun.
func (s *session) watch(now samples.Record) {
	if d := s.sentinel.Drift(); d != "" {
		note(s.cmd, "warning: %s", d)
	}
	if now.Status != samples.OK {
		note(s.cmd, "warning: the sentinel kernel cannot run, samples go without: %s: %s", now.Status, now.Error)
		return
	}
	if now.Sentinel.Ratio != 1 || s.sentinelCompared {
		return
	}
	s.sentinelCompared = true
	for _, r := range s.journal.Records() {
		if r.Status != samples.OK || !r.SameWork(now) {
			continue
		}
		const limit = 0.02
		if ratio := now.Seconds() / r.Seconds(); math.Abs(ratio-1) > limit {
			note(s.cmd, "warning: sentinel: the device takes %.4g times what it took on %s, when the first samples of this file were measured",
				ratio, r.Time.Format(time.DateTime))
		}
		return
	}
}

// selection changes which measurement kernels a model's tags select, and in which form it is fitted to them.
type selection struct {
	generators string   // a folder of generators beside the built-in ones
	tags       []string // variant tags that replace those of the same argument in the model file
	formOption          // in which form the models are fitted

	built map[*models.Model][]*workload.Case // what cases has built: kernels keep what is derived from them
}

func (o *selection) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.generators, "generators", "", "a folder of generators to use beside the built-in ones")
	cmd.Flags().StringArrayVar(&o.tags, "tag", nil, "a variant tag such as n:512,1024, in place of the model's for that argument (may be repeated)")
	o.addFlag(cmd)
}

// cases returns the measurement kernels of a model.
func (o *selection) cases(model *models.Model) ([]*workload.Case, error) {
	if all, ok := o.built[model]; ok {
		return all, nil
	}
	if len(model.Measure) == 0 {
		return nil, model.ErrorAt(model.Place("name"), "model %s names no kernels to measure", model.Name).
			WithHint("add a measure: section with the tags of measurement kernels; `perf bench list` shows them")
	}
	var all []*workload.Case
	seen := map[string]bool{}
	used := map[string]bool{} // of the tags given
	for _, m := range model.Measure {
		cases, err := o.measurement(model, m, used)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if key := c.Identity.Key(); !seen[key] {
				seen[key] = true
				all = append(all, c)
			}
		}
	}
	for _, tag := range o.tags {
		if !used[tag] {
			return nil, usagef("--tag %s: no measurement kernel of model %s has such an argument", tag, model.Name)
		}
	}
	if o.built == nil {
		o.built = map[*models.Model][]*workload.Case{}
	}
	o.built[model] = all
	return all, nil
}

// tagsFor returns those of the tags given that are about an argument of the generators that a measurement set selects.
func (o *selection) tagsFor(m models.Measurement, used map[string]bool) ([]string, error) {
	if len(o.tags) == 0 {
		return nil, nil
	}
	condition, err := microbench.ParseMatch(string(m.Match))
	if err != nil {
		return nil, err
	}
	filter, err := microbench.ParseFilter(m.Tags, condition)
	if err != nil {
		return nil, err
	}
	collection, err := loadGenerators(o.generators)
	if err != nil {
		return nil, err
	}
	generators, err := collection.Match(filter)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, tag := range o.tags {
		name, _, _ := strings.Cut(tag, ":")
		for _, g := range generators {
			if slices.ContainsFunc(g.Args, func(a microbench.Arg) bool { return a.Name == name }) {
				own = append(own, tag)
				used[tag] = true
				break
			}
		}
	}
	return own, nil
}

// measurement returns the kernels of one item of the model's measure section, and notes which of the tags given are used.
func (o *selection) measurement(model *models.Model, m models.Measurement, used map[string]bool) ([]*workload.Case, error) {
	if m.Script != "" {
		return scriptMeasurement(model, m)
	}
	own, err := o.tagsFor(m, used)
	if err != nil {
		return nil, model.ErrorAt(m.Places[0], "%s", firstLine(err))
	}
	cases, err := selectCases(o.generators, replaceTags(m.Tags, own), string(m.Match))
	if err != nil {
		return nil, model.ErrorAt(m.Places[0], "%s", firstLine(err))
	}
	return cases, nil
}

// replaceTags puts each variant tag of by in the place of the tag with the same argument, or at the end.
func replaceTags(tags, by []string) []string {
	tags = slices.Clone(tags)
	for _, tag := range by {
		arg, _, _ := strings.Cut(tag, ":")
		i := slices.IndexFunc(tags, func(t string) bool { return strings.HasPrefix(t, arg+":") })
		if i < 0 {
			tags = append(tags, tag)
			continue
		}
		tags[i] = tag
	}
	return tags
}

// rowsOf measures what the model's measurement set selects, and returns the rows to fit.
func (s *session) rowsOf(model *models.Model, o *selection) ([]calibrate.Row, error) {
	ids, err := featuresOf(model)
	if err != nil {
		return nil, err
	}
	if err := checkOutput(model, s.device.Info()); err != nil {
		return nil, err
	}
	cases, err := o.cases(model)
	if err != nil {
		return nil, err
	}
	if cases, err = s.inRange(cases); err != nil {
		return nil, err
	}
	records, err := s.measure(cases)
	if err != nil {
		return nil, err
	}
	values, ratios := make([]map[string]float64, len(cases)), make([]float64, len(cases))
	err = parallel(len(cases), s.options.jobs, func(i int) error {
		if records[i].Status != samples.OK {
			return nil
		}
		var err error
		cases[i].Device = s.facts
		if values[i], err = cases[i].Features(ids, int(s.device.Info().SubgroupSize)); err != nil {
			return fmt.Errorf("%s: %w", cases[i], err)
		}
		ratios[i], err = overlapRatio(cases[i], int(s.device.Info().SubgroupSize))
		return err
	})
	if err != nil {
		return nil, err
	}
	var rows []calibrate.Row
	var failed []string
	for i, r := range records {
		if r.Status != samples.OK {
			failed = append(failed, fmt.Sprintf("%s: %s: %s", cases[i], r.Status, r.Error))
			continue
		}
		rows = append(rows, calibrate.Row{
			Kernel: cases[i].Program(), Label: cases[i].String(), Features: values[i], Output: r.Seconds(), Ratio: ratios[i], Trials: r.Trials,
		})
	}
	for _, f := range failed {
		note(s.cmd, "warning: left out of the fit: %s", f)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("model %s: none of its %d measurement kernels could be measured", model.Name, len(records))
	}
	return rows, nil
}

// checkOutput refuses a model whose output is not the run time, or is pinned to another device
// (f_cl_wall_time_<platform>_<device>).
func checkOutput(model *models.Model, info device.Info) error {
	const wallTime = "f_cl_wall_time"
	pin, ok := strings.CutPrefix(model.Output, wallTime)
	if !ok {
		return model.ErrorAt(model.Place("output"), "only %s can be measured, not %s", wallTime, model.Output).
			WithHint("with another output, fit to a table: perf fit %s --data table.csv", model.File)
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(pin), func(r rune) bool { return r == '_' }) {
		if !strings.Contains(strings.ToLower(info.Platform+" "+info.Vendor+" "+info.Name), word) {
			return model.ErrorAt(model.Place("output"), "%s pins the model to a device that is not %s", model.Output, info.Name).
				WithHint("write %s to calibrate on any device, or choose the device with --device", wallTime)
		}
	}
	return nil
}
