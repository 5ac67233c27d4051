package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/internal/campaign"
	"gpuperf/internal/command/stock"
	"gpuperf/internal/format"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

func samplesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "samples",
		Short: "List, show, prune and merge files of samples",
		Long: `samples keeps house among the files of samples that measuring commands write. Without the name of a file, list shows those of the data
directory.`,
	}
	cmd.AddCommand(samplesListCommand(), samplesShowCommand(), samplesPruneCommand(), samplesMergeCommand())
	return cmd
}

func samplesListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list [SAMPLES.jsonl...]",
		Short:   "List files of samples: device, number, status, dates",
		Example: `  perf samples list testdata/h200/matmul_2_2.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			data := throw.Get(dataDir())
			all := throw.Get(stock.Journals(data, args))
			for _, j := range all {
				if j.Error != "" && len(args) > 0 {
					return usagef("%s", j.Error)
				}
			}
			return show(cmd, map[string]any{"files": all}, func(w io.Writer) error {
				if len(all) == 0 {
					_, err := fmt.Fprintf(w, "no samples yet in %s; perf measure and perf calibrate write some\n", data)
					return err
				}
				t := format.NewTable("file", "device", ">samples", ">kernels", "status", "from", "to")
				for _, j := range all {
					if j.Error != "" {
						t.Row(j.Path, "", "", "", j.Error, "", "")
						continue
					}
					var statuses []string
					for _, s := range slices.Sorted(maps.Keys(j.Statuses)) {
						statuses = append(statuses, fmt.Sprintf("%d %s", j.Statuses[s], s))
					}
					t.Row(j.Path, j.Device, fmt.Sprint(j.Samples), fmt.Sprint(j.Kernels), strings.Join(statuses, ", "),
						j.First.Format(time.DateOnly), j.Last.Format(time.DateOnly))
				}
				return t.Write(w)
			})
		},
	}
}

func samplesShowCommand() *cobra.Command {
	var kernel string
	var fastest bool
	cmd := &cobra.Command{
		Use:     "show SAMPLES.jsonl",
		Short:   "Show the samples of a file",
		Example: `  perf samples show testdata/h200/matmul_2_2.jsonl --kernel prefetch`,
		Args:    exactArgs(1, "a file of samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set := throw.Get(samples.Load(args[0]))
			defer set.Close()
			warn(cmd, set.Warnings)
			list := []campaign.Sample{}
			for r, err := range set.All() {
				if err != nil {
					return err
				}
				if !r.IsSentinel() && strings.Contains(r.Kernel.Key(), kernel) {
					list = append(list, campaign.Sample{Record: *r})
				}
			}
			if fastest {
				slices.SortStableFunc(list, campaign.Sample.Faster)
			}
			return show(cmd, map[string]any{"samples": list}, campaign.SampleTable(list, false).Write)
		},
	}
	cmd.Flags().BoolVar(&fastest, "by-time", false, "the fastest first, what has no time last")
	cmd.Flags().StringVar(&kernel, "kernel", "", "only kernels with this in their name or sizes")
	return cmd
}

// rewriteFlags choose the records that stay.
type rewriteFlags struct {
	to     string
	failed bool
	older  time.Duration
}

// wanted chooses the records that stay; nil is all.
func (f rewriteFlags) wanted(r *samples.Record) bool {
	return (!f.failed || r.Status == samples.OK) && (f.older == 0 || time.Since(r.Time) <= f.older)
}

// rewrite writes those records of files that stay to another, or to the only one.
func (f rewriteFlags) rewrite(cmd *cobra.Command, to string, files []string) (err error) {
	defer throw.Catch(&err)
	if !slices.ContainsFunc(files, func(f string) bool { return sameFile(f, to) }) {
		throw.If(replace.Copy.Check(to, nil))
	}
	defer collect(keepsMuch)()
	done := throw.Get(samples.Rewrite(cmd.Context(), to, files, f.wanted, func(holder string) { monitor(cmd).Waiting("the samples file", holder) }))
	warn(cmd, done.Warnings)
	return showText(cmd, map[string]any{"file": to, "kept": done.Kept, "superseded": done.Superseded, "dropped": done.Dropped},
		fmt.Sprintf("%s: %d samples; left out: %d that were measured again later, %d that are not wanted\n", to, done.Kept, done.Superseded, done.Dropped))
}

// sameFile reports that two paths are of one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func samplesPruneCommand() *cobra.Command {
	var flags rewriteFlags
	cmd := &cobra.Command{
		Use:   "prune SAMPLES.jsonl",
		Short: "Leave out samples that were measured again later",
		Long: `prune writes a file of samples anew, of each kernel, size, source and state of the caches the latest sample; with --failed without those
that have no time, with --older without those that are too old. The old file is replaced when the new one is whole.`,
		Example: `  perf samples merge testdata/h200/matmul_2_2.jsonl -o all.jsonl
  perf samples prune all.jsonl --failed`,
		Args: exactArgs(1, "a file of samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to := flags.to
			if to == "" {
				to = args[0]
			}
			return flags.rewrite(cmd, to, args)
		},
	}
	cmd.Flags().BoolVar(&flags.failed, "failed", false, "leave out samples without a time too")
	cmd.Flags().DurationVar(&flags.older, "older", 0, "leave out samples older than this, as 720h")
	cmd.Flags().StringVarP(&flags.to, "output", "o", "", "the file to write (default: the same)")
	return cmd
}

func samplesMergeCommand() *cobra.Command {
	var flags rewriteFlags
	cmd := &cobra.Command{
		Use:   "merge SAMPLES.jsonl... -o OUT.jsonl",
		Short: "Write the samples of several files of one device to one",
		Long:  `merge writes one file with the samples of several, which must be of one device. Of what several have measured, the latest sample counts.`,
		Example: `  perf samples merge testdata/h200/matmul_2_2.jsonl \
      testdata/h200/matmul_2_2.jsonl -o merged.jsonl`,
		Args: minArgs(1, "files of samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.to == "" {
				return usagef("say which file to write: -o FILE")
			}
			return flags.rewrite(cmd, flags.to, args)
		},
	}
	cmd.Flags().StringVarP(&flags.to, "output", "o", "", "the file to write")
	return cmd
}
