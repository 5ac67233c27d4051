package deps

import (
	"fmt"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Needs reports whether what an array holds before the nest may matter after it: an element is read that no statement wrote before, or the array
// is written, but perhaps not all of it, and used after the nest. Where that is not found out, it may.
func (a *Analysis) Needs(array *scop.Array) bool {
	needed, err := a.exposed(array)
	if err == nil && !needed && array.Written && !array.Local {
		needed, err = a.partial(array)
	}
	return needed || err != nil
}

// exposed reports whether a read of the array may get a value from before the nest.
func (a *Analysis) exposed(array *scop.Array) (bool, error) {
	for _, s := range a.Nest.Statements {
		f, err := forward(s)
		if err != nil {
			return true, err
		}
		reads := 0
		var open *polycount.Set
		for _, x := range f.accesses {
			if x.array == array && !x.write {
				reads++
				open = x.where
			}
		}
		switch {
		case reads == 0:
			continue
		case reads > 1: // flow is known for all reads of the statement together
			return true, nil
		}
		for _, d := range a.Dependences {
			if d.ValueBased && d.To == s && d.Array == array {
				served, err := d.Map.Range()
				if err == nil {
					served, err = f.unprimed(served)
				}
				if err == nil {
					open, err = open.Named("").Subtract(served)
				}
				if err != nil {
					return true, err
				}
			}
		}
		if empty, err := open.IsEmpty(); err != nil || !empty {
			return true, err
		}
	}
	return false, nil
}

// unprimed is a set over the iterators of a target, in the order of the text, as one over those of the statement, in the order of time.
func (f *statement) unprimed(s *polycount.Set) (*polycount.Set, error) {
	s = s.Named("")
	var err error
	for _, d := range f.dims {
		if s, err = s.Rename(d+"'", d); err != nil {
			return nil, err
		}
	}
	return scop.Substitute(s, f.negated(""))
}

// partial reports whether elements of the array may not be written.
func (a *Analysis) partial(array *scop.Array) (bool, error) {
	var dims []string
	var inside []polycount.Constraint
	for i, e := range array.Shape {
		if e == nil {
			return true, nil
		}
		extent, err := expr.ToAffine(e, func(string) bool { return true })
		if err != nil {
			return true, err
		}
		d := fmt.Sprint("element_", i)
		dims = append(dims, d)
		inside = append(inside, polycount.GE(polycount.Name(d), polycount.Int(0)), polycount.GE(extent, polycount.Name(d).AddInt(1)))
	}
	left := polycount.NewSet(nil, dims, inside...)
	left, err := left.IntersectParams(a.Nest.Context)
	if err != nil {
		return true, err
	}
	for _, s := range a.Nest.Statements {
		for _, x := range s.Accesses {
			if x.Array != array || !x.Write {
				continue
			}
			m, err := polycount.NewMap(s.Domain.Named(""), dims, x.Index)
			if err != nil {
				return true, err
			}
			written, err := m.Range()
			if err == nil {
				left, err = left.Subtract(written.Named(""))
			}
			if err != nil {
				return true, err
			}
		}
	}
	empty, err := left.IsEmpty()
	return !empty, err
}
