package emulate

import (
	"gpuperf/device/machine"
	"gpuperf/emulate/timing"
)

// Change is what is otherwise in a launch whose traces are timed again.
type Change struct {
	Machine func(*timing.Machine)      // of the multiprocessor; nil changes nothing
	In      []bool                     // the instructions, by index, that Machine is for; nil is all
	Events  func(*Instruction) []Event // what is executed in place of an instruction; nil changes nothing
	// Ops are the instructions and others that Events name.
	Ops func([]timing.Op) []timing.Op
	// Trips are the iterations of a loop within so many others; nil is as many as now.
	Trips    func(outer int, trips int64) int64
	Resident int64   // work-groups at once; 0 is as many as now
	Groups   float64 // work-groups of the launch for each that it has now; 0 is 1
}

// Event is an instruction that is executed, with what it accesses.
type Event = timing.Event

// Instruction is one that is executed: its place in the function, and the loops around it.
type Instruction struct {
	Event
	Loops int
}

// Again is the time of the launch in seconds with something changed, by the same traces.
func (r *Result) Again(c Change) float64 {
	return r.emulation.time(c).cycles / (r.ClockMHz * 1e6)
}

// Room are the blocks of a multiprocessor at once if they took other resources, and what limits them.
func (r *Result) Room(change func(*machine.Group)) (resident int64, limits []machine.Limit) {
	g := r.Work.Group
	change(&g)
	limits = machine.Limits(r.emulation.Device, g)
	resident, _ = machine.Resident(limits)
	return resident, limits
}

// machines are those of each instruction; nil where all have one. m is then changed itself.
func (c *Change) machines(m *timing.Machine, n int) []*timing.Machine {
	if c.Machine == nil {
		return nil
	}
	if c.In == nil {
		c.Machine(m)
		return nil
	}
	other := *m
	c.Machine(&other)
	all := make([]*timing.Machine, n)
	for i := range all {
		all[i] = m
		if i < len(c.In) && c.In[i] {
			all[i] = &other
		}
	}
	return all
}

// blocks are those given, with what is executed in place of each instruction.
func (c *Change) blocks(list []*timing.Block) []*timing.Block {
	if c.Events == nil && c.Trips == nil {
		return list
	}
	seen := map[*timing.Block]*timing.Block{}
	nodes := map[*timing.Node][]timing.Node{} // of the first node, as blocks share what they execute
	out := make([]*timing.Block, len(list))
	for i, b := range list {
		if seen[b] == nil {
			to := &timing.Block{}
			for _, w := range b.Warps {
				var changed []timing.Node
				if len(w.Nodes) > 0 {
					first := &w.Nodes[0]
					if nodes[first] == nil {
						nodes[first] = c.trace(w)
					}
					changed = nodes[first]
				}
				to.Warps = append(to.Warps, &timing.Trace{Nodes: changed, Trips: w.Trips})
			}
			seen[b] = to
		}
		out[i] = seen[b]
	}
	return out
}

// trace changes what a warp executes. Rows of blocks are loops that do not count.
func (c *Change) trace(t *timing.Trace) []timing.Node {
	nodes := c.nodes(t.Block(), 0)
	for range t.Trips {
		nodes = []timing.Node{{Body: nodes, Times: 1}}
	}
	return nodes
}

func (c *Change) nodes(list []timing.Node, loops int) []timing.Node {
	out := make([]timing.Node, 0, len(list))
	for i := range list {
		n := &list[i]
		to := timing.Node{Times: n.Times, Events: n.Events}
		if n.Body != nil {
			if to.Body = c.nodes(n.Body, loops+1); c.Trips != nil {
				to.Times = c.Trips(loops, n.Times)
			}
		}
		if c.Events != nil && n.Events != nil {
			to.Events = make([]timing.Event, 0, len(n.Events))
			for _, e := range n.Events {
				to.Events = append(to.Events, c.Events(&Instruction{e, loops})...)
			}
		}
		out = append(out, to)
	}
	return out
}

// Each visits what the warps of the blocks execute that stand for all, each with how often they do.
func (r *Result) Each(visit func(i *Instruction, times int64)) {
	seen := map[*timing.Block]bool{}
	for _, b := range r.emulation.blocks {
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, w := range b.Warps {
			each(w.Block(), 0, 1, visit)
		}
	}
}

func each(nodes []timing.Node, loops int, times int64, visit func(*Instruction, int64)) {
	for i := range nodes {
		n := &nodes[i]
		for _, e := range n.Events {
			visit(&Instruction{e, loops}, times)
		}
		if n.Body != nil {
			each(n.Body, loops+1, times*n.Times, visit)
		}
	}
}

// Input is what the result is of.
func (r *Result) Input() *Input { return &r.emulation.Input }

// Spent is, of each instruction, the part of the time of warps that passes before and in it, and of that what they wait for.
func (r *Result) Spent() (parts []float64, waits map[timing.Reason]float64) {
	all := 0.0
	waits = map[timing.Reason]float64{}
	for i := range r.base.Ops {
		all += float64(r.base.Ops[i].Issued * timing.Cycle)
		for reason, n := range r.base.Ops[i].Waited {
			waits[timing.Reason(reason)] += float64(n)
			all += float64(n)
		}
	}
	for reason := range waits {
		waits[reason] /= max(all, 1)
	}
	return spent(r.base), waits
}

// Buffer names the buffer that an address of global memory lies in, "" for none.
func (r *Result) Buffer(address int64) string {
	name, _ := r.emulation.launch.Memory.Find(uint64(address))
	return name
}
