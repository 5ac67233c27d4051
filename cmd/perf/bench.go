package main

import (
	"fmt"
	"strings"

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
		Use:   "list",
		Short: "List the generators with their tags and arguments",
		Args:  exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			generators, err := loadGenerators(folder)
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"generators": generators.Generators()})
			}
			for i, g := range generators.Generators() {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", g.Name, g.Doc)
				fmt.Fprintf(cmd.OutOrStdout(), "  tags  %s\n", strings.Join(g.Tags, " "))
				for _, a := range g.Args {
					fmt.Fprintf(cmd.OutOrStdout(), "  %-13s %s\n", a.Name, a.Allowed)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "generators", "", "a folder of generators to list beside the built-in ones")
	return cmd
}

func benchShowCommand() *cobra.Command {
	var folder, match, as string
	cmd := &cobra.Command{
		Use:   "show TAG...",
		Short: "Show the kernels that tags select",
		Long: `show lists the measurement kernels that filter tags select, one line each. With --as it prints the kernels
themselves. Generator tags such as matmul_sq choose generators, variant tags such as n:2048,3072 choose values of their arguments.`,
		Args: minArgs(1, "at least one tag"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cases, err := selectCases(folder, args, match)
			if err != nil {
				return err
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
		args := map[string]string{}
		for _, a := range v.Args {
			if _, isSize := v.Sizes[a.Name]; !isSize {
				args[a.Name] = a.Value.String()
			}
		}
		cases = append(cases, &workload.Case{
			Kernel:   shared[ir],
			Name:     v.Generator,
			Identity: samples.Identity{Source: v.Generator, Args: args, Sizes: v.Sizes},
			Tags:     v.Tags,
			Sizes:    v.Sizes,
			Verify:   true,
		})
	}
	return cases, nil
}
