package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/calibrate/profiles"
	"gpuperf/internal/format"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/internal/warning"
	"gpuperf/lift"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
)

// rankerList is the table of rankers for the help.
func rankerList() string {
	text := "Rankers:\n"
	for _, r := range rank.Rankers() {
		text += fmt.Sprintf("  %-13s %s\n", r.Name, r.Doc)
	}
	return text
}

// findRanker finds the ranker that --ranker names, which may need a model.
func findRanker(name string, model modelOptions) (r rank.Ranker, err error) {
	if r, err = rank.Find(name); err != nil {
		return r, usage(err)
	}
	if r.Predicted() && model.profile == "" {
		return r, usagef("--ranker %s: it needs predicted times: give a --profile", name)
	}
	return r, nil
}

// loadDatabase reads a database and prints what is to be known of it.
func loadDatabase(cmd *cobra.Command, files []string, without string, own bool) (*rank.Database, error) {
	db, err := rank.Load(files, without, own)
	if err != nil {
		return nil, err
	}
	warn(cmd, db.Warnings)
	return db, nil
}

func liftRankCommand() *cobra.Command {
	var o spaceOptions
	var order rankOptions
	var top int
	cmd := &cobra.Command{
		Use:   "rank PROG.lift -p n=4096 --database DB.jsonl",
		Short: "Order the design points of a program by predicted performance",
		Long: `rank derives the variants of a program with their ND-ranges, and orders them by a ranker that has learnt from samples of
other programs: files that perf lift explore wrote, with the vectors of static features beside them. Nothing is run.

` + rankerList(),
		Example: `  perf lift rank examples/lift/dot.lift -p n=1048576 --count 50 \
      --database testdata/h200/lift_blas.jsonl.gz`,
		Args: exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(order.databases) == 0 && order.ranker != "model" {
				return usagef("rank needs a --database to learn from: samples that perf lift explore wrote\n    or a calibrated model: --ranker model --profile %s", strings.Join(profiles.All.Names(), " | "))
			}
			throw.If(atLeast(0, map[string]int64{"top": int64(top)}))
			p := throw.Get(lift.Load(args[0]))
			scorer, opt := throw.Get2(order.scorer(cmd, p.Name))
			start := time.Now()
			s := o.open(args[0], nil)
			throw.If(order.model.set(cmd, s, opt.Device))
			derived := time.Now()
			s.Prepare(s.Points, opt)
			described := time.Now()
			ranked := throw.Get(s.Rank(scorer))
			note(cmd, "%d design points derived in %v, described in %v, ranked in %v", len(ranked),
				derived.Sub(start).Round(time.Millisecond), described.Sub(derived).Round(time.Millisecond), time.Since(described).Round(time.Millisecond))
			unknown, refused := s.Failed()
			if len(unknown) > 0 {
				warnf(cmd, warning.LeftOut, "", "%d points cannot be lowered or described, the first because: %v", len(unknown), unknown[0].Err)
			}
			if len(refused) > 0 {
				warnf(cmd, warning.LeftOut, "", "%d points cannot run on the device, the first, %s of %s, because: %v", len(refused), refused[0].Range, refused[0].Variant.ID, refused[0].Err)
			}
			if top > 0 {
				ranked = ranked[:min(top, len(ranked))]
			}
			t := format.NewTable(">rank", "variant", "work-items", ">score", "recipe")
			for i, r := range ranked {
				t.Row(fmt.Sprint(i+1), r.Point.Variant.ID, r.Point.Range.String(), fmt.Sprintf("%.4g", r.Score), r.Recipe)
			}
			return show(cmd, map[string]any{"program": p.Name, "ranking": ranked}, t.Write)
		},
	}
	o.addFlags(cmd)
	order.addFlags(cmd)
	cmd.Flags().IntVar(&top, "top", 20, "list only this many; 0 lists all")
	return cmd
}

func liftRedundancyCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "redundancy DB.jsonl...",
		Short:   "Show which static features predict throughput best",
		Example: `  perf lift redundancy testdata/h200/lift_blas.jsonl.gz`,
		Args:    minArgs(1, "samples that perf lift explore wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db := throw.Get(loadDatabase(cmd, args, "", true))
			r := throw.Get(rank.NewRedundancy(db.Set))
			if out != "" {
				throw.If(replace.Picture.Bytes(filepath.Join(out, "redundancy.svg"), []byte(r.Chart().SVG())))
			}
			return show(cmd, r, r.Write)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder to draw redundancy.svg into")
	return cmd
}

func liftEvaluateCommand() *cobra.Command {
	var names, learn []string
	var options rank.OutcomeOptions
	var model modelOptions
	var out string
	cmd := &cobra.Command{
		Use:   "evaluate DB.jsonl...",
		Short: "Test rankers on programs that they have not learnt from",
		Long: `evaluate leaves out each family of programs of the databases in turn, learns from the others, ranks the points of the one left out,
and compares the ranking with their times: rank correlation, runs until one reaches 90 % of the best, and the savings in runs
and time over random order. Programs that share more than half of their points, the same recipe with the same ND-range, are a family: the
times of one nearly are those of the other. Of what is left out, only points are ranked that share neither with one learnt from.
With --train more is learnt from other samples, those of the family left out. With --out it
draws curves and bars, and a page of them.

` + rankerList(),
		Example: `  perf lift evaluate testdata/h200/lift_stencils.jsonl.gz --ranker knn`,
		Args:    minArgs(1, "samples that perf lift explore wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !(options.Share > 0 && options.Share <= 1):
				return usagef("--share %v: must be above 0 and at most 1", options.Share)
			case !(options.Limit > 1):
				return usagef("--limit %v: must be greater than 1", options.Limit)
			case !(options.MinBest >= 0):
				return usagef("--min-best %v: a time must not be negative", options.MinBest)
			}
			throw.If(atLeast(2, map[string]int64{"min-points": int64(options.MinPoints)}))
			for _, name := range names {
				if _, err := rank.Find(name); err != nil {
					return usage(err)
				}
			}
			db := throw.Get(loadDatabase(cmd, args, "", true))
			switch known, err := model.predict(cmd, db.Set); {
			case err != nil:
				return err
			case !known:
				return usagef("--profile %s: the model has features that the vectors do not have (the model parts has none of these): perf lift describe --traffic adds them", model.profile)
			}
			var train *rank.Set
			if len(learn) > 0 {
				other := throw.Get(loadDatabase(cmd, learn, "", true))
				train = other.Common(db.Names)
				db.Set = db.Common(train.Names)
				if _, err := model.predict(cmd, train); err != nil {
					return err
				}
			}
			all := throw.Get(rank.Compare(db.Set, train, names, options))
			if out != "" {
				redundancy := throw.Get(rank.NewRedundancy(db.Set))
				throw.If(rank.NewFigures(all).Draw(out, redundancy))
				page := &explore.Page{Databases: args, Set: db.Set, Rankers: all, Redundancy: redundancy, Limit: options.Limit}
				writePage(filepath.Join(out, "index.html"), page)
			}
			return show(cmd, map[string]any{"rankers": all}, func(w io.Writer) error {
				for _, o := range all {
					if err := o.Write(w); err != nil {
						return err
					}
					fmt.Fprintln(w)
				}
				return nil
			})
		},
	}
	model.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&learn, "train", nil, "learn from these samples too, without the family that is ranked (may be repeated)")
	flags.StringSliceVar(&names, "ranker", nil, "the rankers to compare (default: all whose features the vectors have)")
	flags.Float64Var(&options.Share, "share", 0.9, "the share of the best throughput to be reached")
	flags.Float64Var(&options.Limit, "limit", 10, "where slow runs are stopped: the limit of a run, as a multiple of the best time")
	flags.Float64Var(&options.MinBest, "min-best", 0, "leave out benchmarks and sizes whose best time is shorter, in seconds")
	flags.IntVar(&options.MinPoints, "min-points", 10, "leave out benchmarks and sizes with fewer measured points")
	flags.StringVar(&out, "out", "", "the folder to draw curves.svg, factors.svg, runs.svg and redundancy.svg into, and index.html with all of them")
	return cmd
}

func writePage(path string, page interface{ Write(w io.Writer) error }) {
	var text bytes.Buffer
	throw.If(page.Write(&text))
	throw.If(replace.Page.Bytes(path, text.Bytes()))
}
