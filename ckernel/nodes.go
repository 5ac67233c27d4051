package ckernel

import "gpuperf/kernel/expr"

// maxNodes bounds the work of the passes over a kernel. The tests' kernels that people would write have 600,000 nodes at most; this many are seconds of work.
const maxNodes = 5_000_000

// nodes counts the nodes of statements and of the conditions on data under which they run, as passes visit them: a tree that several share counts for each.
type nodes struct {
	sum int
	of  map[expr.Expr]int // of trees of several nodes
}

func (n *nodes) add(r *record) {
	for _, condition := range r.live.preds {
		n.sum += n.count(condition)
	}
	n.sum += n.count(r.lhs) + n.count(r.rhs)
}

func (n *nodes) count(e expr.Expr) int {
	if e == nil {
		return 0
	}
	children := expr.Children(e)
	if len(children) == 0 {
		return 1
	}
	if known, ok := n.of[e]; ok {
		return known
	}
	sum := 1
	for _, c := range children {
		sum += n.count(c)
	}
	if n.of == nil {
		n.of = map[expr.Expr]int{}
	}
	n.of[e] = min(sum, maxNodes+1)
	return n.of[e]
}
