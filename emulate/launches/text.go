package launches

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
)

// detailed is how many reports are printed in full. More are a table.
const detailed = 4

// Write prints reports: one in full; of several, first a table that compares them.
func Write(w io.Writer, all []*Report) error {
	if len(all) > 1 {
		if err := table(all).Write(w); err != nil || len(all) > detailed {
			return err
		}
		fmt.Fprintln(w)
	}
	for i, r := range all {
		fmt.Fprint(w, strings.Repeat("\n", min(i, 1)))
		if err := r.write(w); err != nil {
			return err
		}
	}
	return nil
}

// table has a row for each report, with what tells them apart.
func table(all []*Report) *format.Table {
	differ := func(of func(*Report) string) bool {
		return slices.ContainsFunc(all, func(r *Report) bool { return of(r) != of(all[0]) })
	}
	name := func(r *Report) string { return r.Name }
	device := func(r *Report) string { return r.Device }
	code := func(r *Report) string { return r.Code }
	origin := func(r *Report) string { return r.Origin }
	columns := []struct {
		head  string
		shown bool
		cell  func(*Report) string
	}{
		{"kernel", differ(name) || !differ(device) && !differ(code), name},
		{"code", differ(code), code},
		{"code from", len(all) > detailed || differ(origin), origin},
		{"device", differ(device), device},
		{">time", true, func(r *Report) string { return r.Text() }},
		{">of the first", true, func(r *Report) string { return related(r, all[0], r.Seconds(), all[0].Seconds()) }},
		{"bottleneck", true, func(r *Report) string { return r.Longest().Bottleneck.String() }},
		{">waves", true, func(r *Report) string { return fmt.Sprintf("%.2f", r.Longest().Waves) }},
	}
	var heads []string
	for _, c := range columns {
		if c.shown {
			heads = append(heads, c.head)
		}
	}
	t := format.NewTable(heads...)
	for _, r := range all {
		var cells []string
		for _, c := range columns {
			if c.shown {
				cells = append(cells, c.cell(r))
			}
		}
		t.Row(cells...)
	}
	return t
}

// related is a quantity of a report over that of another one; "" where one of them has no finite time.
func related(a, b *Report, x, y float64) string {
	if !a.Status().Finite() || !b.Status().Finite() || y == 0 {
		return ""
	}
	if r := x / y; r != 0 && r < 0.1 {
		return fmt.Sprintf("%.2g", r)
	}
	return fmt.Sprintf("%.2f", x/y)
}

// Longest is the launch that takes most of the time.
func (r *Report) Longest() *Launch {
	at, most := 0, -1.0
	for i, l := range r.Launches {
		if t := float64(l.Times) * l.Result.Seconds; t > most {
			at, most = i, t
		}
	}
	return &r.Launches[at]
}

// write prints a launch in full; of several, a table of all, and the longest in full.
func (r *Report) write(w io.Writer) error {
	if r.One() {
		r.Launches[0].Write(w)
		return nil
	}
	count := lists.Sum(r.Launches, func(l Launch) int { return l.Times })
	sum, in := r.Seconds(), r.Interval()
	fmt.Fprintf(w, "%s on %s%s\n  time        %s%s for %s, one after the other\n\n", r.Name, r.Device, emulate.From(r.Origin), r.Text(), r.Status().Spread(in), format.Count(count, "launch"))
	t := format.NewTable("kernel", ">launches", ">each", ">together", ">share", "bottleneck")
	for i := range r.Launches {
		l := &r.Launches[i]
		together := float64(l.Times) * l.Result.Seconds
		share := ""
		if r.Status().Finite() {
			share = fmt.Sprintf("%.0f %%", 100*together/sum)
		}
		t.Row(l.Kernel, fmt.Sprint(l.Times), l.Status.Text(l.Result.Seconds), l.Status.Text(together), share, l.Bottleneck.String())
	}
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprint(w, "\nthe one that takes longest:\n\n")
	r.Longest().Write(w)
	return nil
}
