package kernel

import (
	"errors"
	"slices"

	"gpuperf/kernel/expr"
)

// names turns max and min over a name that is not an iname into operators, and rejects other reductions over such names.
func (m *maker) names() error {
	var bad error
	fix := func(e expr.Expr) expr.Expr {
		r, ok := e.(*expr.Reduce)
		if !ok {
			return e
		}
		for _, n := range r.Inames {
			if m.IsIname(n) {
				continue
			}
			if op := expr.Extremes(r); op != e {
				return op
			}
			if bad == nil {
				bad = m.UnknownIname(n)
			}
		}
		return e
	}
	for _, r := range m.Kernel.Rules {
		r.Body = expr.Rewrite(r.Body, fix)
	}
	if bad != nil {
		return bad
	}
	for i, s := range m.Instructions.Statements {
		s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Rewrite(e, fix) })
		if bad != nil {
			return m.at(i, "", "%v", bad)
		}
		// if blocks become predicates; what they test must not change within the block
		for _, g := range m.more[i].guards {
			cond := expr.Rewrite(g.cond, fix)
			for j, other := range m.Instructions.Statements {
				same := slices.ContainsFunc(m.more[j].guards, func(h guard) bool { return h.at == g.at })
				if t := other.Target(); same && t != "" && expr.Mentions(cond, t) {
					return m.at(j, "assign the condition to a temporary before the block", "the if block around this statement tests %s, which it changes", t)
				}
			}
			s.Predicates = append(s.Predicates, cond)
		}
	}
	m.Kernel.Statements = m.Instructions.Statements
	return nil
}

// infer appends the arguments that are used and not declared: arrays and scalars in the order of the text, then the
// parameters of the domains.
func (m *maker) infer() error {
	written := map[string]bool{}
	for _, s := range m.Kernel.Statements {
		written[s.Target()] = true
	}
	for i, s := range m.Kernel.Statements {
		var bad error
		missing := func(name string, a *Array) {
			switch {
			case bad != nil:
			case m.spec.Complete:
				bad = m.at(i, `declare it, or add "..." to the arguments`, "%s is not declared", name)
			case m.spec.Name == name:
				bad = m.at(i, "", "%s is the name of the kernel", name)
			default:
				m.Args = append(m.Args, a)
			}
		}
		for _, e := range s.Exprs() {
			e, err := m.Expand(e)
			if err != nil {
				return m.at(i, "", "%v", err)
			}
			for x := range expr.All(e) {
				switch x := x.(type) {
				case *expr.Access:
					if m.IsIname(x.Array) || m.IsParam(x.Array) {
						bad = errors.Join(bad, m.at(i, "", "%s is an iname or a parameter and cannot be indexed", x.Array))
					} else if m.Array(x.Array) == nil {
						a := &Array{Name: x.Array, Space: Global}
						if x.Index == nil {
							a.Shape = []expr.Expr{}
						}
						missing(x.Array, a)
					}
				case expr.Var:
					switch {
					case m.IsIname(x.Name) || m.IsParam(x.Name) || m.Array(x.Name) != nil:
					case written[x.Name]:
						missing(x.Name, &Array{Name: x.Name, Space: Global, Shape: []expr.Expr{}})
					default:
						missing(x.Name, &Array{Name: x.Name, Space: Private, IsValue: true})
					}
				}
			}
			if bad != nil {
				return bad
			}
		}
		if t := s.Target(); m.IsIname(t) || m.IsParam(t) && !m.IsTemp(t) {
			hint := ""
			if !m.IsIname(t) {
				hint = "a temporary may bound inames: declare it, as in <int32> " + t + " = ..."
			}
			return m.at(i, hint, "cannot assign to %s: it is an iname or a parameter", t)
		}
	}
	return m.inferParams()
}

// inferParams declares the parameters of domains as arguments.
func (m *maker) inferParams() error {
	for _, p := range m.Params() {
		if a := m.Array(p); a != nil {
			if !a.IsValue {
				return m.Errorf("%s is a parameter of the domain and an array", p)
			}
			continue
		}
		if m.spec.Complete {
			return m.Errorf(`parameter %s is not declared: declare it, or add "..." to the arguments`, p)
		}
		m.Args = append(m.Args, &Array{Name: p, DType: expr.Int32, Space: Private, IsValue: true})
	}
	return nil
}

// resolve turns names of global scalars into accesses and checks how variables are used.
func (m *maker) resolve() error {
	var bad error
	fix := func(e expr.Expr) expr.Expr {
		switch x := e.(type) {
		case expr.Var:
			a := m.Array(x.Name)
			switch {
			case a == nil || a.IsValue || m.IsIname(x.Name):
			case a.Shape == nil || len(a.Shape) > 0:
				bad = m.Errorf("array %s is used without an index", x.Name)
			case a.Space == Global && !m.IsTemp(x.Name):
				return &expr.Access{Array: x.Name}
			}
		case *expr.Access:
			a := m.Array(x.Array)
			if a != nil && a.IsValue {
				bad = m.Errorf("value argument %s is indexed", x.Array)
			}
			if a != nil && x.Index != nil && a.Shape != nil && len(a.Shape) != len(x.Index) {
				bad = m.Errorf("%s has %d indices, %s has %d axes", x, len(x.Index), x.Array, len(a.Shape))
			}
		}
		return e
	}
	for i, s := range m.Kernel.Statements {
		s.MapExprs(func(e expr.Expr) expr.Expr { return expr.Rewrite(e, fix) })
		if bad != nil {
			return m.at(i, "", "%v", errors.Unwrap(bad))
		}
	}
	for _, r := range m.Kernel.Rules {
		r.Body = expr.Rewrite(r.Body, func(e expr.Expr) expr.Expr {
			if v, ok := e.(expr.Var); ok && slices.Contains(r.Args, v.Name) {
				return e
			}
			return fix(e)
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}
