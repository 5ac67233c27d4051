package grid

import (
	"slices"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Triangle is a grid of tiles that has more columns in some rows than in others, as those of a triangular matrix do. It is folded into a rectangle that has about no work-groups with nothing to do,
// where the rectangle around it has as many of them as others.
//
// A row of the launch is one of the longer half of the rows, from the longest, and then one of the shorter half, from the shortest. Of an odd number of rows one stands alone: the longest,
// where a row before the shortest would have no tiles, and else the one in the middle.
type Triangle struct {
	row, column string
	// first and last row
	first, last polycount.Affine
	// lower and upper are the bounds of the columns of a row.
	lower, upper []polycount.Bound
	// grows: the last row is the longest; else the first one is.
	grows bool
	// odd is 1 where the longest row stands alone, and else 0.
	odd polycount.Affine
	// rows and columns of the launch, less 1. There may be more columns than each row has tiles.
	rows, columns polycount.Affine
	// tiles has a point for each, some for the parameters at which there are any.
	tiles, some *polycount.Set
}

// FindTriangle finds the grid of tiles, a set over rows and columns by these names. It is nil where they are none that can be folded: one set, whose rows grow or get shorter by the only bound of their
// columns that the row is in, without floors.
func FindTriangle(tiles *polycount.Set, row, column string) (*Triangle, error) {
	g := &Triangle{row: row, column: column, tiles: tiles}
	rows, err := tiles.Project(row)
	if err != nil || len(rows.Disjuncts()) != 1 {
		return nil, err
	}
	low, high, err := rows.Bounds(row)
	if err != nil || len(low) != 1 || len(high) != 1 {
		return nil, err
	}
	g.first, g.last = low[0].Num.AddInt(low[0].Den-1).FloorDiv(low[0].Den), high[0].Num.FloorDiv(high[0].Den)
	if g.lower, g.upper, err = tiles.Bounds(column); err != nil || len(g.lower) == 0 || len(g.upper) == 0 {
		return nil, err
	}
	length, by, den, ok := g.length()
	if !ok {
		return nil, nil
	}
	g.grows = by > 0
	at := func(r polycount.Affine) polycount.Affine { return length.Subst(map[string]polycount.Affine{row: r}) }
	g.rows = g.last.Sub(g.first).FloorDiv(2)
	if g.some, err = tiles.Project(); err != nil {
		return nil, err
	}
	for _, alone := range []int64{1, 0} {
		g.odd = g.last.Sub(g.first).AddInt(1).Mod(2).Scale(alone)
		long, short := g.pair(polycount.Int(0))
		g.columns = at(long).Add(at(short)).FloorDiv(den).AddInt(-1)
		if g.grows {
			short = g.first.AddInt(-alone)
		} else {
			short = g.last.AddInt(alone)
		}
		if fits, err := g.some.Implies(polycount.GE(at(short), polycount.Int(0))); err != nil || fits { // it takes none from the row beside it
			return g, err
		}
	}
	return nil, nil
}

// pair are the rows of a row of the launch.
func (g *Triangle) pair(u polycount.Affine) (long, short polycount.Affine) {
	if g.grows {
		return g.last.Sub(u), g.first.Add(u).Sub(g.odd)
	}
	return g.first.Add(u), g.last.Sub(u).Add(g.odd)
}

// length is at least the number of columns of a row, as a fraction of den, by which it grows by so much from row to row.
func (g *Triangle) length() (length polycount.Affine, by, den int64, ok bool) {
	has := func(b polycount.Bound) bool { return b.Num.Has(g.row) }
	low, high := slices.IndexFunc(g.lower, has), slices.IndexFunc(g.upper, has)
	of := slices.DeleteFunc(slices.Concat(g.lower, g.upper), func(b polycount.Bound) bool { return !has(b) })
	if len(of) != 1 || of[0].Num.InFloor(g.row) {
		return length, 0, 0, false
	}
	l, h := g.lower[max(low, 0)], g.upper[max(high, 0)]
	length = h.Num.Scale(l.Den).Sub(l.Num.Scale(h.Den)).AddInt(l.Den * h.Den)
	by, den = length.Coeff(g.row), l.Den*h.Den
	return length, by, den, by != 0
}

// Fold is the kernel with the grid folded, whose rows and columns are inames on axes of work-groups, in a domain that is the set of the tiles. They become variables of a work-item, which all of
// a work-group compute alike.
func (g *Triangle) Fold(k *kernel.Kernel) (*kernel.Kernel, error) {
	out := k.Clone()
	u, v, length := out.FreshName(g.row+"_fold"), out.FreshName(g.column+"_fold"), out.FreshName(g.row+"_long")
	out.Tags[u], out.Tags[v] = out.Tags[g.row], out.Tags[g.column]
	delete(out.Tags, g.row)
	delete(out.Tags, g.column)
	out.Domains = slices.DeleteFunc(out.Domains, func(d *polycount.Set) bool { return d == g.tiles })
	within := func(name string, most polycount.Affine) {
		x := polycount.Name(name)
		out.Domains = slices.Insert(out.Domains, 0, polycount.NewSet(nil, []string{name}, polycount.GE(x, polycount.Int(0)), polycount.GE(most, x)))
	}
	within(u, g.rows)
	within(v, g.columns)
	variables := map[string]expr.Expr{}
	for _, name := range []string{length, g.row, g.column} {
		out.Temps = append(out.Temps, &kernel.Array{Name: name, DType: expr.Int32, Space: kernel.Private, Shape: []expr.Expr{}})
		variables[name] = &expr.Access{Array: name}
	}
	own := nameset.Sorted([]string{u, v})
	left, err := g.left()
	if err != nil {
		return nil, err
	}
	there := cexpr.Predicates(left)
	for i := range there {
		there[i] = expr.Subst(there[i], variables)
	}
	out.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Subst(e, variables) })
		if slices.Contains(s.Inames, g.row) || slices.Contains(s.Inames, g.column) {
			s.Inames = nameset.Sorted(append(nameset.Remove(slices.Clone(s.Inames), g.row, g.column), own...))
		}
		s.Predicates = append(slices.Clone(there), s.Predicates...)
		s.Deps = nameset.Add(s.Deps, g.column)
	})
	var first []*kernel.Stmt
	for _, x := range g.place(u, v, length) {
		s := &kernel.Stmt{ID: x.name, LHS: variables[x.name], RHS: expr.Subst(x.value, variables), Inames: own}
		if len(first) > 0 {
			s.Deps = []string{first[len(first)-1].ID}
		}
		first = append(first, s)
	}
	out.Statements = append(first, out.Statements...)
	return out, out.CheckForm()
}

// left are the conditions for a tile to be there, of those that are found in the launch.
func (g *Triangle) left() (*polycount.Set, error) {
	row := polycount.GE(g.last, polycount.Name(g.row))
	if !g.grows {
		row = polycount.GE(polycount.Name(g.row), g.first)
	}
	found := []polycount.Constraint{row}
	for _, b := range g.lower {
		found = append(found, kernel.AtLeast(g.column, b))
	}
	known, err := polycount.NewSet(nil, g.tiles.Dims(), found...).IntersectParams(g.some)
	if err != nil {
		return nil, err
	}
	return g.tiles.Gist(known)
}

// placed is a variable of a work-item with its value.
type placed struct {
	name  string
	value expr.Expr
}

// place finds how long the first part of a row of the launch is, and from that the row and the column of the tile.
func (g *Triangle) place(u, v, length string) []placed {
	long, short := g.pair(polycount.Name(u))
	of := func(bounds []polycount.Bound, kind expr.OpKind, r polycount.Affine) expr.Expr {
		var all []expr.Expr
		for _, b := range bounds {
			num := b.Num.Subst(map[string]polycount.Affine{g.row: r})
			if kind == expr.Max {
				num = num.AddInt(b.Den - 1)
			}
			all = append(all, expr.FromAffine(num.FloorDiv(b.Den)))
		}
		if len(all) == 1 {
			return all[0]
		}
		return &expr.Op{Kind: kind, Args: all}
	}
	begin := func(r polycount.Affine) expr.Expr { return of(g.lower, expr.Max, r) }
	columns := expr.Binary(expr.Add, expr.Binary(expr.Sub, of(g.upper, expr.Min, long), begin(long)), expr.Int{Value: 1})
	var own expr.Expr = &expr.Op{Kind: expr.Max, Args: []expr.Expr{expr.Int{}, columns}}
	if g.odd.IsConstant() { // the one in the middle takes all
		own = &expr.Cond{If: expr.Binary(expr.Eq, expr.FromAffine(long), expr.FromAffine(short)), Then: expr.FromAffine(g.columns.AddInt(1)), Else: own}
	}
	place := expr.Var{Name: v}
	inLong := expr.Binary(expr.Lt, place, expr.Var{Name: length})
	return []placed{
		{length, own},
		{g.row, &expr.Cond{If: inLong, Then: expr.FromAffine(long), Else: expr.FromAffine(short)}},
		{g.column, expr.Binary(expr.Add, begin(polycount.Name(g.row)), &expr.Cond{If: inLong, Then: place, Else: expr.Binary(expr.Sub, place, expr.Var{Name: length})})},
	}
}

// Launched has a point for each work-group of a launch, by the names of rows and columns.
func (g *Triangle) Launched() *polycount.Set {
	at := func(name string, most polycount.Affine) []polycount.Constraint {
		return []polycount.Constraint{polycount.GE(polycount.Name(name), polycount.Int(0)), polycount.GE(most, polycount.Name(name))}
	}
	return polycount.NewSet(nil, []string{g.row, g.column}, append(at(g.row, g.rows), at(g.column, g.columns)...)...)
}
