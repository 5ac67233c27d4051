package kernel

import (
	"errors"
	"fmt"
	"strings"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

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
func (f *outsideFinder) access(x *expr.Access, points *polycount.Set) error {
	a := f.k.Array(x.Array)
	if a == nil || a.IsValue || len(a.Shape) != len(x.Index) || len(x.Index) == 0 {
		return nil
	}
	total, known := f.elements(a)
	index, affine := f.flat(a, x)
	if !known || !affine {
		return nil
	}
	lanes := max(x.Lanes, 1)
	inside := []polycount.Constraint{polycount.GE(index, polycount.Int(0)), polycount.GE(polycount.Int(total-lanes), index)}
	for _, holds := range inside {
		yes, err := points.Implies(holds)
		if err != nil {
			return err
		}
		if !yes {
			return f.outside(x, points, index, holds, total, lanes)
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
func (f *outsideFinder) outside(x *expr.Access, points *polycount.Set, index polycount.Affine, holds polycount.Constraint, total, lanes int64) error {
	bad, err := points.Constrain(holds.Negate()...)
	if err != nil {
		return err
	}
	if _, ok, err := bad.Sample(); err != nil || !ok {
		return err
	}
	values, err := points.AddDims(indexName).Constrain(polycount.EQ(polycount.Name(indexName), index))
	if err == nil {
		values, err = values.Project(indexName)
	}
	if err != nil {
		return err
	}
	first, err := end(values.Lexmin())
	if err != nil {
		return err
	}
	last, err := end(values.Lexmax())
	if err != nil {
		return err
	}
	beyond := last
	if first < 0 {
		beyond = first
	}
	there, err := points.Constrain(polycount.EQ(index, polycount.Int(beyond)))
	if err != nil {
		return err
	}
	at, _, err := there.Sample()
	if err != nil {
		return err
	}
	var where []string
	for _, name := range points.Dims() {
		where = append(where, fmt.Sprintf("%s = %d", name, at[name]))
	}
	out := &Outside{Access: x, Array: x.Array, Place: f.place(x), First: first, Last: last + lanes - 1, Elements: total, At: strings.Join(where, ", ")}
	return out
}

// end is the value of a set of one.
func end(s *polycount.Set, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	at, _, err := s.Sample()
	return at[indexName], err
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
