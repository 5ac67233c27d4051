package lift

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/intmath"
)

// AssumptionKind is the kind of condition that an Assumption states.
type AssumptionKind uint8

// The kinds of assumptions.
const (
	Divides     AssumptionKind = iota // A / B is a whole number, written "B | A"
	AtLeast                           // A ≥ B
	Permutation                       // Index maps [0, A) onto itself
	InRange                           // Index maps [0, A) into [0, A)
)

// Assumption is a condition on sizes without which a term has no meaning. Assumptions are comparable.
type Assumption struct {
	Kind  AssumptionKind
	A, B  Size
	Index *IndexFun // of Permutation and InRange
}

// String is the assumption as programs write it.
func (a Assumption) String() string {
	switch a.Kind {
	case Divides:
		return fmt.Sprintf("%s | %s", paren(a.B), paren(a.A))
	case AtLeast:
		return fmt.Sprintf("%s >= %s", a.A, a.B)
	case Permutation:
		return fmt.Sprintf("%s permutes 0 .. %s - 1", a.Index, paren(a.A))
	}
	return fmt.Sprintf("%s stays in 0 .. %s - 1", a.Index, paren(a.A))
}

func paren(s Size) string {
	if text := s.String(); strings.ContainsAny(text, " /*") {
		return "(" + text + ")"
	} else {
		return text
	}
}

// Proved reports whether the assumption holds at all sizes of at least 1.
func (a Assumption) Proved() bool {
	switch a.Kind {
	case Divides:
		q, ok := a.A.quo(a.B)
		return ok && q.isWhole()
	case AtLeast:
		return a.A.Sub(a.B).isNonNegative()
	case Permutation, InRange:
		if a.Index.Kind != IndexExpr {
			return true
		}
		n, ok := a.A.Const()
		return ok && a.Index.check(n, nil, a.Kind == Permutation) == nil
	}
	return false
}

// Refuted reports whether the assumption holds at no sizes.
func (a Assumption) Refuted() bool {
	switch a.Kind {
	case Divides:
		q, ok := a.A.quo(a.B)
		return a.B == Size{} || ok && q.isConst() && !q.isWhole()
	case AtLeast:
		d := a.A.Sub(a.B)
		return d.isConst() && !d.isNonNegative()
	case Permutation, InRange:
		n, ok := a.A.Const()
		return ok && !a.Proved() && len(a.Index.symbols()) == 0 && n >= 0
	}
	return false
}

// Period is a number by whose multiples sizes can change while the program's divisibilities by numbers keep: the least common
// multiple of these numbers, 1 if they have none.
func (p *Program) Period() int64 {
	period := int64(1)
	for _, a := range p.Assumptions() {
		if q, ok := a.A.quo(a.B); ok && a.Kind == Divides {
			n := q.denominator().p.terms[0].coef.Num()
			if all := new(big.Int).Mul(n, big.NewInt(period)); all.IsInt64() {
				period = all.Int64() / intmath.GCD(n.Int64(), period)
			}
		}
	}
	return period
}

// Check returns an error if the assumption does not hold at these sizes.
func (a Assumption) Check(at map[string]int64) error {
	if a.Kind == Permutation || a.Kind == InRange {
		n, err := a.A.Eval(at)
		if err != nil {
			return err
		}
		return a.Index.check(n, at, a.Kind == Permutation)
	}
	x, err := a.A.Rat(at)
	if err != nil {
		return err
	}
	y, err := a.B.Rat(at)
	if err != nil {
		return err
	}
	switch {
	case a.Kind == AtLeast && x.Cmp(y) < 0:
		return fmt.Errorf("%s does not hold: %s is %s", a, a.A, x.RatString())
	case a.Kind == Divides && (y.Sign() == 0 || !x.IsInt() || !y.IsInt() || !new(big.Rat).Quo(x, y).IsInt()):
		return fmt.Errorf("%s does not hold: %s does not divide %s", a, y.RatString(), x.RatString())
	}
	return nil
}

// Implied reports whether the assumption provably holds at all sizes where those of given hold. The proof is incomplete.
func (a Assumption) Implied(given []Assumption) bool {
	if a.Proved() {
		return true
	}
	if a.Kind == AtLeast { // a whole number that is positive is at least 1
		d := a.A.Sub(a.B).Add(Nat(1))
		whole := Assumption{Kind: Divides, A: d, B: Nat(1)}
		if d != (Size{}) && !d.hasNegative() && whole.Implied(given) {
			return true
		}
	}
	for _, g := range given {
		if g == a {
			return true
		}
		if g.Kind != a.Kind {
			continue
		}
		switch a.Kind {
		case AtLeast: // A − B = (gA − gB) + something not negative
			if a.A.Sub(a.B).Sub(g.A.Sub(g.B)).isNonNegative() {
				return true
			}
		case Divides: // A/B is a whole multiple of a quotient that is whole, plus something whole
			q, ok := a.A.quo(a.B)
			known, okay := g.A.quo(g.B)
			if ok && okay && q.isMultiple(known) {
				return true
			}
		}
	}
	return false
}

// isMultiple reports whether s is certainly whole when q is.
func (s Size) isMultiple(q Size) bool {
	if len(q.terms()) == 0 {
		return s.isWhole()
	}
	if r, ok := s.quo(q); ok && r.isWhole() {
		return true
	}
	// The terms of s that are whole by themselves do not matter: n/4 + 1 given 4 | n.
	var fraction Size
	for _, t := range s.terms() {
		if one := newSize([]monomial{t}); !one.isWhole() {
			fraction = fraction.Add(one)
		}
	}
	if fraction == s {
		return false
	}
	r, ok := fraction.quo(q)
	return ok && r.isWhole()
}

// need adds an assumption to a list unless it is in the list or always holds.
func need(list []Assumption, a Assumption) []Assumption {
	if a.Proved() || slices.Contains(list, a) {
		return list
	}
	return append(list, a)
}

// ofLengths adds the assumptions on the lengths in the type of an input, which is read from memory: each is a whole number
// of at least 1.
func ofLengths(list []Assumption, t *Type) []Assumption {
	for ; t.Kind == ArrayType; t = t.Elem {
		list = need(list, Assumption{Kind: AtLeast, A: t.Len, B: Nat(1)})
		if by := t.Len.denominator(); by != Nat(1) {
			list = need(list, Assumption{Kind: Divides, A: t.Len.Mul(by), B: by})
		}
	}
	for _, e := range t.Elems {
		list = ofLengths(list, e)
	}
	return list
}

// CheckAll returns the first assumption of the list that does not hold at these sizes, as an error.
func CheckAll(list []Assumption, at map[string]int64) error {
	for _, a := range list {
		if err := a.Check(at); err != nil {
			return err
		}
	}
	return nil
}
