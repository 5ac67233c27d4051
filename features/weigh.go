package features

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/launch"
	"gpuperf/polycount"
)

// sharing is the number of units touched by lanes with exactly these activities, for a base of 0, step, 2*step, … modulo the unit.
type sharing struct {
	active []int
	units  []int64
}

// at is the number of units touched.
func (t *transactions) at(u unit, sizes map[string]int64) (*big.Rat, error) {
	elements := u.bytes / t.bytes
	offset, err := launch.Address(t.rest, sizes)
	if err != nil {
		return nil, err
	}
	base := polycount.Int(0)
	step := elements // all residues of the base are multiples of it
	for _, term := range t.base {
		coeff, err := launch.Address(term.coeff, sizes)
		if err != nil {
			return nil, err
		}
		coeff = intmath.Mod(coeff, elements)
		base, step = base.Add(term.of.Scale(coeff)), intmath.GCD(step, coeff)
	}
	within := make([]int64, len(t.lanes))
	for i, l := range t.lanes {
		for _, term := range t.lids {
			coeff, err := launch.Address(term.coeff, sizes)
			if err != nil {
				return nil, err
			}
			value, err := term.of.Eval(l.lid)
			if err != nil {
				return nil, err
			}
			within[i] += coeff * value
		}
	}
	shared := map[string]*sharing{}
	for r := range elements / step {
		for _, active := range t.units(intmath.Mod(offset, elements)+r*step, elements, within) {
			key := fmt.Sprint(active)
			if shared[key] == nil {
				shared[key] = &sharing{active, make([]int64, elements/step)}
			}
			shared[key].units[r]++
		}
	}
	sum := new(big.Rat)
	for _, key := range slices.Sorted(maps.Keys(shared)) {
		n, err := t.weigh(shared[key], base, elements, step, sizes)
		if err != nil {
			return nil, err
		}
		sum.Add(sum, n)
	}
	return sum, nil
}

// weigh sums the units over the points of any of the activities.
func (t *transactions) weigh(s *sharing, base polycount.Affine, elements, step int64, sizes map[string]int64) (*big.Rat, error) {
	all, err := t.points(s.active)
	if err != nil {
		return nil, err
	}
	count, err := all.rat(sizes)
	if err != nil {
		return nil, err
	}
	if first := s.units[0]; !slices.ContainsFunc(s.units, func(n int64) bool { return n != first }) {
		return count.Mul(count, new(big.Rat).SetInt64(first)), nil
	}
	set, err := t.covered(s.active, sizes)
	if err != nil {
		return nil, err
	}
	var sum *big.Rat
	if count.Cmp(big.NewRat(t.c.enumerated, 1)) <= 0 {
		sum, err = s.byPoints(set, base, elements, step, int(t.c.enumerated))
	} else {
		sum, err = s.byResidues(set, base, elements, step)
	}
	if err != nil {
		return nil, err
	}
	factor, err := t.factor.rat(sizes)
	if err != nil {
		return nil, err
	}
	return sum.Mul(sum, factor), nil
}

// covered is the set of points of any of the activities, at the sizes.
func (t *transactions) covered(active []int, sizes map[string]int64) (*polycount.Set, error) {
	t.mu.Lock()
	set, err := t.cover(active)
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	at := map[string]int64{} // the sizes alone, should one be named like an iname
	for _, p := range set.Params() {
		at[p] = sizes[p]
	}
	return set.Fix(at)
}

// byPoints sums the units over each point of a set that has at most limit.
func (s *sharing) byPoints(set *polycount.Set, base polycount.Affine, elements, step int64, limit int) (*big.Rat, error) {
	points, err := set.Points(nil, limit+1)
	if err != nil {
		return nil, err
	}
	at := map[string]int64{}
	total := int64(0)
	for _, p := range points {
		for i, name := range set.Dims() {
			at[name] = p[i]
		}
		v, err := base.Eval(at)
		if err != nil {
			return nil, err
		}
		total += s.units[intmath.Mod(v, elements)/step]
	}
	return new(big.Rat).SetInt64(total), nil
}

// byResidues counts the points of a set for each run of residues of the base with the same number of units.
func (s *sharing) byResidues(set *polycount.Set, base polycount.Affine, elements, step int64) (*big.Rat, error) {
	sum := new(big.Rat)
	residue := base.Mod(elements)
	for from := 0; from < len(s.units); {
		to := from + 1
		for to < len(s.units) && s.units[to] == s.units[from] {
			to++
		}
		if s.units[from] > 0 {
			part, err := set.Constrain(
				polycount.GE(residue, polycount.Int(int64(from)*step)), polycount.GE(polycount.Int(int64(to-1)*step), residue))
			if err != nil {
				return nil, err
			}
			n, err := part.Count()
			if err != nil {
				return nil, err
			}
			v, err := n.Eval(nil)
			if err != nil {
				return nil, err
			}
			sum.Add(sum, v.Mul(v, new(big.Rat).SetInt64(s.units[from])))
		}
		from = to
	}
	return sum, nil
}

// units lists the units that each sub-group touches, each as the activities of the lanes that touch it.
func (t *transactions) units(base, elements int64, within []int64) [][]int {
	type unit struct{ subgroup, index int64 }
	index := map[unit]int{}
	var out [][]int
	for i, l := range t.lanes {
		first := base + within[i]
		for at := intmath.FloorDiv(first, elements); at <= intmath.FloorDiv(first+t.span-1, elements); at++ {
			u := unit{l.subgroup, at}
			n, ok := index[u]
			if !ok {
				n = len(out)
				index[u], out = n, append(out, nil)
			}
			if !slices.Contains(out[n], l.active) {
				out[n] = append(out[n], l.active)
			}
		}
	}
	for _, active := range out {
		slices.Sort(active)
	}
	return out
}

// points counts the points of any of the activities.
func (t *transactions) points(active []int) (*evaluator, error) {
	key := fmt.Sprint(active)
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.counts[key]; ok {
		return e, nil
	}
	set, err := t.cover(active)
	if err != nil {
		return nil, err
	}
	n, err := set.Count()
	if err != nil {
		return nil, err
	}
	if n, err = n.Mul(t.groups); err != nil {
		return nil, err
	}
	t.counts[key] = newEvaluator(n)
	return t.counts[key], nil
}

// cover is the union of the points of activities.
func (t *transactions) cover(active []int) (*polycount.Set, error) {
	key := fmt.Sprint(active)
	if s, ok := t.covers[key]; ok {
		return s, nil
	}
	all := t.active[active[0]]
	for _, i := range active[1:] {
		next := t.active[i]
		if in, err := next.IsSubset(all); err != nil {
			return nil, err
		} else if in {
			continue
		}
		in, err := all.IsSubset(next)
		if err == nil && !in {
			next, err = all.Union(next)
		}
		if err != nil {
			return nil, err
		}
		all = next
	}
	t.covers[key] = all
	return all, nil
}
