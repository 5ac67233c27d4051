package offload

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/internal/format"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
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

// made makes kernels of a nest as those that a record is of were made: by default, or by the configuration that the record's tags say.
func made(t *testing.T, n *scop.Nest, r *samples.Record) *Program {
	t.Helper()
	if !tried(r) {
		p, err := Find(t.Context(), n, r.Kernel.Sizes)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	s := &Space{nest: n, sizes: r.Kernel.Sizes, labels: &labels{of: map[string]string{}, count: map[string]int{}}, known: newReferences()}
	if err := s.add(n, forLaunches[0], schedule.Smart); err != nil { // the recorded ones have no other schedule
		t.Fatal(err)
	}
	c := Config{}
	for next := s.Next(c); next != nil; next = s.Next(c) {
		c[next.Name] = next.Options[0]
		for _, tag := range r.Tags {
			if option, ok := strings.CutPrefix(tag, dotted(next.Name)+":"); ok {
				c[next.Name] = option
			}
		}
	}
	p, err := s.Program(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// timeOf is the recorded time of a nest, in words. Kernels are made of the nest as the program makes them today: where that are others than those that were
// measured, or they are launched more or less often, it says so.
func timeOf(t *testing.T, n *scop.Nest, r *samples.Record) string {
	t.Helper()
	c, err := made(t, n, r).atSizes(r.Kernel.Sizes, device.Info{Fingerprint: r.Device})
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Job(device.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	text := format.Seconds(r.Summary.Median)
	if job.SourceHash() != r.SourceHash || len(c.Plan) != launchesIn(r) {
		text += " by earlier kernels"
	}
	return text
}
