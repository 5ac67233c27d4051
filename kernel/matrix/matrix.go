// Package matrix finds statements that matrix instructions make.
//
// A matrix instruction adds the product of two matrices to a third one: of 16 rows of 16 terms, and 8 columns of as many. A sub-group makes it together: each work-item has 4 of
// the sums, and the factors are what they need. In the IR it is the statement by which a work-item adds terms to its sums, so that it means the same on devices without such
// instructions,
//
//	sums[i, j, r] = sums[i, j, r] + cast(float32, a[…]) * cast(float32, b[…])
//
// whose loops over r, the terms, and the further rows i and columns j are tagged mma.
package matrix

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// The shape of a matrix instruction: mma.sync m16n8k16 of the PTX ISA.
const (
	Lanes     = 32 // work-items
	Sums      = 4  // of a work-item
	OfTerms   = 16 // that it adds to a sum
	OfRows    = 16 // of the first matrix, and of sums
	OfColumns = 8  // of the second
)

// Product is a statement that matrix instructions make.
type Product struct {
	Sum *expr.Access
	// First is read in rows, Second in columns; DType is the type of both, and the others say what lies next to each other of them.
	First, Second           *expr.Access
	DType                   expr.DType
	FirstAlong, SecondAlong Along
	// Lane is the iname of work-items, Register that of the sums of an instruction that a work-item has, Term that of terms: a multiple of those of an instruction.
	Lane, Register, Term string
	Terms                int64
	// Rows and Columns are inames of further ones: an instruction has one value of each. Extent is how many values they take.
	Rows, Columns []string
	Extent        map[string]int64
}

// Along is what 8 elements of a factor are that lie next to each other in local memory, from a multiple of 8 on.
type Along uint8

// What elements of factors may lie next to each other.
const (
	Apart  Along = iota // not 8 of one
	Terms               // terms of a row or column
	Places              // rows or columns of a term
)

// Line is how many elements of a factor are loaded together.
const Line = 8

// At puts the names in the indices of a factor at a row or column, and at a term.
func (p *Product) At(of *expr.Access, place, term polycount.Affine) map[string]polycount.Affine {
	lane, register := place.FloorDiv(2), place.Mod(2)
	if of == p.First {
		lane, register = place.Mod(Line).Scale(4), place.FloorDiv(Line).Scale(2)
	}
	return map[string]polycount.Affine{p.Lane: lane, p.Register: register, p.Term: term}
}

// along finds what lies next to each other of a factor.
func (f *productFinder) along(p *Product, of *expr.Access) Along {
	a := f.k.Array(of.Array)
	last := len(a.Shape) - 1
	if a.Space != kernel.Local || a.Axes != nil || a.Offset != nil || last < 0 {
		return Apart
	}
	for d := range a.Shape[1:] {
		if n, ok := a.Shape[d+1].(expr.Int); !ok || d+1 == last && n.Value%Line > 0 {
			return Apart
		}
	}
	for _, way := range []struct {
		along Along
		at    func(v int64) map[string]polycount.Affine
	}{
		{Terms, func(v int64) map[string]polycount.Affine { return p.At(of, polycount.Int(0), polycount.Int(v)) }},
		{Places, func(v int64) map[string]polycount.Affine { return p.At(of, polycount.Int(v), polycount.Int(0)) }},
	} {
		together := true
		for d, e := range of.Index {
			index := throw.Get(f.k.AffineOf(e))
			first := index.Subst(way.at(0))
			for v := range int64(Line) {
				here := index.Subst(way.at(v))
				if d == last {
					here = here.AddInt(-v)
				}
				together = together && here.Equal(first)
			}
		}
		if together && f.multiple(p, of, last) {
			return way.along
		}
	}
	return Apart
}

// multiple reports that the last index of a factor is a multiple of a line, where lines begin.
func (f *productFinder) multiple(p *Product, of *expr.Access, last int) bool {
	index := throw.Get(f.k.AffineOf(of.Index[last])).Subst(p.At(of, polycount.Name(p.Lane).FloorDiv(Line).Scale(Line), polycount.Name(p.Term).FloorDiv(Line).Scale(Line)))
	rest := index.Mod(Line)
	return rest.IsConstant() && rest.Constant() == 0
}

// RowOf is the row of an instruction in which a work-item has a sum, ColumnOf the column.
func RowOf(lane, register polycount.Affine) polycount.Affine {
	return lane.FloorDiv(4).AddScaled(8, register.FloorDiv(2))
}

// ColumnOf is the column of an instruction in which a work-item has a sum.
func ColumnOf(lane, register polycount.Affine) polycount.Affine {
	return lane.Mod(4).Scale(2).Add(register.Mod(2))
}

// Of is how matrix instructions make a statement of a prepared kernel: nil where it has no iname tagged mma, an error where they cannot.
func Of(k *kernel.Kernel, s *kernel.Stmt) (p *Product, err error) {
	defer throw.Catch(&err)
	tagged := slices.DeleteFunc(slices.Clone(s.Inames), func(n string) bool { return k.Tags[n].Kind != kernel.Matrix })
	if len(tagged) == 0 {
		return nil, nil
	}
	f := &productFinder{k, s, tagged}
	p = f.form()
	f.inames(p)
	f.whole(p)
	f.laidOut(p)
	return p, nil
}

// productFinder finds how matrix instructions make a statement.
type productFinder struct {
	k      *kernel.Kernel
	s      *kernel.Stmt
	tagged []string
}

func (f *productFinder) fail(format string, args ...any) {
	panic(throw.Of(f.k.Errorf("statement %s has inames tagged mma (%s), and %w", f.s.ID, nameset.Text(f.tagged), fmt.Errorf(format, args...))))
}

// form finds the sum and its factors.
func (f *productFinder) form() *Product {
	const want = "is not of the form s = s + cast(float32, a) * cast(float32, b)"
	sum, _ := f.s.LHS.(*expr.Access)
	add, ok := f.s.RHS.(*expr.Op)
	if !ok || sum == nil || add.Kind != expr.Add || len(add.Args) != 2 || sum.Lanes > 0 {
		f.fail(want)
	}
	term := add.Args[1]
	if add.Args[0].String() != sum.String() {
		term = add.Args[0]
		if add.Args[1].String() != sum.String() {
			f.fail(want)
		}
	}
	product, ok := term.(*expr.Op)
	if !ok || product.Kind != expr.Mul || len(product.Args) != 2 {
		f.fail(want)
	}
	p := &Product{Sum: sum}
	for i, factor := range []**expr.Access{&p.First, &p.Second} {
		c, ok := product.Args[i].(*expr.Cast)
		if !ok || c.DType != expr.Float32 {
			f.fail(want)
		}
		a, ok := c.Arg.(*expr.Access)
		if !ok || a.Lanes > 0 || a.As != "" {
			f.fail(want)
		}
		t := f.k.Array(a.Array).DType
		if t != expr.Float16 && t != expr.BFloat16 || p.DType != "" && p.DType != t {
			f.fail("%s is %s: factors of matrix instructions are both float16 or both bfloat16", a.Array, t)
		}
		*factor, p.DType = a, t
	}
	if a := f.k.Array(sum.Array); a.Space != kernel.Private || a.DType != expr.Float32 {
		f.fail("the sums %s are %s in %s memory: matrix instructions have float32 in private memory", a.Name, a.DType, a.Space)
	}
	if len(f.s.Predicates) > 0 || f.s.Atomic {
		f.fail("it has conditions: all work-items of a sub-group make a matrix instruction together; give factors that are not there the value 0")
	}
	return p
}

// inames finds what each tagged iname stands for, and the work-items.
func (f *productFinder) inames(p *Product) {
	p.Extent = map[string]int64{}
	has := func(a *expr.Access, n string) bool {
		return slices.ContainsFunc(a.Index, func(e expr.Expr) bool { return expr.Mentions(e, n) })
	}
	for _, n := range f.tagged {
		lo, hi, okL, okH, err := f.k.Interval(polycount.Name(n), []string{n})
		if throw.If(err); !okL || !okH || lo != 0 {
			f.fail("%s does not begin at 0 or has no constant extent", n)
		}
		p.Extent[n] = hi + 1
		switch first, second, sum := has(p.First, n), has(p.Second, n), has(p.Sum, n); {
		case first && second && !sum && p.Term == "":
			p.Term, p.Terms = n, hi+1
		case first && second && sum && p.Register == "":
			p.Register = n
		case first && !second && sum:
			p.Rows = append(p.Rows, n)
		case second && !first && sum:
			p.Columns = append(p.Columns, n)
		default:
			f.fail("%s is neither that of terms (in both factors and not in the sum), nor of the sums of an instruction (in both and the sum), nor of further rows or columns (in one and the sum)", n)
		}
	}
	if p.Term == "" || p.Terms%OfTerms > 0 {
		f.fail("none of them has a multiple of %d terms", OfTerms)
	}
	if p.Register == "" || p.Extent[p.Register] != Sums {
		f.fail("none of them has the %d sums that a work-item has of an instruction", Sums)
	}
	for _, n := range f.s.Inames {
		if f.k.Tags[n] == (kernel.Tag{Kind: kernel.LocalAxis}) {
			p.Lane = n
		}
	}
	if size := throw.Get(f.k.LocalSize()); p.Lane == "" || size[0] != Lanes {
		f.fail("it needs an iname on l.0, of the %d work-items of a sub-group", Lanes)
	}
	for _, o := range f.k.Statements {
		if n := slices.IndexFunc(f.tagged, func(n string) bool { return slices.Contains(o.AllInames(), n) }); o != f.s && n >= 0 {
			f.fail("statement %s has %s as well: duplicate_inames gives it a loop of its own", o.ID, f.tagged[n])
		}
	}
}

// whole: all work-items of a sub-group make the whole of an instruction, or none does.
func (f *productFinder) whole(p *Product) {
	domain := throw.Get(f.k.DomainOf(f.s.Inames))
	own := append(slices.Clone(f.tagged), p.Lane)
	rest := throw.Get(domain.Project(nameset.Remove(f.s.Inames, own...)...))
	cs, exact := rest.Constraints()
	if !exact {
		f.fail("its domain is a union: %s", domain)
	}
	cs = append(slices.Clone(cs), kernel.Within(p.Lane, 0, Lanes-1)...)
	for _, n := range f.tagged {
		cs = append(cs, kernel.Within(n, 0, p.Extent[n]-1)...)
	}
	rest = polycount.NewSet(nil, domain.Dims(), cs...)
	if all, err := rest.IsSubset(domain); err != nil || !all {
		throw.If(err)
		f.fail("some work-items of a sub-group do not make all of it: its domain is %s", domain)
	}
}

// laidOut: the factors are those of the row and the column of each sum. They may be written in either order.
func (f *productFinder) laidOut(p *Product) {
	if !f.dependsOn(p, p.First, RowOf) && f.dependsOn(p, p.Second, RowOf) {
		p.First, p.Second, p.Rows, p.Columns = p.Second, p.First, p.Columns, p.Rows
	}
	if !f.dependsOn(p, p.First, RowOf) || !f.dependsOn(p, p.Second, ColumnOf) {
		f.fail("its factors are not those of row %[1]s//4 + 8*(%[2]s//2) and column 2*(%[1]s%%4) + %[2]s%%2, where an instruction has the sums of a work-item", p.Lane, p.Register)
	}
	index := throw.Get(f.k.AffineOf(p.Sum.Index[0]))
	for _, e := range p.Sum.Index {
		if index = throw.Get(f.k.AffineOf(e)); index.Has(p.Register) {
			break
		}
	}
	if index.Coeff(p.Register) == 0 || index.InFloor(p.Register) {
		f.fail("%s is not one of the indices of the sum", p.Register)
	}
	p.FirstAlong, p.SecondAlong = f.along(p, p.First), f.along(p, p.Second)
}

// dependsOn reports that of the lane and the register, a factor depends on a row or a column alone.
func (f *productFinder) dependsOn(p *Product, a *expr.Access, on func(lane, register polycount.Affine) polycount.Affine) bool {
	for _, e := range a.Index {
		index := throw.Get(f.k.AffineOf(e))
		seen := map[int64]polycount.Affine{}
		for lane := range int64(Lanes) {
			for register := range int64(Sums) {
				at := map[string]polycount.Affine{p.Lane: polycount.Int(lane), p.Register: polycount.Int(register)}
				here, place := index.Subst(at), on(polycount.Int(lane), polycount.Int(register)).Constant()
				if before, ok := seen[place]; ok && !before.Equal(here) {
					return false
				}
				seen[place] = here
			}
		}
	}
	return true
}
