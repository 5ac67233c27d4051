package derive

import (
	"fmt"

	"gpuperf/internal/intmath"
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// product is a nest of two maps whose elements are reductions over the zip of a row of one array and a row of another, such as a
// product of matrices: reduce(f, z) o map(g) $ zip(x, y). It is computed in tiles, with local copies of what each step of the
// reduction reads, and in register blocks (macro rules tileMapMap, finishTiling, apply1DRegisterBlocking and
// apply2DRegisterBlocking of the Lift project).
type product struct {
	under      int  // the number of views around the outer map
	batch      bool // it stands in a map over products, which becomes one over work-groups
	rows, cols int64
	depth      int64    // length of the reductions
	first      *product // of a product whose rows are those of another product, which is computed first
	bytes      int64    // of a number
}

// fusedReduction makes the reduction of an element sequential, with the map before it.
var fusedReduction = rules.TopDown(rules.Seq(toReduce, rules.Repeat(rules.Seq(rules.AtArg(toSeq), rules.Use("reduceMapFusion")))))

// exposed moves what surrounds the inner of two nested maps out of the outer one, and then applies the strategy to the two maps.
func exposed(s rules.Strategy) rules.Strategy {
	return func(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
		if !computes(t) || computes(t.Fn().Body()) {
			return s(run, t, site)
		}
		return rules.Seq(rules.Use("mapFission"), rules.AtArg(exposed(s)))(run, t, site)
	}
}

// findProduct looks for a product in the fused body, below so many views.
func (e *explorer) findProduct(under int) *product {
	p := &product{under: under}
	find := func(_ *rules.Run, t *lift.Term, _ *rules.Site) (*lift.Term, error) {
		p.rows, _ = t.Arg().Type.Len.Eval(e.opt.Sizes)
		p.cols, _ = t.Fn().Body().Arg().Type.Len.Eval(e.opt.Sizes)
		p.depth, p.bytes = e.reductionLength(t), 8
		if _, number := t.Type.Shape(); number.Kind == lift.ScalarType {
			p.bytes = max(4, number.DType.Size())
		}
		return t, nil
	}
	for _, p.batch = range []bool{false, true} {
		if _, err := (&rules.Run{Options: e.rules}).Do(p.at(rules.Seq(find, fusedReduction, rules.Use("reduceOutwards"))), e.fused); err == nil {
			return p
		}
	}
	return nil
}

// findChain looks for a product whose rows are those of a product, such as A·B·C. Both are one map where they were fused: it returns
// the explorer that begins with two.
func (e *explorer) findChain(under int) (*explorer, *product) {
	apart := e.beginning(rules.Below(under, rules.Seq(
		rules.Where(func(t *lift.Term) bool { return computes(t) && t.Fn().Body().Op == lift.Let }, rules.Use("mapFission")),
		inner(rules.Use("letInline")), rules.AtArg(rules.Use("mapGlobal")),
	)))
	if apart == nil {
		return nil, nil
	}
	p, first := apart.findProduct(under), apart.findProduct(under+2)
	if p == nil || first == nil || p.batch || first.batch {
		return nil, nil
	}
	p.first = first
	p.rows, p.cols, p.depth = intmath.GCD(p.rows, first.rows), intmath.GCD(p.cols, first.cols), intmath.GCD(p.depth, first.depth)
	return apart, p
}

// at is the strategy at the two maps of the product.
func (p *product) at(s rules.Strategy) rules.Strategy {
	s = exposed(s)
	if p.batch {
		s = rules.Seq(wrg2.use, inner(nextMap(s)))
	}
	return rules.Below(p.under, s)
}

// tiled makes tiles of two nested maps: maps over chunks of the outer one, over those of the inner one, and in them the inner
// before the outer map. The strategies cut the maps in chunks, in the order of outer and inner.
func tiled(outer, in rules.Strategy) rules.Strategy {
	return rules.Seq(outer, nextMap(inner(rules.Seq(rules.Use("mapMapInterchange"), rules.AtArg(in)))))
}

// reductionAt is the strategy at the first reduction from outside.
func reductionAt(s rules.Strategy) rules.Strategy {
	return rules.TopDown(rules.Where(is(lift.ReduceSeq), s))
}

func (e *explorer) productRecipes(under int) []*recipe {
	if apart, chain := e.findChain(under); chain != nil {
		list := apart.layouts(chain)
		for _, r := range list {
			r.from = apart
		}
		return list
	}
	p := e.findProduct(under)
	if p == nil {
		return nil
	}
	if p.batch {
		return e.layouts(p)
	}
	var list []*recipe
	for _, strides := range []bool{true, false} {
		word := "columns in " + chunksOrStrides(strides)
		for _, registers := range []bool{true, false} {
			keep, more := rules.Strategy(rules.ID), ""
			if registers {
				keep, more = rules.Use("copyPrivateOperands"), "operands in registers"
			}
			list = append(list,
				blocksOfItems(p, phrase("blocks of r by c", word, "glb1 glb0", more), strides, nest{glb1, glb0}, keep),
				blocksOfItems(p, phrase("blocks of r by c", word, "glb0 glb1", more), strides, nest{glb0, glb1}, keep),
				e.blocksOfGroups(p, phrase("tiles of t by v", "blocks of r by c", word, more), strides, keep, [2]int64{1, mostRegisters}, false),
			)
			// Strata of their own for blocks of several sizes: the best differ between devices, and large ones are few.
			for _, area := range [][2]int64{{1, 8}, {16, 16}, {32, 32}, {64, mostRegisters}} {
				name := phrase("tiles of t by v", fmt.Sprintf("blocks of r by c (%d to %d)", area[0], area[1]), word, "local copies along the reduction", more)
				list = append(list, e.blocksOfGroups(p, name, strides, keep, area, true))
			}
		}
	}
	return append(list, e.layouts(p)...)
}

// blocksOfItems gives each work-item a block of r rows and c columns, without work-groups.
func blocksOfItems(p *product, name string, strides bool, maps nest, keep rules.Strategy) *recipe {
	return &recipe{
		name: name, numbers: []number{{"r", dividing(p.rows, blockSides)}, {"c", dividing(p.cols, blockSides)}},
		admits: func(n point) bool { return n["r"]*n["c"] >= 2 && n["r"]*n["c"] <= mostRegisters },
		build: func(n point) rules.Strategy {
			return rules.Seq(p.at(rules.Seq(
				fusedReduction,
				tiled(cutMap(p.rows, n["r"], false), cutMap(p.cols, n["c"], strides)),
				along(maps, nil),
				rules.TopDown(rules.Seq(rules.Use("reduceOutwards"), reductionAt(keep))),
			)), finish(false))
		},
	}
}

// mostRegisters bounds the accumulators of a work-item.
const mostRegisters = 64

// blockSides are the lengths of the sides of blocks.
var blockSides = []int64{1, 2, 4, 8, 16}

// blocksOfGroups gives each work-group a tile of t rows and v columns, and each of its work-items a block of r by c; with
// copies, the reduction goes in steps of k, and the group copies what a step needs to local memory.
func (e *explorer) blocksOfGroups(p *product, name string, strides bool, keep rules.Strategy, area [2]int64, copies bool) *recipe {
	numbers := []number{
		{"t", divisors(p.rows, 8, 256)}, {"v", divisors(p.cols, 8, 256)}, {"r", blockSides}, {"c", blockSides},
	}
	if copies {
		// i and j are the orders in which columns and rows are copied.
		i := []int64{0, 1}
		if strides {
			i = []int64{0, 2}
		}
		numbers = append(numbers, number{"k", divisors(p.depth, 4, 64)}, number{"i", i}, number{"j", []int64{0, 1}})
	}
	return &recipe{
		name: name, numbers: numbers,
		admits: func(n point) bool {
			if n["t"]%n["r"] != 0 || n["v"]%n["c"] != 0 || n["r"]*n["c"] < area[0] || n["r"]*n["c"] > area[1] {
				return false
			}
			wide, tall := n["v"]/n["c"], n["t"]/n["r"]
			if !e.group(wide*tall) || wide*tall < 32 || wide < 4 {
				return false
			}
			return !copies || 4*n["k"]*(n["t"]+n["v"]) <= e.opt.MaxLocal && copied(n)%wide == 0
		},
		build: func(n point) rules.Strategy {
			step := rules.Strategy(rules.ID)
			if copies {
				step = rules.Seq(
					rules.Use("reduceSeqZipSplit", "n", n.size("k")),
					rules.Use("copyLocalOperands", "m", lift.Nat(copied(n)), "w", lift.Nat(n["v"]/n["c"]), "i", n.size("i"), "k", n.size("j")),
				)
			}
			return rules.Seq(p.inGroups(n, tiled(cutMap(n["v"], n["c"], strides), cutMap(n["t"], n["r"], false)), keep, step), finish(false))
		},
	}
}

// inGroups gives each work-group a tile of t rows and v columns. blocks cuts its two maps in blocks, of columns and then of rows, keep
// is for the reduction of the elements of a block, and step for that of the blocks of all work-items.
func (p *product) inGroups(n point, blocks, keep, step rules.Strategy) rules.Strategy {
	items := rules.Seq(lcl0.use, inner(nextMap(lcl1.use)))
	return p.at(rules.Seq(
		fusedReduction,
		tiled(cutMap(p.rows, n["t"], false), cutMap(p.cols, n["v"], false)),
		along(nest{wrg1, wrg0}, nil),
		// In a tile columns are outside. The blocks of both maps, and in them rows before columns.
		nextMap(rules.Seq(
			blocks,
			nextMap(rules.Seq(
				inner(nextMap(inner(nextMap(rules.Seq(rules.Use("reduceOutwards"), reductionAt(keep)))))),
				rules.Use("reduceOutwards"),
				rules.TopDown(rules.Use("blockResult")),
				nextMap(items),
				reductionAt(rules.Seq(inner(items), step)),
			)),
		)),
	))
}

// copied is the numbers that a work-group copies at a time: one for each work-item, or fewer.
func copied(n point) int64 {
	return intmath.GCD(intmath.GCD(n["v"]/n["c"]*(n["t"]/n["r"]), n["k"]*n["t"]), n["k"]*n["v"])
}
