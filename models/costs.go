package models

import "slices"

// Cost is an addend of a term: a parameter times work that features count. A term that is no sum of such products is one Cost without
// parameter and work.
type Cost struct {
	Term      string
	Parameter string
	Work      string // as the model file writes it, the user's own features by name
	work      *Expr  // over features of kernels
}

// Evaluator returns the features of the work and a function that computes the work from their values; nil for a Cost without work.
func (c Cost) Evaluator() (features []string, eval func(values []float64) float64) {
	if c.work == nil {
		return nil, nil
	}
	return Evaluator(c.work)
}

// WholeTerm is the term of the costs of a model without named terms.
const WholeTerm = "time"

// Joins lists the terms that the expression of a term refers to, in the order of the file: none for a term of features and
// parameters alone.
func (m *Model) Joins(term string) []string {
	var out []string
	for _, t := range m.Terms {
		if t.Name == term {
			out = t.expr.names(TermRef)
		}
	}
	return out
}

// Without is the model with a term replaced by 0: its time if the term, and the terms that it joins, cost nothing.
func (m *Model) Without(term string) *Model {
	out := *m
	out.Terms = slices.Clone(m.Terms)
	for i := range out.Terms {
		if out.Terms[i].Name == term {
			out.Terms[i].expr = num(0)
		}
	}
	if len(m.Terms) == 0 && term == WholeTerm {
		out.expression = num(0)
	}
	return &out
}

// Costs lists the costs of the terms, in the order of the file. A term that joins others has only the costs that it adds to theirs.
func (m *Model) Costs() []Cost {
	var out []Cost
	terms := m.Terms
	if len(terms) == 0 {
		terms = []Term{{Name: WholeTerm, expr: m.expression}}
	}
	for _, t := range terms {
		costs, ok := m.costsOf(t.Name, t.expr.without(TermRef))
		if !ok && len(t.expr.names(TermRef)) == 0 {
			costs, ok = []Cost{{Term: t.Name}}, true
		}
		if ok {
			out = append(out, costs...)
		}
	}
	return out
}

// costsOf lists the costs of a term; ok is false unless the term is linear in its parameters, with a parameter in each addend.
func (m *Model) costsOf(term string, e *Expr) (out []Cost, ok bool) {
	for _, p := range e.names(Param) {
		work := e.Derivative(p)
		if len(work.names(Param)) > 0 {
			return nil, false
		}
		for _, part := range work.addends() {
			out = append(out, Cost{term, p, part.String(), m.expand(part)})
		}
	}
	// With all parameters 0 the term must be 0.
	rest := e.without(Param)
	names, eval := Evaluator(rest)
	return out, len(out) > 0 && eval(slices.Repeat([]float64{1}, len(names))) == 0
}

// CostFeatures finds the features that each parameter is the cost of: those in products with that parameter alone, as in p_a * f_x or
// p_b * (f_x + 2*f_y), anywhere in the expression. A parameter that also occurs elsewhere, in an exponent or in a product with other
// factors, is left out.
func (m *Model) CostFeatures() map[string][]string {
	e, out := m.Expr(), map[string][]string{}
	for _, p := range e.names(Param) {
		if features, ok := e.costFeatures(p, map[*Expr]bool{}); ok {
			out[p] = features
		}
	}
	return out
}

// costFeatures lists the features that a parameter is the cost of in an expression, none if the parameter does not occur; ok is false
// if it is no such cost.
func (e *Expr) costFeatures(param string, seen map[*Expr]bool) (features []string, ok bool) {
	if seen[e] || !slices.Contains(e.names(Param), param) {
		return nil, true
	}
	seen[e] = true
	scaled := len(e.Args) > 1 && (e.Args[1].Op == Const || e.Op == Mul && e.Args[0].Op == Const)
	switch {
	case e.Op == Param:
		return nil, false
	case (e.Op == Mul || e.Op == Div) && !scaled:
		work := e.Derivative(param)
		return work.names(Feature), len(e.names(Param)) == 1 && len(work.names(Param)) == 0 && work.sumsFeatures()
	}
	for _, a := range e.Args {
		of, ok := a.costFeatures(param, seen)
		if !ok {
			return nil, false
		}
		for _, name := range of {
			if !slices.Contains(features, name) {
				features = append(features, name)
			}
		}
	}
	return features, true
}

// sumsFeatures reports that an expression is a sum of features with constant coefficients, and perhaps a constant.
func (e *Expr) sumsFeatures() bool {
	names := e.names(Feature)
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		by := e.Derivative(name)
		return by.Op != Const || by.Value == 0
	})
}

// without is the expression with 0 for all leaves of a kind.
func (e *Expr) without(op Op) *Expr {
	return e.substitute(func(leaf *Expr) *Expr {
		if leaf.Op == op {
			return num(0)
		}
		return nil
	})
}
