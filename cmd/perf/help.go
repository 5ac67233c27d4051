package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuperf/internal/command/manual"
	"gpuperf/internal/command/reference"
	"gpuperf/internal/format"
	"gpuperf/internal/source"
	"gpuperf/internal/terminal"
	"gpuperf/internal/throw"
)

func helpCommand() *cobra.Command {
	var pages string
	cmd := &cobra.Command{
		Use:   "help [COMMAND... | PAGE [ENTRY...]]",
		Short: "Print the help of a command, or the reference of a language",
		Long: `help prints the help of a command, as COMMAND --help does, or a page about a language or a file format: all of it, or the entries
and sections named after it. A page that has the name of a command follows the help of the command. With --man, help writes a manual page
of each command into a folder: perf.1, perf-count.1 and so on, to read with man.`,
		Example: `  perf help count
  perf help model fit
  perf help lp instructions
  perf help --man man1`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if pages != "" {
				return writeManual(cmd, pages, args)
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usage(err)
			}
			isCommand := len(rest) == 0
			isPage := len(args) > 0 && slices.Contains(reference.Names(), args[0]) && (!isCommand || len(args) == 1)
			if !isCommand && !isPage {
				return unknownCommand(about, rest[0], reference.Names()...)
			}
			if isCommand {
				err = printHelp(about, cmd)
			}
			if isCommand && isPage {
				fmt.Fprintln(cmd.OutOrStdout())
			}
			if isPage && err == nil {
				err = printReference(cmd, about, args)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&pages, "man", "", "write a manual page of each command into this folder")
	return cmd
}

// printHelp prints the help of a command where another one prints.
func printHelp(about, cmd *cobra.Command) error {
	more := []manual.Section{exitSection()}
	if !about.HasParent() {
		more = slices.Insert(more, 0, references())
	}
	return manual.PageOf(about, more...).Text(cmd.OutOrStdout(), terminal.Columns(cmd.OutOrStdout()))
}

func writeManual(cmd *cobra.Command, dir string, args []string) error {
	if len(args) > 0 {
		return usagef("--man writes the pages of all commands; leave out %s", args[0])
	}
	files, err := manual.WritePages(dir, version(), cmd.Root(), exitSection())
	if err != nil {
		return err
	}
	return show(cmd, map[string]any{"pages": files}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%d pages; read one with: man -l %s\n", len(files), files[0])
		return err
	})
}

// printReference prints a page of the references, or those of its entries that are named. A command may have its name.
func printReference(cmd, about *cobra.Command, args []string) (err error) {
	defer throw.Catch(&err)
	page := throw.Get(reference.Load(args[0]))
	if entries := args[1:]; len(entries) > 0 {
		all := page.Entries()
		switch err := page.Select(entries...); {
		case err != nil && about.HasParent(): // a command below it may be meant too
			return unknownCommand(about, entries[0], all...)
		case err != nil:
			return usage(err)
		}
	}
	throw.If(page.Run(cmd.Context()))
	return page.WriteText(cmd.OutOrStdout(), terminal.Columns(cmd.OutOrStdout()))
}

// references is the section of the help about languages and file formats.
func references() manual.Section {
	var b strings.Builder
	for _, name := range reference.Names() {
		page, err := reference.Load(name)
		if err != nil {
			panic(err) // the pages are part of the program
		}
		fmt.Fprintf(&b, "  perf help %-10s  %s\n", name, page.Title)
	}
	return manual.Section{Heading: "Languages and file formats", Text: b.String()}
}

// chooseCommand is what a command does that only has others below it: it shows them, or refuses an unknown one.
func chooseCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return printHelp(cmd, cmd)
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand is the error of a name that no command below one has, with what else could have been meant.
func unknownCommand(cmd *cobra.Command, name string, known ...string) error {
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			known = append(known, c.Name())
		}
	}
	if filepath.Ext(name) != "" {
		return usagef("%s takes a command before %s, as in %s %s %s\n    see: %s --help", cmd.CommandPath(), name, cmd.CommandPath(), known[0], name, cmd.CommandPath())
	}
	return usagef("%s has no command %q; %s\n    see: %s --help", cmd.CommandPath(), name, source.Suggest(name, known), cmd.CommandPath())
}

// suggestFlag says what flag is meant in place of one that a command does not have: one of its own with a name like it, or that of other commands.
func suggestFlag(cmd *cobra.Command, err error) string {
	unknown := new(pflag.NotExistError)
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return ""
	}
	var known, others []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	name := unknown.GetSpecifiedName()
	for _, c := range cmd.Root().Commands() {
		if !c.Hidden && c.Flags().Lookup(name) != nil {
			others = append(others, c.Name())
		}
	}
	near := source.Nearest(name, known)
	switch {
	case name == "profile" && slices.Contains(known, "on"):
		return "; did you mean --on, which names devices here?"
	case len(others) > 0:
		return fmt.Sprintf(", which is a flag of %s", format.First(others, 4))
	case near != "":
		return "; did you mean --" + near + "?"
	}
	return ""
}
