package offload

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gpuperf/device"
	"gpuperf/internal/format"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/search"
	"gpuperf/workload"
)

var constant = regexp.MustCompile(`\b(\d+\.\d+)f?`)

// measured is the nest of an example as it was measured: the text in float, its constants and functions too.
func measured(t *testing.T, name string) *scop.Nest {
	t.Helper()
	file := filepath.Join("../../examples/polybench", name+".c")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return nestOf(t, file, strings.NewReplacer("double", "float", "sqrt", "sqrtf").Replace(constant.ReplaceAllString(string(text), "${1}f")))
}

// defaults are the programs that several tests ask for, by their nests and sizes.
var defaults sync.Map

// made makes kernels of a nest as those that a record is of were made: by default, or by the configuration that the record's tags say.
func made(t *testing.T, n *scop.Nest, r *samples.Record) *Program {
	t.Helper()
	if !tried(r) {
		key := n.Name + " " + workload.FormatSizes(r.Kernel.Sizes)
		if p, ok := defaults.Load(key); ok {
			return p.(*Program)
		}
		p, err := Find(t.Context(), n, Options{Sizes: r.Kernel.Sizes})
		if err != nil {
			t.Fatal(err)
		}
		defaults.Store(key, p)
		return p
	}
	s := &Space{nest: n, sizes: r.Kernel.Sizes, labels: &labels{of: map[string]string{}, count: map[string]int{}}, known: newReferences()}
	if err := s.add(n, forLaunches[0], schedule.Smart); err != nil { // the recorded ones have no other schedule
		t.Fatal(err)
	}
	var c search.Config
	for next := s.Next(c); next != nil; next = s.Next(c) {
		pick := search.Pick{Choice: next.Name, Option: next.Options[0]}
		for _, tag := range r.Tags {
			if option, ok := strings.CutPrefix(tag, dotted(next.Name)+":"); ok {
				pick.Option = option
			}
		}
		c = append(c, pick)
	}
	p, err := s.Program(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// code is the hash of the source of kernels, how often they are launched, and by which options quotients and roots are compiled, where there are any.
type code struct {
	hash     string
	launches int
	options  string
}

// sourceOf is what the program makes today of a nest of which there is a record.
func sourceOf(t *testing.T, n *scop.Nest, r *samples.Record) code {
	t.Helper()
	c, err := made(t, n, r).atSizes(r.Kernel.Sizes, device.Info{Fingerprint: r.Device})
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Job(device.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if !roundsQuotients(t, n) {
		job.Options = ""
	}
	return code{job.SourceHash(), len(c.Plan), job.Options}
}

// roundsQuotients reports that a nest has quotients or roots in float.
func roundsQuotients(t *testing.T, n *scop.Nest) (some bool) {
	t.Helper()
	k, err := n.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	v := ops.Visitor{Kernel: k, Found: func(op string, of expr.DType, _ int64) {
		some = some || of == expr.Float32 && (op == "div" || op == "sqrt")
	}}
	for _, s := range k.Statements {
		if s.RHS == nil {
			continue
		}
		if err := v.Visit(s.RHS); err != nil {
			t.Fatal(err)
		}
	}
	return some
}

// timeOf is the recorded time of a nest, in words. Where that is of other kernels than the program makes today, it says so.
func timeOf(r *samples.Record, today code) string {
	text := format.Seconds(r.Summary.Median)
	before := code{r.SourceHash, launchesIn(r), ""}
	if today.options != "" {
		before.options = r.Options
	}
	if today != before {
		text += " by earlier kernels"
	}
	return text
}

// searchedBefore tells of which nests the recorded searches began with another default than the program makes today, at the same sizes.
func searchedBefore(t *testing.T, today map[string]code) string {
	t.Helper()
	set, err := samples.Load("../../testdata/h200/searched.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	seen, before := map[string]bool{}, []string{}
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(r.Kernel.Source, ".c")
		if seen[name] || !slices.Contains(r.Tags, "options:O1") {
			continue
		}
		seen[name] = true
		if r.SourceHash != today[name].hash {
			before = append(before, "`"+name+"`")
		}
	}
	if len(seen) != len(today) {
		t.Errorf("searches of %d nests, of %d", len(seen), len(today))
	}
	slices.Sort(before)
	last := len(before) - 1
	if last < 1 {
		return fmt.Sprintf("Other kernels than the program makes today by default: %v.", before)
	}
	return "The program makes other kernels today, by default, of " + strings.Join(before[:last], ", ") + " and " + before[last] + "."
}
