package polycount

import (
	"gpuperf/polycount/internal/arith"
	"math"
	"math/big"
	"slices"
	"strings"
)

// quasi is a sparse polynomial over atoms, which are the columns of some table of variables and floors: terms sorted
// by degree, then by atoms; no zero coefficients. It is immutable.
type quasi []mono

// mono is c·Π atoms. The factors are packed two bytes per atom, ascending, repeated for powers.
type mono struct {
	factors string
	c       arith.Rat
}

func compareFactors(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func atomKey(at int) string {
	if at > 0xffff {
		arith.Fail("polycount: more than %d distinct terms: %w", 0xffff, budgetError)
	}
	return string([]byte{byte(at >> 8), byte(at)})
}

func atomAt(factors string, i int) int { return int(factors[i])<<8 | int(factors[i+1]) }

func mulFactors(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	out := make([]byte, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[:2] <= b[:2] {
			out, a = append(out, a[:2]...), a[2:]
		} else {
			out, b = append(out, b[:2]...), b[2:]
		}
	}
	return string(append(append(out, a...), b...))
}

func constant(c arith.Rat) quasi {
	if c.IsZero() {
		return nil
	}
	return quasi{{"", c}}
}

// linear is the row as a polynomial.
func linear(r row) quasi {
	out := make(quasi, 0, 4)
	for i, v := range r {
		if v == 0 {
			continue
		}
		if i == 0 {
			out = append(out, mono{"", arith.RatInt(v)})
		} else {
			out = append(out, mono{atomKey(i), arith.RatInt(v)})
		}
	}
	return out
}

func (p quasi) add(q quasi) quasi {
	switch {
	case len(p) == 0:
		return q
	case len(q) == 0:
		return p
	}
	out := make(quasi, 0, len(p)+len(q))
	i, j := 0, 0
	for i < len(p) && j < len(q) {
		switch c := compareFactors(p[i].factors, q[j].factors); {
		case c < 0:
			out, i = append(out, p[i]), i+1
		case c > 0:
			out, j = append(out, q[j]), j+1
		default:
			if c := p[i].c.Add(q[j].c); !c.IsZero() {
				out = append(out, mono{p[i].factors, c})
			}
			i, j = i+1, j+1
		}
	}
	return append(append(out, p[i:]...), q[j:]...)
}

func (p quasi) scale(c arith.Rat) quasi {
	if c.IsOne() {
		return p
	}
	if c.IsZero() {
		return nil
	}
	out := make(quasi, len(p))
	for i, t := range p {
		out[i] = mono{t.factors, t.c.Mul(c)}
	}
	return out
}

func (p quasi) sub(q quasi) quasi { return p.add(q.scale(arith.RatInt(-1))) }

func (p quasi) mul(q quasi) quasi {
	switch {
	case len(p) == 0 || len(q) == 0:
		return nil
	case len(p) == 1 && p[0].factors == "":
		return q.scale(p[0].c)
	case len(q) == 1 && q[0].factors == "":
		return p.scale(q[0].c)
	}
	out := make(quasi, 0, len(p)*len(q))
	for _, a := range p {
		for _, b := range q {
			out = append(out, mono{mulFactors(a.factors, b.factors), a.c.Mul(b.c)})
		}
	}
	return out.collected()
}

// collected sorts terms and adds like ones, in place.
func (p quasi) collected() quasi {
	slices.SortFunc(p, func(a, b mono) int { return compareFactors(a.factors, b.factors) })
	out := p[:0]
	for _, t := range p {
		if k := len(out) - 1; k >= 0 && out[k].factors == t.factors {
			out[k].c = out[k].c.Add(t.c)
			if out[k].c.IsZero() {
				out = out[:k]
			}
			continue
		}
		if !t.c.IsZero() {
			out = append(out, t)
		}
	}
	return out
}

// degree counts floors as variables.
func (p quasi) degree() int {
	if len(p) == 0 {
		return 0
	}
	return len(p[len(p)-1].factors) / 2
}

func (p quasi) equal(q quasi) bool {
	return slices.EqualFunc(p, q, func(a, b mono) bool { return a.factors == b.factors && a.c.Equal(b.c) })
}

// byPower splits p = Σ coeffs[k]·at^k.
func (p quasi) byPower(at int) (coeffs []quasi) {
	key := atomKey(at)
	for _, t := range p {
		f, k := t.factors, 0
		for i := 0; i < len(f); i += 2 {
			if f[i:i+2] == key {
				k++
			}
		}
		if k > 0 {
			i := 0
			for f[i:i+2] != key {
				i += 2
			}
			f = f[:i] + f[i+2*k:]
		}
		for len(coeffs) <= k {
			coeffs = append(coeffs, nil)
		}
		coeffs[k] = append(coeffs[k], mono{f, t.c})
	}
	// Removing one atom keeps terms of one power in order among equal degrees, and degrees ascending.
	return coeffs
}

func (p quasi) uses(at int) bool {
	key := atomKey(at)
	for _, t := range p {
		for i := 0; i < len(t.factors); i += 2 {
			if t.factors[i:i+2] == key {
				return true
			}
		}
	}
	return false
}

// replace puts by for the atom.
func (p quasi) replace(at int, by quasi) quasi {
	if !p.uses(at) {
		return p
	}
	var out quasi
	coeffs := p.byPower(at)
	for k := len(coeffs) - 1; k >= 0; k-- { // Horner
		out = out.mul(by).add(coeffs[k])
	}
	return out
}

// rename maps every atom to a polynomial, all at once; nil stands for the atom itself.
func (p quasi) rename(by []quasi) quasi {
	var out quasi
	for _, t := range p {
		term := quasi{{"", t.c}}
		kept := ""
		for i := 0; i < len(t.factors); i += 2 {
			if b := by[atomAt(t.factors, i)]; b != nil {
				term = term.mul(b)
			} else {
				kept += t.factors[i : i+2]
			}
		}
		if kept != "" {
			term = term.mul(quasi{{kept, arith.RatInt(1)}})
		}
		out = append(out, term...)
	}
	return out.collected()
}

// value evaluates p where atoms have the given values.
func (p quasi) value(atoms []*big.Int) *big.Rat {
	sum, v := new(big.Rat), new(big.Int)
	for _, t := range p {
		v.SetInt64(1)
		for i := 0; i < len(t.factors); i += 2 {
			v.Mul(v, atoms[atomAt(t.factors, i)])
		}
		sum.Add(sum, new(big.Rat).Mul(t.c.Big(), new(big.Rat).SetInt(v)))
	}
	return sum
}

// approximate is the value in floating point, and the sum of the magnitudes that were added.
func (p quasi) approximate(atoms []float64) (v, size float64) {
	for _, t := range p {
		var x float64
		if t.c.B != nil {
			x, _ = t.c.B.Float64()
		} else {
			x = float64(t.c.N) / float64(t.c.D)
		}
		for i := 0; i < len(t.factors); i += 2 {
			x *= atoms[atomAt(t.factors, i)]
		}
		v += x
		size += math.Abs(x)
	}
	return v, size
}
