package search

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"gpuperf/device"
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
	*Space
	Device string

	path string // of the file
	best device.Job
}

// Run searches the space of a file for a device, with what is compiled of each configuration for an architecture.
func Run(ctx context.Context, path, on, arch string, o Options) (*Report, error) {
	f, err := Load(path)
	if err != nil {
		return nil, err
	}
	d, err := facts.Sheet(on)
	if err != nil {
		return nil, err
	}
	found, err := Find(ctx, f, f.Base, &Emulator{Space: f, Device: d, Code: compiling(&compiled.Compiler{Arch: arch})}, o)
	if err != nil {
		return nil, err
	}
	return report(found, f, path, d.Name())
}

// report has the launch of the best configuration, too.
func report(found *Found, f *Space, path, on string) (*Report, error) {
	best, err := f.Sequence(found.Best[0].Configuration)
	if err != nil {
		return nil, err
	}
	return &Report{found, f, on, path, best.Job}, nil
}

// compiling is the machine code that a compiler makes, of one configuration at a time.
func compiling(c *compiled.Compiler) func(context.Context, Configuration, *launches.Sequence) (*sass.Listing, error) {
	var one sync.Mutex
	return func(ctx context.Context, _ Configuration, s *launches.Sequence) (*sass.Listing, error) {
		one.Lock()
		defer one.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return s.Listing(ctx, "", c)
	}
}

// Write prints the start, the moves and the best configurations as a table, what was passed by, and how the best one is compiled and launched.
func (r *Report) Write(w io.Writer) error {
	how := ""
	if r.Interrupted {
		how = ", until it was interrupted"
	}
	fmt.Fprintf(w, "%s on %s; configurations emulated: %d, programs compiled: %d%s\n\n", r.best.Entry, r.Device, r.Seen, r.Compilations, how)
	r.table(w)
	for i, f := range r.Failed {
		if i == 0 {
			fmt.Fprintf(w, "\npassed by, as they cannot be compiled or launched: %d\n", len(r.Failed))
		}
		if i == mostFailed {
			fmt.Fprintf(w, "  and %d others\n", len(r.Failed)-i)
			break
		}
		fmt.Fprintf(w, "  %s: %v\n", r.Text(f.Configuration), f.Err)
	}
	fmt.Fprintf(w, "\nthe first is %s\n", r.launched())
	fmt.Fprintf(w, "times are emulated, not measured; on a device, this runs it and looks further:\n  perf tune %s --seed-by %s\n", r.path, r.Text(r.Best[0].Configuration))
	return nil
}

// mostFailed is how many configurations are shown that were passed by.
const mostFailed = 3

// table prints configurations, one a line. A value that is that of the start is a dot.
func (r *Report) table(w io.Writer) {
	fmt.Fprintf(w, "%8s  %11s  %8s", "", "time", "speed-up")
	for _, p := range r.Parameters {
		fmt.Fprintf(w, "  %*s", width(p), p.Name)
	}
	fmt.Fprintln(w)
	line := func(name string, c *Seen, move string) {
		text := fmt.Sprintf("%8s  %11s  %7.2f×", name, format.Seconds(c.Seconds), r.Start.Seconds/c.Seconds)
		for i, p := range r.Parameters {
			value := fmt.Sprint(c.Configuration[i])
			if c != r.Start && c.Configuration[i] == r.Start.Configuration[i] {
				value = "·"
			}
			text += fmt.Sprintf("  %*s", width(p), value)
		}
		fmt.Fprintln(w, strings.TrimRight(text+"  "+move, " "))
	}
	line("start", r.Start, "")
	for _, c := range r.Path {
		if c != r.Start {
			line("move", c, c.Move)
		}
	}
	fmt.Fprintln(w)
	for i, c := range r.Best {
		line(fmt.Sprint(i+1), c, "")
	}
}

func width(p params.Parameter) int {
	n := len(p.Name)
	for _, v := range p.Values {
		n = max(n, len(fmt.Sprint(v)))
	}
	return n
}

// launched is how the best configuration is compiled and launched.
func (r *Report) launched() string {
	var grid, block []string
	for d, n := range r.best.Global {
		of := int64(1)
		if d < len(r.best.Local) {
			of = r.best.Local[d]
		}
		grid, block = append(grid, fmt.Sprint(n/of)), append(block, fmt.Sprint(of))
	}
	text := fmt.Sprintf("launched as %s work-groups of %s work-items", strings.Join(grid, " x "), strings.Join(block, " x "))
	if options := strings.TrimSpace(r.best.Options); options != "" {
		text = fmt.Sprintf("compiled with %s and %s", options, text)
	}
	return text
}

// MarshalJSON writes the report as other programs read it.
func (r *Report) MarshalJSON() ([]byte, error) {
	type configuration struct {
		Parameters map[string]int64 `json:"parameters"`
		Seconds    float64          `json:"seconds,omitempty"`
		Move       string           `json:"move,omitempty"`
		Error      string           `json:"error,omitempty"`
	}
	numbers := func(c Configuration) map[string]int64 { return params.Numbers(r.Config(c)) }
	list := func(all []*Seen) []configuration {
		out := []configuration{}
		for _, c := range all {
			out = append(out, configuration{numbers(c.Configuration), c.Seconds, c.Move, ""})
		}
		return out
	}
	failed := []configuration{}
	for _, f := range r.Failed {
		failed = append(failed, configuration{Parameters: numbers(f.Configuration), Error: f.Err.Error()})
	}
	return json.Marshal(struct {
		Device       string          `json:"device"`
		Emulated     int             `json:"emulated"`
		Compilations int             `json:"compilations"`
		Interrupted  bool            `json:"interrupted"`
		Start        configuration   `json:"start"`
		Moves        []configuration `json:"moves"`
		Best         []configuration `json:"best"`
		Failed       []configuration `json:"failed"`
		Options      string          `json:"options"`
		Global       []int64         `json:"global"`
		Local        []int64         `json:"local"`
	}{r.Device, r.Seen, r.Compilations, r.Interrupted, list([]*Seen{r.Start})[0], list(r.Path), list(r.Best), failed, r.best.Options, r.best.Global, r.best.Local})
}
