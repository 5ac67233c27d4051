package reference

import (
	"cmp"
	"io"
	"strings"
	"unicode"
)

// WriteMarkdown writes the page as it stands in docs/reference.
func (p *Page) WriteMarkdown(w io.Writer) error {
	t := &text{w: w}
	t.line("# %s\n\n<!-- Made by `UPDATE=1 go test ./internal/command/reference` from internal/command/reference/%s.yaml and the tables of the program. -->\n", p.Title, p.Name)
	t.markdown(p.Intro)
	t.line("The same on a terminal: `perf help %s`, or of one entry `perf help %s NAME`.\n", p.Name, p.Name)
	for _, s := range p.Sections {
		t.line("- [%s](#%s): `%s`", s.Title, anchor(s.Title), strings.Join(s.names(), "`, `"))
	}
	t.line("")
	for _, s := range p.Sections {
		t.line("## %s\n", s.Title)
		t.markdown(s.Intro)
		if s.Context != "" {
			t.line("The examples begin with:\n")
			t.fence(s.Runner, s.Context)
		}
		for _, e := range s.Entries {
			t.markdownEntry(s, e)
		}
	}
	return t.err
}

// anchor is what Markdown's readers make of a heading: its letters, digits, - and _, and - for spaces.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, strings.ToLower(title))
}

func (t *text) markdownEntry(s *Section, e *Entry) {
	t.line("### `%s`\n", e.Name)
	if e.Usage != e.Name {
		t.line("    %s\n", e.Usage)
	}
	t.markdown(e.Does)
	for _, a := range e.Args {
		t.line("- `%s`: %s", a.Name, a.describe())
	}
	if len(e.Args) > 0 {
		t.line("")
	}
	if e.Refuses != "" {
		t.line("Refused: %s\n", strings.TrimSpace(e.Refuses))
	}
	if e.Example == "" {
		return
	}
	if e.short() {
		t.line("`%s` gives `%s`.\n", e.Example, e.Result)
		return
	}
	t.fence(s.Runner, e.Example)
	if e.Result != "" {
		t.line("gives\n")
		t.fence("", e.Result)
	}
}

// markdown writes paragraphs; those that begin with a space become code.
func (t *text) markdown(body string) {
	for _, paragraph := range strings.Split(strings.TrimSpace(body), "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			t.fence("", dedent(paragraph))
		} else if paragraph != "" {
			t.line("%s\n", paragraph)
		}
	}
}

// fence writes a block of code in the language that a runner runs.
func (t *text) fence(runner, body string) {
	language := cmp.Or(runners[runner].language, "text")
	t.line("```%s\n%s\n```\n", language, strings.TrimRight(body, "\n"))
}

// dedent takes the spaces from a block of code that all of its lines begin with.
func dedent(code string) string {
	lines := strings.Split(code, "\n")
	least := len(code)
	for _, l := range lines {
		if l != "" {
			least = min(least, len(l)-len(strings.TrimLeft(l, " ")))
		}
	}
	for i, l := range lines {
		lines[i] = l[min(least, len(l)):]
	}
	return strings.Join(lines, "\n")
}
