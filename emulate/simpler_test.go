package emulate

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/internal/campaign"
	"gpuperf/internal/frontend"
	"gpuperf/workload"
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
	return e.run(Change{}, mostTimed).cycles / (e.Device.Value(facts.ClockMHz) * 1e6), nil
}

// roof is the least time of a launch by its counts: instructions that are dispatched, those of each pipe, and bytes of DRAM.
func roof(r *Result, pipes map[string]float64) float64 {
	e, d := r.emulation, r.emulation.Device
	schedulers := float64(e.busy) * d.Value(facts.SubPartitions)
	cycles := float64(r.Effort.Stands) / schedulers
	for name, gap := range map[string]facts.Key{"alu": facts.ALUGap, "fma": facts.FMAGap, "fp64": facts.FP64Gap, "xu": facts.XUGap, "lsu": facts.AddressGap} {
		cycles = max(cycles, pipes[name]*d.Value(gap)/schedulers)
	}
	return max(cycles/(d.Value(facts.ClockMHz)*1e6), r.Work.GlobalBytes/d.Value(facts.MemoryBandwidth))
}

// general is what the model for any kernel predicts of launches, with what their binaries tell, by line; of those that have a kernel IR. Its profile is
// that of the device, and was fitted to other kernels.
func general(ctx context.Context, all []developed) (map[string]float64, error) {
	profile, err := campaign.LoadProfile("h200")
	if err != nil {
		return nil, err
	}
	calibration, err := campaign.CalibrationOf(profile, "general")
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for _, of := range recordings() {
		p, err := campaign.PredictorOf(profile, calibration)
		if err != nil {
			return nil, err
		}
		cases, lines := []*workload.Case(nil), map[*workload.Case]string{}
		for _, x := range all {
			list, err := campaign.Cases(ctx, frontend.Options{}, []string{filepath.Join("../testdata/emulate", x.Name+".yaml")}, []map[string]int64{x.Sizes})
			if err == nil && len(list) == 1 {
				cases, lines[list[0]] = append(cases, list[0]), x.Line
			}
		}
		if err := p.UseBinaries("../testdata/h200/emulate"+of, cases); err != nil {
			return nil, err
		}
		for _, c := range cases {
			one, err := p.Predict(c)
			if err == nil && (one.FromIR == "" || out[lines[c]] == 0) {
				out[lines[c]] = one.Seconds
			}
		}
	}
	return out, nil
}

// averages are the errors of one way to predict, on some launches.
type averages struct {
	list   []float64
	better int // launches for which the emulator is nearer
}

func (a *averages) add(predicted, own, measured float64) {
	off := math.Abs(predicted/measured - 1)
	a.list = append(a.list, off)
	if math.Abs(own/measured-1) < off {
		a.better++
	}
}

func (a *averages) log(t *testing.T, what string) (geometric float64) {
	slices.Sort(a.list)
	logs, sum := 0.0, 0.0
	for _, e := range a.list {
		logs, sum = logs+math.Log(max(e, 1e-3)), sum+e
	}
	n := float64(len(a.list))
	t.Logf("%s, %3d launches: %-45s geometric mean %.3f, mean %.3f, median %.3f; the emulator is nearer for %d", half(), len(a.list), what, math.Exp(logs/n), sum/n,
		a.list[len(a.list)/2], a.better)
	return math.Exp(logs / n)
}

// TestSimpler compares the emulator with simpler predictors on the same launches of the development set, pair by pair: with what is left without its
// values, with a roofline of counts, and, of the launches that have a kernel IR, with the general model and what the binary tells it.
func TestSimpler(t *testing.T) {
	if testing.Short() || os.Getenv("SIMPLER") == "" {
		t.Skip("it emulates hundreds of launches twice: SIMPLER=1 does, with REPORT=1 those of the other half")
	}
	all, err := development()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(x developed) bool { return x.measured < short })
	model, err := general(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	d := sheet(t)
	of := map[string]*averages{}
	add := func(name string, predicted float64, x *developed) {
		if of[name] == nil {
			of[name] = &averages{}
		}
		of[name].add(predicted, x.Seconds, x.measured)
	}
	for i := range all {
		x := &all[i]
		blind, err := without(Input{Function: x.Function, Job: x.Job, Device: d})
		if err != nil {
			t.Fatal(x.Line, err)
		}
		seconds, has := model[x.Line]
		for _, ending := range []string{"", " of those with a kernel IR"} {
			if ending != "" && !has {
				continue
			}
			add("the emulator"+ending, x.Seconds, x)
			add("all accesses coalesced"+ending, blind, x)
			add("roofline of counts"+ending, x.roof, x)
		}
		if has {
			add("general model"+" of those with a kernel IR", seconds, x)
		}
	}
	own, far := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(of)) {
		switch g := of[name].log(t, name); name {
		case "the emulator":
			own = g
		case "roofline of counts":
			far = g
		}
	}
	if own > far {
		t.Errorf("the emulator is off by %.3f, and a roofline by %.3f", own, far)
	}
	if n := len(model); n < 50 {
		t.Errorf("the general model predicts %d launches", n)
	}
}
