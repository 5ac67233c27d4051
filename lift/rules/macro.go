package rules

import (
	"maps"
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// Macro is a strategy with a name: several rules at once, in a fixed order (001 section 6.1).
type Macro struct {
	Name string
	Says string // what it does, in one line
	Run  func(args Args) Strategy
	// Params are the arguments it needs.
	Params []Param
}

var macros = map[string]*Macro{}

// Macros lists the macro rules by name.
func Macros() []*Macro {
	return lists.Map(slices.Sorted(maps.Keys(macros)), func(name string) *Macro { return macros[name] })
}

// MacroByName returns the macro rule of that name, nil without one.
func MacroByName(name string) *Macro { return macros[name] }

// fuseReduce makes the reduction of a map sequential and fuses the two (the end of 001 Figure 10).
var fuseReduce Strategy

func uses(names ...string) (list []Strategy) {
	return lists.Map(names, func(n string) Strategy { return Use(n) })
}

func addMacros() {
	// Fusions fuse consecutive maps, and maps with the reductions of their results; simplifications remove pairs of inverse views.
	fusions := uses("mapFusion", "mapSeqFusion", "mapGlbFusion", "mapLclFusion", "mapWrgFusion", "reduceMapFusion", "reduceUnrollFusion")
	simplifications := uses("joinSplit", "splitJoinID", "joinVecSplitVec", "asVectorAsScalar", "transposeTwice", "scatterGather",
		"gatherScatter", "gatherGather", "iterateZero", "iterateOne", "toGlobalTwice", "toLocalTwice")
	fuseReduce = Seq(Try(Use("reduceSeq")), Repeat(Seq(AtKid(2, Use("mapSeq")), Use("reduceMapFusion"))))
	for _, m := range []Macro{
		{Name: "simplify", Says: "removes views that undo each other", Run: func(Args) Strategy { return Normalize(simplifications...) }},
		{Name: "fuse", Says: "fuses maps with maps, and with the sequential reductions after them", Run: func(Args) Strategy {
			return Normalize(append(slices.Clone(fusions), simplifications...)...)
		}},
		{Name: "fuseReduce", Says: "makes a reduction of a map sequential, and one with it (001 Figure 10)", Run: func(Args) Strategy {
			return TopDown(fuseReduce)
		}},
		{Name: "chunkReduce", Says: "reduces chunks of n first, each on its own, with the map before fused (001 Figure 10)", Params: []Param{{"n", Length}}, Run: chunkReduce},
		{Name: "tile1D", Says: "computes a stencil along one dimension in overlapping tiles of t results", Params: []Param{{"t", Tile}}, Run: func(a Args) Strategy {
			return TopDown(Use("tileStencils", "t", a["t"]))
		}},
		{Name: "tile2D", Says: "computes a stencil along two dimensions in overlapping tiles of t by v results", Params: []Param{{"t", Tile}, {"v", Tile}}, Run: func(a Args) Strategy {
			return TopDown(Use("tileStencils2D", "t", a["t"], "v", a["v"]))
		}},
		{Name: "tileMaps", Says: "computes a matrix in tiles of n by m", Params: []Param{{"n", Length}, {"m", Length}}, Run: func(a Args) Strategy {
			// Rows in chunks of n; in each chunk columns in chunks of m; the two inner loops next to each other.
			return TopDown(Seq(Use("splitJoin", "n", a["n"]), AtKid(0, AtKid(0, AtKid(0,
				Seq(Use("mapMapInterchange"), AtKid(0, Use("splitJoin", "n", a["m"]))))))))
		}},
		{Name: "interchange", Says: "exchanges two nested maps", Run: func(Args) Strategy { return TopDown(Use("mapMapInterchange")) }},
		{Name: "localCopy", Says: "copies what each work-group reads to local memory", Run: func(Args) Strategy {
			return BottomUp(Else(Use("copyLocal2D"), Use("copyLocal")))
		}},
		{Name: "privateCopy", Says: "copies what each work-item reads to private memory", Run: func(Args) Strategy {
			return TopDown(Else(Use("copyPrivate"), Use("copyPrivateGlb")))
		}},
		{Name: "vectorize", Says: "computes on vectors of w", Params: []Param{{"w", Width}}, Run: func(a Args) Strategy {
			return BottomUp(Else(Use("vectorizeReduce", "w", a["w"]), Use("vectorize", "w", a["w"])))
		}},
		{Name: "coalesce", Says: "lets neighbouring work-items work on neighbouring elements, s chunks apart", Params: []Param{{"s", Length}}, Run: func(a Args) Strategy {
			return TopDown(Seq(Use("partRedReorder"), AtKid(2, Use("reorderStride", "s", a["s"]))))
		}},
		{Name: "groups", Says: "maps to work-groups along d, and the maps in it to work-items", Params: []Param{{"d", Dimension}}, Run: func(a Args) Strategy {
			return TopDown(Seq(Use("mapWrg", "d", a["d"]), AtKid(0, TopDown(Use("mapLcl", "d", a["d"])))))
		}},
		{Name: "sequential", Says: "makes sequential what is not yet mapped to anything", Run: func(Args) Strategy {
			return Seq(Repeat(TopDown(Use("reduceSeq"))), Repeat(TopDown(Use("mapSeq"))))
		}},
	} {
		macros[m.Name] = &m
	}
}

// chunkReduce follows 001 Figure 10: reduce f z ∘ map g becomes reduce f z ∘ join ∘ map (reduceSeq …) ∘ split n.
func chunkReduce(a Args) Strategy {
	n := a["n"]
	return TopDown(func(run *Run, t *lift.Term, site *Site) (*lift.Term, error) {
		if t.Op != lift.Reduce || t.Arg().Type.Kind != lift.ArrayType {
			return nil, errNowhere
		}
		m, err := t.Arg().Type.Len.Div(n)
		if err != nil {
			return nil, err
		}
		return Seq(
			Use("reducePart", "m", m),
			AtKid(2, Seq(
				Use("partRedSplit", "n", n),
				// join o map(partRed) o split(n) o map(g): the split passes the map, and the maps fuse.
				AtKid(0, Seq(
					Repeat(AtKid(1, Use("splitMap"))),
					Repeat(Use("mapFusion")),
					AtKid(0, AtKid(0, Seq(Use("partRedReduce"), fuseReduce))),
				)),
			)),
		)(run, t, site)
	})
}
