package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gpuperf/counters"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/samples"
)

func countersCommand() *cobra.Command {
	var sizes []string
	var folder, match, cache, device, to, recorded string
	options := features.Options{ExactBranches: true}
	cmd := &cobra.Command{
		Use:   "counters KERNEL.star -p n=2048 | TAG...",
		Short: "Compare counts with the hardware's counters",
		Long: `counters runs one launch of each kernel under NVIDIA's Nsight Compute (ncu), through CUDA, and prints what the hardware has counted beside
what is counted from the kernel, and their ratio: operations, sectors of global memory, wavefronts of local memory, bytes of DRAM. What the compiler
has merged, hoisted or vectorized shows as a ratio above 1. Counts are those of what runs (--exact-branches of perf count).

The counts of the hardware are kept in a samples file by -o; --recorded prints them again where there is no GPU.` + measuringRuns,
		Example: `  perf counters examples/matmul/matmul_prefetch.star -p n=1024 \
      --recorded testdata/h200/counters.jsonl.gz`,
		Args: minArgs(1, "a kernel script, or tags"),
		RunE: func(cmd *cobra.Command, args []string) error {
			mode := samples.Mode(cache)
			if !mode.Valid() {
				return usagef("--cache %s: choose warm or cold", cache)
			}
			cases, err := measureCases(cmd, args, sizes, folder, match)
			if err != nil {
				return err
			}
			var source counters.Source
			if recorded != "" {
				source, err = counters.Recorded(recorded)
			} else {
				source, err = counters.Live(device, to)
			}
			if err != nil {
				return err
			}
			defer source.Close()
			var all []counters.Result
			for _, c := range cases {
				r, err := source.Take(cmd.Context(), c, mode)
				if missing := new(counters.NotRecorded); errors.As(err, &missing) {
					return usagef("%s: %w", c.Label, err)
				} else if err != nil {
					return fmt.Errorf("%s: %w", c.Label, err)
				}
				o := options
				o.Device = facts.Of(r.Device)
				rows, err := counters.Compare(c, o, r)
				if err != nil {
					return err
				}
				named := c.Identity
				named.Sizes = nil
				all = append(all, counters.Result{Kernel: cmp.Or(c.Label, named.String()), At: c.Sizes, Rows: rows})
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error { return counters.Write(w, all) })
		},
	}
	addSizes(cmd, &sizes)
	addGenerators(cmd, &folder)
	addMatch(cmd, &match)
	cmd.Flags().StringVar(&cache, "cache", "warm", "state of the caches before the launch: warm or cold")
	cmd.Flags().StringVar(&device, "device", "", "the device: an index or part of a name, of the devices of CUDA")
	cmd.Flags().StringVarP(&to, "output", "o", "", "the samples file to add the counts to")
	cmd.Flags().StringVar(&recorded, "recorded", "", "a samples file that counters has written, instead of running anything")
	return cmd
}
