package emulate

import (
	"gpuperf/emulate/timing"
	"gpuperf/launch"
)

// Change is what is otherwise in a launch whose traces are timed again.
type Change struct {
	Machine func(*timing.Machine)      // of the multiprocessor; nil changes nothing
	In      []bool                     // the instructions, by index, that Machine is for; nil is all
	Events  func(*Instruction) []Event // what is executed in place of an instruction; nil changes nothing
	// Ops are the instructions and others that Events name.
	Ops      func([]timing.Op) []timing.Op
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
func (r *Result) Room(change func(*launch.Group)) (resident int64, limits []launch.Limit) {
	g := r.emulation.group
	change(&g)
	limits = launch.Limits(r.emulation.Device, g)
	resident = limits[0].Groups
	for _, l := range limits {
		resident = min(resident, l.Groups)
	}
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
	if c.Events == nil {
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
						nodes[first] = c.nodes(w.Nodes, 0)
					}
					changed = nodes[first]
				}
				to.Warps = append(to.Warps, &timing.Trace{Nodes: changed, Trip: w.Trip})
			}
			seen[b] = to
		}
		out[i] = seen[b]
	}
	return out
}

func (c *Change) nodes(list []timing.Node, loops int) (out []timing.Node) {
	for i := range list {
		n := &list[i]
		to := timing.Node{Times: n.Times}
		if n.Body != nil {
			to.Body = c.nodes(n.Body, loops+1)
		}
		for _, e := range n.Events {
			to.Events = append(to.Events, c.Events(&Instruction{e, loops})...)
		}
		out = append(out, to)
	}
	return out
}
