package models

import (
	"fmt"
	"slices"
)

// Compiled evaluates a model. Its methods allocate nothing and share scratch space: one goroutine at a time, or a Clone each.
//
// Feature and parameter values are given in the order of Features and Parameters.
type Compiled struct {
	Features   []string
	Parameters []string
	TermNames  []string

	value    *tape
	gradient *tape
	terms    *tape
}

// Compile makes the model ready to evaluate.
func (m *Model) Compile() (*Compiled, error) {
	if m.expression == nil {
		return nil, fmt.Errorf("model %q was not made by Parse or New", m.Name)
	}
	e := m.Expr()
	c := &Compiled{Features: e.names(Feature), Parameters: e.names(Param)}
	var terms []*Expr
	for _, t := range m.Terms {
		c.TermNames, terms = append(c.TermNames, t.Name), append(terms, m.expand(t.expr))
	}
	c.value = assemble(c.Features, c.Parameters, []*Expr{e})
	roots := []*Expr{e}
	for _, p := range c.Parameters {
		roots = append(roots, e.Derivative(p))
	}
	c.gradient = assemble(c.Features, c.Parameters, roots)
	c.terms = assemble(c.Features, c.Parameters, terms)
	return c, nil
}

// Clone returns a Compiled that can be used at the same time as c.
func (c *Compiled) Clone() *Compiled {
	k := *c
	for _, t := range []**tape{&k.value, &k.gradient, &k.terms} {
		own := **t
		own.regs = slices.Clone(own.regs)
		*t = &own
	}
	return &k
}

func (c *Compiled) check(features, params []float64) {
	if len(features) != len(c.Features) || len(params) != len(c.Parameters) {
		panic(fmt.Sprintf("models: %d features and %d parameters given, %d and %d needed",
			len(features), len(params), len(c.Features), len(c.Parameters)))
	}
}

// Eval returns the model's value.
func (c *Compiled) Eval(features, params []float64) float64 {
	c.check(features, params)
	c.value.run(features, params)
	return c.value.regs[c.value.out[0]]
}

// Gradient returns the model's value and stores its derivative by each parameter in grad.
func (c *Compiled) Gradient(features, params, grad []float64) float64 {
	c.check(features, params)
	if len(grad) != len(c.Parameters) {
		panic(fmt.Sprintf("models: room for %d derivatives, %d needed", len(grad), len(c.Parameters)))
	}
	t := c.gradient
	t.run(features, params)
	for i := range grad {
		grad[i] = t.regs[t.out[1+i]]
	}
	return t.regs[t.out[0]]
}

// Terms stores the value of each named term in dst, which is returned; a nil dst is made.
func (c *Compiled) Terms(features, params, dst []float64) []float64 {
	c.check(features, params)
	if dst == nil {
		dst = make([]float64, len(c.TermNames))
	}
	c.terms.run(features, params)
	for i, r := range c.terms.out {
		dst[i] = c.terms.regs[r]
	}
	return dst
}

// Evaluator returns the features that e uses and a function that computes e from their values; e must have no parameters and no terms.
// It is for outputs, custom features and the work of costs.
func Evaluator(e *Expr) (features []string, eval func(values []float64) float64) {
	features = e.names(Feature)
	t := assemble(features, nil, []*Expr{e})
	return features, func(values []float64) float64 {
		t.run(values, nil)
		return t.regs[t.out[0]]
	}
}
