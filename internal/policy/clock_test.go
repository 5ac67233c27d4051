package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clocks are the files that read the clock or wait for it, with the reason. What others compute cannot depend on how busy the machine is: their limits count work.
var clocks = map[string]string{
	"internal/campaign/against.go":        "measures two kernels by turns for so long",
	"internal/campaign/launches.go":       "how long building took, as a note",
	"internal/campaign/rows.go":           "the date of a profile",
	"internal/campaign/run.go":            "how long measuring took, as a note",
	"internal/command/capture/capture.go": "waits for another process",
	"cmd/perf/card.go":                    "card --time prints how long counting took",
	"cmd/perf/emulate.go":                 "says how far it is every few seconds",
	"cmd/perf/fleet.go":                   "tells when workers were last heard of",
	"cmd/perf/lift_rank.go":               "notes of how long it took",
	"cmd/perf/main.go":                    "the time to stop by itself after an interrupt",
	"cmd/perf/samples.go":                 "samples --older-than",
	"cmd/perf/tune.go":                    "tune --for ends a search",
	"emulate/survey/kept.go":              "which results were used last",
	"internal/counters/counters.go":       "the date of a record",
	"device/runner/energy.go":             "measures",
	"device/runner/launches.go":           "measures",
	"device/runner/learned.go":            "ends a disassembler that hangs",
	"device/runner/programs.go":           "measures how long building takes",
	"device/runner/timing.go":             "measures",
	"internal/command/doctor/device.go":   "ends a device that hangs",
	"internal/fleet/journal.go":           "when a worker wrote",
	"internal/fleet/merge.go":             "when workers were last heard of",
	"internal/fleet/status.go":            "when workers were last heard of",
	"internal/fleet/worker.go":            "how long a shard took, and signs of life",
	"internal/bounded/bounded.go":         "ends what hangs, with an error",
	"internal/progress/progress.go":       "a line that changes",
	"device/measure/process.go":           "ends a worker that hangs",
	"device/measure/remote.go":            "waits before it connects again",
	"device/measure/turn.go":              "how long another process has had the device",
	"device/measure/sweep.go":             "the date of a record, and when the sentinel runs",
	"samples/journal.go":                  "how often the file is synced",
	"samples/lock.go":                     "waits for another process",
	"scop/offload/judge.go":               "the date of a record",
	"internal/tune/nest.go":               "the date of a record",
	"internal/tune/tune.go":               "tune --for ends a search",
}

// clock are the functions that read the clock or wait for it, of packages time and context.
var clock = map[string][]string{
	"time":    {"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"},
	"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
}

// TestClock: files that read the clock stand in the table, and no others do.
func TestClock(t *testing.T) {
	met := map[string]bool{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		name := filepath.ToSlash(file)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && slices.Contains(clock[of.Name], s.Sel.Name) {
					if met[name] = true; clocks[name] == "" {
						t.Errorf("%s: %s.%s: limits count work, so that results do not depend on how busy the machine is; a file that needs the clock stands in the table of %s", set.Position(s.Pos()), of.Name, s.Sel.Name, path.Join("internal", "policy"))
					}
				}
			}
			return true
		})
	}
	for name := range clocks {
		if !met[name] {
			t.Errorf("%s is in the table of files that read the clock, and does not", name)
		}
	}
}
