// Package manual writes the help of commands: for a terminal, at its width, and as pages for man.
//
// PageOf collects what there is to say about a command, in sections of blocks. A block is a paragraph, an entry of a list, or a
// line that stays as it is. Text and Roff write the same blocks.
package manual

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/internal/lists"
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
	return lists.Map(entries, func(e entry) block { return block{head: e.name, indent: column, text: e.meaning} })
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
