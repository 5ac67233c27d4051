package lift

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gpuperf/internal/lists"
)

// Size is the length of an array, or a tuning parameter: a Laurent polynomial with rational coefficients over size
// symbols, in canonical form. Sizes are immutable and interned: equal sizes compare equal with ==. The zero Size is 0.
//
// Division is exact. That n/4 is a whole number is an Assumption, made where an array is split and checked later.
type Size struct{ p *poly }

type poly struct {
	id    uint32
	terms []monomial // descending degree, then by text
	text  string
}

type monomial struct {
	coef   *big.Rat // never zero
	powers []power  // by symbol; never an exponent 0
}

type power struct {
	sym string
	exp int
}

// sizes interns every Size and memoizes sums, products and quotients by the operands' numbers: typing computes the same few
// again and again.
var sizes = struct {
	sync.RWMutex
	byText map[string]*poly
	ops    map[sizeOp]Size
	nats   map[int64]Size
}{byText: map[string]*poly{}, ops: map[sizeOp]Size{}, nats: map[int64]Size{}}

type sizeOp struct {
	op   byte
	a, b uint32
}

func (s Size) number() uint32 {
	if s.p == nil {
		return 0
	}
	return s.p.id
}

// Nat is the constant size n.
func Nat(n int64) Size {
	return memoized(sizes.nats, n, func() Size { return newSize([]monomial{{coef: new(big.Rat).SetInt64(n)}}) })
}

// Sym is the size symbol of that name.
func Sym(name string) Size {
	return newSize([]monomial{{coef: big.NewRat(1, 1), powers: []power{{name, 1}}}})
}

// newSize collects like terms, sorts and interns.
func newSize(terms []monomial) Size {
	byPowers := map[string]monomial{}
	for _, t := range terms {
		key := powersText(t.powers)
		if old, ok := byPowers[key]; ok {
			t.coef = new(big.Rat).Add(old.coef, t.coef)
		}
		byPowers[key] = t
	}
	var canonical []monomial
	for _, key := range slices.Sorted(maps.Keys(byPowers)) {
		if t := byPowers[key]; t.coef.Sign() != 0 {
			canonical = append(canonical, t)
		}
	}
	if len(canonical) == 0 {
		return Size{}
	}
	slices.SortStableFunc(canonical, func(a, b monomial) int { return cmp.Compare(b.degree(), a.degree()) })
	text := polyText(canonical)
	sizes.Lock()
	defer sizes.Unlock()
	p := sizes.byText[text]
	if p == nil {
		p = &poly{id: uint32(len(sizes.byText)) + 1, terms: canonical, text: text}
		sizes.byText[text] = p
	}
	return Size{p}
}

func (m monomial) degree() (d int) {
	return lists.Sum(m.powers, func(p power) int { return p.exp })
}

func (m monomial) times(o monomial) monomial {
	return monomial{new(big.Rat).Mul(m.coef, o.coef), mergePowers(m.powers, o.powers, 1)}
}

func (m monomial) over(o monomial) monomial {
	return monomial{new(big.Rat).Quo(m.coef, o.coef), mergePowers(m.powers, o.powers, -1)}
}

func mergePowers(a, b []power, sign int) []power {
	sum := map[string]int{}
	for _, p := range a {
		sum[p.sym] += p.exp
	}
	for _, p := range b {
		sum[p.sym] += sign * p.exp
	}
	var out []power
	for _, sym := range slices.Sorted(maps.Keys(sum)) {
		if sum[sym] != 0 {
			out = append(out, power{sym, sum[sym]})
		}
	}
	return out
}

func (s Size) terms() []monomial {
	if s.p == nil {
		return nil
	}
	return s.p.terms
}

func memoSize(op byte, a, b Size, compute func() Size) Size {
	return memoized(sizes.ops, sizeOp{op, a.number(), b.number()}, compute)
}

// memoized looks a size up in a table of sizes, and adds it where it is missing.
func memoized[K comparable](table map[K]Size, key K, compute func() Size) Size {
	sizes.RLock()
	r, ok := table[key]
	sizes.RUnlock()
	if !ok {
		r = compute()
		sizes.Lock()
		table[key] = r
		sizes.Unlock()
	}
	return r
}

// Add is s + o.
func (s Size) Add(o Size) Size {
	return memoSize('+', s, o, func() Size { return newSize(append(slices.Clone(s.terms()), o.terms()...)) })
}

// Neg is −s.
func (s Size) Neg() Size { return s.Mul(Nat(-1)) }

// Sub is s − o.
func (s Size) Sub(o Size) Size { return s.Add(o.Neg()) }

// Mul is s · o.
func (s Size) Mul(o Size) Size {
	return memoSize('*', s, o, func() Size {
		var terms []monomial
		for _, a := range s.terms() {
			for _, b := range o.terms() {
				terms = append(terms, a.times(b))
			}
		}
		return newSize(terms)
	})
}

// Div is the exact quotient s / o. It fails for o = 0, and if the quotient is not a Laurent polynomial: 1 / (n + 1).
func (s Size) Div(o Size) (Size, error) {
	q, ok := s.quo(o)
	if !ok {
		return Size{}, fmt.Errorf("size %s cannot be divided by %s", s, o)
	}
	return q, nil
}

func (s Size) quo(o Size) (Size, bool) {
	switch len(o.terms()) {
	case 0:
		return Size{}, false
	case 1:
		return memoSize('/', s, o, func() Size {
			terms := lists.Map(s.terms(), func(t monomial) monomial { return t.over(o.p.terms[0]) })
			return newSize(terms)
		}), true
	}
	if s == o {
		return Nat(1), true
	}
	// Long division by the leading term. The order of terms, by degree and then by text, is not a monomial order, so the
	// number of steps is bounded, and only a remainder of 0 is accepted.
	var quotient Size
	rest := s
	for range 2 * (len(s.terms()) + 1) * len(o.terms()) {
		if rest == (Size{}) {
			return quotient, true
		}
		q := newSize([]monomial{rest.p.terms[0].over(o.p.terms[0])})
		quotient = quotient.Add(q)
		rest = rest.Sub(q.Mul(o))
	}
	return Size{}, false
}

// Const returns the value of a size without symbols that is a whole number.
func (s Size) Const() (int64, bool) {
	if s.p == nil {
		return 0, true
	}
	if len(s.p.terms) != 1 || len(s.p.terms[0].powers) != 0 || !s.p.terms[0].coef.IsInt() || !s.p.terms[0].coef.Num().IsInt64() {
		return 0, false
	}
	return s.p.terms[0].coef.Num().Int64(), true
}

// isConst reports whether s has no symbols; its value may be a fraction.
func (s Size) isConst() bool {
	return s.p == nil || len(s.p.terms) == 1 && len(s.p.terms[0].powers) == 0
}

// Symbols lists the symbols of s, sorted.
func (s Size) Symbols() []string {
	seen := map[string]bool{}
	for _, t := range s.terms() {
		for _, p := range t.powers {
			seen[p.sym] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Rat is the value of s where the symbols have the values at. A symbol without a value and division by 0 are errors.
func (s Size) Rat(at map[string]int64) (*big.Rat, error) {
	sum := new(big.Rat)
	for _, t := range s.terms() {
		v := new(big.Rat).Set(t.coef)
		for _, p := range t.powers {
			n, ok := at[p.sym]
			if !ok {
				return nil, fmt.Errorf("size %s: %s has no value", s, p.sym)
			}
			x := new(big.Rat).SetInt64(n)
			if p.exp < 0 {
				if n == 0 {
					return nil, fmt.Errorf("size %s divides by %s, which is 0", s, p.sym)
				}
				x.Inv(x)
			}
			for range max(p.exp, -p.exp) {
				v.Mul(v, x)
			}
		}
		sum.Add(sum, v)
	}
	return sum, nil
}

// Eval is the value of s where the symbols have the values at. It fails unless that is a non-negative whole number that
// fits 64 bits.
func (s Size) Eval(at map[string]int64) (int64, error) {
	if c, ok := s.Const(); ok && c >= 0 {
		return c, nil
	}
	r, err := s.Rat(at)
	if err != nil {
		return 0, err
	}
	switch {
	case !r.IsInt():
		return 0, fmt.Errorf("size %s is %s, not a whole number", s, r.RatString())
	case r.Sign() < 0:
		return 0, fmt.Errorf("size %s is %s, negative", s, r.RatString())
	case !r.Num().IsInt64():
		return 0, fmt.Errorf("size %s is %s, too large", s, r.RatString())
	}
	return r.Num().Int64(), nil
}

// Subst replaces symbols by sizes. It fails where a quotient is none of these sizes: in 1/n with n + 1 in the place of n.
func (s Size) Subst(by map[string]Size) (Size, error) {
	if !slices.ContainsFunc(s.Symbols(), func(n string) bool { _, ok := by[n]; return ok }) {
		return s, nil
	}
	var sum Size
	for _, t := range s.terms() {
		over, under := newSize([]monomial{{coef: t.coef}}), Nat(1)
		for _, p := range t.powers {
			x, ok := by[p.sym]
			if !ok {
				x = Sym(p.sym)
			}
			for range p.exp {
				over = over.Mul(x)
			}
			for range -p.exp {
				under = under.Mul(x)
			}
		}
		v, err := over.Div(under)
		if err != nil {
			return Size{}, err
		}
		sum = sum.Add(v)
	}
	return sum, nil
}

// isWhole reports whether s is certainly a whole number: it is a polynomial with integer coefficients.
func (s Size) isWhole() bool {
	for _, t := range s.terms() {
		if !t.coef.IsInt() || slices.ContainsFunc(t.powers, func(p power) bool { return p.exp < 0 }) {
			return false
		}
	}
	return true
}

// denominator is the least monomial by which s must be multiplied to have integer coefficients and no negative exponents.
func (s Size) denominator() Size {
	number := big.NewInt(1)
	exponents := map[string]int{}
	for _, t := range s.terms() {
		d := t.coef.Denom()
		number = new(big.Int).Div(new(big.Int).Mul(number, d), new(big.Int).GCD(nil, nil, number, d))
		for _, p := range t.powers {
			exponents[p.sym] = max(exponents[p.sym], -p.exp)
		}
	}
	m := monomial{coef: new(big.Rat).SetInt(number)}
	for _, sym := range slices.Sorted(maps.Keys(exponents)) {
		if exponents[sym] > 0 {
			m.powers = append(m.powers, power{sym, exponents[sym]})
		}
	}
	return newSize([]monomial{m})
}

// isNonNegative reports whether s is certainly not negative, every symbol being at least 1.
func (s Size) isNonNegative() bool {
	atOnes := new(big.Rat)
	for _, t := range s.terms() {
		atOnes.Add(atOnes, t.coef)
	}
	if atOnes.Sign() < 0 {
		return false
	}
	// A sum with at most a negative constant grows from its value at ones.
	for _, t := range s.terms() {
		negativeExponent := slices.ContainsFunc(t.powers, func(p power) bool { return p.exp < 0 })
		if t.coef.Sign() < 0 && len(t.powers) > 0 || negativeExponent && s.hasNegative() {
			return false
		}
	}
	return true
}

func (s Size) hasNegative() bool {
	return slices.ContainsFunc(s.terms(), func(t monomial) bool { return t.coef.Sign() < 0 })
}

// String is the size as sizes are written in programs; it parses back.
func (s Size) String() string {
	if s.p == nil {
		return "0"
	}
	return s.p.text
}

func powersText(powers []power) string {
	var b strings.Builder
	for _, p := range powers {
		fmt.Fprintf(&b, "%s^%d ", p.sym, p.exp)
	}
	return b.String()
}

func polyText(terms []monomial) string {
	var b strings.Builder
	for i, t := range terms {
		sign, coef := " + ", new(big.Rat).Set(t.coef)
		if coef.Sign() < 0 {
			sign = " - "
			coef.Neg(coef)
		}
		if i == 0 {
			sign = strings.TrimSpace(strings.TrimPrefix(sign, " + "))
		}
		b.WriteString(sign + t.text(coef))
	}
	return b.String()
}

// text is the term with another coefficient, which is positive: 3*n*m/(2*k).
func (m monomial) text(coef *big.Rat) string {
	var over, under []string
	if coef.Num().Cmp(big.NewInt(1)) != 0 {
		over = append(over, coef.Num().String())
	}
	if !coef.IsInt() {
		under = append(under, coef.Denom().String())
	}
	for _, p := range m.powers {
		text := p.sym
		if e := max(p.exp, -p.exp); e != 1 {
			text += "^" + strconv.Itoa(e)
		}
		if p.exp > 0 {
			over = append(over, text)
		} else {
			under = append(under, text)
		}
	}
	text := strings.Join(over, "*")
	if text == "" {
		text = "1"
	}
	switch len(under) {
	case 0:
		return text
	case 1:
		return text + "/" + under[0]
	}
	return text + "/(" + strings.Join(under, "*") + ")"
}
