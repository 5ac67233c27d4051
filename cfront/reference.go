package cfront

// A reference to a number, a vector, a record or a pointer is a pointer in trees: T &a = x is T *a = &x, each use of a is *a, and a function that returns a
// reference returns a pointer. An argument or a value that is no object, as i + 1 for a const T &, is the address of that value.

// refers reports whether objects of a type are references that are kept as pointers.
func (t *ctype) refers() bool {
	return t.alias && (t.form == numberForm || t.form == pointerForm || t.form == recordForm)
}

// kept is the type of the variable that a variable of a type is in trees.
func (t *ctype) kept() *ctype {
	if !t.refers() {
		return t
	}
	return pointerTo(t.named())
}

// named is the type of what a reference names.
func (t *ctype) named() *ctype { return t.with(func(t *ctype) { t.alias = false }) }

// deref is what the value of a reference names; other values are as they are.
func deref(at Pos, v value) value {
	if !v.t.refers() {
		return v
	}
	t := v.t.named()
	return value{&Index{t.typed(at), v.e, []Expr{&Int{intType.typed(at), 0}}}, t}
}

// reference is the pointer that a reference of a type to a value is.
func (p *typer) reference(t *ctype, v value) Expr {
	at, to := v.e.Place(), t.named()
	if v.t != nil && v.t.form == numberForm && to.form == numberForm && v.t.dtype != to.dtype {
		if !to.constant && isObject(v.e) {
			p.fail(at, "a reference to %s names no %s", to, v.t)
		}
		v = p.castTo(at, to, v)
	}
	return p.address(at, value{v.e, to}).e
}

// isObject reports whether an expression names an object.
func isObject(e Expr) bool {
	switch x := e.(type) {
	case *Ref, *Index:
		return true
	case *Lane:
		return isObject(x.X)
	case *Member:
		return isObject(x.X)
	}
	return false
}
