// Package schedule finds orders in which the points of loop nests may run: with parallel loops outside, and loops that may be tiled.
//
// An order is a tree (Node): a sequence of parts, or a band of loops around a part. The loops of a band are permutable, so that they may be tiled:
// each is an affine function of the iterators of a statement that no dependence of the part decreases. Pluto finds them (pluto.go), as
// Bondhugula and others do (A practical automatic polyhedral parallelizer and locality optimizer, 2008): of all functions that no dependence decreases, those
// that bound the distance of dependences by the least multiples of the parameters and then the least constant. What holds on a dependence is said by
// the corners of its polyhedron (cone.go), and the least coefficients are integers (lexmin.go). Verify asks package polycount, independently of all
// that, whether any dependence is violated.
//
// Search makes the most of a nest before that: arrays get copies (package expand) and statements are split (package split). Launches makes trees for a device: launches, and the
// host's loops around them, of several the one that costs least (launch.go, cost.go). Launches of one work-group and of one for each iteration have barriers in place of launches (group.go, each.go). InBlocks makes several steps of the host together (blocks.go), with statements in parts (steps.go). Feautrier and Bounded are other ways to the host's loops. Where nothing is found, the order
// is that of the text (original.go).
package schedule

import (
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
)

// Node is *Sequence, *Band, *Launch or *Leaf.
type Node interface{ statements() []*scop.Statement }

// Sequence runs its parts one after the other.
type Sequence struct{ Parts []Node }

// Band is a nest of permutable loops, outermost first.
type Band struct {
	Loops []Loop
	Body  Node
}

// Loop is a loop of a band.
type Loop struct {
	// Of each statement: what the loop counts, over the iterators of the C text.
	Of map[*scop.Statement]polycount.Affine
	// Parallel: no dependence of the band connects two of its iterations.
	Parallel bool
	// Reduction: what connects its iterations are accumulations by associative operators. It may run in parallel if these are made reductions.
	Reduction bool
}

// Launch is what one launch of a kernel does. Its body is a band whose parallel loops are outermost, or has no loops.
type Launch struct {
	Body Node
	// Host is not nil where the launch has one work-group, or one for a tile or an iteration, with sequential loops outermost: the loops of the host and the launches that it stands for.
	Host Node
	// Tiled are not nil where the launch is one of several, of a wavefront of tiles of these permutable loops: each of its work-groups does what Host does in a tile.
	Tiled []Loop
	// Each: the body is a band of parallel loops, and work-groups make their iterations: each does what Host does there.
	Each bool
}

// Leaf is a statement.
type Leaf struct{ Statement *scop.Statement }

func (s *Sequence) statements() (all []*scop.Statement) {
	for _, p := range s.Parts {
		all = append(all, p.statements()...)
	}
	return all
}

func (b *Band) statements() []*scop.Statement   { return b.Body.statements() }
func (l *Launch) statements() []*scop.Statement { return l.Body.statements() }
func (l *Leaf) statements() []*scop.Statement   { return []*scop.Statement{l.Statement} }

// times are the values whose lexicographic order is that of the tree, for each statement; all have the same number.
func times(n Node) map[*scop.Statement][]polycount.Affine {
	out := map[*scop.Statement][]polycount.Affine{}
	longest := 0
	var visit func(n Node, before map[*scop.Statement][]polycount.Affine)
	visit = func(n Node, before map[*scop.Statement][]polycount.Affine) {
		next := map[*scop.Statement][]polycount.Affine{}
		switch x := n.(type) {
		case *Sequence:
			for i, p := range x.Parts {
				for _, s := range p.statements() {
					next[s] = append(slices.Clip(before[s]), polycount.Int(int64(i)))
				}
				visit(p, next)
			}
		case *Band:
			for _, s := range x.statements() {
				next[s] = before[s]
				for _, l := range x.Loops {
					next[s] = append(slices.Clip(next[s]), l.Of[s])
				}
			}
			visit(x.Body, next)
		case *Launch:
			visit(x.Body, before)
		case *Leaf:
			out[x.Statement] = before[x.Statement]
			longest = max(longest, len(before[x.Statement]))
		}
	}
	visit(n, map[*scop.Statement][]polycount.Affine{})
	for s, list := range out {
		for len(list) < longest {
			list = append(list, polycount.Int(0))
		}
		out[s] = list
	}
	return out
}

// inOrder is a sequence of parts, or the one part.
func inOrder(parts []Node) Node {
	if len(parts) == 1 {
		return parts[0]
	}
	return &Sequence{parts}
}

// Statements are those of a part of a tree, in their order.
func Statements(n Node) []*scop.Statement { return n.statements() }

// Over is a tree with other statements in place of its own, which have the same loops.
func Over(n Node, by map[*scop.Statement]*scop.Statement) Node {
	loops := func(list []Loop) []Loop {
		list = slices.Clone(list)
		for i, l := range list {
			of := map[*scop.Statement]polycount.Affine{}
			for s, a := range l.Of {
				of[by[s]] = a
			}
			list[i].Of = of
		}
		return list
	}
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			out.Parts = append(out.Parts, Over(part, by))
		}
		return out
	case *Band:
		return &Band{loops(x.Loops), Over(x.Body, by)}
	case *Launch:
		out := &Launch{Body: Over(x.Body, by), Tiled: loops(x.Tiled), Each: x.Each}
		if x.Host != nil {
			out.Host = Over(x.Host, by)
		}
		return out
	}
	return &Leaf{by[n.(*Leaf).Statement]}
}
