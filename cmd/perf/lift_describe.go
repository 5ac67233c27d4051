package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"strings"

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
	cmd := &cobra.Command{
		Use:   "describe DB.jsonl PROG.lift...",
		Short: "Derive the static features of recorded samples again",
		Long: `describe writes the vectors of features beside a samples file anew: for a program that has features which were not known when its
variants were explored. Each variant is derived from its program, by the same options as then, and must generate the source that
was run; variants that a seed does not give are looked for with the next ones. The device whose limits count is that of the samples. Nothing is run, and the samples stay as they are. All programs of
the file must be given: vectors that cannot be derived again make it fail, and nothing is written.`,
		Args: minArgs(2, "a samples file, and the programs that it has samples of"),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer rareCollections()()
			path := vectorsFile(args[0])
			v, warnings, err := rank.ReadVectors(path)
			if err != nil {
				return err
			}
			records, more, err := samples.ReadFile(args[0])
			if err != nil {
				return err
			}
			for _, w := range slices.Concat(warnings, more) {
				warnf(cmd, "%v", w)
			}
			static := launch.Options{Borders: borders}
			if len(records) > 0 {
				d := records[0].Device
				static.SubgroupSize, static.Device = int(d.SubgroupSize), facts.Of(d)
			}
			opt, err := o.space(nil)
			if err != nil {
				return err
			}
			known := map[string]bool{}
			for _, program := range args[1:] {
				p, err := loadProgram(program)
				if err != nil {
					return err
				}
				known[p.Name] = true
				before := len(v.List)
				var errs []error
				if v.List, errs = explore.Redescribe(p, v.List, opt, static); len(v.List) < before {
					return fmt.Errorf("%s: %d of the vectors of %s cannot be derived again, the first because: %w", path, before-len(v.List), p.Name, first(errs))
				}
			}
			count := map[string]int{}
			for _, x := range v.List {
				if !known[x.Benchmark] {
					return usagef("%s has vectors of %s: give its program", path, x.Benchmark)
				}
				count[x.Benchmark]++
			}
			v.Names = launch.Names(static.Device)
			if err := writeVectors(path, v); err != nil {
				return err
			}
			note(cmd, "%s: %d features of %d variants of %d programs", path, len(v.Names), len(v.List), len(count))
			return nil
		},
	}
	o.addFlags(cmd)
	cmd.Flags().Lookup("size").Hidden = true
	cmd.Flags().BoolVar(&borders, "borders", false, "follow selects and bounds of indices for each work-item instead of taking the interior")
	return cmd
}

func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// writeVectors replaces a file of vectors, packed where its name ends in .gz.
func writeVectors(path string, v *rank.Vectors) error {
	var out bytes.Buffer
	if err := v.Write(&out); err != nil {
		return err
	}
	text := out.Bytes()
	if strings.HasSuffix(path, ".gz") {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(text); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		text = packed.Bytes()
	}
	next := path + ".new"
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}
