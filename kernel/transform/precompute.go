package transform

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Precompute computes the values of a substitution rule into a tile, for all that its uses need while the sweep inames
// take all their values, and lets the uses read the tile. It is AddPrefetch for a rule in the place of an array, with the
// same options. The tile is named <rule>_pre unless named. The rule must not read what the kernel writes.
func Precompute(k *kernel.Kernel, rule string, sweep []string, opt Prefetch) (out *kernel.Kernel, err error) {
	fail := func(format string, args ...any) (*kernel.Kernel, error) {
		return nil, k.Errorf("precomputing %s: %w", rule, fmt.Errorf(format, args...))
	}
	r := k.Rule(rule)
	if r == nil {
		return fail("there is no such substitution rule; make one with extract_subst")
	}
	body, err := k.Expand(r.Body)
	if err != nil {
		return fail("%w", err)
	}
	for _, a := range k.Reads(&kernel.Stmt{RHS: body}) {
		if w := k.Writers(a.Array); len(w) > 0 {
			return fail("it reads %s, which statement %s writes, so that a copy could be out of date", a.Array, w[0].ID)
		}
	}
	others := k.Clone()
	others.Rules = slices.DeleteFunc(others.Rules, func(o *kernel.Rule) bool { return o.Name == rule })
	expanded, err := ExpandRules(others)
	if err != nil {
		return nil, err
	}
	p := &prefetch{
		Kernel: expanded, of: rule, axisCount: len(r.Args), rule: &kernel.Rule{Name: r.Name, Args: r.Args, Body: body}, sweep: sweep, opt: opt,
	}
	if err := p.run(); err != nil {
		return fail("%w", err)
	}
	return p.Kernel, nil
}

// free are the inames that the rule uses beside its arguments, sorted.
func (p *prefetch) free() []string {
	var out []string
	if p.rule != nil {
		expr.FreeVars(p.rule.Body, func(n string) {
			if p.IsIname(n) && !slices.Contains(p.rule.Args, n) {
				out = append(out, n)
			}
		})
	}
	return nameset.Sorted(out)
}

func (p *prefetch) suffix() string {
	if p.rule != nil {
		return "_pre"
	}
	return "_fetch"
}

func (p *prefetch) dtype() expr.DType {
	if p.array != nil {
		return p.array.DType
	}
	by := map[string]expr.Expr{}
	for _, a := range p.rule.Args {
		by[a] = expr.Int{Value: 1 << 20} // an index
	}
	t, _ := p.TypeOf(expr.Subst(p.rule.Body, by)) // inferred later where it is not known yet
	return t
}

// restrictRule keeps the fetch to what can be computed, where more than what is needed in any case would be fetched.
func (p *prefetch) restrictRule() error {
	for _, n := range p.free() {
		if slices.Contains(p.sweep, n) {
			return fmt.Errorf("it uses the swept iname %s other than by an argument; make that an argument", n)
		}
	}
	if len(p.sites) == 1 && !p.opt.BoundingBox && !p.sites[0].maybe {
		// what is needed is fetched, if the use runs wherever its inames have a value
		s := p.sites[0]
		used := nameset.Sorted(slices.Concat(s.used, p.outer))
		all, err := p.DomainOf(used)
		if err != nil {
			return err
		}
		runs, err := p.DomainOf(nameset.Sorted(s.scope))
		if err == nil {
			runs, err = runs.Project(used...)
		}
		if err != nil {
			return err
		}
		if exact, err := all.IsSubset(runs); err != nil || exact {
			return err
		}
	}
	fetched := p.fetched()
	return p.keepInside(fetched, len(expr.Reductions(fetched)) > 0)
}

// keepInside restricts the fetch to points where what e reads exists: no use needs any other. What is read under a
// condition, or for values of an iname that a reduction binds, must exist everywhere.
func (p *prefetch) keepInside(e expr.Expr, maybe bool) error {
	switch x := e.(type) {
	case *expr.Cond:
		maybe = true
	case *expr.Op:
		maybe = maybe || x.Kind == expr.And || x.Kind == expr.Or
	case *expr.Access:
		scope := slices.Concat(p.outer, p.dims)
		expr.FreeVars(x, func(n string) {
			if p.IsIname(n) {
				scope = append(scope, n)
			}
		})
		inside, err := surelyInside(p.Kernel, x, nameset.Sorted(scope))
		if err != nil {
			return err
		}
		if !inside && (maybe || len(p.dims) == 0) {
			return fmt.Errorf("%s may lie outside its array at points of the tile that no use is sure to need", x)
		}
		for i, index := range x.Index {
			if inside {
				break
			}
			at, err1 := p.AffineOf(index)
			size, err2 := p.AffineOf(p.Array(x.Array).Shape[i])
			if err := errors.Join(err1, err2); err != nil {
				return fmt.Errorf("the fetch cannot be kept within the array that %s reads: %w", x, err)
			}
			last := len(p.Domains) - 1
			d, err := p.Domains[last].Constrain(polycount.GE(at, polycount.Int(0)), polycount.GE(size, at.AddInt(1)))
			if err != nil {
				return err
			}
			p.Domains[last] = d
		}
	}
	for _, c := range expr.Children(e) {
		if err := p.keepInside(c, maybe); err != nil {
			return err
		}
	}
	return nil
}
