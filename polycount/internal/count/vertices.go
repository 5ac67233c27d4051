package count

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// vertex is a parametric vertex: the point where the inequalities of its basis hold with equality.
//
// Think of each inequality r_j ≥ 0 as relaxed by ε_j ∈ [0, 1), with ε_0 ≫ ε_1 ≫ …: that changes no integer point, makes
// every vertex simple, and no integer parameter value lies on the border between two chambers.
type vertex struct {
	rows  linear.Matrix // the inequalities' coefficients of the counted variables
	param []linear.Row  // their parts in parameters
	adj   linear.Matrix
	det   int64        // > 0
	dom   []linear.Row // ≥ 0 where the vertex belongs to the polytope
	q     quasi.Quasi  // its contribution; nil until wanted
	cones []unimodular
}

// cones counts r, whose polynomial is a constant, by parametric vertices and signed cones (Verdoolaege, Seghir, Beyls,
// Loechner and Bruynooghe 2007; Brion 1988), and adds one piece per chamber.
func (k *counter) cones(r region) {
	for !k.fullDimensional(&r) {
		for k.solve(&r) {
			k.pad(&r)
			if !linear.NormalizeRows(&r.eq, &r.ge) {
				return
			}
		}
	}
	if len(r.left) == 0 {
		k.emit(r)
		return
	}
	vs := k.vertices(&r)
	if len(vs) == 0 {
		return
	}
	k.areDisjoint = true
	for _, x := range vs {
		decompose(k.Work, x.rows, 1, &x.cones)
	}
	at := k.direction(vs)
	for _, c := range k.chambers(&r, vs) {
		var q quasi.Quasi
		for _, v := range c.active {
			q = q.Add(k.contribution(vs, v, at))
		}
		k.emit(region{ge: c.rows, eq: linear.CloneRows(r.eq), q: q.Mul(r.q)})
	}
}

// fullDimensional turns an inequality that always holds with equality into an equality. It reports false if there was
// one.
func (k *counter) fullDimensional(r *region) bool {
	k.pad(r)
	for i, x := range r.ge {
		strict := slices.Clone(x)
		strict[0] = arith.Sub(strict[0], 1)
		if !k.feasible(r, strict) {
			r.ge = slices.Delete(slices.Clone(r.ge), i, i+1)
			r.eq = append(r.eq, x)
			return false
		}
	}
	// A direction in which the polytope goes on for ever would leave the vertices without meaning.
	for _, at := range r.left {
		for _, sgn := range []int64{1, -1} {
			s := &linear.System{Width: k.table.Width()}
			for _, x := range r.ge {
				h := make(linear.Row, s.Width)
				for _, c := range r.left {
					h[c] = x[c]
				}
				s.Ge = append(s.Ge, h)
			}
			s.Ge = append(s.Ge, linear.Plus(s.Width, -1, sgn, at))
			if k.Feasible(s) {
				panic(throw.Of(errUnbounded))
			}
		}
	}
	return true
}

// vertices are the vertices that belong to the polytope for some parameters.
func (k *counter) vertices(r *region) []*vertex {
	d := len(r.left)
	var out []*vertex
	coeffs := make(linear.Matrix, len(r.ge))
	param := make([]linear.Row, len(r.ge))
	for i, x := range r.ge {
		param[i] = slices.Clone(x)
		for _, c := range r.left {
			coeffs[i] = append(coeffs[i], x[c])
			param[i][c] = 0
		}
	}
	var choose func(from int, chosen []int, echelon []linear.Row)
	choose = func(from int, chosen []int, echelon []linear.Row) {
		if len(chosen) == d {
			if v := k.vertex(r, coeffs, param, chosen); v != nil {
				out = append(out, v)
			}
			return
		}
		for i := from; i <= len(coeffs)-(d-len(chosen)); i++ {
			if x := linear.Reduced(coeffs[i], echelon); x != nil {
				choose(i+1, append(slices.Clip(chosen), i), append(slices.Clip(echelon), x))
			}
		}
	}
	choose(0, nil, nil)
	return out
}

// vertex is the vertex of a basis, nil if it never belongs to the polytope.
func (k *counter) vertex(r *region, coeffs linear.Matrix, param []linear.Row, basis []int) *vertex {
	k.Spend(len(basis) * len(coeffs) * 8)
	v := &vertex{}
	for _, i := range basis {
		v.rows = append(v.rows, coeffs[i])
		v.param = append(v.param, param[i])
	}
	v.adj, v.det = v.rows.Adjugate()
	if v.det == 0 {
		return nil
	}
	if v.det < 0 {
		v.det = -v.det
		for i := range v.adj {
			v.adj[i] = linear.NegRow(v.adj[i])
		}
	}
	for j := range coeffs {
		if slices.Contains(basis, j) {
			continue
		}
		// det·r_j = Σ l_i·r_i + (terms in parameters)
		l := linear.MulRow(coeffs[j], v.adj)
		x := make(linear.Row, len(param[j]))
		linear.AddTimes(x, v.det, param[j])
		first, sgn := j, int64(1)
		for i, b := range basis {
			if l[i] == 0 {
				continue
			}
			linear.AddTimes(x, arith.Neg(l[i]), v.param[i])
			if b < first {
				first, sgn = b, -arith.Sign(l[i])
			}
		}
		if sgn < 0 { // on the border the relaxed inequality fails
			x[0] = arith.Sub(x[0], 1)
		}
		v.dom = append(v.dom, x)
	}
	var none []linear.Row
	if !linear.NormalizeRows(&none, &v.dom) {
		return nil
	}
	v.dom = append(v.dom, none...)
	for _, e := range none {
		v.dom = append(v.dom, linear.NegRow(e))
	}
	dom := region{eq: r.eq, ge: v.dom}
	if !k.feasible(&dom) {
		return nil
	}
	return v
}

// contribution is the polynomial that vertex v of vs contributes, for the specialisation vector at.
func (k *counter) contribution(vs []*vertex, v int, at []int64) quasi.Quasi {
	if vs[v].q != nil {
		return vs[v].q
	}
	d := len(vs[v].rows)
	q := quasi.Quasi{}
	for _, u := range vs[v].cones {
		c := linear.MulRow(at, u.rays)
		var s quasi.Quasi
		for i := range d {
			// The apex has coordinate ⌈u.rows[i]·v⌉ along ray i, with v = −adj·param/det.
			l := linear.MulRow(u.rows[i], vs[v].adj)
			num := make(linear.Row, k.table.Width())
			for b, p := range vs[v].param {
				linear.AddTimes(num, l[b], p)
			}
			s = s.Sub(quasi.Linear(k.table.FloorRow(num, vs[v].det)).Scale(arith.RatInt(c[i])))
		}
		k.Spend(len(s) * len(s) * d * d)
		q = q.Add(pointsOf(c, s).Scale(arith.RatInt(u.sign)))
	}
	vs[v].q = q
	return q
}

// direction finds a vector with small entries that is orthogonal to no ray of any cone.
func (k *counter) direction(vs []*vertex) []int64 {
	d := len(vs[0].rows)
	at := make([]int64, d)
	state := uint64(1)
	for tries := 0; ; tries++ {
		size := 2 + tries/4
		for i := range at {
			state = state*6364136223846793005 + 1442695040888963407 // Knuth's linear congruential generator
			at[i] = int64(state>>33)%int64(2*size+1) - int64(size)
		}
		if k.generic(vs, at) {
			return at
		}
	}
}

func (k *counter) generic(vs []*vertex, at []int64) bool {
	for _, v := range vs {
		for _, u := range v.cones {
			k.Spend(len(at) * len(at))
			if slices.Contains(linear.MulRow(at, u.rays), 0) {
				return false
			}
		}
	}
	return true
}

// chamber is a set of parameter values with the same active vertices.
type chamber struct {
	rows   []linear.Row
	active []int
}

// chambers finds all chambers. Each is the intersection of the domains of its active vertices: as the relaxed polytope
// is simple, edges join these vertices with each other and with no other vertex, wherever they all belong to it.
func (k *counter) chambers(r *region, vs []*vertex) []*chamber {
	var out []*chamber
	known := map[string]*chamber{}
	var visit func(cell region, from int)
	visit = func(cell region, from int) {
		for ; from < len(vs); from++ {
			t := region{eq: cell.eq, ge: slices.Concat(cell.ge, vs[from].dom)}
			point, ok := k.samplePoint(&t)
			if !ok {
				continue
			}
			c := k.chamberAt(r, vs, point, known)
			if key := fmt.Sprint(c.active); len(c.active) > 0 && c.rows != nil && known[key] == nil {
				known[key] = c
				out = append(out, c)
			}
			// What is left of the cell: for each condition of the chamber, where it is the first that fails.
			rest := region{eq: cell.eq, ge: slices.Clip(cell.ge)}
			for _, x := range c.rows {
				beyond := region{eq: cell.eq, ge: append(slices.Clip(rest.ge), linear.Negated(x))}
				if k.feasible(&beyond) {
					visit(beyond, from)
					rest.ge = append(rest.ge, x)
				}
			}
			return
		}
	}
	visit(region{eq: r.eq}, 0)
	return out
}

// samplePoint returns the columns of the table at some point of r.
func (k *counter) samplePoint(r *region) (linear.Row, bool) {
	point, ok := k.Sample(k.over(r).Flat())
	if !ok {
		return nil, false
	}
	for i, d := range k.table.Divs {
		if d.Den > 0 {
			point[1+k.table.N+i] = arith.FloorDiv(linear.Dot(d.Num, point), d.Den)
		}
	}
	return point, true
}

func (k *counter) chamberAt(r *region, vs []*vertex, point linear.Row, known map[string]*chamber) *chamber {
	c := &chamber{}
	var ge []linear.Row
	for i, v := range vs {
		if !slices.ContainsFunc(v.dom, func(x linear.Row) bool { return linear.Dot(x, point) < 0 }) {
			c.active = append(c.active, i)
			ge = append(ge, v.dom...)
		}
	}
	if old := known[fmt.Sprint(c.active)]; old != nil {
		return old
	}
	ge = linear.CloneRows(ge)
	var eq []linear.Row
	linear.NormalizeRows(&eq, &ge)
	for _, e := range eq {
		ge = append(ge, slices.Clone(e), linear.NegRow(e))
	}
	c.rows = k.irredundantRows(r, ge)
	return c
}

// irredundantRows drops the rows that follow from the others where r's equalities hold.
func (k *counter) irredundantRows(r *region, ge []linear.Row) []linear.Row {
	for i := len(ge) - 1; i >= 0; i-- {
		others := region{eq: r.eq, ge: slices.Delete(slices.Clone(ge), i, i+1)}
		if !k.feasible(&others, linear.Negated(ge[i])) {
			ge = others.ge
		}
	}
	return ge
}
