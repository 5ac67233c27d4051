package transform

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Prepare returns the kernel with everything decided that may be left open: substitution rules expanded, element types
// inferred, reductions realized, ilp inames interleaved, automatic axes and address spaces resolved. What cannot be decided is an error.
func Prepare(k *kernel.Kernel) (out *kernel.Kernel, err error) {
	c, err := ExpandRules(k)
	if err != nil {
		return nil, err
	}
	c = c.Clone()
	if err := c.InferTypes(); err != nil {
		return nil, err
	}
	if c, err = RealizeReduction(c); err != nil {
		return nil, err
	}
	if c, err = resolveILP(c); err != nil {
		return nil, err
	}
	if err := c.InferTypes(); err != nil {
		return nil, err
	}
	if err := resolveAuto(c); err != nil {
		return nil, err
	}
	c.ResolveSpaces()
	c.OrderBounds()
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := checkPrepared(c); err != nil {
		return nil, err
	}
	return c, nil
}

// checkPrepared: nothing is left open.
func checkPrepared(k *kernel.Kernel) error {
	for _, list := range [2][]*kernel.Array{k.Args, k.Temps} {
		for _, a := range list {
			if a.DType == "" {
				return k.Errorf("%w", &kernel.UnknownTypeError{Name: a.Name})
			}
		}
	}
	for _, s := range k.Statements {
		var types []expr.DType
		for _, e := range s.Exprs() {
			t, err := k.TypeOf(e)
			if err != nil {
				return k.Errorf("statement %s: %w", s.ID, err)
			}
			types = append(types, t)
			expr.Walk(e, func(x expr.Expr) bool {
				if cond, ok := x.(*expr.Cond); ok && err == nil {
					_, err = k.TypeOf(cond.If)
				}
				return err == nil
			})
			if err != nil {
				return k.Errorf("statement %s: %w", s.ID, err)
			}
		}
		if s.Kind == kernel.Assign && types[1].IsVector() && types[0].Lanes() != types[1].Lanes() {
			return k.Errorf("statement %s assigns %s to %s, which is %s", s.ID, types[1], s.LHS, types[0])
		}
	}
	return nil
}
