package derive

import (
	"fmt"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// mostIterations bounds the iterations of an iterate that are unrolled.
const mostIterations = 16

// unrolled unrolls an iterate below the views of a body: each iteration becomes an application to an array of its own length, whose
// maps become loops of their own or are fused with those of the next.
func unrolled(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	switch {
	case t.Op == lift.Iterate && t.Ints[0] <= mostIterations:
		s := rules.Use("iterateOne")
		switch n := t.Ints[0]; {
		case n == 0:
			s = rules.Use("iterateZero")
		case n > 1: // the first iteration, which is the innermost, alone
			s = rules.Seq(rules.Use("iterateSplit", "k", 1), rules.AtArg(s), unrolled)
		}
		return s(run, t, site)
	case t.Op != lift.Iterate && !computes(t) && views.Has(t.Op):
		return rules.AtArg(unrolled)(run, t, site)
	}
	return t, nil
}

// missing explains why there is no recipe for the program.
func (e *explorer) missing() string {
	t := e.fused
	for views.Has(t.Op) && !computes(t) {
		t = t.Arg()
	}
	switch t.Op {
	case lift.Let:
		return "variants of a let around maps are not derived: each of its two parts can be a program of its own"
	case lift.Iterate:
		return fmt.Sprintf("variants of iterate(%d, …) are not derived: at most %d iterations are written out", t.Ints[0], mostIterations)
	case lift.Pad, lift.PadConst, lift.Slide:
		return fmt.Sprintf("variants of %s around maps are not derived: it shows an element at several places or a constant, and is not written through", t.Op)
	}
	return fmt.Sprintf("neither maps nor a reduction stand where variants begin, but %s", t.Op)
}
