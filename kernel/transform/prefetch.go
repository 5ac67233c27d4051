package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Prefetch are the options of AddPrefetch.
type Prefetch struct {
	// BoundingBox fetches the smallest box around the needed elements if these are not a box (for example without the
	// corners of a stencil).
	BoundingBox bool
	// OuterInames are the inames around the fetch. They must include those that the accesses use and the sweep does not,
	// which are the default.
	OuterInames []string
	// Name of the tile, <array>_fetch by default; ID of the statement that fills it, <name>_rule by default.
	Name, ID string
	// DimNames are the inames of the fetch per array axis, <array>_dim_<axis> by default. Axes along which the tile has
	// one element have no iname.
	DimNames []string
	// Tag of these inames, l.auto by default.
	Tag string
	// Space of the tile; by default local or private, according to the tags of its inames.
	Space kernel.Space
}

// AddPrefetch copies what the kernel reads of a global array, while the sweep inames take all their values, into a tile
// (Stevens and Klöckner, section 2.1), and reads the tile instead. The tile's sizes are constants: the extent of the
// accesses over the sweep, whatever the parameters. The fetch is restricted to elements that exist in the array and,
// without BoundingBox, to those that are needed; sizes that the tile does not divide lead to guards. The load of the fetch
// gets the tag of the accesses.
func AddPrefetch(k *kernel.Kernel, array string, sweep []string, opt Prefetch) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	fail := func(format string, args ...any) (*kernel.Kernel, error) {
		return nil, k.Errorf("prefetch of %s: %w", array, fmt.Errorf(format, args...))
	}
	a := k.Array(array)
	switch {
	case a == nil:
		return fail("there is no such array")
	case a.IsValue || k.IsTemp(array) || len(a.Shape) == 0:
		return fail("it is not an array argument")
	}
	if acc := vectorAccess(k, array); acc != nil {
		return fail("%s reads %d elements at a time; tiles are read element by element", acc, acc.Lanes)
	}
	if w := k.Writers(array); len(w) > 0 {
		return fail("statement %s writes it, so that a copy could become stale", w[0].ID)
	}
	p := &prefetch{of: array, axisCount: len(a.Shape), array: a, sweep: sweep, opt: opt}
	p.Kernel = expandAround(k, array)
	if err := p.run(); err != nil {
		return fail("%w", err)
	}
	return p.Kernel, nil
}

type prefetch struct {
	*kernel.Kernel
	of        string // the array or the rule
	axisCount int
	array     *kernel.Array // nil for a rule
	rule      *kernel.Rule  // nil for an array
	sweep     []string
	opt       Prefetch

	sites []*site
	tag   string   // of the accesses
	outer []string // inames around the fetch, sorted
	axes  []tileAxis
	dims  []string // inames of the fetch, of the axes with more than one element
	tile  *kernel.Array
	id    string
}

// run replaces the accesses; it works on a copy of the kernel.
func (p *prefetch) run() error {
	if p.ExplicitBarriers {
		return errExplicit
	}
	p.Kernel = p.Clone()
	for _, step := range []func() error{p.checkSweep, p.collect, p.findOuter, p.measure, p.name, p.fetchDomain, p.restrict, p.rewrite} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *prefetch) checkSweep() error {
	for i, n := range p.sweep {
		if !p.IsIname(n) {
			return fmt.Errorf("unknown iname %q (the kernel has %s)", n, nameset.Text(p.Inames()))
		}
		if slices.Contains(p.sweep[:i], n) {
			return fmt.Errorf("iname %s is swept twice", n)
		}
		if tag := p.Tags[n]; tag.Kind == kernel.GroupAxis {
			return fmt.Errorf("iname %s is tagged %s: a tile belongs to one work-group; sweep the local part of a split iname", n, tag)
		}
	}
	return nil
}

// site is an access, or a use of a rule, to be replaced.
type site struct {
	stmt  *kernel.Stmt
	acc   expr.Expr
	tag   string
	scope []string // inames that expressions may use there
	maybe bool     // under a condition
	index []polycount.Affine
	used  []string // inames in index, sorted
}

// tileAxis is an axis of the array: the tile holds base to base + extent - 1 of it.
type tileAxis struct {
	base   polycount.Affine
	extent int64
	dim    string // iname of the fetch, "" where extent is 1
}

// at is the affine index of the fetched element along the axis.
func (x tileAxis) at() polycount.Affine {
	if x.dim == "" {
		return x.base
	}
	return x.base.Add(polycount.Name(x.dim))
}

func (p *prefetch) collect() (err error) {
	defer throw.Catch(&err)
	for _, s := range p.Statements {
		for _, e := range s.Exprs() {
			p.collectIn(s, e, s.Inames, len(s.Predicates) > 0)
		}
	}
	if len(p.sites) == 0 {
		return fmt.Errorf("no statement reads it")
	}
	for _, s := range p.sites {
		if s.tag != p.sites[0].tag {
			return fmt.Errorf("its accesses have different tags (%s, %s), and one load replaces them", p.sites[0].acc, s.acc)
		}
	}
	p.tag = p.sites[0].tag
	return nil
}

// uses reports whether e reads the array or uses the rule, and at which index.
func (p *prefetch) uses(e expr.Expr) (tag string, index []expr.Expr, ok bool) {
	switch x := e.(type) {
	case *expr.Access:
		return x.Tag, x.Index, p.array != nil && x.Array == p.of
	case *expr.Call:
		return "", x.Args, p.rule != nil && x.Func == p.of
	case expr.Var:
		return "", nil, p.rule != nil && x.Name == p.of
	}
	return "", nil, false
}

func (p *prefetch) collectIn(s *kernel.Stmt, e expr.Expr, scope []string, maybe bool) {
	switch x := e.(type) {
	case nil:
		return
	case *expr.Reduce:
		scope = slices.Concat(scope, x.Inames)
	case *expr.Cond:
		maybe = true
	case *expr.Op:
		maybe = maybe || x.Kind == expr.And || x.Kind == expr.Or
	}
	if tag, index, ok := p.uses(e); ok {
		at := &site{stmt: s, acc: e, tag: tag, scope: scope, maybe: maybe, used: p.free()}
		for _, i := range index {
			x, err := p.AffineOf(i)
			if err != nil {
				panic(throw.Errorf("%s in statement %s: %w", e, s.ID, err))
			}
			at.index = append(at.index, x)
			at.used = append(at.used, nameset.Intersect(x.Names(), p.Inames())...)
		}
		for _, b := range p.Bounds(at.used) { // the fetch has the bounds of the accesses
			for _, w := range p.Writers(b) {
				at.used = append(at.used, nameset.Intersect(w.Inames, scope)...)
			}
		}
		at.used = nameset.Sorted(at.used)
		p.sites = append(p.sites, at)
	}
	for _, c := range expr.Children(e) {
		p.collectIn(s, c, scope, maybe)
	}
}

func (p *prefetch) findOuter() error {
	for _, s := range p.sites {
		p.outer = append(p.outer, nameset.Remove(s.used, p.sweep...)...)
	}
	p.outer = nameset.Sorted(p.outer)
	if p.opt.OuterInames != nil {
		for _, n := range p.opt.OuterInames {
			if !p.IsIname(n) {
				return fmt.Errorf("unknown iname %q (the kernel has %s)", n, nameset.Text(p.Inames()))
			}
			if slices.Contains(p.sweep, n) {
				return fmt.Errorf("iname %s is both swept and outside the fetch", n)
			}
		}
		for _, n := range p.outer {
			if !slices.Contains(p.opt.OuterInames, n) {
				return fmt.Errorf("the accesses use iname %s, which is neither swept nor one of the outer inames", n)
			}
		}
		p.outer = nameset.Sorted(p.opt.OuterInames)
	}
	for _, s := range p.sites {
		for _, n := range p.outer {
			if !slices.Contains(s.scope, n) {
				return fmt.Errorf("the tile would depend on iname %s, which statement %s, reading %s, is not within", n, s.stmt.ID, s.acc)
			}
		}
	}
	return nil
}

// measure finds the tile: per axis its base in terms of the outer inames, and its constant extent.
func (p *prefetch) measure() error {
	for axis := range p.axisCount {
		var first polycount.Affine
		var lo, hi int64
		for i, s := range p.sites {
			swept, rest := p.sweptPart(s.index[axis])
			for _, n := range nameset.Intersect(rest.Names(), p.sweep) {
				return fmt.Errorf("%s: axis %d is not affine in the swept iname %s", s.acc, axis, n)
			}
			if i == 0 {
				first = rest
			}
			shift := rest.Sub(first)
			if !shift.IsConstant() {
				return fmt.Errorf("%s and %s differ by %s along axis %d, so that one tile cannot hold both; sweep these inames", p.sites[0].acc, s.acc, shift, axis)
			}
			l, h, okL, okH, err := p.Interval(swept, p.Inames())
			if err != nil {
				return err
			}
			if !okL || !okH {
				return fmt.Errorf("%s: the extent of axis %d over the sweep is not constant; split the swept iname first, or fix the parameters", s.acc, axis)
			}
			l, h = l+shift.Constant(), h+shift.Constant()
			if i == 0 {
				lo, hi = l, h
			}
			lo, hi = min(lo, l), max(hi, h)
		}
		p.axes = append(p.axes, tileAxis{base: first.Add(polycount.Int(lo)), extent: hi - lo + 1})
	}
	return nil
}

// sweptPart splits an index into its terms in the swept inames and the rest.
func (p *prefetch) sweptPart(e polycount.Affine) (swept, rest polycount.Affine) {
	for _, t := range e.All() {
		if t.Floor == nil && slices.Contains(p.sweep, t.Name) {
			swept = swept.Add(polycount.Name(t.Name).Scale(t.Coeff))
		}
	}
	return swept, e.Sub(swept)
}

func (p *prefetch) name() (err error) {
	defer throw.Catch(&err)
	name := p.opt.Name
	if name == "" {
		name = p.FreshName(p.of + p.suffix())
	} else if err := throw.Try(func() { checkNewName(p.Kernel, name) }); err != nil {
		return err
	}
	p.tile = &kernel.Array{Name: name, DType: p.dtype(), Space: p.opt.Space, Shape: []expr.Expr{}}
	p.id = p.opt.ID
	if p.id == "" {
		p.id = p.FreshID(name + "_rule")
	} else if !expr.IsName(p.id) || p.Stmt(p.id) != nil {
		return fmt.Errorf("statement id %q is malformed or in use", p.id)
	}
	if p.opt.DimNames != nil && len(p.opt.DimNames) != len(p.axes) {
		return fmt.Errorf("%d names for the inames of %d axes", len(p.opt.DimNames), len(p.axes))
	}
	for i := range p.axes {
		x := &p.axes[i]
		if x.extent == 1 {
			continue
		}
		if p.opt.DimNames != nil {
			x.dim = p.opt.DimNames[i]
			checkNewName(p.Kernel, x.dim)
		} else {
			x.dim = kernel.Fresh(fmt.Sprintf("%s_dim_%d", p.of, i), func(n string) bool { return n == name || p.InUse(n) })
		}
		p.dims = append(p.dims, x.dim)
		p.tile.Shape = append(p.tile.Shape, expr.Int{Value: x.extent})
	}
	return nil
}

// restrict restricts the fetch to the array unless the domain implies that.
func (p *prefetch) restrict() (err error) {
	defer throw.Catch(&err)
	if p.rule != nil {
		p.restrictRule()
		return nil
	}
	if len(p.dims) == 0 {
		return nil // the fetch is the access itself
	}
	last := len(p.Domains) - 1
	for i, x := range p.axes {
		size, err := p.AffineOf(p.array.Shape[i])
		if err != nil {
			if p.opt.BoundingBox || len(p.sites) > 1 {
				return fmt.Errorf("the size %s of axis %d is not affine, so that the box cannot be restricted to the array: %w", p.array.Shape[i], i, err)
			}
			continue
		}
		d := throw.Get(p.DomainOf(slices.Concat(p.outer, p.dims)))
		for _, c := range []polycount.Constraint{
			polycount.GE(x.at(), polycount.Int(0)),
			polycount.GE(size.Sub(polycount.Int(1)), x.at()),
		} {
			implied := throw.Get(d.Implies(c))
			if !implied {
				p.Domains[last] = throw.Get(p.Domains[last].Constrain(c))
			}
		}
	}
	return nil
}

// rewrite adds the tile and the statement that fills it, and makes the accesses read the tile.
func (p *prefetch) rewrite() error {
	tag := kernel.Tag{Kind: kernel.LocalAuto}
	if p.opt.Tag != "" {
		var err error
		if tag, err = kernel.ParseTag(p.opt.Tag); err != nil {
			return err
		}
	}
	if len(p.dims) > 0 && tag.Parallel() {
		for _, n := range p.outer {
			if p.Tags[n].Kind == kernel.LocalAxis {
				return fmt.Errorf("the tile would depend on iname %s (%s), but a work-group has only one; sweep %s too, or fetch privately (default_tag=\"for\")", n, p.Tags[n], n)
			}
		}
	}
	p.Temps = append(p.Temps, p.tile)
	var place []expr.Expr
	for _, x := range p.axes {
		if x.dim != "" {
			place = append(place, expr.Var{Name: x.dim})
		}
	}
	by := map[expr.Expr]expr.Expr{}
	for _, s := range p.sites {
		var index []expr.Expr
		for i, x := range p.axes {
			if x.dim != "" {
				at := s.index[i].Sub(x.base)
				if err := at.Err(); err != nil {
					return err
				}
				index = append(index, expr.FromAffine(at))
			}
		}
		by[s.acc] = p.element(index)
	}
	p.MapStmts(func(s *kernel.Stmt) {
		s.MapExprs(func(e expr.Expr) expr.Expr {
			return rewriteDown(e, func(x expr.Expr) (expr.Expr, bool) {
				tile, found := by[x]
				if found {
					s.Deps = nameset.Add(s.Deps, p.id)
				}
				return tile, found
			})
		})
	})
	fetch := &kernel.Stmt{ID: p.id, LHS: p.element(place), RHS: p.fetched(), Inames: nameset.Sorted(slices.Concat(p.outer, p.dims))}
	at := slices.IndexFunc(p.Statements, func(s *kernel.Stmt) bool { return slices.Contains(s.Deps, p.id) })
	fetch.At = p.Statements[at].At
	p.Statements = slices.Insert(p.Statements, at, fetch)
	for _, n := range p.dims {
		if err := p.SetTag(n, tag); err != nil {
			return err
		}
	}
	return nil
}

// fetched is the right-hand side of the statement that fills the tile.
func (p *prefetch) fetched() expr.Expr {
	index := lists.Map(p.axes, func(x tileAxis) expr.Expr { return expr.FromAffine(x.at()) })
	if p.array != nil {
		return &expr.Access{Array: p.of, Tag: p.tag, Index: index}
	}
	by := map[string]expr.Expr{}
	for i, n := range p.rule.Args {
		by[n] = index[i]
	}
	return flattenIndices(expr.Subst(p.rule.Body, by))
}

func (p *prefetch) element(index []expr.Expr) expr.Expr {
	if len(index) == 0 {
		return expr.Var{Name: p.tile.Name}
	}
	return &expr.Access{Array: p.tile.Name, Index: index}
}
