package quasi

import (
	"encoding/binary"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// attemptLimit is the work that one attempt to join two pieces, or to list the points of a piece, may take.
const attemptLimit = 200_000

// MergePieces joins pieces if their union is a conjunction and one polynomial serves for both.
//
// Few pairs can be joined. Most attempts end at an integer point at which the two polynomials differ. What is known of a
// piece, its points and the constraints that it satisfies, is kept for all attempts.
func MergePieces(w *linear.Work, table *linear.Conj, ps []Piece) []Piece {
	if len(ps) < 2 {
		return ps
	}
	m := &merger{Work: w, table: table, space: &linear.Conj{N: table.N}}
	known := false
	w.Within(w.Left/2, func(w *linear.Work) { // a long answer is better than none
		m.Work = w
		for _, x := range ps {
			m.parts = append(m.parts, m.part(x))
		}
		known = true
		m.merge()
	})
	if !known {
		return ps
	}
	out := make([]Piece, len(m.parts))
	for i, x := range m.parts {
		out[i] = x.Piece
	}
	return out
}

// merger joins the pieces of one function. The function stays the same all the time.
type merger struct {
	*linear.Work
	table *linear.Conj // of the polynomials
	space *linear.Conj // of the domains
	parts []*part
}

// part is a piece and what is known of it. It is never changed.
type part struct {
	Piece
	over   *linear.Conj // the domain over the space
	rows   []linear.Row // its constraints, an equality as two inequalities
	mod    []residue    // of the coefficients of the polynomial
	seen   []seen
	known  map[string]bool
	failed map[*part]bool // parts with which joining this one has failed
}

// seen is a known integer point of a part.
type seen struct {
	at    linear.Row // over the space
	atoms []residue  // over the table
	value residue    // of the polynomial of the part
}

func (m *merger) part(x Piece) *part {
	p := &part{Piece: x, over: &linear.Conj{N: m.space.N}, mod: x.Q.coefficients(), known: map[string]bool{}, failed: map[*part]bool{}}
	into := m.space.Importer(x.Dom, nil)
	for _, r := range x.Dom.Eq {
		p.over.Eq = append(p.over.Eq, into(r))
	}
	for _, r := range x.Dom.Ge {
		p.over.Ge = append(p.over.Ge, into(r))
	}
	m.widen(p)
	for _, y := range m.parts {
		if y.over.Width() < m.space.Width() {
			m.widen(y)
		}
	}
	// A point at the border tells little, since polynomials of neighbours often agree there: one that is deep inside tells more.
	for _, depth := range []int64{100, 0} {
		inside := &linear.Conj{N: m.space.N, Eq: p.over.Eq, Ge: linear.CloneRows(p.over.Ge), Divs: m.space.Divs}
		for i, r := range inside.Ge {
			r[0] = arith.Sub(r[0], depth*int64(1+i))
		}
		if at, ok := m.Witness(inside.Question()); ok {
			m.note(p, at)
		}
	}
	// And some on ways along the axes from there.
	var r scatter
	for _, from := range slices.Clone(p.seen) {
		at := slices.Clone(from.at)
		for range 2 {
			for i := 1; i <= m.space.N; i++ {
				if next := m.moved(p, at, i, &r); next != nil {
					at = next
					m.note(p, at)
				}
			}
		}
	}
	return p
}

// farthest is how far a step along an axis goes at most.
const farthest = 50

// moved is a point of p on the line through one of its points in the direction of an axis; nil if none is found.
func (m *merger) moved(p *part, at linear.Row, axis int, r *scatter) linear.Row {
	m.Spend(len(p.rows))
	steps := linear.Range{Lo: -farthest, Hi: farthest, HasLo: true, HasHi: true}
	for _, x := range p.rows {
		if x[axis] != 0 {
			steps.Bound(x[axis], linear.Dot(x, at))
		}
	}
	size := steps.Hi - steps.Lo
	if size <= 0 {
		return nil
	}
	step := steps.Lo + (r.next(size)+size)/2
	if step == 0 {
		step = steps.Hi
	}
	next := slices.Clone(at[:1+m.space.N])
	next[axis] = arith.Add(next[axis], step)
	if next = m.space.WithFloors(next); satisfies(p.rows, next) {
		return next
	}
	return nil
}

// note adds a point to those known of p.
func (m *merger) note(p *part, at linear.Row) {
	atoms := m.atoms(at)
	p.seen = append(p.seen, seen{at, atoms, m.at(p, atoms)})
}

// widen gives the rows of p the width of the space.
func (m *merger) widen(p *part) {
	p.over.Divs = m.space.Divs
	p.rows = p.rows[:0]
	for i, r := range p.over.Eq {
		p.over.Eq[i] = m.space.Fit(r)
		p.rows = append(p.rows, p.over.Eq[i], linear.NegRow(p.over.Eq[i]))
	}
	for i, r := range p.over.Ge {
		p.over.Ge[i] = m.space.Fit(r)
		p.rows = append(p.rows, p.over.Ge[i])
	}
	for i, x := range p.seen {
		p.seen[i].at = m.space.WithFloors(x.at[:1+m.space.N])
	}
}

func (m *merger) atoms(point linear.Row) []residue {
	m.Spend(m.table.Width())
	return atomsAt(m.table, point[:1+m.table.N])
}

// at is the value of the polynomial of p.
func (m *merger) at(p *part, atoms []residue) residue {
	m.Spend(1 + len(p.Q)/8)
	return p.Q.residueAt(p.mod, atoms)
}

// merge joins pairs as long as there is one. First only parts with one polynomial, and those of fewer dimensions to others:
// two of the former whose polynomials have equal values are better joined to different parts.
func (m *merger) merge() {
	m.joinAll(func(a, b *part) bool { return a.Q.Equal(b.Q) || len(a.over.Eq) < len(b.over.Eq) })
	// Then short polynomials replace others.
	slices.SortStableFunc(m.parts, func(a, b *part) int { return len(a.Q) - len(b.Q) })
	m.joinAll(func(_, _ *part) bool { return true })
}

// joinAll joins pairs for which may holds as long as there is one.
func (m *merger) joinAll(may func(a, b *part) bool) {
	for again := true; again; {
		again = false
		for i := 0; i < len(m.parts); i++ {
			for j := 0; j < len(m.parts); j++ {
				a, b := m.parts[i], m.parts[j]
				if i == j || a.failed[b] || !may(a, b) {
					continue
				}
				var joined []*part
				whole := m.Work
				whole.Within(attemptLimit, func(w *linear.Work) {
					m.Work = w
					if m.mayServe(a, b) {
						joined = m.join(i, j)
					}
				})
				m.Work = whole
				if joined == nil {
					a.failed[b] = true
					continue
				}
				m.parts = slices.Delete(joined, j, j+1)
				if j < i {
					i--
				}
				j = -1
				again = true
			}
		}
	}
}

// mayServe reports whether the polynomial of a has the values of that of b on b, as far as the known points of b tell.
func (m *merger) mayServe(a, b *part) bool {
	m.Spend(len(a.Q))
	return a.Q.Equal(b.Q) || !slices.ContainsFunc(b.seen, func(x seen) bool { return m.at(a, x.atoms) != x.value })
}

// follows decides whether r ≥ 0 at every point of p.
func (m *merger) follows(p *part, r linear.Row) bool {
	m.Spend(1 + len(p.rows)/4)
	for _, x := range p.seen {
		if linear.Dot(r, x.at) < 0 {
			return false
		}
	}
	for _, o := range p.rows {
		if o[0] <= r[0] && linear.Parallel(o, r, false) {
			return true
		}
	}
	var key []byte
	for _, v := range r {
		key = binary.AppendVarint(key, v)
	}
	yes, ok := p.known[string(key)]
	if !ok {
		yes = m.Implied(p.over, r, false)
		p.known[string(key)] = yes
	}
	return yes
}

// join merges part j, which the polynomial of part i serves, into part i if the constraints that both satisfy describe
// their union. It returns the changed parts, or nil.
func (m *merger) join(i, j int) []*part {
	a, b := m.parts[i], m.parts[j]
	hull := &linear.Conj{N: m.space.N, Divs: m.space.Divs}
	var cuts [2][]linear.Row // constraints of a that b violates, and of b that a violates
	for k, pair := range [2][2]*part{{a, b}, {b, a}} {
		for _, r := range pair[0].rows {
			if m.follows(pair[1], r) {
				hull.Ge = append(hull.Ge, r)
			} else {
				cuts[k] = append(cuts[k], r)
			}
		}
	}
	for i, r := range cuts[0] {
		for j, s := range cuts[1] { // what the hull has beside both
			rest := slices.Concat(hull.Ge, cuts[0][:i], cuts[1][:j], []linear.Row{linear.Negated(r), linear.Negated(s)})
			if m.Solvable((&linear.Conj{N: hull.N, Ge: rest, Divs: hull.Divs}).Question()) {
				return nil
			}
		}
	}
	if !sameOn(m.Work, m.table, a.Q, b.Q, b.Dom) { // what takes longest comes last
		return nil
	}
	hull = hull.Clone()
	if !hull.Simplify() {
		return nil
	}
	hull = m.Irredundant(hull, nil, 0)
	hull.Simplify()
	out := slices.Clone(m.parts)
	out[i] = m.part(Piece{hull, a.Q})
	return out
}

// satisfies reports that no row is negative at a point.
func satisfies(rows []linear.Row, at linear.Row) bool {
	return !slices.ContainsFunc(rows, func(r linear.Row) bool { return linear.Dot(r, at) < 0 })
}
