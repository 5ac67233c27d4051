package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

func rankCommand() *cobra.Command {
	var o predictOptions
	var top int
	cmd := &cobra.Command{
		Use:   "rank KERNEL.star... -p n=4096",
		Short: "Order kernels by predicted run time",
		Long: `rank predicts every kernel of the scripts at one size and lists them fastest first. Neighbours whose intervals
overlap cannot be told apart by the model and are marked with ~. With --measure the first of them are run as well.`,
		Args: minArgs(1, "at least one kernel script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openPredictor(cmd, o)
			if err != nil {
				return err
			}
			var all []*prediction
			for _, path := range args {
				cases, err := scriptCases(cmd, path, o.sizes)
				if err != nil {
					return err
				}
				predictions, err := p.predictAll(cases)
				if err != nil {
					return err
				}
				all = append(all, predictions...)
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
			return printRanking(cmd, p, all)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.measured, "measure", false, "measure the listed kernels as well")
	cmd.Flags().IntVar(&top, "top", 0, "list only so many")
	return cmd
}

func printRanking(cmd *cobra.Command, p *predictor, ranked []*prediction) error {
	if wantJSON(cmd) {
		all := make([]predictionJSON, len(ranked))
		for i, r := range ranked {
			all[i] = p.toJSON(r)
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"ranking": all})
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
		for _, w := range r.Warnings {
			note(cmd, "warning: %s %s: %s", r.Name, formatSizes(r.Sizes), w)
		}
	}
	t.write(cmd.OutOrStdout())
	return nil
}
