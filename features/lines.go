package features

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
	"gpuperf/polycount"
)

// unit is the size in which global memory is cached or transferred.
type unit struct {
	name  string
	bytes int64
}

var (
	cacheLines = unit{"lines", launch.LineBytes}
	sectors    = unit{"sectors", launch.SectorBytes}
)

// transactions counts the units that the work-items of a sub-group touch in one execution of an access, each once, summed
// over all executions. Addresses are absolute, with arrays at multiples of the unit; work-items are numbered through the
// group with axis 0 running fastest, as hardware does, so that a sub-group may be a 16x2 piece of a 16x16 group; those that
// the domain leaves out touch nothing.
//
// The address is A + B: A depends on the inames that a group's work-items share, B on their lids. Which work-items touch the same unit
// depends on A only modulo the unit, so the sum is over units and residues, of the number of points with that residue at which any of
// the unit's work-items is active. If all residues have the same units, these numbers are symbolic in the sizes.
type transactions struct {
	c     *counter
	bytes int64 // of an element
	span  int64 // elements of one access

	base   []indexTerm // A without its constant
	rest   expr.Expr
	lids   []indexTerm // B, in inames on local axes
	domain *polycount.Set
	lanes  []lane
	active []*polycount.Set // points of the shared inames at which a lane is active
	groups *polycount.Poly  // along axes that the statement does not use
	factor *evaluator       // the same

	mu     sync.Mutex
	counts map[string]*evaluator
	covers map[string]*polycount.Set
}

// unitsOf counts the units of a size that the accesses of a record touch.
func unitsOf(u unit) func(*Statistics, Mem, map[string]int64) (*big.Rat, error) {
	return func(s *Statistics, m Mem, sizes map[string]int64) (*big.Rat, error) { return s.units(u, m, sizes) }
}

// Sectors is the number of 32-byte sectors that the sub-groups touch in the accesses of a record of global memory, as f_mem_sectors
// counts them.
func (s *Statistics) Sectors(m Mem, sizes map[string]int64) (float64, error) {
	n, err := s.units(sectors, m, sizes)
	if err != nil {
		return 0, err
	}
	v, _ := n.Float64()
	return v, nil
}

func (s *Statistics) units(u unit, m Mem, sizes map[string]int64) (*big.Rat, error) {
	list, err := remember(s, s.moved, m, func() (list []*transactions, err error) {
		for _, site := range s.sites[m] {
			t, err := s.c.newTransactions(site)
			if err != nil {
				return nil, err
			}
			list = append(list, t)
		}
		return list, nil
	})
	sum := new(big.Rat)
	for _, t := range list {
		var n *big.Rat
		if n, err = t.at(u, sizes); err != nil {
			break
		}
		sum.Add(sum, n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", u.name, m.Variable, err)
	}
	return sum, nil
}

// indexTerm is coeff times an expression of inames.
type indexTerm struct {
	coeff expr.Expr // in sizes
	of    polycount.Affine
}

// lane is a work-item of a group: its sub-group, the values of the local inames, and where it is active.
type lane struct {
	subgroup int64
	lid      map[string]int64
	active   int
}

// newTransactions prepares a site in global memory.
func (c *counter) newTransactions(s site) (*transactions, error) {
	a := c.k.Array(s.access.Array)
	t := &transactions{c: c, span: a.Span(s.access), bytes: a.DType.Size(), counts: map[string]*evaluator{}, covers: map[string]*polycount.Set{}}
	if err := t.split(s); err != nil {
		return nil, err
	}
	var err error
	if t.domain, err = c.pointsOf(s.at); err != nil {
		return nil, err
	}
	if err := c.dependsOnData(t.domain); err != nil {
		return nil, err
	}
	w := c.where(s.at, WorkItem)
	if t.groups, err = c.idleGroups(w); err != nil {
		return nil, err
	}
	t.factor = newEvaluator(t.groups)
	return t, t.findLanes(s.at.stmt.Inames, w)
}

// split divides the flat index into the part that the work-items of a group share and the part of their lids.
func (t *transactions) split(s site) error {
	form, err := t.c.flatIndex(s)
	if err != nil {
		return err
	}
	t.rest = form.Rest.Expr()
	add := func(coeff *expr.Poly, of polycount.Affine) error {
		inames := slices.DeleteFunc(of.Names(), func(n string) bool { return !t.c.k.IsIname(n) })
		local := 0
		for _, n := range inames {
			if t.c.k.Tags[n].Kind == kernel.LocalAxis {
				local++
			}
		}
		switch local {
		case 0:
			t.base = append(t.base, indexTerm{coeff.Expr(), of})
		case len(of.Names()):
			t.lids = append(t.lids, indexTerm{coeff.Expr(), of})
		default:
			return fmt.Errorf("%s in the index of %s rounds a lid together with other variables", of, s.access)
		}
		return nil
	}
	for _, term := range form.Terms {
		if err := add(term.Coeff, polycount.Name(term.Iname)); err != nil {
			return err
		}
	}
	for _, f := range form.Floors {
		if err := add(f.Coeff, f.Num.FloorDiv(f.Den)); err != nil {
			return err
		}
	}
	return nil
}

// findLanes lists the work-items of a group that run the statement at some point, and their points. Along a local axis that the statement
// does not use, every work-item runs it or only the first, as in multiplicity.
func (t *transactions) findLanes(inames []string, w where) error {
	size, err := t.c.size()
	if err != nil {
		return err
	}
	axis := [3]string{} // inames
	var shared []string
	for _, name := range inames {
		if tag := t.c.k.Tags[name]; tag.Kind == kernel.LocalAxis {
			axis[tag.Axis] = name
		} else {
			shared = append(shared, name)
		}
	}
	everyItem := t.c.everyItem(w)
	separate, err := t.separate(shared, axis[:])
	if err != nil {
		return err
	}
	local := map[[3]int64]int{} // activity by lids on the axes in use
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				item := [3]int64{x, y, z}
				at, used, runs := map[string]int64{}, item, true
				for i, name := range axis {
					if name != "" {
						at[name] = item[i]
					} else {
						runs, used[i] = runs && (everyItem || item[i] == 0), 0
					}
				}
				if !runs {
					continue
				}
				id, ok := local[used]
				if !ok {
					points, err := separate(at)
					if err != nil {
						return err
					}
					id = -1
					if points != nil {
						if id = slices.IndexFunc(t.active, points.SameForm); id < 0 {
							id, t.active = len(t.active), append(t.active, points)
						}
					}
					local[used] = id
				}
				if id >= 0 {
					t.lanes = append(t.lanes, lane{(x + size[0]*(y+size[1]*z)) / int64(t.c.opt.SubgroupSize), at, id})
				}
			}
		}
	}
	return nil
}

// separate returns a function that gives the points of the shared inames at which the work-item with given lids runs, nil
// for none. If the domain is a product of points and lids, these points are the same for all work-items that run.
func (t *transactions) separate(shared, axes []string) (func(lid map[string]int64) (*polycount.Set, error), error) {
	axes = slices.DeleteFunc(slices.Clone(axes), func(name string) bool { return name == "" })
	points, err := t.domain.Project(shared...)
	if err != nil {
		return nil, err
	}
	lids, err := t.domain.Project(axes...)
	if err != nil {
		return nil, err
	}
	some, err := points.Project() // sizes with points
	if err != nil {
		return nil, err
	}
	all, err := lids.ToDims(lids.Params()...).Project(axes...)
	if err != nil {
		return nil, err
	}
	product, err := points.Product(all)
	if err == nil {
		product, err = product.IntersectParams(some)
	}
	if err == nil {
		product, err = product.Project(t.domain.Dims()...)
	}
	if err != nil {
		return nil, err
	}
	isProduct, err := product.IsSubset(t.domain)
	if err != nil {
		return nil, err
	}
	slice := func(lid map[string]int64) (*polycount.Set, error) {
		part, err := t.domain.Fix(lid)
		if err != nil {
			return nil, err
		}
		if empty, err := part.IsEmpty(); err != nil || empty {
			return nil, err
		}
		return part.Project(shared...)
	}
	if !isProduct {
		return slice, nil
	}
	return func(lid map[string]int64) (*polycount.Set, error) {
		if in, err := all.Contains(lid); err != nil || !in {
			return nil, err
		}
		return points, nil
	}, nil
}
