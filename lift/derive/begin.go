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

// whole makes maps of what else stands around or in place of those of a program: it copies what nothing computes, and moves views that cannot be
// written through before the maps, or after a let.
func whole(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	s := rules.Strategy(rules.ID)
	switch {
	case t.Op == lift.Let:
		s = rules.Seq(rules.AtKid(1, whole), inner(whole))
	case t.Op == lift.Tuple:
		for i := range t.Kids {
			s = rules.Seq(s, rules.AtKid(i, whole))
		}
	case computes(t) && combines.Has(t.Arg().Op):
		s = rules.Seq(rules.Use("letArg"), whole) // so that what combines elements is computed in parts
	case computes(t) && ofScan(t.Arg()):
		s = letScan
	case ofScan(t):
		s = rules.Seq(letScan, inner(rules.Use("copy")))
	case t.Type.Kind != lift.ArrayType && t.Op != lift.Unzip || computes(t) || begins.Has(t.Op):
	case views.Has(t.Op):
		s = rules.Seq(rules.AtArg(whole), rules.Try(rules.Use("letOut")))
	case !t.Ops().Has(lift.Fun):
		s = rules.Use("copy")
	case t.Op == lift.Generate && t.Fn().Ops()&(lift.Set(lift.Map)|combines) != 0: // maps are what work-items share
		s = rules.Use("generateMap")
	case t.Op == lift.Zip || t.Op == lift.Generate:
		s = rules.Seq(rules.Use("copy"), rules.Try(fuse))
	case rearranged.Has(t.Op):
		s = rules.Else(
			rules.Seq(moved, rules.Try(fuse)),
			rules.Seq(rules.Use("letArg"), whole),
		)
	}
	return s(run, t, site)
}

// scans are the patterns that give as many results as there are elements, each of many of these.
var scans = lift.Set(lift.Scan, lift.ScanBefore)

// ofScan reports that a term shows the results of a scan, but for those that it leaves out, or another order or component of them.
func ofScan(t *lift.Term) bool {
	return !computes(t) && (views.Has(t.Op) || t.Op == lift.Get) && (scans.Has(t.Arg().Op) || ofScan(t.Arg()))
}

// letScan takes the scan that a term shows before it, by a let.
func letScan(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	s := rules.Use("letArg")
	if !scans.Has(t.Arg().Op) {
		s = rules.Seq(rules.AtArg(letScan), rules.Use("letOut"))
	}
	return s(run, t, site)
}

// begins are the patterns that recipes begin with, beside maps that compute.
var begins = lift.Set(lift.Reduce, lift.Iterate, lift.Scan, lift.ScanBefore, lift.ReduceSegments)

// combines are patterns whose results depend on many elements.
var combines = lift.Set(lift.Reduce, lift.Scan, lift.ScanBefore, lift.ReduceSegments)

// rearranged are patterns that show an element at several places, or others.
var rearranged = lift.Set(lift.Pad, lift.PadConst, lift.Slide)

// moved makes views of maps maps of views.
func moved(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	if computes(t) {
		return t, nil
	}
	if !rearranged.Has(t.Op) {
		return nil, fmt.Errorf("%s is no view of a map", t.Op)
	}
	return rules.Seq(rules.AtArg(moved), rules.Else(rules.Use("mapPad"), rules.Use("slideMap")))(run, t, site)
}

// missing explains why there is no recipe for the program.
func (e *explorer) missing() string {
	t := e.fused
	for views.Has(t.Op) && !computes(t) {
		t = t.Arg()
	}
	switch t.Op {
	case lift.Iterate:
		return fmt.Sprintf("variants of iterate(%d, …) are not derived: at most %d iterations are written out", t.Ints[0], mostIterations)
	}
	return fmt.Sprintf("neither maps nor a reduction stand where variants begin, but %s", t.Op)
}
