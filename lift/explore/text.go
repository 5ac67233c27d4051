package explore

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
	"gpuperf/lift/derive"
	"gpuperf/samples"
	"gpuperf/workload"
)

// VariantJSON is a variant in the form in which it is printed as JSON.
type VariantJSON struct {
	ID       string           `json:"id"`
	Term     string           `json:"term"`
	Steps    []string         `json:"steps"`
	Skeleton string           `json:"skeleton"`
	Recipe   string           `json:"recipe"`
	Numbers  map[string]int64 `json:"numbers,omitempty"`
}

// JSON is the variant in that form.
func JSON(v *derive.Variant) VariantJSON {
	out := VariantJSON{ID: v.ID, Term: v.Program.BodyText(), Steps: []string{}, Skeleton: v.Skeleton, Recipe: v.Recipe, Numbers: v.Numbers}
	for _, s := range v.Steps {
		out.Steps = append(out.Steps, s.String())
	}
	return out
}

// Text names the reference and the sizes at which it was compared with the semantics of the program; nil if it was not.
func (r *Reference) Text(verified map[string]int64) string {
	text := fmt.Sprintf("variant %s (%s)", r.Variant.ID, r.Variant.Recipe)
	switch {
	case verified == nil:
		return text
	case len(verified) == 0:
		return text + ", which is right"
	}
	return text + ", which is right at " + workload.FormatSizes(verified)
}

// JSON is the result in the form in which it is printed as JSON: "best" as measured at the end, "points" in the order in which they ran, as first measured.
func (r *Result) JSON() any {
	type runJSON struct {
		Variant VariantJSON `json:"variant"`
		Local   [3]int64    `json:"local"`
		Global  [3]int64    `json:"global"`
		Seconds float64     `json:"seconds"`
		Trials  int         `json:"trials"`
		Run     int         `json:"run"` // its place in the order
		Roof    *Roof       `json:"roof,omitempty"`
	}
	type pointJSON struct {
		Variant string         `json:"variant"`
		Recipe  string         `json:"recipe"`
		Items   string         `json:"work_items"` // of a work-group, of all
		Status  samples.Status `json:"status"`
		Seconds float64        `json:"seconds,omitempty"`
		After   float64        `json:"after_seconds,omitempty"`
	}
	points := []pointJSON{}
	for _, run := range r.Runs {
		p := pointJSON{Variant: run.Point.Variant.ID, Recipe: run.Point.Variant.Recipe, Items: run.Point.Range.String(), Status: run.Record.Status, After: run.After.Seconds()}
		if t := run.Seconds(); !math.IsInf(t, 1) {
			p.Seconds = t
		}
		points = append(points, p)
	}
	device := ""
	if len(r.Runs) > 0 {
		device = r.Runs[0].Record.Device.String()
	}
	best := []runJSON{}
	for _, b := range r.Best {
		best = append(best, runJSON{JSON(b.Point.Variant), b.Point.Local, b.Point.Global, b.Record.Seconds(), len(b.Record.Trials), r.place(b), r.roof(b)})
	}
	return map[string]any{
		"program": r.space.Program.Name, "device": device, "sizes": r.space.Sizes, "runs": len(r.Runs), "statuses": r.Statuses, "best": best, "points": points,
		"not_lowered": r.Left, "reference": JSON(r.Reference.Variant), "verified_at": r.Verified, "warnings": append([]string{}, r.Warnings...),
		"stopped": r.Stopped, "forecast": r.Forecast,
	}
}

// place is the position of a run, from 1.
func (r *Result) place(b Run) int {
	return 1 + slices.IndexFunc(r.Runs, func(x Run) bool { return x.Point == b.Point })
}

func (r *Result) roof(b Run) *Roof { return NewRoof(b.Point, r.space.Names(), r.device) }

// LeftOut lists the numbers of points that could not be lowered or described, by reason.
func (r *Result) LeftOut() (out []string) {
	for _, text := range slices.Sorted(maps.Keys(r.Reasons)) {
		out = append(out, warning.LeftOut.About("", "%d points left out: %s", r.Reasons[text], text))
	}
	return out
}

// Write writes a summary of the search, the best runs, and the fastest variant as text.
func (r *Result) Write(w io.Writer) error {
	fmt.Fprint(w, r.space.Program.Name)
	if len(r.space.Sizes) > 0 {
		fmt.Fprintf(w, ", %s", workload.FormatSizes(r.space.Sizes))
	}
	fmt.Fprintf(w, ": %d points run", len(r.Runs))
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		fmt.Fprintf(w, ", %d %s", r.Statuses[status], status)
	}
	fmt.Fprintf(w, "; compared with %s\n", r.Reference.Text(r.Verified))
	if r.Stopped != "" {
		fmt.Fprintf(w, "stopped: %s\n", r.Stopped)
	}
	if len(r.Best) == 0 {
		return nil
	}
	_, known := machine.GlobalPeak(r.device)
	header := []string{"variant", ">time", ">trials", ">run", "work-items", "recipe"}
	if known {
		header = slices.Insert(header, 2, ">of roof")
	}
	t := format.NewTable(header...)
	for _, b := range r.Best {
		p := b.Point
		row := []string{p.Variant.ID, format.Seconds(b.Record.Seconds()), fmt.Sprint(len(b.Record.Trials)), fmt.Sprint(r.place(b)), p.Range.String(), p.Variant.Recipe}
		if known {
			share := "-"
			if roof := r.roof(b); roof != nil {
				share = fmt.Sprintf("%.1f %%", 100*roof.Seconds/b.Record.Seconds())
			}
			row = slices.Insert(row, 2, share)
		}
		t.Row(row...)
	}
	t.Write(w)
	if roof := r.roof(r.Best[0]); roof != nil {
		fmt.Fprintf(w, "roofline: %s\n", roof)
	}
	_, err := fmt.Fprintf(w, "\n%s", r.Best[0].Point.Variant.Program)
	return err
}
