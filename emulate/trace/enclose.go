package trace

import (
	"slices"

	"gpuperf/emulate/timing"
)

// repeat makes a loop of the items from a place on.
func (r *recorder) repeat(from int, moved movement, times int64) {
	body := nodes(r.items[from:])
	enclose(body, moved)
	r.items = append(r.items[:from], item{node: &timing.Node{Body: body, Times: times}})
}

// enclosed is the body of a loop, from iterations that were executed: its accesses know how they move from one to the next.
func enclosed(body []timing.Node, moved movement) []timing.Node {
	out := slices.Clone(body)
	for i := range out {
		out[i].Events = slices.Clone(out[i].Events)
	}
	enclose(out, moved)
	return out
}

// enclose is enclosed of nodes whose events nobody else has.
func enclose(out []timing.Node, moved movement) {
	touches, steps := 0, 0
	for i := range out {
		for j := range out[i].Events {
			if t := out[i].Events[j].Touch; t != nil {
				touches, steps = touches+1, steps+len(t.Steps)+1
			}
		}
	}
	inner, all := make([]timing.Touched, touches), make([]timing.Step, 0, steps)
	for i := range out {
		out[i].Body = enclosed(out[i].Body, moved)
		for j := range out[i].Events {
			if t := out[i].Events[j].Touch; t != nil {
				from := len(all)
				all = append(append(all, moved.touches[t]), t.Steps...)
				inner[0] = *t
				inner[0].Steps = all[from:len(all):len(all)]
				out[i].Events[j].Touch, inner = &inner[0], inner[1:]
			}
			if m := out[i].Events[j].Meet; m != nil {
				inner := *m
				inner.Steps = append([]int64{moved.meets[m]}, m.Steps...)
				out[i].Events[j].Meet = &inner
			}
		}
	}
}

// Row is the traces of two blocks as one for each warp: a loop of which the first block is an iteration, and the second the next one; nil
// where they do not execute the same.
func Row(a, b *timing.Block) (row [][]timing.Node) { return Grid(b, a) }

// Grid is the traces of a block and of others as one for each warp: loops in each other, the last one outermost. In each the block is the
// iteration after another one. It is nil where they do not execute the same.
func Grid(b *timing.Block, others ...*timing.Block) (grid [][]timing.Node) {
	for i := range b.Warps {
		nodes := b.Warps[i].Nodes
		for _, a := range others {
			if len(a.Warps) != len(b.Warps) || !slices.EqualFunc(a.Warps[i].Nodes, nodes, Alike) {
				return nil
			}
			moved := newMovement()
			moves(a.Warps[i].Nodes, nodes, moved)
			moved.keepTables()
			nodes = enclosed(nodes, moved)
		}
		for range others {
			nodes = []timing.Node{{Body: nodes, Times: 1}}
		}
		grid = append(grid, nodes)
	}
	return grid
}

// keepTables lets constants stay whose addresses move differently by lane from one block to the next: data tell them, and lines would be lacking that no block asks for.
func (m movement) keepTables() {
	for t, s := range m.touches {
		if t.Space == timing.ConstantSpace && s.Each != nil {
			delete(m.touches, t)
		}
	}
}

// Once is a loop of one iteration.
func Once(body []timing.Node) []timing.Node {
	return []timing.Node{{Body: enclosed(body, newMovement()), Times: 1}}
}

// Moved is the traces of a block as loops of which it is the first iteration, with a step for each instruction.
func Moved(b *timing.Block, step func(op int32) int64) (row [][]timing.Node) {
	for _, w := range b.Warps {
		moved := newMovement()
		Each(w.Nodes, func(ev *timing.Event) {
			if t := ev.Touch; t != nil && t.Space == timing.GlobalSpace {
				moved.touches[t] = timing.Step{All: step(ev.Op)}
			}
		})
		row = append(row, []timing.Node{{Body: enclosed(w.Nodes, moved), Times: 1}})
	}
	return row
}

// alike reports whether two sequences execute the same.
func alike(a, b []item) bool {
	return slices.EqualFunc(a, b, func(x, y item) bool {
		if (x.node == nil) != (y.node == nil) {
			return false
		}
		if x.node != nil {
			return Alike(*x.node, *y.node)
		}
		return alikeEvents(x.event, y.event)
	})
}

// Alike reports whether two nodes execute the same, at other addresses perhaps.
func Alike(a, b timing.Node) bool {
	return a.Times == b.Times && slices.EqualFunc(a.Body, b.Body, Alike) && slices.EqualFunc(a.Events, b.Events, alikeEvents)
}

func alikeEvents(a, b timing.Event) bool {
	if a.Op != b.Op || a.Off != b.Off || (a.Touch == nil) != (b.Touch == nil) {
		return false
	}
	return alikeMeets(a.Meet, b.Meet) && (a.Touch == nil || len(a.Touch.Lanes) == len(b.Touch.Lanes) && a.Touch.Unknown == b.Touch.Unknown)
}

// steps is how far each access of the second of two sequences that are alike has moved since the first.
func steps(a, b []item) movement {
	moved := newMovement()
	for i := range a {
		if a[i].node != nil {
			moves([]timing.Node{*a[i].node}, []timing.Node{*b[i].node}, moved)
		} else {
			move(&a[i].event, &b[i].event, moved)
		}
	}
	return moved
}

func moves(a, b []timing.Node, moved movement) {
	for i := range a {
		moves(a[i].Body, b[i].Body, moved)
		for j := range a[i].Events {
			move(&a[i].Events[j], &b[i].Events[j], moved)
		}
	}
}

func move(a, b *timing.Event, moved movement) {
	if b.Touch != nil {
		moved.touches[b.Touch] = StepBetween(a.Touch.Lanes, b.Touch.Lanes)
	}
	if b.Meet != nil {
		moved.meets[b.Meet] = b.Meet.Phase - a.Meet.Phase
	}
}

// StepBetween is how far lanes have moved.
func StepBetween(a, b []int64) (s timing.Step) {
	if len(b) == 0 {
		return s
	}
	s.All = b[0] - a[0]
	for i := range b {
		if b[i]-a[i] != s.All {
			s = timing.Step{Each: make([]int64, len(b))}
			for j := range b {
				s.Each[j] = b[j] - a[j]
			}
			return s
		}
	}
	return s
}

// Each calls f for the events of nodes, those of a loop once.
func Each(nodes []timing.Node, f func(*timing.Event)) {
	for i := range nodes {
		Each(nodes[i].Body, f)
		for j := range nodes[i].Events {
			f(&nodes[i].Events[j])
		}
	}
}

// each calls f for the events of items, those of a loop once.
func each(items []item, f func(*timing.Event)) {
	for i := range items {
		if n := items[i].node; n != nil {
			Each([]timing.Node{*n}, f)
		} else {
			f(&items[i].event)
		}
	}
}

// nodes joins instructions in sequence.
func nodes(items []item) (out []timing.Node) {
	for i := 0; i < len(items); {
		if n := items[i].node; n != nil {
			out = append(out, *n)
			i++
			continue
		}
		n := i
		for n < len(items) && items[n].node == nil {
			n++
		}
		events := make([]timing.Event, n-i)
		for k := range events {
			events[k] = items[i+k].event
		}
		out = append(out, timing.Node{Events: events})
		i = n
	}
	return out
}
