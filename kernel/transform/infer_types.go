package transform

import (
	"errors"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// inferTypes gives element types to temporaries and arguments that have none, from what the kernel assigns to them, in
// place. Variables that are only read must have a type already.
func inferTypes(k *kernel.Kernel) (err error) {
	defer throw.Catch(&err)
	var open []*kernel.Array
	for _, a := range k.Arrays() {
		if a.DType == "" {
			open = append(open, a)
			if len(k.Writers(a.Name)) == 0 {
				return k.Errorf("%w", k.UnknownType(a))
			}
		}
	}
	// Each round infers the types that depend on known ones; variables that are assigned from each other are solved
	// together.
	for len(open) > 0 {
		var left []*kernel.Array
		for _, a := range open {
			t, err := throw.Value(func() expr.DType { return assignedType(k, a.Name, map[string]bool{a.Name: true}) })
			var unknown *kernel.UnknownTypeError
			switch {
			case errors.As(err, &unknown):
				left = append(left, a)
			case err != nil:
				return err
			default:
				setType(k, a.Name, t)
			}
		}
		if len(left) == len(open) {
			solveTypes(k, left)
			return nil
		}
		open = left
	}
	return nil
}

// solveTypes finds the least types of variables that are assigned from each other, by iteration from no types at all to a
// fixed point.
func solveTypes(k *kernel.Kernel, open []*kernel.Array) {
	for range 2*len(open) + 8 {
		changed := false
		for _, a := range open {
			neutral := map[string]bool{a.Name: true}
			for _, b := range open {
				neutral[b.Name] = neutral[b.Name] || k.Array(b.Name).DType == ""
			}
			t := assignedType(k, a.Name, neutral)
			if t != k.Array(a.Name).DType {
				setType(k, a.Name, t)
				changed = true
			}
		}
		if !changed {
			return
		}
	}
	panic(throw.Of(k.Errorf("the dtypes of %s depend on each other: declare one, as in <float32> %s = ...", open[0].Name, open[0].Name)))
}

func setType(k *kernel.Kernel, name string, t expr.DType) {
	k.ChangeArray(name, func(a *kernel.Array) { a.DType = t })
}

// assignedType is the common type of what is assigned to the variable. The neutral variables, itself among them, count
// as integer literals do.
func assignedType(k *kernel.Kernel, name string, neutral map[string]bool) expr.DType {
	var values []expr.Expr
	for _, w := range k.Writers(name) {
		v := expr.Rewrite(w.RHS, func(e expr.Expr) expr.Expr {
			switch x := e.(type) {
			case expr.Var:
				if neutral[x.Name] {
					return expr.Int{Value: 0}
				}
			case *expr.Access:
				if neutral[x.Array] {
					return expr.Int{Value: 0}
				}
			}
			return e
		})
		t, err := k.TypeOf(v)
		if err != nil {
			panic(throw.Of(k.Errorf("statement %s: %w", w.ID, err)))
		}
		if lhs, ok := w.LHS.(*expr.Access); ok && lhs.Lanes > 0 && t.IsVector() {
			v = &expr.Cast{DType: t.Base(), Arg: expr.Int{}} // the elements of the vector
		}
		values = append(values, v)
	}
	return throw.Get(k.TypeOf(&expr.Op{Kind: expr.Max, Args: values})) // of several operands: their common type
}
