package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/workload"
)

// addCounting adds the flags of counts.
func addCounting(cmd *cobra.Command, o *features.Options) {
	cmd.Flags().IntVar(&o.SubgroupSize, "subgroup-size", 32, "work-items in a sub-group")
	cmd.Flags().BoolVar(&o.ExactBranches, "exact-branches", false, "count what runs: statements under an affine condition where it holds, with the work of the condition itself (by default at all points of the domain, and both sides of a select), only sub-groups of which a work-item is active (by default all of a work-group), iterations of a loop that its work-items make in lock step (by default its values), and an access once per sub-group only if all of its work-items access one element")
}

func countCommand() *cobra.Command {
	var sizes []string
	var options features.Options
	var files frontend.Options
	var survey bool
	cmd := &cobra.Command{
		Use:   "count KERNEL [-p n=2048]",
		Short: "Count what a kernel does: operations, memory accesses, synchronization",
		Long: `count prints exact counts as functions of the kernel's sizes, and with -p their values, a column for each size. Arithmetic and local memory are
counted once per sub-group; global memory once per work-item, or once per sub-group where its stride along l.0 is 0;
barriers once per work-item. Loop nests of C files and kernel functions are counted as they run, with --exact-branches.

With --survey KERNEL is a folder: all kernel functions of the files in it and below are tried, templates for arguments that fit, with work-groups of 256
and all sizes 64, and a table says how many can be counted, how many when what the build gives is what perf proposes, and why others cannot.`,
		Example: `  perf count examples/matmul/matmul.star -p n=2048
  perf count examples/matmul/matmul.star -p n=1024,2048`,
		Args: exactArgs(1, "one file with kernels"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.SubgroupSize < 1 {
				return usagef("--subgroup-size %d: a sub-group has at least one work-item", options.SubgroupSize)
			}
			if survey {
				s := throw.Get(campaign.NewSurvey(cmd.Context(), files, args[0]))
				return show(cmd, s, s.Write)
			}
			files.Subgroup = int64(options.SubgroupSize)
			at := throw.Get(parseArguments(sizes))
			if len(sizes) == 0 { // symbolic counts alone
				at = []map[string]int64{nil}
			}
			all, warnings := throw.Get2(campaign.CountsAt(cmd.Context(), files, args[0], at, options))
			warn(cmd, warnings)
			objects := make([]any, len(all))
			for i, c := range all {
				objects[i] = throw.Get(c.JSON())
			}
			return show(cmd, kernelsJSON(objects), func(w io.Writer) error { return campaign.WriteCounts(w, all) })
		},
	}
	flags := cmd.Flags()
	addSizes(cmd, &sizes)
	addFiles(cmd, &files)
	addCounting(cmd, &options)
	flags.BoolVar(&survey, "survey", false, "try all kernel functions of a folder, and print how many can be counted and why others cannot")
	flags.BoolVar(&options.NoMadd, "no-madd", false, "count multiply-adds as separate additions and multiplications")
	flags.BoolVar(&options.RedundantWork, "redundant-work", false, "count statements that write global memory once for each work-item, also where they do not depend on it")
	flags.BoolVar(&options.IndexOps, "index-ops", false, "count the arithmetic inside array indices too")
	flags.BoolVar(&options.Footprint, "footprint", false, "count the distinct elements read and written of each array")
	flags.BoolVar(&options.Lines, "lines", false, "with --json and sizes, count the cache lines and sectors of global memory that sub-groups touch")
	flags.StringVar(&options.Within, "within", "", "count only the statements that match, as in 'tag:fetch or writes:c'")
	return cmd
}

func featureCommand() *cobra.Command {
	var sizes []string
	var options features.Options
	var static bool
	var files frontend.Options
	var staticOptions staticOptions
	cmd := &cobra.Command{
		Use:   "feature KERNEL FEATURE... -p n=2048",
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
				return exactArgs(1, "one file with kernels beside --static")(cmd, args)
			}
			return minArgs(2, "a file with kernels and at least one feature")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.SubgroupSize < 1 {
				return usagef("--subgroup-size %d: a sub-group has at least one work-item", options.SubgroupSize)
			}
			files.Subgroup = int64(options.SubgroupSize)
			ids := throw.Get(features.ParseIDs(args[1:]))
			cases := throw.Get(fileCases(cmd, files, args[0], sizes))
			opt := throw.Get(staticOptions.static(options.SubgroupSize))
			if static {
				printStatic(cmd, cases, opt)
				return nil
			}
			options.Device = opt.Device
			all, warnings, err := campaign.Features(cases, ids, options)
			if err != nil {
				return nameDevice(err)
			}
			warn(cmd, warnings)
			return show(cmd, kernelsJSON(all), campaign.FeatureTable(all).Write)
		},
	}
	addSizes(cmd, &sizes)
	addFiles(cmd, &files)
	cmd.Flags().BoolVar(&static, "static", false, "print the static features that rankings are made from")
	staticOptions.addFlags(cmd, "for static features: ")
	addCounting(cmd, &options)
	return cmd
}

// staticOptions are what feature --static is told.
type staticOptions struct {
	borders  bool
	hardware string
}

// addFlags adds the flags; when says which other flag they go with, or nothing.
func (o *staticOptions) addFlags(cmd *cobra.Command, when string) {
	cmd.Flags().BoolVar(&o.borders, "borders", false, when+"evaluate selects and index bounds for each work-item instead of assuming the interior")
	cmd.Flags().StringVar(&o.hardware, "hardware", "", when+"the device whose limits and caches count, as drivers name it")
}

// static returns the options of package launch.
func (o *staticOptions) static(subgroup int) (launch.Options, error) {
	opt := launch.Options{SubgroupSize: subgroup, Borders: o.borders}
	if o.hardware != "" {
		var known []string
		if opt.Device, known = facts.Named(o.hardware); opt.Device == nil {
			return opt, usagef("--hardware %q: the limits of this device are not known; known are: %s", o.hardware, strings.Join(known, ", "))
		}
	}
	return opt, nil
}

// noteUnknown warns of the static features that are left out because facts of the device are not known.
func noteUnknown(cmd *cobra.Command, device *facts.Device) {
	var names []string
	var keys []facts.Key
	unknown := &facts.Unknown{}
	for _, f := range launch.Features() {
		if errors.As(launch.Needs(device, f.Name), &unknown) {
			names, keys = append(names, f.Name), append(keys, unknown.Keys...)
		}
	}
	if len(names) > 0 {
		slices.Sort(keys)
		warnf(cmd, warning.UnknownFacts, "without "+strings.Join(names, ", "), "%v", nameDevice(&facts.Unknown{Device: device.Name(), Keys: slices.Compact(keys)}))
	}
}

// nameDevice adds to an error of facts that are not known how to give them.
func nameDevice(err error) error {
	if unknown := (*facts.Unknown)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("%w; name a device by --hardware", err)
	}
	return err
}

// printStatic prints the static features of the cases.
func printStatic(cmd *cobra.Command, cases []*workload.Case, opt launch.Options) {
	all, warnings := throw.Get2(campaign.Static(cases, opt))
	warn(cmd, warnings)
	noteUnknown(cmd, opt.Device)
	throw.If(show(cmd, kernelsJSON(all), func(w io.Writer) error { return campaign.WriteStatic(w, cases, all) }))
}
