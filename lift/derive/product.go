package derive

import (
	"fmt"

	"gpuperf/internal/intmath"
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// A product is a nest of two maps whose elements are reductions of a row of one array with a row of another, as that of two
// matrices: reduce(f, z) o map(g) $ zip(x, y). It is computed in tiles, of which every step of the reduction copies what it
// needs to local memory, and in blocks of registers (the macro rules of the Lift project: tileMapMap, finishTiling,
// apply1DRegisterBlocking, apply2DRegisterBlocking).
type product struct {
	path       []int // from the body to the outer map
	rows, cols int64
	depth      int64 // length of the reductions
}

// fusedReduction makes the reduction of an element sequential, with the map before it.
var fusedReduction = rules.TopDown(rules.Seq(toReduce, rules.Repeat(rules.Seq(rules.AtKid(2, toSeq), rules.Use("reduceMapFusion")))))

// exposed takes what stands around the inner one of two nested maps out of the outer one, until the strategy has two maps.
func exposed(s rules.Strategy) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		if !computes(t) || computes(t.Fn().Body()) {
			return s(run, t, site)
		}
		return rules.Seq(rules.Use("mapFission"), rules.AtKid(1, exposed(s)))(run, t, site)
	}
}

// findProduct looks for it in the body at a path.
func (e *explorer) findProduct(path []int) *product {
	p := &product{path: path}
	find := func(_ *rules.Run, t *lift.Term, _ *rules.Site) (*lift.Term, error) {
		p.rows, _ = t.Arg().Type.Len.Eval(e.opt.Sizes)
		p.cols, _ = t.Fn().Body().Arg().Type.Len.Eval(e.opt.Sizes)
		p.depth = e.reductionLength(t)
		return t, nil
	}
	if e.applies(e.fused, path, exposed(rules.Seq(find, fusedReduction, rules.Use("reduceOutwards")))) {
		return p
	}
	return nil
}

// nextMap is the strategy at the first map, from outside, that computes.
func nextMap(s rules.Strategy) rules.Strategy { return rules.TopDown(rules.Where(computes, s)) }

// tiled makes tiles of two nested maps: maps over chunks of the outer one, over those of the inner one, and in them the inner
// before the outer map. The strategies cut the maps in chunks, in the order of outer and inner.
func tiled(outer, in rules.Strategy) rules.Strategy {
	return rules.Seq(outer, nextMap(inner(rules.Seq(rules.Use("mapMapInterchange"), rules.AtKid(0, in)))))
}

// cutMap cuts a map over n elements in chunks of k, next to each other or apart.
func cutMap(n, k int64, apart bool) rules.Strategy {
	if apart {
		return strided(n/k, k)
	}
	return rules.Use("splitJoin", "n", int(k))
}

// reductionAt is the strategy at the first reduction from outside.
func reductionAt(s rules.Strategy) rules.Strategy {
	return rules.TopDown(rules.Where(func(t *lift.Term) bool { return t.Op == lift.ReduceSeq }, s))
}

// productRecipes are the recipes of a product.
func (e *explorer) productRecipes(path []int) []*recipe {
	p := e.findProduct(path)
	if p == nil {
		return nil
	}
	var list []*recipe
	for _, apart := range []bool{true, false} {
		word := map[bool]string{true: "columns in strides", false: "columns in chunks"}[apart]
		for _, registers := range []bool{true, false} {
			keep, more := rules.Strategy(rules.ID), ""
			if registers {
				keep, more = rules.Use("copyPrivateOperands"), ", operands in registers"
			}
			list = append(list,
				e.blocksOfItems(p, "blocks of r by c, "+word+", glb1 glb0"+more, apart, 0, 1, keep),
				e.blocksOfItems(p, "blocks of r by c, "+word+", glb0 glb1"+more, apart, 1, 0, keep),
				e.blocksOfGroups(p, "tiles of t by v, blocks of r by c, "+word+more, apart, keep, [2]int64{1, mostRegisters}, false),
			)
			// Strata of their own for blocks of several sizes: the best differ between devices, and large ones are few.
			for _, area := range [][2]int64{{1, 8}, {16, 16}, {32, 32}, {64, mostRegisters}} {
				name := fmt.Sprintf("tiles of t by v, blocks of r by c (%d to %d), %s, local copies along the reduction%s", area[0], area[1], word, more)
				list = append(list, e.blocksOfGroups(p, name, apart, keep, area, true))
			}
		}
	}
	return list
}

// blocksOfItems gives each work-item a block of r rows and c columns, without work-groups.
func (e *explorer) blocksOfItems(p *product, name string, apart bool, columns, rows int, keep rules.Strategy) *recipe {
	small := []int64{1, 2, 4, 8, 16}
	return &recipe{
		name: name, numbers: []number{{"r", dividing(p.rows, small)}, {"c", dividing(p.cols, small)}},
		admits: func(n map[string]int64) bool { return n["r"]*n["c"] >= 2 && n["r"]*n["c"] <= mostRegisters },
		build: func(n map[string]int64) rules.Strategy {
			return rules.Seq(rules.At(p.path, exposed(rules.Seq(
				fusedReduction,
				tiled(cutMap(p.rows, n["r"], false), cutMap(p.cols, n["c"], apart)),
				nextMap(rules.Seq(rules.Use("mapGlb", "d", rows), inner(nextMap(rules.Use("mapGlb", "d", columns))))),
				rules.TopDown(rules.Seq(rules.Use("reduceOutwards"), reductionAt(keep))),
			))), finish(false))
		},
	}
}

// mostRegisters bounds the accumulators of a work-item.
const mostRegisters = 64

// dividing are those of the values that divide n.
func dividing(n int64, values []int64) []int64 {
	var list []int64
	for _, v := range values {
		if n%v == 0 {
			list = append(list, v)
		}
	}
	return list
}

// blocksOfGroups gives each work-group a tile of t rows and v columns, and each of its work-items a block of r by c; with
// copies, the reduction goes in steps of k, and the group copies what a step needs to local memory.
func (e *explorer) blocksOfGroups(p *product, name string, apart bool, keep rules.Strategy, area [2]int64, copies bool) *recipe {
	small := []int64{1, 2, 4, 8, 16}
	numbers := []number{
		{"t", divisors(p.rows, 8, 256)}, {"v", divisors(p.cols, 8, 256)}, {"r", small}, {"c", small},
	}
	if copies {
		// i and j are the orders in which columns and rows are copied.
		i := []int64{0, 1}
		if apart {
			i = []int64{0, 2}
		}
		numbers = append(numbers, number{"k", divisors(p.depth, 4, 64)}, number{"i", i}, number{"j", []int64{0, 1}})
	}
	return &recipe{
		name: name, numbers: numbers,
		admits: func(n map[string]int64) bool {
			if n["t"]%n["r"] != 0 || n["v"]%n["c"] != 0 || n["r"]*n["c"] < area[0] || n["r"]*n["c"] > area[1] {
				return false
			}
			wide, tall := n["v"]/n["c"], n["t"]/n["r"]
			if !e.group(wide*tall) || wide*tall < 32 || wide < 4 {
				return false
			}
			return !copies || 4*n["k"]*(n["t"]+n["v"]) <= e.opt.MaxLocal && copied(n)%wide == 0
		},
		build: func(n map[string]int64) rules.Strategy {
			step := rules.Strategy(rules.ID)
			if copies {
				step = rules.Seq(
					rules.Use("reduceSeqZipSplit", "n", int(n["k"])),
					rules.Use("copyLocalOperands", "m", int(copied(n)), "w", int(n["v"]/n["c"]), "i", int(n["i"]), "k", int(n["j"])),
				)
			}
			groups := rules.Seq(rules.Use("mapWrg", "d", 1), inner(nextMap(rules.Use("mapWrg", "d", 0))))
			items := rules.Seq(rules.Use("mapLcl", "d", 0), inner(nextMap(rules.Use("mapLcl", "d", 1))))
			return rules.Seq(rules.At(p.path, exposed(rules.Seq(
				fusedReduction,
				tiled(cutMap(p.rows, n["t"], false), cutMap(p.cols, n["v"], false)),
				nextMap(groups),
				// In a tile columns are outside. The blocks of both maps, and in them rows before columns.
				nextMap(rules.Seq(
					tiled(cutMap(n["v"], n["c"], apart), cutMap(n["t"], n["r"], false)),
					nextMap(rules.Seq(
						inner(nextMap(inner(nextMap(rules.Seq(rules.Use("reduceOutwards"), reductionAt(keep)))))),
						rules.Use("reduceOutwards"),
						rules.TopDown(rules.Use("blockResult")),
						nextMap(items),
						reductionAt(rules.Seq(rules.AtKid(0, rules.AtKid(0, items)), step)),
					)),
				)),
			))), finish(false))
		},
	}
}

// copied is the numbers that a work-group copies at a time: one for each work-item, or fewer.
func copied(n map[string]int64) int64 {
	return intmath.GCD(intmath.GCD(n["v"]/n["c"]*(n["t"]/n["r"]), n["k"]*n["t"]), n["k"]*n["v"])
}
