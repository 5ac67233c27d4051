package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/samples"
	"gpuperf/samples/exchange"
)

func exportCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "export SAMPLES.jsonl --as bench|t4|csv",
		Short: "Write samples in formats of other programs",
		Long: `export writes the samples of a file, without those of the sentinel kernel, to standard output in a format that other programs read. For
benchstat, each trial is a line and what tells kernels apart is in its name, so that benchstat -col /kernel compares them; failed
samples, which have no time, are left out.`,
		Example: `  perf export testdata/h200/matmul_2_2.jsonl --as bench`,
		Args:    exactArgs(1, "one samples file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set := throw.Get(samples.Load(args[0]))
			defer set.Close()
			warn(cmd, set.Warnings)
			var text strings.Builder
			if err := exchange.Export(&text, as, set.All()); err != nil {
				return usage(err)
			}
			return showText(cmd, map[string]any{"format": as, "text": text.String()}, text.String())
		},
	}
	cmd.Flags().StringVar(&as, "as", "csv", "the format: "+exchange.List(exchange.Exports))
	return cmd
}

func importCommand() *cobra.Command {
	var as, to string
	cmd := &cobra.Command{
		Use:   "import FILE -o SAMPLES.jsonl",
		Short: "Read what profilers and tuners have recorded as samples",
		Long: `import makes samples of what another program has recorded. There is one for each kernel and launch: its trials are the times of all such
launches, and its metrics, where a profiler has counted, the medians over them. Each says which program measured it. A samples file holds
those of one program, and models are not fitted to imported samples, nor are these replayed: how they were taken is not known. Of Nsight Compute the page raw is read:

  ncu --csv --page raw --log-file app.csv ./app`,
		Example: `  perf import samples/exchange/testdata/ncu.csv -o app.jsonl
  perf export app.jsonl --as csv`,
		Args: exactArgs(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return usagef("perf import needs -o SAMPLES.jsonl, the file to write")
			}
			from, records, dropped, err := exchange.Import(args[0], as)
			if err != nil {
				return usage(err)
			}
			for _, d := range dropped {
				warnf(cmd, warning.LeftOut, "", "%v", d)
			}
			throw.If(samples.Add(to, records))
			note(cmd, "%s: recorded by %s; samples: %s", args[0], from, to)
			t := format.NewTable("kernel", ">median", ">trials", ">metrics", "status")
			for _, r := range records {
				t.Row(r.Kernel.Key(), campaign.TimeOf(r), fmt.Sprint(len(r.Trials)), fmt.Sprint(len(r.Metrics)), string(r.Status))
			}
			return show(cmd, map[string]any{"format": from, "samples": records}, t.Write)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "the format, where it is not recognised: "+exchange.List(exchange.Imports))
	cmd.Flags().StringVarP(&to, "output", "o", "", "the samples file to add to")
	return cmd
}
