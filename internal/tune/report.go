package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/samples"
	"gpuperf/search"
)

// Result is what a search has found.
type Result struct {
	Configurations int   // of the space, as far as they were counted
	More           bool  // there are more
	Runs           []Run // in their order
	Best           []Run // the fastest first, by their final measurement
	Final          bool  // Best were measured again, with more trials; otherwise the search was ended before
	Usual          *Run  // the usual configuration, measured as those; nil where it failed
	Statuses       map[samples.Status]int
	Warnings       []string
	Stopped        string   // why the strategy ended the search; "" where it did not
	Files          []string // that were written

	search *Search
}

func (r *Result) finish() {
	r.Statuses = map[samples.Status]int{}
	for _, run := range r.Runs {
		r.Statuses[run.Record.Status]++
	}
	if len(r.Best) == 0 {
		r.Best = slices.DeleteFunc(slices.Clone(r.Runs), func(r Run) bool { return r.Seconds() == 0 })
		slices.SortStableFunc(r.Best, r.search.order())
		r.Best = r.Best[:min(len(r.Best), max(r.search.Best, 1))]
	}
}

// step is a point of the curve: so many runs have led to this time.
type step struct {
	Runs    int     `json:"runs"`
	Seconds float64 `json:"seconds"`
}

// curve has the runs that were the best so far.
func (r *Result) curve() (out []step) {
	for i, run := range r.Runs {
		if t := run.Seconds(); t > 0 && (len(out) == 0 || t < out[len(out)-1].Seconds) {
			out = append(out, step{i + 1, t})
		}
	}
	return out
}

// Write prints what was found.
func (r *Result) Write(w io.Writer) error {
	count := fmt.Sprintf("%d of %d", len(r.Runs), r.Configurations)
	if r.More {
		count = fmt.Sprintf("%d of more than %d", len(r.Runs), r.Configurations)
	}
	if r.More && r.Configurations == len(r.Runs) { // it was ended before it counted them
		count = fmt.Sprint(len(r.Runs))
	}
	part := ""
	if r.search.Parts > 1 {
		part = fmt.Sprintf(" of part %d/%d", r.search.Part, r.search.Parts)
	}
	fmt.Fprintf(w, "%s: %s configurations%s run, by %s%s\n", r.search.Target.Name(), count, part, r.search.Strategy, r.failed())
	if r.Stopped != "" {
		fmt.Fprintf(w, "stopped: %s\n", r.Stopped)
	}
	if len(r.Best) == 0 {
		return nil
	}
	if err := r.writeBest(w); err != nil {
		return err
	}
	if len(r.Files) > 0 {
		defer fmt.Fprintf(w, "\nwritten: %s\n", strings.Join(r.Files, ", "))
	}
	steps := r.curve()
	fmt.Fprintln(w, "\nthe best so far, as it was first measured")
	t := format.NewTable(">runs", ">time", "")
	for _, s := range steps {
		t.Row(fmt.Sprint(s.Runs), format.Seconds(s.Seconds), bar(s.Seconds/steps[0].Seconds))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if text := r.text(); text != "" {
		fmt.Fprintf(w, "\n%s", text)
	}
	return nil
}

// text is the best configuration in words of its own; "" where there are none.
func (r *Result) text() string {
	if t, ok := r.search.Target.(interface{ text(search.Config) string }); ok && len(r.Best) > 0 {
		return t.text(r.Best[0].Config)
	}
	return ""
}

// failed says how many runs have no time, and why.
func (r *Result) failed() string {
	var all []string
	for _, s := range []samples.Status{samples.WrongResult, samples.Faulty, samples.Refused, samples.BuildFailed, samples.Timeout, samples.Crash, samples.OutOfMemory} {
		if n := r.Statuses[s]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; without a time: " + strings.Join(all, ", ")
}

// writeBest prints the fastest. What their results were compared with is said once where it is the same.
func (r *Result) writeBest(w io.Writer) error {
	if many, ok := r.search.Target.(*several); ok {
		return many.write(w, r)
	}
	first := r.Best[0].Record.Verification()
	alike := !slices.ContainsFunc(r.Best, func(b Run) bool { return b.Record.Verification() != first })
	predicted := slices.ContainsFunc(r.Best, func(b Run) bool { return b.Predicted > 0 })
	header := []string{">time"}
	if predicted {
		header = append(header, ">predicted")
	}
	roof := slices.ContainsFunc(r.Best, func(b Run) bool { return b.Achieved.OfRoof > 0 })
	if roof {
		header = append(header, ">of the roof")
	}
	energy := slices.ContainsFunc(r.Best, func(b Run) bool { return b.Joules() > 0 })
	if energy {
		header = append(header, ">energy", ">power")
	}
	if !alike {
		header = append(header, "results")
	}
	t := format.NewTable(append(header, "configuration")...)
	for _, b := range r.Best {
		row := []string{format.Seconds(b.Seconds())}
		if predicted {
			row = append(row, format.Known(b.Predicted, format.Seconds(b.Predicted)))
		}
		if roof {
			row = append(row, b.Achieved.Cells()[2])
		}
		if energy {
			row = append(row, format.Quantity(b.Joules(), "J"), format.Quantity(b.Record.Metrics[samples.PowerMetric].Value, "W"))
		}
		if !alike {
			row = append(row, b.Record.Verification())
		}
		t.Row(append(row, spaced(b.Config))...)
	}
	fmt.Fprintf(w, "\nthe fastest%s, %s\n", map[bool]string{true: " " + fmt.Sprint(len(r.Best))}[len(r.Best) > 1], r.measured())
	if err := t.Write(w); err != nil {
		return err
	}
	if alike {
		fmt.Fprintf(w, "\nresults: %s\n", first)
	}
	if r.Usual != nil {
		fmt.Fprintf(w, "the usual configuration takes %s, %.2f times as long as the best\n", format.Seconds(r.Usual.Seconds()), r.Usual.Seconds()/r.Best[0].Seconds())
	}
	return nil
}

// measured words when the times of the fastest were measured.
func (r *Result) measured() string {
	if r.Final {
		return "measured again with more trials"
	}
	return "as they were first measured"
}

// spaced is a configuration as tables have it.
func spaced(c search.Config) string { return strings.ReplaceAll(c.String(), ",", ", ") }

// bar is a share as a line.
func bar(share float64) string {
	const width = 40 // characters of a whole bar
	return strings.Repeat("=", max(1, int(share*width+0.5)))
}

// runJSON is a run as other programs read it.
type runJSON struct {
	Configuration search.Config  `json:"configuration"`
	Status        samples.Status `json:"status"`
	Error         string         `json:"error,omitempty"`
	Seconds       float64        `json:"seconds,omitempty"`
	Predicted     float64        `json:"predicted_seconds,omitempty"`
	Verified      string         `json:"verified,omitempty"`
	Reused        bool           `json:"reused,omitempty"`
	Known         bool           `json:"known,omitempty"` // from an earlier search
	After         float64        `json:"after_seconds,omitempty"`
	Energy        float64        `json:"energy_joules,omitempty"`
	Times         []sizeTime     `json:"times,omitempty"` // where there are several sizes; then seconds is what they are judged by together
	campaign.Achieved
}

func (r Run) json() runJSON {
	out := runJSON{Configuration: r.Config, Status: r.Record.Status, Error: r.Record.Error, Seconds: r.Seconds(), Predicted: r.Predicted, Reused: r.Reused, Known: r.Known, After: r.After.Seconds(), Energy: r.Joules(), Achieved: r.Achieved}
	if r.Seconds() > 0 {
		out.Verified = r.Record.Verification()
	}
	return out
}

func runsJSON(runs []Run) []runJSON {
	out := []runJSON{}
	for _, r := range runs {
		out = append(out, r.json())
	}
	return out
}

// JSON is the result as other programs read it.
func (r *Result) JSON() any {
	out := struct {
		File           string    `json:"file"`
		Device         string    `json:"device"`
		Strategy       string    `json:"strategy"`
		Seed           uint64    `json:"seed"`
		Configurations int       `json:"configurations"` // at least
		More           bool      `json:"more_configurations,omitempty"`
		Best           []runJSON `json:"best"`
		Final          bool      `json:"measured_again"` // the best, with more trials
		Text           string    `json:"text,omitempty"` // the best in words of its own
		Usual          float64   `json:"usual_seconds,omitempty"`
		Over           Over      `json:"over,omitempty"`   // how several sizes are judged
		Ranges         []stretch `json:"ranges,omitempty"` // of several sizes
		Curve          []step    `json:"curve"`
		Runs           []runJSON `json:"runs"`
		Files          []string  `json:"files,omitempty"`
		Warnings       []string  `json:"warnings,omitempty"`
		Stopped        string    `json:"stopped,omitempty"`
	}{
		r.search.Target.Name(), r.search.Campaign.Device.Info().Name, r.search.Strategy, r.search.Seed, r.Configurations, r.More, runsJSON(r.Best), r.Final, r.text(), 0, "", nil,
		append([]step{}, r.curve()...), runsJSON(r.Runs), r.Files, r.Warnings, r.Stopped,
	}
	if u := r.Usual; u != nil {
		out.Usual = u.Seconds()
	}
	if many, ok := r.search.Target.(*several); ok {
		out.Over = many.over
		many.json(r.Best, out.Best)
		many.json(r.Runs, out.Runs)
		if many.over == Each {
			out.Ranges = many.stretches(r.Runs)
		}
	}
	return out
}

// configurationFile has the configuration among the files that are written.
const configurationFile = "configuration.json"

// Take writes the best configuration into a folder: what runs, and a file that says which it is.
func (r *Result) Take(ctx context.Context, dir string) (err error) {
	defer throw.Catch(&err)
	if many, ok := r.search.Target.(*several); ok && many.over == Each {
		many.takeEach(ctx, r, dir)
		return nil
	}
	throw.If(os.MkdirAll(dir, 0o777))
	files := throw.Get(r.search.Target.Write(ctx, r.search.Campaign, dir, r.Best[0].Config))
	text := throw.Get(json.MarshalIndent(struct {
		File   string `json:"file"`
		Device string `json:"device"`
		runJSON
		Measured time.Time `json:"measured"`
		Files    []string  `json:"files"`
	}{r.search.Target.Name(), r.search.Campaign.Device.Info().Name, r.Best[0].json(), r.Best[0].Record.Time, files}, "", "  "))
	r.Files = append(files, configurationFile)
	for i, f := range r.Files {
		r.Files[i] = filepath.Join(dir, f)
	}
	return replace.Configuration.Bytes(filepath.Join(dir, configurationFile), append(text, '\n'))
}
