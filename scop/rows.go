package scop

import (
	"slices"

	"gpuperf/cfront"
)

// rows reads an access such as z[i][j] by double **z, an array of pointers to rows, as one to an array of as many dimensions: it returns z and all subscripts, or nil for
// other accesses. No two rows may share memory. Those of parameters are taken not to; of other arrays, whatever the file stores as a row must come from an allocation.
func (b *builder) rows(x *cfront.Index) (v *cfront.Var, subs []cfront.Expr) {
	var e cfront.Expr = x
	depth := 0
	for {
		i, ok := e.(*cfront.Index)
		if !ok {
			break
		}
		e, subs = i.Of, slices.Concat(i.Subs, subs)
		depth++
	}
	r, ok := e.(*cfront.Ref)
	if !ok || depth < 2 || !r.Var.Pointer || r.Var.DType != "" || x.Type() == "" || !x.Type().IsFloat() && !x.Type().IsInteger() {
		return nil, nil
	}
	if own := b.wholes[r.Var]; own != nil {
		return own, subs
	}
	if r.Var.Class != cfront.Param && !b.allocated(r.Var) || b.uses.pointers[r.Var] > 0 {
		return nil, nil
	}
	own := *r.Var
	own.DType, own.Dims = x.Type(), make([]cfront.Expr, len(subs))
	own.Class, own.Restrict = cfront.Param, true
	b.wholes[r.Var] = &own
	b.uses.written[&own] = b.uses.written[r.Var]
	b.pointed[&own] = true
	return &own, subs
}

// allocated reports that all rows that the file gives to a variable are memory of their own.
func (b *builder) allocated(v *cfront.Var) bool {
	ok, found := true, false
	for _, f := range b.file.Functions {
		for e := range cfront.Everywhere(f.Body) {
			a, is := e.(*cfront.Assign)
			if !is || cfront.Whole(a.To) != v || a.To.Type() != "" {
				continue
			}
			value := a.Value
			for {
				c, cast := value.(*cfront.Cast)
				if !cast {
					break
				}
				value = c.X
			}
			call, isCall := value.(*cfront.Call)
			found = true
			ok = ok && isCall && slices.Contains(allocators, call.Func)
		}
	}
	return ok && found
}
