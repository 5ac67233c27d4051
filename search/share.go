package search

// Sharer is a space that deals out its configurations itself, as it has strategies of its own; the result is nil for a part without any.
type Sharer interface{ Share(part, parts int) Space }

// Share is one of so many parts of a space, from 0 on, the same that [Part] lists; nil where it has no configurations.
func Share(s Space, part, parts int) Space {
	switch own, ok := s.(Sharer); {
	case parts <= 1:
		return s
	case ok:
		return own.Share(part, parts)
	}
	out := &share{space: s, inner: map[string]bool{}, begun: map[string]bool{}}
	for _, made := range begunOf(s, part, parts) {
		out.begun[made.String()] = true
		for i := range made {
			out.inner[made[:i].String()] = true
		}
	}
	if len(out.begun) == 0 {
		return nil
	}
	return out
}

// share is a space as far as its paths begin as some do.
type share struct {
	space Space
	begun map[string]bool // the beginnings
	inner map[string]bool // what leads to them
}

func (s *share) Next(made Config) *Choice {
	c := s.space.Next(made)
	if c == nil || !s.inner[made.String()] {
		return c
	}
	own := *c
	own.Options, own.Weights = nil, nil
	for i, o := range c.Options {
		if key := made.with(c.Name, o).String(); s.begun[key] || s.inner[key] {
			if own.Options = append(own.Options, o); c.Weights != nil {
				own.Weights = append(own.Weights, c.Weights[i])
			}
		}
	}
	return &own
}

// Costly is that of the space.
func (s *share) Costly() bool { return costly(s.space) }
