package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/device/machine"
	"gpuperf/device/measure"
	"gpuperf/internal/bounded"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/lists"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
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
	on        *machine.Machine // that mappings are chosen for
	space     *offload.Space

	tag   string                    // of samples, which tells the nest from what it was before its file was changed
	known map[string]samples.Record // of the journal, by configuration; nil before it was read
	// agreed: some results have been compared with those of plainer kernels at the sizes.
	agreed bool
}

func openNest(ctx context.Context, path string, sizes map[string]int64, o Options) (_ *nest, err error) {
	defer throw.Catch(&err)
	all := throw.Get(o.Files.Nests(ctx, path))
	if len(all) > 1 {
		names := lists.Map(all, func(n *scop.Nest) string { return n.Name })
		return nil, source.At(path, "", source.Pos{}, "there are several loop nests").WithHint("name one: %s#%s", path, strings.Join(names, " | "))
	}
	file, _, _ := source.CutName(path)
	n := &nest{path: file, name: filepath.Base(file), nest: all[0], options: o.Files, schedules: o.Schedules}
	n.tag = tagOf(n.nest)
	if o.Device != nil {
		n.on = machine.Told(*o.Device)
	}
	n.sizes = throw.Get(offload.SizesOf(n.nest, sizes, true))
	n.space, err = offload.NewSpace(ctx, n.nest, offload.Options{Sizes: n.sizes, On: n.on}, o.Schedules)
	return n, err
}

func (n *nest) Name() string        { return n.name }
func (n *nest) Space() search.Space { return n.space }
func (n *nest) Problem() samples.Identity {
	return samples.Identity{Source: n.name, Variant: n.nest.Name, Sizes: n.sizes}
}

// tagOf has a hash of all that the kernels of a nest are made of: macros are replaced in it.
func tagOf(n *scop.Nest) string {
	_, text, _ := strings.Cut(n.String(), "\n") // without the name of the file
	for _, f := range n.Functions {
		text += fmt.Sprintln(f.Name, f.Params, f.Result, f.Body, f.Def, f.Lets)
	}
	return fmt.Sprintf("nest:%.8x", sha256.Sum256([]byte(text)))
}

// Repeats reports that the nest is the same.
func (n *nest) Repeats(_ context.Context, _ samples.Interface, r Run) bool {
	return slices.Contains(r.Record.Tags, n.tag)
}

func (n *nest) Usual() search.Config { return search.Usual(n.space) }

func (n *nest) Counted(_ context.Context, c search.Config) (out []Counted, err error) {
	p, err := n.space.Program(c)
	if err != nil {
		return nil, err
	}
	all, err := p.Launched(n.sizes, samples.OpenCL)
	for _, l := range all {
		out = append(out, Counted{Case: l.Case, Times: l.Times})
	}
	return out, err
}

// prepared is a configuration that can run, or why it cannot.
type prepared struct {
	*offload.Prepared
	err error
}

func (n *nest) Measure(ctx context.Context, on *campaign.Campaign, list []Request, done func(int, Outcome)) (warnings []string, err error) {
	if n.known == nil {
		if err := n.recall(on); err != nil {
			return nil, err
		}
	}
	at := 0
	for some := range slices.Chunk(list, side) {
		made, more, err := n.prepare(ctx, on, some)
		if warnings = append(warnings, more...); ctx.Err() != nil {
			return warnings, context.Cause(ctx)
		}
		for i := 0; err == nil && i < len(some); i++ {
			var o Outcome
			if o, err = n.outcome(ctx, on, some[i], made[i]); err == nil {
				done(at, o)
				made[i], at = prepared{}, at+1
			}
		}
		if err != nil {
			return warnings, err
		}
	}
	return warnings, nil
}

// side is how many configurations are prepared side by side: one may have launches by the ten thousand.
const side = 16

// prepare makes and builds the programs of configurations that are not known yet.
func (n *nest) prepare(ctx context.Context, on *campaign.Campaign, list []Request) ([]prepared, []string, error) {
	made := make([]prepared, len(list))
	parallel.For(len(list), func(i int) {
		if _, ok := n.recorded(list[i]); ok {
			return
		}
		made[i].Prepared, made[i].err = n.prepareOne(ctx, on, list[i])
	})
	var tasks []measure.Task
	for _, p := range made {
		if p.Prepared != nil {
			tasks = append(tasks, measure.Task{Job: p.Job})
		}
	}
	warnings, err := on.Build(ctx, tasks)
	return made, warnings, err
}

// prepareOne makes the kernels of a configuration.
func (n *nest) prepareOne(ctx context.Context, on *campaign.Campaign, r Request) (*offload.Prepared, error) {
	made := new(*offload.Prepared) // by work that may go on after this returns
	err := bounded.Do(ctx, bounded.Limits{Time: bounded.Patience}, func(context.Context, func() int) error {
		p, err := n.space.Program(r.Config)
		if err == nil {
			*made, err = p.Prepare(n.sizes, on.Device.Info())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	(*made).Job.Policy = r.Policy
	return *made, nil
}

// recorded is the record of a configuration that is not to be measured again.
func (n *nest) recorded(r Request) (samples.Record, bool) {
	before, ok := n.known[r.Config.String()]
	return before, ok && r.Before == nil
}

// outcome runs a configuration, unless it is known.
func (n *nest) outcome(ctx context.Context, on *campaign.Campaign, r Request, p prepared) (Outcome, error) {
	if before, ok := n.recorded(r); ok {
		return Outcome{before, true}, nil
	}
	record, err := n.run(ctx, on, r, p)
	if err == nil {
		err = on.Keep(record)
	}
	if err == nil {
		n.known[r.Config.String()] = record
	}
	return Outcome{Record: record}, err
}

// recall reads what the journal has of the nest at the sizes, as far as this version of the program has measured it.
func (n *nest) recall(on *campaign.Campaign) error {
	set, err := samples.Load(on.SamplesFile())
	if err != nil {
		return err
	}
	defer set.Close()
	own := n.Problem().Key()
	runs, err := runsOf(set, func(r *samples.Record) bool {
		return problem(r.Kernel).Key() == own && slices.Contains(r.Tags, n.tag) && r.Status.Settled() && r.Perf == on.Version()
	})
	n.known = map[string]samples.Record{}
	for _, r := range runs {
		n.known[r.Config.String()] = r.Record
	}
	return err
}

// run runs a configuration, judged. Where others agree with plainer kernels at the sizes, and what rounding may do at smaller ones is proved, one that does not is wrong; where it is but
// estimated, as of recurrences that are ill conditioned, rounding may make any difference.
func (n *nest) run(ctx context.Context, on *campaign.Campaign, r Request, p prepared) (samples.Record, error) {
	if p.err != nil {
		return n.failed(on, r, refusal(p.err)), nil
	}
	r.Policy.Graph = true
	result, err := p.Run(ctx, reusing{on.Device}, r.Policy)
	verdict, ok := device.AsError(err)
	switch {
	case ctx.Err() != nil:
		return samples.Record{}, context.Cause(ctx)
	case ok:
		return n.failed(on, r, verdict), nil
	case err != nil:
		return n.failed(on, r, refusal(err)), nil
	case !result.Compared && !result.Verified && result.VerifiedAt == nil && result.Why == "":
		return n.failed(on, r, device.Errorf(samples.WrongResult, "results are not verified")), nil
	case result.Differs && n.agreed && result.VerifiedAt != nil && !result.Estimated:
		return n.failed(on, r, device.Errorf(samples.WrongResult, "%s", result.Why)), nil
	}
	n.agreed = n.agreed || result.Compared
	record := result.Sample()
	n.mark(on, &record, r)
	record.Time = record.Time.Truncate(time.Millisecond)
	labels := n.space.Parts(r.Config)
	for kernel, seconds := range result.Times {
		name := partMetric + labels[kernel]
		record.Metrics[name] = samples.Metric{Value: record.Metrics[name].Value + seconds, Unit: "s"}
	}
	return record, nil
}

// refusal is why there are no kernels of a configuration.
func refusal(err error) *device.Error {
	if verdict, ok := device.AsError(err); ok {
		return verdict
	}
	if bounded.Stopped(err) {
		err = fmt.Errorf("making its kernels %w", err)
	}
	return device.Errorf(samples.Refused, "%v", err)
}

// reusing is a device that keeps buffers from one configuration to the next.
type reusing struct{ device.Device }

func (d reusing) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	job.Reuse = true
	return d.Device.Run(ctx, job)
}

// mark gives a record the identity of a configuration.
func (n *nest) mark(on *campaign.Campaign, record *samples.Record, r Request) {
	record.Kernel = of(n.Problem(), r.Config)
	record.Tags = append(append(tags(r.Config), n.tag), record.Tags...)
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
		Status: why.Status, Error: why.Message(), Log: why.Log, Device: on.Device.Info().Fingerprint, Time: time.Now().UTC().Truncate(time.Millisecond),
	}
	n.mark(on, &record, r)
	return record
}

// Write writes the C file anew, with the nest as kernels of the configuration.
func (n *nest) Write(ctx context.Context, on *campaign.Campaign, dir string, c search.Config) (_ []string, err error) {
	defer throw.Catch(&err)
	as := map[samples.Interface]string{samples.OpenCL: "opencl", samples.CUDA: "cuda"}[on.Device.Info().Interface]
	find := func(ctx context.Context, other *scop.Nest, by offload.Options) (*offload.Program, error) {
		if other.Name != n.nest.Name {
			return offload.Find(ctx, other, by)
		}
		space, err := offload.NewSpace(ctx, other, by, n.schedules)
		if err != nil {
			return nil, err
		}
		return space.Program(c)
	}
	r := throw.Get(compile.File(ctx, n.path, dir, compile.Options{Options: n.options.Options, Language: as, Sizes: n.sizes, On: n.on, Find: find}))
	var names []string
	for _, path := range r.Written {
		name := throw.Get(filepath.Rel(dir, path))
		names = append(names, name)
	}
	return names, nil
}
