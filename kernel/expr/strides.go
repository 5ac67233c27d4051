package expr

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/intmath"
	"gpuperf/internal/lists"
)

// Flat subscripts, as that of a[i*n + j], tell what the dimensions of an array may be: its strides are products of sizes that divide each other.

// Term is the product of a number and variables.
func Term(c int64, vars []string) *Poly {
	p := ConstPoly(c)
	for _, v := range vars {
		p = p.Mul(VarPoly(v))
	}
	return p
}

// Degree is the number of variables of the largest product.
func (p *Poly) Degree() int {
	n := 0
	for _, t := range p.list() {
		n = max(n, len(t.vars))
	}
	return n
}

// Quotient is p/q of products, where q divides p.
func (p *Poly) Quotient(q *Poly) (*Poly, bool) {
	if p.Len() != 1 || q.Len() != 1 {
		return nil, false
	}
	by := q.terms[0]
	factor, left := new(big.Int).QuoRem(p.terms[0].coeff, by.coeff, new(big.Int))
	rest := slices.Clone(p.terms[0].vars)
	for _, v := range by.vars {
		i := slices.Index(rest, v)
		if i < 0 {
			return nil, false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return &Poly{[]monomial{{factor, rest}}}, left.Sign() == 0
}

// Strides are the products of sizes that multiply indices in flat subscripts, the largest first, where each divides the one before; with the common factors of their terms, or else with a given
// factor. There are none where they do not divide each other.
func Strides(offsets []*Poly, size func(string) bool, factor int64, common bool) (out []*Poly) {
	factors, products := map[string]int64{}, map[string][]string{}
	for _, p := range offsets {
		for _, t := range p.list() {
			sizes := lists.Where(t.vars, size)
			if len(sizes) == 0 || len(sizes) == len(t.vars) || !t.coeff.IsInt64() {
				continue
			}
			key := strings.Join(sizes, "*")
			products[key] = sizes
			factors[key] = intmath.GCD(factors[key], t.coeff.Int64())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(products)) {
		c := factor
		if common {
			c = max(factors[key], -factors[key])
		}
		out = append(out, Term(c, products[key]))
	}
	slices.SortStableFunc(out, func(p, q *Poly) int { return q.Degree() - p.Degree() })
	for i := 1; i < len(out); i++ {
		if _, ok := out[i-1].Quotient(out[i]); !ok {
			return nil
		}
	}
	return out
}

// Extents are those of the inner dimensions of an array of such strides, whose last dimension has stride 1.
func Extents(strides []*Poly) (out []*Poly, ok bool) {
	for i, s := range strides {
		next := ConstPoly(1)
		if i+1 < len(strides) {
			next = strides[i+1]
		}
		n, ok := s.Quotient(next)
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// Subscripts are a flat subscript as those of dimensions of such strides, if each inner one is below its extent.
func (p *Poly) Subscripts(strides []*Poly) (out []*Poly) {
	rest := p.list()
	for _, s := range strides {
		var quotient *Poly
		rest = slices.DeleteFunc(slices.Clone(rest), func(t monomial) bool {
			q, ok := (&Poly{[]monomial{t}}).Quotient(s)
			if ok {
				quotient = quotient.Add(q)
			}
			return ok
		})
		out = append(out, quotient)
	}
	return append(out, newPoly(slices.Clone(rest)))
}
