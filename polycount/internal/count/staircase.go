package count

import (
	"encoding/binary"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// corner is the term k·[u ≥ at] of a staircase.
type corner struct {
	k  int64
	at linear.Row
}

// staircase writes the indicator function of the exponents u ≥ 0 that no generator divides as a sum of terms k·[u ≥
// at]: the numerator of the Hilbert series of a monomial ideal, by dividing off one generator after the other (Bigatti
// 1997).
func staircase(w *linear.Work, gens []linear.Row, width int) []corner {
	gens = minimal(w, gens)
	one := []corner{{1, make(linear.Row, width)}}
	total := one
	for _, part := range components(gens, width) {
		total = cornerProduct(w, total, connected(w, part, width))
	}
	return total
}

// connected is staircase for generators that share variables.
func connected(w *linear.Work, gens []linear.Row, width int) []corner {
	if len(gens) == 1 {
		return []corner{{1, make(linear.Row, width)}, {-1, gens[0]}}
	}
	last := gens[len(gens)-1]
	rest := gens[:len(gens)-1]
	out := slices.Clone(staircase(w, rest, width))
	quotient := make([]linear.Row, len(rest))
	for i, g := range rest {
		q := make(linear.Row, width)
		for j := range q {
			q[j] = max(g[j]-last[j], 0)
		}
		quotient[i] = q
	}
	for _, c := range staircase(w, quotient, width) {
		out = append(out, corner{-c.k, linear.CombineRows(1, c.at, 1, last)})
	}
	return gather(w, out)
}

// gather adds up the terms with equal corners, in order of first occurrence.
func gather(w *linear.Work, cs []corner) []corner {
	index := make(map[string]int, len(cs))
	out := cs[:0]
	var key []byte
	for _, c := range cs {
		w.Spend(len(c.at))
		key = key[:0]
		for _, v := range c.at {
			key = binary.AppendVarint(key, v)
		}
		if i, ok := index[string(key)]; ok {
			out[i].k += c.k
			continue
		}
		index[string(key)] = len(out)
		out = append(out, c)
	}
	return slices.DeleteFunc(out, func(c corner) bool { return c.k == 0 })
}

func cornerProduct(w *linear.Work, a, b []corner) []corner {
	out := make([]corner, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			w.Spend(len(x.at))
			out = append(out, corner{arith.Mul(x.k, y.k), linear.CombineRows(1, x.at, 1, y.at)})
		}
	}
	return gather(w, out)
}

// minimal sorts the generators and drops those that others divide.
func minimal(w *linear.Work, gens []linear.Row) []linear.Row {
	gens = slices.Clone(gens)
	slices.SortFunc(gens, slices.Compare[linear.Row])
	gens = slices.CompactFunc(gens, slices.Equal[linear.Row])
	divides := func(a, b linear.Row) bool {
		for i, v := range a {
			if v > b[i] {
				return false
			}
		}
		return true
	}
	var out []linear.Row
	for i, g := range gens {
		w.Spend(len(gens))
		if !slices.ContainsFunc(out, func(o linear.Row) bool { return divides(o, g) }) &&
			!slices.ContainsFunc(gens[i+1:], func(o linear.Row) bool { return divides(o, g) }) {
			out = append(out, g)
		}
	}
	return out
}

// components groups generators that are connected by common variables.
func components(gens []linear.Row, width int) [][]linear.Row {
	group := make([]int, len(gens))
	for i := range group {
		group[i] = i
	}
	for j := range width {
		first := -1
		for i, g := range gens {
			if g[j] == 0 {
				continue
			}
			if first < 0 {
				first = group[i]
				continue
			}
			for k, old := 0, group[i]; k < len(group); k++ {
				if group[k] == old {
					group[k] = first
				}
			}
		}
	}
	var out [][]linear.Row
	for i := range gens {
		var part []linear.Row
		for k, g := range gens {
			if group[k] == i {
				part = append(part, g)
			}
		}
		if len(part) > 0 {
			out = append(out, part)
		}
	}
	return out
}
