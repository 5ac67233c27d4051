package fleet

import (
	"fmt"

	"gpuperf/internal/lists"
)

// Kind is a kind of work: a command of perf, and how it is given to shards.
type Kind struct {
	Name    string
	Command []string
	Takes   string // what its arguments are, for messages
	One     bool   // it takes one argument
	Names   bool   // an argument without extension is a name, and not that of a file
	Sized   bool   // it takes sizes
	// EachDevice: every device does all of it. Otherwise its parts are dealt out to the shards, each to one.
	EachDevice bool
	Offline    bool // it needs no device
	// Own are flags that the worker sets, by Part: those of a part of an item.
	Own  []string
	Part func(part, parts int, table string) []string
	// Figures are what devices are compared by, from what the command prints as JSON.
	Figures func(result) []Figure
}

// ownFlags are flags that the worker sets for all kinds.
var ownFlags = []string{"device", "interface", "json", "output", "samples", "quiet"}

// kinds is the table of what a campaign may do.
var kinds = []Kind{
	{Name: "calibrate", Command: []string{"calibrate"}, Takes: "models: files, or names that perf models lists", Names: true, EachDevice: true, Own: []string{"profile"}, Figures: fitted},
	{Name: "evaluate", Command: []string{"evaluate"}, Takes: "suite files", EachDevice: true, Own: []string{"replay", "report"}, Figures: evaluated},
	{Name: "measure", Command: []string{"measure"}, Takes: "a file with kernels, or launch files", Sized: true, EachDevice: true, Figures: measured},
	{Name: "explore", Command: []string{"lift", "explore"}, Takes: "one Lift program", One: true, Sized: true, Own: []string{"shard"}, Part: shardFlag, Figures: best},
	{Name: "tune", Command: []string{"tune"}, Takes: "one kernel script, launch file, C file or Lift program", One: true, Sized: true, Own: []string{"shard"}, Part: shardFlag, Figures: best},
	{Name: "rank", Command: []string{"rank"}, Takes: "one file with tunables", One: true, Sized: true, Offline: true, Own: []string{"shard", "table", "tunables"}, Part: tableFlags, Figures: ranked},
}

func kindNames() (names []string) {
	return lists.Map(kinds, func(k Kind) string { return k.Name })
}

// shardFlag gives each part a part of the space.
func shardFlag(part, parts int, _ string) []string {
	return []string{fmt.Sprintf("--shard=%d/%d", part, parts)}
}

// tableFlags gives each part a part of the configurations, and a table of its own.
func tableFlags(part, parts int, table string) []string {
	return append(shardFlag(part, parts, ""), "--tunables", "--table="+table)
}
