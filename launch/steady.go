package launch

import (
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// opened is a loop in which the builder is.
type opened struct {
	iname  string
	slot   int
	stores []string
}

// arraysOf lists the accessed arrays that are stored to.
func (b *builder) arraysOf(e linear.Effects) (list []int) {
	for _, name := range e.Stores {
		if at, ok := b.arrays[name]; ok {
			list = append(list, at)
		}
	}
	return list
}

// powerTests are the instructions of a power that stay in a loop in which its operands do not change: what finds the special operands, and chooses the result by
// them, in conditions. The arithmetic is before the loop (seen in the time of a loop with a power of float32 as nvcc compiles it for an H200).
const powerTests = 10

// steadyPower is what compiled code has in place of a power that is computed each time.
func (b *builder) steadyPower(x *expr.Op) []instruction {
	mask := b.changing(x)
	return []instruction{{issuePower, -1, nil, everyLoop}, {issuePower, 1, nil, mask}, {issueCondition, powerTests, nil, everyLoop}, {issueCondition, -powerTests, nil, mask}}
}

// changing are the loops in which the value of an expression may change, as a set of bits.
func (b *builder) changing(e expr.Expr) (loops uint32) {
	for _, l := range b.open {
		if expr.Mentions(e, l.iname) || slices.ContainsFunc(l.stores, func(name string) bool { return expr.Mentions(e, name) }) {
			loops |= 1 << (l.slot - axisVars)
		}
	}
	return loops
}
