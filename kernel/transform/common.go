package transform

import (
	"errors"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// errExplicit refuses what work-items would have to wait for, where no barrier is added.
var errExplicit = errors.New("the kernel's barriers are explicit, and this would need more of them")

// matchSome is Match that must find a statement.
func matchSome(k *kernel.Kernel, text string) []*kernel.Stmt {
	out, err := k.Match(text)
	if err == nil && len(out) == 0 {
		err = k.Errorf("no statement matches %q (the statements are %s)", text, nameset.Text(idsOf(k.Statements)))
	}
	return throw.Get(out, err)
}

func idsOf(list []*kernel.Stmt) []string {
	return lists.Map(list, func(s *kernel.Stmt) string { return s.ID })
}

// checkNewName refuses a name for a new iname, array or rule that is malformed or in use.
func checkNewName(k *kernel.Kernel, name string) {
	if !expr.IsName(name) {
		panic(throw.Of(k.Errorf("%q is not an identifier", name)))
	}
	if k.InUse(name) {
		panic(throw.Of(k.Errorf("the name %s is in use", name)))
	}
}

// vectorAccess is an access to several elements of the array at a time; nil where there is none.
func vectorAccess(k *kernel.Kernel, name string) *expr.Access {
	for _, s := range k.Statements {
		for _, e := range s.Exprs() {
			for _, a := range expr.Accesses(e) {
				if a.Array == name && a.Lanes > 0 {
					return a
				}
			}
		}
	}
	return nil
}

func containsAll(list, of []string) bool { return len(nameset.Remove(of, list...)) == 0 }

// rewriteDown applies f to each node, parents first. It does not descend into nodes that f replaces.
func rewriteDown(e expr.Expr, f func(expr.Expr) (expr.Expr, bool)) expr.Expr {
	if n, done := f(e); done {
		return n
	}
	return expr.MapChildren(e, func(c expr.Expr) expr.Expr { return rewriteDown(c, f) })
}
