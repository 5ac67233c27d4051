package main

import (
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/internal/throw"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

func liftDescribeCommand() *cobra.Command {
	var o spaceOptions
	var static launch.Options
	cmd := &cobra.Command{
		Use:   "describe DB.jsonl PROG.lift...",
		Short: "Derive the static features of recorded samples again",
		Long: `describe writes the feature vectors beside a samples file anew: where there are none, or to add features that did not exist when the
variants were explored. Each variant is derived again from its program, with the same options as before, and must generate the source that
was run; variants that one seed does not give are looked for with the next seeds. The device and the interface are those of the samples. Nothing is
run, and the samples stay as they are. With --traffic vectors also have what the variants move between L1, L2 and DRAM, by walks through them that
take some 20 ms each: the ranker traffic and models such as general need that. All programs of which the file has vectors must be given: if a variant cannot be derived again, nothing is written.`,
		Example: `  perf lift describe dot.jsonl examples/lift/dot.lift --count 50`,
		Args:    minArgs(2, "a samples file, and the programs that it has samples of"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set := throw.Get(samples.Load(args[0]))
			defer set.Close()
			path := rank.VectorsFile(args[0])
			v, warnings, err := rank.ReadVectors(path)
			if errors.Is(err, fs.ErrNotExist) {
				v, err = &rank.Vectors{}, nil
			}
			if err != nil {
				return err
			}
			warn(cmd, slices.Concat(warnings, set.Warnings))
			opt := throw.Get(o.Options(nil))
			if d, ok := set.Device(); ok {
				static.SubgroupSize, static.Device, opt.Interface = int(d.SubgroupSize), facts.Of(d), d.Interface
			}
			list := throw.Get(explore.Recorded(set, v.List))
			list, count := throw.Get2(explore.RedescribeFiles(path, args[1:], list, opt, static))
			v = &rank.Vectors{Names: static.Names(), List: list}
			throw.If(v.Replace(path))
			note(cmd, "%s: %d features of %d variants of %d programs", path, len(v.Names), len(v.List), len(count))
			return show(cmd, map[string]any{"vectors": path, "features": v.Names, "variants": len(v.List), "programs": len(count)},
				func(io.Writer) error { return nil })
		},
	}
	o.addFlags(cmd)
	cmd.Flags().Lookup("param").Hidden = true
	cmd.Flags().BoolVar(&static.Traffic, "traffic", false, "also what moves between L1, L2 and DRAM")
	cmd.Flags().BoolVar(&static.Borders, "borders", false, "evaluate selects and index bounds for each work-item instead of assuming the interior")
	return cmd
}
