package features

import (
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// The work-items of a sub-group make the iterations of a loop in lock step: their first ones together, whatever value the iname has in each, and
// those with more iterations go on alone. A sub-group executes what is in the loop as often as the work-item with most iterations.

// iteration is the dimension of the iterations of a loop, in place of its iname.
const iteration = "_iteration_of_"

// inLockStep adds the iterations, as distances from the first, of those loops around a statement that work-items start at different values to the
// points that they run it at. It returns the dimensions that tell the iterations of all loops apart.
func (c *counter) inLockStep(domain *polycount.Set, s *kernel.Stmt, inames []string) (*polycount.Set, []string, error) {
	starts := c.unevenStarts(s)
	for _, name := range s.Inames {
		if starts[name] == nil {
			continue
		}
		inames = slices.DeleteFunc(slices.Clone(inames), func(n string) bool { return n == name })
		inames = append(inames, iteration+name)
		var err error
		if domain, err = fromStart(domain, name, starts[name]); err != nil {
			return nil, nil, err
		}
	}
	return domain, inames, nil
}

// unevenStarts are the lower bounds, the greatest of which it starts at, of each loop around a statement that does not start at the same value in all
// work-items of a group.
func (c *counter) unevenStarts(s *kernel.Stmt) map[string][]polycount.Affine {
	tagged := map[string]polycount.Affine{} // the statement's iname on each axis
	var differ []string                     // what is not the same for all work-items of a group
	loops := false
	for _, name := range s.Inames {
		tag := c.k.Tags[name]
		loops = loops || !tag.Parallel()
		if tag.Parallel() {
			tagged[linear.Axis(tag)] = polycount.Name(name)
		}
		if tag.Kind == kernel.LocalAxis {
			differ = append(differ, name)
		}
	}
	if !loops || len(differ) == 0 {
		return nil
	}
	program, err := c.program()
	if err != nil {
		return nil // it does not run
	}
	uneven := map[string][]polycount.Affine{}
	for _, l := range loopsAround(program.nest.Body, s.ID) {
		var starts []polycount.Affine
		for _, b := range l.Lower {
			starts = append(starts, b.Num.Subst(tagged).AddInt(b.Den-1).FloorDiv(b.Den))
		}
		if slices.ContainsFunc(starts, func(a polycount.Affine) bool { return slices.ContainsFunc(differ, a.Has) }) {
			differ, uneven[l.Iname] = append(differ, l.Iname), starts
		}
	}
	return uneven
}

// fromStart adds the distance of an iname from the greatest of its starts to a set.
func fromStart(domain *polycount.Set, iname string, starts []polycount.Affine) (out *polycount.Set, err error) {
	domain = domain.AddDims(iteration + iname)
	for i, start := range starts {
		greatest := []polycount.Constraint{polycount.EQ(polycount.Name(iteration+iname), polycount.Name(iname).Sub(start))}
		for j, other := range starts {
			switch {
			case j < i: // the first of equal ones
				greatest = append(greatest, polycount.GE(start, other.AddInt(1)))
			case j > i:
				greatest = append(greatest, polycount.GE(start, other))
			}
		}
		part, err := domain.Constrain(greatest...)
		if err == nil && out != nil {
			part, err = out.Union(part)
		}
		if err != nil {
			return nil, err
		}
		out = part
	}
	return out, nil
}
