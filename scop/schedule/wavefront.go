package schedule

import (
	"errors"
	"math"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Bounds of wavefronts: of the loops whose tiles they are, of which all but one are axes of work-groups, and the side of a tile by which costs are compared. A tile takes some times as long as
// the same steps of a lone work-group: on an H200 110 µs where lu's would take 26, and 130 to 250 where seidel-2d's would take 47.
const (
	mostTiled     = 3   // one of the host and two of work-groups
	typicalSide   = 32  // about the sides of the mappings that tiles get without a search
	tileRegisters = 64  // of a work-item: as many as leave room for two such work-groups on a multiprocessor
	asLong        = 4   // 110 / 26, and 130 / 47 to 250 / 47 above
	windowItems   = 256 // work-items of a tile that has its elements in local memory
)

// wavefronts makes launches of wavefronts of tiles (Wolfe, More iteration space tiling, 1989) of loops of the host with little to do in each launch, where that costs less. Of permutable loops
// no dependence leads to an earlier tile along any of them: tiles whose numbers have the same sum depend on no other of these, and a launch has a work-group for each of them. That
// makes the iterations of its tile in the order of the host's loops, with barriers where launches ended.
func (p *pluto) wavefronts(n Node, edges []*edge) (Node, error) {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			next, err := p.wavefronts(part, edges)
			if err != nil {
				return nil, err
			}
			out.Parts = append(out.Parts, next)
		}
		return p.inRows(out, edges)
	case *Band:
		return p.wavefront(x, edges)
	case *Launch:
		if x.Host != nil {
			return p.wavefront(x, edges)
		}
	}
	return n, nil
}

// wavefront is what a part of the tree does in wavefronts, or the part itself where that costs less or has no permutable loops.
func (p *pluto) wavefront(part Node, edges []*edge) (Node, error) {
	list := part.statements()
	inner := slices.DeleteFunc(slices.Clone(edges), func(e *edge) bool { return !slices.Contains(list, e.from) || !slices.Contains(list, e.to) })
	p.found, p.host, p.work = found{}, nil, work/8
	loops, err := p.band(list, inner)
	switch {
	case errors.Is(err, errNoBand) || errors.Is(err, errSteps):
		return part, nil
	case err != nil:
		return nil, err
	case slices.ContainsFunc(loops, func(l Loop) bool { return l.Parallel }):
		return p.each(part, loops)
	case len(loops) < 2 || len(loops) > mostTiled:
		return part, nil
	}
	out := &Launch{Body: along(flat(opened(Hosted(part))), nil, loops), Host: part, Tiled: loops}
	if !p.tiles && p.cost(out) >= p.cost(part) {
		return part, nil
	}
	if fits, err := haveBounds(out.Body, nil); !fits || err != nil {
		return part, err
	}
	return out, nil
}

// along gives bands of parallel loops loops of tiles in the place of theirs, as these begin where tiles begin: which loops their points are told apart by makes no difference.
func along(n Node, around, tiled []Loop) Node {
	switch x := n.(type) {
	case *Sequence:
		out := &Sequence{}
		for _, part := range x.Parts {
			out.Parts = append(out.Parts, along(part, around, tiled))
		}
		return out
	case *Band:
		if slices.ContainsFunc(x.Loops, func(l Loop) bool { return !l.Parallel }) {
			return &Band{x.Loops, along(x.Body, slices.Concat(around, x.Loops), tiled)}
		}
		var loops []Loop
		for _, l := range tiled {
			if len(loops) < len(x.Loops) && tellsApart(x.statements(), slices.Concat(around, loops), l) {
				l.Parallel = true
				loops = append(loops, l.of(x.statements()))
			}
		}
		if len(loops) == len(x.Loops) {
			return &Band{loops, x.Body}
		}
	}
	return n
}

func (l Loop) of(list []*scop.Statement) Loop {
	all := l.Of
	l.Of = map[*scop.Statement]polycount.Affine{}
	for _, s := range list {
		l.Of[s] = all[s]
	}
	return l
}

// tellsApart reports that a loop tells points of each statement apart that loops around it do not.
func tellsApart(list []*scop.Statement, around []Loop, l Loop) bool {
	return !slices.ContainsFunc(list, func(s *scop.Statement) bool {
		rows := rowsOf(s, around)
		return rank(append(slices.Clip(rows), l.row(s))) == rank(rows)
	})
}

func rowsOf(s *scop.Statement, loops []Loop) (rows [][]int64) {
	for _, l := range loops {
		rows = append(rows, l.row(s))
	}
	return rows
}

func (l Loop) row(s *scop.Statement) []int64 {
	row := make([]int64, len(s.Iterators))
	for i, it := range s.Iterators {
		row[i] = l.Of[s].Coeff(it)
	}
	return row
}

// wavefront is what a launch of wavefronts takes, with all of its launches.
func (e extents) wavefront(x *Launch) float64 {
	launches, most := 1.0, 1.0
	for _, l := range x.Tiled {
		n := math.Ceil(e.extent(l) / typicalSide)
		launches, most = launches+n-1, most*n
	}
	groups := 0.0
	for _, s := range x.statements() {
		tiles := 1.0
		for _, l := range s.Loops {
			tiles *= max(1, e.of[l]/typicalSide)
		}
		groups = max(groups, tiles)
	}
	e.tiled = x.Tiled
	work := e.group(x.Body).Times(asLong)
	work.Group = machine.Group{Items: groupItems, Registers: tileRegisters, Subgroup: e.on.Subgroup}
	if x.windowed() {
		work = e.window(x)
	}
	work.Launches, work.Groups = 1, int64(math.Ceil(min(groups, most)/launches))
	return launches * e.on.Seconds(work)
}

// windowed reports that tiles may have their elements in local memory: they are of one statement, whose points the loops tell apart.
func (x *Launch) windowed() bool {
	list := x.statements()
	return len(list) == 1 && len(list[0].Iterators) == len(x.Tiled)
}

// window is what a work-group does whose tile has its elements in local memory: it loads and stores these, and between makes steps with a barrier behind each.
func (e extents) window(x *Launch) machine.Work {
	steps, accesses := float64(1+len(x.Tiled)*(typicalSide-1)), float64(len(x.statements()[0].Accesses))
	return machine.Work{
		Group: machine.Group{Items: windowItems, Registers: tileRegisters, Subgroup: e.on.Subgroup}, Rounds: 2, Barriers: steps, Waits: steps * accesses,
		Issue: steps * (issued + 2*accesses) * float64(windowItems/(e.on.Subgroup*e.on.Schedulers)),
	}
}

// inTile is how many values a loop takes in a tile; false where it is no sum of multiples of the loops of tiles.
func (l Loop) inTile(tiled []Loop) (extent float64, is bool) {
	factors, _, is := l.Factors(tiled)
	extent = 1
	for _, f := range factors {
		extent += math.Abs(float64(f)) * (typicalSide - 1)
	}
	return extent, is
}

// Factors are those of other loops whose sum, with a rest that no iterator is in, is the loop; false where there are none that are integers.
func (l Loop) Factors(of []Loop) (factors []int64, rest polycount.Affine, is bool) {
	var rows [][]int64
	var list []*scop.Statement
	for s := range l.Of {
		list = append(list, s)
	}
	for _, m := range of {
		rows = append(rows, m.rows(list))
	}
	found, is := combination(rows, l.rows(list))
	for i, s := range list {
		left := l.Of[s]
		for j, f := range found {
			left = left.AddScaled(-int64(f), of[j].Of[s])
		}
		is = is && (i == 0 || left.Equal(rest))
		rest = left
	}
	for _, f := range found {
		is = is && f == math.Trunc(f)
		factors = append(factors, int64(f))
	}
	return factors, rest, is
}

// rows are the coefficients of the iterators of statements, one after the other.
func (l Loop) rows(list []*scop.Statement) (all []int64) {
	for _, s := range list {
		all = append(all, l.row(s)...)
	}
	return all
}

// combination are factors of rows whose sum is another one.
func combination(rows [][]int64, sum []int64) (factors []float64, ok bool) {
	// Gaussian elimination of the equations of the columns, one for each row of the sum.
	n := len(rows)
	table := make([][]float64, len(sum))
	for c := range sum {
		table[c] = make([]float64, n+1)
		for i, r := range rows {
			table[c][i] = float64(r[c])
		}
		table[c][n] = float64(sum[c])
	}
	factors = make([]float64, n)
	pivots := map[int]int{} // of factors: their equation
	at := 0
	for i := range n {
		best := at
		for c := at; c < len(table); c++ {
			if math.Abs(table[c][i]) > math.Abs(table[best][i]) {
				best = c
			}
		}
		if at == len(table) || math.Abs(table[best][i]) < 1e-9 {
			continue
		}
		table[at], table[best] = table[best], table[at]
		for c := range table {
			if f := table[c][i] / table[at][i]; c != at && f != 0 {
				for j := range table[c] {
					table[c][j] -= f * table[at][j]
				}
			}
		}
		pivots[i] = at
		at++
	}
	for _, left := range table[at:] {
		if math.Abs(left[n]) > 1e-9 {
			return nil, false
		}
	}
	for i, c := range pivots {
		factors[i] = table[c][n] / table[c][i]
	}
	return factors, true
}
