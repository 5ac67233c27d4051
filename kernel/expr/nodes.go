package expr

// Nodes counts the nodes of trees as passes visit them: what several trees share counts in each. It stops at Most.
type Nodes struct {
	Sum, Most int
	of        map[Expr]int // of trees of several nodes
}

// Add adds the nodes of a tree, which may be nil.
func (n *Nodes) Add(e Expr) { n.Sum = min(n.Sum+n.count(e), n.Most) }

func (n *Nodes) count(e Expr) int {
	if e == nil {
		return 0
	}
	children := e.children()
	if len(children) == 0 {
		return 1
	}
	if known, ok := n.of[e]; ok {
		return known
	}
	sum := 1
	for _, c := range children {
		sum = min(sum+n.count(c), n.Most)
	}
	if n.of == nil {
		n.of = map[Expr]int{}
	}
	n.of[e] = sum
	return sum
}
