package linear

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/internal/intmath"
	"gpuperf/polycount"
)

// disjoint is a quick sufficient test: true means that two accesses touch the same element only in instances that agree on all
// axes of the kind ("lid" or "gid"), false that nothing is known. Axes of the kinds in free ("lid", "lid gid") and loops that
// are not common may differ between the two instances; everything else is equal.
//
// Where both indices have the same coefficients, their difference is Σ c·d over the differences d of the names that may
// differ. If every |c| exceeds the greatest sum of the terms with smaller coefficients, as with the digits of a number, the
// difference is 0 only where every d is 0. Domains only make the differences smaller.
func (b *builder) disjoint(s, t *stmt, x, y access, common []string, kind, free string) bool {
	forms, others := b.forms(x), b.forms(y)
	if len(forms) != len(others) {
		return false
	}
	var equal []string
	for i := range forms {
		p, q := forms[i], others[i]
		if p == nil || q == nil || !p.Equal(*q) || p.HasFloor() {
			continue
		}
		var digits []digit
		if lanes := max(x.lanes, y.lanes); lanes > 0 && i == len(x.index)-1 {
			digits = append(digits, digit{"", 1, lanes - 1})
		}
		known := true
		for _, term := range p.All() {
			name := term.Name
			d := digit{name, max(term.Coeff, -term.Coeff), 0}
			switch isAxis := strings.HasSuffix(name, ")"); {
			case isAxis && !strings.Contains(free, name[:3]), slices.Contains(common, name):
				continue // equal in both
			case isAxis:
				d.most, known = b.axisRange(name)
				if lo, hi, ok := span(s, t, name); ok && (!known || hi-lo < d.most) {
					d.most, known = hi-lo, true
				}
			case slices.Contains(s.loops, name) && slices.Contains(t.loops, name):
				var lo, hi int64
				lo, hi, known = span(s, t, name)
				d.most = hi - lo
			case slices.Contains(s.loops, name) || slices.Contains(t.loops, name):
				known = false
			default:
				continue // a parameter
			}
			if !known {
				break
			}
			digits = append(digits, d)
		}
		if !known {
			continue
		}
		slices.SortFunc(digits, func(a, b digit) int { return cmp.Compare(a.coeff, b.coeff) })
		known = apartDigits(s, t, p, digits)
		for _, d := range digits {
			if known && !slices.Contains(equal, d.name) {
				equal = append(equal, d.name)
			}
		}
	}
	for _, d := range b.dims {
		if strings.HasPrefix(d, kind) && !slices.Contains(equal, d) && !(slices.Contains(s.pinned, d) && slices.Contains(t.pinned, d)) {
			return false
		}
	}
	return true
}

// digit is a term of such a difference: the name, the magnitude of its coefficient, and the greatest value of |d|.
type digit struct {
	name        string
	coeff, most int64
}

// apartDigits reports whether the coefficient of each digit exceeds the greatest sum of the digits before it.
func apartDigits(s, t *stmt, p *polycount.Affine, digits []digit) bool {
	sums := make([]int64, 1, len(digits)+1) // of the first so many
	for i, d := range digits {
		if d.coeff <= sums[i] {
			return false
		}
		sum := sums[i] + d.coeff*d.most
		for j := range i {
			if most, ok := together(s, t, p, digits[j:i+1]); ok && sums[j]+most < sum {
				sum = sums[j] + most
			}
		}
		sums = append(sums, sum)
	}
	return true
}

// span is a range of a name in both statements.
func span(s, t *stmt, name string) (lo, hi int64, ok bool) {
	lo, hi, ok = s.constantRange(name)
	if !ok || s == t {
		return lo, hi, ok
	}
	l, h, ok := t.constantRange(name)
	return min(lo, l), max(hi, h), ok
}

// together bounds the difference of Σ coeff·name over some digits of p where both statements have a constraint on this sum.
// An example is a tile whose rows are divided among work-items that each take every 32nd element: the sum stays in the row.
func together(s, t *stmt, p *polycount.Affine, digits []digit) (most int64, ok bool) {
	least := int64(0)
	for _, d := range digits {
		c := p.Coeff(d.name)
		lo, hi, ok := span(s, t, d.name)
		if c == 0 || !ok {
			return 0, false
		}
		least += min(c*lo, c*hi)
	}
	greatest, ok := s.atMost(p, digits)
	if ok && s != t {
		var other int64
		other, ok = t.atMost(p, digits)
		greatest = max(greatest, other)
	}
	return greatest - least, ok
}

// atMost finds the greatest value of Σ coeff·name over the digits from a constraint of the statement on this sum.
func (s *stmt) atMost(p *polycount.Affine, digits []digit) (most int64, ok bool) {
	for _, c := range s.need {
		terms := c.Affine.Len()
		if c.Equality || terms != len(digits) || c.Affine.HasFloor() {
			continue
		}
		// -(Σ coeff·name)/scale + constant >= 0
		scale := int64(0)
		fits := true
		for _, d := range digits {
			a, b := p.Coeff(d.name), -c.Affine.Coeff(d.name)
			if scale == 0 && b != 0 {
				scale = a / b
			}
			fits = fits && scale > 0 && a == scale*b
		}
		if v := scale * c.Affine.Constant(); fits && (!ok || v < most) {
			most, ok = v, true
		}
	}
	return most, ok
}

// axisRange is the largest value of an axis, where it is constant.
func (b *builder) axisRange(axis string) (int64, bool) {
	n := int(axis[4] - '0')
	if strings.HasPrefix(axis, "lid") {
		return b.nest.Local[n] - 1, b.nest.Local[n] > 0
	}
	last, ok := int64(0), false
	for _, u := range b.nest.Groups[n] {
		if u.Num.IsConstant() {
			if v := intmath.FloorDiv(u.Num.Constant(), u.Den); !ok || v < last {
				last, ok = v, true
			}
		}
	}
	return last, ok
}
