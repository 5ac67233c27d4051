package schedule

import (
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Original is the order of the C text: each loop is a band of its own.
func Original(n *scop.Nest) Node { return original(n.Statements, 0) }

// original is the order of statements that share so many loops.
func original(list []*scop.Statement, depth int) Node {
	var parts []Node
	for len(list) > 0 {
		place := list[0].Order[2*depth].Constant()
		n := slices.IndexFunc(list, func(s *scop.Statement) bool { return s.Order[2*depth].Constant() != place })
		if n < 0 {
			n = len(list)
		}
		parts = append(parts, inLoop(list[:n], depth))
		list = list[n:]
	}
	return inOrder(parts)
}

func inLoop(list []*scop.Statement, depth int) Node {
	if len(list[0].Loops) == depth {
		return &Leaf{list[0]}
	}
	l := Loop{Of: map[*scop.Statement]polycount.Affine{}}
	for _, s := range list {
		l.Of[s] = s.Order[2*depth+1]
	}
	return &Band{[]Loop{l}, original(list, depth+1)}
}

// InOrder are launches in the order of the text: the outermost loops that carry no dependence are those of work-items.
func InOrder(a *deps.Analysis) (Node, error) {
	parallel := map[*scop.Loop]bool{}
	for _, l := range a.Loops {
		parallel[l.Loop] = l.Class == deps.Parallel
	}
	p := forHost(a.Nest, Options{}, nil)
	return writable(p.gathered(launched(Original(a.Nest), 0, parallel)))
}

// launched puts the outermost parallel loops into launches; so many loops are around the node.
func launched(n Node, depth int, parallel map[*scop.Loop]bool) Node {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			out.Parts = append(out.Parts, launched(part, depth, parallel))
		}
		return out
	case *Band:
		if b := nested(x, depth, parallel); len(b.Loops) > 0 {
			return &Launch{Body: b}
		}
		return &Band{x.Loops, launched(x.Body, depth+1, parallel)}
	}
	return n
}

// nested is a band of the parallel loops that stand directly in each other, and none around anything else.
func nested(x *Band, depth int, parallel map[*scop.Loop]bool) *Band {
	out := &Band{Body: x}
	for {
		b, ok := out.Body.(*Band)
		if !ok || !parallel[b.statements()[0].Loops[depth+len(out.Loops)]] {
			return out
		}
		l := b.Loops[0]
		l.Parallel = true
		out = &Band{append(out.Loops, l), b.Body}
	}
}
