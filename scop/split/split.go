// Package split cuts the domains of statements of loop nests where dependences change their direction (index-set splitting; Griebl, Feautrier and Lengauer, Index set
// splitting, 2000), so that the parts may run in another order than the points of the text, and each with more parallel loops.
//
// In the shortest paths of Floyd and Warshall each point needs what the points of row k and of column k write, in earlier iterations or in the same one: before, on and
// after these all points are independent.
package split

import (
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Cut are the hyperplanes at which a statement is split: where a form is negative, zero and positive are parts of their own.
type Cut struct {
	Statement *scop.Statement
	At        []polycount.Affine
}

// String says where the parts meet.
func (c Cut) String() string {
	out := c.Statement.Name + " is split at"
	for i, a := range c.At {
		if i > 0 {
			out += " and"
		}
		out += fmt.Sprintf(" %s = 0", a)
	}
	return out
}

// maxCuts is at how many hyperplanes one statement is split.
const maxCuts = 2

// Nest is the nest with statements in parts; without any cut it is the nest itself.
func Nest(a *deps.Analysis) (*scop.Nest, []Cut, error) {
	var cuts []Cut
	for _, s := range a.Nest.Statements {
		planes, err := planesOf(a, s)
		if err != nil {
			return nil, nil, err
		}
		if len(planes) > 0 && len(planes) <= maxCuts {
			cuts = append(cuts, Cut{s, planes})
		}
	}
	if len(cuts) == 0 {
		return a.Nest, nil, nil
	}
	n, err := apply(a.Nest, cuts)
	return n, cuts, err
}

// planesOf are the hyperplanes on which the points of a statement lie that others of it, in one iteration of an outer loop, wait for or that wait for others.
func planesOf(a *deps.Analysis, s *scop.Statement) (planes []polycount.Affine, err error) {
	for _, d := range a.Dependences {
		if d.From != s || d.To != s || d.ValueBased || d.Carrier == nil || d.Carrier == s.Loops[0] || d.Accumulation {
			continue
		}
		for _, side := range []func() (*polycount.Set, error){d.Map.Domain, d.Map.Range} {
			points, err := side()
			if err != nil {
				return nil, err
			}
			for _, part := range points.Disjuncts() {
				found, err := equalities(s, part)
				if err != nil {
					return nil, err
				}
				for _, p := range found {
					if !slices.ContainsFunc(planes, p.Equal) {
						planes = append(planes, p)
					}
				}
			}
		}
	}
	return planes, nil
}

// equalities are those of points of a statement that do not hold of all of them; coefficients are 1 and −1.
func equalities(s *scop.Statement, points *polycount.Set) (out []polycount.Affine, err error) {
	names := map[string]polycount.Affine{}
	for i, d := range points.Dims() {
		names[d] = polycount.Name(s.Iterators[i])
	}
	list, _ := points.Constraints()
	for _, c := range list {
		a := c.Affine.Subst(names)
		if !c.Equality || a.HasFloor() {
			continue
		}
		sign := int64(0)
		for _, it := range s.Iterators {
			if k := a.Coeff(it); k != 0 && sign == 0 {
				sign = k
			}
		}
		if sign != 1 && sign != -1 || slices.ContainsFunc(a.Terms(), func(t polycount.Term) bool { return t.Coeff != 1 && t.Coeff != -1 }) {
			continue
		}
		everywhere, err := s.Domain.Implies(polycount.EQ(a, polycount.Int(0)))
		if err != nil {
			return nil, err
		}
		if !everywhere {
			out = append(out, a.Scale(sign))
		}
	}
	return out, nil
}

func apply(from *scop.Nest, cuts []Cut) (*scop.Nest, error) {
	n := *from
	n.Statements = nil
	taken := map[string]bool{}
	for _, s := range from.Statements {
		taken[s.Name] = true
	}
	const room = 9 // places for the parts of each statement
	for _, s := range from.Statements {
		parts := []*polycount.Set{s.Domain}
		for _, c := range cuts {
			if c.Statement != s {
				continue
			}
			for _, plane := range c.At {
				next, err := cut(parts, plane)
				if err != nil {
					return nil, err
				}
				parts = next
			}
		}
		for i, part := range parts {
			own := *s
			own.Order = slices.Clone(s.Order)
			for j := 0; j < len(own.Order); j += 2 {
				own.Order[j] = own.Order[j].Scale(room)
			}
			if len(parts) > 1 {
				own.Name = kernel.Fresh(fmt.Sprintf("%s_%d", s.Name, i), func(name string) bool { return taken[name] })
				taken[own.Name] = true
				own.Domain = part.Named(own.Name)
				own.Order[len(own.Order)-1] = own.Order[len(own.Order)-1].AddInt(int64(i))
			}
			n.Statements = append(n.Statements, &own)
		}
	}
	return &n, nil
}

// cut splits sets at a hyperplane.
func cut(sets []*polycount.Set, plane polycount.Affine) (out []*polycount.Set, err error) {
	zero := polycount.Int(0)
	for _, s := range sets {
		for _, c := range []polycount.Constraint{polycount.GE(polycount.Int(-1), plane), polycount.EQ(plane, zero), polycount.GE(plane, polycount.Int(1))} {
			part, err := s.Constrain(c)
			if err != nil {
				return nil, err
			}
			if empty, err := part.IsEmpty(); err != nil {
				return nil, err
			} else if !empty {
				out = append(out, part)
			}
		}
	}
	return out, nil
}
