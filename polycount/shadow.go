package polycount

// oneExistential projects c without branching; nil unless that leaves exactly one existential.
func (w *work) oneExistential(c *conj, drop []bool) *conj {
	q, _ := c.quantify(drop)
	left := w.eliminateUntil(q, true)
	if len(left) != 1 {
		return nil
	}
	c = left[0]
	n := 0
	for k, d := range c.divs {
		if d.den == 0 && c.usedInRows(1+c.n+k) {
			n++
		}
	}
	if n != 1 {
		return nil
	}
	return c
}

// countShadow counts the points of a set that is the shadow of a conjunction P with one existential t. Over each point
// lies an interval of t, whose lowest end is where t − 1 is not in P: the count is that of P less that of P ∩ (P + e_t),
// two conjunctions without the floors and the overlaps that eliminating t brings.
func (w *work) countShadow(s *Set) (p *Poly, ok bool) {
	w.within(w.left/2, func(w *work) {
		c := s.shadow
		raised := false
		high := c.clone() // P ∩ (P + e_t): the lower bounds of t raised by one
		for k, d := range c.divs {
			at := 1 + c.n + k
			if d.den != 0 {
				continue
			}
			for _, r := range high.ge {
				if r[at] > 0 {
					r[0] = sub(r[0], r[at])
					raised = true
				}
			}
		}
		if !raised {
			return
		}
		whole, err := w.countQuantified(c, s)
		if err != nil {
			return
		}
		above, err := w.countQuantified(high, s)
		if err != nil {
			return
		}
		a, b := alignPolys(whole, above.Scale(-1, 1))
		a.pieces = w.sumPieces(a.pieces, b.pieces)
		w.tidy(a)
		p, ok = a, true
	})
	return p, ok
}
