package main

import (
	"github.com/spf13/cobra"

	"gpuperf/sass"
)

func sassCommand() *cobra.Command {
	var facts bool
	cmd := &cobra.Command{
		Use:   "sass LISTING|CUBIN",
		Short: "Show machine code of NVIDIA's GPUs: loops, accesses, control bits",
		Long: `sass prints what the compiler made of a kernel. First come facts: registers, instructions by class, memory accesses by their width
per work-item, spills, and the same for the body of each loop. Then come the instructions, block by block, with loops indented,
and an arrow from each block to those that may follow it.

The column before an instruction is decoded from its encoding: B, the scoreboards that it waits for; R and W, those that it
releases when its operands have been read and when its result has been written; Y, where the scheduler is asked to turn to
another sub-group; S, the cycles that the sub-group then stalls.

LISTING is what cuobjdump -sass or nvdisasm -hex -c -g prints, for sm_70 and later. A cubin needs nvdisasm or cuobjdump, from
CUDA's toolkit.`,
		Example: `  perf sass testdata/sass/matmul.sass
  perf sass testdata/sass/spill.sass --facts
  perf sass testdata/sass/matmul.sass --json`,
		Args: exactArgs(1, "one listing or cubin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			listing, err := sass.ReadFile(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			warn(cmd, listing.Warnings)
			if facts {
				return show(cmd, listing.JSON(), listing.WriteFacts)
			}
			return show(cmd, listing.JSON(), listing.Write)
		},
	}
	cmd.Flags().BoolVar(&facts, "facts", false, "print the facts alone, without instructions")
	return cmd
}
