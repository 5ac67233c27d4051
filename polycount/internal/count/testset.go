package count

import (
	"container/heap"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// move is a step t in the lattice ℤʳ with its effect u = rows·t on the slacks of a family of systems rows·y ≥ b.
type move struct{ t, u linear.Row }

// moves finds test sets of the systems rows·y ≥ b over y ∈ ℤʳ, for all right-hand sides b at once.
//
// A test set for an order on ℤʳ is a finite set of steps that are positive in it, such that y is the least solution
// exactly when y − t is none for every t of the set. That is a Gröbner basis of the lattice ideal of rows·ℤʳ (Conti and
// Traverso 1991; Thomas 1995): its binomials are the steps, their leading terms the positive parts of the slacks.
type moves struct {
	*linear.Work
	rows []linear.Row // distinct, not zero, each of length r
	r    int
}

// order compares steps lexicographically by linear forms.
type order []linear.Row

// sign of the first form that does not vanish on t.
func (o order) sign(t linear.Row) int64 {
	for _, f := range o {
		if v := linear.Dot(f, t); v != 0 {
			return arith.Sign(v)
		}
	}
	return 0
}

func (m *moves) step(t linear.Row) move {
	x := move{t, make(linear.Row, len(m.rows))}
	for i, r := range m.rows {
		x.u[i] = linear.Dot(r, t)
	}
	return x
}

func (a move) negated() move { return move{linear.NegRow(a.t), linear.NegRow(a.u)} }

// signs are the rows in which a vector of slacks is positive or negative, as bits; rows from 63 on share a bit.
type signs struct{ pos, neg uint64 }

func (x move) signs(active []int) (s signs) {
	for _, i := range active {
		switch bit := uint64(1) << min(i, 63); {
		case x.u[i] > 0:
			s.pos |= bit
		case x.u[i] < 0:
			s.neg |= bit
		}
	}
	return s
}

// divides reports that the positive part of a is at most that of sgn·b in the active rows.
func (a move) divides(b move, sgn int64, active []int) bool {
	for _, i := range active {
		if a.u[i] > 0 && a.u[i] > sgn*b.u[i] {
			return false
		}
	}
	return true
}

// member of a basis.
type member struct {
	move
	signs
}

// pairs is a heap of steps by size.
type pairs []sized

type sized struct {
	move
	size int64
}

func (p pairs) Len() int           { return len(p) }
func (p pairs) Less(i, j int) bool { return p[i].size < p[j].size }
func (p pairs) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)        { *p = append(*p, x.(sized)) }
func (p *pairs) Pop() any {
	old := *p
	x := old[len(old)-1]
	*p = old[:len(old)-1]
	return x
}

// basis completes steps, which connect the solutions of every system of the active rows, to a test set for an order in
// which every system has a least solution: Buchberger's algorithm on differences of exponents. Differences of steps
// whose improvements raise one and the same bounded row are left out: they have that factor in common, so that a system
// with a tighter bound decides on them (Hemmecke and Malkin 2009, section 3).
func (m *moves) basis(steps []move, active []int, o order) []move {
	var bounded uint64
	for _, i := range active {
		if _, ok := m.growing(active, i); !ok && i < 63 {
			bounded |= 1 << i
		}
	}
	var out []member
	queue := &pairs{}
	push := func(x move) {
		n := int64(0)
		for _, i := range active {
			n = arith.Add(n, arith.Abs(x.u[i]))
		}
		heap.Push(queue, sized{x, n})
	}
	for _, x := range steps {
		push(x)
	}
	for queue.Len() > 0 {
		x, ok := m.reduce(heap.Pop(queue).(sized).move, out, active, o)
		if !ok {
			continue
		}
		now := member{x, x.signs(active)}
		kept := out[:0]
		for _, y := range out {
			switch {
			case now.pos&^y.pos == 0 && x.divides(y.move, 1, active):
				push(y.move)
				continue
			case now.pos&y.pos != 0 && now.neg&y.neg&bounded == 0:
				push(x.plusTimes(-1, y.move))
			}
			kept = append(kept, y)
		}
		m.Spend(len(out) + m.r)
		out = append(kept, now)
	}
	var ends []move
	for i, x := range out { // tails that others shorten
		others := slices.Delete(slices.Clone(out), i, i+1)
		if y, ok := m.reduce(x.move, others, active, o); ok {
			ends = append(ends, y)
		}
	}
	return ends
}

// reduce makes x positive and shortens it by basis as long as possible. It reports false if x becomes 0.
func (m *moves) reduce(x move, basis []member, active []int, o order) (move, bool) {
	for {
		switch o.sign(x.t) {
		case 0:
			return x, false
		case -1:
			x = x.negated()
		}
		s := x.signs(active)
		m.Spend(len(basis) + len(active))
		changed := false
		for _, y := range basis {
			if y.pos&^s.pos == 0 && y.divides(x, 1, active) {
				m.Spend(m.r + len(m.rows))
				x, changed = x.plusTimes(-1, y.move), true
				break
			}
		}
		if changed {
			continue
		}
		for _, y := range basis { // the better end gets better still
			if y.pos&^s.neg == 0 && y.divides(x, -1, active) {
				m.Spend(m.r + len(m.rows))
				x, changed = x.plusTimes(1, y.move), true
				break
			}
		}
		if !changed {
			return x, true
		}
	}
}

// generators returns steps that connect the solutions of rows·y ≥ b for every b: first those of r independent rows,
// then with one row more after the other (project and lift, Hemmecke and Malkin 2009).
func (m *moves) generators() []move {
	active, rest := m.independent()
	steps := m.triangular(active)
	for len(rest) > 0 {
		// A row that can grow for ever while the active ones do not fall needs just one such step more.
		lifted := false
		for k, i := range rest {
			if x, ok := m.growing(active, i); ok {
				steps = append(steps, x)
				active = append(active, i)
				rest = slices.Delete(rest, k, k+1)
				lifted = true
				break
			}
		}
		if lifted {
			continue
		}
		// Otherwise two solutions are connected by ways up to the one in which the row is largest.
		i := rest[0]
		o := order{linear.NegRow(m.rows[i])}
		for _, a := range active {
			o = append(o, m.rows[a])
		}
		steps = m.basis(steps, active, o)
		active, rest = append(active, i), rest[1:]
	}
	return steps
}

// growing is a step that lowers no active row and raises row i.
func (m *moves) growing(active []int, i int) (move, bool) {
	s := &linear.System{Width: 1 + m.r}
	for _, a := range active {
		s.Ge = append(s.Ge, append(linear.Row{0}, m.rows[a]...))
	}
	s.Ge = append(s.Ge, append(linear.Row{-1}, m.rows[i]...))
	point, ok := m.Sample(s)
	if !ok {
		return move{}, false
	}
	return m.step(point[1:]), true
}

// independent chooses r linearly independent rows; there are that many where every system has finitely many solutions.
func (m *moves) independent() (chosen, rest []int) {
	var echelon []linear.Row
	for i, r := range m.rows {
		if x := linear.Reduced(r, echelon); x != nil {
			chosen, echelon = append(chosen, i), append(echelon, x)
		} else {
			rest = append(rest, i)
		}
	}
	return chosen, rest
}

// triangular is a basis of ℤʳ on which the chosen rows, r independent ones, form a triangular matrix without negative
// entries (Hermite). Its steps are units of the ring modulo their binomials, so that these generate the lattice ideal.
func (m *moves) triangular(chosen []int) []move {
	var basis []move
	left := linear.UnitVectors(m.r)
	for _, i := range chosen {
		zero, pivot := m.Part(left, func(t linear.Row) int64 { return linear.Dot(m.rows[i], t) })
		left, basis = zero, append(basis, m.step(pivot))
	}
	for j := range basis {
		for k := j + 1; k < m.r; k++ {
			i := chosen[k]
			basis[j] = basis[j].plusTimes(-arith.FloorDiv(basis[j].u[i], basis[k].u[i]), basis[k])
		}
	}
	return basis
}

func (a move) plusTimes(k int64, b move) move {
	return move{linear.CombineRows(1, a.t, k, b.t), linear.CombineRows(1, a.u, k, b.u)}
}

// find returns a test set for the order.
func (m *moves) find(steps []move, o order) []move {
	all := make([]int, len(m.rows))
	for i := range all {
		all[i] = i
	}
	return m.basis(steps, all, o)
}
