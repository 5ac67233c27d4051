package schedule

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Launches finds a tree of launches. In each the outermost loops are parallel where that is possible; the loops around launches are sequential,
// for the host. What has no parallel loop at all is in one launch.
func Launches(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
	return find(n, dependences, forHost(n, opt, (*pluto).launch))
}

// Feautrier finds a tree of launches whose loops of the host carry as many dependences as possible, each after the other (Feautrier, Some efficient solutions to the affine
// scheduling problem, part II, 1992): few loops are sequential, and those inside of launches are parallel.
func Feautrier(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
	return find(n, dependences, forHost(n, opt, (*pluto).feautrier))
}

// Bounded is Launches that for components of up to three statements also tries loops of the host with coefficients from −2 to 2 (bounded.go).
func Bounded(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
	p := forHost(n, opt, (*pluto).launch)
	p.bounded = true
	return find(n, dependences, p)
}

// Wavefronts is Launches with wavefronts of tiles (wavefront.go) wherever loops are permutable, and work-groups for iterations that depend on no other (each.go), whatever they cost.
func Wavefronts(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
	p := forHost(n, opt, (*pluto).launch)
	p.tiles = true
	return find(n, dependences, p)
}

func forHost(n *scop.Nest, opt Options, inside inside) *pluto {
	return &pluto{nest: n, fusion: cmp.Or(opt.Fusion, Smart), found: found{}, host: inside, limit: math.Inf(1), alone: opt.inBlock, extents: extentsOf(n, opt)}
}

// inside makes the tree of a part of which the loops of a band are found.
type inside func(p *pluto, list []*scop.Statement, edges []*edge, loops []Loop) (Node, error)

// launch takes the tree that costs least (cost.go): a launch with all loops of the band, a sequence of parts that do
// not depend on each other in circles, a loop of the host that is one of the band, or one that carries as many dependences as possible.
func (p *pluto) launch(list []*scop.Statement, edges []*edge, loops []Loop) (Node, error) {
	c := p.choose(list, edges, loops)
	defer func() { p.limit = c.limit }()
	fixed := p.fixed
	p.fixed = false
	c.try(0, func() (Node, error) { return c.whole(loops) })
	if circles := components(list, edges); len(circles) > 1 && !fixed {
		c.try(c.perLaunch(), func() (Node, error) { return p.sequence(circles, edges) })
	}
	for _, l := range loops {
		c.host(l)
	}
	if fixed && c.best != nil {
		return c.result()
	}
	for _, a := range []aim{{carry: carryLoops}, {carry: carryAll}, {carry: carryLoops, signed: true}} {
		if c.perLaunch() < c.least() {
			c.carrying(a)
		}
	}
	if p.found = c.before; p.bounded && c.perLaunch() < c.least() {
		for _, l := range p.hyperplanes(list, edges) {
			c.host(l)
		}
	}
	return c.result()
}

// feautrier takes a loop of the host that carries as many dependences as possible, until there are none, or a launch with parallel loops that costs less.
func (p *pluto) feautrier(list []*scop.Statement, edges []*edge, loops []Loop) (Node, error) {
	c := p.choose(list, edges, loops)
	defer func() { p.limit = c.limit }()
	if circles := components(list, edges); len(circles) > 1 {
		p.found = c.before
		return p.sequence(circles, edges)
	}
	whole := func() { c.try(0, func() (Node, error) { return c.whole(loops) }) }
	if slices.ContainsFunc(loops, func(l Loop) bool { return l.Parallel }) {
		whole()
	}
	if len(edges) > 0 {
		if c.carrying(aim{carry: carryEach}); c.best == nil && c.err == nil {
			c.carrying(aim{carry: carryAll})
		}
	}
	if c.best == nil {
		whole()
	}
	return c.result()
}

func (p *pluto) choose(list []*scop.Statement, edges []*edge, loops []Loop) *choice {
	c := &choice{pluto: p, list: list, edges: edges, before: p.found, after: p.found, limit: p.limit}
	for _, s := range list {
		c.before = c.before.without(s, len(loops))
	}
	return c
}

// carrying tries a loop that carries as much as possible.
func (c *choice) carrying(a aim) {
	if c.err != nil || c.settled() {
		return
	}
	c.pluto.found = c.before
	l, err := c.loop(c.list, c.edges, a)
	switch {
	case err == nil:
		c.host(l)
	case !errors.Is(err, errNoBand) && !errors.Is(err, errSteps):
		c.err = err
	}
}

// settled reports that there is a candidate, and that the rest of the work is kept for other parts.
func (c *choice) settled() bool { return c.best != nil && c.pluto.work < work/2 }

// result is the best of all.
func (c *choice) result() (Node, error) {
	switch {
	case c.err != nil:
		return nil, c.err
	case c.best != nil:
		return c.best, nil
	case c.unfit != nil:
		return c.unfit, nil
	}
	return nil, errNoBand
}

// choice is among trees of a part.
type choice struct {
	*pluto
	list          []*scop.Statement
	edges         []*edge
	before, after found   // without the band and with it
	limit         float64 // of the cost
	best          Node
	cost          float64
	tried         []Loop
	unfit         Node  // a launch whose loops have no common bounds
	err           error // that is more than that a candidate fails
}

// least is what a candidate has to cost less than.
func (c *choice) least() float64 {
	if c.best == nil {
		return c.limit
	}
	return min(c.limit, 0.99*c.cost)
}

// try compares a candidate with the best so far. One that costs at least so much is not made if that is too much.
func (c *choice) try(atLeast float64, make func() (Node, error)) {
	if c.err != nil || atLeast >= c.least() || c.settled() {
		return
	}
	c.pluto.found, c.pluto.limit = c.before, c.least()
	n, err := make()
	if err != nil {
		if !errors.Is(err, errNoBand) && !errors.Is(err, errSteps) {
			c.err = err
		}
		return
	}
	launches := c.gathered(n)
	if c.alone {
		if launches, c.err = c.grouped(launches, false); c.err != nil {
			return
		}
	}
	if cost := c.extents.cost(launches); cost < c.least() || c.best == nil && cost <= c.limit {
		c.best, c.cost = n, cost
	}
}

// whole is a launch with all loops of a band, the parallel ones outermost.
func (c *choice) whole(loops []Loop) (Node, error) {
	c.pluto.found = c.after
	loops = slices.Clone(loops)
	slices.SortStableFunc(loops, func(a, b Loop) int { return order(b.Parallel) - order(a.Parallel) })
	loops = unskewed(loops)
	host := c.pluto.host
	c.pluto.host = nil
	defer func() { c.pluto.host = host }()
	n, err := c.around(c.list, c.edges, loops)
	if err != nil {
		return nil, err
	}
	if fits, err := haveBounds(n, nil); !fits || err != nil {
		c.unfit = &Launch{Body: n}
		return nil, cmp.Or(err, errNoBand)
	}
	return &Launch{Body: n}, nil
}

// unskewed are loops in each other without the multiples of outer ones that make them permutable: where none is exchanged, the order is the same without.
func unskewed(loops []Loop) []Loop {
	out := slices.Clone(loops)
	for i := range out {
		for less := true; less; {
			less = false
			for _, outer := range out[:i] {
				for _, factor := range []int64{1, -1} {
					if l := out[i].less(factor, outer); l.weight() < out[i].weight() {
						out[i], less = l, true
					}
				}
			}
		}
	}
	return out
}

// less is the loop without a multiple of another one.
func (l Loop) less(factor int64, other Loop) Loop {
	all := l.Of
	l.Of = map[*scop.Statement]polycount.Affine{}
	for s, a := range all {
		l.Of[s] = a.AddScaled(-factor, other.Of[s])
	}
	return l
}

// weight is how far a loop is from one of the text.
func (l Loop) weight() (sum int64) {
	for s := range l.Of {
		for _, c := range l.row(s) {
			sum += max(c, -c)
		}
	}
	return sum
}

// host tries a loop of the host.
func (c *choice) host(l Loop) {
	if slices.ContainsFunc(c.tried, l.equal) {
		return
	}
	c.tried = append(c.tried, l)
	extent := c.extent(l)
	each, launches := c.perLaunch(), extent
	if c.alone { // one launch may make all
		each, launches = each/extent, 1
	}
	c.try(extent*each, func() (Node, error) {
		c.pluto.found, c.pluto.limit = c.before.with(l), c.pluto.limit/launches
		return c.around(c.list, c.edges, []Loop{l})
	})
}

func (l Loop) equal(m Loop) bool {
	for s, a := range l.Of {
		if !a.Equal(m.Of[s]) {
			return false
		}
	}
	return true
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

// writable gives launches whose loops have no common bounds the order of the text, without parallel loops.
func writable(n Node) (Node, error) {
	switch x := n.(type) {
	case *Launch:
		if fits, err := haveBounds(x.Body, nil); fits || err != nil {
			return n, err
		}
		return &Launch{Body: original(x.statements(), 0)}, nil
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

// gathered puts what is in no launch, as it has no parallel loop, into launches of its own, as large as it pays.
func (p *pluto) gathered(n Node) Node {
	switch x := n.(type) {
	case *Launch:
		return x
	case *Leaf:
		return &Launch{Body: x}
	case *Sequence:
		return p.sequenced(x)
	}
	x := n.(*Band)
	out := Node(&Band{x.Loops, p.gathered(x.Body)})
	if !hasParallel(n) {
		if one := (&Launch{Body: opened(n)}); p.cost(one) <= p.cost(out) {
			return one
		}
	}
	return out
}

func (p *pluto) sequenced(x *Sequence) Node {
	var parts []Node
	for _, part := range x.Parts {
		next := p.gathered(part)
		if last := len(parts) - 1; last >= 0 && isSerial(parts[last]) && isSerial(next) {
			both := &Launch{Body: &Sequence{append(inSequence(opened(parts[last])), opened(next))}}
			if p.cost(both) <= p.cost(parts[last])+p.cost(next) {
				parts[last] = both
				continue
			}
		}
		parts = append(parts, next)
	}
	return inOrder(parts)
}

// isSerial reports that a node is a launch without a parallel loop.
func isSerial(n Node) bool {
	l, ok := n.(*Launch)
	return ok && !hasParallel(l)
}

func inSequence(n Node) []Node {
	if s, ok := n.(*Sequence); ok {
		return s.Parts
	}
	return []Node{n}
}

// opened is a tree without launches.
func opened(n Node) Node {
	switch x := n.(type) {
	case *Launch:
		return opened(x.Body)
	case *Band:
		return &Band{x.Loops, opened(x.Body)}
	case *Sequence:
		out := &Sequence{}
		for _, p := range x.Parts {
			out.Parts = append(out.Parts, opened(p))
		}
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
