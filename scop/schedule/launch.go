package schedule

import (
	"errors"
	"slices"

	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Launches finds a tree of launches. In each the outermost loops are parallel where that is possible; the loops around launches are sequential,
// for the host. What has no parallel loop at all is in one launch.
func Launches(n *scop.Nest, dependences []*deps.Dependence, fusion Fusion) (Node, error) {
	return find(n, dependences, &pluto{nest: n, fusion: fusion, found: found{}, host: true})
}

// launch makes the tree of a part of which the loops of a band are found: a launch, if some of them are parallel. Otherwise it is, whichever leaves fewer
// sequential loops: a sequence of parts that do not depend on each other in circles, a loop of the host that is the band's first one, or one that
// carries as many dependences as possible.
func (p *pluto) launch(list []*scop.Statement, edges []*edge, loops []Loop) (Node, error) {
	before := p.found
	for _, s := range list {
		before = before.without(s, len(loops))
	}
	circles := components(list, edges)
	if slices.ContainsFunc(loops, func(l Loop) bool { return l.Parallel }) {
		p.host = false
		slices.SortStableFunc(loops, func(a, b Loop) int { return order(b.Parallel) - order(a.Parallel) })
		n, err := p.around(list, edges, loops)
		p.host = true
		if err != nil {
			return nil, err
		}
		fits, err := haveBounds(n, nil)
		if !fits && err == nil && len(circles) > 1 {
			p.found = before
			return p.sequence(circles, edges)
		}
		return &Launch{n}, err
	}
	var best Node
	for _, try := range []func() (Node, error){
		func() (Node, error) {
			if len(circles) == 1 {
				return nil, errNoBand
			}
			return p.sequence(circles, edges)
		},
		func() (Node, error) {
			p.found = before.with(loops[0])
			return p.around(list, edges, loops[:1])
		},
		func() (Node, error) {
			l, err := p.loop(list, edges, true)
			if err != nil {
				return nil, err
			}
			p.found = before.with(l)
			return p.around(list, edges, []Loop{l})
		},
	} {
		p.found = before
		n, err := try()
		if err == nil && (best == nil || sequential(n) < sequential(best)) {
			best = n
		}
		if err != nil && !errors.Is(err, errNoBand) && !errors.Is(err, errSteps) {
			return nil, err
		}
	}
	if best == nil {
		return nil, errNoBand
	}
	return best, nil
}

// without is what is found without the last loops of a statement.
func (f found) without(s *scop.Statement, loops int) found {
	out := found{}
	for t, rows := range f {
		if t == s {
			rows = rows[:len(rows)-loops]
		}
		out[t] = rows
	}
	return out
}

func order(is bool) int {
	if is {
		return 1
	}
	return 0
}

// sequential is the number of loops around a statement that are not parallel, for the statement with most of them.
func sequential(n Node) (most int) {
	switch x := n.(type) {
	case *Sequence:
		for _, p := range x.Parts {
			most = max(most, sequential(p))
		}
	case *Band:
		for _, l := range x.Loops {
			most += order(!l.Parallel)
		}
		most += sequential(x.Body)
	case *Launch:
		return sequential(x.Body)
	}
	return most
}

// writable gives launches whose loops have no common bounds the order of the text, without parallel loops.
func writable(n Node) (Node, error) {
	switch x := n.(type) {
	case *Launch:
		if fits, err := haveBounds(x.Body, nil); fits || err != nil {
			return n, err
		}
		return &Launch{original(x.statements(), 0)}, nil
	case *Band:
		body, err := writable(x.Body)
		return &Band{x.Loops, body}, err
	case *Sequence:
		out := &Sequence{}
		for _, p := range x.Parts {
			part, err := writable(p)
			if err != nil {
				return nil, err
			}
			out.Parts = append(out.Parts, part)
		}
		return out, nil
	}
	return n, nil
}

// gathered puts what has no parallel loop into launches of its own, as large as possible.
func gathered(n Node) Node {
	if !hasParallel(n) {
		return &Launch{n}
	}
	switch x := n.(type) {
	case *Band:
		return &Band{x.Loops, gathered(x.Body)}
	case *Sequence:
		out := &Sequence{}
		var serial []Node
		flush := func() {
			if len(serial) > 0 {
				out.Parts = append(out.Parts, &Launch{inOrder(serial)})
			}
			serial = nil
		}
		for _, p := range x.Parts {
			if hasParallel(p) {
				flush()
				out.Parts = append(out.Parts, gathered(p))
			} else {
				serial = append(serial, p)
			}
		}
		flush()
		return out
	}
	return n
}

func hasParallel(n Node) bool {
	switch x := n.(type) {
	case *Sequence:
		return slices.ContainsFunc(x.Parts, hasParallel)
	case *Band:
		return slices.ContainsFunc(x.Loops, func(l Loop) bool { return l.Parallel }) || hasParallel(x.Body)
	case *Launch:
		return hasParallel(x.Body)
	}
	return false
}
