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
	pointers map[*builderVar]bool // pointers that are used, but to read what they point to
	own      map[*builderVar]bool // variables and parameters of functions that are called
}

func newTouched() *touched {
	return &touched{map[*builderVar]bool{}, map[*builderVar]bool{}, map[*builderVar]bool{}}
}

// assignedIn finds the variables that statements assign to, or whose address they take.
func assignedIn(list ...cfront.Stmt) map[*builderVar]bool {
	t := newTouched()
	for _, s := range list {
		t.statement(s, func(*cfront.Call) *touched { return nil }, nil)
	}
	return t.assigned
}

// effects tells what the function of a call may change; nil of one that the file does not have.
type effects func(*cfront.Call) *touched

func (t *touched) statement(s cfront.Stmt, called effects, file *cfront.File) {
	if s == nil {
		return
	}
	if d, ok := s.(*cfront.Declare); ok {
		for _, v := range d.Vars {
			t.own[v] = true
		}
	}
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		t.expression(e, called, file)
	}
	for _, inner := range stmts {
		t.statement(inner, called, file)
	}
}

func (t *touched) expression(e cfront.Expr, called effects, file *cfront.File) {
	reads := map[cfront.Expr]bool{} // pointers and addresses by which something is only read
	for e := range cfront.All(e) {
		var to cfront.Expr
		switch x := e.(type) {
		case *cfront.Assign:
			to = x.To
		case *cfront.Address:
			if !reads[x] {
				to = x.X
			}
		case *cfront.Index:
			reads[x.Of] = true
		case *cfront.Ref:
			if x.Var.Pointer && !reads[x] {
				t.pointers[x.Var] = true
			}
		case *cfront.Call:
			if of := called(x); of != nil {
				t.add(of)
				for i, p := range file.Function(x.Func).Params {
					if i < len(x.Args) && p.Pointer && !of.pointers[p] && !of.assigned[p] {
						reads[x.Args[i]] = true
					}
				}
			}
		}
		t.changes(to)
	}
}

// changes notes what is changed where an expression is assigned to, or its address is used otherwise than to read.
func (t *touched) changes(to cfront.Expr) {
	for to != nil {
		switch x := to.(type) {
		case *cfront.Ref:
			t.assigned[x.Var] = true
			return
		case *cfront.Lane:
			to = x.X
		case *cfront.Member:
			to = x.X
		case *cfront.Index:
			switch of := x.Of.(type) {
			case *cfront.Ref:
				if of.Var.Pointer {
					t.pointers[of.Var] = true
				}
				return
			case *cfront.Member: // of an array of a record
				if isPointer(of) {
					return
				}
				to = of
			default:
				return
			}
		default:
			return
		}
	}
}

// changedBy finds the variables that a statement and expressions may change: also by functions that they call, and through pointers.
func (b *bindings) changedBy(s cfront.Stmt, list ...cfront.Expr) map[*builderVar]bool {
	return b.withMembers(b.touches(s, list...).assigned)
}

func (b *bindings) touches(s cfront.Stmt, list ...cfront.Expr) *touched {
	t := newTouched()
	t.statement(s, b.touchedBy, b.file)
	for _, e := range list {
		t.expression(e, b.touchedBy, b.file)
	}
	for p := range t.pointers {
		if at := b.env[p].at; at != nil && at.alias != nil {
			t.assigned[at.alias] = true
		}
	}
	return t
}

func (t *touched) add(o *touched) {
	maps.Copy(t.assigned, o.assigned)
	maps.Copy(t.pointers, o.pointers)
	maps.Copy(t.own, o.own)
}

// touchedBy is what the function of a call may change; nil where the file has none.
func (b *bindings) touchedBy(x *cfront.Call) *touched {
	f := b.file.Function(x.Func)
	if f == nil {
		return nil
	}
	t := b.learnt.touches[f]
	if t == nil {
		t = newTouched()
		b.learnt.touches[f] = t // also where functions call each other
		for _, p := range f.Params {
			t.own[p] = true
		}
		t.statement(f.Body, b.touchedBy, b.file)
	}
	return t
}

// hasStatements reports whether reading an expression makes statements: those of assignments, of functions that it calls, of vectors that it makes.
func (b *faults) hasStatements(e cfront.Expr) bool {
	return cfront.Any(e, func(e cfront.Expr) bool {
		switch x := e.(type) {
		case *cfront.Assign, *cfront.List, *cfront.Make:
			return true
		case *cfront.Lane:
			return !isPlace(x.X)
		case *cfront.Vector:
			return len(x.Elems) > 1
		case *cfront.Call:
			return b.file.Function(x.Func) != nil || cfront.HasEffects(x.Func)
		}
		return false
	})
}

// changesVariables reports whether an expression changes variables that are known outside of it.
func (b *bindings) changesVariables(e cfront.Expr) bool {
	t := b.touches(nil, e)
	return slices.ContainsFunc(slices.Collect(maps.Keys(t.assigned)), func(v *builderVar) bool { return !t.own[v] })
}

// namesAny reports whether an expression names one of the variables, by its name or through a pointer.
func (b *bindings) namesAny(e cfront.Expr, vars map[*builderVar]bool) bool {
	return cfront.Any(e, func(e cfront.Expr) bool {
		ref, ok := e.(*cfront.Ref)
		if !ok {
			return false
		}
		at := b.env[ref.Var].at
		return vars[ref.Var] || at != nil && at.alias != nil && vars[at.alias]
	})
}

// isPassed reports whether an expression depends on an argument of the kernel, itself or by the values that variables begin with.
func (b *position) isPassed(e cfront.Expr) bool {
	return cfront.Any(e, func(e cfront.Expr) bool {
		ref, ok := e.(*cfront.Ref)
		return ok && (slices.Contains(b.fn.Params, ref.Var) || ref.Var.Class == cfront.Local && ref.Var.Init != nil && b.isPassed(ref.Var.Init))
	})
}
