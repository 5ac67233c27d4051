package schedule

import (
	"cmp"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Bounds of what hyperplanes are listed: their coefficients, and the statements and loops of a component.
const (
	maxCoefficient = 2
	maxStatements  = 3
	maxDepth       = 4
)

// maxHyperplanes is how many loops of a component are tried.
const maxHyperplanes = 8

// hyperplanes lists loops whose coefficients are from −2 to 2 and which no dependence contradicts: first those that no dependence connects iterations of, then those that
// carry more, then those with smaller coefficients. It lists none for components with more statements or loops.
func (p *pluto) hyperplanes(list []*scop.Statement, edges []*edge) (out []Loop) {
	if len(list) > maxStatements || slices.ContainsFunc(list, func(s *scop.Statement) bool { return len(s.Loops) > maxDepth }) {
		return nil
	}
	c := &combinations{list: list, edges: edges, work: min(workOfLoop/8, p.work)}
	left := c.work
	for _, e := range edges {
		c.ends = append(c.ends, [2]int{slices.Index(list, e.from), slices.Index(list, e.to)})
	}
	for _, s := range list {
		c.rows = append(c.rows, p.rows(s, edges))
	}
	var best []hyperplane
	c.combine(nil, func(rows [][]int64, shift []int64) {
		h := c.rate(rows, shift)
		if at, _ := slices.BinarySearchFunc(best, h, notAfter); at < maxHyperplanes {
			best = slices.Insert(best[:min(len(best), maxHyperplanes-1)], at, h)
		}
	})
	p.work -= left - c.work
	for _, h := range best {
		out = append(out, h.loop(list, edges))
	}
	return out
}

// hyperplane is a loop as numbers: the coefficients of each statement and its constant.
type hyperplane struct {
	rows     [][]int64
	shift    []int64
	parallel bool
	carries  int
	size     int64
}

// rate finds how many edges a loop carries, all of them if none connects its iterations.
func (c *combinations) rate(rows [][]int64, shift []int64) hyperplane {
	h := hyperplane{rows: rows, shift: shift, parallel: true}
	for _, row := range rows {
		for _, v := range row {
			h.size += max(v, -2*v) // of two of one size, the one that counts up
		}
	}
	for i, e := range c.edges {
		c.work -= 100 * len(e.corners)
		from, to := c.ends[i][0], c.ends[i][1]
		satisfied := true
		for _, x := range e.corners {
			d := dot(rows[to], x.to) - dot(rows[from], x.from) + (shift[to]-shift[from])*x.one
			h.parallel, satisfied = h.parallel && d == 0, satisfied && d >= x.one
		}
		if satisfied {
			h.carries++
		}
	}
	if h.parallel {
		h.carries = len(c.edges)
	}
	return h
}

// notAfter orders a hyperplane before another that was found later and is as good.
func notAfter(a, b hyperplane) int {
	return cmp.Or(order(b.parallel)-order(a.parallel), b.carries-a.carries, cmp.Compare(a.size, b.size), -1)
}

func (h hyperplane) loop(list []*scop.Statement, edges []*edge) Loop {
	l := Loop{Of: map[*scop.Statement]polycount.Affine{}}
	for i, s := range list {
		a := polycount.Int(h.shift[i])
		for j, v := range h.rows[i] {
			a = a.AddScaled(direction(s.Loops[j])*v, polycount.Name(s.Iterators[j]))
		}
		l.Of[s] = a
	}
	l.judge(edges)
	return l
}

// rows are the coefficients for a statement that its dependences on itself do not contradict, and that are independent of the loops that it has if it needs more.
func (p *pluto) rows(s *scop.Statement, edges []*edge) (out [][]int64) {
	missing := p.missing(s) > 0
	free := nullspace(p.found[s], len(s.Loops))
	for row := range vectors(len(s.Loops)) {
		new := !missing || slices.ContainsFunc(free, func(v []int64) bool { return dot(v, row) != 0 })
		if new && !slices.ContainsFunc(edges, func(e *edge) bool {
			if e.from != s || e.to != s {
				return false
			}
			least, bounded := e.least(row, row)
			return !bounded || least < 0
		}) {
			out = append(out, slices.Clone(row))
		}
	}
	return out
}

// combinations are those of rows of several statements.
type combinations struct {
	list  []*scop.Statement
	edges []*edge
	ends  [][2]int // the statements of each edge, by their numbers
	rows  [][][]int64
	work  int // left
}

// combine calls found with rows for all statements that are legal together, and with the shifts that make them so, until the work is done or is too much.
func (c *combinations) combine(rows [][]int64, found func(rows [][]int64, shift []int64)) {
	at := len(rows)
	if at == len(c.list) {
		if shift, ok := c.shifts(rows); ok {
			found(rows, shift)
		}
		return
	}
	for _, row := range c.rows[at] {
		next := append(slices.Clip(rows), row)
		if c.bounded(next) && c.work > 0 {
			c.combine(next, found)
		}
	}
}

// bounded reports that the edges of the last statement with those before have a least distance.
func (c *combinations) bounded(rows [][]int64) bool {
	at := len(rows) - 1
	for i, e := range c.edges {
		from, to := c.ends[i][0], c.ends[i][1]
		if from == to || max(from, to) != at {
			continue
		}
		c.work -= 4 * len(e.corners)
		if _, bounded := e.least(rows[from], rows[to]); !bounded {
			return false
		}
	}
	return true
}

// vectors are all of a length with coefficients in bounds. Each is valid until the next.
func vectors(n int) func(yield func([]int64) bool) {
	return func(yield func([]int64) bool) {
		x := make([]int64, n)
		for i := range x {
			x[i] = -maxCoefficient
		}
		for {
			if !yield(x) {
				return
			}
			i := 0
			for i < n && x[i] == maxCoefficient {
				x[i] = -maxCoefficient
				i++
			}
			if i == n {
				return
			}
			x[i]++
		}
	}
}

// least is the least distance of an edge by rows of coefficients, rounded down; bounded is false where there is none.
func (e *edge) least(from, to []int64) (least int64, bounded bool) {
	first := true
	for _, x := range e.corners {
		d := dot(to, x.to) - dot(from, x.from)
		switch {
		case x.one == 0 && d < 0:
			return 0, false
		case x.one > 0:
			v := intmath.FloorDiv(d, x.one)
			if first || v < least {
				least, first = v, false
			}
		}
	}
	return least, true
}

// shifts are the least constants, at least 0, that make all distances at least 0 (Bellman and Ford).
func (c *combinations) shifts(rows [][]int64) ([]int64, bool) {
	shift := make([]int64, len(c.list))
	for range len(c.list) + 1 {
		changed := false
		for i, e := range c.edges {
			from, to := c.ends[i][0], c.ends[i][1]
			c.work -= 4 * len(e.corners)
			least, bounded := e.least(rows[from], rows[to])
			if !bounded {
				return nil, false
			}
			if need := shift[from] - least; shift[to] < need {
				shift[to], changed = need, true
			}
		}
		if !changed {
			return shift, true
		}
	}
	return nil, false
}
