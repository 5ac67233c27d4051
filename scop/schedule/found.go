package schedule

import (
	"fmt"

	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/expand"
	"gpuperf/scop/split"
)

// Found is a nest with the order in which it may run.
type Found struct {
	Nest   *scop.Nest // with copies of arrays, and statements in parts
	Copies []expand.Copies
	Cuts   []split.Cut
	Blocks []string // of steps of the host: which, and of how many
	Tree   Node
	// Original says why the order is that of the text, where none is found.
	Original error
	analysis *deps.Analysis
}

// Launches is the tree; where that is the order of the text, in launches.
func (f *Found) Launches() (Node, error) {
	if f.Original == nil {
		return f.Tree, nil
	}
	return InOrder(f.analysis)
}

// Over is the same order of a nest that has the same statements.
func (f *Found) Over(n *scop.Nest) *Found {
	by := map[*scop.Statement]*scop.Statement{}
	for i, s := range f.Nest.Statements {
		by[s] = n.Statements[i]
	}
	out := *f
	out.Nest, out.Tree = n, Over(f.Tree, by)
	return &out
}

// Search gives arrays of a nest copies (package expand), splits statements where that pays (package split), and finds a tree by a strategy. Where it finds none
// with copies it goes without, and then to the order of the text.
func Search(n *scop.Nest, find Strategy, opt Options) (*Found, error) {
	a, err := deps.Analyze(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.File, err)
	}
	a, once := once(a)
	f, a := withCopies(a, find, opt)
	f.Copies = append(once, f.Copies...)
	if f.Original != nil || !hasLaunch(f.Tree) {
		return f, nil
	}
	for _, expanded := range []func(*deps.Analysis) (*scop.Nest, []expand.Copies, error){expand.Initial, carried} {
		if n, copies, err := expanded(a); err == nil && len(copies) > 0 {
			if b := f.better(n, find, opt); b != nil {
				f.Copies, a = append(f.Copies, copies...), b
			}
		}
	}
	if n, cuts, err := split.Nest(a); err == nil && len(cuts) > 0 && f.better(n, find, opt) != nil {
		f.Cuts = cuts
	}
	return f, nil
}

// once is the nest with recurrences made once that are the same in all iterations of loops around.
func once(a *deps.Analysis) (*deps.Analysis, []expand.Copies) {
	b, copies, err := expand.Invariant(a)
	if err != nil {
		return a, nil
	}
	return b, copies
}

func carried(a *deps.Analysis) (*scop.Nest, []expand.Copies, error) {
	return expand.Carried(a, expand.Most)
}

// withCopies finds a tree with copies, or without them if there are none, that fails, or launches cost no less with them; and the analysis of its nest.
func withCopies(a *deps.Analysis, find Strategy, opt Options) (*Found, *deps.Analysis) {
	var with *Found
	var expanded *deps.Analysis
	if n, copies, err := expand.Nest(a, expand.Most); err == nil && len(copies) > 0 {
		if b, err := deps.Analyze(n); err == nil {
			if tree, err := find(n, b.Dependences, opt); err == nil {
				with, expanded = &Found{Nest: n, Copies: copies, Tree: tree}, b
			}
		}
	}
	if with != nil && !hasLaunch(with.Tree) {
		return with, expanded
	}
	tree, err := find(a.Nest, a.Dependences, opt)
	if with != nil && (err != nil || costOf(with.Nest, with.Tree, opt) < costOf(a.Nest, tree, opt)) {
		return with, expanded
	}
	if err != nil {
		tree = Original(a.Nest)
	}
	return &Found{Nest: a.Nest, Tree: tree, Original: err, analysis: a}, a
}

// pays is by how much the launches of a changed nest have to cost less.
const pays = 2

// better takes another nest that does the same if its launches cost less; then it returns its analysis, else nil.
func (f *Found) better(n *scop.Nest, find Strategy, opt Options) *deps.Analysis {
	a, err := deps.Analyze(n)
	if err != nil {
		return nil
	}
	tree, err := find(n, a.Dependences, opt)
	if err != nil || pays*costOf(n, tree, opt) >= costOf(f.Nest, f.Tree, opt) {
		return nil
	}
	f.Nest, f.Tree = n, tree
	return a
}

// costOf is about what a tree of launches takes, for choices among nests: what work-groups make for iterations counts as the launches that it stands for, since another nest may have more
// that is parallel, of which only those tell.
func costOf(n *scop.Nest, tree Node, opt Options) float64 {
	e := extentsOf(n, opt)
	e.hosted = true
	return e.cost(tree)
}

func hasLaunch(n Node) bool {
	switch x := n.(type) {
	case *Sequence:
		return hasLaunch(x.Parts[0])
	case *Band:
		return hasLaunch(x.Body)
	case *Launch:
		return true
	}
	return false
}
