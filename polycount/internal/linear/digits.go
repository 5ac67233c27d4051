package linear

import (
	"math"
	"math/bits"
	"slices"

	"gpuperf/polycount/internal/arith"
)

// DropDigit undoes one step of a mixed-radix notation. If the existential x runs over c consecutive values, and x and
// the existential y occur only together, as x + c·y, then every integer is x + c·y for exactly one pair. So x can stand
// for the sum, and bounds of y become bounds of x. It reports whether there was such a pair.
//
// With cover only the values of the sum matter, not how often each is taken: x may run over more than c values, and c may
// be 1. It makes linearizing tiled stencils three times as fast (BenchmarkStaticStencil of launch).
func (c *Conj) DropDigit(cover bool) bool {
	for x := 1 + c.N; x < c.Width(); x++ {
		if !c.Free(x) {
			continue
		}
		lo, hi, mixed := c.digitBounds(x)
		if lo == nil || hi == nil || mixed == nil || !Parallel(lo, hi, true) {
			continue
		}
		size := arith.Add(arith.Add(lo[0], hi[0]), 1)
		if size <= 1 {
			continue
		}
		for y := 1 + c.N; y < c.Width(); y++ {
			if y == x || !c.Free(y) || mixed[y]%mixed[x] != 0 {
				continue
			}
			k := mixed[y] / mixed[x]
			if k == 0 || arith.Abs(k) > size || !cover && arith.Abs(k) < size || !c.together(x, y, k, lo, hi) {
				continue
			}
			c.mergeDigit(x, y, k, lo, hi)
			return true
		}
	}
	return false
}

// Free reports that a column is an existential.
func (c *Conj) Free(at int) bool { return at > c.N && c.Divs[at-1-c.N].Den == 0 }

// digitBounds finds a lower and an upper bound of x in which no other existential occurs, and another row with x.
func (c *Conj) digitBounds(x int) (lo, hi, mixed Row) {
	for _, r := range c.Eq {
		if r[x] != 0 {
			mixed = r
		}
	}
	for _, r := range c.Ge {
		if r[x] == 0 {
			continue
		}
		alone := r[x] == 1 || r[x] == -1
		for at := 1 + c.N; alone && at < len(r); at++ {
			alone = at == x || r[at] == 0 || !c.Free(at)
		}
		switch {
		case alone && r[x] > 0 && lo == nil:
			lo = r
		case alone && r[x] < 0 && hi == nil:
			hi = r
		default:
			mixed = r
		}
	}
	return lo, hi, mixed
}

// together reports that x and y occur only as x + k·y, except in lo and hi and in inequalities with y alone and
// coefficient ±1.
func (c *Conj) together(x, y int, k int64, lo, hi Row) bool {
	for _, r := range c.Eq {
		if r[y] != arith.Mul(k, r[x]) {
			return false
		}
	}
	for _, r := range c.Ge {
		own := r[x] == 0 && (r[y] == 1 || r[y] == -1)
		if &r[0] != &lo[0] && &r[0] != &hi[0] && !own && r[y] != arith.Mul(k, r[x]) {
			return false
		}
	}
	return true
}

// mergeDigit lets x stand for x + k·y. Let x run from l to l + s − 1. For k > 0, y ≥ e becomes x + k·y ≥ l + k·e, and y
// ≤ e becomes x + k·y ≤ l + s − 1 + k·e; for k < 0 the directions are reversed.
func (c *Conj) mergeDigit(x, y int, k int64, lo, hi Row) {
	var out, lower, upper []Row
	for _, r := range c.Ge {
		switch {
		case &r[0] == &lo[0] || &r[0] == &hi[0]:
			continue
		case r[x] == 0 && r[y] != 0:
			// r is ±y + f ≥ 0
			if r[y] > 0 {
				lower = append(lower, r)
			} else {
				upper = append(upper, r)
			}
			base := lo // x − l ≥ 0
			if (r[y] > 0) != (k > 0) {
				base = hi // l + s − 1 − x ≥ 0
			}
			n := CombineRows(arith.Abs(k), r, 1, base)
			n[y] = 0
			out = append(out, n)
		default:
			r = slices.Clone(r)
			r[y] = 0
			out = append(out, r)
		}
	}
	for _, l := range lower { // there must be such a y, which a sum in between need not show
		for _, u := range upper {
			out = append(out, CombineRows(1, l, 1, u))
		}
	}
	for _, r := range c.Eq {
		r[y] = 0
	}
	c.Ge = out
	c.Divs[y-1-c.N].Den = Gone
}

// splitDigits splits equalities such as a·10 + b = 0, where b is between −9 and 9, into a = 0 and b = 0: array indices
// are numbers with such digits. In general the terms with small coefficients, by bounds on their sum, can be only one
// multiple of a number that divides all others. It reports whether it divided one; unsolvable: there is no such multiple.
func (s *System) splitDigits() (divided, unsolvable bool) {
	var b box
	for _, r := range s.Ge {
		if m := maskOf(r); m != 0 && m&(m-1) == 0 && r[0] != math.MinInt64 && r[bits.TrailingZeros64(m)] != math.MinInt64 {
			b.bound(bits.TrailingZeros64(m), r[bits.TrailingZeros64(m)], r[0], false)
		}
	}
	for i := 0; i < len(s.Eq); i++ {
		low, high, none := s.split(&b, s.Eq[i])
		if none {
			return divided, true
		}
		if low != nil {
			s.Eq[i] = low
			s.Eq = append(s.Eq, high)
			divided = true
			i-- // low may have digits of its own
		}
	}
	return divided, false
}

// split is an equation as two, of its small coefficients and of the others, where the bounds leave one value for each part; nil where they leave several. None: they leave no value.
func (s *System) split(b *box, e Row) (low, high Row, none bool) {
	g := int64(0) // divides the coefficients that are not small
	var sizes []int64
	for _, k := range e[1:] {
		if k != 0 {
			sizes = append(sizes, arith.Abs(k))
		}
	}
	slices.Sort(sizes)
	for j := len(sizes) - 1; j > 0; j-- {
		g = arith.Gcd(g, sizes[j])
		if g <= sizes[j-1] {
			continue
		}
		low, high = make(Row, len(e)), make(Row, len(e))
		low[0] = e[0]
		for at := 1; at < len(e); at++ {
			if arith.Abs(e[at]) >= g {
				high[at] = e[at]
			} else {
				low[at] = e[at]
			}
		}
		most, ok := s.most(b, low)
		least, ok2 := s.most(b, NegRow(low))
		if !ok || !ok2 {
			continue
		}
		first := arith.CeilDiv(arith.Neg(least), g)
		switch last := arith.FloorDiv(most, g); {
		case first > last:
			return nil, nil, true
		case first < last:
			continue
		}
		low[0], high[0] = arith.Sub(low[0], arith.Mul(first, g)), arith.Mul(first, g)
		for _, r := range [2]Row{low, high} {
			k := ContentOf(r)
			if r[0]%k != 0 {
				return nil, nil, true
			}
			DivideRow(r, k)
		}
		return low, high, false
	}
	return nil, nil, false
}

// most is an upper bound of a form: that over the box, also after inequalities that lower it are added.
func (s *System) most(b *box, f Row) (int64, bool) {
	_, best, _, ok := b.span(f, maskOf(f))
	for _, r := range s.Ge {
		m := maskOf(r)
		if !ok || m&(m-1) == 0 {
			continue
		}
		sum := CombineRows(1, f, 1, r)
		if _, v, _, is := b.span(sum, maskOf(sum)); is && v < best {
			f, best = sum, v
		}
	}
	return best, ok
}
