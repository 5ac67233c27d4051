package offload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/device/machine"
	"gpuperf/internal/bounded"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/polycount"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/schedule"
	"gpuperf/search"
	"gpuperf/workload"
)

// Result is a run of a nest on a device.
type Result struct {
	Scop   string        `json:"scop"`
	Config search.Config `json:"config,omitempty"` // nil is the default
	// Status is ok, refused by the device, or wrong_result.
	Status   samples.Status `json:"status"`
	Original string         `json:"original_order,omitempty"` // why the order is that of the text
	Kernels  int            `json:"kernels"`
	Launches int            `json:"launches"`
	Seconds  float64        `json:"seconds"` // of all kernels together, the median of the trials
	// Times are the seconds of all launches of each kernel.
	Times map[string]float64 `json:"times,omitempty"`
	// Verified: all arrays were compared with the interpretation of the text at these sizes.
	Verified bool `json:"verified"`
	// VerifiedAt are smaller sizes at which that was done, where these are too large to interpret.
	VerifiedAt map[string]int64 `json:"verified_at,omitempty"`
	// Compared: at these sizes all elements are as other kernels of the nest leave them, to within Tolerance.
	Compared  bool    `json:"compared,omitempty"`
	Tolerance float64 `json:"tolerance,omitempty"`
	// Differs: at these sizes they are not.
	Differs bool `json:"differs,omitempty"`
	// Estimated: what rounding may do is not proved, but estimated from interpretations that round at random.
	Estimated bool                    `json:"estimated,omitempty"`
	Why       string                  `json:"unverified,omitempty"` // why it is not, or what is wrong
	Arrays    map[string]ArrayVerdict `json:"arrays"`
	// Record is the measurement; its kernel is named by the nest.
	Record *samples.Record `json:"-"`
}

// Valid reports that the results are right as far as can be known: verified, or verified at smaller sizes and compared at these.
func (r *Result) Valid() bool { return r.Verified || r.VerifiedAt != nil && r.Compared }

// ArrayVerdict is how far an array is from the interpretation of the text.
type ArrayVerdict struct {
	MaxRelativeError float64 `json:"max_relative_error"`
	// Vague elements are not compared, since rounding may change them by any amount.
	Vague int `json:"vague,omitempty"`
}

// searching is how much work Find may do to look for an order by default, some three seconds; making kernels in the order of the text may take half of that.
const searching = 60_000_000

// Find makes kernels of a nest within limits of work. Where no better order is found within the limits,
// or no kernels can be made of it, the order is that of the text.
func Find(ctx context.Context, n *scop.Nest, opt Options) (*Program, error) {
	return findOr(ctx, n, opt, searching)
}

// findOr makes kernels by a search that may do so much work, or in the order of the text. What ends for another reason than its work makes none: that may depend on the machine.
func findOr(ctx context.Context, n *scop.Nest, opt Options, work int64) (*Program, error) {
	if err := n.Ordered(); err != nil {
		return nil, err
	}
	p, err := scop.Limited(ctx, n, work, func(n *scop.Nest) (*Program, error) { return find(n, schedule.Smart, opt) })
	if err != nil && ctx.Err() == nil && (errors.Is(err, polycount.ErrBudget) || !bounded.Stopped(err)) {
		why := err
		if p, err = scop.Limited(ctx, n, work/2, func(n *scop.Nest) (*Program, error) { return inOrder(n, opt) }); err == nil {
			p.Original = reason(why)
		} else {
			err = why
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: making kernels of %s: %w", n.File, n.Name, err)
	}
	if p.found != nil {
		if in, err := inBlocks(ctx, p.found, opt); in != nil && err == nil {
			if q, err := scop.Limited(ctx, in.Nest, work/2, func(n *scop.Nest) (*Program, error) { return Compile(n, in.Over(n).Tree, opt) }); err == nil {
				q.single, p = p.found, q
			}
		}
	}
	p.Text = n
	return p, nil
}

// reason is why the order is that of the text.
func reason(err error) error {
	if bounded.Stopped(err) {
		return fmt.Errorf("the search for a better one %w", err)
	}
	return err
}

// inBlocks is an order with blocks of the host's steps, found within a limit of work; nil where these cost no less.
func inBlocks(ctx context.Context, f *schedule.Found, opt Options) (*schedule.Found, error) {
	return scop.Limited(ctx, f.Nest, searching/6, func(n *scop.Nest) (*schedule.Found, error) {
		return f.Over(n).InBlocks(schedule.Launches, schedule.Options{On: opt.On, Sizes: opt.Sizes})
	})
}

// find makes kernels of a nest, by a strategy for launches.
func find(n *scop.Nest, fusion schedule.Fusion, opt Options) (_ *Program, err error) {
	defer throw.Catch(&err)
	f := throw.Get(schedule.Search(n, schedule.Launches, schedule.Options{Fusion: fusion, On: opt.On, Sizes: opt.Sizes}))
	tree := throw.Get(f.Launches())
	p := throw.Get(Compile(f.Nest, tree, opt))
	p.Text, p.Original, p.found = n, f.Original, f
	return p, nil
}

// inOrder makes kernels of a nest in the order of its text.
func inOrder(n *scop.Nest, opt Options) (_ *Program, err error) {
	defer throw.Catch(&err)
	a := throw.Get(deps.ByMemory(n))
	tree := throw.Get(schedule.InOrder(a))
	return Compile(n, tree, opt)
}

// policy of timing: runs of seconds are not repeated as often as others.
var policy = device.Policy{Graph: true, MaxWarmUp: 300 * time.Millisecond, TimeLimit: 2 * time.Second, Cutoff: 3 * time.Second}

// once is the policy of a single run.
var once = device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1}

// RunOptions say what else is done than to run a nest by default.
type RunOptions struct {
	// Random is how many random configurations run, too.
	Random int
	Seed   uint64
	// Try are configurations that run, too, with points for the spaces in names; what they do not say is by default.
	Try []string
	// Trials is how often each configuration is timed at most; 0 is 60. Of a single one there is no warm-up.
	Trials int
	// Samples is the file that measurements are added to; "" is none.
	Samples string
}

// SizesOf are the sizes of a nest among others; where it is the only nest there must be no others.
func SizesOf(n *scop.Nest, at map[string]int64, only bool) (map[string]int64, error) {
	own := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if only && !slices.Contains(n.Params, name) {
			return nil, source.At(n.File, "", source.Pos{}, "%s has no parameter %s; it has: %s", n.Name, name, cmp.Or(strings.Join(n.Params, ", "), "none"))
		}
	}
	for _, p := range n.Params {
		v, ok := at[p]
		if !ok {
			return nil, source.At(n.File, "", source.Pos{}, "%s needs a size for %s; give -p %s=VALUE", n.Name, p, p)
		}
		own[p] = v
	}
	return own, nil
}

// slow are the ends of configurations that are nobody's fault: some are too large for the device, and some take its compiler, or it, too long.
var slow = []samples.Status{samples.Refused, samples.Timeout}

// RunAll makes kernels of nests and runs them at given sizes. An error comes with the results so far. What is wrong with a configuration stops nothing; of a random one that the device
// refuses, or that takes too long, there is no error either.
func RunAll(ctx context.Context, dev device.Device, nests []*scop.Nest, at map[string]int64, opt RunOptions) (all []*Result, err error) {
	var wrong []error
	for _, n := range nests {
		own, err := SizesOf(n, at, len(nests) == 1)
		if err != nil {
			return all, err
		}
		by := Options{Sizes: own, On: machine.Told(dev.Info())}
		p, err := Find(ctx, n, by)
		if err != nil {
			return all, err
		}
		run := func(p *Program, made search.Config) error {
			r, err := p.Run(ctx, dev, own, opt.policy())
			verdict, ok := device.AsError(err)
			if ok && verdict.Status != samples.Interrupted {
				r = &Result{Scop: n.Name, Status: verdict.Status, Kernels: len(p.Kernels), Why: verdict.Error()}
				if made == nil || !slices.Contains(slow, verdict.Status) {
					wrong = append(wrong, fmt.Errorf("%s: %s %s: %w", n.File, n.Name, dotted(made.String()), err))
				}
			} else if err != nil {
				return fmt.Errorf("%s: %s %s: %w", n.File, n.Name, dotted(made.String()), err)
			}
			r.Config = made
			all = append(all, r)
			return nil
		}
		if err := run(p, nil); err != nil {
			return all, err
		}
		if err := runOthers(ctx, n, by, opt, run); err != nil {
			return all, err
		}
	}
	if opt.Samples != "" {
		wrong = append(wrong, keep(all, opt.Samples))
	}
	return all, errors.Join(wrong...)
}

// policy is that of timing.
func (o RunOptions) policy() device.Policy {
	p := policy
	if p.Trials = o.Trials; o.Trials == 1 {
		return once
	}
	return p
}

// keep adds what was measured to a samples file.
func keep(all []*Result, file string) (err error) {
	j, err := samples.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	for _, r := range all {
		if r.Record != nil {
			if err := j.Append(r.Sample()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sample is the measurement with what its results were compared with.
func (r *Result) Sample() samples.Record {
	out := *r.Record
	for _, p := range r.Config {
		out.Tags = append(out.Tags, dotted(p.Choice)+":"+p.Option)
	}
	at := samples.Comparison{Sizes: out.Kernel.Sizes}
	for _, a := range r.Arrays {
		at.Tolerance = max(at.Tolerance, a.MaxRelativeError)
	}
	if r.VerifiedAt != nil {
		at.Sizes = r.VerifiedAt
	}
	if r.Verified || r.VerifiedAt != nil {
		out.Verified = append(out.Verified, at)
	}
	if r.Compared {
		out.Verified = append(out.Verified, samples.Comparison{Sizes: out.Kernel.Sizes, Tolerance: r.Tolerance, Reference: "plainer kernels of the nest"})
	}
	out.Unverified = r.Why
	return out
}

// runOthers runs a nest in other configurations than the default: those that are given, and random ones.
func runOthers(ctx context.Context, n *scop.Nest, by Options, opt RunOptions, run func(*Program, search.Config) error) (err error) {
	defer throw.Catch(&err)
	if opt.Random == 0 && len(opt.Try) == 0 {
		return nil
	}
	s := throw.Get(NewSpace(ctx, n, by, ByStrategy))
	var all []search.Config
	for _, text := range opt.Try {
		made := throw.Get(s.Parse(text))
		all = append(all, made)
	}
	random := throw.Get(search.New("random", s, nil, opt.Seed))
	for range opt.Random {
		all = append(all, random.Ask())
	}
	for _, made := range all {
		p, err := s.Program(made)
		if err != nil {
			return fmt.Errorf("%s: %s %s: %w", n.File, n.Name, dotted(made.String()), err)
		}
		throw.If(run(p, made))
	}
	return nil
}

// WriteResults prints runs.
func WriteResults(w io.Writer, all []*Result) error {
	for _, r := range all {
		if r.Original != "" {
			fmt.Fprintf(w, "%s keeps the order of its text: %s\n", r.Scop, r.Original)
		}
		if r.Status == samples.OK {
			fmt.Fprintf(w, "%s: %s, %s, %s\n", r.Scop, format.Count(r.Kernels, "kernel"), format.Count(r.Launches, "launch"), format.Seconds(r.Seconds))
		} else {
			fmt.Fprintf(w, "%s: %s, %s\n", r.Scop, format.Count(r.Kernels, "kernel"), strings.ReplaceAll(string(r.Status), "_", " "))
		}
		for _, p := range r.Config {
			fmt.Fprintf(w, "  %s: %s\n", p.Choice, p.Option)
		}
		if r.Estimated {
			fmt.Fprintln(w, "  as far as rounding may differ, by an estimate from interpretations that round at random:")
		}
		for _, name := range slices.Sorted(maps.Keys(r.Arrays)) {
			fmt.Fprintf(w, "  %s equals the interpretation of the text%s, to %.1g", name, r.where(), r.Arrays[name].MaxRelativeError)
			if n := r.Arrays[name].Vague; n > 0 {
				fmt.Fprintf(w, ", but for %s that rounding may change by any amount", format.Count(n, "element"))
			}
			fmt.Fprintln(w)
		}
		if r.Compared {
			fmt.Fprintf(w, "  at these sizes all elements are those of plainer kernels, to %.1g\n", r.Tolerance)
		}
		if r.Why != "" {
			fmt.Fprintf(w, "  %s\n", r.Why)
		}
	}
	return nil
}

// where says at which sizes results were compared with the interpretation, if not at those of the run.
func (r *Result) where() string {
	if r.VerifiedAt == nil {
		return ""
	}
	return " at " + workload.FormatSizes(r.VerifiedAt)
}
