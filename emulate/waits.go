package emulate

import (
	"maps"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
	"gpuperf/sass"
)

// waited is what a loop waits for until others store it.
type waited struct {
	buffer string
	nobody bool // stores there
	all    bool // work-groups store there before they wait
}

// spinning adds to what loops wait for where what they load is not known from the start, so that no turn tells whether anything changes: a loop that ends on what it loads from
// a place that no instruction of it changes, past the first-level cache, and that does nothing else to memory.
func spinning(e *emulation) {
	for _, d := range e.launch.Doubts() {
		if d.Kind != exec.UnknownTrips || e.awaited(d.Index) || e.loopHas(d.Index, func(op *sass.Opcode) bool {
			return op.Action == sass.Store || op.Action == sass.Atomic || op.Space == sass.Local || op.Action == sass.Copy
		}) {
			continue
		}
		var loads []int
		defined := map[uint16]bool{}
		for i := range e.Function.Instructions {
			if e.launch.Together(d.Index, i) {
				for _, r := range e.ops[i].Defines {
					defined[r] = true
				}
				if op := e.Function.Instructions[i].Opcode; op != nil && op.Action == sass.Load && op.Space == sass.Global {
					loads = append(loads, i)
				}
			}
		}
		if len(loads) == 1 && e.Function.Instructions[loads[0]].Has("STRONG") && !slices.ContainsFunc(e.ops[loads[0]].Uses, func(r uint16) bool { return defined[r] }) {
			e.builder.Awaits[int32(loads[0])] = true
		}
	}
}

// waited finds, by instructions that load what loops wait for, who stores that.
// It looks at some more, too.
func (e *emulation) waited(more ...int32) map[int32]waited {
	awaits := maps.Clone(e.builder.Awaits)
	for _, op := range more {
		awaits[op] = true
	}
	if len(awaits) == 0 {
		return nil
	}
	wants, stores := map[int32][]int64{}, map[int64]int{} // addresses that are awaited, by instruction; blocks that store there
	stored, done := map[string]bool{}, map[int32]bool{}   // buffers; instructions that store where all lanes know
	for _, b := range e.executed {
		here, waits := map[int64]bool{}, map[int64]bool{} // places that are stored to before they are waited for, and those that are waited for
		for _, w := range b.Warps {
			trace.Each(w.Nodes, func(ev *timing.Event) {
				t := ev.Touch
				if t == nil || t.Space != timing.GlobalSpace {
					return
				}
				if awaits[ev.Op] {
					wants[ev.Op] = append(wants[ev.Op], t.Lanes...)
					for _, at := range t.Lanes {
						waits[at] = true
					}
				}
				if t.Store || t.Atomic && !awaits[ev.Op] {
					done[ev.Op] = done[ev.Op] || len(t.Lanes) > 0 && t.Unknown == 0
					for _, at := range t.Lanes {
						here[at] = here[at] || !waits[at]
						name, _ := e.launch.Memory.Find(uint64(at))
						stored[name] = true
					}
				}
			})
		}
		for at, first := range here {
			if first {
				stores[at]++
			}
		}
	}
	others := e.storesElse(done)
	out := map[int32]waited{}
	for op := range awaits {
		list := wants[op]
		if len(list) == 0 {
			continue
		}
		name, _ := e.launch.Memory.Find(uint64(list[0]))
		apart := slices.ContainsFunc(list, func(at int64) bool { return at != list[0] || stores[at] < len(e.executed) })
		out[op] = waited{buffer: name, nobody: !stored[name] && !others, all: !apart && (len(e.executed) > 1 || e.work.Groups == 1)}
	}
	return out
}

// forFree reports whether the block in the middle of the grid waits for nobody, or for those alone that wait for nobody: where all run at once, these are done when others come to wait.
func forFree(e *emulation) bool {
	for op := range e.builder.Awaits {
		if e.Function.Instructions[op].Opcode.Action == sass.Atomic { // a lock
			return false
		}
	}
	awaited := awaitedBy(e.block(e.index(e.work.Groups/2)), e.builder.Awaits)
	for _, b := range e.executed {
		if len(awaited) == 0 {
			return true
		}
		if len(awaitedBy(b, e.builder.Awaits)) > 0 {
			continue
		}
		for _, w := range b.Warps {
			trace.Each(w.Nodes, func(ev *timing.Event) {
				if t := ev.Touch; t != nil && t.Space == timing.GlobalSpace && (t.Store || t.Atomic) {
					for _, at := range t.Lanes {
						delete(awaited, at)
					}
				}
			})
		}
	}
	return len(awaited) == 0
}

// storesElse reports whether the code has instructions that store in global memory beside some: those that no work-group has come to may store what others wait for.
func (e *emulation) storesElse(done map[int32]bool) bool {
	for i := range e.Function.Instructions {
		op := e.Function.Instructions[i].Opcode
		if op != nil && (op.Space == sass.Global || op.Space == sass.Generic) && (op.Action == sass.Store || op.Action == sass.Atomic) && !done[int32(i)] {
			return true
		}
	}
	return false
}

// gathered lets what all work-groups wait for come later: all add to one word, one after the other, and whoever waits has asked once before the last one came
// (of 100 barriers of a grid one takes 0.83 us with 1 work-group, 1.04 with 132, 2.01 with 528 and 3.62 with 1056: testdata/h200/measurement/grid.csv.gz). Who asks by adding 0 waits as long (meeting.csv.gz, barrier, how 1).
func (e *emulation) gathered() {
	asks := e.asks()
	if len(e.builder.Awaits)+len(asks) == 0 || e.chain.links > 0 {
		return
	}
	later := max(e.Device.Value(facts.L2Latency), e.Device.Value(facts.GridGap)*float64(e.work.Groups))
	for op, w := range e.waited(asks...) {
		if !w.all {
			continue
		}
		e.warn("all work-groups wait for each other in %s: they are taken to come at once", e.buffer(w.buffer))
		for _, b := range e.blocks {
			for _, warp := range b.Warps {
				trace.Each(warp.Nodes, func(ev *timing.Event) {
					if ev.Op == op && ev.Touch != nil {
						ev.Touch.Later = timing.Cycles(later)
					}
				})
			}
		}
	}
}

// asks are the instructions that add 0 to a counter in a loop that does nothing else to memory: it turns until all have come.
func (e *emulation) asks() (all []int32) {
	for op := range e.launch.Asks {
		changes := func(o *sass.Opcode) bool { return o.Action == sass.Store || o.Action == sass.Atomic }
		if at := int(op); e.launch.Together(at, at) && !e.loopHas(at, changes) {
			all = append(all, op)
		}
	}
	return all
}
