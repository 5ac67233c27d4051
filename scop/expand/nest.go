package expand

import (
	"fmt"
	"slices"

	"gpuperf/kernel/expr"
	"gpuperf/scop"
)

// nest is the nest with what accesses become, and the last values written back.
func (e *expansion) nest() *scop.Nest {
	from := e.analysis.Nest
	n := *from
	n.Loops, n.Arrays, n.Statements = slices.Clone(from.Loops), nil, nil
	arrays := map[*scop.Array]*scop.Array{}
	for _, x := range from.Arrays {
		own := *x
		own.Written = false
		arrays[x] = &own
	}
	used := map[*scop.Array]bool{}
	enter := func(s *scop.Statement) {
		for _, a := range s.Accesses {
			used[a.Array] = true
			a.Array.Written = a.Array.Written || a.Write
		}
		n.Statements = append(n.Statements, s)
	}
	for i, f := range e.first {
		enter(e.copied(f, int64(i-len(e.first)), arrays[f.of], &n))
	}
	place := int64(0)
	for _, s := range from.Statements {
		enter(e.renamed(s, arrays))
		place = max(place, s.Order[0].Constant()+1)
	}
	for i, l := range e.last {
		name := e.fresh(fmt.Sprintf("S%d", len(n.Statements)))
		x := l.of.Accesses[len(l.of.Accesses)-1].Array
		enter(e.statement(l, name, place+int64(i), arrays[x], &n))
	}
	for _, x := range from.Arrays {
		if used[arrays[x]] {
			n.Arrays = append(n.Arrays, arrays[x])
		}
	}
	for _, c := range e.copies {
		n.Arrays = append(n.Arrays, c.Array)
	}
	return &n
}

// renamed is a statement with what its accesses become.
func (e *expansion) renamed(s *scop.Statement, arrays map[*scop.Array]*scop.Array) *scop.Statement {
	out := *s
	out.Accesses = nil
	byName := map[string]*scop.Array{}
	for _, a := range s.Accesses {
		byName[a.Array.Name] = a.Array
		to := e.becomes(a.Array, s, access(a.Array, exprs(a.Index)), a.Write)
		next := scop.Access{Array: to.array, Write: a.Write, Index: slices.Concat(to.over, kept(to.drop, a.Index)), Where: a.Where}
		if to.array == nil {
			next.Array = arrays[a.Array]
		}
		out.Accesses = append(out.Accesses, next)
	}
	rename := func(x expr.Expr, write bool) expr.Expr {
		return expr.Rewrite(x, func(x expr.Expr) expr.Expr {
			name, index := "", []expr.Expr(nil)
			switch x := x.(type) {
			case expr.Var:
				name = x.Name
			case *expr.Access:
				name, index = x.Array, x.Index
			}
			if old := byName[name]; old != nil {
				if to := e.becomes(old, s, x, write); to.array != nil {
					return access(to.array, append(exprs(to.over), kept(to.drop, index)...))
				}
			}
			return x
		})
	}
	out.LHS, out.RHS = rename(s.LHS, true), rename(s.RHS, false)
	return &out
}

// becomes is what a statement uses in place of an array, in one access to it; without an array for the one of before.
func (e *expansion) becomes(x *scop.Array, s *scop.Statement, of expr.Expr, write bool) place {
	if write {
		return e.written[at{x, s}]
	}
	if early := e.early[element{s, of.String()}]; early.array != nil {
		return early
	}
	return e.read[at{x, s}]
}
