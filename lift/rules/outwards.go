package rules

import (
	"slices"

	"gpuperf/lift"
)

// Rules that move a reduction out of two maps, and make copies of what it reads: with them a product of matrices is computed
// in tiles, and in blocks of registers (rules E of the Lift project: finishTiling, apply2DRegisterBlocking).

// arranging are the patterns of one array that only show it in another way.
var arranging = lift.Set(lift.Join, lift.Split, lift.Transpose, lift.Gather, lift.Scatter, lift.At, lift.Take)

// view is a pattern that stands around a term: it puts the same pattern around another.
type view struct {
	op  lift.Op
	put func(x *lift.Term) *lift.Term
}

type views []view

// around puts the views around a term, the last one first.
func (list views) around(x *lift.Term) *lift.Term {
	for _, v := range slices.Backward(list) {
		x = v.put(x)
	}
	return x
}

// under follows a chain of views that refer to none of the innermost n variables to what they show. It returns that, and the views
// outermost first, for terms that stand outside of these variables.
func under(t *lift.Term, n int) (inner *lift.Term, list views) {
	for ; ; t = t.Arg() {
		arranges := t.Op == lift.Map && !t.Ops().Has(lift.Reduce) && !t.Fn().Ops().Has(lift.Fun) || arranging.Has(t.Op)
		if !arranges {
			return t, list
		}
		var moved []*lift.Term
		for _, k := range t.Kids[:len(t.Kids)-1] {
			for v := range n {
				if lift.Uses(k, v) {
					return t, list
				}
			}
			moved = append(moved, lift.Shift(k, -n))
		}
		at := t
		list = append(list, view{t.Op, func(x *lift.Term) *lift.Term { return at.With(append(slices.Clone(moved), x)...) }})
	}
}

// product is a reduction at each pair of elements of two arrays, one for all that a map does, as reduceOutwards finds it.
type product struct {
	f, z        *lift.Term // of the reduction, outside of the maps
	xs, ys      *lift.Term
	ofX, ofY    *lift.Term // what is zipped of an element of each, where x is the variable 1 and y 0
	first       int        // the place of ofX in the zip
	params      [2]*lift.Type
	rows, cells views
}

// productIn is nil where a term has another form.
func productIn(t *lift.Term) *product {
	inner, rows := under(t.Kids[0].Body(), 1)
	if inner.Op != lift.Map || inner.Kids[0].Op != lift.Lambda || lift.Uses(inner.Arg(), 0) {
		return nil
	}
	red, cells := under(inner.Kids[0].Body(), 2)
	if red.Op != lift.ReduceSeq {
		return nil
	}
	f, z, zip := red.Kids[0], red.Kids[1], red.Arg()
	if zip.Op != lift.Zip || len(zip.Kids) != 2 {
		return nil
	}
	for v := range 2 {
		if lift.Uses(f, v) || lift.Uses(z, v) {
			return nil
		}
	}
	p := &product{f: lift.Shift(f, -2), z: lift.Shift(z, -2), xs: t.Arg(), rows: rows, cells: cells}
	if lift.Uses(zip.Kids[0], 0) {
		p.first = 1
	}
	p.ofX, p.ofY = zip.Kids[p.first], zip.Kids[1-p.first]
	if !lift.Uses(p.ofX, 1) || lift.Uses(p.ofX, 0) || !lift.Uses(p.ofY, 0) || lift.Uses(p.ofY, 1) {
		return nil
	}
	p.ys = lift.Shift(inner.Arg(), -1)
	p.params = [2]*lift.Type{t.Kids[0].Params[0], inner.Kids[0].Params[0]}
	return p
}

// reduceOutwards finds map(fun(x => views of map(fun(y => views of reduceSeq(f, z) $ zip(g(x), h(y)))) $ ys)) $ xs.
func reduceOutwards(m *Match) *lift.Term {
	p := productIn(m.Term)
	if p == nil {
		return nil
	}
	us := mapViews(p.xs, p.ofX, func(x *lift.Term) *lift.Term { return substitute(p.ofX, 1, x, p.params[0], p.params[1]) })
	vs := mapViews(p.ys, p.ofY, func(y *lift.Term) *lift.Term { return substitute(p.ofY, 0, y, p.params[0], p.params[1]) })
	pairs := lift.Of(lift.Zip, lift.TransposeOf(us), lift.TransposeOf(vs))
	if pairs.Err() != nil {
		return pairs
	}
	acc := lift.GenerateOf(p.xs.Type.Len, lift.Fn1(lift.Int32, func(*lift.Term) *lift.Term {
		return lift.GenerateOf(p.ys.Type.Len, lift.Fn1(lift.Int32, func(*lift.Term) *lift.Term { return p.z }))
	}))
	if acc.Err() != nil {
		return acc
	}
	step := lift.Fn([]*lift.Type{acc.Type, pairs.Type.Elem}, func(of ...*lift.Term) *lift.Term {
		a, e := of[0], of[1]
		return mapEach(lift.Of(lift.Zip, lift.GetOf(0, e), a), func(r *lift.Term) *lift.Term {
			return mapEach(lift.Of(lift.Zip, lift.GetOf(1, e), lift.GetOf(1, r)), func(c *lift.Term) *lift.Term {
				parts := []*lift.Term{lift.GetOf(0, r), lift.GetOf(0, c)}
				if p.first == 1 {
					parts[0], parts[1] = parts[1], parts[0]
				}
				return p.f.Apply(lift.GetOf(1, c), lift.Of(lift.Tuple, parts...))
			})
		})
	})
	all := lift.AtOf(0, lift.Of(lift.ReduceSeq, step, acc, pairs))
	cells := p.cells
	// The views of a result are around an array of one element: where the element is taken at once, it is not made.
	if last := len(cells) - 1; last >= 0 && cells[last].op == lift.At {
		cells = cells[:last]
	} else {
		all = mapEach(all, func(row *lift.Term) *lift.Term { return lift.SplitOf(lift.Nat(1), row) })
	}
	if len(cells) > 0 {
		all = mapEach(all, func(row *lift.Term) *lift.Term { return mapEach(row, cells.around) })
	}
	return mapEach(all, p.rows.around)
}

// mapViews is mapEach, but for a view that is the variable itself.
func mapViews(xs, view *lift.Term, f func(x *lift.Term) *lift.Term) *lift.Term {
	if view.Op == lift.Var {
		return xs
	}
	return mapEach(xs, f)
}

// substitute puts a term in the place of the variable v of the two innermost ones, of types x and y, the other of which does
// not occur.
func substitute(t *lift.Term, v int, by *lift.Term, x, y *lift.Type) *lift.Term {
	f := lift.Make(lift.Lambda, lift.Attr{Params: []*lift.Type{x, y}}, t)
	if v == 1 {
		return f.Apply(by, lift.Hole(y))
	}
	return f.Apply(lift.Hole(x), by)
}

// letIn computes terms once, before what is made of them.
func letIn(terms []*lift.Term, body func(xs ...*lift.Term) *lift.Term) *lift.Term {
	if len(terms) == 0 {
		return body()
	}
	return lift.Of(lift.Let, lift.Fn1(terms[0].Type, func(x *lift.Term) *lift.Term {
		return letIn(terms[1:], func(xs ...*lift.Term) *lift.Term { return body(append([]*lift.Term{x}, xs...)...) })
	}), terms[0])
}

// The orders in which blockCopy takes the numbers of an array of k by R by r.
const (
	orderStored = iota // as they are
	orderAcross        // along k first, though stored as they are
	orderBlocks        // along R before r, and stored so
	orders
)

// blockCopy is the copy of x, k by R by r numbers, made m at a time by rows of w work-items: neighbours take numbers that
// follow each other in the order.
func blockCopy(x *lift.Term, m, w lift.Size, order int) *lift.Term {
	lengths, _ := x.Type.Shape()
	last := lengths[2]
	if order == orderBlocks {
		last = lengths[1]
	}
	return blockCopies[order].of(x, "msutv", m, w, lengths[1].Mul(lengths[2]), lengths[0], last)
}

// blockCopies are the copies by order, of rows of u numbers, or of k = t across, in parts of v.
var blockCopies = func() [orders]form {
	const copied = "join o map(join) o mapSeq(mapLcl(1, mapLcl(0, id))) o map(split(s)) o split(m) o join"
	return [orders]form{
		orderStored: formOf("toLocal o map(split(v)) o split(u) o " + copied + " o map(join) $ xs"),
		orderAcross: formOf("toLocal o map(split(v)) o transpose o split(t) o " + copied + " o transpose o map(join) $ xs"),
		orderBlocks: formOf("map(transpose) o toLocal o map(split(v)) o split(u) o " + copied + " o map(join) o map(transpose) $ xs"),
	}
}()

// copyBlocks computes copies of operands number by number.
func copyBlocks(m *Match) *lift.Term {
	return copyOperands(m, func(x *lift.Term, order int) *lift.Term { return blockCopy(x, m.Sizes["m"], m.Sizes["w"], order) })
}
