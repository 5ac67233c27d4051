package kernel

import (
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Expand replaces uses of substitution rules in e by their bodies.
func (k *Kernel) Expand(e expr.Expr) (_ expr.Expr, err error) {
	defer throw.Catch(&err)
	if len(k.Rules) == 0 {
		return e, nil
	}
	return k.expand(e, nil), nil
}

// Rule returns the substitution rule of that name, nil without one.
func (k *Kernel) Rule(name string) *Rule {
	return lists.First(k.Rules, func(r *Rule) bool { return r.Name == name })
}

// expand works outside in; open holds the rules being expanded, to find recursion.
func (k *Kernel) expand(e expr.Expr, open []string) expr.Expr {
	var bad error
	out := expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		var name string
		var args []expr.Expr
		switch x := x.(type) {
		case *expr.Call:
			name, args = x.Func, x.Args
		case expr.Var:
			name = x.Name
		}
		r := k.Rule(name)
		if r == nil || bad != nil {
			return x
		}
		if slices.Contains(open, name) {
			bad = fmt.Errorf("rule %s uses itself", name)
			return x
		}
		if len(args) != len(r.Args) {
			bad = fmt.Errorf("rule %s takes %d arguments, %s gives %d", name, len(r.Args), x, len(args))
			return x
		}
		body, err := throw.Value(func() expr.Expr { return k.expand(r.Body, append(open[:len(open):len(open)], name)) })
		if err != nil {
			bad = err
			return x
		}
		by := map[string]expr.Expr{}
		for i, a := range r.Args {
			by[a] = args[i]
		}
		if err := checkCapture(body, by); err != nil {
			bad = fmt.Errorf("rule %s: %w", name, err)
		}
		return expr.Subst(body, by)
	})
	return throw.Get(out, bad)
}

// checkCapture returns an error if an argument uses an iname that the rule's body reduces over.
func checkCapture(body expr.Expr, by map[string]expr.Expr) error {
	for _, r := range expr.Reductions(body) {
		for _, n := range r.Inames {
			for _, arg := range by {
				if expr.Mentions(arg, n) {
					return fmt.Errorf("argument %s uses iname %s, which the rule reduces over", arg, n)
				}
			}
		}
	}
	return nil
}
