package emulate

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/emulate/emulatetest"
	"gpuperf/emulate/timing"
)

// Bars of what package compile makes of the sources of recorded launches, against what the device's compiler has made of them: the two times are so far
// apart in the median, the instructions of a work-group, and the number of registers is within 8 for so many. SourceError is the median error of the
// time against the device, and of a half at whose launches nobody looks one by one SourceUnseen.
const (
	sourceApart        = 0.06
	sourceInstructions = 0.15
	sourceRegisters    = 0.7
	sourceError        = 0.13
	sourceUnseen       = 0.15
	sourceInside       = 0.85 // of the measured times, in intervals that are nominally of 0.9
	sourceHalfWidth    = 0.35
	fewRegisters       = 8
)

// byUnit is what a work-group asks of the units, in instructions of sub-groups with all iterations.
func (e *emulation) byUnit() (units map[timing.Unit]float64, total float64) {
	units = map[timing.Unit]float64{}
	var each func(nodes []timing.Node, times float64)
	each = func(nodes []timing.Node, times float64) {
		for i := range nodes {
			for _, ev := range nodes[i].Events {
				units[e.ops[ev.Op].Unit] += times
				total += times
			}
			each(nodes[i].Body, times*float64(nodes[i].Times))
		}
	}
	for _, w := range e.blocks[0].Warps {
		each(w.Block(), 1)
	}
	return units, total
}

// fromSource is a launch from its source beside the same from its machine code.
type fromSource struct {
	kind                     string
	source, binary, measured float64 // seconds
	instructions             float64 // of the source for each of the binary
	near                     bool    // in registers
	inside                   bool    // the measured time lies in the interval
	halfWidth                float64
}

// compareSource emulates a launch both ways. Where the source is not compiled it says why.
func compareSource(t *testing.T, k emulatetest.Kernel, measured float64) (f fromSource, refused string) {
	t.Helper()
	p, err := compile.Job(context.Background(), k.Job, compile.Options{Architecture: "sm_90", Name: "kernel.cu"})
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return f, text
	}
	in := Input{Function: p.Function, Job: k.Job, Device: sheet(t), Compiled: true}
	in.Code.Shared = p.Shared
	a, err := Run(in)
	if err != nil {
		return f, err.Error()
	}
	b, err := Run(Input{Function: k.Function, Job: k.Job, Device: in.Device})
	if err != nil {
		t.Fatal(err)
	}
	mine, n := a.emulation.byUnit()
	theirs, m := b.emulation.byUnit()
	text := ""
	for _, u := range timing.Units() {
		if d := (mine[u] - theirs[u]) / m; math.Abs(d) > 0.05 {
			text += fmt.Sprintf(", %s %+.0f %%", u, 100*d)
		}
	}
	t.Logf("%-55s %8.1f µs from source, %8.1f from SASS, %8.1f measured: %.2f; instructions %.2f, registers %d for %d%s",
		strings.TrimPrefix(k.Line, "testdata/emulate/"), 1e6*a.Seconds, 1e6*b.Seconds, 1e6*measured, a.Seconds/b.Seconds, n/m, p.Function.Registers, k.Function.Registers, text)
	registers := p.Function.Registers - k.Function.Registers
	return fromSource{
		k.Kind, a.Seconds, b.Seconds, measured, n / m, max(registers, -registers) <= fewRegisters,
		a.Interval[0] <= measured && measured <= a.Interval[1], math.Sqrt(a.Interval[1]/a.Interval[0]) - 1,
	}, ""
}

// TestFromSource emulates launches of the development set from their sources, and compares with their machine code and with what was measured: LONG=1
// all of the half, else every twentieth launch.
func TestFromSource(t *testing.T) {
	t.Parallel()
	kernels, err := emulatetest.Development("../testdata/emulate/"+half()+".txt", "../testdata/h200/listings_emulate"+recordings()[0], func(i int, k emulatetest.Kernel) bool {
		return (long || i%20 == 7) && strings.Contains(k.Line, os.Getenv("KERNEL"))
	})
	if err != nil {
		t.Fatal(err)
	}
	times, err := emulatetest.Measured(recordedAt(kernels, "../testdata/h200/emulate"+recordings()[0]), "warm")
	if err != nil {
		t.Fatal(err)
	}
	var all []fromSource
	refused := map[string]int{}
	for i, k := range kernels {
		measured := times[i].Summary.Median - eventSeconds
		if measured < short {
			continue
		}
		f, why := compareSource(t, k, measured)
		if why != "" {
			refused[why]++
			continue
		}
		all = append(all, f)
	}
	for why, n := range refused {
		t.Logf("%d launches refused: %s", n, why)
	}
	byKind(t, all)
	judgeSource(t, all)
}

// byKind prints how far sources and machine code are apart for each kind of kernels.
func byKind(t *testing.T, all []fromSource) {
	of := map[string][]fromSource{}
	var kinds []string
	for _, f := range all {
		if of[f.kind] == nil {
			kinds = append(kinds, f.kind)
		}
		of[f.kind] = append(of[f.kind], f)
	}
	for _, kind := range kinds {
		list := of[kind]
		t.Logf("%-40s %3d launches: times %.1f %% apart in the median, instructions %.1f %%", kind, len(list), 100*middleOf(list, fromSource.apart), 100*middleOf(list, fromSource.work))
	}
}

func (f fromSource) apart() float64 { return math.Abs(f.source/f.binary - 1) }
func (f fromSource) work() float64  { return math.Abs(f.instructions - 1) }
func (f fromSource) off() float64   { return math.Abs(f.source/f.measured - 1) }
func (f fromSource) sass() float64  { return math.Abs(f.binary/f.measured - 1) }

func middleOf(all []fromSource, of func(fromSource) float64) float64 {
	var list []float64
	for _, f := range all {
		list = append(list, of(f))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func judgeSource(t *testing.T, all []fromSource) {
	if len(all) == 0 {
		t.Fatal("no launch was compiled")
	}
	near, mean, inside := 0.0, 0.0, 0.0
	for _, f := range all {
		mean += f.off() / float64(len(all))
		if f.inside {
			inside += 1 / float64(len(all))
		}
		if f.near {
			near += 1 / float64(len(all))
		}
	}
	apart, instructions, off := middleOf(all, fromSource.apart), middleOf(all, fromSource.work), middleOf(all, fromSource.off)
	wide := middleOf(all, func(f fromSource) float64 { return f.halfWidth })
	t.Logf("%d launches: median error %.1f %% (mean %.1f %%) from source and %.1f %% from SASS; times %.1f %% apart, instructions %.1f %%, registers within %d for %.0f %%, "+
		"inside their interval %.0f %%, half-width %.0f %%",
		len(all), 100*off, 100*mean, 100*middleOf(all, fromSource.sass), 100*apart, 100*instructions, fewRegisters, 100*near, 100*inside, 100*wide)
	bar := sourceError
	if half() != "choose" {
		bar = sourceUnseen
	}
	if long && (inside < sourceInside || wide > sourceHalfWidth) {
		t.Error("intervals of times from source are too narrow, or too wide")
	}
	if os.Getenv("KERNEL") == "" && (apart > sourceApart && half() == "choose" || instructions > sourceInstructions || off > bar || near < sourceRegisters) {
		t.Error("code from source is further from that of the device's compiler than it was")
	}
}
