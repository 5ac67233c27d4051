package schedule

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gpuperf/polycount"
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

// Strategy finds a tree that violates no dependence. Where it finds none, or numbers are too large, it is an error.
type Strategy func(n *scop.Nest, dependences []*deps.Dependence, fusion Fusion) (Node, error)

// ByName are the strategies.
var ByName = map[string]Strategy{"pluto": Pluto, "launches": Launches}

// Strategies are their names.
func Strategies() []string { return slices.Sorted(maps.Keys(ByName)) }

// Pluto finds a tree in which outer loops are parallel where that is possible, and bands are as deep as possible.
func Pluto(n *scop.Nest, dependences []*deps.Dependence, fusion Fusion) (Node, error) {
	return find(n, dependences, &pluto{nest: n, fusion: fusion, found: found{}})
}

// work is how many numbers the search for a tree may compute: a fifth of a second or so.
const work = 20_000_000

func find(n *scop.Nest, dependences []*deps.Dependence, p *pluto) (Node, error) {
	p.work = work
	edges, err := edgesOf(n, dependences)
	if err != nil {
		return nil, err
	}
	tree, err := p.part(n.Statements, edges)
	if err != nil {
		return nil, err
	}
	if p.host {
		if tree, err = writable(gathered(tree)); err != nil {
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
	// host: loops without parallel ones inside are for the host (launch.go).
	host bool
	work int // left
}

var errNoBand = errors.New("no loop is found that satisfies all dependences")

// part makes the tree of statements; edges are the dependences among them that nothing around them satisfies.
func (p *pluto) part(list []*scop.Statement, edges []*edge) (Node, error) {
	circles := components(list, edges)
	if groups := p.groups(circles); len(groups) > 1 {
		return p.sequence(groups, edges)
	}
	if len(list) == 1 && len(edges) == 0 && p.missing(list[0]) == 0 {
		return &Leaf{list[0]}, nil
	}
	loops, err := p.band(list, edges)
	switch {
	case err != nil:
		return nil, err
	case len(loops) > 0 && p.host:
		return p.launch(list, edges, loops)
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
		l, err := p.loop(list, edges, false)
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
		inner := slices.DeleteFunc(slices.Clone(edges), func(e *edge) bool { return !slices.Contains(g, e.from) || !slices.Contains(g, e.to) })
		n, err := p.part(g, inner)
		if err != nil {
			return nil, err
		}
		out.Parts = append(out.Parts, n)
	}
	return out, nil
}

// missing is the number of loops that a statement still needs.
func (p *pluto) missing(s *scop.Statement) int { return len(s.Loops) - rank(p.found[s]) }

// groups joins circles of statements, in their order, by the way of fusion.
func (p *pluto) groups(circles [][]*scop.Statement) (groups [][]*scop.Statement) {
	depth := func(c []*scop.Statement) (d int) {
		for _, s := range c {
			d = max(d, p.missing(s))
		}
		return d
	}
	for i, c := range circles {
		apart := i == 0 || p.fusion == None || depth(c) == 0 || p.fusion == Smart && depth(c) != depth(circles[i-1])
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

// loop finds the next loop of a band: the least multiples of the parameters and constant that bound the distance of dependences, then the least
// coefficients, those of inner iterators first, so that loops keep their order where nothing speaks against it. With carry, before all that the loop
// leaves as few dependences as possible at distance 0 (Feautrier, Some efficient solutions to the affine scheduling problem, 1992).
func (p *pluto) loop(list []*scop.Statement, edges []*edge, carry bool) (l Loop, err error) {
	defer rescue(&err)
	left, params := 1, len(p.nest.Params) // the variables: 1, how many pairs of statements are left, which ones,
	first := left + 1
	bound := first
	pairs := map[[2]*scop.Statement]int{}
	for _, e := range edges {
		if pair := [2]*scop.Statement{e.from, e.to}; carry && pairs[pair] == 0 {
			pairs[pair] = bound
			bound++
		}
	}
	sum := bound + params + 1 // a bound of the distance by parameters and by a constant, the sum of all coefficients,
	width := sum + 1
	at := map[*scop.Statement]int{} // and the coefficients of each statement, the innermost first, the constant last
	for _, s := range list {
		at[s] = width
		width += len(s.Loops) + 1
	}
	var cs [][]int64
	seen := map[string]bool{}
	add := func(c []int64) {
		if key := fmt.Sprint(c); !seen[key] {
			seen[key] = true
			cs = append(cs, c)
		}
	}
	total := make([]int64, width)
	total[left] = 1
	for at := first; at < bound; at++ {
		total[at] = -1
	}
	for _, e := range edges {
		z := pairs[[2]*scop.Statement{e.from, e.to}]
		for _, x := range e.corners {
			far := make([]int64, width)
			copy(far[bound:], x.params)
			far[bound+params] = x.one
			near := x.coefficients(e, at, width)
			for j, v := range near {
				far[j] -= v
			}
			if carry && x.one > 0 {
				near[0], near[z] = -x.one, x.one
			}
			add(near)
			add(far)
		}
	}
	add(total)
	all := make([]int64, width)
	for _, s := range list {
		for i := range s.Loops {
			all[at[s]+i] = -1
		}
		if p.missing(s) > 0 {
			p.independent(s, at[s], width, add)
		}
	}
	all[sum] = 1
	add(all)
	x, err := lexmin(width-1, cs, &p.work)
	if err != nil {
		return l, err
	}
	if x == nil {
		return l, errNoBand
	}
	l.Of = map[*scop.Statement]polycount.Affine{}
	for _, s := range list {
		d := len(s.Loops)
		a := polycount.Int(x[at[s]+d-1])
		for i, loop := range s.Loops {
			a = a.AddScaled(direction(loop)*x[at[s]+d-1-i-1], polycount.Name(s.Iterators[i]))
		}
		l.Of[s] = a
	}
	l.Parallel = !slices.ContainsFunc(edges, func(e *edge) bool { return e.connects(l) })
	return l, nil
}

// coefficients are those of the distance of a corner, in the variables of a problem.
func (x corner) coefficients(e *edge, at map[*scop.Statement]int, width int) []int64 {
	c := make([]int64, width)
	for i, v := range x.to {
		c[at[e.to]+len(x.to)-1-i] += v
	}
	for i, v := range x.from {
		c[at[e.from]+len(x.from)-1-i] -= v
	}
	c[at[e.to]+len(x.to)] += x.one
	c[at[e.from]+len(x.from)] -= x.one
	return c
}

// independent adds the constraints of a loop that is independent of those that the statement has.
func (p *pluto) independent(s *scop.Statement, at, width int, add func([]int64)) {
	all := make([]int64, width)
	all[0] = -1
	for _, v := range nullspace(p.found[s], len(s.Loops)) {
		c := make([]int64, width)
		for i, x := range v {
			c[at+len(v)-1-i] = x
			all[at+len(v)-1-i] += x
		}
		add(c)
	}
	add(all)
}

// connects reports that points of the edge are in different iterations of the loop.
func (e *edge) connects(l Loop) bool {
	return slices.ContainsFunc(e.corners, func(x corner) bool { return e.distance(x, l) != 0 })
}

// distance is the distance by a loop at a corner, times its first coordinate.
func (e *edge) distance(x corner, l Loop) int64 { return x.at(e.to, x.to, l) - x.at(e.from, x.from, l) }

// at is the value of a loop at a corner, times its first coordinate.
func (x corner) at(s *scop.Statement, point []int64, l Loop) int64 {
	v := l.Of[s].Constant() * x.one
	for i, y := range point {
		v += l.coefficient(s, i) * y
	}
	return v
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
