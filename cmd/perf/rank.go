package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/device"
	"gpuperf/samples"
	"gpuperf/workload"
)

func rankCommand() *cobra.Command {
	var o predictOptions
	var top int
	cmd := &cobra.Command{
		Use:   "rank KERNEL.star... -p n=4096",
		Short: "Order kernels by predicted run time",
		Long: `rank predicts every kernel of the scripts at one size and lists them fastest first. Neighbours whose intervals
overlap cannot be told apart by the model and are marked with ~. With --measure the first of them are run as well. Kernels that exceed
a limit of the profile's device, as its largest work-group or its local memory, are skipped with the reason.`,
		Args: minArgs(1, "at least one kernel script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var cases []*workload.Case
			for _, path := range args {
				of, err := scriptCases(cmd, path, o.sizes)
				if err != nil {
					return err
				}
				cases = append(cases, of...)
			}
			p, err := openPredictor(cmd, o, cases)
			if err != nil {
				return err
			}
			runnable, skipped, err := p.runnable(cases)
			if err != nil {
				return err
			}
			all, err := p.predictAll(runnable)
			if err != nil {
				return err
			}
			for _, k := range skipped {
				note(cmd, "warning: skipped: %s %s: %s: %s", k.Kernel, formatSizes(k.At), k.Status, k.Reason)
			}
			if len(all) == 0 {
				return errors.New("the device would refuse every kernel")
			}
			slices.SortStableFunc(all, func(a, b *prediction) int { return cmp.Compare(a.Seconds, b.Seconds) })
			if top > 0 && top < len(all) {
				all = all[:top]
			}
			if o.measured {
				if err := measurePredicted(cmd, o.session, p, all); err != nil {
					return err
				}
			}
			return printRanking(cmd, p, all, skipped)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the listed kernels as well")
	cmd.Flags().IntVar(&top, "top", 0, "list only so many")
	return cmd
}

// skippedJSON is a kernel that the device would not run.
type skippedJSON struct {
	Kernel string           `json:"kernel"`
	At     map[string]int64 `json:"at,omitempty"`
	Status samples.Status   `json:"status"`
	Reason string           `json:"reason"`
}

// runnable tells the cases that keep to the limits of the device that the model is of from those that do not.
func (p *predictor) runnable(cases []*workload.Case) (run []*workload.Case, refused []skippedJSON, err error) {
	for _, c := range cases {
		job, err := c.Job(device.Policy{})
		if err != nil {
			return nil, nil, err
		}
		if verdict := job.Check(device.Info{Fingerprint: p.device}); verdict != nil {
			refused = append(refused, skippedJSON{c.Name, c.Sizes, verdict.Status, verdict.Msg})
			continue
		}
		run = append(run, c)
	}
	return run, refused, nil
}

func printRanking(cmd *cobra.Command, p *predictor, ranked []*prediction, skipped []skippedJSON) error {
	if wantJSON(cmd) {
		all := make([]predictionJSON, len(ranked))
		for i, r := range ranked {
			all[i] = p.toJSON(r)
		}
		result := map[string]any{"ranking": all}
		if len(skipped) > 0 {
			result["skipped"] = skipped
		}
		return printJSON(cmd.OutOrStdout(), result)
	}
	header := []string{">rank", "kernel", "sizes", ">predicted", ">95 % interval", ">of the fastest"}
	measured := len(ranked) > 0 && ranked[0].measured != nil
	if measured {
		header = append(header, ">measured", ">error")
	}
	t := newTable(header...)
	for i, r := range ranked {
		rank := fmt.Sprint(i + 1)
		if i > 0 && r.Interval.Known() && ranked[i-1].Interval.Known() && r.Interval[0] < ranked[i-1].Interval[1] {
			rank = "~ " + rank
		}
		row := []string{rank, r.Name, formatSizes(r.Sizes), seconds(r.Seconds), intervalText(r.Interval), fmt.Sprintf("%.2f x", r.Seconds/ranked[0].Seconds)}
		if measured {
			row = append(row, measuredText(r)...)
		}
		t.row(row...)
	}
	noteWarnings(cmd, ranked)
	t.write(cmd.OutOrStdout())
	for _, k := range skipped {
		fmt.Fprintf(cmd.OutOrStdout(), "skipped %s %s: %s: %s\n", k.Kernel, formatSizes(k.At), k.Status, k.Reason)
	}
	return nil
}
