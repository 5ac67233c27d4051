package deps

import (
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
)

// byMemory adds the dependences of all pairs of accesses.
func (z *analyzer) byMemory() error {
	for _, from := range z.statements {
		for _, to := range z.statements {
			for _, a := range from.accesses {
				for _, b := range to.accesses {
					if a.array == b.array && (a.write || b.write) {
						if err := z.pair(from, to, a, b); err != nil {
							return key{kindOf(a, b), false, from, to, a.array, nil}.error(err)
						}
					}
				}
			}
		}
	}
	return nil
}

// pair adds the dependences of one access on another, by each common loop and by none.
func (z *analyzer) pair(from, to *statement, a, b access) error {
	levels := levelsOf(from, to)
	if len(levels) == 0 {
		return nil
	}
	same, err := meeting(to, a, b)
	if err != nil || same == nil {
		return err
	}
	for _, l := range levels {
		pairs, err := same.Constrain(l.before...)
		if err != nil {
			return err
		}
		if empty, err := pairs.IsEmpty(); err != nil || empty {
			if err != nil {
				return err
			}
			continue
		}
		k := key{kindOf(a, b), false, from, to, a.array, l.carrier}
		accumulation := a.accumulates != "" && a.accumulates == b.accumulates
		if err := z.add(k, pairs, accumulation); err != nil {
			return err
		}
		if l.carrier != nil {
			z.carried[l.carrier].note(accumulation)
		}
	}
	return nil
}

func kindOf(a, b access) Kind {
	switch {
	case a.write && b.write:
		return Output
	case a.write:
		return Flow
	}
	return Anti
}

// meeting are the pairs of points at which two accesses are to one element; nil if there are none.
func meeting(to *statement, a, b access) (*polycount.Set, error) {
	target, err := to.renamed(b.where, "'")
	if err != nil {
		return nil, err
	}
	pairs, err := a.where.Product(target)
	if err != nil {
		return nil, err
	}
	var equal []polycount.Constraint
	prime := primes(to)
	for i := range a.index {
		equal = append(equal, polycount.EQ(a.index[i], b.index[i].Subst(prime)))
	}
	if pairs, err = pairs.Constrain(equal...); err != nil {
		return nil, err
	}
	if empty, err := pairs.IsEmpty(); err != nil || empty {
		return nil, err
	}
	return pairs.Named(""), nil
}

// primes replaces the iterators of a statement by those of a target.
func primes(to *statement) map[string]polycount.Affine {
	by := map[string]polycount.Affine{}
	for _, d := range to.dims {
		by[d] = polycount.Name(d + "'")
	}
	return by
}

// level is a way in which a point of one statement can come before one of another: in the same iterations of the loops outside of
// the carrier and an earlier iteration of that; without a carrier, in the same iterations of all common loops.
type level struct {
	carrier *scop.Loop
	before  []polycount.Constraint
}

// levelsOf lists the levels of two statements, the outermost carrier first.
func levelsOf(from, to *statement) (out []level) {
	common := from.common(to)
	for k := range common {
		out = append(out, carriedBy(from, to, k))
	}
	if from.precedes(to) {
		out = append(out, level{nil, equalTo(from, to, common)})
	}
	return out
}

// carriedBy is the level of the common loop number k.
func carriedBy(from, to *statement, k int) level {
	later := polycount.GE(polycount.Name(to.dims[k]+"'"), polycount.Name(from.dims[k]).AddInt(1))
	return level{from.of.Loops[k], append(equalTo(from, to, k), later)}
}

// equalTo says that the iterators of the outermost loops are equal.
func equalTo(from, to *statement, loops int) []polycount.Constraint {
	var out []polycount.Constraint
	for i := range loops {
		out = append(out, polycount.EQ(polycount.Name(from.dims[i]), polycount.Name(to.dims[i]+"'")))
	}
	return slices.Clip(out)
}
