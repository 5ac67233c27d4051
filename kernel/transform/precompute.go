package transform

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Precompute stores the values of a substitution rule that its uses need while the sweep inames take all their values in a
// tile, and makes the uses read the tile. It is AddPrefetch for a rule instead of an array, with the same options. The
// default name of the tile is <rule>_pre. The rule must not read what the kernel writes.
func Precompute(k *kernel.Kernel, rule string, sweep []string, opt Prefetch) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	fail := func(format string, args ...any) (*kernel.Kernel, error) {
		return nil, k.Errorf("precomputing %s: %w", rule, fmt.Errorf(format, args...))
	}
	r := k.Rule(rule)
	if r == nil {
		return fail("there is no such substitution rule (rules: %s). A rule goes once a tile replaces its uses: precompute it for all uses at once, or make another with extract_subst", nameset.Text(ruleNames(k)))
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
	expanded := expandAround(k, rule)
	p := &prefetch{
		Kernel: expanded, of: rule, axisCount: len(r.Args), rule: &kernel.Rule{Name: r.Name, Args: r.Args, Body: body}, sweep: sweep, opt: opt,
	}
	if err := p.run(); err != nil {
		return fail("%w", err)
	}
	return p.Kernel, nil
}

// free lists the inames that the rule uses other than through its arguments, sorted.
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

// restrictRule restricts the fetch to values that can be computed, if it might compute values that no use needs.
func (p *prefetch) restrictRule() {
	for _, n := range p.free() {
		if slices.Contains(p.sweep, n) {
			panic(throw.Errorf("it uses the swept iname %s other than through an argument; make it an argument", n))
		}
	}
	if len(p.sites) == 1 && !p.opt.BoundingBox && !p.sites[0].maybe {
		// a single use needs all that is fetched if it runs wherever its inames have a value
		s := p.sites[0]
		used := nameset.Sorted(slices.Concat(s.used, p.outer))
		all := throw.Get(p.DomainOf(used))
		runs := throw.Get(p.DomainOf(nameset.Sorted(s.scope)))
		runs = throw.Get(runs.Project(used...))
		if exact, err := all.IsSubset(runs); err != nil || exact {
			throw.If(err)
			return
		}
	}
	fetched := p.fetched()
	p.restrictTo(fetched, len(expr.Reductions(fetched)) > 0)
}

// restrictTo restricts the fetch to points where the elements that e reads exist, because uses need no others. maybe says
// that e is evaluated under a condition or in a reduction: what it reads then must exist at all points.
func (p *prefetch) restrictTo(e expr.Expr, maybe bool) {
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
		inside := inBounds(p.Kernel, x, nameset.Sorted(scope))
		if !inside && (maybe || len(p.dims) == 0) {
			panic(throw.Errorf("%s may be out of bounds at points of the tile that no use is certain to need", x))
		}
		for i, index := range x.Index {
			if inside {
				break
			}
			at, err1 := p.AffineOf(index)
			size, err2 := p.AffineOf(p.Array(x.Array).Shape[i])
			if err := errors.Join(err1, err2); err != nil {
				panic(throw.Errorf("the fetch cannot be restricted to the array that %s reads: %w", x, err))
			}
			last := len(p.Domains) - 1
			d := throw.Get(p.Domains[last].Constrain(polycount.GE(at, polycount.Int(0)), polycount.GE(size, at.AddInt(1))))
			p.Domains[last] = d
		}
	}
	for _, c := range expr.Children(e) {
		p.restrictTo(c, maybe)
	}
}
