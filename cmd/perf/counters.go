package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/counters"
	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/measure"
	"gpuperf/samples"
	"gpuperf/workload"
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
			take, done, err := counterSource(cmd, recorded, to, device, mode)
			if err != nil {
				return err
			}
			defer done()
			type result struct {
				Kernel string              `json:"kernel"`
				At     map[string]int64    `json:"at"`
				Rows   []counters.Compared `json:"rows"`
			}
			var all []result
			for _, c := range cases {
				r, err := take(c)
				if err != nil {
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
				all = append(all, result{cmp.Or(c.Label, named.String()), c.Sizes, rows})
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error {
				t := format.NewTable("kernel", "sizes", "what", ">hardware", ">counted", ">ratio", "feature")
				for _, r := range all {
					for _, row := range r.Rows {
						counted, ratio := "-", "-"
						if row.Counted != nil {
							counted = format.Rough(*row.Counted, row.Unit)
						}
						if v, ok := row.Ratio(); ok {
							ratio = fmt.Sprintf("%.3f", v)
						}
						t.Row(r.Kernel, format.Sizes(r.At), row.What, format.Rough(row.Hardware, row.Unit), counted, ratio, row.Feature)
					}
				}
				return t.Write(w)
			})
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

// counterSource is where the counts of a case come from: a file, or ncu.
func counterSource(cmd *cobra.Command, recorded, to, query string, mode samples.Mode) (take func(*workload.Case) (samples.Record, error), done func(), err error) {
	if recorded != "" {
		set, err := samples.Load(recorded)
		if err != nil {
			return nil, nil, err
		}
		return func(c *workload.Case) (samples.Record, error) {
			for r, err := range set.All() {
				if err == nil && r.Mode == mode && r.Metrics != nil && r.Kernel.Key() == c.Identity.Key() {
					return *r, nil
				}
			}
			return samples.Record{}, usagef("%s has no %s counts of %s", recorded, mode, c.Identity)
		}, func() { set.Close() }, nil
	}
	ncu, err := counters.Find()
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	var journal *samples.Journal
	if to != "" {
		if journal, err = samples.Open(to); err != nil {
			return nil, nil, err
		}
	}
	o := counters.Options{NCU: ncu, Device: strings.TrimPrefix(query, samples.CUDA.String()+":"), Worker: []string{self, measure.WorkerArg}}
	take = func(c *workload.Case) (samples.Record, error) {
		r, err := counters.Measure(cmd.Context(), o, c, mode)
		if err == nil && journal != nil {
			err = journal.Append(r)
		}
		return r, err
	}
	return take, func() {
		if journal != nil {
			journal.Close()
		}
	}, nil
}
