package scop

import "gpuperf/cfront"

// uses is what a region does with variables.
type uses struct {
	iterators map[*cfront.Var]bool // of its loops
	written   map[*cfront.Var]bool // assigned or declared with a value, other than in the heads of loops
	declared  map[*cfront.Var]bool
	outside   map[*cfront.Var]bool // mentioned in the function, outside of the region
	addressed map[*cfront.Var]bool // whose address the function takes
	pointers  map[*cfront.Var]int  // how often a pointer is assigned anywhere in the function
}

func usesOf(r *cfront.Region, items []cfront.Stmt) uses {
	u := uses{map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]int{}}
	region := map[cfront.Stmt]bool{}
	for _, s := range r.Items {
		region[s] = true
	}
	for _, s := range items {
		u.inside(s)
	}
	u.around(r.Function.Body, region)
	whole := func(v *cfront.Var) { // what the text does with a record, it does with its members
		if w := v.Whole; w != nil {
			u.outside[v] = u.outside[v] || u.outside[w]
			u.declared[v] = u.declared[v] || u.declared[w]
			u.addressed[v] = u.addressed[v] || u.addressed[w]
		}
	}
	for _, s := range items {
		references(s, whole)
	}
	return u
}

// inside notes what a statement of the region does.
func (u uses) inside(s cfront.Stmt) {
	stmts, exprs := cfront.Inside(s)
	switch x := s.(type) {
	case *cfront.For:
		if h, ok := headOf(x); ok {
			u.iterators[h.iterator] = true
			u.assigns(h.start)
			u.assigns(x.Cond)
			u.inside(x.Body)
			if d, ok := x.Init.(*cfront.Declare); ok {
				u.declared[d.Vars[0]] = true
			}
			return
		}
	case *cfront.Declare:
		for _, v := range x.Vars {
			u.declared[v] = true
			u.written[v] = u.written[v] || v.Init != nil
		}
	}
	for _, e := range exprs {
		u.assigns(e)
	}
	for _, inner := range stmts {
		u.inside(inner)
	}
}

func (u uses) assigns(e cfront.Expr) {
	cfront.Walk(e, func(e cfront.Expr) {
		switch x := e.(type) {
		case *cfront.Assign:
			if v := base(x.To); v != nil {
				u.written[v] = true
			}
			u.pointer(x)
		case *cfront.Address:
			u.address(x)
		}
	})
}

// pointer counts the assignments to a pointer itself.
func (u uses) pointer(a *cfront.Assign) {
	if x, ok := a.To.(*cfront.Ref); ok && x.Var.Pointer {
		u.pointers[x.Var]++
	}
}

func (u uses) address(x *cfront.Address) {
	if v := base(x.X); v != nil {
		u.addressed[v] = true
	}
}

// around notes what the function does outside of the region.
func (u uses) around(s cfront.Stmt, region map[cfront.Stmt]bool) {
	if region[s] {
		return
	}
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		cfront.Walk(e, func(e cfront.Expr) {
			switch x := e.(type) {
			case *cfront.Ref:
				u.outside[x.Var] = true
			case *cfront.Assign:
				u.pointer(x)
			case *cfront.Address:
				u.address(x)
			}
		})
	}
	if d, ok := s.(*cfront.Declare); ok {
		for _, v := range d.Vars {
			u.outside[v] = u.outside[v] || v.Init != nil || v.Listed
		}
	}
	for _, inner := range stmts {
		u.around(inner, region)
	}
}

// base is the variable that an assignment changes a part of, nil where that is none.
func base(e cfront.Expr) *cfront.Var {
	switch x := e.(type) {
	case *cfront.Ref:
		return x.Var
	case *cfront.Index:
		return base(x.Of)
	case *cfront.Member:
		return base(x.X)
	}
	return nil
}

// mentions reports that an expression uses a variable.
func mentions(e cfront.Expr, v *cfront.Var) (found bool) {
	cfront.Walk(e, func(e cfront.Expr) { found = found || isVar(e, v) })
	return found
}

// references visits the variables that a statement mentions.
func references(s cfront.Stmt, visit func(*cfront.Var)) {
	stmts, exprs := cfront.Inside(s)
	for _, e := range exprs {
		cfront.Walk(e, func(e cfront.Expr) {
			if r, ok := e.(*cfront.Ref); ok {
				visit(r.Var)
			}
		})
	}
	for _, inner := range stmts {
		references(inner, visit)
	}
}
