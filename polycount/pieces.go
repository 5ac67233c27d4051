package polycount

import (
	"cmp"
	"gpuperf/polycount/internal/arith"
	"math"
	"slices"
)

// sumPieces adds two families of disjoint pieces over one table.
func (w *work) sumPieces(a, b []piece) []piece {
	if len(a) == 0 {
		return slices.Clone(b)
	}
	for _, x := range b {
		a = w.addPiece(a, x)
	}
	return a
}

// makeDisjoint adds up pieces that may overlap.
func (w *work) makeDisjoint(ps []piece) []piece {
	if len(ps) < 2 {
		return ps
	}
	return w.sumPieces(ps[:1:1], ps[1:])
}

// addPiece adds x to a family of disjoint pieces.
func (w *work) addPiece(family []piece, x piece) []piece {
	left := []*conj{x.dom}
	out := make([]piece, 0, len(family)+1)
	for _, y := range family {
		w.spend(len(y.q) + len(x.q))
		common := w.intersect(left, []*conj{y.dom})
		if len(common) == 1 {
			if !w.solvable(common[0].question()) {
				common = nil
			}
		}
		if len(common) == 0 {
			out = append(out, y)
			continue
		}
		q := y.q.add(x.q)
		for _, c := range common {
			if len(q) > 0 {
				out = append(out, piece{c, q})
			}
		}
		for _, d := range w.subtract([]*conj{y.dom}, left) {
			out = append(out, piece{d, y.q})
		}
		left = w.subtract(left, []*conj{y.dom})
	}
	for _, d := range left {
		if w.solvable(d.question()) {
			out = append(out, piece{d, x.q})
		}
	}
	return out
}

// tidy brings p to its short form: merged pieces, irredundant conditions, no unused floors, a fixed order.
func (w *work) tidy(p *piecewise) {
	kept := p.pieces[:0]
	for _, x := range p.pieces {
		if x.q = w.periodic(p, x.q); len(x.q) > 0 {
			x.dom = w.irredundant(x.dom, 0)
			if x.dom.simplify() {
				kept = append(kept, x)
			}
		}
	}
	p.pieces = w.mergePieces(p.table, kept, true)
	// What the conditions say of the polynomials; that can make more of them equal.
	if w.specialize(p) || w.unifyFloors(p) {
		p.pieces = w.mergePieces(p.table, p.pieces, true)
	}
	if len(p.pieces) > 1 && len(p.pieces) <= fewPieces {
		p.pieces = w.mergePiecesBy(p.table, p.pieces, true, (*work).sameOn)
	}
	for i, x := range p.pieces {
		w.within(fewPointsLimit, func(w *work) { x = w.listed(p, x) })
		if slices.ContainsFunc(p.table.floors(), x.q.uses) {
			x.q = w.interpolated(p, x)
		}
		p.pieces[i] = x
	}
	p.compact()
	slices.SortStableFunc(p.pieces, func(a, b piece) int {
		if c := cmp.Compare(len(a.dom.eq), len(b.dom.eq)); c != 0 {
			return c
		}
		return compareConj(a.dom, b.dom)
	})
}

func compareConj(a, b *conj) int {
	if c := slices.CompareFunc(a.ge, b.ge, slices.Compare[row]); c != 0 {
		return c
	}
	return slices.CompareFunc(a.eq, b.eq, slices.Compare[row])
}

// specialize shortens the polynomials by the conditions of their pieces: floors with one value there, and equalities.
// It reports whether it changed something. One piece alone without
// equalities is left as it is: its form is the general one.
func (w *work) specialize(p *piecewise) bool {
	changed := false
	if len(p.pieces) == 0 || len(p.pieces) == 1 && len(p.pieces[0].dom.eq) == 0 {
		return false
	}
	kept := p.pieces[:0]
	for _, x := range p.pieces {
		q := w.constantFloors(p.table, x.q, x.dom)
		if by, any := x.dom.solved(); any {
			if s := q.rename(p.importTable(p.table, by)); len(s) < len(q) {
				q = s
			}
		}
		if len(q) < len(x.q) || len(q) == len(x.q) && q.degree() < x.q.degree() {
			x.q, changed = q, true
		}
		if len(x.q) > 0 {
			kept = append(kept, x)
		}
	}
	p.pieces = kept
	return changed
}

// constantFloors replaces the floors of q that have one value on dom.
func (w *work) constantFloors(table *conj, q quasi, dom *conj) quasi {
	var point row
	by := make([]quasi, table.width())
	any := false
	for k, d := range table.divs {
		at := 1 + table.n + k
		if !q.uses(at) {
			continue
		}
		if point == nil {
			var ok bool
			if point, ok = w.sample(dom.flat()); !ok {
				return nil
			}
			point = point[:1+table.n]
			for _, f := range table.divs[:k] {
				point = append(point, arith.FloorDiv(dot(f.num, point), f.den))
			}
		}
		for i := len(point) - 1 - table.n; i <= k; i++ {
			point = append(point, arith.FloorDiv(dot(table.divs[i].num, point), table.divs[i].den))
		}
		c := dom.clone()
		lo := c.translate(table, d.num)
		hi := negRow(lo)
		lo[0] = arith.Sub(lo[0], arith.Mul(d.den, point[at]))
		hi[0] = arith.Add(hi[0], arith.Add(arith.Mul(d.den, point[at]), d.den-1))
		if w.implied(c, lo, false) && w.implied(c, hi, false) {
			if by[at] = constant(arith.RatInt(point[at])); by[at] == nil {
				by[at] = quasi{}
			}
			any = true
		}
	}
	if !any {
		return q
	}
	return q.rename(by)
}

// compact drops the floors that no polynomial uses.
func (p *piecewise) compact() {
	n := p.table.n
	used := make([]bool, p.table.width())
	for _, x := range p.pieces {
		for _, t := range x.q {
			for i := 0; i < len(t.factors); i += 2 {
				used[atomAt(t.factors, i)] = true
			}
		}
	}
	all := true
	for k := len(p.table.divs) - 1; k >= 0; k-- {
		if !used[1+n+k] {
			all = false
			continue
		}
		for i, v := range p.table.divs[k].num {
			used[i] = used[i] || v != 0
		}
	}
	if all {
		return
	}
	table := &conj{n: n}
	rows := []row{{1}}
	rows = append(rows, identityRows(n)...)
	for k, d := range p.table.divs {
		if !used[1+n+k] {
			rows = append(rows, nil)
			continue
		}
		num := make(row, table.width())
		for i, v := range d.num {
			for j, x := range rows[i] {
				num[j] = arith.Add(num[j], arith.Mul(v, x))
			}
		}
		rows = append(rows, table.floorRow(num, d.den))
	}
	atoms := make([]quasi, len(rows))
	for i, r := range rows {
		if r != nil {
			atoms[i] = linear(r)
		}
	}
	for i, x := range p.pieces {
		p.pieces[i].q = x.q.rename(atoms)
	}
	p.table = table
}

// fewPieces is the number of pieces up to which agreement is decided and not only looked for.
const fewPieces = 4

// joinLimit is the work that an attempt to join two pieces may take.
const joinLimit = 200_000

// mergePieces joins pieces whose union is a conjunction and on which one polynomial serves. With grow, the union may
// take in parts of other pieces.
func (w *work) mergePieces(table *conj, ps []piece, grow bool) []piece {
	return w.mergePiecesBy(table, ps, grow, (*work).agree)
}

// agreement reports that two polynomials have the same value on a domain. It may miss that they have.
type agreement func(w *work, table *conj, p, q quasi, dom *conj) bool

func (w *work) mergePiecesBy(table *conj, ps []piece, grow bool, agree agreement) []piece {
	reserve := w.left / 2 // a long answer is better than none
	for again := true; again; {
		again = false
		for i := 0; i < len(ps); i++ {
			for j := 0; j < len(ps); j++ {
				if i == j {
					continue
				}
				if w.left < reserve {
					return ps
				}
				q := ps[i].q
				var merged []piece
				w.within(joinLimit, func(w *work) {
					if agree(w, table, q, ps[j].q, ps[j].dom) {
						merged = w.join(table, ps, i, j, grow, agree)
					}
				})
				if merged != nil {
					ps = slices.Delete(merged, j, j+1)
					if j < i {
						i--
					}
					j = -1
					again = true
				}
			}
		}
	}
	return ps
}

// join merges piece j, on which the polynomial of piece i serves, into piece i where the constraints that both obey
// describe their union. They may also take in parts of other pieces where the polynomials agree, if those pieces
// remain conjunctions. It returns the pieces with i and those others changed, or nil.
func (w *work) join(table *conj, ps []piece, i, j int, grow bool, agree agreement) []piece {
	a, b := ps[i].dom, ps[j].dom
	hull := w.commonHull(a, b)
	if hull == nil {
		return nil
	}
	rest := w.subtract(w.subtract([]*conj{hull}, []*conj{a}), []*conj{b})
	out := slices.Clone(ps)
	for k, x := range ps {
		if k == i || k == j || len(rest) == 0 || !grow {
			continue
		}
		common := w.intersect(rest, []*conj{x.dom})
		if w.isEmpty(common) {
			continue
		}
		for _, c := range common {
			if !agree(w, table, ps[i].q, x.q, c) {
				return nil
			}
		}
		left := w.subtract([]*conj{x.dom}, []*conj{hull})
		if len(left) != 1 {
			return nil
		}
		rest = w.subtract(rest, []*conj{x.dom})
		out[k].dom = w.irredundant(left[0], 0)
		out[k].dom.simplify()
	}
	for _, c := range rest { // outside all pieces the value is 0
		if w.solvable(c.question()) && !(grow && agree(w, table, ps[i].q, nil, c)) {
			return nil
		}
	}
	hull = w.irredundant(hull, 0)
	hull.simplify()
	out[i].dom = hull
	return out
}

// commonHull is the conjunction of those constraints of a and b that both obey; nil if that is plainly too much.
func (w *work) commonHull(a, b *conj) *conj {
	hull := &conj{n: a.n}
	for _, pair := range [][2]*conj{{a, b}, {b, a}} {
		from, other := pair[0], pair[1]
		premise := other.clone()
		apply := premise.importer(from)
		into := hull.importer(from)
		put := func(r row) {
			if w.implied(premise, premise.fit(apply(r)), false) {
				hull.addGE(into(r))
			}
		}
		for _, r := range from.eq {
			put(r)
			put(negRow(r))
		}
		for _, r := range from.ge {
			put(r)
		}
	}
	if !hull.simplify() {
		return nil
	}
	return hull
}

// agree reports that p and q have the same value on dom, where dom's equalities show it.
func (w *work) agree(table *conj, p, q quasi, dom *conj) bool {
	w.spend(len(p) + len(q))
	if p.equal(q) {
		return true
	}
	by, any := dom.solved()
	if !any {
		return false
	}
	// One point tells most polynomials apart, at little cost; floating point decides only what is far apart.
	point, ok := w.sample(dom.flat())
	if !ok {
		return true
	}
	atoms := make([]float64, 1, table.width())
	atoms[0] = 1
	for i := 1; i <= table.n; i++ {
		atoms = append(atoms, float64(point[i]))
	}
	for _, d := range table.divs {
		s := 0.0
		for i, v := range d.num {
			s += float64(v) * atoms[i]
		}
		atoms = append(atoms, math.Floor(s/float64(d.den)))
	}
	x, sizeX := p.approximate(atoms)
	y, sizeY := q.approximate(atoms)
	if math.Abs(x-y) > 1e-6*(sizeX+sizeY) {
		return false
	}
	w.spend(16 * (len(p) + len(q)))
	fresh := &piecewise{table: &conj{n: table.n}}
	exact := fresh.importTable(table, by)
	return p.rename(exact).equal(q.rename(exact))
}

// coalesce merges members of the union whose union is one conjunction, and drops those that others cover.
func (w *work) coalesce(cs []*conj) (out []*conj) {
	if len(cs) == 0 {
		return nil
	}
	var ps []piece
	one := constant(arith.RatInt(1))
	for _, c := range cs {
		if w.solvable(c.question()) {
			ps = append(ps, piece{c, one})
		}
	}
	for i := 0; i < len(ps); i++ { // covered by one other
		for j := range ps {
			if i != j && len(w.subtractOne(ps[i].dom, ps[j].dom)) == 0 {
				ps = slices.Delete(ps, i, i+1)
				i--
				break
			}
		}
	}
	for _, x := range w.mergePieces(&conj{n: cs[0].n}, ps, false) {
		c := w.irredundant(x.dom, 0)
		if c.simplify() {
			out = append(out, c)
		}
	}
	return out
}
