package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/campaign"
	"gpuperf/internal/format"
	"gpuperf/workload"
)

func rankCommand() *cobra.Command {
	var o predictFlags
	var top int
	cmd := &cobra.Command{
		Use:   "rank KERNEL.star... -p n=4096",
		Short: "Order kernels by predicted run time",
		Long: `rank predicts every kernel of the scripts at one size and lists them fastest first. The model cannot distinguish neighbours whose
intervals overlap; they are marked with ~. With --measure the listed kernels are run as well. Kernels that exceed
a limit of the profile's device, such as its largest work-group or its local memory, are skipped with the reason.`,
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
			p, err := o.open(cmd, cases)
			if err != nil {
				return err
			}
			runnable, skipped, err := p.Runnable(cases)
			if err != nil {
				return err
			}
			all, err := p.PredictAll(runnable)
			if err != nil {
				return err
			}
			for _, k := range skipped {
				warnf(cmd, "skipped: %s %s: %s: %s", k.Kernel, format.Sizes(k.At), k.Status, k.Reason)
			}
			if len(all) == 0 {
				return errors.New("the device would refuse every kernel")
			}
			slices.SortStableFunc(all, func(a, b *campaign.Prediction) int { return cmp.Compare(a.Seconds, b.Seconds) })
			if top > 0 && top < len(all) {
				all = all[:top]
			}
			if err := o.measure(cmd, p, all); err != nil {
				return err
			}
			return printRanking(cmd, p, all, skipped)
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the listed kernels as well")
	cmd.Flags().IntVar(&top, "top", 0, "list only this many")
	return cmd
}

func printRanking(cmd *cobra.Command, p *campaign.Predictor, ranked []*campaign.Prediction, skipped []campaign.Refused) error {
	result := map[string]any{"ranking": predictionsJSON(p, ranked)}
	if len(skipped) > 0 {
		result["skipped"] = skipped
	}
	return show(cmd, result, func(w io.Writer) error {
		header := []string{">rank", "kernel", "sizes", ">predicted", ">95 % interval", ">of the fastest"}
		t := format.NewTable(append(header, measuredHeader(ranked)...)...)
		for i, r := range ranked {
			rank := fmt.Sprint(i + 1)
			if i > 0 && r.Interval.Overlaps(ranked[i-1].Interval) {
				rank = "~ " + rank
			}
			row := []string{rank, r.Name, format.Sizes(r.Sizes), format.Seconds(r.Seconds), r.Interval.String(), fmt.Sprintf("%.2f x", r.Seconds/ranked[0].Seconds)}
			t.Row(append(row, measuredCells(r)...)...)
		}
		noteWarnings(cmd, ranked)
		t.Write(w)
		for _, k := range skipped {
			fmt.Fprintf(w, "skipped %s %s: %s: %s\n", k.Kernel, format.Sizes(k.At), k.Status, k.Reason)
		}
		return nil
	})
}
