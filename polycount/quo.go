package polycount

import "slices"

// Quo returns p divided by a parameter, where that divides every term of every piece; ok is false where it does not.
// Values at 0 of the parameter are those of the quotient.
func (p *Poly) Quo(param string) (quotient *Poly, ok bool, err error) {
	defer Rescue(&err)
	if p.IsZero() {
		return p, true, nil
	}
	at := slices.Index(p.params, param)
	if at < 0 {
		return nil, false, nil
	}
	key := atomKey(at + 1)
	out := &Poly{p.params, p.table, nil}
	for _, x := range p.pieces {
		q := make(quasi, 0, len(x.q))
		for _, m := range x.q {
			i := 0
			for i < len(m.factors) && m.factors[i:i+2] != key {
				i += 2
			}
			if i == len(m.factors) {
				return nil, false, nil
			}
			q = append(q, mono{m.factors[:i] + m.factors[i+2:], m.c})
		}
		slices.SortFunc(q, func(a, b mono) int { return compareFactors(a.factors, b.factors) })
		out.pieces = append(out.pieces, piece{x.dom, q})
	}
	return out, true, nil
}
