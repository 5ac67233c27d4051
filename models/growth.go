package models

import "gpuperf/internal/lists"

// Growth returns a function that tells how the model's time grows with each feature, in the order of FeatureNames: its derivatives where
// every cost is paid. A cost that hides behind a larger one grows all the same, so that overlap, pnorm and max of two costs count as
// their sum. A feature with no cost, or only with costs fitted to 0, has the growth 0.
func (m *Model) Growth() func(features, params []float64) []float64 {
	t := m.growth()
	return func(features, params []float64) []float64 {
		t.run(features, params)
		return lists.Map(t.out, func(r int32) float64 { return t.regs[r] })
	}
}

// GrowthWithin is Growth for features in ranges, as [Compiled.Within] is Eval.
func (m *Model) GrowthWithin() func(features []Range, params []float64) []Range {
	return m.growth().ranges
}

// growth computes how the time grows with each feature.
func (m *Model) growth() *tape {
	e := m.Expr()
	sum := e.unhidden(map[*Expr]*Expr{})
	names := e.names(Feature)
	roots := lists.Map(names, sum.Derivative)
	return assemble(names, e.names(Param), roots)
}

// unhidden is the expression with the sum of two costs in place of their overlap, and nothing rounded. A maximum with a constant is no
// overlap.
func (e *Expr) unhidden(memo map[*Expr]*Expr) *Expr {
	if len(e.Args) == 0 {
		return e
	}
	if r, ok := memo[e]; ok {
		return r
	}
	args := lists.Map(e.Args, func(a *Expr) *Expr { return a.unhidden(memo) })
	if e.Op == Choose {
		args[0] = e.Args[0]
	}
	r := &Expr{Op: e.Op, Value: e.Value, Name: e.Name, Args: args}
	switch {
	case e.Op == Overlap, e.Op == PNorm, e.Op == Max && args[0].Op != Const && args[1].Op != Const:
		r = add(args[0], args[1])
	case e.Op == Ceil, e.Op == Floor, e.Op == Round:
		r = args[0]
	}
	memo[e] = r
	return r
}
