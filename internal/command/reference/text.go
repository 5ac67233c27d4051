package reference

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/format"
)

// WriteText writes the page for a terminal of a width.
func (p *Page) WriteText(w io.Writer, width int) error {
	t := &text{w: w, width: width}
	whole := p.Intro != ""
	if whole {
		t.line("%s\n", p.Title)
		t.paragraphs("", fmt.Sprintf("Of one entry alone: perf help %s NAME; of a section: perf help %s 'TITLE'. Their names follow the introduction.", p.Name, p.Name))
		t.line("")
		t.paragraphs("", p.Intro)
		t.line("")
		for _, s := range p.Sections {
			for i, l := range format.Wrap(s.Title+": "+strings.Join(s.names(), ", "), width-4) {
				t.line("%s%s", strings.Repeat("    ", min(i, 1)), l)
			}
		}
	}
	for _, s := range p.Sections {
		if whole {
			t.line("\n%s", strings.ToUpper(s.Title))
		}
		if s.Intro != "" {
			t.line("")
			t.paragraphs("", s.Intro)
		}
		if s.Context != "" {
			t.line("\nThe examples begin with:")
			t.block("    ", s.Context)
		}
		for _, e := range s.Entries {
			t.entry(e)
		}
	}
	return t.err
}

// text writes lines, and keeps the first error.
type text struct {
	w     io.Writer
	width int
	err   error
}

func (t *text) line(format string, args ...any) {
	if _, err := fmt.Fprintf(t.w, format+"\n", args...); t.err == nil {
		t.err = err
	}
}

func (t *text) entry(e *Entry) {
	t.line("")
	for i, l := range format.Wrap(e.Usage, t.width-4) {
		t.line("%s%s", strings.Repeat("    ", min(i, 1)), l)
	}
	t.paragraphs("    ", e.Does)
	widest := 0
	for _, a := range e.Args {
		widest = max(widest, utf8.RuneCountInString(a.Name))
	}
	for _, a := range e.Args {
		for i, l := range format.Wrap(a.describe(), t.width-widest-8) {
			if i > 0 {
				a.Name = ""
			}
			t.line("      %-*s  %s", widest, a.Name, l)
		}
	}
	if e.Refuses != "" {
		t.paragraphs("    ", "Refused: "+e.Refuses)
	}
	if e.Example == "" {
		return
	}
	if e.short() {
		t.line("    Example: %s gives %s", e.Example, e.Result)
		return
	}
	t.line("    Example:")
	t.block("        ", e.Example)
	if e.Result != "" {
		t.line("    gives")
		t.block("        ", e.Result)
	}
}

// paragraphs writes paragraphs between which a line is empty. Lines that begin with a space stay as they are.
func (t *text) paragraphs(indent, body string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(body), "\n\n") {
		if i > 0 {
			t.line("")
		}
		if strings.HasPrefix(paragraph, " ") {
			t.block(indent, paragraph)
			continue
		}
		for _, l := range format.Wrap(paragraph, t.width-len(indent)) {
			t.line("%s%s", indent, l)
		}
	}
}

func (t *text) block(indent, body string) {
	for l := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
		t.line("%s", strings.TrimRight(indent+l, " "))
	}
}
