package emit

import (
	_ "embed"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
)

// copyBytes is how much an asynchronous copy moves that leaves the first-level cache out: cp.async.cg of the PTX ISA.
const copyBytes = 16

// copiesAhead writes a copy from global to local memory that work-items do not wait for, of what is there or else of zeros; false where a statement is none, or the language has none.
func (w *writer) copiesAhead(s *kernel.Stmt, depth int) bool {
	if s.Ahead == 0 || w.ahead == "" {
		return false
	}
	from, there := s.RHS, "true"
	if c, ok := from.(*expr.Cond); ok && isZero(c.Else) {
		from, there = c.Then, w.truth(c.If).text
	}
	source, ok := from.(*expr.Access)
	target, toPlace := s.LHS.(*expr.Access)
	if !ok || !toPlace || source.Lanes < 2 || source.Lanes != target.Lanes || source.As != "" || target.As != "" {
		return false
	}
	a, to := w.k.Array(source.Array), w.k.Array(target.Array)
	if a.Space != kernel.Global || a.Constant || to.Space != kernel.Local || a.DType != to.DType || a.DType.Size()*source.Lanes != copyBytes {
		return false
	}
	v, x := w.vector(source), w.vector(target)
	if !v.aligned || !x.aligned {
		return false
	}
	w.copying = true
	w.line(depth, "copy_ahead(%s, %s, %s);", x.pointer, v.pointer, there)
	return true
}

// isZero reports that an expression is 0, perhaps converted.
func isZero(e expr.Expr) bool {
	if c, ok := e.(*expr.Cast); ok {
		e = c.Arg
	}
	return e == expr.Int{}
}

// await writes that a barrier ends a group of copies and waits for those before some.
func (w *writer) await(b *linear.Barrier, depth int) {
	if b.Ahead > 0 && w.ahead != "" {
		w.copying = true
		w.line(depth, "end_copies(); await_copies(%d);", b.Ahead-1)
	}
}

// cudaCopies are copies of 16 bytes that work-items do not wait for.
//
//go:embed text/copies.cuh
var cudaCopies string
