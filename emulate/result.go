package emulate

import (
	"cmp"
	"math"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
)

// within is the factor that the interval of a time spans on each side: nine of ten recorded launches lie within it (docs/emulation.md).
const within = 1.3

// WithinFromSource is the same of code that package compile has made.
const WithinFromSource = 1.45

// hottest is how many instructions are listed as those that warps wait for most.
const hottest = 10

// spread is the factor on each side of the interval of a time of which no more is known.
func (e *emulation) spread() float64 {
	f := within
	if e.Compiled {
		f = WithinFromSource
	}
	if d := e.sheetDoubt(); d.more > 1 {
		f = math.Exp(math.Hypot(math.Log(f), math.Log(d.more)))
	}
	return f
}

func (e *emulation) result(t timed) *Result {
	d := e.Device
	r := &Result{
		Kernel: e.Function.Name, At: e.Job.Identity.Sizes, Device: d.Name(), Cycles: t.cycles, ClockMHz: d.Value(facts.ClockMHz), ClockGiven: e.ClockMHz > 0, Blocks: e.resident, Limits: e.limits,
		Launch: d.Value(facts.LaunchSeconds), Memory: e.memory, Work: e.work, Doubts: e.launch.Doubts(), Warnings: e.warnings, function: e.Function, emulation: e, base: t,
	}
	if e.accessed != nil {
		r.Touched = e.accessed.Bytes()
	}
	r.Utilization = e.utilization(t)
	if e.ClockMHz == 0 { // tensor instructions take so much power that the clock goes down
		r.ClockMHz *= 1 - d.Value(facts.TensorSlowdown)*min(r.Utilization[timing.Tensor]+r.Utilization[timing.Wide], 1)
	}
	r.Seconds = r.Cycles / (r.ClockMHz * 1e6)
	j := e.judge(t)
	r.Warnings = append(r.Warnings, r.outside()...)
	if r.Status, r.Reasons = j.status, j.why; !r.Status.Timed() {
		r.Seconds, r.Cycles = math.Inf(1), math.Inf(1)
	}
	r.Waves = float64(e.work.Groups) / float64(d.Int(facts.Multiprocessors)*e.resident)
	if r.Interval = r.Status.Interval(r.Seconds, e.spread()); r.Status == Whole {
		r.Interval = e.interval(r, t)
	}
	r.LimitedBy = e.limitedBy()
	r.Occupancy = float64(t.Slots) / float64(max(t.Last, 1)) / float64(d.Int(facts.Items)/warpSize)
	if e.most <= e.resident { // others have fewer blocks, all at once
		r.Occupancy *= float64(e.work.Groups) / float64(e.busy*e.most)
	}
	r.Hottest = hot(t)
	r.Effort = Effort{Blocks: len(e.blocks), Steps: e.builder.Steps, Issued: t.Stepped, Stands: e.instructions(), Bytes: e.bytes()}
	r.Written = e.written()
	scale := float64(r.Effort.Stands) / float64(max(t.Issued, 1)) // a run that was cut off has moved less than its blocks do
	r.Effort.Scale = scale
	if tr := t.Traffic; tr.Sectors > 0 {
		r.Memory.L1Hit = float64(tr.Hits) / float64(tr.Sectors)
	}
	r.Memory.Requests, r.Memory.Sectors = float64(t.Traffic.Requests)*scale, float64(t.Traffic.Sectors+t.Traffic.Stored)*scale
	r.Memory.L2Sectors = float64(t.Traffic.FromL2+t.Traffic.Stored) * scale
	r.Lines, r.Stalls = r.lines(t), stalls(t)
	r.Work.GlobalBytes = float64(t.Traffic.FromDRAM+t.Traffic.ToDRAM) * sectorBytes * scale
	r.Work.LocalBytes = float64(t.Busy[timing.Shared]) / timing.Cycle * d.Value(facts.LocalBytesPerClock) * scale
	r.Work.Issue = float64(r.Effort.Stands) / float64(e.work.Groups*d.Int(facts.SubPartitions))
	r.Work.Bytes = float64(t.Traffic.FromL2) * sectorBytes * scale / float64(e.work.Groups)
	return r
}

const warpSize = exec.WarpSize

// limitedBy is the resource that keeps more blocks from a multiprocessor: the grid, where it has no more.
func (e *emulation) limitedBy() string {
	if e.most <= e.resident {
		return "grid"
	}
	i := slices.IndexFunc(e.limits, func(l machine.Limit) bool { return l.Groups == e.resident })
	return e.limits[i].Resource
}

// utilization is how much of the time each unit is busy.
func (e *emulation) utilization(t timed) map[timing.Unit]float64 {
	out := map[timing.Unit]float64{}
	for _, u := range timing.Units() {
		if busy := t.Busy[u]; busy > 0 {
			out[u] = float64(busy) / float64(max(t.Last, 1)) / float64(e.copies(u))
		}
	}
	return out
}

// copies is how many of a unit a multiprocessor has.
func (e *emulation) copies(u timing.Unit) int64 {
	if u.Shared() {
		return 1
	}
	return e.Device.Int(facts.SubPartitions)
}

// hot lists the instructions that warps wait for most.
func hot(t timed) []Hot {
	var list []Hot
	all := int64(0)
	for i := range t.Ops {
		sum, most := int64(0), timing.Reason(0)
		for r, n := range t.Ops[i].Waited {
			sum += n
			if n > t.Ops[i].Waited[most] {
				most = timing.Reason(r)
			}
		}
		sum += t.Ops[i].Issued * timing.Cycle
		all += sum
		list = append(list, Hot{Index: i, Part: float64(sum), Reason: most})
	}
	slices.SortStableFunc(list, func(a, b Hot) int { return cmp.Compare(b.Part, a.Part) })
	list = list[:min(len(list), hottest)]
	for i := range list {
		list[i].Part /= float64(max(all, 1))
	}
	return slices.DeleteFunc(list, func(h Hot) bool { return h.Part < 0.005 })
}

// instructions is how many the sub-groups of the launch execute.
func (e *emulation) instructions() int64 {
	return int64(instructions(e.blocks) * float64(e.work.Groups))
}

// instructions is how many the sub-groups of a block execute on average.
func instructions(blocks []*timing.Block) float64 {
	sum := int64(0)
	for _, b := range blocks {
		for _, w := range b.Warps {
			sum += w.Count()
		}
	}
	return float64(sum) / float64(max(len(blocks), 1))
}

// written are the buffers that the blocks which were looked at write; all that may be, where they were not executed to their end.
func (e *emulation) written() (names []string) {
	if slices.ContainsFunc(e.blocks, func(b *timing.Block) bool { return b.Cut }) {
		for _, b := range e.Job.Buffers() {
			if b.Write {
				names = append(names, b.Name)
			}
		}
		return names
	}
	var walk func(nodes []timing.Node)
	walk = func(nodes []timing.Node) {
		for i := range nodes {
			walk(nodes[i].Body)
			for _, ev := range nodes[i].Events {
				t := ev.Touch
				if t == nil || t.Space != timing.GlobalSpace || !t.Store && !t.Atomic || len(t.Lanes) == 0 {
					continue
				}
				if name, _ := e.launch.Memory.Find(uint64(t.Lanes[0])); name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	for _, b := range e.blocks {
		for _, w := range b.Warps {
			walk(w.Nodes)
		}
	}
	return names
}

// Advice is what would make a launch faster.
type Advice struct {
	Rule      string
	Array     string // that has the defect, and its source line; "" and 0 where nobody knows them
	Line      int
	Defect    string
	Remedy    string
	Text      string  // the defect, the remedy, and what is emulated with it
	Gain      float64 // the time now over that with the advice; 0 where nobody can say
	Confirmed bool    // by emulation, or a model: the gain is worth it
	General   bool    // holds for any code that waits for something
	Model     string  // that says the gain; "" for emulation
}
