package schedule

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// What is taken of work that is not known yet. Trees are compared by it, for which the order of magnitude is enough.
const (
	waiting   = 0.36 // loads of an iteration of a loop that wait for each other: most of its loads find what they ask for in the first cache
	moved     = 10   // bytes of a point: two or three numbers of 4 B
	together  = 256  // work-items share a reduction
	combining = 8    // steps to combine what they have: the halvings of 256
)

// typical is what a parameter of unknown size is where trees are compared.
const typical = 1000

// extents are how many values loops take.
type extents struct {
	of    map[*scop.Loop]float64 // the loops of the text, in all iterations of those around
	mean  map[*scop.Loop]float64 // and half way through those around
	tiled []Loop                 // not nil in a tile of these loops
	on    *machine.Machine
	// around are the loops around a part, and items the numbers of those whose iterations are work-items (stride.go).
	around []Loop
	items  []int
	sums   bool // work-items also share sums in loops
	hosted bool // launches of iterations cost what the host's loops do in their place
	// passing: what is known inside of loops is of one that is half way through, as of the steps of a block.
	passing bool
	team    float64 // work-items of a work-group, where there are many groups; 0 where it is alone
}

// extentsOf are how many values the loops of a nest take at the sizes for which launches are compared.
func extentsOf(n *scop.Nest, opt Options) extents {
	out := extents{of: map[*scop.Loop]float64{}, mean: map[*scop.Loop]float64{}, on: cmp.Or(opt.On, machine.Of(nil))}
	at := sizesOf(n, opt)
	middle := map[*scop.Loop]int64{}
	for _, l := range n.Loops {
		var first, last int64
		first, last, out.of[l] = extentOf(l.Bounds, at)
		if out.mean[l] = out.of[l]; len(l.Outer) > 0 {
			inside := maps.Clone(at)
			for i, o := range l.Outer {
				inside[l.Bounds.Dims()[i]] = middle[o]
			}
			first, last, out.mean[l] = extentOf(l.Bounds, inside)
		}
		middle[l] = intmath.FloorDiv(first+last, 2)
	}
	return out
}

// sizesOf are the parameters for which launches are compared.
func sizesOf(n *scop.Nest, opt Options) map[string]int64 {
	at := map[string]int64{}
	for _, p := range n.Params {
		at[p] = typical
		if size, known := opt.Sizes[p]; known && (size > 0 || opt.inBlock) { // the number of a block may be any
			at[p] = size
		}
	}
	return at
}

// extentOf are about the first and the last value of the last dimension, and how many there are.
func extentOf(bounds *polycount.Set, at map[string]int64) (first, last int64, count float64) {
	dims := bounds.Dims()
	name := dims[len(dims)-1]
	values, err := bounds.Fix(at)
	if err == nil {
		values, err = values.Project(name)
	}
	if err != nil {
		return 0, typical - 1, typical
	}
	parts, err := kernel.Inhabited(values)
	if err != nil || len(parts) == 0 {
		return 0, 0, 1
	}
	lower, upper, err := kernel.CommonBounds(parts, name)
	if err != nil || len(lower) == 0 || len(upper) == 0 || !lower[0].Num.IsConstant() || !upper[0].Num.IsConstant() {
		return 0, typical - 1, typical
	}
	first, last = lower[0].Num.Constant()/lower[0].Den, upper[0].Num.Constant()/upper[0].Den
	return first, last, float64(max(1, last-first+1))
}

// extent is about how many values a loop takes. What the loops around it determine adds none.
func (e extents) extent(l Loop) (most float64) {
	if e.tiled != nil {
		if n, is := l.inTile(e.tiled); is {
			return n
		}
	}
	for s, a := range l.Of {
		n := 1.0
		for i, it := range s.Iterators {
			if c := a.Coeff(it); c != 0 && !e.determined(s, i) {
				n += float64(max(c, -c)) * (e.values(s, i) - 1)
			}
		}
		most = max(most, n)
	}
	return most
}

// values are about how many an iterator takes: in the mean, where the loops around that are not of work-items give those iterators that its bounds have.
func (e extents) values(s *scop.Statement, iterator int) float64 {
	l := s.Loops[iterator]
	if !e.passing || e.mean[l] == e.of[l] {
		return e.of[l]
	}
	var around []Loop
	for i, o := range e.around {
		if !slices.Contains(e.items, i) {
			around = append(around, o)
		}
	}
	rows := rowsOf(s, around)
	for i, dim := range l.Bounds.Dims()[:iterator] {
		unit := make([]int64, len(s.Iterators))
		unit[i] = 1
		if _, is := combination(rows, unit); !is && bounds(l.Bounds, dim) {
			return e.of[l]
		}
	}
	return e.mean[l]
}

// bounds reports that a dimension is in the constraints of a set.
func bounds(set *polycount.Set, dim string) bool {
	return slices.ContainsFunc(set.Disjuncts(), func(part *polycount.Set) bool {
		list, _ := part.Constraints()
		return slices.ContainsFunc(list, func(c polycount.Constraint) bool { return c.Affine.Has(dim) })
	})
}

// iterations are about those of loops in each other.
func (e extents) iterations(loops []Loop) float64 {
	n := 1.0
	for i, l := range loops {
		n *= e.in(loops[:i], false).extent(l)
	}
	return n
}

// determined reports that the loops around a part give the value of an iterator of a statement.
func (e extents) determined(s *scop.Statement, iterator int) bool {
	unit := make([]int64, len(s.Iterators))
	unit[iterator] = 1
	_, is := combination(rowsOf(s, e.around), unit)
	return is
}

// perLaunch is what a launch takes that does nothing.
func (e extents) perLaunch() float64 { return e.on.Seconds(machine.Work{Launches: 1}) }

// cost is about what a tree of launches takes, in seconds.
func (e extents) cost(n Node) (time float64) {
	switch x := n.(type) {
	case *Sequence:
		for _, part := range x.Parts {
			time += e.cost(part)
		}
	case *Band:
		time = e.in(x.Loops, false).cost(x.Body) * e.iterations(x.Loops)
	case *Launch:
		if x.Tiled != nil {
			return e.wavefront(x)
		}
		if x.Each && e.hosted {
			return e.cost(x.Host)
		}
		if x.Each {
			return e.eachOf(x)
		}
		if x.Host != nil {
			work := e.group(x.Body)
			work.Launches = 1
			return e.on.Seconds(work)
		}
		if work, sums, is := e.product(x.Body); is { // which are loaded before all terms and stored behind them
			return e.on.Seconds(work) + e.on.Seconds(machine.Work{GlobalBytes: moved * sums})
		}
		steps, points, _ := e.inside(x.Body, true, true)
		time = e.on.Seconds(machine.Work{Launches: 1, Rounds: waiting * steps, GlobalBytes: moved * points})
	case *Leaf:
		time = e.perLaunch()
	}
	return time
}

// Of sums that tiles compute, as by the mappings that products of about 1000 get without a search.
const (
	tileSide  = 64  // points
	tileItems = 256 // work-items
	tileDepth = 16  // terms that have their operands in local memory at a time
	tileIssue = 1.5 // instructions of a term: the multiply-add, and its part of the reads of operands that several share
)

// product is what a launch does whose sums have two parallel loops around, as those of a product of matrices, and how many sums these are: work-groups compute tiles of them, which share operands.
func (e extents) product(n Node) (work machine.Work, sums float64, is bool) {
	band, ok := n.(*Band)
	if !ok {
		return work, 0, false
	}
	_, alone := band.Body.(*Leaf)
	terms, across := 1.0, 0
	sums = 1
	for i, l := range band.Loops {
		extent := e.in(band.Loops[:i], false).extent(l)
		switch {
		case l.Parallel:
			sums, across = sums*extent, across+1
		case l.Reduction:
			terms *= extent
		default:
			return work, 0, false
		}
	}
	if !alone || across < 2 || terms < 2 {
		return work, 0, false
	}
	work = machine.Work{Launches: 1, Rounds: 1 + math.Ceil(terms/tileDepth), GlobalBytes: moved * sums * terms / tileSide, Groups: int64(math.Ceil(sums / (tileSide * tileSide)))}
	work.Issue = (issued + tileIssue*terms) * min(sums, tileSide*tileSide) / float64(e.on.Subgroup*e.on.Schedulers)
	work.Group = machine.Group{Items: tileItems, Registers: tileRegisters, Subgroup: e.on.Subgroup}
	return work, sums, true
}

// inside is how many iterations a work-item makes one after the other, how many points there are, and the lines that their accesses touch. Outermost loops that are parallel are those of work-items; these
// share reductions that at most one of them, and no other loop, is around.
func (e extents) inside(n Node, outermost, share bool) (steps, points, lines float64) {
	switch x := n.(type) {
	case *Sequence:
		for _, part := range x.Parts {
			s, n, l := e.inside(part, false, share)
			steps, points, lines = steps+s, points+n, lines+l
		}
	case *Band:
		items := 0
		for _, l := range x.Loops {
			switch {
			case l.Parallel && outermost:
				items++
			case !l.Reduction && (l.Parallel || !e.sums):
				share = false
			}
		}
		_, alone := x.Body.(*Leaf)
		share = share && items < 2
		steps, points, lines = e.in(x.Loops, outermost).inside(x.Body, false, share)
		for i, l := range x.Loops {
			extent := e.in(x.Loops[:i], false).extent(l)
			points, lines = points*extent, lines*extent
			switch {
			case l.Parallel && outermost:
			case l.Reduction && alone && share:
				steps *= extent/together + combining
			default:
				steps *= extent
			}
		}
	case *Leaf:
		return 1, 1, e.lines(x.Statement)
	}
	return steps, points, lines
}
