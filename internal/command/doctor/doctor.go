// Package doctor looks at what measuring and predicting need of a machine, and says what to do about what is missing.
//
// A check answers with findings, each with a verdict, what was found and, where something is to be done, the remedy. The checks are a
// table; [Examine] runs all. They see the machine through [Machine] alone, so that tests can show them any.
package doctor

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/terminal"
)

// Verdict says how much a finding matters.
type Verdict string

const (
	Good    Verdict = "good"
	Note    Verdict = "note"    // something optional is missing
	Doubt   Verdict = "doubt"   // numbers may be wrong, or less is possible than the machine could do
	Failure Verdict = "failure" // something does not work
)

// Finding is what a check has found.
type Finding struct {
	Subject string  `json:"subject"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	Remedy  string  `json:"remedy,omitempty"`
}

// Machine is what the checks see.
type Machine struct {
	Root        string                         // the folder that holds etc, proc and sys; "" is /
	Data        string                         // the data directory
	Find        func(program string) string    // the path of a program, "" where it is missing
	Open        func(libraries []string) error // opens the first shared library that there is
	Counters    func() (string, error)         // the path of ncu
	Devices     func(context.Context) ([]device.Info, error)
	OpenDevice  func(context.Context) (device.Device, error) // the default device
	Privileged  bool                                         // the user is root
	found       []device.Info
	deviceError error
}

// checks in the order of their findings.
var checks = []func(context.Context, *Machine) []Finding{devices, openCL, nvidia, timers, steadiness, tools, data, profiles}

// Examine runs all checks.
func Examine(ctx context.Context, m Machine) (all []Finding) {
	m.found, m.deviceError = m.Devices(ctx)
	for _, check := range checks {
		if ctx.Err() != nil {
			return all
		}
		all = append(all, check(ctx, &m)...)
	}
	return all
}

// Worst is the gravest verdict of findings.
func Worst(all []Finding) Verdict {
	worst := Good
	for _, f := range all {
		order := []Verdict{Good, Note, Doubt, Failure}
		if slices.Index(order, f.Verdict) > slices.Index(order, worst) {
			worst = f.Verdict
		}
	}
	return worst
}

// marks stand before findings.
var marks = map[Verdict]string{Good: "✓", Note: "·", Doubt: "!", Failure: "✗"}

// Print writes findings, a line each, with the remedy below.
func Print(w io.Writer, all []Finding) {
	width := 0
	for _, f := range all {
		width = max(width, len(f.Subject))
	}
	indent := strings.Repeat(" ", width+4)
	for _, f := range all {
		mark := marks[f.Verdict]
		if f.Verdict == Failure || f.Verdict == Doubt {
			mark = terminal.Error.Paint(w, mark)
		}
		fmt.Fprintf(w, "%s %-*s  %s\n", mark, width, f.Subject, strings.ReplaceAll(f.Text, "\n", "\n"+indent))
		if f.Remedy != "" {
			fmt.Fprintf(w, "%s→ %s\n", indent, strings.ReplaceAll(f.Remedy, "\n", "\n"+indent+"  "))
		}
	}
}
