package ckernel

import (
	"maps"
	"slices"

	"gpuperf/cfront"
)

func bodies(file *cfront.File) (out []cfront.Stmt) {
	for _, f := range file.Functions {
		out = append(out, f.Body)
	}
	return out
}

// touched is what statements and the functions that they call may change.
type touched struct {
	assigned map[*builderVar]bool // variables that are assigned to, or whose address is taken
	pointers map[*builderVar]bool // pointers that are used
}

func newTouched() *touched { return &touched{map[*builderVar]bool{}, map[*builderVar]bool{}} }

// assignedIn finds the variables that statements assign to, or whose address they take.
func assignedIn(list ...cfront.Stmt) map[*builderVar]bool {
	t := newTouched()
	for _, s := range list {
		t.statement(s, func(*cfront.Call) {})
	}
	return t.assigned
}

func (t *touched) statement(s cfront.Stmt, called func(*cfront.Call)) {
	if s == nil {
		return
	}
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		t.expression(e, called)
	}
	for _, inner := range stmts {
		t.statement(inner, called)
	}
}

func (t *touched) expression(e cfront.Expr, called func(*cfront.Call)) {
	cfront.Walk(e, func(e cfront.Expr) {
		var to cfront.Expr
		switch x := e.(type) {
		case *cfront.Assign:
			to = x.To
		case *cfront.Address:
			to = x.X
		case *cfront.Ref:
			if x.Var.Pointer {
				t.pointers[x.Var] = true
			}
		case *cfront.Call:
			called(x)
		}
		for to != nil {
			switch x := to.(type) {
			case *cfront.Ref:
				t.assigned[x.Var] = true
				to = nil
			case *cfront.Lane:
				to = x.X
			case *cfront.Member:
				to = x.X
			case *cfront.Index: // of an array of a record
				if m, ok := x.Of.(*cfront.Member); ok && !isPointer(m) {
					to = m
				} else {
					to = nil
				}
			default:
				to = nil
			}
		}
	})
}

// changedBy finds the variables that a statement and expressions may change: also by functions that they call, and through pointers.
func (b *bindings) changedBy(s cfront.Stmt, list ...cfront.Expr) map[*builderVar]bool {
	t := newTouched()
	called := func(x *cfront.Call) { t.add(b.touchedBy(x)) }
	t.statement(s, called)
	for _, e := range list {
		t.expression(e, called)
	}
	for p := range t.pointers {
		if at := b.env[p].at; at != nil && at.alias != nil {
			t.assigned[at.alias] = true
		}
	}
	return b.withMembers(t.assigned)
}

func (t *touched) add(o *touched) {
	maps.Copy(t.assigned, o.assigned)
	maps.Copy(t.pointers, o.pointers)
}

// touchedBy is what the function of a call may change.
func (b *bindings) touchedBy(x *cfront.Call) *touched {
	f := b.file.Function(x.Func)
	if f == nil {
		return newTouched()
	}
	t := b.learnt.touches[f]
	if t == nil {
		t = newTouched()
		b.learnt.touches[f] = t // also where functions call each other
		t.statement(f.Body, func(x *cfront.Call) { t.add(b.touchedBy(x)) })
	}
	return t
}

// hasStatements reports whether reading an expression makes statements: those of assignments, of functions that it calls, of vectors that it makes.
func (b *faults) hasStatements(e cfront.Expr) bool {
	found := false
	cfront.Walk(e, func(e cfront.Expr) {
		switch x := e.(type) {
		case *cfront.Assign, *cfront.List:
			found = true
		case *cfront.Lane:
			found = found || !isPlace(x.X)
		case *cfront.Make:
			found = true
		case *cfront.Vector:
			found = found || len(x.Elems) > 1
		case *cfront.Call:
			found = found || b.file.Function(x.Func) != nil || cfront.HasEffects(x.Func)
		}
	})
	return found
}

// changesVariables reports whether an expression changes variables that are known outside of it.
func (b *bindings) changesVariables(e cfront.Expr) bool { return len(b.changedBy(nil, e)) > 0 }

// namesAny reports whether an expression names one of the variables, by its name or through a pointer.
func (b *bindings) namesAny(e cfront.Expr, vars map[*builderVar]bool) bool {
	all := newTouched()
	cfront.Walk(e, func(e cfront.Expr) {
		if ref, ok := e.(*cfront.Ref); ok {
			all.assigned[ref.Var] = true
			if at := b.env[ref.Var].at; at != nil && at.alias != nil {
				all.assigned[at.alias] = true
			}
		}
	})
	return slices.ContainsFunc(slices.Collect(maps.Keys(all.assigned)), func(v *builderVar) bool { return vars[v] })
}
