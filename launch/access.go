package launch

import (
	"cmp"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// access is an access to an array, under the selects around it in the statement.
type access struct {
	array  int
	lanes  int64 // elements from the index on along the last axis
	write  bool
	index  []*linear.Index
	under  []branch
	loops  uint32 // in whose iterations it differs: bit 0 is the outermost one
	apart  uint32 // in whose iterations it differs by what depends on sizes
	site   Site
	effect Effect
}

// branch is a side of a select: where the condition holds, or where it does not.
type branch struct {
	condition *linear.Index
	holds     bool
}

// collect lists the accesses in e, and counts the selects.
func (b *builder) collect(e expr.Expr, under []branch, out *[]access, selects *int64) error {
	var failed error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Access:
			failed = cmp.Or(failed, b.access(x, false, under, out))
		case expr.Var:
			if a := b.p.nest.Kernel.Array(x.Name); a != nil && !a.IsValue {
				failed = cmp.Or(failed, b.access(&expr.Access{Array: x.Name}, false, under, out))
			}
		case *expr.Cond:
			if selects != nil {
				*selects++
			}
			failed = cmp.Or(failed, b.collect(x.If, under, out, selects))
			failed = cmp.Or(failed, b.collect(x.Then, append(slices.Clip(under), branch{condition(b.index(x.If)), true}), out, selects))
			failed = cmp.Or(failed, b.collect(x.Else, append(slices.Clip(under), branch{b.index(x.If), false}), out, selects))
			return false
		}
		return true
	})
	return failed
}

// access adds an access to an array; scalars that are no arrays in shared memory live in registers.
func (b *builder) access(a *expr.Access, write bool, under []branch, out *[]access) error {
	declared := b.p.nest.Kernel.Array(a.Array)
	if declared == nil || declared.IsValue || len(declared.Shape) == 0 && declared.Space == kernel.Private {
		return nil
	}
	site := b.site(a, write)
	effect := b.p.edit.Access[site]
	if effect.Without {
		return nil
	}
	at, ok := b.arrays[a.Array]
	if !ok {
		layout, err := b.p.nest.Layout(declared)
		if err != nil {
			return err
		}
		at = len(b.p.arrays)
		sized := make([]bool, len(layout.Strides))
		for i, s := range layout.Strides {
			_, err := expr.EvalInt(s.Of, nil)
			sized[i] = err != nil
		}
		b.p.arrays = append(b.p.arrays, array{declared, declared.DType.Size(), layout, sized})
		b.arrays[a.Array] = at
	}
	acc := access{array: at, lanes: declared.Span(a) * max(effect.Wide, 1), write: write, under: under, site: site, effect: effect}
	for _, i := range a.Index {
		acc.index = append(acc.index, b.index(i))
	}
	for i, x := range acc.index {
		acc.loops |= loopsOf(x)
		if b.p.arrays[at].sized[i] {
			acc.apart |= loopsOf(x)
		}
	}
	for _, x := range under {
		acc.loops |= loopsOf(x.condition)
	}
	*out = append(*out, acc)
	return nil
}
