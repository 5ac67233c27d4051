// Package progress shows how far a campaign has come.
package progress

import (
	"fmt"
	"io"
	"slices"
	"time"

	"gpuperf/device/measure"
	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/terminal"
	"gpuperf/internal/warning"
	"gpuperf/samples"
)

// New shows it on notes: a line that changes on a terminal, lines elsewhere. Warnings of kinds that are new go to all,
// the stream that --quiet does not silence.
func New(notes io.Writer, all *terminal.Live, warnings *warning.Printer) campaign.Monitor {
	p := lines{notes: notes, all: all, warnings: warnings}
	if terminal.Redrawable(all) && !warnings.Quiet {
		return &line{lines: p}
	}
	return &p
}

// lines prints a line for each task that is finished, of many for some and for all that fail, and warnings of kinds that are new.
type lines struct {
	notes    io.Writer
	all      *terminal.Live
	warnings *warning.Printer
	began    time.Time // of building programs
	waited   []string  // what it was told that others have
}

func (p *lines) Building(done, total int) {
	if done == 1 {
		p.began = time.Now()
		fmt.Fprintf(p.notes, "building %d programs\n", total)
	}
	if done == total {
		fmt.Fprintf(p.notes, "built %d programs in %v\n", total, time.Since(p.began).Round(10*time.Millisecond))
	}
}

func (p *lines) Measuring(e measure.Event) {
	if e.Record == nil {
		return
	}
	if e.Record.Status != samples.OK || told(e.Index+1, e.Total) {
		fmt.Fprintf(p.notes, "[%d/%d] %s  %s\n", e.Index+1, e.Total, e.Task.Job.Identity.Key(), outcome(e))
	}
	p.warn(e)
}

// told reports whether a line tells of the task of this number: of up to so many each, of more the last and as many before it, evenly.
func told(number, total int) bool {
	const most = 20 // lines: a screen
	return total <= most || number*most/total > (number-1)*most/total
}

func (p *lines) warn(e measure.Event) {
	for _, text := range e.Record.Warnings {
		p.warnings.Now(p.all, warning.In(e.Task.Job.Identity.Key(), text))
	}
}

// Waiting tells it once: those who take turns with the device have it again and again.
func (p *lines) Waiting(what, holder string) {
	if !slices.Contains(p.waited, what) {
		fmt.Fprintf(p.notes, "waiting for %s: %s\n", what, holder)
		p.waited = append(p.waited, what)
	}
}

func (p *lines) Done() {}

// outcome words how a task ended.
func outcome(e measure.Event) string {
	r := e.Record
	switch {
	case r.Status != samples.OK:
		return fmt.Sprintf("%s: %s", r.Status, r.Error)
	case e.Reused:
		return format.Seconds(r.Seconds()) + " (measured before" + age(r.Time) + ")"
	case e.Stale:
		return format.Seconds(r.Seconds()) + " (measured anew: the source has changed)"
	}
	return fmt.Sprintf("%s, %d trials", format.Seconds(r.Seconds()), len(r.Trials))
}

// line shows on one line of a terminal how many kernels there are, the one that runs, and the time that is left; failures and warnings
// of new kinds scroll by above it.
type line struct {
	lines
	measured int
	spent    time.Duration // on those
	started  time.Time     // the one that runs
}

func (p *line) Building(done, total int) {
	p.lines.Building(done, total)
	p.all.Show(fmt.Sprintf("[%d/%d] building programs", done, total))
}

func (p *line) Measuring(e measure.Event) {
	switch {
	case e.Record == nil:
		p.started = time.Now()
		p.all.Show(fmt.Sprintf("[%d/%d] %s%s", e.Index+1, e.Total, p.left(e.Total-e.Index), e.Task.Job.Identity.Key()))
		return
	case e.Record.Status != samples.OK:
		p.lines.Measuring(e)
	default:
		p.warn(e)
	}
	if !e.Reused {
		p.measured++
		p.spent += time.Since(p.started)
	}
}

// left words how long so many kernels take, when they take as long as those before.
func (p *line) left(kernels int) string {
	if p.measured == 0 {
		return ""
	}
	mean := p.spent / time.Duration(p.measured)
	return fmt.Sprintf("about %v left  ", (mean * time.Duration(kernels)).Round(time.Second))
}

func (p *line) Waiting(what, holder string) {
	p.all.Show(fmt.Sprintf("waiting for %s: %s", what, holder))
}

func (p *line) Done() {
	p.all.Show("")
	p.measured, p.spent = 0, 0
}

// age words how old a sample is that is taken for a measurement, from an hour on: ", 3 days ago"; "" where that is unknown.
func age(at time.Time) string {
	n, unit := int(time.Since(at)/time.Hour), "hour"
	if n >= 24 {
		n, unit = n/24, "day"
	}
	switch {
	case n == 0 || at.IsZero():
		return ""
	case n > 1:
		unit += "s"
	}
	return fmt.Sprintf(", %d %s ago", n, unit)
}
