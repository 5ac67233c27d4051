package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gpuperf/device/machine"

	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Fusion says which statements are looked at together.
type Fusion string

// The ways of fusion.
const (
	Smart   Fusion = "smart"   // statements of the same number of loops
	Maximal Fusion = "maximal" // all, as long as they have a common band
	None    Fusion = "none"    // only those that depend on each other in a circle
)

// Fusions lists them.
var Fusions = []Fusion{Smart, Maximal, None}

// Options say what trees are found.
type Options struct {
	Fusion  Fusion           // "" is Smart
	On      *machine.Machine // by which launches are compared; nil is the usual one
	Sizes   map[string]int64 // for which they are compared; parameters that it does not have are 1000
	Blocks  bool             // Objects has steps of the host in blocks, where these cost less
	Block   int64            // steps of a block of the host's, whatever that costs; 0: what costs least (blocks.go)
	inBlock bool             // of steps of the host's
}

// Strategy finds a tree that violates no dependence. Where it finds none, or numbers are too large, it is an error.
type Strategy func(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error)

// ByName are the strategies.
var ByName = map[string]Strategy{"pluto": Pluto, "launches": Launches, "feautrier": Feautrier, "bounded": Bounded, "wavefronts": Wavefronts}

// Strategies are their names.
func Strategies() []string { return slices.Sorted(maps.Keys(ByName)) }

// Pluto finds a tree in which outer loops are parallel where that is possible, and bands are as deep as possible.
func Pluto(n *scop.Nest, dependences []*deps.Dependence, opt Options) (Node, error) {
	return find(n, dependences, &pluto{nest: n, fusion: cmp.Or(opt.Fusion, Smart), found: found{}})
}

// work is how many numbers the search for a tree may compute, half a second or so; workOfLoop for one loop.
const (
	work       = 50_000_000
	workOfLoop = 8_000_000
)

func find(n *scop.Nest, dependences []*deps.Dependence, p *pluto) (tree Node, err error) {
	defer rescue(&err)
	p.work = work
	edges, err := edgesOf(n, dependences)
	if err != nil {
		return nil, err
	}
	if tree, err = p.part(n.Statements, edges); err != nil {
		return nil, err
	}
	if p.host != nil {
		if tree, err = merged(p.gathered(tree), edges, nil); err != nil {
			return nil, err
		}
		if tree, err = writable(tree); err != nil {
			return nil, err
		}
		if tree, err = p.grouped(tree, false); err != nil {
			return nil, err
		}
		if tree, err = p.wavefronts(tree, edges); err != nil {
			return nil, err
		}
	}
	if err := Verify(tree, dependences); err != nil {
		return nil, err
	}
	return tree, nil
}

// pluto is the search for a tree.
type pluto struct {
	nest   *scop.Nest
	fusion Fusion
	found  found
	// host makes trees of launches (launch.go); nil inside of one, or if there are none.
	host    inside
	bounded bool
	tiles   bool // always
	alone   bool // trees are compared by what one work-group makes of them
	// order and loops decide the outermost parts and their loops (guided.go); nil for none.
	order, loops Decide
	fixed        bool    // the loops of the band are those that were decided
	work         int     // left
	limit        float64 // of what a tree may cost
	extents
}

var errNoBand = errors.New("no loop is found that satisfies all dependences")

// part makes the tree of statements; edges are the dependences among them that nothing around them satisfies.
func (p *pluto) part(list []*scop.Statement, edges []*edge) (Node, error) {
	circles := components(list, edges)
	groups := p.groups(circles)
	if p.order != nil {
		var err error
		if groups, err = p.decided(circles, edges); err != nil {
			return nil, err
		}
	}
	if len(groups) > 1 {
		return p.sequence(groups, edges)
	}
	if len(list) == 1 && len(edges) == 0 && p.missing(list[0]) == 0 {
		return &Leaf{list[0]}, nil
	}
	loops, err := p.band(list, edges)
	decide := p.loops
	p.loops, p.fixed = nil, decide != nil // what is inside is not decided
	defer func() { p.loops, p.fixed = decide, false }()
	switch {
	case err != nil:
		return nil, err
	case len(loops) > 0 && p.host != nil:
		return p.host(p, list, edges, loops)
	case len(loops) > 0:
		return p.around(list, edges, loops)
	case len(circles) > 1:
		return p.sequence(circles, edges)
	}
	return nil, errNoBand
}

// around makes a band of loops around what is left in their iterations.
func (p *pluto) around(list []*scop.Statement, edges []*edge, loops []Loop) (Node, error) {
	var left []*edge
	for _, e := range edges {
		if in := e.within(loops); in != nil {
			left = append(left, in)
		}
	}
	body, err := p.part(list, left)
	if err != nil {
		return nil, err
	}
	return &Band{loops, body}, nil
}

// band finds permutable loops.
func (p *pluto) band(list []*scop.Statement, edges []*edge) (loops []Loop, err error) {
	for slices.ContainsFunc(list, func(s *scop.Statement) bool { return p.missing(s) > 0 }) {
		l, decided := p.decidedLoop(len(loops)+1, list, edges)
		if !decided {
			l, err = p.loop(list, edges, aim{})
		}
		if errors.Is(err, errNoBand) {
			break
		}
		if err != nil {
			return nil, err
		}
		p.found = p.found.with(l)
		loops = append(loops, l)
	}
	return loops, nil
}

// found are the loops so far of each statement, as coefficients of the iterators in the order of time.
type found map[*scop.Statement][][]int64

// with is what is found with one more loop.
func (f found) with(l Loop) found {
	out := maps.Clone(f)
	for s := range l.Of {
		row := make([]int64, len(s.Loops))
		for i := range row {
			row[i] = l.coefficient(s, i)
		}
		out[s] = append(slices.Clip(out[s]), row)
	}
	return out
}

func (p *pluto) sequence(groups [][]*scop.Statement, edges []*edge) (Node, error) {
	out := &Sequence{}
	for _, g := range groups {
		n, err := p.part(g, among(g, edges))
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, n)
	}
	return out, nil
}

// missing is the number of loops that a statement still needs.
func (p *pluto) missing(s *scop.Statement) int { return len(s.Loops) - rank(p.found[s]) }

// depth is the greatest number of loops that one of some statements still needs.
func (p *pluto) depth(list []*scop.Statement) (d int) {
	for _, s := range list {
		d = max(d, p.missing(s))
	}
	return d
}

// groups joins circles of statements, in their order, by the way of fusion.
func (p *pluto) groups(circles [][]*scop.Statement) (groups [][]*scop.Statement) {
	for i, c := range circles {
		apart := i == 0 || p.fusion == None || p.depth(c) == 0 || p.fusion == Smart && p.depth(c) != p.depth(circles[i-1])
		if apart {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], c...)
	}
	return groups
}

// components are the strongly connected components of the dependences (Tarjan 1972), each before those that depend on it, and otherwise in the order
// of the text.
func components(list []*scop.Statement, edges []*edge) (out [][]*scop.Statement) {
	index, low := map[*scop.Statement]int{}, map[*scop.Statement]int{}
	var stack []*scop.Statement
	var visit func(s *scop.Statement)
	visit = func(s *scop.Statement) {
		index[s] = len(index) + 1
		low[s] = index[s]
		stack = append(stack, s)
		for _, e := range edges { // against their direction, so that sources come first
			switch {
			case e.to != s || e.from == s:
			case index[e.from] == 0:
				visit(e.from)
				low[s] = min(low[s], low[e.from])
			case slices.Contains(stack, e.from):
				low[s] = min(low[s], index[e.from])
			}
		}
		if low[s] == index[s] {
			i := slices.Index(stack, s)
			c := slices.Clone(stack[i:])
			stack = stack[:i]
			slices.SortFunc(c, func(a, b *scop.Statement) int { return slices.Index(list, a) - slices.Index(list, b) })
			out = append(out, c)
		}
	}
	for _, s := range list {
		if index[s] == 0 {
			visit(s)
		}
	}
	return out
}

func rescue(err *error) {
	if e := recover(); e != nil {
		cause, ok := e.(error)
		if !ok || cause != errOverflow && cause != errRays {
			panic(e)
		}
		*err = fmt.Errorf("the search for a schedule has %w", cause)
	}
}
