// Package warning knows the kinds of warnings: what each means and what to do. A warning is a line of text that ends with its kind,
//
//	SUBJECT: WHAT IS DOUBTFUL [KIND]
//
// so that it can be kept in files as it is printed, and be read back. Libraries return such lines; a [Printer] prints each kind once.
package warning

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"gpuperf/internal/terminal"
)

// Kind names a kind of warning. The page `warnings` of the reference has the meaning of each.
type Kind string

// About words a warning of the kind about a subject: a kernel, a parameter, a file; "" for none.
func (k Kind) About(subject, format string, args ...any) string {
	text := fmt.Sprintf(format, args...) + " [" + string(k) + "]"
	if subject == "" {
		return text
	}
	return subject + ": " + text
}

// Error is About as an error, for results whose warnings have a place in a file. The error given is wrapped.
func (k Kind) Error(err error) error { return fmt.Errorf("%w [%s]", err, k) }

// In says of a warning what its subject belongs to: the parameter of a kernel, the kernel of a suite.
func In(whole, text string) string {
	if subject(text) == "" {
		return whole + ": " + text
	}
	return whole + ", " + text
}

// KindOf returns the kind of a warning, "" where the text names none.
func KindOf(text string) Kind {
	at := strings.LastIndex(text, " [")
	if at < 0 || !strings.HasSuffix(text, "]") {
		return ""
	}
	if k := Kind(text[at+2 : len(text)-1]); slices.ContainsFunc(Kinds, func(i Info) bool { return i.Kind == k }) {
		return k
	}
	return ""
}

// subject is what stands before the first colon.
func subject(text string) string {
	before, _, found := strings.Cut(text, ": ")
	if !found {
		return ""
	}
	return before
}

// content is what stands after the subject.
func content(text string) string { return strings.TrimPrefix(text, subject(text)+": ") }

// family tells warnings that are alike: those of one kind, and without a kind those that differ in their subjects and numbers alone.
func family(text string) string {
	if k := KindOf(text); k != "" {
		return string(k)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, content(text))
}

// stays reports whether --quiet keeps a warning. One without a kind stays.
func stays(text string) bool {
	k := KindOf(text)
	return k == "" || slices.ContainsFunc(Kinds, func(i Info) bool { return i.Kind == k && i.Stays })
}

// Printer prints each kind of warning once, with the number of those like it.
type Printer struct {
	Quiet bool // only those of kinds that stay

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
