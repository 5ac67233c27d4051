package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gpuperf/kernel"
	"gpuperf/microbench"
	"gpuperf/samples"
	"gpuperf/workload"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Show the measurement kernels and what tags select",
		Args:  cobra.ArbitraryArgs,
		RunE:  chooseCommand,
	}
	cmd.AddCommand(benchListCommand(), benchShowCommand())
	return cmd
}

func benchListCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "list [TAG...]",
		Short: "List the generators of measurement kernels, with their tags and arguments",
		Long: `list shows the generators of measurement kernels as a table. Given tags, it shows the generators that have one of
them in full, with the values that their arguments take: first those that are taken where a tag does not say, then what is
also allowed.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, tags []string) error {
			collection, err := loadGenerators(folder)
			if err != nil {
				return err
			}
			generators := collection.Generators()
			if len(tags) > 0 {
				filter := microbench.Filter{Tags: tags, Match: microbench.Intersect}
				if generators, err = collection.Match(filter); err != nil {
					return &usageError{err}
				}
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"generators": generators})
			}
			if len(tags) == 0 {
				listGenerators(cmd.OutOrStdout(), generators)
				return nil
			}
			for i, g := range generators {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				describeGenerator(cmd.OutOrStdout(), g)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "generators", "", "a folder of generators to list beside the built-in ones")
	return cmd
}

// listGenerators prints a table with the first sentence about each generator.
func listGenerators(w io.Writer, generators []*microbench.Generator) {
	t := newTable("tags", "arguments", "what it runs")
	for _, g := range generators {
		names := append([]string{g.Name}, slices.DeleteFunc(slices.Clone(g.Tags), func(tag string) bool { return tag == g.Name })...)
		var args []string
		for _, a := range g.Args {
			args = append(args, a.Name)
		}
		sentence, _, _ := strings.Cut(g.Doc, ". ")
		columns := [][]string{names, wrap(strings.Join(args, " "), 30), wrap(strings.TrimSuffix(sentence, "."), 70)}
		for i := range max(len(columns[0]), len(columns[1]), len(columns[2])) {
			var cells []string
			for _, c := range columns {
				cells = append(cells, strings.Join(c[min(i, len(c)):min(i+1, len(c))], ""))
			}
			t.row(cells...)
		}
	}
	t.write(w)
}

// describeGenerator prints all that a generator says of itself.
func describeGenerator(w io.Writer, g *microbench.Generator) {
	fmt.Fprintf(w, "%s (tags: %s)\n", g.Name, strings.Join(g.Tags, ", "))
	for _, line := range wrap(g.Doc, 100) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	t := newTable("  argument", "values")
	for _, a := range g.Args {
		t.row("  "+a.Name, a.Allowed.String())
	}
	t.write(w)
}

// wrap breaks a text between words into lines of at most width characters.
func wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func benchShowCommand() *cobra.Command {
	var folder, match, as string
	var session sessionOptions
	cmd := &cobra.Command{
		Use:   "show TAG...",
		Short: "Show the kernels that tags select",
		Long: `show lists the measurement kernels that filter tags select, one line each. With --as it prints the kernels
themselves. Generator tags such as matmul_sq choose generators, variant tags such as n:2048,3072 choose values of their arguments.
With --time-range it measures them, and lists them at the sizes at which their times are within the range.`,
		Args: minArgs(1, "at least one tag"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cases, err := selectCases(folder, args, match)
			if err != nil {
				return err
			}
			if session.timeRange != "" {
				if cases, err = rangedCases(cmd, session, cases); err != nil {
					return err
				}
			}
			if as != "" {
				return showCases(cmd, as, cases)
			}
			if wantJSON(cmd) {
				var all []samples.Identity
				for _, c := range cases {
					all = append(all, c.Identity)
				}
				return printJSON(cmd.OutOrStdout(), map[string]any{"kernels": all})
			}
			for _, c := range cases {
				fmt.Fprintln(cmd.OutOrStdout(), c)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "generators", "", "a folder of generators to use beside the built-in ones")
	addMatchFlag(cmd, &match)
	session.addFlags(cmd)
	session.addTimeRange(cmd)
	cmd.Flags().StringVar(&as, "as", "", "print the kernels themselves: nest, ir or opencl")
	return cmd
}

func addMatchFlag(cmd *cobra.Command, match *string) {
	cmd.Flags().StringVar(match, "match", "superset",
		"how a generator's tags must relate to the generator tags given: superset, subset, identical or intersect")
}

// showCases prints the distinct kernels of the cases.
func showCases(cmd *cobra.Command, as string, cases []*workload.Case) error {
	var all []shownKernel
	seen := map[*workload.Kernel]bool{}
	for _, c := range cases {
		if !seen[c.Kernel] {
			seen[c.Kernel] = true
			all = append(all, shownKernel{c.Program(), c.IR, func(err error) error { return fmt.Errorf("%s: %w", c.Program(), err) }})
		}
	}
	return showKernels(cmd, as, all)
}

// selectCases returns the measurement kernels that tags select.
func selectCases(folder string, tags []string, match string) ([]*workload.Case, error) {
	condition, err := microbench.ParseMatch(match)
	if err != nil {
		return nil, &usageError{err}
	}
	filter, err := microbench.ParseFilter(tags, condition)
	if err != nil {
		return nil, err
	}
	generators, err := loadGenerators(folder)
	if err != nil {
		return nil, err
	}
	variants, err := generators.Select(filter)
	if err != nil {
		return nil, &usageError{err}
	}
	return variantCases(variants)
}

// loadGenerators loads the built-in generators and those of a folder, "" for none.
func loadGenerators(folder string) (*microbench.Collection, error) {
	if folder == "" {
		return microbench.Load()
	}
	return microbench.Load(folder)
}

// variantCases builds the kernels of variants. Variants that differ in sizes alone share one kernel, so that it is
// counted and generated once.
func variantCases(variants []microbench.Variant) ([]*workload.Case, error) {
	shared := map[*kernel.Kernel]*workload.Kernel{}
	var cases []*workload.Case
	for _, v := range variants {
		ir, err := v.Kernel()
		if err != nil {
			return nil, err
		}
		if shared[ir] == nil {
			shared[ir] = workload.NewKernel(ir)
		}
		cases = append(cases, variantCase(shared[ir], v))
	}
	return cases, nil
}

// variantCase is a variant as a case of its kernel.
func variantCase(k *workload.Kernel, v microbench.Variant) *workload.Case {
	args := map[string]string{}
	for _, a := range v.Args {
		if _, isSize := v.Sizes[a.Name]; !isSize {
			args[a.Name] = a.Value.String()
		}
	}
	return &workload.Case{
		Kernel:   k,
		Name:     v.Generator,
		Identity: samples.Identity{Source: v.Generator, Args: args, Sizes: v.Sizes},
		Tags:     v.Tags,
		Sizes:    v.Sizes,
		Verify:   true,
		Resize: func(factor float64) (*workload.Case, error) {
			scaled, err := v.Scaled(factor)
			if err != nil {
				return nil, err
			}
			return variantCase(k, scaled), nil
		},
	}
}
