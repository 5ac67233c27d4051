package kernel

import (
	"slices"

	"gpuperf/kernel/expr"
)

// Update is what an atomic statement does: it replaces the value of Element by Op of that value and Operand, in one step.
type Update struct {
	Element expr.Expr // as the right-hand side reads it
	Op      expr.OpKind
	Operand expr.Expr
}

// updates are the operations that devices do in one step, by the class in which their order does not matter.
var updates = map[expr.OpKind]expr.OpKind{
	expr.Add: expr.Add, expr.Sub: expr.Add, expr.Min: expr.Min, expr.Max: expr.Max,
	expr.BitAnd: expr.BitAnd, expr.BitOr: expr.BitOr, expr.BitXor: expr.BitXor,
}

// Class is equal for updates that may change one element in any order: sums and differences, or minima, and so on.
func (u *Update) Class() expr.OpKind { return updates[u.Op] }

// Update is the update that an atomic statement does; nil for other statements, and for those that are of another form than h[i] = h[i] + x.
func (s *Stmt) Update() *Update {
	if !s.Atomic || s.LHS == nil || s.RHS == nil {
		return nil
	}
	kind, args := operands(s.RHS)
	at := slices.IndexFunc(args, func(e expr.Expr) bool { return sameElement(e, s.LHS) })
	if updates[kind] == "" || len(args) < 2 || at < 0 || kind == expr.Sub && at > 0 {
		return nil
	}
	u := &Update{Element: args[at], Op: kind}
	rest := slices.Delete(slices.Clone(args), at, at+1)
	u.Operand = rest[0]
	if len(rest) > 1 {
		u.Operand = &expr.Op{Kind: kind, Args: rest}
	}
	return u
}

// operands are those of an operation that may be an update; min and max are functions, too.
func operands(e expr.Expr) (expr.OpKind, []expr.Expr) {
	switch x := e.(type) {
	case *expr.Op:
		return x.Kind, x.Args
	case *expr.Call:
		switch x.Func {
		case "min", "fmin":
			return expr.Min, x.Args
		case "max", "fmax":
			return expr.Max, x.Args
		}
	}
	return "", nil
}

// sameElement compares accesses, whatever their tags.
func sameElement(a, b expr.Expr) bool {
	x, ok := a.(*expr.Access)
	y, both := b.(*expr.Access)
	if !ok || !both {
		return expr.Equal(a, b)
	}
	return x.Array == y.Array && x.Lanes == y.Lanes && x.As == y.As && slices.EqualFunc(x.Index, y.Index, expr.Equal)
}

// checkAtomics: atomic statements are updates of elements of shared memory, and read no other element of the array.
func (k *Kernel) checkAtomics() error {
	for _, s := range k.Statements {
		if !s.Atomic {
			continue
		}
		u := s.Update()
		if u == nil {
			return k.Errorf("statement %s is atomic and not of the form %s = %[2]s + ...: it may add, subtract, or take a minimum, a maximum, and, or, or exclusive or", s.ID, s.LHS)
		}
		acc, _ := s.LHS.(*expr.Access)
		if acc != nil && acc.Lanes > 0 {
			return k.Errorf("statement %s: an atomic update changes one element, not a vector", s.ID)
		}
		others := append(slices.Clone(s.Predicates), u.Operand)
		if acc != nil {
			others = append(others, acc.Index...)
		}
		for _, e := range others {
			if expr.Mentions(e, s.Target()) {
				return k.Errorf("statement %s updates %s atomically and reads it besides, in %s: read it into a temporary first", s.ID, s.Target(), e)
			}
		}
	}
	return nil
}
