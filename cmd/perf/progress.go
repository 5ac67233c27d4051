package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"gpuperf/measure"
	"gpuperf/samples"
)

// progress shows how far a sweep has come: a bar on a terminal, a line for each kernel elsewhere.
type progress interface {
	event(measure.Event)
	done()
}

func newProgress(w io.Writer) progress {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &bar{container: mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))}
	}
	return &lines{w: w}
}

// lines prints a line for each task that is finished, and its warnings.
type lines struct{ w io.Writer }

func (p *lines) event(e measure.Event) {
	if e.Record == nil {
		return
	}
	fmt.Fprintf(p.w, "[%d/%d] %s  %s\n", e.Index+1, e.Total, e.Task.Job.Identity.Key(), outcome(e))
	for _, w := range e.Record.Warnings {
		fmt.Fprintf(p.w, "    warning: %s\n", w)
	}
}

func (p *lines) done() {}

// outcome words how a task ended.
func outcome(e measure.Event) string {
	r := e.Record
	switch {
	case r.Status != samples.OK:
		return fmt.Sprintf("%s: %s", r.Status, r.Error)
	case e.Reused:
		return seconds(r.Seconds()) + " (measured before)"
	case e.Stale:
		return seconds(r.Seconds()) + " (measured anew: the source has changed)"
	}
	return fmt.Sprintf("%s, %d trials", seconds(r.Seconds()), len(r.Trials))
}

// bar draws a progress bar; failures and warnings scroll by above it.
type bar struct {
	container *mpb.Progress
	bar       *mpb.Bar
	current   string
}

func (p *bar) event(e measure.Event) {
	if p.bar == nil {
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
	for _, w := range e.Record.Warnings {
		fmt.Fprintf(p.container, "%s\n    warning: %s\n", e.Task.Job.Identity.Key(), w)
	}
	p.bar.Increment()
}

func (p *bar) done() {
	if p.bar != nil && !p.bar.Completed() {
		p.bar.Abort(false)
	}
	p.container.Wait()
}
