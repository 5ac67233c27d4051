package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/lift/rank"
	"gpuperf/samples"
)

func rankersCommand() *cobra.Command {
	var names []string
	var options rank.OutcomeOptions
	var out string
	cmd := &cobra.Command{
		Use:   "rankers VECTORS.jsonl SAMPLES.jsonl",
		Short: "Compare ways to rank variants, on benchmarks left out",
		Long: `rankers joins feature vectors with the samples of their kernels, leaves each benchmark out in turn, learns from the others, ranks
the variants of the one left out, and tells how well that goes: rank correlation, runs until one of the variants reaches 90 %
of the best throughput, and how many times fewer runs and less time that is than in random order. It also tells which features
say most of throughput. With --out it draws the curves and bars.

` + rankerList(),
		Args: exactArgs(2, "a file of feature vectors and a file of samples"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := loadSet(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			all, err := compareRankers(set, names, options)
			if err != nil {
				return err
			}
			redundancy, err := rank.NewRedundancy(set)
			if err != nil {
				return err
			}
			if out != "" {
				if err := writeFigures(out, rank.NewFigures(all), redundancy); err != nil {
					return err
				}
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"rankers": all, "redundancy": redundancy})
			}
			for _, o := range all {
				if err := o.Write(cmd.OutOrStdout()); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout())
			}
			return redundancy.Write(cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&names, "ranker", nil, "the rankers to compare (default: all that the vectors have what they need for)")
	flags.Float64Var(&options.Share, "share", 0.9, "the share of the best throughput to be reached")
	flags.Float64Var(&options.Limit, "limit", 10, "how many times the best time a run may take where slow runs are stopped")
	flags.Float64Var(&options.MinBest, "min-best", 0, "leave out benchmarks and sizes whose best time is below so many seconds")
	flags.StringVar(&out, "out", "", "the folder to draw curves.svg, factors.svg, runs.svg and redundancy.svg into")
	return cmd
}

// rankerList is the table of rankers for the help.
func rankerList() string {
	text := "Rankers:\n"
	for _, r := range rank.Rankers() {
		text += fmt.Sprintf("  %-13s %s\n", r.Name, r.Doc)
	}
	return text
}

// loadSet reads vectors and samples and joins them.
func loadSet(cmd *cobra.Command, vectors, records string) (*rank.Set, error) {
	v, warnings, err := rank.ReadVectors(vectors)
	if err != nil {
		return nil, err
	}
	list, more, err := samples.ReadFile(records)
	if err != nil {
		return nil, err
	}
	set, joined := rank.Join(v, list)
	for _, w := range slices.Concat(warnings, more, joined) {
		note(cmd, "warning: %v", w)
	}
	return set, nil
}

// chooseRankers finds rankers by name; without names, all that the points have what they need for.
func chooseRankers(s *rank.Set, names []string) ([]rank.Ranker, error) {
	var out []rank.Ranker
	for _, name := range names {
		r, err := rank.Find(name)
		if err != nil {
			return nil, &usageError{err}
		}
		out = append(out, r)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, r := range rank.Rankers() {
		if r.Missing(s) == nil {
			out = append(out, r)
		}
	}
	return out, nil
}

// compareRankers tries each of the rankers on every benchmark, left out.
func compareRankers(s *rank.Set, names []string, options rank.OutcomeOptions) ([]*rank.Outcomes, error) {
	chosen, err := chooseRankers(s, names)
	if err != nil {
		return nil, err
	}
	var all []*rank.Outcomes
	for _, r := range chosen {
		o, err := rank.LeaveOneOut(s, r, options)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

func writeFigures(dir string, f *rank.Figures, r *rank.Redundancy) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, figure := range []struct{ name, svg string }{
		{"curves.svg", f.Curves.SVG()},
		{"factors.svg", f.Factors.SVG()},
		{"runs.svg", f.Runs.SVG()},
		{"redundancy.svg", r.Chart().SVG()},
	} {
		if err := os.WriteFile(filepath.Join(dir, figure.name), []byte(figure.svg), 0o644); err != nil {
			return err
		}
	}
	return nil
}
