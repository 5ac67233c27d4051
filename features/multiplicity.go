package features

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// counter collects the counts of a prepared kernel.
type counter struct {
	k     *kernel.Kernel
	opt   Options
	at    map[string]int64        // the sizes of the count; nil counts at all
	found map[Key]map[where]int64 // occurrences
	held  map[string]bool         // statements that are counted as if a condition held that is not affine
	keys  []Key                   // in the order found
	mults map[where]*polycount.Poly
	axes  map[int]*polycount.Poly // number of groups along an axis

	scopes  map[string]scope          // by their text
	domains map[string]*polycount.Set // by scope
	bounds  []string                  // temporaries that bound inames
	size    func() ([3]int64, error)  // of a work-group
	program func() (program, error)   // linearized, once

	limit *limit // of the work of this count

	warnings []error // about the kernel; records that could not be counted are failures
}

// program is the linearized form of a kernel, and the race in it, if there is one.
type program struct {
	nest *linear.Nest
	race error
}

// where holds all that the multiplicity of an occurrence depends on.
type where struct {
	scope       string
	granularity Granularity
	target      kernel.Space // that the statement writes
}

func (c *counter) where(at scope, granularity Granularity) where {
	w := where{scope: at.String(), granularity: granularity, target: kernel.Private}
	for _, acc := range c.k.Writes(at.stmt) {
		w.target = c.k.Array(acc.Array).Space
	}
	c.scopes[w.scope] = at
	return w
}

func newCounter(k *kernel.Kernel, opt Options) *counter {
	return &counter{
		k: k, opt: opt,
		found: map[Key]map[where]int64{}, held: map[string]bool{}, mults: map[where]*polycount.Poly{}, axes: map[int]*polycount.Poly{},
		scopes: map[string]scope{}, domains: map[string]*polycount.Set{}, bounds: k.Bounds(k.Inames()), size: sync.OnceValues(k.LocalSize),
		program: sync.OnceValues(func() (p program, err error) {
			p.nest, p.race, err = linear.Analyze(k)
			return p, err
		}),
	}
}

// to is the counter for a count of what c has found, at all sizes or at some.
func (c *counter) to(at map[string]int64) *counter {
	n := *c
	n.at, n.mults, n.axes = at, map[where]*polycount.Poly{}, map[int]*polycount.Poly{}
	n.limit = newLimit()
	n.scopes, n.domains = maps.Clone(c.scopes), maps.Clone(c.domains)
	return &n
}

// fixed is a set at the sizes of the count.
func (c *counter) fixed(d *polycount.Set) *polycount.Set {
	if c.at == nil {
		return d
	}
	return throw.Get(d.Fix(c.at))
}

func (c *counter) add(key Key, at scope, granularity Granularity, n int64) {
	if n == 0 || at.maybe && c.opt.Least {
		return
	}
	if at.maybe {
		c.held[at.stmt.ID] = true
	}
	if c.found[key] == nil {
		c.found[key] = map[where]int64{}
		c.keys = append(c.keys, key)
	}
	c.found[key][c.where(at, granularity)] += n
}

// records converts occurrences to counts. Those that are 0 are left out, and so are those that cannot be counted, with the
// reason.
func (c *counter) records() (records []Record, failed []failure) {
	for _, key := range c.keys {
		sum, err := c.limited(func() (*polycount.Poly, error) { return c.sum(c.found[key]) })
		switch {
		case err != nil:
			failed = append(failed, failure{key, uncounted(key.String(), err)})
		case !sum.IsZero() || c.at != nil && occurs(c.found[key]): // no runs at these sizes, but at others
			records = append(records, Record{Key: key, Count: sum})
		}
	}
	return records, failed
}

// occurs reports that not all occurrences are products that multiply-adds have taken.
func occurs(occurrences map[where]int64) bool {
	for _, n := range occurrences {
		if n != 0 {
			return true
		}
	}
	return false
}

func (c *counter) sum(occurrences map[where]int64) (_ *polycount.Poly, err error) {
	defer throw.Catch(&err)
	places := make([]where, 0, len(occurrences))
	for w, n := range occurrences {
		if n != 0 { // products that multiply-adds have taken
			places = append(places, w)
		}
	}
	slices.SortFunc(places, func(a, b where) int {
		return cmp.Or(strings.Compare(a.scope, b.scope), cmp.Compare(a.target, b.target))
	})
	sum := polycount.Constant(0)
	for _, w := range places {
		m := c.multiplicity(w)
		sum = throw.Get(sum.Add(m.Scale(occurrences[w], 1)))
	}
	return c.gist(sum), nil
}

// multiplicity is how often a statement runs (Algorithm 1). Per sub-group: the runs of work-groups, that is without the
// local inames, times the sub-groups of a work-group, where one that is partly filled counts. Where branches are exact, times
// the sub-groups of which a work-item runs it, and iterations in lock step (lockstep.go).
//
// The domain does not contain hardware axes that the statement does not use. Local memory must be written in every work-group, and
// private memory by every work-item, so for these targets the axes count: the fetch of a tile that does not depend on j_outer runs for
// each j_outer. For a shared target one run suffices, and the others are redundant work.
func (c *counter) multiplicity(w where) *polycount.Poly {
	if m, ok := c.mults[w]; ok {
		return m
	}
	m, err := c.multiplicityOf(w)
	if err == nil {
		c.mults[w] = m
	}
	throw.If(c.limit.noted(w, err))
	return m
}

func (c *counter) multiplicityOf(w where) (_ *polycount.Poly, err error) {
	defer throw.Catch(&err)
	throw.If(c.limit.failed[w])
	at := c.scopes[w.scope]
	all := at.stmt.Inames
	inames := slices.Clone(all)
	if w.granularity != WorkItem {
		inames = slices.DeleteFunc(inames, func(name string) bool { return c.k.Tags[name].Kind == kernel.LocalAxis })
	}
	domain := c.pointsOf(at)
	exact := c.opt.ExactBranches && w.granularity == SubGroup && len(c.boundsIn(domain)) == 0
	if exact {
		domain, inames = c.inLockStep(domain, at.stmt, inames)
		domain = c.activeSubGroups(domain, w)
		inames = append(inames, subGroup)
	}
	if exact || len(inames) < len(all) {
		domain = throw.Get(domain.Project(inames...))
	}
	m, err := throw.Value(func() *polycount.Poly { return c.count(domain) })
	if err != nil {
		return nil, fmt.Errorf("runs within %s: %w", strings.Join(inames, ", "), err)
	}
	if w.granularity == SubGroup && !exact {
		m = m.Scale(c.subGroups(), 1)
	}
	for axis := range 3 {
		local := kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}
		tagged := slices.Contains(slices.Collect(maps.Values(c.k.Tags)), local)
		used := slices.ContainsFunc(all, func(name string) bool { return c.k.Tags[name] == local })
		if c.everyItem(w) && w.granularity == WorkItem && !used && tagged {
			m = m.Scale(throw.Get(c.size())[axis], 1)
		}
	}
	return c.gist(throw.Get(m.Mul(c.idleGroups(w)))), nil
}

// subGroup is the dimension of the sub-groups of a work-group.
const subGroup = "_subgroup"

// activeSubGroups adds the sub-groups of the work-items to the points of a statement. Along local axes that the statement does not use
// all work-items run it, or the first.
func (c *counter) activeSubGroups(domain *polycount.Set, w where) *polycount.Set {
	var item polycount.Affine
	var within []polycount.Constraint
	stride := int64(1)
	for axis, n := range throw.Get(c.size()) {
		tag := kernel.Tag{Kind: kernel.LocalAxis, Axis: axis}
		at := slices.IndexFunc(c.scopes[w.scope].stmt.Inames, func(name string) bool { return c.k.Tags[name] == tag })
		switch name := fmt.Sprintf("_lid%d", axis); {
		case at >= 0:
			item = item.AddScaled(stride, polycount.Name(c.scopes[w.scope].stmt.Inames[at]))
		case n > 1 && c.everyItem(w):
			domain = domain.AddDims(name)
			within = append(within, kernel.Within(name, 0, n-1)...)
			item = item.AddScaled(stride, polycount.Name(name))
		}
		stride *= n
	}
	first := polycount.Name(subGroup).Scale(int64(c.opt.SubgroupSize))
	within = append(within, polycount.GE(item, first), polycount.GE(first.AddInt(int64(c.opt.SubgroupSize-1)), item))
	return throw.Get(domain.AddDims(subGroup).Constrain(within...))
}

// subGroups is the number of sub-groups of a work-group, a partly filled one counted.
func (c *counter) subGroups() int64 {
	size := throw.Get(c.size())
	return intmath.CeilDiv(size[0]*size[1]*size[2], int64(c.opt.SubgroupSize))
}

// everyItem reports whether all work-items along a local axis that the statement does not use run it.
func (c *counter) everyItem(w where) bool {
	return c.opt.RedundantWork || w.target == kernel.Private
}

// idleGroups is the number of work-groups along the axes that the statement does not use, where all of them run it.
func (c *counter) idleGroups(w where) *polycount.Poly {
	if !c.everyItem(w) && w.target != kernel.Local {
		return polycount.Constant(1)
	}
	return c.groups(c.scopes[w.scope].stmt.Inames)
}

// groups is the number of work-groups along the axes that no iname of the list is on.
func (c *counter) groups(except []string) *polycount.Poly {
	product := polycount.Constant(1)
	for axis := range 3 {
		tag := kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}
		if slices.ContainsFunc(except, func(name string) bool { return c.k.Tags[name] == tag }) {
			continue
		}
		product = throw.Get(product.Mul(c.groupsAlong(axis)))
	}
	return product
}

// groupsAlong is the number of work-groups along an axis: one more than the largest value of an iname on it, 1 without.
func (c *counter) groupsAlong(axis int) *polycount.Poly {
	if n, ok := c.axes[axis]; ok {
		return n
	}
	const g = "_group"
	var all *polycount.Set
	for _, name := range c.k.Inames() {
		if c.k.Tags[name] != (kernel.Tag{Kind: kernel.GroupAxis, Axis: axis}) {
			continue
		}
		values := throw.Get(c.k.DomainOf([]string{name}))
		values = c.fixed(values)
		throw.If(c.dependsOnData(values))
		upTo := throw.Get(values.AddDims(g).Constrain(
			polycount.GE(polycount.Name(g), polycount.Int(0)), polycount.GE(polycount.Name(name), polycount.Name(g))))
		upTo = throw.Get(upTo.Project(g))
		if all == nil {
			all = upTo
		} else {
			all = throw.Get(all.Union(upTo))
		}
	}
	n := polycount.Constant(1)
	if all != nil {
		var err error
		if n, err = all.Count(); err != nil {
			panic(throw.Errorf("work-groups along axis %d: %w", axis, err))
		}
		n = c.gist(n)
	}
	c.axes[axis] = n
	return n
}

// gist rewrites a count at all sizes under the kernel's assumptions.
func (c *counter) gist(p *polycount.Poly) *polycount.Poly {
	if c.k.Assumptions == nil || c.at != nil {
		return p
	}
	return throw.Get(p.Gist(c.k.Assumptions))
}
