package quasi

import (
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
)

// Quasi is a sparse polynomial over atoms, which are the columns of some table of variables and floors: terms sorted
// by degree, then by atoms; no zero coefficients. It is immutable.
type Quasi []Mono

// Mono is c·Π atoms. The factors are packed two bytes per atom, ascending, repeated for powers.
type Mono struct {
	Factors string
	C       arith.Rat
}

func compareFactors(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func AtomKey(at int) string {
	if at > 0xffff {
		panic(throw.Errorf("polycount: more than %d distinct terms: %w", 0xffff, linear.ErrBudget))
	}
	return string([]byte{byte(at >> 8), byte(at)})
}

func AtomAt(factors string, i int) int { return int(factors[i])<<8 | int(factors[i+1]) }

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

func Constant(c arith.Rat) Quasi {
	if c.IsZero() {
		return nil
	}
	return Quasi{{"", c}}
}

// Linear is the row as a polynomial, never nil.
func Linear(r linear.Row) Quasi {
	out := make(Quasi, 0, 4)
	for i, v := range r {
		if v == 0 {
			continue
		}
		if i == 0 {
			out = append(out, Mono{"", arith.RatInt(v)})
		} else {
			out = append(out, Mono{AtomKey(i), arith.RatInt(v)})
		}
	}
	return out
}

// Affine is den·p as a row; ok is false where p is not affine in its atoms, or a coefficient has more than 64 bits.
func (p Quasi) Affine(width int) (r linear.Row, den int64, ok bool) {
	den = 1
	for _, t := range p {
		if len(t.Factors) > 2 || t.C.B != nil {
			return nil, 0, false
		}
		den = arith.Lcm(den, t.C.D)
	}
	r = make(linear.Row, width)
	for _, t := range p {
		at := 0
		if t.Factors != "" {
			at = AtomAt(t.Factors, 0)
		}
		r[at] = arith.Mul(t.C.N, den/t.C.D)
	}
	return r, den, true
}

func (p Quasi) Add(q Quasi) Quasi {
	switch {
	case len(p) == 0:
		return q
	case len(q) == 0:
		return p
	}
	out := make(Quasi, 0, len(p)+len(q))
	i, j := 0, 0
	for i < len(p) && j < len(q) {
		switch c := compareFactors(p[i].Factors, q[j].Factors); {
		case c < 0:
			out, i = append(out, p[i]), i+1
		case c > 0:
			out, j = append(out, q[j]), j+1
		default:
			if c := p[i].C.Add(q[j].C); !c.IsZero() {
				out = append(out, Mono{p[i].Factors, c})
			}
			i, j = i+1, j+1
		}
	}
	return append(append(out, p[i:]...), q[j:]...)
}

func (p Quasi) Scale(c arith.Rat) Quasi {
	if c.IsOne() {
		return p
	}
	if c.IsZero() {
		return nil
	}
	out := make(Quasi, len(p))
	for i, t := range p {
		out[i] = Mono{t.Factors, t.C.Mul(c)}
	}
	return out
}

func (p Quasi) Sub(q Quasi) Quasi { return p.Add(q.Scale(arith.RatInt(-1))) }

func (p Quasi) Mul(q Quasi) Quasi {
	switch {
	case len(p) == 0 || len(q) == 0:
		return nil
	case len(p) == 1 && p[0].Factors == "":
		return q.Scale(p[0].C)
	case len(q) == 1 && q[0].Factors == "":
		return p.Scale(q[0].C)
	}
	out := make(Quasi, 0, len(p)*len(q))
	for _, a := range p {
		for _, b := range q {
			out = append(out, Mono{mulFactors(a.Factors, b.Factors), a.C.Mul(b.C)})
		}
	}
	return out.Collected()
}

// Collected sorts terms and adds like ones, in place.
func (p Quasi) Collected() Quasi {
	slices.SortFunc(p, func(a, b Mono) int { return compareFactors(a.Factors, b.Factors) })
	out := p[:0]
	for _, t := range p {
		if k := len(out) - 1; k >= 0 && out[k].Factors == t.Factors {
			out[k].C = out[k].C.Add(t.C)
			if out[k].C.IsZero() {
				out = out[:k]
			}
			continue
		}
		if !t.C.IsZero() {
			out = append(out, t)
		}
	}
	return out
}

// degree counts floors as variables.
func (p Quasi) degree() int {
	if len(p) == 0 {
		return 0
	}
	return len(p[len(p)-1].Factors) / 2
}

func (p Quasi) Equal(q Quasi) bool {
	return slices.EqualFunc(p, q, func(a, b Mono) bool { return a.Factors == b.Factors && a.C.Equal(b.C) })
}

// byPower splits p = Σ coeffs[k]·at^k.
func (p Quasi) byPower(at int) (coeffs []Quasi) {
	key := AtomKey(at)
	for _, t := range p {
		f, k := t.Factors, 0
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
		coeffs[k] = append(coeffs[k], Mono{f, t.C})
	}
	// Removing one atom keeps terms of one power in order among equal degrees, and degrees ascending.
	return coeffs
}

func (p Quasi) Uses(at int) bool {
	key := AtomKey(at)
	for _, t := range p {
		for i := 0; i < len(t.Factors); i += 2 {
			if t.Factors[i:i+2] == key {
				return true
			}
		}
	}
	return false
}

// atoms marks the atoms of p among the first n.
func (p Quasi) atoms(n int) []bool {
	used := make([]bool, n)
	for _, t := range p {
		for i := 0; i < len(t.Factors); i += 2 {
			used[AtomAt(t.Factors, i)] = true
		}
	}
	return used
}

// Replace puts a polynomial for one atom.
func (p Quasi) Replace(at int, by Quasi) Quasi {
	if !p.Uses(at) {
		return p
	}
	var out Quasi
	coeffs := p.byPower(at)
	for k := len(coeffs) - 1; k >= 0; k-- { // Horner
		out = out.Mul(by).Add(coeffs[k])
	}
	return out
}

// Rename puts polynomials for all atoms at once; nil keeps an atom.
func (p Quasi) Rename(by []Quasi) Quasi { return p.renamed(by, func(int) {}) }

// renamed is Rename that spends work for the terms that it makes, of which there may be many.
func (p Quasi) renamed(by []Quasi, spend func(int)) Quasi {
	out := Quasi{}
	for _, t := range p {
		term := Quasi{{"", t.C}}
		kept := ""
		for i := 0; i < len(t.Factors); i += 2 {
			if b := by[AtomAt(t.Factors, i)]; b != nil {
				spend(len(term) * len(b))
				term = term.Mul(b)
			} else {
				kept += t.Factors[i : i+2]
			}
		}
		if kept != "" {
			term = term.Mul(Quasi{{kept, arith.RatInt(1)}})
		}
		out = append(out, term...)
	}
	return out.Collected()
}

// Value evaluates p where atoms have the given values.
func (p Quasi) Value(atoms []*big.Int) *big.Rat {
	sum, v := new(big.Rat), new(big.Int)
	for _, t := range p {
		v.SetInt64(1)
		for i := 0; i < len(t.Factors); i += 2 {
			v.Mul(v, atoms[AtomAt(t.Factors, i)])
		}
		sum.Add(sum, new(big.Rat).Mul(t.C.Big(), new(big.Rat).SetInt(v)))
	}
	return sum
}
