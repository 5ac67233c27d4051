package launches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gpuperf/device/cuda"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/counters"
	"gpuperf/internal/parallel"
	"gpuperf/sass"
	"gpuperf/sass/compiled"
)

// The device whose data sheet has all that emulation needs, and its architecture.
const (
	Usual     = machine.Usual
	UsualArch = "sm_90"
)

// Request is how sequences are emulated, as a user says it.
type Request struct {
	Options
	On      []string // names of data sheets, or files with them; none is the usual one
	Codes   []string // listings or cubins, in place of what launch files name or sources are compiled to; none is one ""
	Arch    string   // that sources are compiled for; "" is the usual one
	Compare bool     // what comes of it is to be compared
	Profile string   // a samples file with the hardware's counts; "" is none
	Times   bool     // only times are asked for
	// From fixes where machine code comes from: one of Origins. "" is Binary, or where no compiler is at hand Source.
	From string
}

// Where machine code comes from: files and compilers of the device's maker, or package compile.
const (
	Binary = "binary"
	Source = "source"
)

// Origins are all that Request.From may be.
var Origins = []string{Source, Binary}

// Run emulates sequences, each by all codes and on all devices, with sensitivities, and of single launches with advice.
func (r Request) Run(ctx context.Context, sequences []*Sequence) (all []*Report, warnings []string, err error) {
	if r.Profile != "" {
		if r.Counted, err = counters.Recorded(r.Profile); err != nil {
			return nil, nil, err
		}
		defer r.Counted.Close()
	}
	if r.From != "" && !slices.Contains(Origins, r.From) {
		return nil, nil, mistake("code comes from %s, not %q", strings.Join(Origins, " or "), r.From)
	}
	if len(r.On) == 0 {
		r.On = []string{Usual}
	}
	devices := make([]*facts.Device, len(r.On))
	for i, on := range r.On {
		if devices[i], err = facts.Sheet(on); err != nil {
			return nil, nil, err
		}
	}
	if len(r.Codes) == 0 {
		r.Codes = []string{""}
	}
	if r.Compare && len(sequences)*len(r.Codes)*len(devices) < 2 {
		return nil, nil, mistake("there is nothing to compare with").WithHint("give two kernels, sizes, codes or devices")
	}
	done := make([]done, len(sequences))
	compiler := &coder{compiler: &compiled.Compiler{Arch: cmp.Or(r.Arch, UsualArch)}}
	err = parallel.Try(len(sequences), runtime.GOMAXPROCS(0), func(i int) (err error) {
		if err = ctx.Err(); err == nil {
			done[i], err = r.one(ctx, sequences[i], compiler, devices)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, d := range done {
		all, warnings = append(all, d.reports...), append(warnings, d.warnings...)
	}
	for _, d := range devices {
		warnings = append(warnings, d.Unread()...)
	}
	return all, warnings, nil
}

// done is what comes of a sequence.
type done struct {
	reports  []*Report
	warnings []string
}

// one emulates a sequence by all codes and on all devices.
func (r Request) one(ctx context.Context, s *Sequence, c *coder, devices []*facts.Device) (out done, err error) {
	for _, code := range r.Codes {
		listing, origin, err := r.listing(ctx, s, code, c)
		if err != nil {
			return out, err
		}
		out.warnings = append(out.warnings, listing.Warnings...)
		for _, r.Device = range devices {
			r.Sensitivity, r.Advice, r.Origin = !r.Times, !r.Times && len(s.Job.Then) == 0, origin
			report, err := s.Run(ctx, listing, r.Options)
			if err != nil {
				return out, err
			}
			if len(r.Codes) > 1 {
				report.Code = filepath.Base(code)
			}
			out.reports, out.warnings = append(out.reports, report), append(out.warnings, report.All()...)
		}
	}
	return out, nil
}

// coder compiles one source at a time by the compiler of the device's maker.
type coder struct {
	sync.Mutex
	compiler *compiled.Compiler
}

// listing is the machine code of a sequence, and where it comes from.
func (r *Request) listing(ctx context.Context, s *Sequence, code string, c *coder) (*sass.Listing, string, error) {
	if r.From == Source || r.From == "" && code == "" && s.onlySource() {
		l, err := s.Compile(ctx, c.compiler.Arch)
		return l, Source, err
	}
	c.Lock()
	l, err := s.Listing(ctx, code, c.compiler)
	c.Unlock()
	if errors.Is(err, cuda.ErrNoCompiler) && code == "" && r.From == "" {
		own, failed := s.Compile(ctx, c.compiler.Arch)
		if failed == nil {
			return own, Source, nil
		}
		err = fmt.Errorf("%w\nand perf's own compiler refuses it: %w", err, failed)
	}
	return l, Binary, err
}
