package models

import (
	"slices"

	"gpuperf/internal/lists"
)

// Cost is an addend of a term: a parameter times work that features count. An addend that is no such product has no parameter; its Work is
// the addend itself.
type Cost struct {
	Term      string
	Parameter string
	Work      string // as the model file writes it, the user's own features by name
	work      *Expr  // over features of kernels, and perhaps further parameters
}

// Features lists the features that count the work.
func (c Cost) Features() []string { return c.work.names(Feature) }

// WholeTerm is the term of the costs that stand in the expression of a model and in none of its terms.
const WholeTerm = "time"

// Joins lists the terms whose costs a term joins, in the order of the file: none for a term of features and parameters alone.
func (m *Model) Joins(term string) (terms []string) {
	i := m.term(term)
	if i < 0 {
		return nil
	}
	return lists.Where(m.Terms[i].expr.names(TermRef), func(name string) bool { return !m.Factor(name) })
}

// Factor reports that a term is no time, but a number: it has no cost, and others are multiplied by it.
func (m *Model) Factor(term string) bool {
	if m.term(term) < 0 || m.costs(term) {
		return false
	}
	added := false
	var walk func(e *Expr)
	walk = func(e *Expr) {
		added = added || e.Op == TermRef && e.Name == term
		if e.joins() {
			for _, a := range e.Args {
				walk(a)
			}
		}
	}
	walk(m.expression)
	for _, t := range m.Terms {
		walk(t.expr)
	}
	return !added
}

// Joint reports that a term has no costs but those of other terms.
func (m *Model) Joint(term string) bool {
	var joint func(e *Expr) bool
	joint = func(e *Expr) bool {
		args := e.Args
		if i := m.carrier(e); i >= 0 {
			args = args[i : i+1]
		} else if !e.joins() {
			return e.Op == TermRef
		}
		return !slices.ContainsFunc(args[:min(len(args), 2)], func(a *Expr) bool { return !joint(a) })
	}
	i := m.term(term)
	return i >= 0 && joint(m.Terms[i].expr)
}

func (m *Model) term(name string) int {
	return slices.IndexFunc(m.Terms, func(t Term) bool { return t.Name == name })
}

// Scaled is the model with a term multiplied by a factor.
func (m *Model) Scaled(term string, by float64) *Model {
	out := *m
	if i := m.term(term); i >= 0 {
		out.Terms = slices.Clone(m.Terms)
		out.Terms[i].expr = mul(num(by), out.Terms[i].expr)
	}
	return &out
}

// CostFeatures finds the features that each parameter is the cost of: those in products with that parameter alone, as in p_a * f_x or
// p_b * (f_x + 2*f_y), anywhere in the expression. Where other parameters change a cost, as in p_a * f_x * (1 + p_b * f_y), it is taken as it is
// without them: where they are 0. A parameter that also occurs elsewhere, in an exponent or in a product with other factors, is left out.
func (m *Model) CostFeatures() map[string][]string {
	e, out := m.Expr(), map[string][]string{}
	for _, p := range e.names(Param) {
		if features, ok := e.costFeatures(p, map[*Expr]bool{}); ok && len(features) > 0 {
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
		work := e.Derivative(param).withOnly(param)
		return work.names(Feature), work.is(0) || len(work.names(Param)) == 0 && work.sumsFeatures()
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

// withOnly is the expression where all parameters but one are 0, as far as sums and products tell.
func (e *Expr) withOnly(param string) *Expr {
	switch {
	case e.Op == Param && e.Name != param:
		return num(0)
	case simplified[e.Op] != nil:
		return simplified[e.Op](e.Args[0].withOnly(param), e.Args[1].withOnly(param))
	}
	return e
}

// simplified are the constructors of sums and products.
var simplified = map[Op]func(a, b *Expr) *Expr{Add: add, Sub: sub, Mul: mul, Div: div}

// sumsFeatures reports that an expression is a sum of features with constant coefficients, and perhaps a constant.
func (e *Expr) sumsFeatures() bool {
	names := e.names(Feature)
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		by := e.Derivative(name)
		return by.Op != Const || by.Value == 0
	})
}
