package kernel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// checkIndices: no access is out of bounds, for any positive sizes that the assumptions allow. It judges what domains and
// affine conditions prove: affine indices, where no condition or bound of a loop depends on data. The interpreter finds the
// rest.
func (k *Kernel) checkIndices() {
	c := &indexChecker{k: k, domains: map[string]*polycount.Set{}}
	c.judge = c.access
	for _, s := range k.Statements {
		if err := c.statement(s); err != nil {
			panic(throw.Of(k.Errorf("statement %s: %w", s.ID, err)))
		}
	}
}

type indexChecker struct {
	k       *Kernel
	stmt    *Stmt
	domains map[string]*polycount.Set                         // by their inames
	judge   func(x *expr.Access, points *polycount.Set) error // of an access that is made at points
}

func (c *indexChecker) statement(s *Stmt) error {
	c.stmt = s
	points, err := throw.Value(func() *polycount.Set { return c.domain(s.Inames) })
	for _, p := range s.Predicates {
		if err == nil {
			points, err = c.after(points, p)
		}
	}
	for _, e := range []expr.Expr{s.LHS, s.RHS} {
		if err == nil && e != nil {
			err = c.check(e, points, s.Inames)
		}
	}
	return err
}

// domain is the set of points of inames at positive sizes; nil where it depends on data.
func (c *indexChecker) domain(inames []string) *polycount.Set {
	key := strings.Join(inames, " ")
	d, known := c.domains[key]
	if known || len(c.k.Bounds(inames)) > 0 {
		return d
	}
	d, err := c.k.DomainOf(inames)
	throw.If(err)
	positive := lists.Map(c.k.Params(), func(p string) polycount.Constraint { return polycount.GE(polycount.Name(p), polycount.Int(1)) })
	d, err = d.Constrain(positive...)
	c.domains[key] = d
	return throw.Get(d, err)
}

// after checks a condition at the points, and returns those where it holds; nil where that is not known.
func (c *indexChecker) after(points *polycount.Set, condition expr.Expr) (*polycount.Set, error) {
	err := c.check(condition, points, c.stmt.Inames)
	if err != nil || points == nil || !c.k.IsAffineCondition(condition) {
		return nil, err
	}
	return c.k.Restrict(points, condition)
}

// check checks the accesses of an expression that is evaluated at the points of the inames.
func (c *indexChecker) check(e expr.Expr, points *polycount.Set, inames []string) (err error) {
	defer throw.Catch(&err)
	if points == nil {
		return nil
	}
	switch x := e.(type) {
	case *expr.Cond:
		holds, err := c.after(points, x.If)
		if err == nil {
			err = c.check(x.Then, holds, inames)
		}
		if err == nil && holds != nil {
			holds, err = c.k.Restrict(points, expr.Negate(x.If))
		}
		if err == nil {
			err = c.check(x.Else, holds, inames)
		}
		return err
	case *expr.Op:
		if x.Kind != expr.And && x.Kind != expr.Or {
			break
		}
		for _, arg := range x.Args { // each is evaluated where those before it do not decide
			if x.Kind == expr.Or {
				arg = expr.Negate(arg)
			}
			points = throw.Get(c.after(points, arg))
		}
		return nil
	case *expr.Reduce:
		inames = nameset.Sorted(slices.Concat(inames, x.Inames))
		points = c.domain(inames)
	case *expr.Access:
		throw.If(c.judge(x, points))
	}
	for _, child := range expr.Children(e) {
		throw.If(c.check(child, points, inames))
	}
	return nil
}

// access checks the indices of an access that is made at the points.
func (c *indexChecker) access(x *expr.Access, points *polycount.Set) error {
	a := c.k.Array(x.Array)
	if a == nil || len(a.Shape) != len(x.Index) {
		return nil // a parameter, or a vector
	}
	for axis, e := range x.Index {
		index, err := c.k.AffineOf(e)
		if err != nil {
			continue
		}
		lanes := int64(1)
		if axis == len(x.Index)-1 {
			lanes = a.Span(x)
		}
		inside := []polycount.Constraint{polycount.GE(index, polycount.Int(0))}
		if size, err := c.k.AffineOf(a.Shape[axis]); err == nil {
			inside = append(inside, polycount.GE(size, index.AddInt(lanes)))
		}
		for _, holds := range inside {
			yes, err := points.Implies(holds)
			if err == nil && !yes {
				err = c.outside(x, a, axis, index, points, holds)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// outside returns an error at a point where the index violates what must hold; nil where the array has no elements then.
func (c *indexChecker) outside(x *expr.Access, a *Array, axis int, index polycount.Affine, points *polycount.Set, holds polycount.Constraint) error {
	violated := holds.Negate()
	for _, e := range a.Shape {
		if size, err := c.k.AffineOf(e); err == nil {
			violated = append(violated, polycount.GE(size, polycount.Int(1)))
		}
	}
	bad, err := points.Constrain(violated...)
	if err != nil {
		return err
	}
	at, ok, err := bad.Sample()
	if err != nil || !ok {
		return err
	}
	value, err := index.Eval(at)
	if err != nil {
		return err
	}
	where := lists.Map(slices.Concat(points.Params(), points.Dims()), func(name string) string { return fmt.Sprintf("%s = %d", name, at[name]) })
	size := fmt.Sprint(a.Shape[axis])
	if n, err := expr.EvalInt(a.Shape[axis], at); err == nil && n.String() != size {
		size += " = " + n.String()
	}
	return fmt.Errorf("%s is out of bounds: index %d of axis %d at %s, and %s has %s elements there; assume sizes that exclude it, or bound the iname",
		x, value, axis, strings.Join(where, ", "), a.Name, size)
}

// Outside is an access to elements that an array does not have. It is the error that says so.
type Outside struct {
	Access      *expr.Access
	Array       string
	Place       Place  // zero where it is not known
	First, Last int64  // of the indices that the access takes, counted through all axes
	Elements    int64  // of the array
	At          string // where the index is outside: the work-item, the work-group and the iterations of loops
}

func (o *Outside) Error() string {
	beyond := o.Last
	if o.First < 0 {
		beyond = o.First
	}
	text := fmt.Sprintf("%s is out of bounds: its indices are %d to %d, and %s has %d elements", o.Access, o.First, o.Last, o.Array, o.Elements)
	if o.At != "" {
		text += fmt.Sprintf("; %d is at %s", beyond, o.At)
	}
	return text
}

// FindOutside returns an *[Outside] for the first access that is made and is out of bounds, by what domains and affine conditions prove. All
// parameters have been fixed (package transform). Elements are those of an array, false where nobody says how many it has.
func (k *Kernel) FindOutside(elements func(*Array) (int64, bool)) error {
	f := &outsideFinder{elements: elements}
	f.indexChecker = indexChecker{k: k, domains: map[string]*polycount.Set{}, judge: f.access}
	for _, s := range k.Statements {
		if s.Kind != Assign {
			continue
		}
		if err := f.statement(s); errors.As(err, new(*Outside)) {
			return err
		} // another error is one of what takes too much to prove
	}
	return nil
}

type outsideFinder struct {
	indexChecker
	elements func(*Array) (int64, bool)
}

// access judges the flat index: a row that is left for the next one is memory of the array still.
func (f *outsideFinder) access(x *expr.Access, points *polycount.Set) (err error) {
	defer throw.Catch(&err)
	a := f.k.Array(x.Array)
	if a == nil || a.IsValue || len(a.Shape) != len(x.Index) || len(x.Index) == 0 {
		return nil
	}
	total, known := f.elements(a)
	index, affine := f.flat(a, x)
	if !known || !affine {
		return nil
	}
	lanes := a.Span(x)
	inside := []polycount.Constraint{polycount.GE(index, polycount.Int(0)), polycount.GE(polycount.Int(total-lanes), index)}
	for _, holds := range inside {
		yes := throw.Get(points.Implies(holds))
		if !yes {
			f.outside(x, points, index, holds, total, lanes)
			return nil
		}
	}
	return nil
}

// flat is the index of an access through all axes of its array.
func (f *outsideFinder) flat(a *Array, x *expr.Access) (sum polycount.Affine, ok bool) {
	strides, err := a.Strides()
	if err != nil {
		return sum, false
	}
	for i, e := range x.Index {
		one, err := f.k.AffineOf(e)
		if err != nil {
			return sum, false
		}
		n, known := expr.EvalInt64(strides[i], nil)
		if !known {
			return sum, false
		}
		sum = sum.Add(one.Scale(n))
	}
	return sum, sum.Err() == nil
}

// outside says what is wrong with an access at points where its index violates what must hold; nil where it is made at none of them.
func (f *outsideFinder) outside(x *expr.Access, points *polycount.Set, index polycount.Affine, holds polycount.Constraint, total, lanes int64) {
	bad := throw.Get(points.Constrain(holds.Negate()...))
	if _, ok, err := bad.Sample(); err != nil || !ok {
		throw.If(err)
		return
	}
	first, last := throw.Get2(ends(points, index))
	beyond := last
	if first < 0 {
		beyond = first
	}
	there := throw.Get(points.Constrain(polycount.EQ(index, polycount.Int(beyond))))
	at, _ := throw.Get2(there.Sample())
	where := lists.Map(points.Dims(), func(name string) string { return fmt.Sprintf("%s = %d", name, at[name]) })
	out := &Outside{Access: x, Array: x.Array, Place: f.place(x), First: first, Last: last + lanes - 1, Elements: total, At: strings.Join(where, ", ")}
	throw.If(out)
}

// ends are the least and the greatest value of an expression at points.
func ends(points *polycount.Set, of polycount.Affine) (first, last int64, err error) {
	if first, err = greatest(points, of.Scale(-1)); err == nil {
		last, err = greatest(points, of)
	}
	return -first, last, err
}

// errEndless is that of a value without a least or a greatest one.
var errEndless = errors.New("the values have no end")

// farthest bounds how far apart the values of an index are looked for.
const farthest = 1 << 52

// greatest is the greatest value of an expression at points. It is looked for among the values that points have, as to eliminate all else takes long where there
// are many quotients.
func greatest(points *polycount.Set, of polycount.Affine) (int64, error) {
	values, err := points.AddDims(indexName).Constrain(polycount.EQ(polycount.Name(indexName), of))
	if err != nil {
		return 0, err
	}
	at, ok, err := values.Sample()
	if err == nil && !ok {
		err = errEndless
	}
	most, end := at[indexName], int64(0) // no value is end or more, once that is known
	for step, known := int64(1), false; err == nil && (!known || most+1 < end); {
		if step > farthest {
			return 0, errEndless
		}
		from := most + step
		if known {
			from = min(from, most+(end-most)/2)
		}
		beyond, failed := values.Constrain(polycount.GE(polycount.Name(indexName), polycount.Int(from)))
		if failed != nil {
			return 0, failed
		}
		at, ok, err = beyond.Sample()
		if ok {
			most, step = at[indexName], 2*step
		} else {
			end, known, step = from, true, 1
		}
	}
	return most, err
}

// place is where an access of the statement stands.
func (f *outsideFinder) place(x *expr.Access) Place {
	i := 0
	for _, e := range f.stmt.Exprs() {
		for _, one := range expr.Accesses(e) {
			if one == x && i < len(f.stmt.Places) {
				return f.stmt.Places[i]
			}
			i++
		}
	}
	return Place{}
}
