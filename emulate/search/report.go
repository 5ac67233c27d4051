package search

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/internal/format"
	"gpuperf/sass"
	"gpuperf/sass/compiled"
	"gpuperf/search/params"
)

// Report is what a search of a file has found.
type Report struct {
	*Found
	*File
	Device string
}

// Run searches the space of a file for a device, with what is compiled of each configuration for an architecture.
func Run(ctx context.Context, path, device, arch string) (*Report, error) {
	f, err := Load(path)
	if err != nil {
		return nil, err
	}
	d, err := facts.Sheet(device)
	if err != nil {
		return nil, err
	}
	found, err := Find(ctx, f.Space, f.Params.Base, &Emulator{File: f, Device: d, Code: compiling(&compiled.Compiler{Arch: arch})}, Options{})
	if err != nil {
		return nil, err
	}
	return &Report{found, f, d.Name()}, nil
}

// compiling is the machine code that a compiler makes, of one configuration at a time.
func compiling(c *compiled.Compiler) func(context.Context, Configuration, *launches.Sequence) (*sass.Listing, error) {
	var one sync.Mutex
	return func(ctx context.Context, _ Configuration, s *launches.Sequence) (*sass.Listing, error) {
		one.Lock()
		defer one.Unlock()
		return s.Listing(ctx, "", c)
	}
}

// Write prints the moves, and the best configurations.
func (r *Report) Write(w io.Writer) error {
	fmt.Fprintf(w, "%d configurations were emulated on %s, %d programs compiled\n\n", r.Seen, r.Device, r.Compilations)
	fmt.Fprintln(w, "moves")
	for _, c := range r.Path {
		fmt.Fprintf(w, "  %s  %s  (%s)\n", format.Seconds(c.Seconds), r.Text(c.Configuration), c.Move)
	}
	fmt.Fprintln(w, "\nthe fastest, as emulated: those to measure")
	for _, c := range r.Best {
		fmt.Fprintf(w, "  %s  %s\n", format.Seconds(c.Seconds), r.Text(c.Configuration))
	}
	return nil
}

// MarshalJSON writes the report as other programs read it.
func (r *Report) MarshalJSON() ([]byte, error) {
	type configuration struct {
		Parameters map[string]int64 `json:"parameters"`
		Seconds    float64          `json:"seconds"`
		Move       string           `json:"move"`
	}
	list := func(all []*Seen) []configuration {
		out := []configuration{}
		for _, c := range all {
			out = append(out, configuration{params.Numbers(r.Params.Config(c.Configuration)), c.Seconds, c.Move})
		}
		return out
	}
	return json.Marshal(struct {
		Device       string          `json:"device"`
		Emulated     int             `json:"emulated"`
		Compilations int             `json:"compilations"`
		Moves        []configuration `json:"moves"`
		Best         []configuration `json:"best"`
	}{r.Device, r.Seen, r.Compilations, list(r.Path), list(r.Best)})
}
