package schedule

import (
	"encoding/binary"
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
)

// aim is what a loop is to be besides legal.
type aim struct {
	// carry: it leaves as few dependences as possible at distance 0 (Feautrier, Some efficient solutions to the affine scheduling problem, 1992).
	carry carry
	// signed: coefficients may be negative.
	signed bool
}

type carry int

const (
	carryNone  carry = iota
	carryLoops       // those that a loop of the text carries, together for each pair of statements
	carryAll         // all, together for each pair of statements
	carryEach        // each
)

// problem is the search for a loop as an integer program. Its variables are: 1, how much is not carried, what of it, a bound of the distance by parameters and by a
// constant, the sum of all coefficients, and the coefficients of each statement, the innermost first, the constant last; before these their negative parts.
type problem struct {
	list              []*scop.Statement
	aim               aim
	carried           map[any]int
	left, bound, sum  int
	negative, at      map[*scop.Statement]int
	width, parameters int

	constraints [][]int64
	seen        map[string]bool
}

func newProblem(list []*scop.Statement, edges []*edge, parameters int, aim aim) *problem {
	q := &problem{
		list: list, aim: aim, left: 1, carried: map[any]int{}, negative: map[*scop.Statement]int{}, at: map[*scop.Statement]int{},
		parameters: parameters, seen: map[string]bool{},
	}
	q.bound = q.left + 1
	for _, e := range edges {
		if q.carries(e) && q.carried[q.key(e)] == 0 {
			q.carried[q.key(e)] = q.bound
			q.bound++
		}
	}
	q.sum = q.bound + parameters + 1
	q.width = q.sum + 1
	if aim.signed {
		for _, s := range list {
			q.negative[s] = q.width
			q.width += len(s.Loops)
		}
	}
	for _, s := range list {
		q.at[s] = q.width
		q.width += len(s.Loops) + 1
	}
	total, all := q.row(), q.row()
	total[q.left] = 1
	for _, at := range q.carried {
		total[at] = -1
	}
	all[q.sum] = 1
	for _, s := range list {
		for i := range s.Loops {
			all[q.at[s]+i] = -1
			if aim.signed {
				all[q.negative[s]+i] = -1
			}
		}
	}
	q.add(total)
	q.add(all)
	return q
}

// carries reports that the loop is to carry an edge.
func (q *problem) carries(e *edge) bool {
	return q.aim.carry >= carryAll || q.aim.carry == carryLoops && e.carried
}

// key is what edges are carried together by.
func (q *problem) key(e *edge) any {
	if q.aim.carry == carryEach {
		return e
	}
	return [2]*scop.Statement{e.from, e.to}
}

func (q *problem) row() []int64 { return make([]int64, q.width) }

// add adds a constraint: the form is at least 0.
func (q *problem) add(c []int64) {
	var text []byte
	for _, v := range c {
		text = binary.AppendVarint(text, v)
	}
	if key := string(text); !q.seen[key] {
		q.seen[key] = true
		q.constraints = append(q.constraints, c)
	}
}

// coefficient adds to the coefficient of an iterator of a statement in a form.
func (q *problem) coefficient(c []int64, s *scop.Statement, i int, v int64) {
	at := len(s.Loops) - 1 - i
	c[q.at[s]+at] += v
	if q.aim.signed {
		c[q.negative[s]+at] -= v
	}
}

// legal adds that no dependence goes back, and bounds its distance.
func (q *problem) legal(e *edge) {
	for _, x := range e.corners {
		near, far := q.row(), q.row()
		for i, v := range x.to {
			q.coefficient(near, e.to, i, v)
		}
		for i, v := range x.from {
			q.coefficient(near, e.from, i, -v)
		}
		near[q.at[e.to]+len(x.to)] += x.one
		near[q.at[e.from]+len(x.from)] -= x.one
		copy(far[q.bound:], x.params)
		far[q.bound+q.parameters] = x.one
		for j, v := range near {
			far[j] -= v
		}
		q.add(near)
		q.add(far)
		if q.carries(e) && x.one > 0 {
			carried := slices.Clone(near)
			carried[0], carried[q.carried[q.key(e)]] = -x.one, x.one
			q.add(carried)
		}
	}
}

// independent adds that the loop is independent of those that the statement has.
func (q *problem) independent(s *scop.Statement, found [][]int64) {
	all := q.row()
	all[0] = -1
	for _, v := range nullspace(found, len(s.Loops)) {
		c := q.row()
		for i, x := range v {
			q.coefficient(c, s, i, x)
			q.coefficient(all, s, i, x)
		}
		q.add(c)
	}
	q.add(all)
}

func (q *problem) loop(x []int64) Loop {
	l := Loop{Of: map[*scop.Statement]polycount.Affine{}}
	for _, s := range q.list {
		d := len(s.Loops)
		a := polycount.Int(x[q.at[s]+d-1])
		for i, loop := range s.Loops {
			v := x[q.at[s]+d-1-i-1]
			if q.aim.signed {
				v -= x[q.negative[s]+d-1-i-1]
			}
			a = a.AddScaled(direction(loop)*v, polycount.Name(s.Iterators[i]))
		}
		l.Of[s] = a
	}
	return l
}

// loop finds the next loop of a band: the least multiples of the parameters and constant that bound the distance of dependences, then the least
// coefficients, those of inner iterators first, so that loops keep their order where nothing speaks against it. What else it is to be comes first.
func (p *pluto) loop(list []*scop.Statement, edges []*edge, aim aim) (l Loop, err error) {
	defer rescue(&err)
	q := newProblem(list, edges, len(p.nest.Params), aim)
	for _, e := range edges {
		q.legal(e)
	}
	for _, s := range list {
		if p.missing(s) > 0 {
			q.independent(s, p.found[s])
		}
	}
	most := min(workOfLoop, p.work)
	left := most
	x, err := lexmin(q.width-1, q.constraints, &left)
	p.work -= most - left
	if err != nil {
		return l, err
	}
	if x == nil {
		return l, errNoBand
	}
	l = q.loop(x)
	l.judge(edges)
	return l, nil
}

// judge finds out whether iterations of the loop depend on each other.
func (l *Loop) judge(edges []*edge) {
	l.Parallel, l.Reduction = true, true
	for _, e := range edges {
		if e.connects(*l) {
			l.Parallel, l.Reduction = false, l.Reduction && e.accumulation
		}
	}
	l.Reduction = l.Reduction && !l.Parallel
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
