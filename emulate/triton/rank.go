package triton

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"gpuperf/device"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/sass"
)

// Options say what is ranked, and for which device.
type Options struct {
	Cache string           // "" is what the description says, or else Triton's own
	Sizes map[string]int64 // where they differ from those of the description
	Each  launches.Options // of each configuration
}

// Ranking is the configurations of a kernel, the fastest first.
type Ranking struct {
	Kernel, Device string
	Ranked         []*Ranked
	Failed         []*Ranked // that cannot be launched, or not be emulated

	warnings []string
}

// All are the warnings of all configurations.
func (r *Ranking) All() []string { return r.warnings }

// Ranked is a configuration, with what emulation tells of it.
type Ranked struct {
	Entry     *Entry
	Registers int
	Result    *emulate.Result
	Err       error

	names  []string
	values map[string]string
}

// Rank emulates all configurations of a description in a file.
func Rank(ctx context.Context, path string, o Options) (*Ranking, error) {
	d, err := Load(path)
	if err != nil {
		return nil, err
	}
	return d.Rank(ctx, o)
}

// Rank emulates all configurations.
func (d *Description) Rank(ctx context.Context, o Options) (*Ranking, error) {
	c, err := ReadCache(d.Cache(o.Cache))
	if err != nil {
		return nil, err
	}
	entries, err := d.chosen(c)
	if err != nil {
		return nil, err
	}
	r := &Ranking{Kernel: entries[0].Name, Device: o.Each.Device.Name()}
	left := c.left(r.Kernel)
	pairs, err := d.pairs(entries, left)
	if err != nil {
		return nil, err
	}
	if left != "" && !d.own {
		r.warnings = append(r.warnings, left)
	}
	list, warnings := make([]*Ranked, len(pairs)), make([][]string, len(pairs))
	err = parallel.Try(len(pairs), runtime.GOMAXPROCS(0), func(i int) (err error) {
		list[i], warnings[i], err = d.emulate(ctx, &pairs[i], o)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, one := range list {
		if r := one.Result; one.Err == nil && !r.Status.Finite() {
			one.Err = fmt.Errorf("it has no time: %s", r.Why()[0])
		}
		if one.Err != nil {
			r.Failed = append(r.Failed, one)
		} else {
			r.Ranked = append(r.Ranked, one)
		}
		for _, w := range warnings[i] {
			if !slices.Contains(r.warnings, w) {
				r.warnings = append(r.warnings, w)
			}
		}
	}
	slices.SortStableFunc(r.Ranked, func(a, b *Ranked) int { return cmp.Compare(a.Result.Seconds, b.Result.Seconds) })
	if len(r.Ranked) == 0 {
		return nil, fmt.Errorf("no configuration of %s can be emulated: %w", r.Kernel, r.Failed[0].Err)
	}
	return r, nil
}

// emulate emulates a configuration. What is wrong in the description is an error; a configuration that the device has no room for is a result.
func (d *Description) emulate(ctx context.Context, p *pair, o Options) (*Ranked, []string, error) {
	var warnings []string
	f, err := p.entry.function(ctx)
	if err != nil {
		return nil, nil, err
	}
	file, err := d.file(p, f)
	if err != nil {
		return nil, nil, err
	}
	job, err := file.Emulated(o.Sizes)
	if err != nil {
		return nil, nil, err
	}
	assume, err := file.AssumedAt(o.Sizes)
	if err != nil {
		return nil, nil, err
	}
	one := &Ranked{Entry: p.entry, Registers: f.Registers}
	one.names, one.values = p.shown()
	s := launches.Of(job)
	s.Unrestored = true // tuners of Triton launch again and again on what the last launch has left
	s.Code, s.Assume = file.Code, assume
	report, err := s.Run(ctx, &sass.Listing{Functions: []*sass.Function{f}}, o.Each)
	if wrong := new(source.Error); errors.As(err, &wrong) {
		return nil, nil, err
	}
	if one.Err = err; err == nil {
		one.Result, warnings = report.Launches[0].Result, append(warnings, report.All()...)
	}
	if p.optionsOnly {
		warnings = append(warnings, fmt.Sprintf("%s: no IR in the cache has these numbers; it is taken to be %s by its options, which hash: confirms", one.configuration(), p.entry))
	}
	return one, append(warnings, p.entry.multiples(job)...), nil
}

// multiples warns of arguments that are no multiples of what the machine code was compiled for: Triton would compile other code.
func (e *Entry) multiples(job device.Job) (warnings []string) {
	for i, a := range job.Args {
		if i >= len(e.Arguments) {
			break
		}
		if m := e.Arguments[i].Multiple; m > 1 && a.Kind == device.Scalar && a.Int%m != 0 {
			warnings = append(warnings, fmt.Sprintf("%s is %d, and the machine code was compiled for multiples of %d: Triton would launch another",
				e.Arguments[i].Name, a.Int, m))
		}
	}
	return warnings
}

// function is the machine code of the entry.
func (e *Entry) function(ctx context.Context) (*sass.Function, error) {
	listing, err := e.listing(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(listing.Functions, func(f *sass.Function) bool { return f.Name == e.Name }); i >= 0 {
		return listing.Functions[i], nil
	}
	return nil, failure("%s has no kernel %s", e.code(), e.Name)
}

func (e *Entry) listing(ctx context.Context) (*sass.Listing, error) {
	cubin, missing := os.ReadFile(e.beside(".cubin"))
	if e.code() == e.beside(".cubin") {
		if missing != nil {
			return nil, missing
		}
		return sass.ReadKernel(ctx, e.code(), cubin, e.Name)
	}
	l, err := sass.ReadFile(ctx, e.code())
	if err != nil || missing != nil {
		return l, err
	}
	if err := l.Complete(cubin); err != nil {
		return nil, failure("%s: %s", e.beside(".cubin"), source.Message(err))
	}
	return l, nil
}
