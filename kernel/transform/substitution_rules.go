package transform

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// ExtractSubst makes a substitution rule of an expression that the kernel computes: name(parameters...) := template.
// All expressions of statements and other rules that match the template, with any expressions for its parameters,
// become uses of the rule. Without parameters, they must equal the template.
func ExtractSubst(k *kernel.Kernel, name, template string, parameters []string) (_ *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	e := throw.Get(expr.Parse(template))
	checkNewName(k, name)
	for i, p := range parameters {
		if !expr.IsName(p) || slices.Contains(parameters[:i], p) {
			return nil, k.Errorf("rule %s: bad parameter %q: parameters are distinct names", name, p)
		}
		if !expr.Mentions(e, p) {
			return nil, k.Errorf("rule %s: parameter %s does not occur in %s", name, p, e)
		}
		if slices.ContainsFunc(expr.Reductions(e), func(r *expr.Reduce) bool { return slices.Contains(r.Inames, p) }) {
			return nil, k.Errorf("rule %s: parameter %s is an iname that %s reduces over", name, p, e)
		}
	}
	c := k.Clone()
	uses := 0
	replace := func(e0 expr.Expr) expr.Expr {
		return rewriteDown(e0, func(x expr.Expr) (expr.Expr, bool) {
			by := map[string]expr.Expr{}
			if !unify(e, x, parameters, by) {
				return x, false
			}
			uses++
			if len(parameters) == 0 {
				return expr.Var{Name: name}, true
			}
			call := &expr.Call{Func: name}
			for _, p := range parameters {
				call.Args = append(call.Args, by[p])
			}
			return call, true
		})
	}
	c.MapStmts(func(s *kernel.Stmt) {
		target := s.LHS // stays itself
		s.LHS = nil
		s.MapExprs(replace)
		if target != nil {
			s.LHS = expr.MapChildren(target, replace)
		}
	})
	for i, r := range c.Rules {
		c.Rules[i] = &kernel.Rule{Name: r.Name, Args: r.Args, Body: replace(r.Body)}
	}
	if uses == 0 {
		return nil, k.Errorf("rule %s: no statement computes %s", name, e)
	}
	c.Rules = append(c.Rules, &kernel.Rule{Name: name, Args: slices.Clone(parameters), Body: e})
	return c, nil
}

// withChildren is e with other children.
func withChildren(e expr.Expr, list []expr.Expr) expr.Expr {
	return expr.MapChildren(e, func(expr.Expr) expr.Expr {
		c := list[0]
		list = list[1:]
		return c
	})
}

// unify reports whether e is the pattern with its variables replaced by expressions, which it enters in by.
func unify(pattern, e expr.Expr, variables []string, by map[string]expr.Expr) bool {
	if v, ok := pattern.(expr.Var); ok && slices.Contains(variables, v.Name) {
		if old, bound := by[v.Name]; bound {
			return expr.Equal(old, e)
		}
		by[v.Name] = e
		return true
	}
	p, c := expr.Children(pattern), expr.Children(e)
	if len(p) != len(c) {
		return false
	}
	if len(p) == 0 {
		return expr.Equal(pattern, e)
	}
	// the nodes must agree except for their children
	if !expr.Equal(withChildren(pattern, c), e) {
		return false
	}
	for i := range p {
		if !unify(p[i], c[i], variables, by) {
			return false
		}
	}
	return true
}

// ExpandRules replaces all uses of substitution rules by their bodies.
func ExpandRules(k *kernel.Kernel) (*kernel.Kernel, error) {
	if len(k.Rules) == 0 {
		return k, nil
	}
	c := k.Clone()
	var bad error
	c.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr {
			x, err := k.Expand(e)
			if err != nil && bad == nil {
				bad = k.Errorf("statement %s: %w", s.ID, err)
			}
			return x
		})
	})
	c.Rules = nil
	return c, bad
}

func ruleNames(k *kernel.Kernel) []string {
	return lists.Map(k.Rules, func(r *kernel.Rule) string { return r.Name })
}

// expandAround expands the rules that use an array or a rule, in their bodies or in an operand, so that statements have all
// uses. The rule itself is dropped.
func expandAround(k *kernel.Kernel, name string) *kernel.Kernel {
	c := k.Clone()
	c.Rules = slices.DeleteFunc(c.Rules, func(r *kernel.Rule) bool { return r.Name == name })
	around := func(r *kernel.Rule) bool {
		body, err := c.Expand(r.Body)
		return err != nil || expr.Mentions(body, name) || slices.ContainsFunc(allExprs(c), func(e expr.Expr) bool {
			return expr.Any(e, func(e expr.Expr) bool {
				x, ok := e.(*expr.Call)
				return ok && x.Func == r.Name && slices.ContainsFunc(x.Args, func(a expr.Expr) bool {
					a, err := c.Expand(a)
					return err != nil || expr.Mentions(a, name)
				})
			})
		})
	}
	var kept []*kernel.Rule
	expanding := c.Clone()
	expanding.Rules = slices.DeleteFunc(expanding.Rules, func(r *kernel.Rule) bool {
		if around(r) {
			return false
		}
		kept = append(kept, r)
		return true
	})
	out := throw.Get(ExpandRules(expanding))
	out = out.Clone()
	out.Rules = kept
	return out
}

// allExprs lists the expressions of statements and the bodies of rules.
func allExprs(k *kernel.Kernel) []expr.Expr {
	list := lists.Flat(k.Statements, (*kernel.Stmt).Exprs)
	for _, r := range k.Rules {
		list = append(list, r.Body)
	}
	return list
}
