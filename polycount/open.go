package polycount

import (
	"gpuperf/polycount/internal/arith"
	"slices"
)

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
		arith.Throw(s.tooHard())
	}
	return cs
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

// printed are the members that String writes: quantified ones only where the others are not known.
func (s *Set) printed() []*conj {
	if s.pending {
		return s.open
	}
	return s.cs
}
