package linear

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/kernel"
)

// apart proves, where it can at a glance, that two accesses touch one element only in instances that agree on all axes of
// the kind ("lid" or "gid"). Names of the kinds in free ("lid", "lid gid"), and loops that are not common, may differ between the instances;
// all others are equal. Where both indices have the same coefficients, their difference is Σ c·d over the differences d of
// such names, and if every |c| exceeds what the smaller ones can add up to, as with the digits of a number, the sum is 0
// for d = 0 alone. Domains only make the differences smaller. False means that nothing is known.
func (b *builder) apart(s, t *stmt, x, y access, common []string, kind, free string) bool {
	if len(x.index) != len(y.index) || slices.ContainsFunc(x.array.Axes, func(a kernel.Axis) bool { return a.Stride != nil }) {
		return false
	}
	equal := map[string]bool{}
	forms, others := b.forms(x), b.forms(y)
	for i := range x.index {
		p, q := forms[i], others[i]
		if p == nil || q == nil || !p.Equal(*q) || p.HasFloor() {
			continue
		}
		type digit struct {
			name        string
			coeff, most int64
		}
		var digits []digit
		if lanes := max(x.lanes, y.lanes); lanes > 0 && i == len(x.index)-1 {
			digits = append(digits, digit{"", 1, lanes - 1})
		}
		known := true
		for _, term := range p.Terms() {
			name := term.Name
			d := digit{name, max(term.Coeff, -term.Coeff), 0}
			switch isAxis := strings.HasSuffix(name, ")"); {
			case isAxis && !strings.Contains(free, name[:3]), slices.Contains(common, name):
				continue // equal in both
			case isAxis:
				d.most, known = b.axisRange(name)
			case slices.Contains(s.loops, name) && slices.Contains(t.loops, name):
				l1, h1, ok1 := s.interval(name)
				l2, h2, ok2 := t.interval(name)
				d.most, known = max(h1, h2)-min(l1, l2), ok1 && ok2
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
		sum := int64(0)
		for _, d := range digits {
			if d.coeff <= sum {
				known = false
				break
			}
			sum += d.coeff * d.most
		}
		for _, d := range digits {
			equal[d.name] = equal[d.name] || known
		}
	}
	for _, d := range b.dims {
		if strings.HasPrefix(d, kind) && !equal[d] {
			return false
		}
	}
	return true
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
			if v := floorDiv(u.Num.Constant(), u.Den); !ok || v < last {
				last, ok = v, true
			}
		}
	}
	return last, ok
}
