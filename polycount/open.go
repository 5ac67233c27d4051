package polycount

import (
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/linear"
)

// quantified is a set in the space of s with the given members, which may have existentials.
func (s *Set) quantified(w *linear.Work, members []*linear.Conj) *Set {
	out := s.with(nil)
	open := false
	for _, c := range members {
		if c = c.Clone(); !c.Simplify() {
			continue
		}
		if !c.IsOpen() {
			out.cs, out.open = linear.AddMember(out.cs, c), linear.AddMember(out.open, c)
			continue
		}
		var parts []*linear.Conj
		done := !out.pending && w.Within(linear.EliminateLimit, func(w *linear.Work) { parts = w.Eliminate(c.Clone()) })
		if done && len(parts) == 1 {
			out.cs, out.open = linear.AddMember(out.cs, parts[0]), linear.AddMember(out.open, parts[0])
			continue
		}
		if done && len(parts) == 0 {
			continue
		}
		open = true
		out.pending = out.pending || !done
		out.open = linear.AddMember(out.open, c)
		for _, p := range parts {
			out.cs = linear.AddMember(out.cs, p)
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

// sources are members with the points of s, with existentials if s has that form.
func (s *Set) sources() []*linear.Conj {
	if s.open != nil {
		return s.open
	}
	return s.cs
}

// members are members without existentials. If these cannot be eliminated, that throws an error.
func (s *Set) members(w *linear.Work) (cs []*linear.Conj) {
	if !s.pending {
		return s.cs
	}
	done := w.Within(w.Left, func(w *linear.Work) {
		for _, c := range s.open {
			for _, p := range w.Closed(c) {
				cs = linear.AddMember(cs, p)
			}
		}
	})
	if !done {
		panic(throw.Of(s.tooHard()))
	}
	return cs
}

// rebuilt applies f to the members of s, in both forms, to make out; f returns nil for an empty member.
func (s *Set) rebuilt(out *Set, f func(*linear.Conj) *linear.Conj) *Set {
	apply := func(cs []*linear.Conj) []*linear.Conj {
		var made []*linear.Conj
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
		if out.open = apply(s.open); !slices.ContainsFunc(out.open, (*linear.Conj).IsOpen) {
			out.cs, out.open, out.pending = out.open, nil, false
		}
	}
	return out
}

// printed are the members that String writes: quantified ones only if the others are not known.
func (s *Set) printed() []*linear.Conj {
	if s.pending {
		return s.open
	}
	return s.cs
}
