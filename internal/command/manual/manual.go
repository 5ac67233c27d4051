// Package manual writes the help of commands: for a terminal, at its width, and as pages for man.
//
// PageOf collects what there is to say about a command, in sections of blocks. A block is a paragraph, an entry of a list, or a
// line that stays as it is. Text and Roff write the same blocks.
package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/internal/format"
)

// Page is the help of one command.
type Page struct {
	Name     string // as "perf lift run"
	Short    string
	sections []section
	related  []string // the command above and those below
}

// section is a part of a page with a heading, which differs between a terminal and man.
type section struct {
	heading, roff string
	blocks        []block
}

// Section is a section that is the same for several commands, such as their exit statuses.
type Section struct{ Heading, Text string }

// PageOf collects the help of a command, and further sections at the end.
func PageOf(cmd *cobra.Command, more ...Section) *Page {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	p := &Page{Name: cmd.CommandPath(), Short: cmd.Short}
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	p.add("", "DESCRIPTION", parse(about))
	p.add("Usage", "SYNOPSIS", usage(cmd))
	p.add("Examples", "EXAMPLES", parse(cmd.Example))
	p.commands(cmd)
	p.add("Flags", "OPTIONS", flags(cmd.LocalFlags()))
	p.add("Global flags", "GLOBAL OPTIONS", flags(cmd.InheritedFlags()))
	for _, s := range more {
		p.add(s.Heading, strings.ToUpper(s.Heading), parse(s.Text))
	}
	if cmd.HasParent() {
		p.related = slices.Insert(p.related, 0, cmd.Parent().CommandPath())
	}
	return p
}

// commands adds those below a command, in its groups if it has any.
func (p *Page) commands(cmd *cobra.Command) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	var all []entry
	for _, c := range available(cmd) {
		all = append(all, entry{"  " + c.Name(), c.Short})
		p.related = append(p.related, c.CommandPath())
	}
	in := map[string][]block{}
	for i, b := range list(all) { // aligned as one list
		id := available(cmd)[i].GroupID
		in[id] = append(in[id], b)
	}
	for _, g := range groups {
		p.add(g.Title, strings.ToUpper(g.Title), in[g.ID])
	}
}

func (p *Page) add(heading, roff string, blocks []block) {
	if len(blocks) > 0 {
		p.sections = append(p.sections, section{heading, roff, blocks})
	}
}

// available are the commands below one that its help lists.
func available(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return c.Hidden })
}

// usage is a line for each way to call a command.
func usage(cmd *cobra.Command) []block {
	if len(available(cmd)) > 0 {
		return []block{{indent: 2, text: cmd.CommandPath() + " COMMAND"}}
	}
	return []block{{indent: 2, text: cmd.UseLine()}}
}

// entry is a name with what it means.
type entry struct{ name, meaning string }

// widest is the largest width of names beside which their meanings stand. A meaning begins on the next line after a longer name.
const widest = 25

// list aligns the meanings of entries.
func list(entries []entry) []block {
	column := 0
	for _, e := range entries {
		if len(e.name) <= widest {
			column = max(column, len(e.name)+2)
		}
	}
	var out []block
	for _, e := range entries {
		out = append(out, block{head: e.name, indent: column, text: e.meaning})
	}
	return out
}

// standard are the meanings of the flags that cobra adds.
var standard = map[string]string{"help": "print this help", "version": "print the version"}

// flags lists flags as --name VALUE, with their default values.
func flags(set *pflag.FlagSet) []block {
	var all []entry
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, meaning := pflag.UnquoteUsage(f)
		if own, ok := standard[f.Name]; ok {
			meaning = own
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		if value != "" {
			name += " " + strings.TrimSuffix(strings.TrimSuffix(value, "Array"), "s")
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			meaning += " (default " + f.DefValue + ")"
		}
		all = append(all, entry{name, meaning})
	})
	return list(all)
}

// block is a paragraph, an entry of a list, or a line that stays as it is.
type block struct {
	gap    bool   // an empty line goes before it
	head   string // of an entry: the name, with the spaces before it
	indent int    // the column where the text begins
	text   string // without line breaks
}

// entryLine is a line of a list: a name, at least two spaces, and its meaning.
var entryLine = regexp.MustCompile(`^( +\S(?:.*?\S)?)( {2,})(\S.*)$`)

// deep is an indentation that only a meaning has whose name is on the line before.
const deep = 12

// parse reads a text as it stands in the source: lines at the margin are joined to paragraphs, those below a meaning belong to it,
// and other lines that are indented stay.
func parse(text string) []block {
	var out []block
	gap := false
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "    ")) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			gap = len(out) > 0
			continue
		}
		b := parseLine(line)
		if last := len(out) - 1; last >= 0 && !gap && b.head == "" && b.continues(out[last]) {
			out[last].text += " " + b.text
			continue
		}
		b.gap, gap = gap, false
		out = append(out, b)
	}
	return out
}

func parseLine(line string) block {
	if m := entryLine.FindStringSubmatch(line); m != nil {
		return block{head: m[1], indent: utf8.RuneCountInString(m[1] + m[2]), text: m[3]}
	}
	text := strings.TrimLeft(line, " ")
	return block{indent: len(line) - len(text), text: text}
}

// continues reports whether a line belongs to the block before it.
func (b block) continues(before block) bool {
	return b.indent == before.indent && (before.joins() || before.head != "")
}

// joins reports whether the lines of a block are one text that may be broken anywhere.
func (b block) joins() bool { return b.indent == 0 || b.indent >= deep }

// Text writes the page in lines of at most width columns, as far as words allow.
func (p *Page) Text(w io.Writer, width int) error {
	var b strings.Builder
	for i, s := range p.sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		if s.heading != "" {
			b.WriteString(s.heading + ":\n")
		}
		for _, block := range s.blocks {
			block.write(&b, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// hanging is the further indentation of what does not fit the line of an example.
const hanging = 4

func (b block) write(out *strings.Builder, width int) {
	if b.gap {
		out.WriteByte('\n')
	}
	line := b.head
	if line != "" && utf8.RuneCountInString(line)+2 > b.indent {
		out.WriteString(line + "\n")
		line = ""
	}
	next := b.indent
	parts := []string{b.text}
	if b.head == "" && !b.joins() {
		next += hanging
	}
	if b.indent+utf8.RuneCountInString(b.text) > width {
		parts = format.Wrap(b.text, max(width-next, 20))
	}
	column := b.indent
	for _, part := range parts {
		out.WriteString(line + strings.Repeat(" ", column-utf8.RuneCountInString(line)) + part + "\n")
		line, column = "", next
	}
}

// roffOrder is the order of sections in pages for man; others follow.
var roffOrder = []string{"SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "GLOBAL OPTIONS", "EXAMPLES"}

// Roff writes the page in the language of man, with the version of the program at its foot.
func (p *Page) Roff(w io.Writer, version string) error {
	var b strings.Builder
	name := dashed(p.Name)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"perf %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(version), roff(name), roff(p.Short))
	sections := slices.Clone(p.sections)
	slices.SortStableFunc(sections, func(x, y section) int { return place(x) - place(y) })
	for _, s := range sections {
		fmt.Fprintf(&b, ".SH %s\n", s.roff)
		for i, block := range s.blocks {
			block.roff(&b, i == 0)
		}
	}
	if len(p.related) > 0 {
		var names []string
		for _, r := range p.related {
			names = append(names, fmt.Sprintf("\\fB%s\\fR(1)", roff(dashed(r))))
		}
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(names, ",\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func place(s section) int {
	if i := slices.Index(roffOrder, s.roff); i >= 0 {
		return i
	}
	return len(roffOrder)
}

func (b block) roff(out *strings.Builder, first bool) {
	text := roff(b.text)
	switch {
	case b.head != "":
		fmt.Fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", roff(strings.TrimSpace(b.head)), text)
	case b.indent >= deep:
		fmt.Fprintf(out, ".RS\n%s\n.RE\n", text)
	case b.indent > 0:
		fmt.Fprintf(out, ".nf\n%s%s\n.fi\n", strings.Repeat(" ", b.indent), text)
	case first:
		fmt.Fprintf(out, "%s\n", text)
	default:
		fmt.Fprintf(out, ".PP\n%s\n", text)
	}
}

// roff writes a text so that none of it is a command of roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

func dashed(name string) string { return strings.ReplaceAll(name, " ", "-") }

// WritePages writes a page for man into a folder for a command and for each below it: perf.1, perf-count.1 and so on. It returns the files.
func WritePages(dir, version string, cmd *cobra.Command, more ...Section) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	page := PageOf(cmd, more...)
	path := filepath.Join(dir, dashed(page.Name)+".1")
	var text strings.Builder
	if err := page.Roff(&text, version); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	files := []string{path}
	for _, c := range available(cmd) {
		below, err := WritePages(dir, version, c, more...)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	return files, nil
}
