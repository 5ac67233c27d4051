package schedule

import (
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// edge is what a schedule has to know of a dependence between two statements: its points over the rationals. They are over 1, the parameters, the
// iterators of from and those of to, in the order of time, and floors.
type edge struct {
	from, to *scop.Statement
	params   int
	// carried by a loop of the text; accumulation: see deps.Dependence.
	carried, accumulation bool

	points  *cone
	corners []corner // of points: its rays, and its lines in both directions
}

// corner is a point times one, or for one = 0 a direction.
type corner struct {
	one      int64
	params   []int64
	from, to []int64
}

// edgesOf are the dependences by memory. Those that are too large to have their corners listed are errors.
func edgesOf(n *scop.Nest, dependences []*deps.Dependence) (edges []*edge, err error) {
	defer rescue(&err)
	budget := maxPairs
	for _, d := range dependences {
		if d.ValueBased { // they are among those by memory
			continue
		}
		for _, part := range d.Map.Graph().Disjuncts() {
			edges = append(edges, newEdge(d, part, n.Params, &budget))
		}
	}
	return edges, nil
}

func newEdge(d *deps.Dependence, part *polycount.Set, params []string, budget *int) *edge {
	list, _ := part.Constraints()
	names := slices.Concat(params, part.Dims())
	sign := make([]int64, len(names))
	for i := range params {
		sign[i] = 1
	}
	for i, l := range slices.Concat(d.From.Loops, d.To.Loops) {
		sign[len(params)+i] = direction(l)
	}
	t := &table{names: names, sign: sign}
	for _, c := range list {
		t.add(c)
	}
	e := &edge{from: d.From, to: d.To, params: len(params), carried: d.Carrier != nil, accumulation: d.Accumulation, points: t.cone(budget)}
	return e.listed()
}

func (e *edge) listed() *edge {
	add := func(x []int64) {
		from := 1 + e.params
		to := from + len(e.from.Loops)
		e.corners = append(e.corners, corner{x[0], x[1:from], x[from:to], x[to : to+len(e.to.Loops)]})
	}
	for _, r := range e.points.rays {
		add(r.x)
	}
	for _, l := range e.points.lines {
		back := make([]int64, len(l.x))
		for i, v := range l.x {
			back[i] = -v
		}
		add(l.x)
		add(back)
	}
	return e
}

// within is the part of an edge whose points are in one iteration of all loops; nil if there is none.
func (e *edge) within(loops []Loop) *edge {
	out := *e
	out.points, out.corners = e.points.clone(), nil
	width := 1 + e.params + len(e.from.Loops) + len(e.to.Loops)
	for _, l := range loops {
		a := make([]int64, width)
		a[0] = l.Of[e.to].Constant() - l.Of[e.from].Constant()
		for i := range e.to.Loops {
			a[1+e.params+len(e.from.Loops)+i] = l.coefficient(e.to, i)
		}
		for i := range e.from.Loops {
			a[1+e.params+i] = -l.coefficient(e.from, i)
		}
		out.points.cut(a, true)
	}
	if out.listed(); slices.ContainsFunc(out.corners, func(x corner) bool { return x.one > 0 }) {
		return &out
	}
	return nil
}

// coefficient is that of an iterator, in the order of time.
func (l Loop) coefficient(s *scop.Statement, i int) int64 {
	return direction(s.Loops[i]) * l.Of[s].Coeff(s.Iterators[i])
}

// direction is −1 for a loop whose iterator decreases, else 1.
func direction(l *scop.Loop) int64 {
	if l.Step < 0 {
		return -1
	}
	return 1
}

// table collects constraints as rows over 1 and names; a floor is a name of its own.
type table struct {
	names  []string
	sign   []int64
	floors []polycount.Affine
	ge, eq [][]int64
}

func (t *table) add(c polycount.Constraint) {
	if c.Equality {
		t.eq = append(t.eq, t.row(c.Affine))
	} else {
		t.ge = append(t.ge, t.row(c.Affine))
	}
}

// row has a coefficient for each name and floor so far. A floor q = ⌊a/d⌋ has 0 <= a − d·q <= d − 1.
func (t *table) row(a polycount.Affine) []int64 {
	r := []int64{a.Constant()}
	set := func(at int, v int64) {
		for len(r) <= at {
			r = append(r, 0)
		}
		r[at] += v
	}
	for _, x := range a.All() {
		if x.Floor == nil {
			i := slices.Index(t.names, x.Name)
			set(1+i, x.Coeff*t.sign[i])
			continue
		}
		q := x.Floor.Num.FloorDiv(x.Floor.Den)
		i := slices.IndexFunc(t.floors, func(f polycount.Affine) bool { return f.Equal(q) })
		if i < 0 {
			num := t.row(x.Floor.Num)
			i = len(t.floors)
			t.floors = append(t.floors, q)
			at := 1 + len(t.names) + i
			low, high := make([]int64, at+1), make([]int64, at+1)
			copy(low, num)
			for k, v := range num {
				high[k] = -v
			}
			low[at], high[at] = -x.Floor.Den, x.Floor.Den
			high[0] += x.Floor.Den - 1
			t.ge = append(t.ge, low, high)
		}
		set(1+len(t.names)+i, x.Coeff)
	}
	return r
}

func (t *table) cone(budget *int) *cone {
	width := 1 + len(t.names) + len(t.floors)
	wide := func(rows [][]int64) (out [][]int64) {
		for _, r := range rows {
			out = append(out, append(slices.Clone(r), make([]int64, width-len(r))...))
		}
		return out
	}
	one := make([]int64, width)
	one[0] = 1
	return coneOf(width, append(wide(t.ge), one), wide(t.eq), budget)
}
