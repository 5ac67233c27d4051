package emulate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// counterOf are the hardware's counts of instructions by pipe.
var counterOf = map[sass.Pipe]string{
	sass.ALU: "alu", sass.FMA: "fma", sass.FP64: "fp64", sass.LSU: "lsu", sass.XU: "xu", sass.UDP: "uniform", sass.CBU: "cbu",
}

// uncounted are opcodes that the hardware counts for no pipe of these.
var uncounted = []string{"BRA", "ULDC", "UMOV", "S2UR", "R2UR", "CS2R", "NOP", "WARPSYNC", "HFMA2.MMA"}

// counter is the hardware's count that an instruction is of.
func counter(in *sass.Instruction) string {
	switch {
	case in.Opcode == nil || slices.Contains(uncounted, in.Name) || slices.Contains(uncounted, in.Name+"."+first(in.Modifiers)):
		return ""
	case in.Name == "S2R" && strings.Contains(in.Text, "SR_CTAID"): // of the address divergence unit
		return ""
	case in.Name == "HFMA2" || in.Name == "HADD2" || in.Name == "HMUL2":
		return "fma"
	}
	return counterOf[in.Opcode.Pipe]
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// stallOf are the hardware's reasons by those of the emulator.
var stallOf = map[string]timing.Reason{
	"barrier": timing.ForBarrier, "branch_resolving": timing.ForStall, "dispatch_stall": timing.ForUnit, "drain": timing.ForMemory, "imc_miss": timing.ForResult,
	"lg_throttle": timing.ForQueue, "long_scoreboard": timing.ForMemory, "math_pipe_throttle": timing.ForUnit, "membar": timing.ForMemory,
	"mio_throttle": timing.ForQueue, "no_instruction": timing.ForCode, "short_scoreboard": timing.ForResult, "tex_throttle": timing.ForQueue, "wait": timing.ForStall,
}

// agreement is of a quantity that both count, and how many launches agree.
type agreement struct {
	agree, all int
	errors     []float64
}

func (p *agreement) add(ok bool, off float64) {
	p.all++
	if ok {
		p.agree++
	}
	p.errors = append(p.errors, off)
}

func (p *agreement) String() string {
	if p.all == 0 {
		return "none"
	}
	slices.Sort(p.errors)
	return fmt.Sprintf("%d of %d, median %.3f, nine of ten within %.3f", p.agree, p.all, p.errors[len(p.errors)/2], p.errors[len(p.errors)*9/10])
}

// perPipe counts the instructions of a launch by the hardware's name of the pipe.
func (e *emulation) perPipe() map[string]float64 {
	names := make([]string, len(e.Function.Instructions))
	for i := range names {
		names[i] = counter(&e.Function.Instructions[i])
	}
	counts := make([]float64, len(names))
	var walk func(nodes []timing.Node, times float64)
	walk = func(nodes []timing.Node, times float64) {
		for i := range nodes {
			for _, ev := range nodes[i].Events {
				counts[ev.Op] += times
			}
			walk(nodes[i].Body, times*float64(nodes[i].Times))
		}
	}
	for _, b := range e.blocks {
		for _, w := range b.Warps {
			walk(w.Block(), float64(e.work.Groups)/float64(len(e.blocks)))
		}
	}
	out := map[string]float64{}
	for i, name := range names {
		out[name] += counts[i]
	}
	return out
}

// TestParts compares what the emulator says of each launch of the development set with what Nsight Compute counted, part by part: of the half that
// was looked at, with REPORT=1 of the other.
func TestParts(t *testing.T) {
	if testing.Short() {
		t.Skip("it emulates hundreds of launches")
	}
	t.Parallel()
	all, err := development()
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]*agreement{}
	compare := func(name, line string, ok bool, off float64) {
		p := parts[name]
		if p == nil {
			p = &agreement{}
			parts[name] = p
		}
		p.add(ok, off)
		if !ok {
			t.Logf("%-26s %8.3f  %s", name, off, line)
		}
	}
	for _, d := range all {
		compareParts(d, strings.TrimPrefix(d.Line, "testdata/emulate/"), compare)
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		t.Logf("%s: %-26s %v", half(), name, parts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(leastParts)) {
		least := leastParts[name]
		p := parts[name]
		if !long && least < 1 {
			least -= 0.08 + 1/float64(p.all) // as far as a ninth of the launches is off by chance, and one more
		}
		if half() == "choose" && float64(p.agree) < least*float64(p.all) {
			t.Errorf("%s: %v", name, p)
		}
	}
}

// leastParts are the parts of launches that docs/emulation.md says agree.
var leastParts = map[string]float64{
	"bytes from DRAM": 0.9, "bytes to DRAM": 0.75, "duration, cold": 0.7, "first reason to wait": 0.87, "hit rate of L1": 0.85, "instructions, all known": 0.8,
	"occupancy": 0.69,
	"pipe alu":  0.65, "pipe fma": 0.8, "pipe uniform": 1, "pipe fp64": 1, "pipe xu": 0.75,
}

// compareParts compares a launch. Of hit rates and bytes the bounds are those of what package memory says (cmd/perf, TestCounters).
func compareParts(d developed, line string, compare func(name, line string, ok bool, off float64)) {
	count := func(name string) float64 { return d.metrics[name].Value }
	relative := func(got, want float64) float64 { return math.Abs(got-want) / max(want, 1) }
	off := relative(float64(d.Effort.Stands), count("smsp__inst_executed.sum"))
	if d.known {
		compare("instructions, all known", line, off < 1e-3, off)
	} else {
		compare("instructions, others", line, off < 0.03, off)
	}
	for _, name := range slices.Sorted(maps.Keys(d.pipes)) {
		n := d.pipes[name]
		hardware := count("sm__inst_executed_pipe_" + name + ".sum")
		if name == "" || max(n, hardware) < 0.01*count("smsp__inst_executed.sum") || !d.known {
			continue
		}
		off := relative(n, hardware)
		compare("pipe "+name, line, off < 1e-3, off)
	}
	if d.moved != nil {
		const points, bytes, relation = 0.05, 2e6, 0.05
		dram := func(name string, hardware, expected float64) {
			compare(name, line, math.Abs(expected-hardware) <= max(relation*hardware, bytes), relative(expected, hardware))
		}
		dram("bytes from DRAM", count("dram__bytes_read.sum"), d.moved.DRAMReads)
		dram("bytes to DRAM", count("dram__bytes_write.sum"), d.moved.DRAMWrites)
		if asked := count("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"); asked > 0 {
			hardware := 1 - count("l1tex__m_xbar2l1tex_read_sectors.sum")/asked
			off := math.Abs(d.Memory.L1Hit - hardware)
			compare("hit rate of L1", line, off <= points, off)
		}
	}
	off = math.Abs(d.cold.Occupancy - count("sm__warps_active.avg.pct_of_peak_sustained_active")/100)
	compare("occupancy", fmt.Sprintf("%s: %.3f, emulated %.3f, waves %.2f", line, count("sm__warps_active.avg.pct_of_peak_sustained_active")/100, d.cold.Occupancy, d.Waves), off <= 0.05, off)
	duration := count("gpu__time_duration.sum") * 1e-9
	compare("duration, cold", fmt.Sprintf("%s: %.2f us, emulated %.2f", line, duration*1e6, d.cold.Seconds*1e6), relative(d.cold.Seconds*1e9, duration*1e9) < 0.15, d.cold.Seconds/duration)
	var stalls [timing.Reasons]float64
	for name, reason := range stallOf {
		stalls[reason] += count("smsp__average_warps_issue_stalled_" + name + "_per_issue_active.ratio")
	}
	greatest := func(list [timing.Reasons]float64) timing.Reason {
		list[timing.ForTurn] = 0
		return slices.MaxFunc(reasonsOf(), func(a, b timing.Reason) int { return cmp.Compare(list[a], list[b]) })
	}
	hardware, emulated := greatest(stalls), greatest(d.cold.Stalls)
	compare("first reason to wait", fmt.Sprintf("%s: %v, emulated %v", line, hardware, emulated), hardware == emulated, 0)
}

func reasonsOf() (all []timing.Reason) {
	for r := range timing.Reasons {
		all = append(all, r)
	}
	return all
}
