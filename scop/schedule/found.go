package schedule

import (
	"fmt"

	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/expand"
)

// Found is a nest with the order in which it may run.
type Found struct {
	Nest   *scop.Nest // with copies of arrays
	Copies []expand.Copies
	Tree   Node
	// Original says why the order is that of the text, where none is found.
	Original error
}

// Search gives arrays of a nest copies (package expand) and finds a tree by a strategy. Where it finds none with copies it goes without, and then to the
// order of the text.
func Search(n *scop.Nest, find Strategy, fusion Fusion) (*Found, error) {
	a, err := deps.Analyze(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.File, err)
	}
	if f := withCopies(a, find, fusion); f != nil {
		return f, nil
	}
	tree, err := find(n, a.Dependences, fusion)
	if err != nil {
		return &Found{Nest: n, Tree: Original(n), Original: err}, nil
	}
	return &Found{Nest: n, Tree: tree}, nil
}

// withCopies is nil where there are none, or no tree is found with them.
func withCopies(a *deps.Analysis, find Strategy, fusion Fusion) *Found {
	n, copies, err := expand.Nest(a, expand.Most)
	if err != nil || len(copies) == 0 {
		return nil
	}
	b, err := deps.Analyze(n)
	if err != nil {
		return nil
	}
	tree, err := find(n, b.Dependences, fusion)
	if err != nil {
		return nil
	}
	return &Found{Nest: n, Copies: copies, Tree: tree}
}
