package chain

import (
	"gpuperf/scop"
)

// Together makes what the terms of each chunk are together.
func (s *Chunks) Together(name string) *scop.Nest {
	switch {
	case s.inside != nil:
		return s.nested(name)
	case s.Divides():
		return s.product(name)
	}
	return s.combined(name)
}

// Within makes the iterations of each chunk, from the values before it on; that of the last one leaves those behind the loop.
func (s *Chunks) Within(name string) *scop.Nest {
	if s.Divides() {
		return s.fromThere(name)
	}
	return s.continued(name)
}
