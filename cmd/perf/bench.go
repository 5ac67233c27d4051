package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/internal/format"
	"gpuperf/microbench"
	"gpuperf/models"
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
		Long: `list shows the generators of measurement kernels as a table. Given tags, it shows in full the generators that have one of
them, with the values of their arguments: first the default values, then the others that are allowed.`,
		Example: `  perf bench list
  perf bench list matmul_sq`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, tags []string) error {
			collection, err := campaign.LoadGenerators(folder)
			if err != nil {
				return err
			}
			generators := collection.Generators()
			if len(tags) > 0 {
				filter := microbench.Filter{Tags: tags, Match: models.Intersect}
				if generators, err = collection.Match(filter); err != nil {
					return usage(err)
				}
			}
			return show(cmd, map[string]any{"generators": generators}, func(w io.Writer) error {
				if len(tags) == 0 {
					return listGenerators(w, generators)
				}
				return describeGenerators(w, generators)
			})
		},
	}
	addGenerators(cmd, &folder)
	return cmd
}

// listGenerators prints a table with the first sentence about each generator.
func listGenerators(w io.Writer, generators []*microbench.Generator) error {
	t := format.NewTable("tags", "arguments", "what it runs")
	for _, g := range generators {
		names := append([]string{g.Name}, slices.DeleteFunc(slices.Clone(g.Tags), func(tag string) bool { return tag == g.Name })...)
		var args []string
		for _, a := range g.Args {
			args = append(args, a.Name)
		}
		sentence, _, _ := strings.Cut(g.Doc, ". ")
		columns := [][]string{names, format.Wrap(strings.Join(args, " "), 30), format.Wrap(strings.TrimSuffix(sentence, "."), 70)}
		for i := range max(len(columns[0]), len(columns[1]), len(columns[2])) {
			var cells []string
			for _, c := range columns {
				cells = append(cells, strings.Join(c[min(i, len(c)):min(i+1, len(c))], ""))
			}
			t.Row(cells...)
		}
	}
	return t.Write(w)
}

// describeGenerators prints all that generators say of themselves.
func describeGenerators(w io.Writer, generators []*microbench.Generator) error {
	for i, g := range generators {
		fmt.Fprintf(w, "%s%s (tags: %s)\n", strings.Repeat("\n", min(i, 1)), g.Name, strings.Join(g.Tags, ", "))
		for _, line := range format.Wrap(g.Doc, 100) {
			fmt.Fprintf(w, "  %s\n", line)
		}
		t := format.NewTable("argument", "values")
		for _, a := range g.Args {
			t.Row(a.Name, a.Allowed.String())
		}
		t.WriteIndented(w, "  ")
	}
	return nil
}

func benchShowCommand() *cobra.Command {
	var folder, match, as string
	var on measureFlags
	cmd := &cobra.Command{
		Use:   "show TAG...",
		Short: "Show the kernels that tags select",
		Long: `show lists the measurement kernels that filter tags select, one per line. With --as it prints the kernels
themselves. Generator tags such as matmul_sq choose generators; variant tags such as n:2048,3072 choose values of their arguments.
With --time-range it measures the kernels, and lists them at the sizes whose times are within the range.`,
		Example: `  perf bench show matmul_sq dtype:float32 n:2048
  perf bench show axpy dtype:float32 --as opencl`,
		Args: minArgs(1, "at least one tag"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cases, err := campaign.TagCases(folder, args, match)
			if err != nil {
				return err
			}
			if on.within != "" {
				mode, err := on.mode("sizes are chosen for one state of the caches")
				if err != nil {
					return err
				}
				c, err := on.open(cmd)
				if err != nil {
					return err
				}
				defer finish(cmd, c)
				if cases, err = on.ranged(cmd, c, mode, cases); err != nil {
					return err
				}
			}
			if as != "" {
				return showCases(cmd, as, cases)
			}
			var all []samples.Identity
			for _, c := range cases {
				all = append(all, c.Identity)
			}
			return show(cmd, map[string]any{"kernels": all}, func(w io.Writer) error {
				for _, c := range cases {
					fmt.Fprintln(w, c)
				}
				return nil
			})
		},
	}
	addGenerators(cmd, &folder)
	addMatch(cmd, &match)
	on.add(cmd)
	on.addTimeRange(cmd)
	cmd.Flags().StringVar(&as, "as", "", "print the kernels themselves: nest, ir or opencl")
	return cmd
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
