package campaign

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gpuperf/internal/format"
	"gpuperf/samples"
	"gpuperf/workload"
)

// TimeRange is an interval of times in seconds. The zero value is no limit.
type TimeRange struct {
	Lo, Hi float64
	text   string
}

func (r TimeRange) String() string { return r.text }

// ParseTimeRange reads a range such as 1ms..1s; "" is the zero value.
func ParseTimeRange(text string) (TimeRange, error) {
	if text == "" {
		return TimeRange{}, nil
	}
	lo, hi, ok := strings.Cut(text, "..")
	from, err := time.ParseDuration(strings.TrimSpace(lo))
	to, err2 := time.ParseDuration(strings.TrimSpace(hi))
	if !ok || err != nil || err2 != nil || from <= 0 || from >= to {
		return TimeRange{}, inputf("--time-range %s: write the shortest and the longest time, as 1ms..1000ms", text)
	}
	return TimeRange{from.Seconds(), to.Seconds(), text}, nil
}

// side compares a record with the range: -1 too short, 0 within, 1 too long. A record that ran out of time or memory is too long; ok is
// false for other failures, which do not depend on sizes.
func (r TimeRange) side(rec samples.Record) (side int, ok bool) {
	switch rec.Status {
	case samples.OK:
	case samples.Timeout, samples.OutOfMemory:
		return 1, true
	default:
		return 0, false
	}
	switch t := rec.Seconds(); {
	case t < r.Lo:
		return -1, true
	case t > r.Hi:
		return 1, true
	}
	return 0, true
}

// includes reports whether a record has a time within the range.
func (r TimeRange) includes(rec samples.Record) bool {
	side, ok := r.side(rec)
	return ok && side == 0
}

// Ranged is the outcome of a search for sizes.
type Ranged struct {
	Cases    []*workload.Case // whose times are within the range, in the order of those given
	Sizes    []*Resized       // of all cases; nil without a range
	Warnings []string
}

// Resized is a case in a search for sizes.
type Resized struct {
	Case    *workload.Case
	Record  samples.Record
	To      *workload.Case // at the sizes chosen for its kernel; nil where they are those of Case, or cannot be
	After   samples.Record // of To; without a kernel where it was not measured
	LeftOut string         // why neither is within the range; "" where one is

	of *scaling
}

// The search for the factor that brings the times of one kernel, at several sizes, into a range. All sizes get the same factor, so that
// the ratios between them stay: the paper too chooses sizes for times (section 7.2). The search is a function of the times alone: on
// recorded samples it takes the same steps.
type scaling struct {
	rows   []*Resized // of the kernel, in the order of the cases
	order  []*Resized // those whose status is about time, the shortest first
	factor float64    // 1 leaves the sizes as they are

	probe    *Resized       // decides: the shortest to be made longer, or the longest to be made shorter
	probed   *workload.Case // probe at factor
	lastTime float64        // of the probe before, 0 where there is none
	lastAt   float64        // the factor then
	best     float64        // a factor that is in the range already, 0 where none is known
	done     bool
	reason   string // why no factor was found
	over     bool   // a scaled case is too long, and so would be those after it in the order
}

const (
	scaleProbes = 12   // of a kernel, at most
	scaleAim    = 1.3  // how far inside the range the search aims
	scaleNear   = 4    // how near to the end of the range is good enough: the other sizes need the rest of it
	scaleMost   = 16   // how much a factor may change between two probes
	scaleEnded  = 0.35 // the change of a factor after a probe that did not come to an end
)

// InRange returns the cases at sizes at which their times are within a range, scaling the sizes of each kernel by one factor. Without
// a range the cases stay as they are, and nothing is measured. An error may come with the outcome up to there.
func (c *Campaign) InRange(ctx context.Context, mode samples.Mode, cases []*workload.Case, r TimeRange) (*Ranged, error) {
	out := &Ranged{}
	if r == (TimeRange{}) {
		out.Cases = cases
		return out, nil
	}
	take := func(cases []*workload.Case) ([]samples.Record, error) {
		result, err := c.Measure(ctx, mode, cases)
		if err != nil {
			return nil, err
		}
		out.Warnings = append(out.Warnings, result.Warnings...)
		return result.Records, nil
	}
	records, err := take(cases)
	if err != nil {
		return out, err
	}
	of := map[string]*scaling{}
	var all []*scaling
	for i, one := range cases {
		k := one.Program()
		if of[k] == nil {
			of[k] = &scaling{}
			all = append(all, of[k])
		}
		row := &Resized{Case: one, Record: records[i], of: of[k]}
		of[k].rows, out.Sizes = append(of[k].rows, row), append(out.Sizes, row)
	}
	if err := search(r, all, take); err != nil {
		return out, err
	}
	if err := scaleAll(r, all, take); err != nil {
		return out, err
	}
	out.keep(r)
	if len(out.Cases) == 0 {
		return out, fmt.Errorf("no kernel has sizes whose times are within %v", r)
	}
	return out, nil
}

// search finds the factors of all kernels, probing those that are not done together.
func search(r TimeRange, all []*scaling, take func([]*workload.Case) ([]samples.Record, error)) error {
	for _, g := range all {
		g.begin(r)
	}
	for range scaleProbes {
		var open []*scaling
		var probes []*workload.Case
		for _, g := range all {
			if !g.done {
				open, probes = append(open, g), append(probes, g.probed)
			}
		}
		if len(open) == 0 {
			return nil
		}
		records, err := take(probes)
		if err != nil {
			return err
		}
		for i, g := range open {
			g.next(r, records[i], probes[i])
		}
	}
	for _, g := range all {
		if !g.done {
			g.fail(fmt.Sprintf("no factor was found in %d probes", scaleProbes))
		}
	}
	return nil
}

// begin decides which case is probed.
func (s *scaling) begin(r TimeRange) {
	for _, row := range s.rows {
		if _, ok := r.side(row.Record); ok {
			s.order = append(s.order, row)
		}
	}
	slices.SortStableFunc(s.order, func(a, b *Resized) int { return cmp.Compare(timeOf(a.Record), timeOf(b.Record)) })
	s.factor, s.done = 1, true
	if len(s.order) == 0 {
		return
	}
	for _, end := range []struct {
		row  *Resized
		side int
	}{{s.order[0], -1}, {s.order[len(s.order)-1], 1}} {
		if side, _ := r.side(end.row.Record); side == end.side {
			s.probe, s.done = end.row, false
			s.next(r, end.row.Record, end.row.Case)
			return
		}
	}
}

// timeOf is the time of a record, infinite if it ran out of time or memory.
func timeOf(r samples.Record) float64 {
	if r.Status != samples.OK {
		return math.Inf(1)
	}
	return r.Seconds()
}

// next takes the time of the probed case at the current factor, and chooses the next factor.
func (s *scaling) next(r TimeRange, rec samples.Record, at *workload.Case) {
	side, ok := r.side(rec)
	switch {
	case !ok:
		s.fail(fmt.Sprintf("at %s: %s: %s", format.Sizes(at.Sizes), rec.Status, rec.Error))
		return
	case s.probe.Case.Resize == nil:
		s.fail("its sizes are fixed")
		return
	}
	t, aim := timeOf(rec), min(scaleAim, math.Sqrt(r.Hi/r.Lo))
	target, far := r.Lo*aim, t/r.Lo
	if first, _ := r.side(s.probe.Record); first > 0 {
		target, far = r.Hi/aim, r.Hi/t
	}
	if side == 0 {
		s.best = s.factor
		if far <= scaleNear || len(s.order) == 1 {
			s.done = true
			return
		}
	}
	change := scaleEnded
	if !math.IsInf(t, 1) {
		exponent := 1.0
		if s.lastTime > 0 && s.lastAt != s.factor && !math.IsInf(s.lastTime, 1) {
			exponent = math.Log(t/s.lastTime) / math.Log(s.factor/s.lastAt)
			exponent = min(max(exponent, 0.25), 4)
		}
		change = math.Pow(target/t, 1/exponent)
	}
	s.lastTime, s.lastAt = t, s.factor
	s.factor *= min(max(change, 1./scaleMost), scaleMost)
	resized, err := s.probe.Case.Resize(s.factor)
	switch {
	case err != nil:
		s.fail(err.Error())
	case resized.Identity.Key() == at.Identity.Key():
		s.fail(fmt.Sprintf("its sizes end at %s, which takes %s", format.Sizes(at.Sizes), format.Seconds(t)))
	default:
		s.probed = resized
	}
}

// fail ends the search, with the best factor that was found, if any.
func (s *scaling) fail(reason string) {
	s.done, s.factor = true, s.best
	if s.best == 0 {
		s.factor, s.reason = 1, reason
	}
}

// scaleAll measures the cases at their scaled sizes: the shortest first, so that nothing is run that is far too long. A factor
// that leaves no more cases in the range than there were is dropped.
func scaleAll(r TimeRange, all []*scaling, take func([]*workload.Case) ([]samples.Record, error)) error {
	for rank, more := 0, true; more; rank++ {
		more = false
		var open []*Resized
		var cases []*workload.Case
		for _, g := range all {
			if g.factor == 1 || rank >= len(g.order) {
				continue
			}
			more = true
			row := g.order[rank]
			if resized, err := row.Case.Resize(g.factor); err == nil && !g.over { // without a record it is left out
				row.To = resized
				open, cases = append(open, row), append(cases, resized)
			}
		}
		records, err := take(cases)
		if err != nil {
			return err
		}
		for k, row := range open {
			row.After = records[k]
			side, ok := r.side(records[k])
			row.of.over = ok && side > 0
		}
	}
	for _, g := range all {
		before, after := 0, 0
		for _, row := range g.rows {
			if r.includes(row.Record) {
				before++
			}
			if row.After.Status != "" && r.includes(row.After) {
				after++
			}
		}
		if g.factor != 1 && after <= before {
			g.factor = 1
			for _, row := range g.rows {
				row.To, row.After = nil, samples.Record{}
			}
		}
	}
	return nil
}

// keep chooses the cases that are within the range, and says of the others why they are not.
func (o *Ranged) keep(r TimeRange) {
	seen := map[string]bool{}
	for _, row := range o.Sizes {
		at, rec := row.Case, row.Record
		if row.of.factor != 1 {
			at, rec = row.To, row.After
		}
		row.LeftOut = row.of.leftOut(r, row, rec)
		if row.LeftOut == "" && seen[at.Identity.Key()] {
			row.LeftOut = "these sizes were chosen already"
		}
		if row.LeftOut == "" {
			seen[at.Identity.Key()] = true
			o.Cases = append(o.Cases, at)
		}
	}
}

// leftOut says why a case with its record is not kept, "" where it is.
func (s *scaling) leftOut(r TimeRange, row *Resized, rec samples.Record) string {
	if rec.Kernel.Source == "" {
		if _, err := row.Case.Resize(s.factor); err != nil {
			return err.Error()
		}
		return "too long, as a smaller size already is"
	}
	side, ok := r.side(rec)
	switch {
	case !ok:
		return fmt.Sprintf("%s: %s", rec.Status, rec.Error)
	case side == 0:
		return ""
	case s.reason != "":
		return s.reason
	case side < 0:
		return "too short"
	}
	return "too long"
}

// Table lists what a search for sizes has changed and what it left out; nil where that is nothing.
func (r *Ranged) Table() *format.Table {
	t, changed := format.NewTable("kernel", "sizes", ">time", "scaled to", ">time", ""), false
	for _, s := range r.Sizes {
		if s.To == nil && s.LeftOut == "" {
			continue
		}
		row := []string{s.Case.Program(), format.Sizes(s.Case.Sizes), TimeOf(s.Record), "", "", ""}
		if s.To != nil {
			row[3], row[4] = format.Sizes(s.To.Sizes), TimeOf(s.After)
		}
		if s.LeftOut != "" {
			row[5] = "left out: " + s.LeftOut
		}
		changed = true
		t.Row(row...)
	}
	if !changed {
		return nil
	}
	return t
}

// TimeOf is the time of a record as text, or why it has none.
func TimeOf(r samples.Record) string {
	switch r.Status {
	case "":
		return ""
	case samples.OK:
		return format.Seconds(r.Seconds())
	}
	return string(r.Status)
}
