package rules

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// Derivation is the sequence of rules, with their positions, by which a program was rewritten.
type Derivation struct {
	Start  *lift.Program
	Steps  []Step
	Result *lift.Program
}

// Derive rewrites the body of a program by a strategy.
func Derive(p *lift.Program, s Strategy, opt Options) (*Derivation, error) {
	run := &Run{Options: opt}
	run.Given = append(append([]lift.Assumption(nil), p.Assumptions()...), opt.Given...)
	body, err := run.Do(s, p.Body)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", p.Name, err)
	}
	q, err := p.WithBody(body)
	if err != nil {
		return nil, err
	}
	return &Derivation{p, run.Steps, q}, nil
}

// Replay applies the steps again, and returns the program after each; the last is the result.
func (d *Derivation) Replay(opt Options) ([]*lift.Program, error) {
	run := &Run{Options: opt, MaxSteps: len(d.Steps) + 1}
	run.Given = append(append([]lift.Assumption(nil), d.Start.Assumptions()...), opt.Given...)
	var list []*lift.Program
	p := d.Start
	for i, s := range d.Steps {
		body, err := run.Do(At(s.Path, func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
			return run.apply(s.Rule, s.Args, t, site)
		}), p.Body)
		if err == nil {
			p, err = p.WithBody(body)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		list = append(list, p)
	}
	if p.Body != d.Result.Body {
		return nil, fmt.Errorf("the derivation leads to a different program")
	}
	return list, nil
}

// String is the derivation as 001 Figure 10 prints one: each line is an expression, and the rule that gives it from the line
// before.
func (d *Derivation) String() string {
	list, err := d.Replay(Options{At: []map[string]int64{}})
	if err != nil {
		return d.short()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s\n", d.Start.Name, d.Start.BodyText())
	width := 0
	for _, s := range d.Steps {
		width = max(width, len(s.label()))
	}
	for i, p := range list {
		fmt.Fprintf(&b, "  =%-*s %s   (%d)\n", width, d.Steps[i].label(), p.BodyText(), i+1)
	}
	return b.String()
}

// label names a step: by the figure of the paper, otherwise by the rule.
func (s Step) label() string {
	return cmp.Or(s.Rule.Figure, s.Rule.Name)
}

func (d *Derivation) short() string {
	var b strings.Builder
	for _, s := range d.Steps {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}

// String is the step as text: splitJoin(n = 4) at 0.1.0.
func (s Step) String() string {
	text := s.Rule.Name
	if len(s.Args) > 0 {
		text += "(" + s.Args.String() + ")"
	}
	parts := lists.Map(s.Path, strconv.Itoa)
	if len(parts) > 0 {
		text += " at " + strings.Join(parts, ".")
	}
	return text
}
