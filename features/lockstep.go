package features

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// The work-items of a sub-group make the iterations of a loop in lock step: their first ones together, whatever value the iname has in each, and
// those with more iterations go on alone. A sub-group executes what is in the loop as often as the work-item with most iterations.

// iteration is the dimension of the iterations of a loop, in place of its iname.
const iteration = "_iteration_of_"

// inLockStep adds the iterations, as distances from the first, of those loops around a statement that work-items start at different values to the
// points that they run it at. It returns the dimensions that tell the iterations of all loops apart.
func (c *counter) inLockStep(domain *polycount.Set, s *kernel.Stmt, inames []string) (*polycount.Set, []string) {
	for _, l := range c.unevenLoops(s) {
		if !slices.Contains(s.Inames, l.iname) { // an access is hoisted out of it
			continue
		}
		inames = slices.DeleteFunc(slices.Clone(inames), func(n string) bool { return n == l.iname })
		inames = append(inames, iteration+l.iname)
		domain = l.fromStart(domain)
	}
	return domain, inames
}

// unevenLoop is a loop that does not start at the same value in all work-items of a group.
type unevenLoop struct {
	iname  string
	starts []polycount.Affine // in the inames of a statement: it starts at the greatest
}

// unevenLoops lists those around a statement, outermost first.
func (c *counter) unevenLoops(s *kernel.Stmt) (list []unevenLoop) {
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
	for _, l := range loopsAround(program.nest.Body, s.ID) {
		starts := lists.Map(l.Lower, func(b polycount.Bound) polycount.Affine { return b.Num.Subst(tagged).AddInt(b.Den - 1).FloorDiv(b.Den) })
		if slices.ContainsFunc(starts, func(a polycount.Affine) bool { return slices.ContainsFunc(differ, a.Has) }) {
			differ, list = append(differ, l.Iname), append(list, unevenLoop{l.Iname, starts})
		}
	}
	return list
}

// fromStart adds the distance of the iname from the greatest of its starts to a set.
func (l *unevenLoop) fromStart(domain *polycount.Set) (out *polycount.Set) {
	domain = domain.AddDims(iteration + l.iname)
	for i, start := range l.starts {
		greatest := []polycount.Constraint{polycount.EQ(polycount.Name(iteration+l.iname), polycount.Name(l.iname).Sub(start))}
		for j, other := range l.starts {
			switch {
			case j < i: // the first of equal ones
				greatest = append(greatest, polycount.GE(start, other.AddInt(1)))
			case j > i:
				greatest = append(greatest, polycount.GE(start, other))
			}
		}
		part := throw.Get(domain.Constrain(greatest...))
		if out != nil {
			part = throw.Get(out.Union(part))
		}
		out = part
	}
	return out
}

// together is a form with the distances of inames from where loops start in place of these inames: what differs between work-items that make an
// iteration together. It is not linear in the inames that are returned: those of opaque
// parts, and where a loop has several starts.
func (c *counter) together(s *kernel.Stmt, form *kernel.LinearForm, opaque []string) (out *kernel.LinearForm, varying []string) {
	varying = slices.Clone(opaque)
	out = &kernel.LinearForm{Terms: slices.Clone(form.Terms), Floors: slices.Clone(form.Floors), Rest: form.Rest}
	for _, l := range slices.Backward(c.unevenLoops(s)) {
		coeff := out.Coeff(l.iname)
		inFloor := slices.ContainsFunc(out.Floors, func(f kernel.FloorTerm) bool { return f.Num.Has(l.iname) })
		if inFloor || slices.Contains(varying, l.iname) || !coeff.IsZero() && len(l.starts) > 1 {
			for _, start := range l.starts {
				varying = append(varying, start.Names()...)
			}
			continue
		}
		if coeff.IsZero() {
			continue
		}
		for _, t := range l.starts[0].All() {
			switch by := coeff.Scale(t.Coeff); {
			case t.Floor != nil:
				out.Floors = append(out.Floors, kernel.FloorTerm{Num: t.Floor.Num, Den: t.Floor.Den, Coeff: by})
			case c.k.IsIname(t.Name):
				out.Terms = added(out.Terms, t.Name, by)
			}
		}
	}
	return out, varying
}

// added is a sum with one more term.
func added(terms []kernel.LinearTerm, iname string, coeff *expr.Poly) []kernel.LinearTerm {
	for i, t := range terms {
		if t.Iname == iname {
			terms[i].Coeff = t.Coeff.Add(coeff)
			return terms
		}
	}
	return append(terms, kernel.LinearTerm{Iname: iname, Coeff: coeff})
}
