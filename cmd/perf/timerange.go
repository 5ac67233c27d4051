package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/samples"
	"gpuperf/workload"
)

func (o *sessionOptions) addTimeRange(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.timeRange, "time-range", "",
		"as 1ms..1s: scale the sizes of measurement kernels until their times are within, and leave out those that cannot be")
}

// timeRange is an interval of times in seconds.
type timeRange struct{ lo, hi float64 }

func parseTimeRange(text string) (timeRange, error) {
	lo, hi, ok := strings.Cut(text, "..")
	from, err := time.ParseDuration(strings.TrimSpace(lo))
	to, err2 := time.ParseDuration(strings.TrimSpace(hi))
	if !ok || err != nil || err2 != nil || from <= 0 || from >= to {
		return timeRange{}, usagef("--time-range %s: write the shortest and the longest time, as 1ms..1000ms", text)
	}
	return timeRange{from.Seconds(), to.Seconds()}, nil
}

// side tells how a record stands to the range: -1 too short, 0 within, 1 too long. What ran out of time or of memory is too
// long; any other failure is nobody's size, and false.
func (r timeRange) side(rec samples.Record) (side int, ok bool) {
	switch rec.Status {
	case samples.OK:
	case samples.Timeout, samples.OutOfMemory:
		return 1, true
	default:
		return 0, false
	}
	switch t := rec.Seconds(); {
	case t < r.lo:
		return -1, true
	case t > r.hi:
		return 1, true
	}
	return 0, true
}

// scaling looks for the factor that brings the times of one kernel, at several sizes, into a range. All sizes get the same
// factor, so that they stay as far from each other as they were: the paper too chooses sizes for times (section 7.2).
// The search is a function of the times alone: from recorded samples it takes the same way.
type scaling struct {
	cases  []*workload.Case // of one kernel
	times  []samples.Record // of the cases, at first
	factor float64          // 1 leaves the sizes as they are

	probe    int            // index of the case that decides: the shortest to be made longer, or the longest to be made shorter
	probed   *workload.Case // at factor
	lastTime float64        // of the probe before, 0 where there is none
	lastAt   float64        // the factor then
	best     float64        // a factor that is in the range already, 0 where none is known
	done     bool
	reason   string // why no factor was found

	order  []int // of the cases, by time
	scaled []*workload.Case
	after  []samples.Record // of scaled; those that were not measured have no kernel
	over   bool             // one is too long, and so would be the rest
}

const (
	scaleProbes = 12  // of a kernel, at most
	scaleAim    = 1.3 // how far inside the range the search aims
	scaleNear   = 4   // how near to the end of the range is good enough: the other sizes need the rest of it
	scaleMost   = 16  // how much a factor may change between two probes
)

// begin decides which case is probed.
func (s *scaling) begin(r timeRange) {
	for i, rec := range s.times {
		if _, ok := r.side(rec); ok {
			s.order = append(s.order, i)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(timeOf(s.times[a]), timeOf(s.times[b])) })
	s.factor, s.done = 1, true
	if len(s.order) == 0 {
		return
	}
	for _, end := range []struct{ index, side int }{{s.order[0], -1}, {s.order[len(s.order)-1], 1}} {
		if side, _ := r.side(s.times[end.index]); side == end.side {
			s.probe, s.done = end.index, false
			s.next(r, s.times[end.index], s.cases[end.index])
			return
		}
	}
}

// timeOf is the time of a record, infinite for what ran out of time or of memory.
func timeOf(r samples.Record) float64 {
	if r.Status != samples.OK {
		return math.Inf(1)
	}
	return r.Seconds()
}

// next takes the time of the probed case at the present factor, and chooses the factor to be probed after it.
func (s *scaling) next(r timeRange, rec samples.Record, at *workload.Case) {
	side, ok := r.side(rec)
	if !ok {
		s.fail(fmt.Sprintf("at %s: %s: %s", formatSizes(at.Sizes), rec.Status, rec.Error))
		return
	}
	if s.cases[s.probe].Resize == nil {
		s.fail("its sizes are given")
		return
	}
	t, aim := timeOf(rec), min(scaleAim, math.Sqrt(r.hi/r.lo))
	first, _ := r.side(s.times[s.probe])
	target, far := r.lo*aim, t/r.lo
	if first > 0 {
		target, far = r.hi/aim, r.hi/t
	}
	if side == 0 {
		s.best = s.factor
		if far <= scaleNear || len(s.order) == 1 {
			s.done = true
			return
		}
	}
	change := 0.35 // for what never came to an end
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
	resized, err := s.cases[s.probe].Resize(s.factor)
	if err != nil {
		s.fail(err.Error())
		return
	}
	if resized.Identity.Key() == at.Identity.Key() {
		s.fail(fmt.Sprintf("%s is as far as its sizes go, and takes %s", formatSizes(at.Sizes), seconds(t)))
		return
	}
	s.probed = resized
}

// fail ends the search, with the best factor that was found, if any.
func (s *scaling) fail(reason string) {
	s.done, s.factor = true, s.best
	if s.best == 0 {
		s.factor, s.reason = 1, reason
	}
}

// kept counts the records within the range.
func kept(r timeRange, records []samples.Record) (n int) {
	for _, rec := range records {
		if side, ok := r.side(rec); ok && side == 0 {
			n++
		}
	}
	return n
}

// inRange returns the cases at sizes at which their times are within the range that was asked for, in their order, and tells in a
// table what was changed and what was left out. Without a range they are returned as they are.
func (s *session) inRange(cases []*workload.Case) ([]*workload.Case, error) {
	if s.options.timeRange == "" {
		return cases, nil
	}
	r, err := parseTimeRange(s.options.timeRange)
	if err != nil {
		return nil, err
	}
	records, err := s.measure(cases)
	if err != nil {
		return nil, err
	}
	of := map[string]*scaling{}
	var all []*scaling
	for i, c := range cases {
		k := c.Program()
		if of[k] == nil {
			of[k] = &scaling{}
			all = append(all, of[k])
		}
		of[k].cases, of[k].times = append(of[k].cases, c), append(of[k].times, records[i])
	}
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
			break
		}
		records, err := s.measure(probes)
		if err != nil {
			return nil, err
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
	if err := s.scaleAll(r, all); err != nil {
		return nil, err
	}
	return s.keepInRange(r, cases, of)
}

// scaleAll measures the cases at their scaled sizes: those that take least first, lest what is far too long is run. A factor
// that leaves no more cases in the range than there were is dropped.
func (s *session) scaleAll(r timeRange, all []*scaling) error {
	longest := 0
	for _, g := range all {
		g.scaled, g.after = make([]*workload.Case, len(g.cases)), make([]samples.Record, len(g.cases))
		if g.factor != 1 {
			longest = max(longest, len(g.order))
		}
	}
	for rank := range longest {
		var open []*scaling
		var cases []*workload.Case
		for _, g := range all {
			if g.factor == 1 || g.over || rank >= len(g.order) {
				continue
			}
			i := g.order[rank]
			resized, err := g.cases[i].Resize(g.factor)
			if err != nil {
				continue // without a record it is left out
			}
			g.scaled[i] = resized
			open, cases = append(open, g), append(cases, resized)
		}
		records, err := s.measure(cases)
		if err != nil {
			return err
		}
		for k, g := range open {
			g.after[g.order[rank]] = records[k]
			side, ok := r.side(records[k])
			g.over = ok && side > 0
		}
	}
	for _, g := range all {
		if g.factor == 1 || kept(r, g.after) <= kept(r, g.times) {
			g.factor, g.after = 1, g.times
			g.scaled = g.cases
		}
	}
	return nil
}

// keepInRange returns the cases that are within the range.
func (s *session) keepInRange(r timeRange, cases []*workload.Case, of map[string]*scaling) ([]*workload.Case, error) {
	var out []*workload.Case
	seen := map[string]bool{}
	at := map[*scaling]int{} // of the next case
	t := newTable("kernel", "sizes", ">time", "scaled to", ">time", "")
	changed := false
	for _, c := range cases {
		g := of[c.Program()]
		i := at[g]
		at[g]++
		reason := g.leftOut(r, i)
		row := []string{c.Program(), formatSizes(c.Sizes), recordTime(g.times[i]), "", "", ""}
		if g.factor != 1 && g.scaled[i] != nil {
			row[3], row[4] = formatSizes(g.scaled[i].Sizes), recordTime(g.after[i])
		}
		if reason == "" && seen[g.scaled[i].Identity.Key()] {
			reason = "these sizes are there already"
		}
		if reason == "" {
			seen[g.scaled[i].Identity.Key()] = true
			out = append(out, g.scaled[i])
		} else {
			row[5] = "left out: " + reason
		}
		if reason != "" || g.factor != 1 {
			changed = true
			t.row(row...)
		}
	}
	if changed {
		note(s.cmd, "sizes for times within %s:", s.options.timeRange)
		t.write(s.cmd.ErrOrStderr())
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no kernel has sizes for a time within %s", s.options.timeRange)
	}
	return out, nil
}

// leftOut says why a case is not kept, "" where it is.
func (s *scaling) leftOut(r timeRange, i int) string {
	rec := s.after[i]
	if rec.Kernel.Source == "" {
		if _, err := s.cases[i].Resize(s.factor); err != nil {
			return err.Error()
		}
		return "too long, as a smaller size is"
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

func recordTime(r samples.Record) string {
	switch {
	case r.Kernel.Source == "":
		return ""
	case r.Status != samples.OK:
		return string(r.Status)
	}
	return seconds(r.Seconds())
}

// rangedCases opens a session for the cases alone.
func rangedCases(cmd *cobra.Command, o sessionOptions, cases []*workload.Case) ([]*workload.Case, error) {
	if err := o.oneMode("sizes are chosen for one state of the caches"); err != nil {
		return nil, err
	}
	s, err := openSession(cmd, o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.inRange(cases)
}
