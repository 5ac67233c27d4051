package polycount

import "slices"

// eliminateLimit is the work that goes into eliminating quantifiers when a set is made. What needs more is left
// quantified: counting and deciding need no elimination, and the rest tries again with all the work it may do.
const eliminateLimit = 400_000

// isOpen reports that c has existentials.
func (c *conj) isOpen() bool {
	for k, d := range c.divs {
		if d.den == 0 && c.usedInRows(1+c.n+k) {
			return true
		}
	}
	return false
}

// quantified is a set of the space of s with the given members, which may have existentials.
func (s *Set) quantified(w *work, members []*conj) *Set {
	out := s.with(nil)
	open := false
	for _, c := range members {
		if c = c.clone(); !c.simplify() {
			continue
		}
		if !c.isOpen() {
			out.cs, out.open = addMember(out.cs, c), addMember(out.open, c)
			continue
		}
		var parts []*conj
		done := !out.pending && w.within(eliminateLimit, func(w *work) { parts = w.eliminate(c.clone()) })
		if done && len(parts) == 1 {
			out.cs, out.open = addMember(out.cs, parts[0]), addMember(out.open, parts[0])
			continue
		}
		if done && len(parts) == 0 {
			continue
		}
		open = true
		out.pending = out.pending || !done
		out.open = addMember(out.open, c)
		for _, p := range parts {
			out.cs = addMember(out.cs, p)
		}
	}
	switch {
	case !open:
		out.open = nil
	case out.pending:
		out.cs = nil
	}
	return out
}

// openUnlessSingle eliminates the existentials of c where that gives at most one member.
func (w *work) openUnlessSingle(c *conj) []*conj {
	if c = c.clone(); !c.simplify() {
		return nil
	}
	var parts []*conj
	if done := w.within(eliminateLimit, func(w *work) { parts = w.eliminate(c.clone()) }); done && len(parts) <= 1 {
		return parts
	}
	return []*conj{c}
}

// sources are members that have the points of s, with existentials where that is the form at hand.
func (s *Set) sources() []*conj {
	if s.open != nil {
		return s.open
	}
	return s.cs
}

// members are without existentials. Where these cannot be eliminated within the budget, that is the error that Rescue
// recovers.
func (s *Set) members() []*conj { return s.closedMembers(anyWork()) }

// closedMembers is members within a budget.
func (s *Set) closedMembers(w *work) (cs []*conj) {
	if !s.pending {
		return s.cs
	}
	done := w.within(w.left, func(w *work) {
		for _, c := range s.open {
			for _, p := range w.closed(c) {
				cs = addMember(cs, p)
			}
		}
	})
	if !done {
		panic(fault{s.tooHard()})
	}
	return cs
}

// closed eliminates the existentials of c, if it has any.
func (w *work) closed(c *conj) []*conj {
	if !c.isOpen() {
		return []*conj{c}
	}
	return w.eliminate(c.clone())
}

// rebuilt applies f to the members of s, in both forms, for the space of out; f returns nil for an empty member.
func (s *Set) rebuilt(out *Set, f func(*conj) *conj) *Set {
	apply := func(cs []*conj) []*conj {
		var made []*conj
		for _, c := range cs {
			if d := f(c); d != nil {
				made = append(made, d)
			}
		}
		return made
	}
	out.pending = s.pending
	out.cs = apply(s.cs)
	if s.open != nil {
		if out.open = apply(s.open); !slices.ContainsFunc(out.open, (*conj).isOpen) {
			out.cs, out.open, out.pending = out.open, nil, false
		}
	}
	return out
}

// widened writes the existentials of c as further variables.
func (c *conj) widened() (out *conj, existentials int) {
	existentials = len(c.existentials())
	out = &conj{n: c.n + existentials}
	place := make([]int, c.width())
	next := c.n
	for i := range place {
		if place[i] = i; i > c.n && c.divs[i-1-c.n].den == 0 {
			next++
			place[i] = next
		}
	}
	move := func(r row) row {
		v := make(row, out.width())
		for i, x := range r {
			if x != 0 {
				v[place[i]] = x
			}
		}
		return v
	}
	for k, d := range c.divs {
		if d.den > 0 {
			place[1+c.n+k] = out.addColumn(div{move(d.num), d.den})
		}
	}
	for _, r := range c.eq {
		out.addEQ(move(r))
	}
	for _, r := range c.ge {
		out.addGE(move(r))
	}
	return out, existentials
}

// printed are the members that String writes: quantified ones only where the others are not known.
func (s *Set) printed() []*conj {
	if s.pending {
		return s.open
	}
	return s.cs
}
