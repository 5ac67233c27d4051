package linear

import (
	"encoding/binary"
	"gpuperf/polycount/internal/arith"
	"slices"
)

// step of a staircase: coefficient and corner.
type corner struct {
	k  int64
	at Row
}

// staircase writes the indicator of the exponents u ≥ 0 that no generator divides as Σ k·[u ≥ at], over ℤ: the numerator
// of the Hilbert series of a monomial ideal, by dividing off one generator at a time (Bigatti 1997).
func (w *Work) staircase(gens []Row, width int) []corner {
	gens = w.minimal(gens)
	one := []corner{{1, make(Row, width)}}
	total := one
	for _, part := range components(gens, width) {
		total = w.cornerProduct(total, w.Connected(part, width))
	}
	return total
}

// connected is staircase for generators that cannot be told apart by their variables.
func (w *Work) Connected(gens []Row, width int) []corner {
	if len(gens) == 1 {
		return []corner{{1, make(Row, width)}, {-1, gens[0]}}
	}
	last := gens[len(gens)-1]
	rest := gens[:len(gens)-1]
	out := slices.Clone(w.staircase(rest, width))
	quotient := make([]Row, len(rest))
	for i, g := range rest {
		q := make(Row, width)
		for j := range q {
			q[j] = max(g[j]-last[j], 0)
		}
		quotient[i] = q
	}
	for _, c := range w.staircase(quotient, width) {
		out = append(out, corner{-c.k, combineRows(1, c.at, 1, last)})
	}
	return w.gather(out)
}

// gather adds up corners at one place, in order of first occurrence.
func (w *Work) gather(cs []corner) []corner {
	index := make(map[string]int, len(cs))
	out := cs[:0]
	var key []byte
	for _, c := range cs {
		w.spend(len(c.at))
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

func (w *Work) cornerProduct(a, b []corner) []corner {
	out := make([]corner, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			w.spend(len(x.at))
			out = append(out, corner{arith.Mul(x.k, y.k), combineRows(1, x.at, 1, y.at)})
		}
	}
	return w.gather(out)
}

// minimal drops the generators that others divide, and sorts.
func (w *Work) minimal(gens []Row) []Row {
	gens = slices.Clone(gens)
	slices.SortFunc(gens, slices.Compare[Row])
	gens = slices.CompactFunc(gens, slices.Equal[Row])
	divides := func(a, b Row) bool {
		for i, v := range a {
			if v > b[i] {
				return false
			}
		}
		return true
	}
	var out []Row
	for i, g := range gens {
		w.spend(len(gens))
		if !slices.ContainsFunc(out, func(o Row) bool { return divides(o, g) }) &&
			!slices.ContainsFunc(gens[i+1:], func(o Row) bool { return divides(o, g) }) {
			out = append(out, g)
		}
	}
	return out
}

// components groups generators that are linked by common variables.
func components(gens []Row, width int) [][]Row {
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
	var out [][]Row
	for i := range gens {
		var part []Row
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
