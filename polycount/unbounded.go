package polycount

import (
	"fmt"
	"strings"
)

// UnboundedError says that a set is infinite where Condition holds, since it goes on for ever in a direction.
type UnboundedError struct {
	Dims      []string
	Direction []int64 // per dimension: adding it to any point of the set stays in it
	Condition *Set    // of the parameters; nil: for all their values
}

func (e *UnboundedError) Error() string {
	var parts []string
	for i, v := range e.Direction {
		if v != 0 {
			parts = append(parts, fmt.Sprintf("%+d in %s", v, e.Dims[i]))
		}
	}
	text := "the set is unbounded: from every point it goes on by " + strings.Join(parts, ", ")
	if e.Condition != nil {
		text += fmt.Sprintf(", where %s holds", e.Condition)
	}
	return text
}

// unbounded explains why c, with points for some parameters, has infinitely many.
func (w *work) unbounded(c *conj, s *Set) error {
	np := len(s.params)
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
	drop := make([]bool, c.n)
	for i := np; i < c.n; i++ {
		drop[i] = true
	}
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
			e := &UnboundedError{Dims: s.Dims(), Direction: point[np+1 : c.n+1]}
			q, _ := c.quantify(drop)
			cond := (&Set{params: s.params}).quantified(w, []*conj{q})
			for _, q := range cond.cs {
				if len(q.eq)+len(q.ge) == 0 {
					return e
				}
			}
			e.Condition = cond
			return e
		}
	}
	return fmt.Errorf("polycount: no direction found in which %v is unbounded", s)
}
