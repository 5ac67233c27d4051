package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/cfront"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/warning"
	"gpuperf/workload"
)

// addCounting adds the flags of counts.
func addCounting(cmd *cobra.Command, o *features.Options) {
	cmd.Flags().IntVar(&o.SubgroupSize, "subgroup-size", 32, "work-items in a sub-group")
	cmd.Flags().BoolVar(&o.ExactBranches, "exact-branches", false, "count what runs: statements under an affine condition where it holds, with the work of the condition itself (by default at all points of the domain, and both sides of a select), only sub-groups of which a work-item is active (by default all of a work-group), and an access once per sub-group only if all of its work-items access one element")
}

func countCommand() *cobra.Command {
	var sizes []string
	var options features.Options
	var c cfront.Options
	cmd := &cobra.Command{
		Use:   "count KERNEL.star | FILE.c [-p n=2048]",
		Short: "Count what a kernel does: operations, memory accesses, synchronization",
		Long: `count prints exact counts as functions of the kernel's sizes, and with -p their values. Arithmetic and local memory are
counted once per sub-group; global memory once per work-item, or once per sub-group where its stride along l.0 is 0;
barriers once per work-item. Of a C file it counts each loop nest as it runs: what one work-item does, with --exact-branches.`,
		Example: `  perf count examples/matmul/matmul.star -p n=2048`,
		Args:    exactArgs(1, "one kernel script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.SubgroupSize < 1 {
				return usagef("--subgroup-size %d: a sub-group has at least one work-item", options.SubgroupSize)
			}
			at, err := parseOneSize(sizes)
			if err != nil {
				return err
			}
			variants, err := campaign.LoadKernels(cmd.Context(), args[0], c)
			if err != nil {
				return err
			}
			var all []*counted
			for _, v := range variants {
				c := &counted{Case: workload.Case{Kernel: workload.NewKernel(v.Kernel), Name: v.Name}}
				if len(sizes) > 0 { // else symbolic counts alone
					c.Sizes = campaign.OwnSizes(v, variants, []map[string]int64{at})[0]
					if err := c.CheckSizes(); err != nil {
						return usage(err)
					}
				}
				switch within, err := v.Kernel.Match(options.Within); {
				case err != nil:
					return usagef("--within: %v", err)
				case len(within) == 0 && options.Within != "":
					warnf(cmd, warning.NoMatch, "kernel "+v.Name, "--within %s selects no statement of it", options.Within)
				}
				if c.statistics, err = c.Statistics(campaign.AsRun(args[0], options)); err != nil {
					return v.Error(err)
				}
				for _, w := range c.statistics.Warnings {
					warnf(cmd, warning.NotCounted, v.Name, "%v", w)
				}
				all = append(all, c)
			}
			return printCounts(cmd, all)
		},
	}
	flags := cmd.Flags()
	addSizes(cmd, &sizes)
	addC(cmd, &c)
	addCounting(cmd, &options)
	flags.BoolVar(&options.NoMadd, "no-madd", false, "count multiply-adds as separate additions and multiplications")
	flags.BoolVar(&options.RedundantWork, "redundant-work", false, "count statements that write global memory once for each work-item, also where they do not depend on it")
	flags.BoolVar(&options.IndexOps, "index-ops", false, "count the arithmetic inside array indices too")
	flags.BoolVar(&options.Footprint, "footprint", false, "count the distinct elements read and written of each array")
	flags.BoolVar(&options.Lines, "lines", false, "with --json and sizes, count the cache lines and sectors of global memory that sub-groups touch")
	flags.StringVar(&options.Within, "within", "", "count only the statements that match, as in 'tag:fetch or writes:c'")
	return cmd
}

// counted is a kernel with its counts.
type counted struct {
	workload.Case
	statistics *features.Statistics
}

func printCounts(cmd *cobra.Command, all []*counted) error {
	if !wantJSON(cmd) {
		out := cmd.OutOrStdout()
		for i, c := range all {
			fmt.Fprintf(out, "%s%s, sub-groups of %d\n", strings.Repeat("\n", min(i, 1)), c.Name, c.statistics.SubgroupSize)
			if err := c.statistics.Write(out, c.Sizes); err != nil {
				return err
			}
		}
		return nil
	}
	var objects []any
	for _, c := range all {
		object, err := c.statistics.JSON(c.Sizes)
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
	return printJSON(cmd.OutOrStdout(), kernelsJSON(objects))
}

func featureCommand() *cobra.Command {
	var sizes []string
	var options features.Options
	var static bool
	var staticOptions staticOptions
	cmd := &cobra.Command{
		Use:   "feature KERNEL.star FEATURE... -p n=2048",
		Short: "Evaluate feature identifiers for a kernel",
		Long: `feature evaluates the identifiers that models are made of, such as f_op_float32_madd. perf help features describes all of them.

With --static it prints the static features that rankings of variants are made from, each with its meaning: parallelism, memory
accesses and the lines they touch, control flow, arithmetic, and how many work-groups a multiprocessor holds. These are sums
over the launch by work-items; selects and bounds of indices are taken as in its interior, or with --borders as they are.`,
		Example: `  perf feature examples/matmul/matmul.star f_op_float32_madd -p n=2048
  perf feature examples/matmul/matmul.star 'f_mem_access_lstrides:{0:1}' -p n=64
  perf feature examples/matmul/matmul.star --static -p n=2048`,
		Args: func(cmd *cobra.Command, args []string) error {
			if static {
				return exactArgs(1, "one kernel script beside --static")(cmd, args)
			}
			return minArgs(2, "a kernel script and at least one feature")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.SubgroupSize < 1 {
				return usagef("--subgroup-size %d: a sub-group has at least one work-item", options.SubgroupSize)
			}
			ids, err := features.ParseIDs(args[1:])
			if err != nil {
				return err
			}
			cases, err := scriptCases(cmd, args[0], sizes)
			if err != nil {
				return err
			}
			opt, err := staticOptions.static(options.SubgroupSize)
			if err != nil {
				return err
			}
			if static {
				return printStatic(cmd, cases, opt)
			}
			options.Device = opt.Device
			type value struct {
				Feature string   `json:"feature"`
				Value   float64  `json:"value"`
				Selects []string `json:"selects"`
			}
			type result struct {
				Kernel   string           `json:"kernel"`
				At       map[string]int64 `json:"at"`
				Features []value          `json:"features"`
			}
			var all []result
			for _, c := range cases {
				statistics, err := c.Statistics(options)
				if err != nil {
					return err
				}
				r := result{Kernel: c.Name, At: c.Sizes}
				for _, id := range ids {
					v, err := statistics.Value(id, c.Sizes)
					if err != nil {
						return nameDevice(ofKernel(c.Name, err))
					}
					if tags, unknown := statistics.UnknownTag(id); unknown {
						warnf(cmd, warning.NoMatch, "feature "+id.String(), "no access of kernel %s has the tag %q%s", c.Name, id.Tag, knownTags(tags))
					}
					r.Features = append(r.Features, value{id.String(), v, statistics.Explain(id)})
				}
				all = append(all, r)
			}
			return show(cmd, kernelsJSON(all), func(w io.Writer) error {
				t := format.NewTable("kernel", "sizes", "feature", ">value")
				for _, r := range all {
					for _, f := range r.Features {
						t.Row(r.Kernel, format.Sizes(r.At), f.Feature, fmt.Sprintf("%.17g", f.Value))
					}
				}
				return t.Write(w)
			})
		},
	}
	addSizes(cmd, &sizes)
	cmd.Flags().BoolVar(&static, "static", false, "print the static features that rankings are made from")
	staticOptions.addFlags(cmd, "for static features: ")
	addCounting(cmd, &options)
	return cmd
}

// ofKernel puts the name of a kernel before an error that does not begin with it.
func ofKernel(name string, err error) error {
	if prefix := "kernel " + name + ": "; !strings.HasPrefix(err.Error(), prefix) {
		return fmt.Errorf("%s%w", prefix, err)
	}
	return err
}

func knownTags(tags []string) string {
	if len(tags) == 0 {
		return ": none has one"
	}
	return ": there are " + strings.Join(tags, ", ")
}
