package expr

import (
	"iter"
	"slices"
)

func (Int) children() []Expr            { return nil }
func (e Int) rebuild(c []Expr) Expr     { return e }
func (Float) children() []Expr          { return nil }
func (e Float) rebuild(c []Expr) Expr   { return e }
func (Var) children() []Expr            { return nil }
func (e Var) rebuild(c []Expr) Expr     { return e }
func (e *Access) children() []Expr      { return e.Index }
func (e *Op) children() []Expr          { return e.Args }
func (e *Op) rebuild(c []Expr) Expr     { return &Op{e.Kind, c} }
func (e *Call) children() []Expr        { return e.Args }
func (e *Call) rebuild(c []Expr) Expr   { return &Call{e.Func, c} }
func (e *Cond) children() []Expr        { return []Expr{e.If, e.Then, e.Else} }
func (e *Cond) rebuild(c []Expr) Expr   { return &Cond{c[0], c[1], c[2]} }
func (e *Cast) children() []Expr        { return []Expr{e.Arg} }
func (e *Cast) rebuild(c []Expr) Expr   { return &Cast{e.DType, c[0]} }
func (e *Access) rebuild(c []Expr) Expr { return &Access{e.Array, e.Tag, c, e.Lanes, e.As} }
func (e *Reduce) rebuild(c []Expr) Expr { return e.With(e.Inames, c) }

func (e *Reduce) children() []Expr {
	if e.Index != nil {
		return []Expr{e.Body, e.Index}
	}
	return []Expr{e.Body}
}

// With is the reduction of the same kind over other inames and operands.
func (e *Reduce) With(inames []string, operands []Expr) *Reduce {
	r := *e
	r.Inames, r.Body = inames, operands[0]
	if e.Index != nil {
		r.Index = operands[1]
	}
	return &r
}

// Subst is the reduction over other inames with variables replaced in its operands.
func (e *Reduce) Subst(inames []string, by map[string]Expr) *Reduce {
	operands := slices.Clone(e.children())
	for i, x := range operands {
		operands[i] = Subst(x, by)
	}
	return e.With(inames, operands)
}

// Children lists the operands of e from left to right: the indices of an access, the body of a reduction.
func Children(e Expr) []Expr { return e.children() }

// MapChildren returns e with f applied to each of its children. Parts that f does not change are shared, not copied.
func MapChildren(e Expr, f func(Expr) Expr) Expr {
	old := e.children()
	var list []Expr
	for i, c := range old {
		n := f(c)
		if n != c && list == nil {
			list = slices.Clone(old)
		}
		if list != nil {
			list[i] = n
		}
	}
	if list == nil {
		return e
	}
	return e.rebuild(list)
}

// Walk visits e and its parts, a node before its children and these from left to right. Where visit returns false it
// skips the children. A nil expression is not visited.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range e.children() {
		Walk(c, visit)
	}
}

// All yields e and its parts in the order of Walk.
func All(e Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) { all(e, yield) }
}

func all(e Expr, yield func(Expr) bool) (goesOn bool) {
	if e == nil {
		return true
	}
	if !yield(e) {
		return false
	}
	for _, c := range e.children() {
		if !all(c, yield) {
			return false
		}
	}
	return true
}

// Any reports whether something holds for e or one of its parts.
func Any(e Expr, is func(Expr) bool) bool { return !all(e, func(e Expr) bool { return !is(e) }) }

// Names yields the variables, the arrays and the functions in e, as often as they are there.
func Names(e Expr) iter.Seq[string] {
	return func(yield func(string) bool) {
		all(e, func(e Expr) bool {
			switch x := e.(type) {
			case Var:
				return yield(x.Name)
			case *Access:
				return yield(x.Array)
			case *Call:
				return yield(x.Func)
			}
			return true
		})
	}
}

// Rewrite returns e with f applied to every node, children first. Parts that f does not change are shared, not copied.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	e = MapChildren(e, func(c Expr) Expr { return Rewrite(c, f) })
	return f(e)
}

// Subst replaces variables by expressions, all at once. Inames that a reduction binds are not replaced inside it.
func Subst(e Expr, by map[string]Expr) Expr {
	if e == nil || len(by) == 0 {
		return e
	}
	switch x := e.(type) {
	case Var:
		if n, ok := by[x.Name]; ok {
			return n
		}
		return e
	case *Reduce:
		inner := by
		for _, name := range x.Inames {
			if _, ok := by[name]; ok {
				inner = Without(inner, x.Inames)
				break
			}
		}
		if r := x.Subst(x.Inames, inner); r.Body != x.Body || r.Index != x.Index {
			return r
		}
		return e
	}
	return MapChildren(e, func(c Expr) Expr { return Subst(c, by) })
}

// Without is m without the given names.
func Without(m map[string]Expr, names []string) map[string]Expr {
	out := make(map[string]Expr, len(m))
	for k, v := range m {
		if !slices.Contains(names, k) {
			out[k] = v
		}
	}
	return out
}

// Negate returns "not cond".
func Negate(cond Expr) Expr { return &Op{Kind: Not, Args: []Expr{cond}} }

// Equal reports whether a and b are the same expression.
func Equal(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a == b || a.String() == b.String()
}

// Accesses lists the array accesses in e, an access before those in its own index.
func Accesses(e Expr) []*Access {
	var out []*Access
	for x := range All(e) {
		if a, ok := x.(*Access); ok {
			out = append(out, a)
		}
	}
	return out
}

// FreeVars calls f for every Var in e that no reduction inside e binds.
func FreeVars(e Expr, f func(name string)) {
	var rec func(e Expr, bound []string)
	rec = func(e Expr, bound []string) {
		switch x := e.(type) {
		case nil:
			return
		case Var:
			if !slices.Contains(bound, x.Name) {
				f(x.Name)
			}
			return
		case *Reduce:
			bound = append(slices.Clone(bound), x.Inames...)
		}
		for _, c := range e.children() {
			rec(c, bound)
		}
	}
	rec(e, nil)
}

// HasReduction reports whether there is a reduction in e, which may be nil.
func HasReduction(e Expr) bool {
	return Any(e, func(e Expr) bool { _, is := e.(*Reduce); return is })
}

// Reductions lists the reductions in e, outer ones first.
func Reductions(e Expr) []*Reduce {
	var out []*Reduce
	for x := range All(e) {
		if r, ok := x.(*Reduce); ok {
			out = append(out, r)
		}
	}
	return out
}

// Binary applies an operator to two operands.
func Binary(kind OpKind, a, b Expr) Expr { return &Op{kind, []Expr{a, b}} }

// Extremes, for Rewrite, makes max(n, 64), which is read as a reduction over n, the greater of two numbers, and min likewise.
func Extremes(e Expr) Expr {
	r, ok := e.(*Reduce)
	if !ok || len(r.Inames) != 1 || r.Index != nil || r.Kind != string(Max) && r.Kind != string(Min) {
		return e
	}
	return Binary(OpKind(r.Kind), Var{Name: r.Inames[0]}, r.Body)
}

// Mentions reports whether a variable, an array or a function of that name is in e.
func Mentions(e Expr, name string) bool {
	for n := range Names(e) {
		if n == name {
			return true
		}
	}
	return false
}
