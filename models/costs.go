package models

// Cost is a part of a term: a parameter times work that features count. Where a term is no sum of such parts, it is one Cost without
// parameter and work.
type Cost struct {
	Term      string
	Parameter string
	Work      string // as the model file writes it, the user's own features by name
	work      *Expr  // over features of kernels
}

// Evaluator returns the features that the work is made of and a function that computes it from their values; nil for a Cost without
// work.
func (c Cost) Evaluator() (features []string, eval func(values []float64) float64) {
	if c.work == nil {
		return nil, nil
	}
	return Evaluator(c.work)
}

// WholeTerm is the name under which Costs has the expression of a model without named terms.
const WholeTerm = "time"

// Costs takes the terms apart, in the order of the file.
func (m *Model) Costs() []Cost {
	var out []Cost
	terms := m.Terms
	if len(terms) == 0 {
		terms = []Term{{Name: WholeTerm, expr: m.expression}}
	}
	for _, t := range terms {
		e := t.expr
		if len(e.names(TermRef)) > 0 {
			e = m.expand(e)
		}
		costs, ok := m.costsOf(t.Name, e)
		if !ok {
			costs = []Cost{{Term: t.Name}}
		}
		out = append(out, costs...)
	}
	return out
}

// costsOf takes a term apart; not ok unless it is linear in its parameters, without a part that has none.
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
	// With all parameters 0 nothing may be left.
	rest := e.substitute(func(leaf *Expr) *Expr {
		if leaf.Op == Param {
			return num(0)
		}
		return nil
	})
	names := rest.names(Feature)
	values := make([]float64, len(names))
	for i := range values {
		values[i] = 1
	}
	return out, len(out) > 0 && eval(rest, names, values) == 0
}

func eval(e *Expr, names []string, values []float64) float64 {
	t := assemble(names, nil, []*Expr{e})
	t.run(values, nil)
	return t.regs[t.out[0]]
}
