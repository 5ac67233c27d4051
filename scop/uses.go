package scop

import "gpuperf/cfront"

// uses is what a region does with variables.
type uses struct {
	iterators map[*cfront.Var]bool // of its loops
	written   map[*cfront.Var]bool // assigned or declared with a value, other than in the heads of loops
	declared  map[*cfront.Var]bool
	outside   map[*cfront.Var]bool          // mentioned in the function, outside of the region
	addressed map[*cfront.Var]bool          // whose address the function takes
	points    map[*cfront.Var][]cfront.Expr // what pointers are assigned
	pointers  map[*cfront.Var]int           // how often a pointer is assigned anywhere in the function
}

func usesOf(r *cfront.Region, items []cfront.Stmt) uses {
	u := uses{map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, map[*cfront.Var][]cfront.Expr{}, map[*cfront.Var]int{}}
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
		for e := range cfront.Everywhere(s) {
			if r, ok := e.(*cfront.Ref); ok {
				whole(r.Var)
			}
		}
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
	for e := range cfront.All(e) {
		switch x := e.(type) {
		case *cfront.Assign:
			if v := cfront.Whole(x.To); v != nil {
				u.written[v] = true
			}
			u.pointer(x)
		case *cfront.Address:
			u.address(x)
		}
	}
}

// pointer counts the assignments to a pointer itself.
func (u uses) pointer(a *cfront.Assign) {
	if x, ok := a.To.(*cfront.Ref); ok && x.Var.Pointer {
		u.pointers[x.Var]++
		value := a.Value
		if a.Op != "" || a.Step {
			value = a.To
		}
		u.points[x.Var] = append(u.points[x.Var], value)
	}
}

func (u uses) address(x *cfront.Address) {
	if v := cfront.Whole(x.X); v != nil {
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
		for e := range cfront.All(e) {
			switch x := e.(type) {
			case *cfront.Ref:
				u.outside[x.Var] = true
			case *cfront.Assign:
				u.pointer(x)
			case *cfront.Address:
				u.address(x)
			}
		}
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
