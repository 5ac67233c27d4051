package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/internal/format"
	"gpuperf/launch"
	"gpuperf/lift/explore"
	"gpuperf/lift/rank"
)

func liftRankCommand() *cobra.Command {
	var o spaceOptions
	var static staticOptions
	var databases []string
	var model modelOptions
	var ranker string
	var top int
	cmd := &cobra.Command{
		Use:   "rank PROG.lift -s n=4096 --database DB.jsonl",
		Short: "Order the design points of a program by predicted performance",
		Long: `rank derives the variants of a program with their ND-ranges, and orders them as a ranker says that has learnt from samples of
other programs: files that perf lift explore wrote, with the vectors of static features beside them. Nothing is run.

` + rankerList(),
		Args: exactArgs(1, "a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(databases) == 0 && ranker != "model" {
				return usagef("rank needs a --database to learn from: samples that perf lift explore wrote")
			}
			defer rareCollections()()
			r, err := rank.Find(ranker)
			switch {
			case err != nil:
				return usage(err)
			case r.Predicted() && model.profile == "":
				return usagef("--ranker %s: it needs the times that a model predicts: give a --profile", ranker)
			}
			if err := atLeast(0, map[string]int64{"top": int64(top)}); err != nil {
				return err
			}
			opt, err := static.static(0)
			if err != nil {
				return err
			}
			p, err := loadProgram(args[0])
			if err != nil {
				return err
			}
			train, recorded, err := loadDatabase(cmd, databases, p.Name)
			if err != nil {
				return err
			}
			if opt.Device == nil {
				opt.Device = recorded
			}
			train = train.Common(launch.Names(opt.Device))
			if _, err := model.predict(cmd, train); err != nil { // the points to order are predicted by any model
				return err
			}
			scorer, err := r.Fit(train)
			if err != nil {
				return err
			}
			start := time.Now()
			s, err := o.open(args[0], nil)
			if err != nil {
				return err
			}
			if err := model.set(cmd, s, opt.Device); err != nil {
				return err
			}
			derived := time.Now()
			s.Prepare(s.Points, opt)
			described := time.Now()
			set, at := s.Set(s.Points)
			if len(set.Points) == 0 {
				return fmt.Errorf("no point can be described: %w", firstError(s.Points))
			}
			scores, err := scorer.Score(set)
			if err != nil {
				return err
			}
			var g rank.Group
			for i := range set.Points {
				g.Index = append(g.Index, i)
			}
			order := rank.Order(scores, g)
			note(cmd, "%d design points derived in %v, described in %v, ranked in %v", len(set.Points),
				derived.Sub(start).Round(time.Millisecond), described.Sub(derived).Round(time.Millisecond), time.Since(described).Round(time.Millisecond))
			if left := len(s.Points) - len(set.Points); left > 0 {
				warnf(cmd, "%d points cannot be lowered or described, the first because: %v", left, firstError(s.Points))
			}
			if top > 0 {
				order = order[:min(top, len(order))]
			}
			return printLiftRanking(cmd, s, order, at, scores)
		},
	}
	o.addFlags(cmd)
	static.addFlags(cmd, "")
	model.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&databases, "database", nil, "samples of explorations to learn from (may be repeated); those of this program are left out")
	flags.StringVar(&ranker, "ranker", rank.Default, "the ranker")
	flags.IntVar(&top, "top", 20, "list only so many; 0 is all")
	return cmd
}

func firstError(points []*explore.Point) error {
	for _, p := range points {
		if p.Err != nil {
			return p.Err
		}
	}
	return nil
}

func printLiftRanking(cmd *cobra.Command, s *explore.Space, order, at []int, scores []float64) error {
	type ranked struct {
		Variant string   `json:"variant"`
		Local   [3]int64 `json:"local"`
		Global  [3]int64 `json:"global"`
		Score   float64  `json:"score"`
		Recipe  string   `json:"recipe"`
	}
	list := []ranked{}
	t := format.NewTable(">rank", "variant", "work-items", ">score", "recipe")
	for i, k := range order {
		p := s.Points[at[k]]
		list = append(list, ranked{p.Variant.ID, p.Local, p.Global, scores[k], p.Variant.Recipe})
		t.Row(fmt.Sprint(i+1), p.Variant.ID, p.Range.String(), fmt.Sprintf("%.4g", scores[k]), p.Variant.Recipe)
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]any{"program": s.Program.Name, "ranking": list})
	}
	t.Write(cmd.OutOrStdout())
	return nil
}

func liftRedundancyCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "redundancy DB.jsonl...",
		Short: "Tell which static features say most of throughput",
		Args:  minArgs(1, "samples that perf lift explore wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, _, err := loadPoints(cmd, args, "", true)
			if err != nil {
				return err
			}
			r, err := rank.NewRedundancy(set)
			if err != nil {
				return err
			}
			if out != "" {
				if err := os.MkdirAll(out, 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(out, "redundancy.svg"), []byte(r.Chart().SVG()), 0o644); err != nil {
					return err
				}
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), r)
			}
			return r.Write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder to draw redundancy.svg into")
	return cmd
}

func liftEvaluateCommand() *cobra.Command {
	var names []string
	var options rank.OutcomeOptions
	var model modelOptions
	var out string
	cmd := &cobra.Command{
		Use:   "evaluate DB.jsonl...",
		Short: "Tell how well rankers do on benchmarks left out of a database",
		Long: `evaluate leaves each benchmark of the databases out in turn, learns from the others, ranks the points of the one left out, and
tells how that compares with their times: rank correlation, runs until one reaches 90 % of the best, and how many times fewer runs
and less time that is than in random order. With --out it draws the curves and bars, and a page of them.

` + rankerList(),
		Args: minArgs(1, "samples that perf lift explore wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !(options.Share > 0 && options.Share <= 1):
				return usagef("--share %v: a share is above 0, and at most 1", options.Share)
			case !(options.Limit > 1):
				return usagef("--limit %v: it is greater than 1", options.Limit)
			case !(options.MinBest >= 0):
				return usagef("--min-best %v: a time in seconds is not negative", options.MinBest)
			}
			if err := atLeast(2, map[string]int64{"min-points": int64(options.MinPoints)}); err != nil {
				return err
			}
			for _, name := range names {
				if _, err := rank.Find(name); err != nil {
					return usage(err)
				}
			}
			set, _, err := loadPoints(cmd, args, "", true)
			if err != nil {
				return err
			}
			switch known, err := model.predict(cmd, set); {
			case err != nil:
				return err
			case !known:
				return usagef("--profile %s: the model has features beside f_static_…, which samples of explorations do not have", model.profile)
			}
			all, err := compareRankers(set, names, options)
			if err != nil {
				return err
			}
			if out != "" {
				redundancy, err := rank.NewRedundancy(set)
				if err != nil {
					return err
				}
				if err := writeFigures(out, rank.NewFigures(all), redundancy); err != nil {
					return err
				}
				page := &explore.Page{Databases: args, Set: set, Rankers: all, Redundancy: redundancy, Limit: options.Limit}
				if err := writePage(filepath.Join(out, "index.html"), page); err != nil {
					return err
				}
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"rankers": all})
			}
			for _, o := range all {
				if err := o.Write(cmd.OutOrStdout()); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout())
			}
			return nil
		},
	}
	model.addFlags(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&names, "ranker", nil, "the rankers to compare (default: all that the vectors have what they need for)")
	flags.Float64Var(&options.Share, "share", 0.9, "the share of the best throughput to be reached")
	flags.Float64Var(&options.Limit, "limit", 10, "how many times the best time a run may take where slow runs are stopped")
	flags.Float64Var(&options.MinBest, "min-best", 0, "leave out benchmarks and sizes whose best time is below so many seconds")
	flags.IntVar(&options.MinPoints, "min-points", 10, "leave out benchmarks and sizes with fewer measured points")
	flags.StringVar(&out, "out", "", "the folder to draw curves.svg, factors.svg, runs.svg and redundancy.svg into, and index.html with all of them")
	return cmd
}

func writePage(path string, page *explore.Page) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(page.Write(f), f.Close())
}
