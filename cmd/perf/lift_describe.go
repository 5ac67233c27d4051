package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

func liftDescribeCommand() *cobra.Command {
	var o spaceOptions
	var borders bool
	var model modelOptions
	cmd := &cobra.Command{
		Use:   "describe DB.jsonl PROG.lift...",
		Short: "Derive the static features of recorded samples again",
		Long: `describe rewrites the feature vectors beside a samples file, to add features that did not exist when the variants were explored.
Each variant is derived again from its program, with the same options as before, and must generate the source that
was run; variants that one seed does not give are looked for with the next seeds. The device is that of the samples. Nothing is run,
and the samples stay as they are. With --profile the times that its model predicts are kept in the vectors too, so that rankers which need them can be
evaluated. All programs of the file must be given: if a vector cannot be derived again, nothing is written.`,
		Example: `  perf lift describe dot.jsonl examples/lift/dot.lift --count 50`,
		Args:    minArgs(2, "a samples file, and the programs that it has samples of"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := samples.Load(args[0])
			if err != nil {
				return err
			}
			defer set.Close()
			path := rank.VectorsFile(args[0])
			v, warnings, err := rank.ReadVectors(path)
			if err != nil {
				return err
			}
			warn(cmd, slices.Concat(warnings, set.Warnings))
			static := launch.Options{Borders: borders}
			if d, ok := set.Device(); ok {
				static.SubgroupSize, static.Device = int(d.SubgroupSize), facts.Of(d)
			}
			opt, err := o.Options(nil)
			if err != nil {
				return err
			}
			var ready explore.Ready
			if model.profile != "" {
				ready = func(s *explore.Space) error { return model.set(cmd, s, static.Device) }
			}
			list, count, err := explore.RedescribeFiles(path, args[1:], v.List, opt, static, ready)
			if err != nil {
				return err
			}
			v.List = list
			v.Names = launch.Names(static.Device)
			if err := v.Replace(path); err != nil {
				return err
			}
			note(cmd, "%s: %d features of %d variants of %d programs", path, len(v.Names), len(v.List), len(count))
			return show(cmd, map[string]any{"vectors": path, "features": v.Names, "variants": len(v.List), "programs": len(count)},
				func(io.Writer) error { return nil })
		},
	}
	o.addFlags(cmd)
	model.addFlags(cmd)
	cmd.Flags().Lookup("size").Hidden = true
	cmd.Flags().BoolVar(&borders, "borders", false, "evaluate selects and index bounds for each work-item instead of assuming the interior")
	return cmd
}
