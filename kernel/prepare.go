package kernel

import "gpuperf/kernel/expr"

// Prepare returns the kernel with everything decided that may be left open: substitution rules expanded, element types
// inferred, reductions realized, ilp inames interleaved, automatic axes and address spaces resolved. What cannot be decided is an error.
func (k *Kernel) Prepare() (out *Kernel, err error) {
	defer expr.Rescue(&err)
	c, err := k.ExpandRules()
	if err != nil {
		return nil, err
	}
	c = c.clone()
	if err := c.inferTypes(); err != nil {
		return nil, err
	}
	if c, err = c.RealizeReduction(); err != nil {
		return nil, err
	}
	if c, err = c.resolveILP(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		c.inferTypes, c.resolveAuto, func() error { c.resolveSpaces(); c.orderBounds(); return nil }, c.Check, c.checkPrepared,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// checkPrepared: nothing is left open.
func (k *Kernel) checkPrepared() error {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for _, a := range list {
			if a.DType == "" {
				return k.errorf("%w", &UnknownTypeError{a.Name})
			}
		}
	}
	for _, s := range k.Statements {
		var types []expr.DType
		for _, e := range s.exprs() {
			t, err := k.TypeOf(e)
			if err != nil {
				return k.errorf("statement %s: %w", s.ID, err)
			}
			types = append(types, t)
			expr.Walk(e, func(x expr.Expr) bool {
				if cond, ok := x.(*expr.Cond); ok && err == nil {
					_, err = k.TypeOf(cond.If)
				}
				return err == nil
			})
			if err != nil {
				return k.errorf("statement %s: %w", s.ID, err)
			}
		}
		if s.Kind == Assign && types[1].IsVector() && types[0].Lanes() != types[1].Lanes() {
			return k.errorf("statement %s assigns %s to %s, which is %s", s.ID, types[1], s.LHS, types[0])
		}
	}
	return nil
}

// Launchable verifies what a kernel needs to run, beside what it needs to be counted: work-groups and tiles of constant
// size. It is called on prepared kernels.
func (k *Kernel) Launchable() error {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for _, a := range list {
			if a.Space != Local && a.Space != Private {
				continue
			}
			for axis, size := range a.Shape {
				if _, ok := size.(expr.Int); !ok {
					return k.errorf("the size %s of axis %d of %s is not constant, as %s memory needs; fix the parameters", size, axis, a.Name, a.Space)
				}
			}
		}
	}
	_, err := k.LocalSize()
	return err
}
