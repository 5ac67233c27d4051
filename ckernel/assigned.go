package ckernel

import "gpuperf/cfront"

// bodies lists the bodies of all functions.
func bodies(file *cfront.File) (out []cfront.Stmt) {
	for _, f := range file.Functions {
		out = append(out, f.Body)
	}
	return out
}

// assignedIn finds the variables that statements assign to, or whose address they take.
func assignedIn(list ...cfront.Stmt) map[*builderVar]bool {
	out := map[*builderVar]bool{}
	var visit func(s cfront.Stmt)
	visit = func(s cfront.Stmt) {
		if s == nil {
			return
		}
		stmts, exprs := cfront.Inside(s)
		for _, e := range exprs {
			assignedBy(e, out)
		}
		for _, inner := range stmts {
			visit(inner)
		}
	}
	for _, s := range list {
		visit(s)
	}
	return out
}

func assignedBy(e cfront.Expr, out map[*builderVar]bool) {
	cfront.Walk(e, func(e cfront.Expr) {
		var to cfront.Expr
		switch x := e.(type) {
		case *cfront.Assign:
			to = x.To
		case *cfront.Address:
			to = x.X
		}
		for to != nil {
			switch x := to.(type) {
			case *cfront.Ref:
				out[x.Var] = true
				to = nil
			case *cfront.Lane:
				to = x.X
			default:
				to = nil
			}
		}
	})
}
