package fleet

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/samples"
)

// result is what a command has printed as JSON.
type result []byte

// Figure is a number by which devices are compared.
type Figure struct {
	What   string  // in the item of work
	Unit   string  // "s", "%", or that of a parameter
	Value  float64 // less is better where Lower
	Lower  bool    // of the parts of an item the least counts
	Choice string  // what gave it: a configuration or a variant
}

// read decodes a result. What it cannot read gives no figures.
func read[T any](r result, figures func(T) []Figure) []Figure {
	var into T
	if json.Unmarshal(r, &into) != nil {
		return nil
	}
	return figures(into)
}

// fitted has the parameters of the models and their errors.
func fitted(r result) []Figure {
	type model struct {
		Model      string
		Parameters map[string]struct {
			Value *float64
			Unit  string
		}
		Error *float64 `json:"geomean_relative_error"`
	}
	type profile struct{ Models []model }
	return read(r, func(p profile) (out []Figure) {
		for _, m := range p.Models {
			if m.Error != nil {
				out = append(out, Figure{What: m.Model + ": error of the fit", Unit: "%", Value: 100 * *m.Error})
			}
			for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
				if v := m.Parameters[name]; v.Value != nil {
					out = append(out, Figure{What: m.Model + ": " + name, Unit: v.Unit, Value: *v.Value})
				}
			}
		}
		return out
	})
}

// evaluated has the errors of the suites.
func evaluated(r result) []Figure {
	type suite struct {
		Name  string
		Error float64 `json:"geomean_relative_error"`
	}
	type report struct{ Suites []suite }
	return read(r, func(p report) (out []Figure) {
		for _, s := range p.Suites {
			out = append(out, Figure{What: s.Name + ": error of predictions", Unit: "%", Value: 100 * s.Error})
		}
		return out
	})
}

// measured has the median times of the kernels.
func measured(r result) []Figure {
	type list struct{ Samples []samples.Record }
	return read(r, func(l list) (out []Figure) {
		for _, s := range l.Samples {
			if s.Status == samples.OK && s.Summary != nil {
				out = append(out, Figure{What: s.Kernel.Key() + ", " + string(s.Mode), Unit: "s", Value: s.Summary.Median})
			}
		}
		return out
	})
}

// best has the least time that a search has found.
func best(r result) []Figure {
	type run struct {
		Seconds       float64
		Configuration json.RawMessage
	}
	type found struct{ Best []run }
	return read(r, func(f found) []Figure {
		if len(f.Best) == 0 {
			return nil
		}
		b := f.Best[0]
		return []Figure{{What: "best time", Unit: "s", Value: b.Seconds, Lower: true, Choice: choiceText(b.Configuration)}}
	})
}

// choiceText is a configuration as a text: a list of choices, or one already.
func choiceText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []struct{ Choice, Option string }
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var parts []string
	for _, c := range list {
		parts = append(parts, c.Choice+"="+c.Option)
	}
	return strings.Join(parts, ",")
}

// ranked has the least predicted time.
func ranked(r result) []Figure {
	type list struct {
		Configurations int
		Best           []struct {
			Configuration string
			Seconds       float64
		}
	}
	return read(r, func(l list) (out []Figure) {
		if len(l.Best) > 0 {
			out = append(out, Figure{What: "least predicted time", Unit: "s", Value: l.Best[0].Seconds, Lower: true, Choice: l.Best[0].Configuration})
		}
		return out
	})
}

// title names a figure of an item in the comparison.
func (u Unit) title(f Figure) string {
	if !f.Lower {
		return f.What
	}
	return fmt.Sprintf("%s %s: %s", u.Work.Kind.Name, filepath.Base(u.Work.Of[0]), f.What)
}

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
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// shardFlag gives each part a part of the space.
func shardFlag(part, parts int, _ string) []string {
	return []string{fmt.Sprintf("--shard=%d/%d", part, parts)}
}

// tableFlags gives each part a part of the configurations, and a table of its own.
func tableFlags(part, parts int, table string) []string {
	return append(shardFlag(part, parts, ""), "--tunables", "--table="+table)
}
