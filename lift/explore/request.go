package explore

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/campaign"
	"gpuperf/device"
	"gpuperf/lift"
)

// Request is of which variants of a program a user speaks.
type Request struct {
	Sizes            map[string]int64
	Variants, Ranges int // the most variants, and ND-ranges of each
	Seed             int64
	MaxGroup         int64    // 0 is 1024, or what the device allows
	Data             []string // what index arrays hold, as "name=(a*i+b)/c%d"
	AnySize          bool     // a size that is not given is the usual one
}

var dataForm = regexp.MustCompile(`^(\w+)=\((\d+)\*i\+(\d+)\)/(\d+)%(\d+)$`)

// usualSize is a size where none is asked for: of a matrix or a grid, the root of that of a vector.
const usualSize = 4096

// Open derives the variants of the program of a file. Errors of what was asked for are *campaign.InputError.
func (r Request) Open(path string, dev *device.Info) (*Space, error) {
	p, err := lift.Load(path)
	if err != nil {
		return nil, err
	}
	sizes := maps.Clone(r.Sizes)
	if sizes == nil {
		sizes = map[string]int64{}
	}
	for _, name := range p.Sizes {
		if _, ok := sizes[name]; ok {
			continue
		}
		if !r.AnySize {
			return nil, inputf("program %s needs its size %s, for example -s %s=4096", p.Name, name, name)
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
	opt, err := r.Options(dev)
	if err != nil {
		return nil, err
	}
	if err := CheckData(at, opt.Data); err != nil {
		return nil, &campaign.InputError{Err: err}
	}
	return NewSpace(p, filepath.Base(path), sizes, opt)
}

// Options are what the request says, on a device if there is one.
func (r Request) Options(dev *device.Info) (opt Options, err error) {
	opt = Options{Variants: r.Variants, Ranges: r.Ranges, Seed: r.Seed, MaxGroup: r.MaxGroup, Data: map[string]device.Sequence{}}
	if dev != nil {
		opt.Interface = dev.Interface
		if dev.MaxWorkGroup > 0 && (opt.MaxGroup == 0 || opt.MaxGroup > dev.MaxWorkGroup) {
			opt.MaxGroup = min(1024, dev.MaxWorkGroup)
		}
		if dev.LocalMem > 0 {
			opt.MaxLocal = min(48<<10, dev.LocalMem)
		}
	}
	for _, text := range r.Data {
		m := dataForm.FindStringSubmatch(strings.ReplaceAll(text, " ", ""))
		if m == nil {
			return opt, inputf("--data %q is not of the form name=(a*i+b)/c%%d", text)
		}
		var n [4]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(m[2+i], 10, 64); err != nil {
				return opt, inputf("--data %q: %v", text, err)
			}
		}
		opt.Data[m[1]] = device.Sequence{Mul: n[0], Add: n[1], Div: n[2], Mod: n[3]}
	}
	return opt, nil
}

func inputf(format string, args ...any) error {
	return &campaign.InputError{Err: fmt.Errorf(format, args...)}
}
