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
