package derive

import (
	"fmt"
	"strings"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// recipe is a strategy with numbers left open.
type recipe struct {
	name    string
	numbers []number
	admits  func(n map[string]int64) bool // nil: all
	build   func(n map[string]int64) rules.Strategy
	refused error // why no numbers give a variant that can be lowered; nil where some may
}

// number is a number that a recipe leaves open, and what it may be.
type number struct {
	name   string
	values []int64
}

// divisors lists the divisors of n between least and most.
func divisors(n, least, most int64) []int64 {
	var list []int64
	for d := least; d <= min(n, most); d++ {
		if n%d == 0 {
			list = append(list, d)
		}
	}
	return list
}

// level says what a map of a nest becomes.
type level struct {
	op     lift.Op
	dim    int
	unroll bool // of MapSeq
}

func (l level) String() string {
	switch l.op {
	case lift.MapGlb:
		return fmt.Sprintf("glb%d", l.dim)
	case lift.MapWrg:
		return fmt.Sprintf("wrg%d", l.dim)
	case lift.MapLcl:
		return fmt.Sprintf("lcl%d", l.dim)
	}
	if l.unroll {
		return "unr"
	}
	return "seq"
}

// levels reads "wrg1 wrg0 lcl1 lcl0 seq".
func levels(text string) []level {
	ops := map[string]lift.Op{"glb": lift.MapGlb, "wrg": lift.MapWrg, "lcl": lift.MapLcl}
	var list []level
	for _, word := range strings.Fields(text) {
		l := level{op: lift.MapSeq, unroll: word == "unr"}
		if op, ok := ops[word[:3]]; ok {
			l = level{op: op, dim: int(word[3] - '0')}
		}
		list = append(list, l)
	}
	return list
}

// computes reports whether a term is a map, not yet mapped to anything, whose function computes.
func computes(t *lift.Term) bool {
	return t.Op == lift.Map && t.Fn().Ops().Has(lift.Fun)
}

// The strategies that recipes are made of.
var (
	toSeq      = rules.Use("mapSeq")
	toReduce   = rules.Use("reduceSeq")
	fusePlain  = rules.Where(func(t *lift.Term) bool { return computes(t) && computes(t.Arg()) }, rules.Use("mapFusion"))
	fuseZip    = rules.Where(func(t *lift.Term) bool { return computes(t) && t.Arg().Op == lift.Zip }, rules.Use("mapZipFusion"))
	simplify   = rules.MacroByName("simplify").Run(nil)
	fuse       = rules.Repeat(rules.TopDown(rules.Else(fusePlain, fuseZip)))
	unrollable = int64(32)
)

// mapped are the maps that are loops already.
var mapped = lift.Maps&^lift.Set(lift.Map) | lift.Set(lift.MapSeqSlide)

// inner is the strategy at the function of a map, under its lambda.
func inner(s rules.Strategy) rules.Strategy { return rules.AtKid(0, rules.AtKid(0, s)) }

// assign maps the nests of a term to loops: the outermost maps that compute become the first level, those in them the
// second, and those beyond the last level stay.
func assign(list []level) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		if !t.Ops().Has(lift.Map) || len(list) == 0 {
			return t, nil
		}
		below := list
		if mapped.Has(t.Op) {
			below = nil // its function is mapped already
		}
		if computes(t) {
			var s rules.Strategy
			switch l := list[0]; l.op {
			case lift.MapGlb:
				s = rules.Use("mapGlb", "d", l.dim)
			case lift.MapWrg:
				s = rules.Use("mapWrg", "d", l.dim)
			case lift.MapLcl:
				s = rules.Use("mapLcl", "d", l.dim)
			default:
				s = toSeq
				if l.unroll {
					s = rules.Seq(toSeq, rules.Use("mapUnroll"))
				}
			}
			var err error
			if t, err = s(run, t, site); err != nil {
				return nil, err
			}
			below = list[1:]
		}
		var err error
		for i := range t.Kids {
			next := list
			if i == 0 && t.Op.HasFun() {
				next = below
				if lift.Reductions.Has(t.Op) {
					next = nil // what a reduction does in each step is sequential
				}
			}
			if t, err = rules.AtKid(i, assign(next))(run, t, site); err != nil {
				return nil, err
			}
		}
		return t, nil
	}
}

// finish makes sequential what is left, fuses it, and unrolls short reductions where that is wanted.
func finish(unroll bool) rules.Strategy {
	list := []rules.Strategy{
		rules.Repeat(rules.TopDown(toReduce)),
		rules.Repeat(rules.TopDown(rules.Where(computes, toSeq))),
		rules.Repeat(rules.TopDown(rules.Else(rules.Use("reduceMapFusion"), rules.Use("mapSeqFusion")))),
		simplify,
	}
	if unroll {
		short := func(t *lift.Term) bool {
			if t.Arg().Type == nil || t.Arg().Type.Kind != lift.ArrayType {
				return false
			}
			n, ok := t.Arg().Type.Len.Const()
			return ok && n <= unrollable
		}
		list = append(list, rules.TopDown(rules.Where(func(t *lift.Term) bool {
			return t.Op == lift.ReduceSeq && short(t)
		}, rules.Use("reduceUnroll"))))
	}
	return rules.Seq(list...)
}
