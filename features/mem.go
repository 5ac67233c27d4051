package features

import (
	"errors"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// site is an access in the text of the kernel.
type site struct {
	at     scope
	access *expr.Access
	guard  bool // it is in the condition of a guard
}

// countMem counts the accesses of one execution of s to global and local memory: each occurrence in the text, those in
// indices included. What the index of the target reads is a load. Predicates are counted where branches are exact.
func (c *counter) countMem(s *kernel.Stmt, sites map[Mem][]site) (err error) {
	defer throw.Catch(&err)
	loads, store := c.accesses(s)
	for _, acc := range loads {
		c.countAccess(acc, Load, sites)
	}
	if store != nil {
		c.countAccess(*store, Store, sites)
		return nil
	}
	return nil
}

// accesses lists what s reads and what it writes. Scalars that are no values passed to the kernel are accesses without
// index.
func (c *counter) accesses(s *kernel.Stmt) (loads []site, store *site) {
	var collect func(at scope, e expr.Expr)
	collect = func(at scope, e expr.Expr) {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Op:
				if x.Kind != expr.And && x.Kind != expr.Or {
					return true
				}
				at := at
				for _, arg := range x.Args { // those before decide whether it is evaluated
					collect(at, arg)
					if x.Kind == expr.Or {
						arg = expr.Negate(arg)
					}
					at = c.under(at, arg)
				}
				return false
			case *expr.Access:
				loads = append(loads, site{at: at, access: x})
			case expr.Var:
				if a := c.k.Array(x.Name); a != nil && !a.IsValue {
					loads = append(loads, site{at: at, access: &expr.Access{Array: x.Name}})
				}
			case *expr.Cond:
				collect(at, x.If)
				collect(c.under(at, x.If), x.Then)
				if !s.Guarded || x != s.RHS { // what is kept is not loaded
					collect(c.under(at, expr.Negate(x.If)), x.Else)
				}
				return false
			}
			return true
		})
	}
	at := c.scopeOf(s)
	collect(at, s.RHS)
	at = c.guarded(at, s)
	for _, w := range c.k.Writes(s) {
		if s.Update() == nil { // which finds its element once
			for _, i := range w.Index {
				collect(at, i)
			}
		}
		store = &site{at: at, access: w}
	}
	if c.opt.ExactBranches {
		at := scope{stmt: s}
		own := len(loads)
		for _, p := range s.Predicates {
			collect(at, p)
			at = c.under(at, p)
		}
		for i := range loads[own:] {
			loads[own+i].guard = true
		}
	}
	return loads, store
}

// guarded is where a statement stores what it assigns.
func (c *counter) guarded(at scope, s *kernel.Stmt) scope {
	if choice, is := s.RHS.(*expr.Cond); is && s.Guarded {
		return c.under(at, choice.If)
	}
	return at
}

func (c *counter) countAccess(s site, direction Direction, sites map[Mem][]site) {
	acc := s.access
	a := c.k.Array(acc.Array)
	if a == nil || a.Space != kernel.Global && a.Space != kernel.Local || s.at.maybe && c.opt.Least {
		return
	}
	local, group := c.strides(s)
	granularity := SubGroup
	if a.Space == kernel.Global {
		shared := c.sharesElement(local)
		if !shared {
			granularity = WorkItem
		}
	}
	key := Mem{a.Memory(), a.TypeOf(acc).Vector(acc.Lanes), direction, acc.Array, acc.Tag, local, group, granularity}
	c.add(key, s.at, granularity, 1)
	sites[key] = append(sites[key], s)
}

// sharesElement reports whether the work-items of a sub-group are taken to access one element: those that follow each other along axis 0
// do. Where branches are exact, all of a sub-group must.
func (c *counter) sharesElement(local Strides) bool {
	if local.Along(0) != "0" || !c.opt.ExactBranches {
		return local.Along(0) == "0"
	}
	rows := throw.Get(c.spansRows(local))
	return !rows
}

// spansRows reports whether sub-groups span rows of the work-group along which the access moves.
func (c *counter) spansRows(local Strides) (bool, error) {
	size, err := c.size()
	if err != nil {
		return false, err
	}
	row := size[0]
	for axis := 1; axis < 3; axis++ {
		if row%int64(c.opt.SubgroupSize) != 0 && size[axis] > 1 && local.Along(axis) != "0" {
			return true, nil
		}
		row *= size[axis]
	}
	return false, nil
}

// strides are those of the flat index along the local and group axes, in elements (Stevens and Klöckner, section 6.1.1).
// Along an axis in a part of the index that is not linear the stride is "?".
func (c *counter) strides(s site) (local, group Strides) {
	byAxis := map[kernel.TagKind]map[int]string{kernel.LocalAxis: {}, kernel.GroupAxis: {}}
	set := func(iname, stride string) {
		if tag := c.k.Tags[iname]; tag.Parallel() && byAxis[tag.Kind] != nil {
			byAxis[tag.Kind][tag.Axis] = stride
		}
	}
	form, err := c.flatIndex(s)
	var notAffine *expr.NotAffineError
	var opaque []string // inames of parts that are not affine
	if errors.As(err, &notAffine) {
		var rest expr.Access
		rest, opaque = c.affinePart(s)
		form, err = c.flatIndex(site{at: s.at, access: &rest})
	}
	if err != nil {
		panic(throw.Of(err))
	}
	varying := opaque
	if c.opt.ExactBranches {
		form, varying = c.together(s.at.stmt, form, opaque)
	}
	for _, t := range form.Terms {
		set(t.Iname, t.Coeff.String())
	}
	for _, f := range form.Floors {
		for _, iname := range f.Num.Names() {
			set(iname, Varying)
		}
	}
	for _, iname := range slices.Concat(varying, c.boundBy(s.at.stmt, form, opaque)) {
		set(iname, Varying)
	}
	return makeStrides(byAxis[kernel.LocalAxis]), makeStrides(byAxis[kernel.GroupAxis])
}

// affinePart is the access without the terms of its indices that are not affine, and the inames that these may depend on.
func (c *counter) affinePart(s site) (rest expr.Access, inames []string) {
	rest = *s.access
	rest.Index = make([]expr.Expr, len(s.access.Index))
	var terms func(e expr.Expr) expr.Expr
	for axis, index := range s.access.Index {
		terms = func(e expr.Expr) expr.Expr {
			alone := rest
			alone.Index = make([]expr.Expr, len(rest.Index))
			for i := range alone.Index {
				alone.Index[i] = expr.Int{}
			}
			alone.Index[axis] = e
			if _, err := c.k.FlatIndex(&alone); err == nil {
				return e
			}
			if op, ok := e.(*expr.Op); ok && (op.Kind == expr.Add || op.Kind == expr.Sub || op.Kind == expr.Neg) {
				out := &expr.Op{Kind: op.Kind}
				for _, arg := range op.Args {
					out.Args = append(out.Args, terms(arg))
				}
				return out
			}
			inames = append(inames, c.variesWith(s.at.stmt, e)...)
			return expr.Int{}
		}
		rest.Index[axis] = terms(index)
	}
	return rest, inames
}

// flatIndex is that of the access, without the floors that are constant on its domain, as floor(i_inner/16) is for
// 0 <= i_inner < 16. Normal forms of floors leave no larger ones.
func (c *counter) flatIndex(s site) (_ *kernel.LinearForm, err error) {
	defer throw.Catch(&err)
	form, err := c.k.FlatIndex(s.access)
	if err != nil || len(form.Floors) == 0 {
		return form, err
	}
	domain := c.domainOf(s.at)
	out := &kernel.LinearForm{Terms: form.Terms, Rest: form.Rest}
	for _, f := range form.Floors {
		dissolved := false
		for q := int64(-1); q <= 1 && !dissolved; q++ {
			above := throw.Get(domain.Implies(polycount.GE(f.Num, polycount.Int(q*f.Den))))
			if !above {
				break
			}
			dissolved = throw.Get(domain.Implies(polycount.GE(polycount.Int(q*f.Den+f.Den-1), f.Num)))
			if dissolved {
				out.Rest = out.Rest.Add(f.Coeff.Scale(q))
			}
		}
		if !dissolved {
			out.Floors = append(out.Floors, f)
		}
	}
	return out, nil
}
