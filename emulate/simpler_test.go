package emulate

import (
	"math"
	"os"
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
)

// coalesce lets all accesses to global memory be of lanes side by side, and those to shared memory be without conflicts: what is known of a launch
// without its values.
func coalesce(nodes []timing.Node) {
	for i := range nodes {
		coalesce(nodes[i].Body)
		for _, ev := range nodes[i].Events {
			t := ev.Touch
			if t == nil || t.Space != timing.GlobalSpace && t.Space != timing.SharedSpace {
				continue
			}
			t.Waves, t.Conflicts, t.Unknown = max(t.Width*32/128, 1), min(t.Conflicts, 1), 0
			for n := range t.Lanes {
				t.Lanes[n] = t.Lanes[0]/128*128 + int64(n)*t.Width
			}
			for s := range t.Steps {
				if each := t.Steps[s].Each; len(each) > 0 {
					t.Steps[s] = timing.Step{All: t.Steps[s].All + each[0]}
				}
			}
		}
	}
}

// without emulates a launch as if all accesses were coalesced.
func without(in Input) (float64, error) {
	e := &emulation{Input: in, executed: map[[3]uint32]*timing.Block{}}
	if err := e.prepare(); err != nil {
		return 0, err
	}
	e.choose()
	for _, b := range e.blocks {
		for _, w := range b.Warps {
			coalesce(w.Nodes)
		}
	}
	e.traffic()
	return e.time(Change{}).cycles / (e.Device.Value(facts.ClockMHz) * 1e6), nil
}

// roof is the least time of a launch by its counts: instructions that are dispatched, those of each pipe, and bytes of DRAM.
func roof(r *Result, pipes map[string]float64) float64 {
	e, d := r.emulation, r.emulation.Device
	schedulers := float64(e.busy) * d.Value(facts.SubPartitions)
	cycles := float64(r.Work.Stands) / schedulers
	for name, gap := range map[string]facts.Key{"alu": facts.ALUGap, "fma": facts.FMAGap, "fp64": facts.FP64Gap, "xu": facts.XUGap, "lsu": facts.AddressGap} {
		cycles = max(cycles, pipes[name]*d.Value(gap)/schedulers)
	}
	return max(cycles/(d.Value(facts.ClockMHz)*1e6), r.Memory.DRAMBytes/d.Value(facts.MemoryBandwidth))
}

// TestSimpler compares, on the same launches of the development set, the emulator with what is left without its values, and with a roofline of counts.
func TestSimpler(t *testing.T) {
	if testing.Short() || os.Getenv("SIMPLER") == "" {
		t.Skip("it emulates hundreds of launches twice: SIMPLER=1 does, with REPORT=1 those of the other half")
	}
	all, err := development()
	if err != nil {
		t.Fatal(err)
	}
	d := sheet(t)
	errors := map[string][]float64{}
	better := map[string]int{}
	for _, x := range all {
		if x.measured < short {
			continue
		}
		blind, err := without(Input{Function: x.Function, Job: x.Job, Device: d})
		if err != nil {
			t.Fatal(x.Line, err)
		}
		own := math.Abs(x.Seconds/x.measured - 1)
		for name, seconds := range map[string]float64{"emulator": x.Seconds, "all accesses coalesced": blind, "roofline of counts": x.roof} {
			off := math.Abs(seconds/x.measured - 1)
			errors[name] = append(errors[name], off)
			if own < off {
				better[name]++
			}
		}
	}
	for name, list := range errors {
		slices.Sort(list)
		logs, sum := 0.0, 0.0
		for _, e := range list {
			logs, sum = logs+math.Log(max(e, 1e-3)), sum+e
		}
		n := float64(len(list))
		t.Logf("%s, %d launches: %-24s geometric mean %.3f, mean %.3f, median %.3f; the emulator is nearer for %d", half(), len(list), name, math.Exp(logs/n), sum/n,
			list[len(list)/2], better[name])
	}
}
