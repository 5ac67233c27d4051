package count

import (
	"slices"

	"gpuperf/polycount/internal/linear"
)

// Recession finds a direction of the variables after the first np in which c is infinite, and the condition on the
// first np, with existentials, under which c has points. It returns nil if there is none.
func Recession(w *linear.Work, c *linear.Conj, np int) (direction []int64, when *linear.Conj) {
	h := c.Flat()
	for _, r := range slices.Concat(h.Eq, h.Ge) {
		r[0] = 0
	}
	fix := func(at int) { h.Eq = append(h.Eq, linear.Plus(h.Width, 0, 1, at)) }
	for i := 1; i <= np; i++ {
		fix(i)
	}
	// The floors that depend only on parameters move with those.
	for k := range c.Divs {
		param := c.Divs[k].Den > 0
		for i := np + 1; i <= c.N; i++ {
			param = param && !c.DependsOn(k, i)
		}
		if param {
			fix(1 + c.N + k)
		}
	}
	for at := np + 1; at <= c.N; at++ {
		for _, sgn := range []int64{1, -1} {
			t := h.Clone()
			t.Ge = append(t.Ge, linear.Plus(h.Width, -1, sgn, at))
			point, ok := w.Sample(t)
			if !ok {
				continue
			}
			when, _ = c.Quantify(c.After(np))
			return point[np+1 : c.N+1], when
		}
	}
	return nil, nil
}
