package derive

import (
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// point gives the numbers that a recipe leaves open values, by name.
type point map[string]int64

func (p point) size(name string) lift.Size { return lift.Nat(p[name]) }

// recipe is a strategy with numbers left open, for the whole program or for its outermost map.
type recipe struct {
	name    string
	numbers []number
	admits  func(p point) bool // nil: all
	build   func(p point) rules.Strategy
	several bool      // a work-item computes several elements, one after the other
	refused error     // why no numbers give a variant that can be lowered; nil where some may
	from    *explorer // where it begins at another body than the fused one; nil for that
}

// number is a number that a recipe leaves open, with the values that it may take.
type number struct {
	name   string
	values []int64
}

// phrase joins the parts of a recipe's name; empty ones are left out.
func phrase(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
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

// dividing are those of the values that divide n.
func dividing(n int64, values []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(values), func(v int64) bool { return n%v != 0 })
}

// named is a strategy with its words in the names of recipes.
type named struct {
	name string
	use  rules.Strategy
}

// Levels say what a map becomes: a loop over all work-items, over work-groups or over the work-items of a group, along a dimension
// of the ND-range, or a sequential one.
var (
	glb0 = &named{"glb0", rules.Use("mapGlb", "d", 0)}
	glb1 = &named{"glb1", rules.Use("mapGlb", "d", 1)}
	glb2 = &named{"glb2", rules.Use("mapGlb", "d", 2)}
	wrg0 = &named{"wrg0", rules.Use("mapWrg", "d", 0)}
	wrg1 = &named{"wrg1", rules.Use("mapWrg", "d", 1)}
	wrg2 = &named{"wrg2", rules.Use("mapWrg", "d", 2)}
	lcl0 = &named{"lcl0", rules.Use("mapLcl", "d", 0)}
	lcl1 = &named{"lcl1", rules.Use("mapLcl", "d", 1)}
	lcl2 = &named{"lcl2", rules.Use("mapLcl", "d", 2)}
	seq  = &named{"seq", toSeq}
	unr  = &named{"unr", rules.Seq(toSeq, rules.Use("mapUnroll"))} // and unrolled
)

// nest is what nested maps become, outermost first.
type nest []*named

func (n nest) String() string {
	return lists.Join(n, " ", func(l *named) string { return l.name })
}

func (n nest) unrolls() bool { return slices.Contains(n, unr) }

// sequential reports whether a work-item goes through several elements.
func (n nest) sequential() bool { return slices.Contains(n, seq) || n.unrolls() }

// computes reports whether a term is a map that is not yet lowered and whose function computes something.
func computes(t *lift.Term) bool {
	return t.Op == lift.Map && t.Fn().Ops().Has(lift.Fun)
}

// The strategies that recipes are made of.
var (
	toSeq      = rules.Use("mapSeq")
	toReduce   = rules.Use("reduceSeq")
	toScan     = rules.Else(rules.Use("scanSeq"), rules.Use("scanBeforeSeq"))
	fusePlain  = rules.Where(func(t *lift.Term) bool { return computes(t) && computes(t.Arg()) }, rules.Use("mapFusion"))
	fuseZip    = rules.Where(func(t *lift.Term) bool { return computes(t) && t.Arg().Op == lift.Zip }, rules.Use("mapZipFusion"))
	simplify   = rules.MacroByName("simplify").Run(nil)
	fuse       = rules.Repeat(rules.TopDown(rules.Else(fusePlain, fuseZip)))
	unrollable = int64(32)
)

// mapped are the maps that are already lowered to loops.
var mapped = lift.Maps&^lift.Set(lift.Map) | lift.Set(lift.MapSeqSlide)

// along lowers nested maps, outermost first, and then applies a strategy inside them; nil is none.
func along(list nest, inside rules.Strategy) rules.Strategy {
	if len(list) > 1 {
		inside = along(list[1:], inside)
	}
	if inside == nil {
		return nextMap(list[0].use)
	}
	return nextMap(rules.Seq(list[0].use, inner(inside)))
}

// inner is the strategy at the body of a map's function.
func inner(s rules.Strategy) rules.Strategy { return rules.AtBody(s) }

// deeper is the strategy depth maps further in.
func deeper(depth int, s rules.Strategy) rules.Strategy {
	for range depth {
		s = inner(s)
	}
	return s
}

// nextMap is the strategy at the first map, from outside, that computes.
func nextMap(s rules.Strategy) rules.Strategy { return rules.TopDown(rules.Where(computes, s)) }

// is tests for an operator.
func is(op lift.Op) func(t *lift.Term) bool {
	return func(t *lift.Term) bool { return t.Op == op }
}

// none changes nothing.
func none(point) rules.Strategy { return rules.ID }

// cutMap splits a map over n elements into chunks of k: of consecutive elements or, with strides, of elements n/k apart, so that
// neighbouring work-items compute neighbouring elements.
func cutMap(n, k int64, strides bool) rules.Strategy {
	chunks := rules.Use("splitJoin", "n", lift.Nat(k))
	if !strides {
		return chunks
	}
	return rules.Seq(rules.Use("stridesAround", "s", lift.Nat(n/k)), rules.AtArg(chunks))
}

// chunksOrStrides names the two ways to split.
func chunksOrStrides(strides bool) string {
	if strides {
		return "strides"
	}
	return "chunks"
}

// assign lowers the nested maps of a term to loops: the outermost maps that compute become the first level, the maps in them the
// second, and so on; maps nested deeper than the list stay.
func assign(list nest) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		if !t.Ops().Has(lift.Map) || len(list) == 0 {
			return t, nil
		}
		below := list
		if mapped.Has(t.Op) {
			below = nil // its function is already lowered
		}
		if computes(t) {
			var err error
			if t, err = list[0].use(run, t, site); err != nil {
				return nil, err
			}
			below = list[1:]
		}
		var err error
		for i := range t.Kids {
			next := list
			if i == 0 && t.Op.HasFun() {
				next = below
				if (lift.Reductions | lift.Ranges).Has(t.Op) {
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

// finish lowers the remaining maps and reductions to sequential ones, fuses them, and optionally unrolls short reductions.
func finish(unroll bool) rules.Strategy {
	list := []rules.Strategy{
		rules.Repeat(rules.TopDown(rules.Else(toReduce, toScan))),
		rules.Repeat(rules.TopDown(rules.Where(computes, toSeq))),
		rules.Repeat(rules.TopDown(rules.Else(rules.Use("reduceMapFusion"), rules.Use("mapSeqFusion"), rules.Use("scanMapFusion"), rules.Use("scanBeforeMapFusion")))),
		simplify,
	}
	if unroll {
		list = append(list, rules.TopDown(rules.Where(func(t *lift.Term) bool {
			if t.Op != lift.ReduceSeq {
				return false
			}
			n, ok := t.Arg().Type.Len.Const()
			return ok && n <= unrollable
		}, rules.Use("reduceUnroll"))))
	}
	return rules.Seq(list...)
}
