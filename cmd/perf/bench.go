package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/microbench"
	"gpuperf/internal/throw"
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
			collection := throw.Get(campaign.LoadGenerators(folder))
			generators := collection.Generators()
			if len(tags) > 0 {
				filter := microbench.Filter{Tags: tags, Match: models.Intersect}
				chosen, err := collection.Match(filter)
				if err != nil {
					return usage(err)
				}
				generators = chosen
			}
			return show(cmd, map[string]any{"generators": generators}, func(w io.Writer) error {
				if len(tags) == 0 {
					return microbench.List(w, generators)
				}
				return microbench.Describe(w, generators)
			})
		},
	}
	addGenerators(cmd, &folder)
	return cmd
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
			cases := throw.Get(campaign.TagCases(folder, args, match, nil))
			if on.within != "" {
				mode := throw.Get(on.mode("sizes are chosen for one state of the caches"))
				c := throw.Get(on.open(cmd))
				defer finish(cmd, c)
				cases = throw.Get(on.ranged(cmd, c, mode, cases))
			}
			if as != "" {
				showCases(cmd, as, cases)
				return nil
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
func showCases(cmd *cobra.Command, as string, cases []*workload.Case) {
	var all []shownKernel
	seen := map[*workload.Kernel]bool{}
	for _, c := range cases {
		if !seen[c.Kernel] {
			seen[c.Kernel] = true
			all = append(all, shownKernel{c.Program(), c.IR, func(err error) error { return fmt.Errorf("%s: %w", c.Program(), err) }})
		}
	}
	showKernels(cmd, as, all)
}
