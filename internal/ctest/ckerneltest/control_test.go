package ckerneltest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/ckernel"
	"gpuperf/features"
)

// outcome is what became of a random function.
type outcome int

const (
	endless outcome = iota // or out of bounds
	refused
	marked // counted as if conditions held, and the counts say so
	same
	outcomes
)

// TestControl compares the counts of random functions that are all control with runs of their text, in which all conditions but those on memory are
// exact: 60 of them. What is counted either is what runs, or says that it is not.
func TestControl(t *testing.T) {
	n := seeds(t, 60)
	programs := rapid.Custom(Control)
	var found [outcomes]atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		const parts = 4
		for part := range parts {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				for seed := part; seed < n; seed += parts {
					found[checkControl(t, seed, programs.Example(seed))].Add(1)
				}
			})
		}
	})
	t.Logf("%d functions: %d endless, %d refused, %d marked, %d the same", n, found[endless].Load(), found[refused].Load(), found[marked].Load(), found[same].Load())
	if found[same].Load() < int64(n/4) {
		t.Error("too few can be compared")
	}
}

func checkControl(t *testing.T, seed int, p Random) outcome {
	f, err := p.Read()
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, p.Text)
	}
	var launches []Launch
	for _, at := range p.Sizes {
		l, err := p.Launch(f, at)
		if err != nil {
			t.Fatal(err)
		}
		l.Exact, l.Steps = true, 20_000
		launches = append(launches, l)
	}
	reports, err := RunAll(launches, nil)
	if err != nil {
		return endless
	}
	k, err := ckernel.Read(context.Background(), f, ckernel.Options{Local: p.Local, Global: p.Global})
	if err != nil {
		if os.Getenv("REFUSED") != "" {
			t.Logf("seed %d: %v\n%s", seed, err, p.Text)
		}
		return refused
	}
	options := features.Options{ExactBranches: true, FreeControl: true, SubgroupSize: p.SubGroup}
	o, err := features.Find(k, options)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p.Text, k)
	}
	var fixed []*features.Statistics
	for i, at := range p.Sizes {
		stats, err := o.CountAt(at)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, p.Text, k)
		}
		if list := controlDifferences(stats, at, reports[i]); len(list) > 0 {
			if len(stats.Warnings) == 0 && (len(stats.AsIfHeld()) == 0 || slices.ContainsFunc(list, fewer)) {
				t.Errorf("seed %d: at %v:\n%s\n%s\nlocal %v, global %v, sub-groups of %d\n%s", seed, at, listed(list), p.Text, p.Local, p.Global, p.SubGroup, k)
			}
			return marked
		}
		fixed = append(fixed, stats)
	}
	if seed%4 == 0 {
		if err := formulasAre(k, options, p.Sizes, fixed); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, p.Text)
		}
	}
	return same
}

// fewer reports whether less is counted than runs, which no condition that is taken to hold explains. Loads may count by work-items or by sub-groups.
func fewer(d difference) bool { return d.counted < d.run && !strings.Contains(d.key, "load") }

// controlDifferences are those of compareCounts without the arithmetic of integers, which conditions that are no index forms make work.
func controlDifferences(stats *features.Statistics, at map[string]int64, r *Report) []difference {
	return slices.DeleteFunc(compareCounts(stats, at, r, false), func(d difference) bool { return strings.HasPrefix(d.key, "int") || strings.HasPrefix(d.key, "uint") })
}
