package linear

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"sync"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
)

// Most questions of emptiness are about boxes with a few constraints across: presolve answers them from the intervals of
// the columns, or leaves the columns and rows that the intervals do not decide, in parts that share no column. The
// Omega test then has little to do, and the answer is the same.

// question asks whether Eq = 0, Ge ≥ 0 and Extra ≥ 0 have an integer solution. Rows are never changed; short ones are
// padded with zeros. Columns after variable n are floors or existentials.
type question struct {
	eq, ge, Extra []Row
	divs          []Div
	n             int
}

func (c *Conj) Question(extra ...Row) question { return question{c.Eq, c.Ge, extra, c.Divs, c.N} }

func (q *question) Width() int { return 1 + q.n + len(q.divs) }

// system is the question with floors as plain columns.
func (q *question) system() *System {
	c := Conj{q.n, q.eq, q.ge, q.divs}
	s := c.Flat()
	for _, r := range q.Extra {
		s.Ge = append(s.Ge, c.Fit(append(make(Row, 0, s.Width), r...)))
	}
	return s
}

// compact is the question as a conjunction without the floors that it does not use.
func (q *question) compact() *Conj {
	c := (&Conj{q.n, q.eq, q.ge, q.divs}).Clone()
	for _, r := range q.Extra {
		c.AddGE(slices.Clone(r))
	}
	c.dropUnused()
	return c
}

// presolved is a question without the rows that a box of intervals implies.
type presolved struct {
	question
	box
	rows  []boxRow
	point [64]int64 // that guess tries
	// used are the columns of rows, and the floors whose interval says more than their definition.
	used uint64
}

// box has an interval per column; the bits of hasLo and hasHi tell which ends are finite.
type box struct {
	lo, hi       [64]int64
	hasLo, hasHi uint64
}

type boxRow struct {
	Row
	mask uint64 // columns with a coefficient
	eq   bool
}

func maskOf(r Row) uint64 {
	var m uint64
	for i := 1; i < len(r); i++ {
		if r[i] != 0 {
			m |= 1 << i
		}
	}
	return m
}

// atLeast and atMost narrow the interval of a column; false where nothing is left.
func (b *box) atLeast(i int, v int64) bool {
	if bit := uint64(1) << i; b.hasLo&bit == 0 || v > b.lo[i] {
		b.lo[i] = v
		b.hasLo |= bit
	}
	return b.hasHi>>i&1 == 0 || b.lo[i] <= b.hi[i]
}

func (b *box) atMost(i int, v int64) bool {
	if bit := uint64(1) << i; b.hasHi&bit == 0 || v < b.hi[i] {
		b.hi[i] = v
		b.hasHi |= bit
	}
	return b.hasLo>>i&1 == 0 || b.lo[i] <= b.hi[i]
}

// span is the range of a row over the box; okLo and okHi are false where an end is infinite or does not fit into 64
// bits.
func (b *box) span(r Row, mask uint64) (lo, hi int64, okLo, okHi bool) {
	lo, hi, okLo, okHi = r[0], r[0], true, true
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		k, bit := r[i], uint64(1)<<i
		x, y, hasX, hasY := b.lo[i], b.hi[i], b.hasLo&bit != 0, b.hasHi&bit != 0
		if k < 0 {
			x, y, hasX, hasY = y, x, hasY, hasX
		}
		if okLo = okLo && hasX; okLo {
			lo, okLo = addProduct(lo, k, x)
		}
		if okHi = okHi && hasY; okHi {
			hi, okHi = addProduct(hi, k, y)
		}
	}
	return lo, hi, okLo, okHi
}

// presolve computes the box. If unsolvable is true, there is no solution; ok is false if there are too many columns.
func (p *presolved) presolve() (unsolvable, ok bool) {
	if p.Width() > 64 {
		return false, false
	}
	for i, rows := range [3][]Row{p.eq, p.ge, p.Extra} {
		for _, r := range rows {
			m := maskOf(r)
			at := bits.TrailingZeros64(m)
			switch {
			case r[0] == math.MinInt64 || m != 0 && r[at] == math.MinInt64:
				return false, false
			case m == 0:
				if r[0] < 0 || i == 0 && r[0] != 0 {
					return true, true
				}
			case m&(m-1) == 0:
				if !p.bound(at, r[at], r[0], i == 0) {
					return true, true
				}
			default:
				p.rows = append(p.rows, boxRow{r, m, i == 0})
			}
		}
	}
	var tight uint64 // floors that a row bounds more than their definition does
	for k, d := range p.divs {
		if d.Den <= 0 {
			continue
		}
		at := 1 + p.n + k
		lo, hi, okLo, okHi := p.span(d.Num, maskOf(d.Num))
		lo, hi = arith.FloorDiv(lo, d.Den), arith.FloorDiv(hi, d.Den)
		bit := uint64(1) << at
		if p.hasLo&bit != 0 && (!okLo || lo < p.lo[at]) || p.hasHi&bit != 0 && (!okHi || hi > p.hi[at]) {
			tight |= bit
		}
		if okLo && !p.atLeast(at, lo) || okHi && !p.atMost(at, hi) {
			return true, true
		}
	}
	kept := p.rows[:0]
	p.used = tight
	for _, r := range p.rows {
		lo, hi, okLo, okHi := p.span(r.Row, r.mask)
		if okHi && hi < 0 || r.eq && okLo && lo > 0 {
			return true, true
		}
		if okLo && lo >= 0 && (!r.eq || okHi && hi == 0) {
			continue
		}
		kept = append(kept, r)
		p.used |= r.mask
	}
	p.rows = kept
	return false, true
}

// bound narrows column i by k·i + c ≥ 0 or = 0. Neither is the least integer.
func (b *box) bound(i int, k, c int64, eq bool) bool {
	if eq {
		return c%k == 0 && b.atLeast(i, -c/k) && b.atMost(i, -c/k)
	}
	if k > 0 {
		return b.atLeast(i, arith.CeilDiv(-c, k))
	}
	return b.atMost(i, arith.FloorDiv(c, -k))
}

// define adds the definitions of the floors in use.
func (p *presolved) define() {
	c := Conj{p.n, nil, nil, p.divs}
	for k := len(p.divs) - 1; k >= 0; k-- {
		at := 1 + p.n + k
		if p.divs[k].Den <= 0 || p.used>>at&1 == 0 {
			continue
		}
		lo, hi := c.Definition(k)
		m := maskOf(lo)
		p.rows = append(p.rows, boxRow{lo, m, false}, boxRow{hi, m, false})
		p.used |= m
	}
}

// guess looks for a solution near a corner of the box: it moves one variable for each row that does not hold.
// Many questions need no elimination then: without it BenchmarkCount of features takes a tenth more work.
func (p *presolved) guess(high bool) bool {
	at := &p.point
	clear(at[:])
	at[0] = 1
	for i := 1; i <= p.n; i++ {
		bit := uint64(1) << i
		switch lo, hi := p.hasLo&bit != 0, p.hasHi&bit != 0; {
		case lo && !(high && hi):
			at[i] = p.lo[i]
		case hi:
			at[i] = p.hi[i]
		}
	}
	point := at[:p.Width()]
	for range 6 {
		if !p.floors(point) {
			return false
		}
		moved := false
		for _, r := range p.rows {
			v, ok := DotOK(r.Row, point)
			if !ok {
				return false
			}
			if v == 0 || v > 0 && !r.eq {
				continue
			}
			if !p.move(r, v, point) || !p.floors(point) {
				return false
			}
			moved = true
		}
		if !moved {
			return p.inside(point)
		}
	}
	return false
}

// floors computes the values of floors at a point.
func (p *presolved) floors(point []int64) bool {
	for k, d := range p.divs {
		if d.Den <= 0 {
			continue
		}
		v, ok := DotOK(d.Num, point)
		if !ok {
			return false
		}
		point[1+p.n+k] = arith.FloorDiv(v, d.Den)
	}
	return true
}

// inside checks the intervals of floors, whose values guess does not choose.
func (p *presolved) inside(point []int64) bool {
	for i := 1 + p.n; i < len(point); i++ {
		if p.hasLo>>i&1 != 0 && point[i] < p.lo[i] || p.hasHi>>i&1 != 0 && point[i] > p.hi[i] {
			return false
		}
	}
	return true
}

// move changes one variable of a row of value v so that the row holds.
func (p *presolved) move(r boxRow, v int64, point []int64) bool {
	for m := r.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if i > p.n {
			break
		}
		k := r.Row[i]
		if k == math.MinInt64 || v == math.MinInt64 || r.eq && v%k != 0 {
			continue
		}
		// the least step s with v + k·s ≥ 0
		s := -v / k
		if k*s+v < 0 {
			s += arith.Sign(k)
		}
		x, ok := arith.AddOK(point[i], s)
		if !ok || p.hasLo>>i&1 != 0 && x < p.lo[i] || p.hasHi>>i&1 != 0 && x > p.hi[i] {
			continue
		}
		point[i] = x
		return true
	}
	return false
}

// DotOK is Dot; ok is false where it does not fit into 64 bits.
func DotOK(r Row, point []int64) (v int64, ok bool) {
	for i, k := range r {
		if k != 0 {
			if v, ok = addProduct(v, k, point[i]); !ok {
				return 0, false
			}
		}
	}
	return v, true
}

// part takes the rows that are connected with the first one out of p, as a system over their own columns.
func (p *presolved) part() *System {
	mask := p.connected()
	s := &System{Width: 1 + bits.OnesCount64(mask)}
	count := bits.OnesCount64(mask&p.hasLo) + bits.OnesCount64(mask&p.hasHi)
	for _, r := range p.rows {
		if r.mask&mask != 0 {
			count++
		}
	}
	flat, rows := make(Row, count*s.Width), make([]Row, 0, count)
	next := func() Row {
		r := flat[:s.Width:s.Width]
		flat = flat[s.Width:]
		return r
	}
	rest := p.rows[:0]
	var eq []Row
	for _, r := range p.rows {
		if r.mask&mask == 0 {
			rest = append(rest, r)
			continue
		}
		v, to := next(), 1
		v[0] = r.Row[0]
		for m := mask; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m); i < len(r.Row) {
				v[to] = r.Row[i]
			}
			to++
		}
		if r.eq {
			eq = append(eq, v)
		} else {
			rows = append(rows, v)
		}
	}
	to := 1
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if p.hasLo>>i&1 != 0 {
			v := next()
			v[0], v[to] = arith.Neg(p.lo[i]), 1
			rows = append(rows, v)
		}
		if p.hasHi>>i&1 != 0 {
			v := next()
			v[0], v[to] = p.hi[i], -1
			rows = append(rows, v)
		}
		to++
	}
	p.rows = rest
	s.Eq, s.Ge = eq, rows
	return s
}

// connected are the variables that rows link with those of the first row.
func (p *presolved) connected() uint64 {
	mask := p.rows[0].mask
	for grown := true; grown; {
		grown = false
		for _, r := range p.rows {
			if r.mask&mask != 0 && r.mask&^mask != 0 {
				mask |= r.mask
				grown = true
			}
		}
	}
	return mask
}

// presolvers are kept for the room that they have.
var presolvers = sync.Pool{New: func() any { return new(presolved) }}

// presolveLimit is the work that a question may take after presolve. Solving unit equalities first makes some questions
// much harder than the Omega test on the question as it was asked: TestHardParts has two. These are then decided
// without presolve.
const presolveLimit = 5_000_000

// Solvable decides the question.
func (w *Work) Solvable(q question) (yes bool) {
	kept := max(w.Left-presolveLimit, 0) // for the question as a whole
	w.Left, w.next = w.Left-kept, max(w.next-kept, 0)
	p := presolvers.Get().(*presolved)
	p.question, p.hasLo, p.hasHi = q, 0, 0
	err := throw.Try(func() { yes = w.reduced(p) })
	w.Left, w.next = w.Left+kept, w.next+kept
	p.release()
	switch {
	case err == nil:
		return yes
	case errors.Is(err, arith.ErrOverflow), kept > 0 && errors.Is(err, ErrBudget):
		return w.whole(&q)
	}
	panic(throw.Of(err))
}

// Witness is a solution [1, x…] of the question, in all of its columns; ok is false if there is none.
func (w *Work) Witness(q question) (point Row, ok bool) {
	p := presolvers.Get().(*presolved)
	p.question, p.hasLo, p.hasHi = q, 0, 0
	unsolvable, fits := p.presolve()
	if fits && !unsolvable && (p.guess(false) || p.guess(true)) {
		point = slices.Clone(p.point[:p.Width()])
	}
	p.release()
	switch {
	case point != nil:
		return point, true
	case unsolvable || !w.Solvable(q):
		return nil, false
	}
	return w.Sample(q.system())
}

// release gives p back for further questions.
func (p *presolved) release() {
	clear(p.rows[:cap(p.rows)])
	p.question, p.rows = question{}, p.rows[:0]
	presolvers.Put(p)
}

// whole decides a question for which reduced overflows.
func (w *Work) whole(q *question) (yes bool) {
	if w.Within(w.Left/2, func(w *Work) { yes = w.settle(q.system(), nil) }) {
		return yes
	}
	return w.feasibleBig(q.system().big())
}

// reduced decides the question of p after presolve, by parts that share no variables. Parts and digits take a fifth off
// the time of linearizing products (BenchmarkLinearize of lift/lower).
func (w *Work) reduced(p *presolved) bool {
	w.Spend((len(p.eq) + len(p.ge) + len(p.Extra) + 1) * p.Width())
	switch unsolvable, ok := p.presolve(); {
	case unsolvable:
		return false
	case !ok:
		if c := p.compact(); c.Width() < p.Width() {
			return w.Solvable(c.Question())
		}
		return w.settle(p.system(), nil)
	}
	if p.used == 0 || p.guess(false) || p.guess(true) {
		return true
	}
	p.define()
	for len(p.rows) > 0 {
		s := p.part()
		divided, unsolvable := s.splitDigits()
		if unsolvable {
			return false
		}
		if s.solveUnits() || divided {
			if !w.Solvable(question{eq: s.Eq, ge: s.Ge, n: s.Width - 1}) {
				return false
			}
		} else if !w.settle(s, nil) {
			return false
		}
	}
	return true
}

// solveUnits solves equalities with a coefficient ±1 and reports whether there was one. The question that is left may
// presolve further: that saves a sixth of the work of counting kernels (BenchmarkCount of features).
func (s *System) solveUnits() bool {
	any := false
	for i := 0; i < len(s.Eq); i++ {
		e := s.Eq[i]
		at := slices.IndexFunc(e[1:], func(k int64) bool { return k == 1 || k == -1 }) + 1
		if at == 0 {
			continue
		}
		any = true
		s.Eq = slices.Delete(s.Eq, i, i+1)
		Substitute(at, SolvedFor(at, e), s.Eq, s.Ge)
		i = -1
	}
	return any
}

// Feasible decides whether s has an integer solution.
func (w *Work) Feasible(s *System) bool {
	return w.Solvable(question{eq: s.Eq, ge: s.Ge, n: s.Width - 1})
}
