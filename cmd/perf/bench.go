package main

import (
	"context"
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
			generators, err := microbench.Load(folder)
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"generators": generators.All()})
			}
			for i, g := range generators.All() {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", g.Name, g.Doc)
				fmt.Fprintf(cmd.OutOrStdout(), "  tags  %s\n", strings.Join(g.Tags, " "))
				for _, a := range g.Args {
					fmt.Fprintf(cmd.OutOrStdout(), "  %s\n", a)
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
			cases, err := tagCases(cmd, folder, args, match)
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
	var names []string
	var kernels []*kernel.Kernel
	seen := map[*workload.Kernel]bool{}
	for _, c := range cases {
		if !seen[c.Kernel] {
			seen[c.Kernel] = true
			names = append(names, c.Program())
			kernels = append(kernels, c.IR)
		}
	}
	return showKernels(cmd, as, names, kernels)
}

// tagCases returns the measurement kernels that tags select.
func tagCases(cmd *cobra.Command, folder string, tags []string, match string) ([]*workload.Case, error) {
	generators, err := microbench.Load(folder)
	if err != nil {
		return nil, err
	}
	variants, err := generators.Select(cmd.Context(), microbench.Filter{Tags: tags, Match: microbench.Match(match)})
	if err != nil {
		return nil, &usageError{err}
	}
	return variantCases(cmd, variants)
}

// variantCases builds the kernels of variants. Variants that differ in sizes alone share one kernel, so that it is
// counted and generated once.
func variantCases(cmd *cobra.Command, variants []microbench.Variant) ([]*workload.Case, error) {
	shared := map[string]*workload.Kernel{}
	var cases []*workload.Case
	for _, v := range variants {
		built, err := buildVariant(cmd.Context(), v, shared)
		if err != nil {
			return nil, err
		}
		cases = append(cases, &workload.Case{
			Kernel:   built,
			Name:     v.Generator.Name,
			Identity: samples.Identity{Source: v.Generator.Name, Args: v.Arguments(), Sizes: v.Sizes},
			Tags:     v.Tags(),
			Sizes:    v.Sizes,
			Verify:   true,
		})
	}
	return cases, nil
}

func buildVariant(ctx context.Context, v microbench.Variant, shared map[string]*workload.Kernel) (*workload.Kernel, error) {
	ir, err := v.Kernel(ctx)
	if err != nil {
		return nil, err
	}
	key := ir.Key()
	if shared[key] == nil {
		shared[key] = workload.NewKernel(ir)
	}
	return shared[key], nil
}
