// Package progress shows how far a campaign has come.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"gpuperf/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/terminal"
	"gpuperf/internal/warning"
	"gpuperf/measure"
	"gpuperf/samples"
)

// New shows it on notes: with a bar on a terminal, a line for each kernel elsewhere. Warnings of kinds that are new go to all, the stream
// that --quiet does not silence.
func New(notes, all io.Writer, warnings *warning.Printer) campaign.Monitor {
	p := lines{notes, all, warnings, time.Time{}}
	if terminal.Is(notes) && !warnings.Quiet {
		return &bar{lines: p}
	}
	return &p
}

// lines prints a line for each task that is finished, and warnings of kinds that are new.
type lines struct {
	notes, all io.Writer
	warnings   *warning.Printer
	began      time.Time // of building programs
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
	fmt.Fprintf(p.notes, "[%d/%d] %s  %s\n", e.Index+1, e.Total, e.Task.Job.Identity.Key(), outcome(e))
	p.warn(p.all, e)
}

func (p *lines) warn(w io.Writer, e measure.Event) {
	for _, text := range e.Record.Warnings {
		p.warnings.Now(w, warning.In(e.Task.Job.Identity.Key(), text))
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
		return format.Seconds(r.Seconds()) + " (measured before)"
	case e.Stale:
		return format.Seconds(r.Seconds()) + " (measured anew: the source has changed)"
	}
	return fmt.Sprintf("%s, %d trials", format.Seconds(r.Seconds()), len(r.Trials))
}

// bar draws a progress bar for each list of kernels; failures and warnings of new kinds scroll by above it.
type bar struct {
	lines
	container *mpb.Progress // nil between two lists
	bar       *mpb.Bar
	current   string
}

func (p *bar) Measuring(e measure.Event) {
	if p.container == nil {
		p.container = mpb.New(mpb.WithOutput(p.notes), mpb.WithWidth(40))
		p.bar = p.container.AddBar(int64(e.Total),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d")),
			mpb.AppendDecorators(
				decor.Percentage(), decor.Name("  "),
				decor.AverageETA(decor.ET_STYLE_GO), decor.Name("  "),
				decor.Any(func(decor.Statistics) string { return p.current })))
	}
	if e.Record == nil {
		p.current = e.Task.Job.Identity.Key()
		return
	}
	if e.Record.Status != samples.OK {
		fmt.Fprintf(p.container, "%s  %s\n", e.Task.Job.Identity.Key(), outcome(e))
	}
	p.warn(p.container, e)
	p.bar.Increment()
}

func (p *bar) Done() {
	if p.container == nil {
		return
	}
	if !p.bar.Completed() {
		p.bar.Abort(false)
	}
	p.container.Wait()
	p.container = nil
}
