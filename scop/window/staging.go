package window

import (
	"fmt"
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// staging is the part of an array that a tile of a window has in local memory: the box of all that its accesses may touch.
type staging struct {
	name   string
	local  *kernel.Array
	rows   [][]int64          // for each subscript, the factors of the loops of tiles
	least  []polycount.Affine // the least rest of each subscript
	beyond []int64            // by how much rests of other accesses are greater
	base   []polycount.Affine // the first element that is there
	sides  []int64
	reads  [][]polycount.Affine // the rests of the subscripts of accesses that read it, each once
}

// stage enters an access; false where it has other factors than others of the array, or is not linear.
func (w *Window) stage(a scop.Access) bool {
	own := &staging{name: a.Array.Name}
	for _, index := range a.Index {
		x := index.Subst(w.by)
		factors, rest := linearIn(x, w.coords)
		if slices.ContainsFunc(w.coords, rest.Has) {
			return false
		}
		own.rows, own.least, own.beyond = append(own.rows, factors), append(own.least, rest), append(own.beyond, 0)
	}
	g := w.stagingOf(own.name)
	if g == nil {
		g = own
		w.arrays = append(w.arrays, own)
	}
	if !a.Write && !slices.ContainsFunc(g.reads, func(other []polycount.Affine) bool { return slices.EqualFunc(other, own.least, polycount.Affine.Equal) }) {
		g.reads = append(g.reads, slices.Clone(own.least))
	}
	for d := range g.rows {
		by := own.least[d].Sub(g.least[d])
		if !slices.Equal(g.rows[d], own.rows[d]) || !by.IsConstant() {
			return false
		}
		if n := by.Constant(); n < 0 {
			g.least[d], g.beyond[d] = own.least[d], g.beyond[d]-n
		} else {
			g.beyond[d] = max(g.beyond[d], n)
		}
	}
	return true
}

// find finds which elements a tile has, and declares the array in local memory. Its rows are so long that work-items beside each other along the first axis touch different banks.
func (w *Window) find(g *staging) {
	from := w.to.Array(g.name)
	g.local = &kernel.Array{Name: w.to.FreshName(g.name + "_tile"), DType: from.DType, Space: kernel.Local}
	last := len(g.rows) - 1
	apart := int64(0) // elements between those of work-items beside each other, in rows of the last dimension
	for d, factors := range g.rows {
		side := g.beyond[d] + 1
		for i, f := range factors {
			side += magnitude(f) * (w.Side[i] - 1)
		}
		g.base, g.sides = append(g.base, w.extreme(factors, false).Add(g.least[d])), append(g.sides, side)
		step := factors[0] - factors[len(factors)-1]
		if d == last && (apart*side+step)%2 == 0 {
			side++
		}
		apart = apart*side + step
		g.local.Shape = append(g.local.Shape, expr.Int{Value: side})
	}
	w.to.Temps = append(w.to.Temps, g.local)
}

// piece is an element of the box that a work-item moves.
type piece struct {
	own    []polycount.Affine // its place in the box
	from   []polycount.Affine // its subscripts in global memory
	inames []string
	inside []polycount.Constraint // for it to be in the box
}

// among gives work-items their elements: neighbours along the first axis have those beside each other.
func (w *Window) among(g *staging, what string) (p piece) {
	p.own = make([]polycount.Affine, len(g.sides))
	axis := 0
	for d, side := range slices.Backward(g.sides) {
		items := int64(1)
		if axis < len(w.items) && side > 1 {
			items = w.Side[axis]
			p.own[d] = polycount.Name(w.items[axis])
			axis++
		}
		if count := intmath.CeilDiv(side, items); count > 1 {
			name := w.to.FreshName(fmt.Sprintf("%s_%s_%d", g.local.Name, what, d))
			w.box(name, count)
			p.own[d] = p.own[d].AddScaled(items, polycount.Name(name))
			p.inames = append(p.inames, name)
		}
		if side%items > 0 {
			p.inside = append(p.inside, polycount.GE(polycount.Int(side-1), p.own[d]))
		}
	}
	for _, item := range w.items[axis:] {
		p.inside = append(p.inside, polycount.EQ(polycount.Name(item), polycount.Int(0)))
	}
	for d, own := range p.own {
		p.from = append(p.from, g.base[d].Add(own))
	}
	p.inames = w.inames(p.inames...)
	return p
}

// elements are accesses to the part in both memories.
func (g *staging) elements(p piece) (local, global *expr.Access) {
	local, global = &expr.Access{Array: g.local.Name}, &expr.Access{Array: g.name}
	for d := range p.own {
		local.Index, global.Index = append(local.Index, expr.FromAffine(p.own[d])), append(global.Index, expr.FromAffine(p.from[d]))
	}
	return local, global
}

// load adds the statement that loads what the accesses of a tile touch.
func (w *Window) load(g *staging) {
	p := w.among(g, "load")
	inside, touched := p.inside, []expr.Expr(nil)
	if whole := w.whole(g); whole {
		inside = append(inside, w.hull(g, p)...)
	} else {
		touched = []expr.Expr{w.read(g, p)}
	}
	for d, size := range w.to.Array(g.name).Shape {
		inside = append(inside, polycount.GE(p.from[d], polycount.Int(0)), polycount.GE(throw.Get(w.to.AffineOf(size)).AddInt(-1), p.from[d]))
	}
	local, global := g.elements(p)
	w.add(&kernel.Stmt{ID: w.s.Name + "_load_" + g.name, LHS: local, RHS: global, Inames: p.inames, Predicates: append(cexpr.Predicates(polycount.NewSet(nil, p.inames, inside...)), touched...)})
}

// whole reports that each element of the hull is one that the tile reads or writes, or of an array that nobody writes: those of a box beside each point. Of another one, a tile beside it in the launch may
// write an element that this one does not use.
func (w *Window) whole(g *staging) bool {
	if g.name != w.write.Array.Name {
		return true
	}
	box, own := int64(1), g.reads
	for _, beyond := range g.beyond {
		box *= beyond + 1
	}
	if written := w.rests(); !slices.ContainsFunc(own, func(r []polycount.Affine) bool { return slices.EqualFunc(r, written, polycount.Affine.Equal) }) {
		own = append(slices.Clip(own), written)
	}
	return int64(len(own)) == box
}

// rests are those of the subscripts of the access that writes.
func (w *Window) rests() (rests []polycount.Affine) {
	for _, index := range w.write.Index {
		_, rest := linearIn(index.Subst(w.by), w.coords)
		rests = append(rests, rest)
	}
	return rests
}

// read is the condition for an element to be one that a point of the tile reads: the one that the point writes is as far from it.
func (w *Window) read(g *staging, p piece) expr.Expr {
	var any []expr.Expr
	for _, read := range g.reads {
		from := slices.Clone(p.from)
		for d, rest := range w.rests() {
			from[d] = from[d].Sub(read[d]).Add(rest)
		}
		any = append(any, joined(expr.And, w.written(from, p.inames, nil)))
	}
	return joined(expr.Or, any)
}

// joined is one expression of several.
func joined(kind expr.OpKind, list []expr.Expr) expr.Expr {
	if len(list) == 1 {
		return list[0]
	}
	return &expr.Op{Kind: kind, Args: list}
}

// hull are conditions for an element of a matrix to be one that a tile touches: the points of a tile are a box, whose elements are between lines along which one of its loops moves.
func (w *Window) hull(g *staging, p piece) (list []polycount.Constraint) {
	if len(g.rows) != 2 {
		return nil
	}
	for k := range w.coords {
		across := [2]int64{g.rows[1][k], -g.rows[0][k]}
		if across[0] == 0 || across[1] == 0 { // the box tells
			continue
		}
		factors := make([]int64, len(w.coords))
		var value, rest polycount.Affine
		room := [2]int64{}
		for d, f := range across {
			value, rest = value.AddScaled(f, p.from[d]), rest.AddScaled(f, g.least[d])
			room[0], room[1] = room[0]+min(0, f*g.beyond[d]), room[1]+max(0, f*g.beyond[d])
			for i := range factors {
				factors[i] += f * g.rows[d][i]
			}
		}
		list = append(list, polycount.GE(value, w.extreme(factors, false).Add(rest).AddInt(room[0])), polycount.GE(w.extreme(factors, true).Add(rest).AddInt(room[1]), value))
	}
	return list
}

// owned are the points that write an element: the iterators by the subscripts of the element and, where there are more loops than subscripts, by the place along one of the loops.
type owned struct {
	element   []string
	free      string
	iterators map[string]polycount.Affine
}

// known finds them; false where elements do not tell points so, without quotients.
func (w *Window) known() bool {
	o := &owned{iterators: map[string]polycount.Affine{}}
	var rows [][]int64
	var values []polycount.Affine
	enter := func(a polycount.Affine, name string) {
		factors, rest := linearIn(a, w.s.Iterators)
		rows, values = append(rows, factors), append(values, polycount.Name(name).Sub(rest))
	}
	for _, index := range w.write.Index {
		o.element = append(o.element, w.fresh("element"))
		enter(index, o.element[len(o.element)-1])
	}
	loops := w.loops
	switch len(w.s.Iterators) - len(rows) {
	case 0:
		loops = loops[:1]
	case 1:
		o.free = w.fresh("place")
	default:
		return false
	}
	for _, l := range loops {
		rows, values := rows, values
		if o.free != "" {
			factors, rest := linearIn(l.Of[w.s], w.s.Iterators)
			rows, values = append(slices.Clip(rows), factors), append(slices.Clip(values), polycount.Name(o.free).Sub(rest))
		}
		inverse, ok := Solve(rows, values, len(w.s.Iterators))
		if !ok || slices.ContainsFunc(inverse, polycount.Affine.HasFloor) {
			continue
		}
		for i, name := range w.s.Iterators {
			o.iterators[name] = inverse[i]
		}
		w.owned = o
		return true
	}
	return false
}

// store adds the statement that stores the elements that the tile has written, and no others: those may be of another tile of the launch.
func (w *Window) store(g *staging) {
	p := w.among(g, "store")
	local, global := g.elements(p)
	w.add(&kernel.Stmt{ID: w.s.Name + "_store", LHS: global, RHS: local, Inames: p.inames, Predicates: w.written(p.from, p.inames, p.inside)})
}

// written are the conditions for an element to be one that a point of the tile writes, and others.
func (w *Window) written(element []polycount.Affine, inames []string, plain []polycount.Constraint) []expr.Expr {
	at, coords, iterators := map[string]polycount.Affine{}, map[string]polycount.Affine{}, map[string]polycount.Affine{}
	for d, name := range w.owned.element {
		at[name] = element[d]
	}
	for name, a := range w.owned.iterators {
		iterators[name] = a.Subst(at)
	}
	for i, l := range w.loops {
		coords[w.coords[i]] = l.Of[w.s].Subst(iterators)
	}
	plain = slices.Clone(plain)
	var lower, upper []expr.Expr // bounds of the free place, of which some has to be left
	for _, c := range w.ofTile(0, coords, iterators) {
		f := c.Affine.Coeff(w.owned.free)
		rest := c.Affine.AddScaled(-f, polycount.Name(w.owned.free))
		switch {
		case f > 0:
			lower = append(lower, expr.FromAffine(rest.FloorDiv(f).Neg()))
		case f < 0:
			upper = append(upper, expr.FromAffine(rest.FloorDiv(-f)))
		default:
			plain = append(plain, c)
		}
	}
	when := cexpr.Predicates(polycount.NewSet(nil, inames, plain...))
	if len(lower) > 0 && len(upper) > 0 {
		when = append(when, expr.Binary(expr.Le, joined(expr.Max, lower), joined(expr.Min, upper)))
	}
	return when
}
