package main

import (
	"io"

	"github.com/spf13/cobra"

	"gpuperf/frontend"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

func scopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scop",
		Short: "Loop nests of C files: what they are, and what depends on what",
		Long: `scop reads the loop nests of a C file: what stands between #pragma scop and #pragma endscop, or without these every function whose body is
one. Loop bounds, conditions and subscripts must be affine in the iterators and in integer variables that the nest does not change. What is not is
an error with its place and the reason.

Headers are read from the folder of the file and from those of -I; the system's are built in, and no compiler is run. FILE.c#name
is one nest of several, by the name of its function.`,
		Example: `  perf scop show examples/polybench/gemm.c
  perf scop deps examples/polybench/gemm.c
  perf count examples/polybench/gemm.c -p ni=1000,nj=1100,nk=1200`,
	}
	cmd.AddCommand(scopShowCommand(), scopDepsCommand())
	return cmd
}

func scopShowCommand() *cobra.Command {
	var files frontend.Options
	cmd := &cobra.Command{
		Use:   "show FILE.c [-I DIR] [-D NAME=VALUE]",
		Short: "Print the parameters, arrays and statements of loop nests",
		Long: `show prints each loop nest of a C file: its parameters, its arrays, and of each statement the points at which it runs (domain), when it runs
beside others (order, the lexicographically least first), and the elements that it reads and writes.`,
		Example: `  perf scop show examples/polybench/gemm.c`,
		Args:    exactArgs(1, "one C file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			nests, err := files.Nests(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var all []*scop.Object
			for _, n := range nests {
				all = append(all, n.JSON())
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error { return scop.Write(w, nests) })
		},
	}
	addC(cmd, &files)
	return cmd
}

func scopDepsCommand() *cobra.Command {
	var files frontend.Options
	var sizes []string
	cmd := &cobra.Command{
		Use:   "deps FILE.c [-p n=100]",
		Short: "Print what depends on what in loop nests, and which loops are parallel",
		Long: `deps prints the dependences between the statements of each loop nest of a C file, exactly: by memory, and of flow also by value, from the last
writer of what is read. Each is a map from the points of one statement to those of another, with the loop that carries it. A loop is
parallel, a reduction (it carries only an associative accumulation), private (parallel with private or old copies of arrays), or sequential.`,
		Example: `  perf scop deps examples/polybench/gemm.c`,
		Args:    exactArgs(1, "one C file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseOneSize(sizes)
			if err != nil {
				return err
			}
			nests, err := files.Nests(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			all, err := deps.Objects(cmd.Context(), nests, at)
			if err != nil {
				return err
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error { return deps.Write(w, all) })
		},
	}
	addSizes(cmd, &sizes)
	addC(cmd, &files)
	return cmd
}
