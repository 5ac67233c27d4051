package schedule

import (
	"math/big"
	"math/bits"
	"slices"

	"gpuperf/internal/intmath"
)

// row is an affine form in variables that are integers and at least 0: (c[0] + c[1]·y1 + c[2]·y2 + …) / den, in lowest terms. Numbers of more than 63 bits are
// all in big, with the denominator as the last; c is nil then.
type row struct {
	c   []int64
	den int64
	big []*big.Int
}

func (r row) width() int {
	if r.big != nil {
		return len(r.big) - 1
	}
	return len(r.c)
}

func (r row) sign(l int) int {
	switch {
	case r.big != nil:
		return r.big[l].Sign()
	case r.c[l] < 0:
		return -1
	case r.c[l] > 0:
		return 1
	}
	return 0
}

// num is a coefficient, or the denominator after the last.
func (r row) num(l int) *big.Int {
	switch {
	case r.big != nil:
		return r.big[l]
	case l == len(r.c):
		return big.NewInt(r.den)
	}
	return big.NewInt(r.c[l])
}

func (r row) clone() row { return row{slices.Clone(r.c), r.den, slices.Clone(r.big)} }

// grown is the row in numbers of any size, which are its own.
func (r row) grown() row {
	out := row{big: make([]*big.Int, r.width()+1)}
	for l := range out.big {
		out.big[l] = new(big.Int).Set(r.num(l))
	}
	return out
}

// lowest divides by what all numbers have in common, and has small ones where all fit.
func (r row) lowest() row {
	if r.big == nil {
		return r.reduced()
	}
	g := new(big.Int)
	for _, x := range slices.Backward(r.big) {
		g.GCD(nil, nil, g, new(big.Int).Abs(x))
	}
	fits := true
	for _, x := range r.big {
		x.Quo(x, g)
		fits = fits && x.BitLen() < 63
	}
	if !fits {
		return r
	}
	out := row{c: make([]int64, r.width()), den: r.big[r.width()].Int64()}
	for l := range out.c {
		out.c[l] = r.big[l].Int64()
	}
	return out
}

func (r row) reduced() row {
	g := r.den
	for _, c := range r.c {
		if g == 1 {
			return r
		}
		g = intmath.GCD(max(c, -c), g)
	}
	if g > 1 {
		for l := range r.c {
			r.c[l] /= g
		}
		r.den /= g
	}
	return r
}

// scaled is the row times 1 or −1, without its denominator.
func (r row) scaled(sign int64) row {
	out := r.grown()
	for _, x := range out.big {
		x.Mul(x, big.NewInt(sign))
	}
	out.big[r.width()].Abs(out.big[r.width()])
	return out
}

// plus is the row plus a number.
func (r row) plus(n int64) row {
	out := r.grown()
	first := out.big[0]
	first.Add(first, new(big.Int).Mul(out.big[r.width()], big.NewInt(n)))
	return out.lowest()
}

// whole reports that the constant is an integer.
func (r row) whole() bool {
	if r.big != nil {
		return new(big.Int).Rem(r.big[0], r.big[r.width()]).Sign() == 0
	}
	return r.c[0]%r.den == 0
}

// floor is the constant rounded down.
func (r row) floor() int64 {
	if r.big == nil {
		return intmath.FloorDiv(r.c[0], r.den)
	}
	out := new(big.Int).Div(r.big[0], r.big[r.width()]) // the denominator is positive
	if !out.IsInt64() {
		panic(errOverflow)
	}
	return out.Int64()
}

// compare is the sign of the constant less a number.
func (r row) compare(n int64) int {
	one := row{c: []int64{n}, den: 1}
	return cross(r, 0, one, 1, one, 0, r, r.width())
}

// cross is the sign of a[i]·b[j] − c[k]·d[l]; after the last coefficient comes the denominator.
func cross(a row, i int, b row, j int, c row, k int, d row, l int) int {
	if a.big == nil && b.big == nil && c.big == nil && d.big == nil {
		x, okX := product(a.small(i), b.small(j))
		y, okY := product(c.small(k), d.small(l))
		if okX && okY {
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	return new(big.Int).Mul(a.num(i), b.num(j)).Cmp(new(big.Int).Mul(c.num(k), d.num(l)))
}

func (r row) small(l int) int64 {
	if l == len(r.c) {
		return r.den
	}
	return r.c[l]
}

// eliminate replaces the variable of column j of r by what row p makes of it; ok is false where numbers do not fit, and nothing has changed.
func (s *search) eliminate(r *row, p row, j int) (ok bool) {
	if r.big != nil || p.big != nil {
		return false
	}
	f, a := r.c[j], p.c[j]
	g := intmath.GCD(max(f, -f), a)
	f, by := f/g, a/g
	if cap(s.scratch) < len(r.c) {
		s.scratch = make([]int64, len(r.c))
	}
	out := s.scratch[:len(r.c)]
	for l, v := range r.c {
		x, okX := product(v, by)
		y, okY := product(f, p.c[l])
		d := x - y
		if !okX || !okY || (x^y)&(x^d) < 0 {
			return false
		}
		out[l] = d
	}
	var okJ, okDen bool
	den := r.den
	out[j], okJ = product(f, p.den)
	if den, okDen = product(den, by); !okJ || !okDen {
		return false
	}
	s.scratch = r.c
	*r = row{c: out, den: den}.reduced()
	return true
}

// eliminated is what eliminate makes of r, in numbers of any size.
func (r row) eliminated(p row, j int) row {
	out := r.grown()
	f, a := new(big.Int).Set(out.big[j]), p.num(j)
	for l, x := range out.big {
		if x.Mul(x, a); l < r.width() {
			x.Sub(x, new(big.Int).Mul(f, p.num(l)))
		}
	}
	out.big[j].Mul(f, p.num(p.width()))
	return out.lowest()
}

// product is a·b; ok is false where it has more than 63 bits.
func product(a, b int64) (c int64, ok bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo < 1<<63 && a != -1<<63 && b != -1<<63
}
