package derive

import (
	"fmt"
	"math/bits"

	"gpuperf/internal/throw"
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// splitPart makes a partial reduction one of chunks of n, of each of which leaf makes something: the way of 001 Figure 10.
// The map before goes into the chunks. stride, where it is not 0, takes the elements of a chunk that far apart.
func splitPart(n lift.Size, stride int64, leaf rules.Strategy) rules.Strategy {
	steps := []rules.Strategy{}
	if stride > 0 {
		steps = append(steps, rules.Use("partRedReorder"), rules.AtArg(rules.Seq(
			rules.Use("reorderStride", "s", lift.Nat(stride)),
			rules.Try(rules.Use("gatherMap")),
		)))
	}
	return rules.Seq(append(steps,
		rules.Use("partRedSplit", "n", n),
		rules.AtArg(rules.Seq( // map(partRed) o split(n) o map(g)
			rules.Try(rules.AtArg(rules.Where(func(t *lift.Term) bool { return computes(t.Arg()) }, rules.Use("splitMap")))),
			rules.Repeat(fusePlain),
			inner(leaf),
		)),
	)...)
}

// cut is the length of the chunks that an array of a length is cut in.
type cut func(length lift.Size) (lift.Size, error)

// each cuts chunks of k, into cuts l chunks, whatever the length.
func each(k int64) cut { return func(lift.Size) (lift.Size, error) { return lift.Nat(k), nil } }
func into(l int64) cut { return func(n lift.Size) (lift.Size, error) { return n.Div(lift.Nat(l)) } }

// parts begins the reduction of the results of chunks, with what to do with the partial reduction.
func parts(c cut, then func(n lift.Size) rules.Strategy) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (_ *lift.Term, err error) {
		defer throw.Catch(&err)
		if t.Op != lift.Reduce {
			return nil, fmt.Errorf("no reduction")
		}
		length := t.Arg().Type.Len
		n := throw.Get(c(length))
		m := throw.Get(length.Div(n))
		return rules.Seq(rules.Use("reducePart", "m", m), rules.AtArg(then(n)))(run, t, site)
	}
}

// chunked makes reduce f z ∘ map g $ xs the reduction of what reducing chunks gives.
func chunked(c cut, stride int64) rules.Strategy {
	return parts(c, func(n lift.Size) rules.Strategy { return splitPart(n, stride, rules.Use("partRedReduce")) })
}

// chunkedVectors is chunked for a reduction of vectors that a reduction of numbers follows: the latter goes into the chunks.
func chunkedVectors(c cut, stride int64) rules.Strategy {
	return rules.Seq(rules.Below(2, chunked(c, stride)), rules.Use("scalarizePartials"))
}

// chunkedTwice makes chunks of k in chunks of k·l.
func chunkedTwice(k, l, stride int64) rules.Strategy {
	return parts(each(k), func(n lift.Size) rules.Strategy {
		return splitPart(lift.Nat(k*l), 0, splitPart(n, stride, rules.Use("partRedReduce")))
	})
}

// partials is the strategy at the map over chunks, where chunked leaves it, from the reduction on: reduce $ join $ map.
func partials(s rules.Strategy) rules.Strategy { return rules.Below(2, s) }

// vectorized makes a reduction of a map one of vectors of w, whose result a reduction of numbers follows.
func vectorized(w int64) rules.Strategy {
	return rules.Seq(
		rules.Use("vectorizeReduction", "w", lift.Nat(w)),
		rules.Below(3, rules.Try(rules.Seq(
			rules.AtArg(rules.Else(rules.Use("vectorizeZip", "w", lift.Nat(w)), rules.Use("vectorize", "w", lift.Nat(w)))),
			rules.Use("asVectorAsScalar"),
		))),
	)
}

// toItems gives the parts of a reduction to the work-items of a work-group; the results stand in local memory.
var toItems = rules.Seq(lcl0.use, rules.Use("toLocal"))

// inGroup makes a reduction in a work-group one of its l work-items: each reduces a chunk, with elements l apart or next to
// each other, and the results meet in local memory.
func inGroup(l int64, strides bool, chunk chunker, r int64) rules.Strategy {
	return rules.Seq(chunk(into(l), strideOf(l, strides)), partials(toItems), meet(l, r))
}

// The ways in which l partial results of a work-group meet: by the number r.
const (
	meetAtOnce = 1 // every work-item reduces them all
	meetInTree = 2 // pairs, and pairs of those
	// else in chunks of r first, one for each of l/r work-items
)

var meetings = number{"r", []int64{meetAtOnce, meetInTree, 4, 8, 16, 32}}

// canMeet reports that l results can meet in the way r: all at once only where they are few.
func canMeet(l, r int64) bool {
	switch r {
	case meetAtOnce:
		return l <= 64
	case meetInTree:
		return l&(l-1) == 0
	}
	return l%r == 0 && l > r && l/r <= 64
}

// meet is the strategy for that, at the reduction of the partial results.
func meet(l, r int64) rules.Strategy {
	switch r {
	case meetAtOnce:
		return rules.ID
	case meetInTree:
		return rules.Seq(
			rules.Use("reducePart", "m", 1),
			rules.AtArg(rules.Seq(
				rules.Use("partRedIterate", "n", 2, "k", bits.Len64(uint64(l))-1),
				inner(rules.AtArg(toItems)), // the map in the join that is the body
			)),
		)
	}
	return rules.Seq(chunked(each(r), 0), partials(toItems))
}

func strideOf(s int64, strides bool) int64 {
	if strides {
		return s
	}
	return 0
}

// result writes what a work-group has reduced by one of its work-items.
var result = rules.Seq(toReduce, rules.Use("reduceResult"))

// groupPerElement are the mappings that give each element of a grid, or rows of them, to a work-group.
func (e *explorer) groupPerElement(g *grid) (out []recipe) {
	n := e.reductionLength(g.element)
	if n < 32 {
		return nil
	}
	for _, w := range []int64{1, 2, 4} {
		before, chunk, vectors, refused := rules.Strategy(rules.ID), chunker(chunked), "", error(nil)
		if w > 1 {
			before, chunk, vectors = vectorized(w), chunkedVectors, fmt.Sprintf("vectors of %d, ", w)
			var applies bool
			if applies, refused = e.vectorizes(g.under, inner(rules.TopDown(before))); !applies || n%w != 0 {
				continue
			}
		}
		for _, strides := range []bool{true, false} {
			word := chunksOrStrides(strides)
			out = append(out, recipe{
				name: vectors + "an element for a work-group of l, " + word, numbers: []number{{"l", groupSizes(n/w, e.opt.MaxGroup)}, meetings},
				admits:  func(m point) bool { return canMeet(m["l"], m["r"]) },
				refused: refused,
				build: func(m point) rules.Strategy {
					return rules.Seq(
						wrg0.use,
						inner(rules.TopDown(rules.Seq(before, inGroup(m["l"], strides, chunk, m["r"])))),
						inner(rules.Seq(
							rules.TopDown(toReduce),
							rules.Try(assign(nest{lcl0})),
							rules.Try(rules.Where(is(lift.ReduceSeq), rules.Use("reduceResult"))),
						)),
					)
				},
			})
		}
	}
	return out
}

// chunker is chunked or chunkedVectors.
type chunker func(c cut, stride int64) rules.Strategy

// reductionRecipes are the recipes of a program that is a reduction; nil for others.
func (e *explorer) reductionRecipes() []*recipe {
	body := e.fused
	if body.Op != lift.Reduce {
		return nil
	}
	n, err := body.Arg().Type.Len.Eval(e.opt.Sizes)
	if err != nil {
		return nil
	}
	var list []*recipe
	for _, w := range []int64{1, 2, 4} {
		// Vectors are reduced as numbers are; each chunk's vector is reduced where the chunk is.
		before, chunk, vectors, refused := rules.Strategy(rules.ID), chunker(chunked), "", error(nil)
		if w > 1 {
			vectors, chunk = fmt.Sprintf("vectors of %d, ", w), chunkedVectors
			before = vectorized(w)
			var applies bool
			if applies, refused = e.vectorizes(0, before); !applies {
				continue
			}
		}
		for _, stage := range e.stages(n/w, chunk, w == 1) {
			for _, last := range lastStages {
				for _, unroll := range []bool{false, true} {
					r := &recipe{name: vectors + stage.name + ", " + last.name, numbers: stage.numbers, refused: refused, admits: func(m point) bool {
						return stage.admits(m) && last.admits(n/w/stage.chunk(m))
					}}
					if unroll {
						r.name += ", unroll"
					}
					r.build = func(m point) rules.Strategy {
						return rules.Seq(before, stage.build(m), last.build(n/w/stage.chunk(m)), finish(unroll))
					}
					list = append(list, r)
				}
			}
		}
	}
	return append(list, e.unevenReductions(n)...)
}

// inOrder are the recipes for a reduction that the others cannot make one of parts, because its function is not associative, its
// first operand not neutral, or its length has no suitable divisors: one work-item takes the elements in their order.
func (e *explorer) inOrder() (list []*recipe) {
	if e.fused.Op != lift.Reduce {
		return nil
	}
	for _, unroll := range []string{"", "unroll"} {
		list = append(list, &recipe{name: phrase("one work-item, in order", unroll), build: func(point) rules.Strategy {
			return rules.Seq(oneItem, finish(unroll != ""))
		}})
	}
	return list
}

// oneItem gives a reduction to one work-item, with the map before it.
var oneItem = rules.Seq(
	rules.Use("reduceRow"),
	rules.AtArg(rules.Seq( // map(reduce) o split(N) o map(g)
		rules.Try(rules.AtArg(rules.Use("splitMap"))),
		rules.Try(fusePlain),
		glb0.use,
	)),
)

// stage is the first stage of a reduction: how the array is reduced to a shorter one.
type stage struct {
	recipe
	chunk func(m point) int64 // elements that become one
}

func (e *explorer) stages(n int64, chunk chunker, scalars bool) []stage {
	k := number{"k", divisors(n, 2, 4096)}
	l := number{"l", groupSizes(n, e.opt.MaxGroup)}
	divides := func(m point) bool {
		return n%(m["k"]*max(1, m["l"])) == 0 && (m["r"] == 0 || canMeet(m["l"], m["r"]))
	}
	var list []stage
	add := func(name string, numbers []number, takes func(m point) int64, build func(m point) rules.Strategy) {
		list = append(list, stage{recipe{name: name, numbers: numbers, admits: divides, build: build}, takes})
	}
	takesK := func(m point) int64 { return m["k"] }
	takesGroup := func(m point) int64 { return m["k"] * m["l"] }
	for _, strides := range []bool{true, false} {
		word := chunksOrStrides(strides)
		add(word+" of k, glb0", []number{k}, takesK, func(m point) rules.Strategy {
			return rules.Seq(chunk(each(m["k"]), strideOf(n/m["k"], strides)), partials(glb0.use))
		})
		// The work-group reduces to one element.
		add(word+" of k in groups of l, to one element", []number{k, l, meetings}, takesGroup, func(m point) rules.Strategy {
			return rules.Seq(chunk(each(m["k"]*m["l"]), 0), partials(groupReduction(m["l"], m["r"], strides, chunk)))
		})
		// Far apart: neighbouring work-items of all groups read neighbouring elements at the same time.
		add(word+" of k in groups of l, groups in strides, to one element", []number{k, l, meetings}, takesGroup, func(m point) rules.Strategy {
			return rules.Seq(chunk(each(m["k"]*m["l"]), n/(m["k"]*m["l"])), partials(groupReduction(m["l"], m["r"], strides, chunk)))
		})
	}
	if !scalars {
		return list
	}
	for _, strides := range []bool{true, false} {
		word := chunksOrStrides(strides)
		// In each work-group the work-items reduce theirs; the results go out as they are.
		add(word+" of k in groups of l", []number{k, l}, takesK, func(m point) rules.Strategy {
			return rules.Seq(
				chunkedTwice(m["k"], m["l"], strideOf(m["l"], strides)),
				partials(rules.Seq(wrg0.use, inner(rules.AtArg(lcl0.use)))),
			)
		})
	}
	return list
}

// groupReduction maps to work-groups what reduces an array each.
func groupReduction(l, r int64, strides bool, chunk chunker) rules.Strategy {
	return rules.Seq(
		inner(chunk(into(l), strideOf(l, strides))), // first: a work-group needs maps to share
		wrg0.use,
		inner(rules.Seq(
			partials(toItems),
			meet(l, r),
			result,
		)),
	)
}

// last is how the short array is reduced that the first stage leaves.
type last struct {
	name   string
	admits func(n int64) bool
	build  func(n int64) rules.Strategy
}

var lastStages = []last{
	{"then one work-item", func(n int64) bool { return n <= 4096 }, func(int64) rules.Strategy { return toReduce }},
	{"then one work-group", func(n int64) bool { return n >= 64 && n%32 == 0 && n <= 1<<20 }, func(n int64) rules.Strategy {
		l := int64(32)
		for l*2 <= 256 && n%(l*2) == 0 && l*2*2 <= n {
			l *= 2
		}
		r := int64(meetAtOnce)
		if l > 64 {
			r = 16
		}
		return rules.Seq(
			rules.Use("reduceRow"),
			rules.AtArg(groupReduction(l, r, true, chunked)),
		)
	}},
}
