package explore

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/device/datafile"
	"gpuperf/device/machine"
	"gpuperf/internal/campaign"
	"gpuperf/internal/throw"
	"gpuperf/lift"
	"gpuperf/lift/derive"
)

// Request is of which variants of a program a user speaks.
type Request struct {
	Sizes            map[string]int64
	Variants, Ranges int // the most variants, and ND-ranges of each
	Seed             int64
	Recipes          []string // those of which there are variants, by name; nil for all
	MaxGroup         int64    // 0 is what the device allows
	Data             []string // what inputs hold, as ParseData reads it
	Expected         []string // files with what results have to be, as "out=FILE.npy"
	Tolerance        float64  // of results, relative; 0 is a usual one
	AnySize          bool     // a size that is not given is the usual one
	Exact            bool     // divisions and square roots are rounded correctly
}

// usualSize is a size where none is asked for: of a matrix or a grid, the root of that of a vector.
const usualSize = 4096

// Open derives the variants of the program of a file. Errors of what was asked for are *campaign.InputError.
func (r Request) Open(path string, dev *device.Info) (_ *Space, err error) {
	defer throw.Catch(&err)
	p := throw.Get(lift.Load(path))
	sizes := maps.Clone(r.Sizes)
	if sizes == nil {
		sizes = map[string]int64{}
	}
	for _, name := range p.Sizes {
		if _, ok := sizes[name]; ok {
			continue
		}
		if !r.AnySize {
			return nil, inputf("program %s needs its size %s, for example %s=4096", p.Name, name, name)
		}
		if sizes[name] = usualSize; len(p.Sizes) == 1 {
			sizes[name] *= usualSize
		}
	}
	for name := range sizes {
		if !slices.Contains(p.Sizes, name) {
			return nil, inputf("program %s has no size %s; it has %s", p.Name, name, strings.Join(p.Sizes, ", "))
		}
	}
	at, err := p.AtSizes(sizes)
	if err != nil {
		return nil, &campaign.InputError{Err: err}
	}
	opt := throw.Get(r.Options(dev))
	if err := CheckData(at, opt.Data); err != nil {
		return nil, &campaign.InputError{Err: err}
	}
	opt.Expected = throw.Get(r.expected(at))
	s, err := NewSpace(p, filepath.Base(path), sizes, opt)
	for _, name := range r.Recipes {
		if s == nil || !slices.ContainsFunc(s.Derived.Variants, func(v *derive.Variant) bool { return v.Recipe == name }) {
			return nil, inputf("no recipe is named %s, or none of its variants is possible at these sizes: perf lift derive prints names", name)
		}
	}
	return s, err
}

// expected are the results that files hold: all of a program at constant sizes, or none.
func (r Request) expected(at *lift.Program) (list []device.Arg, err error) {
	results := components(lift.Param{Name: "out", Type: at.Body.Type})
	given := map[string]device.Arg{}
	for _, text := range r.Expected {
		name, path, ok := strings.Cut(text, "=")
		if !ok || !strings.HasSuffix(path, datafile.Suffix) {
			return nil, inputf("--expect %q is not of the form out=FILE%s", text, datafile.Suffix)
		}
		f, err := openData(path)
		if err != nil {
			return nil, inputf("--expect %s: %w", text, err)
		}
		c, err := find(results, name)
		if err != nil {
			return nil, inputf("--expect %s: %w", text, err)
		}
		a := device.Arg{Name: name, Kind: device.Buffer, DType: f.DType, Count: f.Bytes / device.DTypeSize(f.DType), File: &f.File}
		c.value = false // a number is a result of one element
		if err := c.check(a); err != nil {
			return nil, inputf("--expect %s: %w", text, err)
		}
		given[name] = a
	}
	for _, c := range results {
		a, ok := given[c.name]
		if !ok && len(given) > 0 {
			return nil, inputf("--expect: there is no file for the result %s", c.name)
		}
		if ok {
			list = append(list, a)
		}
	}
	return list, nil
}

// Options are what the request says, on a device if there is one.
func (r Request) Options(dev *device.Info) (opt Options, err error) {
	opt = Options{Variants: r.Variants, Ranges: r.Ranges, Seed: r.Seed, Recipes: r.Recipes, MaxGroup: r.MaxGroup, Tolerance: r.Tolerance, Exact: r.Exact, Data: map[string]Data{}}
	if dev != nil {
		opt.Interface = dev.Interface
		on := machine.Told(*dev)
		opt.MaxGroup, opt.MaxLocal = min(cmp.Or(opt.MaxGroup, on.MostItems), on.MostItems), on.MostLocal
	}
	for _, text := range r.Data {
		name, d, err := ParseData(text)
		if err != nil {
			return opt, &campaign.InputError{Err: err}
		}
		opt.Data[name] = d
	}
	return opt, nil
}

func inputf(format string, args ...any) error {
	return &campaign.InputError{Err: fmt.Errorf(format, args...)}
}
