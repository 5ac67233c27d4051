package kernel

import "fmt"

// expandExpr replaces calls of substitution rules by their bodies.
func (k *Kernel) expandExpr(e Expr) (Expr, error) {
	if len(k.Rules) == 0 {
		return e, nil
	}
	return k.expand(e, nil)
}

func (k *Kernel) rule(name string) *Rule {
	for _, r := range k.Rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// expand works outside in; open holds the rules being expanded, to find recursion.
func (k *Kernel) expand(e Expr, open []string) (Expr, error) {
	var bad error
	out := Rewrite(e, func(x Expr) Expr {
		var name string
		var args []Expr
		switch x := x.(type) {
		case *Call:
			name, args = x.Func, x.Args
		case Var:
			name = x.Name
		}
		r := k.rule(name)
		if r == nil || bad != nil {
			return x
		}
		for _, o := range open {
			if o == name {
				bad = fmt.Errorf("rule %s uses itself", name)
				return x
			}
		}
		if len(args) != len(r.Args) {
			bad = fmt.Errorf("rule %s takes %d arguments, %s gives %d", name, len(r.Args), x, len(args))
			return x
		}
		body, err := k.expand(r.Body, append(open[:len(open):len(open)], name))
		if err != nil {
			bad = err
			return x
		}
		by := map[string]Expr{}
		for i, a := range r.Args {
			by[a] = args[i]
		}
		if err := capture(body, by); err != nil {
			bad = fmt.Errorf("rule %s: %w", name, err)
		}
		return Subst(body, by)
	})
	return out, bad
}

// capture reports an argument that uses an iname which the rule's body reduces over.
func capture(body Expr, by map[string]Expr) error {
	for _, r := range Reductions(body) {
		for _, n := range r.Inames {
			for _, arg := range by {
				if mentions(arg, n) {
					return fmt.Errorf("argument %s uses iname %s, which the rule reduces over", arg, n)
				}
			}
		}
	}
	return nil
}

// ExpandRules replaces all uses of substitution rules by their bodies.
func (k *Kernel) ExpandRules() (*Kernel, error) {
	if len(k.Rules) == 0 {
		return k, nil
	}
	c := k.clone()
	var bad error
	c.mapStmts(func(s *Stmt) {
		s.mapExprs(func(e Expr) Expr {
			x, err := k.expandExpr(e)
			if err != nil && bad == nil {
				bad = k.errorf("statement %s: %w", s.ID, err)
			}
			return x
		})
	})
	c.Rules = nil
	return c, bad
}
