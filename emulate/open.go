package emulate

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/internal/source"
	"gpuperf/launchfile"
	"gpuperf/sass"
)

// Options are what a launch file does not say.
type Options struct {
	Sizes   map[string]int64
	On      string                        // the name of a data sheet, or the path of a file with one
	Code    string                        // the path of a listing or a cubin; "" is what the launch file names
	Compile func() (*sass.Listing, error) // what the source is compiled to, where there is neither
	// Sensitivity and Regions are those of Input.
	Sensitivity, Regions bool
}

// File emulates the launch of a launch file. Of a sequence it is the first.
func File(ctx context.Context, path string, o Options) (*Result, error) {
	f, err := launchfile.Load(path)
	if err != nil {
		return nil, err
	}
	job, err := f.Emulated(o.Sizes)
	if err != nil {
		return nil, err
	}
	d, err := facts.Sheet(o.On)
	if err != nil {
		return nil, err
	}
	code := cmp.Or(o.Code, f.Code.Listing)
	var listing *sass.Listing
	switch {
	case code != "":
		listing, err = sass.ReadFile(ctx, code)
	case job.Image != nil && sass.IsCubin(job.Image):
		listing, err = sass.ReadKernel(ctx, job.Image, job.Entry)
	default:
		listing, err = o.Compile()
	}
	if err != nil {
		return nil, err
	}
	function, err := functionOf(listing, job.Entry)
	if err != nil {
		return nil, source.InFile(err, code)
	}
	assume, err := f.AssumedAt(o.Sizes)
	if err != nil {
		return nil, err
	}
	in := Input{Function: function, Job: job, Code: f.Code, Assume: assume, Device: d, Sensitivity: o.Sensitivity, Regions: o.Regions}
	r, err := Run(in)
	if err != nil {
		return nil, err
	}
	if n := len(job.Then); n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the first of %d launches is emulated", n+1))
	}
	return r, nil
}

// functionOf finds the kernel of a launch in a listing, by its name in the binary or in CUDA C.
func functionOf(l *sass.Listing, kernel string) (*sass.Function, error) {
	var names []string
	var found []*sass.Function
	base, _, _ := strings.Cut(kernel, "<")
	base = strings.TrimSpace(base[strings.LastIndexByte(base, ':')+1:])
	for _, f := range l.Functions {
		if f.Name == kernel {
			return f, nil
		}
		names = append(names, f.Name)
		if mangled := fmt.Sprint(len(base), base); strings.HasPrefix(f.Name, "_Z") && strings.Contains(f.Name, mangled) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(l.Functions) == 1 && len(found) == 0:
		return l.Functions[0], nil
	}
	return nil, fmt.Errorf("the machine code has no kernel %s, or several: %s", kernel, source.Suggest(kernel, names))
}
