package schedule

import (
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
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
