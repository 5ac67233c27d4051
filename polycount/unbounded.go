package polycount

// recession finds a direction of the variables after the first np in which c goes on for ever, and the condition on the
// first np, with existentials, under which c has points; nil where there is none.
func (w *work) recession(c *conj, np int) (direction []int64, when *conj) {
	h := c.flat()
	for _, r := range h.eq {
		r[0] = 0
	}
	for _, r := range h.ge {
		r[0] = 0
	}
	fix := func(h *system, at int, v int64) {
		r := make(row, h.width)
		r[0], r[at] = -v, 1
		h.eq = append(h.eq, r)
	}
	for i := 1; i <= np; i++ {
		fix(h, i, 0)
	}
	// The floors that depend only on parameters move with those.
	for k := range c.divs {
		param := c.divs[k].den > 0
		for i := np + 1; i <= c.n; i++ {
			param = param && !c.dependsOn(k, i)
		}
		if param {
			fix(h, 1+c.n+k, 0)
		}
	}
	for at := np + 1; at <= c.n; at++ {
		for _, sgn := range []int64{1, -1} {
			t := h.clone()
			r := make(row, h.width)
			r[0], r[at] = -1, sgn
			t.ge = append(t.ge, r)
			point, ok := w.sample(t)
			if !ok {
				continue
			}
			when, _ = c.quantify(c.after(np))
			return point[np+1 : c.n+1], when
		}
	}
	return nil, nil
}
