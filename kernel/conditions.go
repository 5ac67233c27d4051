package kernel

import (
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// comparisons are the constraints of comparisons of affine expressions; != is not a single constraint.
var comparisons = map[expr.OpKind]func(a, b polycount.Affine) polycount.Constraint{
	expr.Eq: polycount.EQ,
	expr.Ge: polycount.GE,
	expr.Le: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(b, a) },
	expr.Gt: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(a, b.AddInt(1)) },
	expr.Lt: func(a, b polycount.Affine) polycount.Constraint { return polycount.GE(b, a.AddInt(1)) },
}

// IsAffineCondition reports whether a condition is made of comparisons of affine expressions over inames and parameters.
func (k *Kernel) IsAffineCondition(e expr.Expr) bool {
	op, ok := e.(*expr.Op)
	if !ok {
		return false
	}
	switch op.Kind {
	case expr.And, expr.Or, expr.Not:
		for _, arg := range op.Args {
			if !k.IsAffineCondition(arg) {
				return false
			}
		}
		return true
	}
	if comparisons[op.Kind] == nil && op.Kind != expr.Ne {
		return false
	}
	for _, arg := range op.Args {
		if _, err := k.AffineOf(arg); err != nil {
			return false
		}
	}
	return true
}

// Restrict returns the part of a set in which an affine condition holds.
func (k *Kernel) Restrict(set *polycount.Set, condition expr.Expr) (*polycount.Set, error) {
	op := condition.(*expr.Op)
	switch op.Kind {
	case expr.And:
		for _, arg := range op.Args {
			var err error
			if set, err = k.Restrict(set, arg); err != nil {
				return nil, err
			}
		}
		return set, nil
	case expr.Or:
		var all *polycount.Set
		for _, arg := range op.Args {
			part, err := k.Restrict(set, arg)
			if err == nil && all != nil {
				part, err = all.Union(part)
			}
			if err != nil {
				return nil, err
			}
			all = part
		}
		return all, nil
	case expr.Not, expr.Ne:
		arg := op.Args[0]
		if op.Kind == expr.Ne {
			arg = &expr.Op{Kind: expr.Eq, Args: op.Args}
		}
		part, err := k.Restrict(set, arg)
		if err != nil {
			return nil, err
		}
		return set.Subtract(part)
	}
	a, err := k.AffineOf(op.Args[0])
	if err != nil {
		return nil, err
	}
	b, err := k.AffineOf(op.Args[1])
	if err != nil {
		return nil, err
	}
	return set.Constrain(comparisons[op.Kind](a, b))
}
