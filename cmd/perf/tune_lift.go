package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/tune"
	"gpuperf/lift"
)

// programs is the extension of functional programs.
const programs = ".lift"

// ofPrograms are the flags of tune that it takes of functional programs alone, and ofRank those of the strategy rank.
var (
	ofPrograms = []string{"count", "ranges", "max-group", "recipe", "exact-division", "data", "expect", "tolerance"}
	ofRank     = []string{"ranker", "database", "traffic", "enough", "round"}
)

func (o *tuneFlags) addLift(cmd *cobra.Command) {
	l := &o.files.Lift
	addVariants(cmd, &l.Request)
	addExpected(cmd, &l.Request)
	flags := cmd.Flags()
	flags.StringVar(&l.Ranker, "ranker", "", "the ranker of the strategy rank (see perf lift rank --help)")
	flags.StringArrayVar(&o.databases, "database", nil, "for the strategy rank: samples of other programs to learn from, with their vectors (may be repeated)")
	flags.Float64Var(&l.Enough, "enough", 0, "for the strategy rank: stop where as many more runs as there were find one that is 2 % faster with less than this probability (0: never)")
	flags.IntVar(&l.Round, "round", 0, "for the strategy rank: how many runs it chooses at once (default: a quarter of the budget, at most 10)")
	trafficFlag(cmd, &l.Static.Traffic)
}

// lift reads what the strategy rank learns from. What would not be heeded is refused.
func (o *tuneFlags) lift(cmd *cobra.Command, path string) {
	ranks := o.Strategy == "rank"
	throw.If(refuse(cmd, func(name string) bool {
		return filepath.Ext(path) != programs && slices.Contains(slices.Concat(ofPrograms, ofRank), name)
	}, "--%s is of functional programs (.lift)"))
	throw.If(refuse(cmd, func(name string) bool { return !ranks && slices.Contains(ofRank, name) }, "--%s is of the strategy rank: give --"+o.strategy+" rank"))
	l := &o.files.Lift
	l.Seed = int64(o.Seed)
	checkVariants(&l.Request)
	throw.If(atLeast(0, map[string]int64{"round": int64(l.Round)}))
	if l.Round == 0 {
		l.Round = min(max(o.Budget/4, 1), 10)
	}
	if !(l.Enough >= 0 && l.Enough < 1) {
		panic(throw.Of(usagef("--enough %v: a probability below 1", l.Enough)))
	}
	if l.Ranker != "" {
		if _, err := findRanker(l.Ranker, modelOptions{profile: strings.TrimSuffix(o.profile, noProfile)}); err != nil {
			panic(throw.Of(err))
		}
	}
	if len(o.databases) == 0 {
		return
	}
	p := throw.Get(lift.Load(path))
	db := throw.Get(loadDatabase(cmd, o.databases, p.Name, false))
	l.Train = db.Set
}

// ranges chooses recipes for ranges of a size, and runs configurations of them.
func (o *tuneFlags) ranges(cmd *cobra.Command, path string, sizes *tune.Sizes) {
	r := throw.Get(tune.OpenRanges(path, sizes, o.files))
	list := throw.Get(r.Choose())
	note(cmd, "%s chosen by predicted times", format.Count(len(list), "range"))
	result := throw.Get(r.Measure(cmd.Context(), list, func(t tune.Target) *tune.Search {
		return &tune.Search{
			Target: t, Campaign: o.Campaign, Strategy: o.Strategy, Seed: o.Seed, Budget: o.Budget, Until: o.Until, Resume: o.Resume,
			Trials: o.Trials, Best: 1, Slow: o.Slow, Progress: tellRuns(cmd, t.Usual()),
		}
	}))
	warn(cmd, result.Warnings)
	throw.If(show(cmd, result, result.Write))
}
