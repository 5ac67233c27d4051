package warning

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/internal/terminal"
)

// Printer prints each kind of warning once, with the number of those like it.
type Printer struct {
	Quiet bool     // print only those of kinds that stay
	All   []string // whatever was added, each text once, also what Quiet leaves out

	groups []*group // in the order of their first warnings
}

// group holds the warnings that are alike, each text once.
type group struct {
	family  string
	texts   []string
	printed bool // the first
}

// Add keeps warnings for Flush.
func (p *Printer) Add(texts ...string) {
	for _, text := range texts {
		p.add(text)
	}
}

// Now prints a warning at once where it is the first of its kind, and keeps it for Flush elsewhere.
func (p *Printer) Now(w io.Writer, text string) {
	if g := p.add(text); g != nil && len(g.texts) == 1 && !g.printed {
		g.printed = true
		printLine(w, text)
	}
}

// add returns the group of a warning, nil for one that --quiet drops.
func (p *Printer) add(text string) *group {
	if !slices.Contains(p.All, text) {
		p.All = append(p.All, text)
	}
	if p.Quiet && !stays(text) {
		return nil
	}
	f := family(text)
	i := slices.IndexFunc(p.groups, func(g *group) bool { return g.family == f })
	if i < 0 {
		i = len(p.groups)
		p.groups = append(p.groups, &group{family: f})
	}
	g := p.groups[i]
	if !slices.Contains(g.texts, text) {
		g.texts = append(g.texts, text)
	}
	return g
}

// Flush prints what was kept: the first of each kind, how many more there are, and the subjects of some. Then it starts anew.
func (p *Printer) Flush(w io.Writer) {
	for _, g := range p.groups {
		first, more := g.texts[0], g.texts[1:]
		switch {
		case !g.printed:
			printLine(w, first)
			if len(more) > 0 {
				fmt.Fprintf(w, "    and %d more like this%s\n", len(more), subjects(more))
			}
		case len(more) == 1:
			printLine(w, more[0])
		case len(more) > 0:
			printLine(w, fmt.Sprintf("%d more like the one above [%s]%s", len(more), cmp.Or(string(KindOf(first)), content(first)), subjects(more)))
		}
	}
	p.groups = nil
}

func printLine(w io.Writer, text string) {
	fmt.Fprintf(w, "%s %s\n", terminal.Warning.Paint(w, "warning:"), text)
}

// subjects lists the first few subjects of warnings.
func subjects(texts []string) string {
	const few = 3 // names that a line has room for
	var all []string
	for _, t := range texts {
		if s := subject(t); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	switch {
	case len(all) == 0:
		return ""
	case len(all) > few:
		all = append(all[:few], "…")
	}
	return ": " + strings.Join(all, "; ")
}
