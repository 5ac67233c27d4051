package offload

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// update makes a statement of the text at the cells: without conditions where it runs at all cells of the work-group, else with its conditions at each.
func (t *timeTile) update(p *place) {
	when, whole, each := t.domain(p)
	if len(whole) == 0 {
		t.updates(p, p.Name, append(when, each...), nil)
		return
	}
	t.updates(p, p.Name+"_whole", slices.Concat(when, whole), nil)
	t.updates(p, p.Name, slices.Concat(when, each), whole)
}

// numbered is the name of the number of a cell in conditions.
func numbered(d int) string { return fmt.Sprintf("cell_%d", d) }

// domain are the conditions for a statement to run: those of the step, those for it to run at all cells, if that can be said, and those of each cell.
func (t *timeTile) domain(p *place) (when, whole, each []polycount.Constraint) {
	var cells []polycount.Affine
	for d := range t.dims {
		cells = append(cells, polycount.Name(numbered(d)))
	}
	affine, said := t.iterators(p, cells)
	list, _ := p.Domain.Constraints()
	for _, c := range list {
		c.Affine = c.Affine.Subst(affine)
		if !slices.ContainsFunc(t.dims, func(x *tileDim) bool { return c.Affine.Has(x.group) }) {
			when = append(when, c)
			continue
		}
		each = append(each, c)
		whole = append(whole, polycount.Constraint{Affine: t.least(c.Affine)})
		said = said && !c.Equality && !c.Affine.HasFloor()
	}
	for d := range t.dims {
		if p.along[d] == "" {
			_, element := t.at(cells)
			each = append(each, polycount.EQ(element[d], p.at[d]))
		}
	}
	if !said {
		whole = nil
	}
	return when, whole, each
}

// least is the least value of an expression at the cells of a work-group.
func (t *timeTile) least(a polycount.Affine) polycount.Affine {
	by := map[string]polycount.Affine{}
	for d, x := range t.dims {
		if by[numbered(d)] = polycount.Int(0); a.Coeff(numbered(d)) < 0 {
			by[numbered(d)] = polycount.Int(x.items*x.parts - 1)
		}
	}
	return a.Subst(by)
}

// iterators are those of a statement at a cell; said is false where they do not determine the cell.
func (t *timeTile) iterators(p *place, cell []polycount.Affine) (affine map[string]polycount.Affine, said bool) {
	clock := t.from.AddScaled(2*t.m.Steps, polycount.Name(t.pair)).Add(polycount.Name(t.step)).AddInt(p.shift)
	if t.back {
		clock = clock.AddInt(t.m.Steps)
	}
	affine, said = map[string]polycount.Affine{p.clock: clock}, true
	_, element := t.at(cell)
	for d := range t.dims {
		if it := p.along[d]; it != "" {
			affine[it] = element[d].Sub(p.at[d])
		} else {
			said = false
		}
	}
	return affine, said
}

// updates adds a statement at the cells where conditions hold, and others do not all.
func (t *timeTile) updates(p *place, id string, where, unless []polycount.Constraint) {
	inames, cell := t.cells(id)
	local, _ := t.at(cell)
	affine, _ := t.iterators(p, cell)
	by := map[string]expr.Expr{}
	for name, a := range affine {
		by[name] = expr.FromAffine(a)
	}
	value := throw.Get(t.inTile(p, local))
	numbers := map[string]polycount.Affine{}
	for d := range t.dims {
		numbers[numbered(d)] = cell[d]
	}
	where = slices.Clone(where)
	for i := range where {
		where[i].Affine = where[i].Affine.Subst(numbers)
	}
	written := p.Accesses[len(p.Accesses)-1].Array
	to, value := access(t.local(written), local), expr.Subst(value, by)
	inames = append(inames, t.step)
	if !t.anywhere(p) {
		throw.If(t.add(&kernel.Stmt{ID: id, LHS: to, RHS: value, Inames: inames}, where, unless))
		return
	}
	// the values of all cells are computed together, and those stored that the statement has
	own := &expr.Access{Array: id + "_values"}
	values := &kernel.Array{Name: own.Array, DType: written.DType, Space: kernel.Private, Shape: []expr.Expr{}}
	for d, x := range t.dims {
		if x.parts > 1 {
			own.Index, values.Shape = append(own.Index, expr.Var{Name: partOf(d, id)}), append(values.Shape, expr.Int{Value: x.parts})
		}
	}
	t.k.Temps = append(t.k.Temps, values)
	throw.If(t.add(&kernel.Stmt{ID: id + "_value", LHS: own, RHS: value, Inames: inames}, nil, unless))
	inames, _ = t.cells(id + "_store")
	again := map[string]expr.Expr{}
	renamed := map[string]polycount.Affine{}
	for d := range t.dims {
		again[partOf(d, id)] = expr.Var{Name: partOf(d, id+"_store")}
		renamed[partOf(d, id)] = polycount.Name(partOf(d, id+"_store"))
	}
	for i := range where {
		where[i].Affine = where[i].Affine.Subst(renamed)
	}
	throw.If(t.add(&kernel.Stmt{ID: id, LHS: expr.Subst(to, again), RHS: expr.Subst(own, again), Inames: append(inames, t.step)}, where, unless))
}

// anywhere reports that what a statement assigns can be computed at all cells: it reads local memory alone, and has no operation that fails.
func (t *timeTile) anywhere(p *place) bool {
	return !slices.ContainsFunc(p.Accesses, func(a scop.Access) bool {
		return len(a.Index) > 0 && !slices.Contains(t.arrays, a.Array) || !a.Array.DType.IsFloat()
	})
}

// inTile is what a statement assigns, with elements in local memory.
func (t *timeTile) inTile(p *place, local []polycount.Affine) (value expr.Expr, err error) {
	value = expr.Rewrite(p.RHS, func(e expr.Expr) expr.Expr {
		x, ok := e.(*expr.Access)
		if !ok {
			return e
		}
		i := slices.IndexFunc(t.arrays, func(a *scop.Array) bool { return a.Name == x.Array })
		if i < 0 {
			return e
		}
		var index []polycount.Affine
		for d, sub := range x.Index {
			a, failed := expr.ToAffine(sub, func(string) bool { return true })
			if failed != nil {
				err = failed
				return e
			}
			off, _ := p.offset(d, a)
			index = append(index, local[d].AddInt(off))
		}
		return access(t.local(t.arrays[i]), index)
	})
	return value, err
}
