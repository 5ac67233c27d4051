package rules

import "slices"

// The rules in equations. Every one is tested on random instances of its own text.

func addTable() {
	both := func(extra ...Condition) []Condition { return append(slices.Clone(foldable), extra...) }

	// 001 Figure 6: algorithmic rules.
	add(
		Rule{Name: "mapReorder", Left: "map(f) o reorder $ xs", Right: "reorder o map(f) $ xs", Types: "xs: [A]N", Figure: "6b"},
		Rule{Name: "reorderMap", Left: "reorder o map(f) $ xs", Right: "map(f) o reorder $ xs", Types: "xs: [A]N", Figure: "6b"},
		Rule{Name: "splitJoin", Left: "map(f) $ xs", Right: "join o map(map(f)) o split(n) $ xs", Types: "xs: [A]N", Params: []Param{{"n", Length}}, Figure: "6c"},
		Rule{Name: "reducePart", Left: "reduce(f, z) $ xs", Right: "reduce(f, z) o partRed(f, z, m) $ xs", Types: "xs: [A]N", Params: []Param{{"m", Length}}, Where: foldable, Figure: "6d"},
		Rule{Name: "partRedReduce", Left: "partRed(f, z, 1) $ xs", Right: "reduce(f, z) $ xs", Types: "xs: [A]N", Figure: "6d"},
		Rule{
			Name: "partRedReorder", Left: "partRed(f, z, m) $ xs", Right: "partRed(f, z, m) o reorder $ xs", Types: "xs: [A]N",
			Where: both(commutative), Figure: "6d",
		},
		Rule{Name: "partRedSplit", Left: "partRed(f, z, m) $ xs", Right: "join o map(partRed(f, z, m*n/N)) o split(n) $ xs", Types: "xs: [A]N", Params: []Param{{"n", Length}}, Where: foldable, Figure: "6d"},
		Rule{
			Name: "partRedIterate", Left: "partRed(f, z, m) $ xs", Right: "iterate(k, fun(y => join o map(reduce(f, z)) o split(n) $ y)) $ xs",
			Types: "xs: [A]N", Params: []Param{{"k", Count}, {"n", Length}}, Where: foldable, Figure: "6d",
		},
		Rule{Name: "joinSplit", Left: "join o split(n) $ xs", Right: "xs", Types: "xs: [A]N", Figure: "6e"},
		Rule{Name: "joinVecSplitVec", Left: "asScalar o asVector(w) $ xs", Right: "xs", Types: "xs: [scalar]N", Figure: "6e"},
		Rule{Name: "mapFusion", Left: "map(f) o map(g) $ xs", Right: "map(fun(y => f(g(y)))) $ xs", Types: "xs: [A]N", Figure: "6f"},
		Rule{
			Name: "reduceMapFusion", Left: "reduceSeq(f, z) o mapSeq(g) $ xs", Right: "reduceSeq(fun(a, y => f(a, g(y))), z) $ xs",
			Types: "xs: [A]N", Figure: "6f",
		},
	)

	// Fusion of maps that are lowered alike.
	add(
		Rule{Name: "mapSeqFusion", Left: "mapSeq(f) o mapSeq(g) $ xs", Right: "mapSeq(fun(y => f(g(y)))) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapGlbFusion", Left: "mapGlb(d, f) o mapGlb(d, g) $ xs", Right: "mapGlb(d, fun(y => f(g(y)))) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapLclFusion", Left: "mapLcl(d, f) o mapLcl(d, g) $ xs", Right: "mapLcl(d, fun(y => f(g(y)))) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapWrgFusion", Left: "mapWrg(d, f) o mapWrg(d, g) $ xs", Right: "mapWrg(d, fun(y => f(g(y)))) $ xs", Types: "xs: [A]N"},
		Rule{
			Name: "reduceUnrollFusion", Left: "reduceSeqUnroll(f, z) o mapSeq(g) $ xs", Right: "reduceSeqUnroll(fun(a, y => f(a, g(y))), z) $ xs",
			Types: "xs: [A]N",
		},
		Rule{Name: "reduceJoin", Left: "reduceSeq(f, z) o join $ xs", Right: "reduceSeq(fun(a, r => at(0) o reduceSeq(f, a) $ r), z) $ xs", Types: "xs: [[A]M]N"},
	)

	// 001 Figure 7: OpenCL rules. The contexts are those that OpenCL's thread hierarchy demands.
	add(
		Rule{Name: "mapGlb", Left: "map(f) $ xs", Right: "mapGlb(d, f) $ xs", Types: "xs: [A]N", Params: []Param{{"d", Dimension}}, Where: []Condition{dimension, computes, mayBeGlb}, Figure: "7a"},
		Rule{Name: "mapWrg", Left: "map(f) $ xs", Right: "mapWrg(d, f) $ xs", Types: "xs: [[A]M]N", Params: []Param{{"d", Dimension}}, Where: []Condition{dimension, computes, mayBeWrg}, Figure: "7a"},
		Rule{Name: "mapLcl", Left: "map(f) $ xs", Right: "mapLcl(d, f) $ xs", Types: "xs: [A]N", Params: []Param{{"d", Dimension}}, Where: []Condition{dimension, computes, mayBeLcl}, Figure: "7a"},
		Rule{Name: "mapSeq", Left: "map(f) $ xs", Right: "mapSeq(f) $ xs", Types: "xs: [A]N", Where: []Condition{computes}, Figure: "7a"},
		Rule{Name: "reduceSeq", Left: "reduce(f, z) $ xs", Right: "reduceSeq(f, z) $ xs", Types: "xs: [A]N", Figure: "7b"},
		Rule{Name: "reorderStride", Left: "reorder $ xs", Right: "reorderStride(s) $ xs", Types: "xs: [A]N", Params: []Param{{"s", Length}}, Figure: "7c"},
		Rule{Name: "reorderID", Left: "reorder $ xs", Right: "xs", Types: "xs: [A]N", Figure: "7c"},
		Rule{Name: "toGlobal", Left: "mapLcl(d, f) $ xs", Right: "toGlobal o mapLcl(d, f) $ xs", Types: "xs: [A]N", Figure: "7d"},
		Rule{Name: "toLocal", Left: "mapLcl(d, f) $ xs", Right: "toLocal o mapLcl(d, f) $ xs", Types: "xs: [A]N", Figure: "7d"},
		Rule{Name: "toPrivate", Left: "mapSeq(f) $ xs", Right: "toPrivate o mapSeq(f) $ xs", Types: "xs: [A]N", Where: []Condition{inThread}},
		Rule{
			Name: "vectorize", Left: "map(f) $ xs", Right: "asScalar o map(fun(y => mapVec(f, y))) o asVector(w) $ xs", Types: "xs: [scalar]N",
			Params: []Param{{"w", Width}}, Where: []Condition{scalars, lanewiseF}, Figure: "7e",
		},
		Rule{
			Name: "vectorizeLcl", Left: "mapLcl(d, f) $ xs", Right: "asScalar o mapLcl(d, fun(y => mapVec(f, y))) o asVector(w) $ xs", Types: "xs: [scalar]N",
			Params: []Param{{"w", Width}}, Where: []Condition{scalars, lanewiseF},
		},
		Rule{
			Name: "vectorizeSeq", Left: "mapSeq(f) $ xs", Right: "asScalar o mapSeq(fun(y => mapVec(f, y))) o asVector(w) $ xs", Types: "xs: [scalar]N",
			Params: []Param{{"w", Width}}, Where: []Condition{scalars, lanewiseF},
		},
		Rule{
			Name: "vectorizeReduce", Left: "reduce(f, z) $ xs", Right: "reduce(f, z) o asScalar o reduceSeq(fun(a, y => mapVec(f, a, y)), vec(w, z)) o asVector(w) $ xs",
			Types: "xs: [scalar]N", Params: []Param{{"w", Width}}, Where: both(commutative, scalars, literal, lanewiseF),
		},
		Rule{
			Name: "vectorizeReduction", Left: "reduce(f, z) $ xs", Right: "reduce(f, z) o asScalar o reduce(fun(a, y => mapVec(f, a, y)), vec(w, z)) o asVector(w) $ xs",
			Types: "xs: [scalar]N", Params: []Param{{"w", Width}}, Where: both(commutative, scalars, literal, lanewiseF),
		},
		Rule{
			Name: "scalarizePartials", Left: "reduce(f, z) o asScalar o reduce(g, ys) o join o map(h) $ xs", Right: "reduce(f, z) o join o map(fun(y => reduce(f, z) o asScalar $ h(y))) $ xs",
			Types: "xs: [scalar]N", Where: both(commutative, lifted),
		},
		Rule{Name: "reduceSeqSplit", Left: "reduceSeq(f, z) $ xs", Right: "reduceSeq(fun(a, c => at(0) o reduceSeq(f, a) $ c), z) o split(n) $ xs", Types: "xs: [A]N", Params: []Param{{"n", Length}}},
		Rule{Name: "reduceResult", Left: "reduceSeq(f, z) $ xs", Right: "mapLcl(0, id) o reduceSeq(f, z) $ xs", Types: "xs: [scalar]N", Where: []Condition{inGroup}},
		Rule{Name: "mapUnroll", Left: "mapSeq(f) $ xs", Right: "mapSeqUnroll(f) $ xs", Types: "xs: [A]N", Where: []Condition{noParallel}},
		Rule{Name: "reduceUnroll", Left: "reduceSeq(f, z) $ xs", Right: "reduceSeqUnroll(f, z) $ xs", Types: "xs: [A]N", Where: []Condition{noParallel}},
		Rule{Name: "mapSeqSlide", Left: "mapSeq(f) o slide(n, s) $ xs", Right: "mapSeqSlide(n, s, f) $ xs", Types: "xs: [A]N", Where: []Condition{noParallel}},
		Rule{Name: "copyLocal", Left: "mapWrg(d, f) $ xs", Right: "mapWrg(d, fun(y => f(toLocal o mapLcl(d, id) $ y))) $ xs", Types: "xs: [[scalar]M]N"},
		Rule{
			Name: "copyLocal2D", Left: "mapWrg(d, f) $ xs", Right: "mapWrg(d, fun(y => f(toLocal o mapLcl(1, mapLcl(0, id)) $ y))) $ xs",
			Types: "xs: [[[scalar]3]M]N",
		},
		Rule{Name: "copyPrivate", Left: "mapLcl(d, f) $ xs", Right: "mapLcl(d, fun(y => f(toPrivate o mapSeq(id) $ y))) $ xs", Types: "xs: [[scalar]M]N"},
		Rule{Name: "copyPrivate2D", Left: "mapLcl(d, f) $ xs", Right: "mapLcl(d, fun(y => f(toPrivate o mapSeq(mapSeq(id)) $ y))) $ xs", Types: "xs: [[[scalar]2]M]N"},
		Rule{Name: "copyPrivateGlb2D", Left: "mapGlb(d, f) $ xs", Right: "mapGlb(d, fun(y => f(toPrivate o mapSeq(mapSeq(id)) $ y))) $ xs", Types: "xs: [[[scalar]2]M]N"},
		Rule{Name: "copyPrivateGlb", Left: "mapGlb(d, f) $ xs", Right: "mapGlb(d, fun(y => f(toPrivate o mapSeq(id) $ y))) $ xs", Types: "xs: [[scalar]M]N"},
	)

	// Simplification.
	add(
		Rule{Name: "splitJoinID", Left: "split(n) o join $ xs", Right: "xs", Types: "xs: [[A]M]N", Where: []Condition{rowsOfN}},
		Rule{Name: "transposeTwice", Left: "transpose o transpose $ xs", Right: "xs", Types: "xs: [[A]M]N"},
		Rule{Name: "asVectorAsScalar", Left: "asVector(w) o asScalar $ xs", Right: "xs", Types: "xs: [vector]N"},
		Rule{Name: "mapID", Left: "map(f) $ xs", Right: "xs", Types: "xs: [scalar]N", Where: []Condition{isID}},
		Rule{Name: "mapSeqID", Left: "mapSeq(f) $ xs", Right: "xs", Types: "xs: [scalar]N", Where: []Condition{isID}},
		Rule{Name: "scatterGather", Left: "scatter(p) o gather(p) $ xs", Right: "xs", Types: "xs: [A]N"},
		Rule{Name: "gatherScatter", Left: "gather(p) o scatter(p) $ xs", Right: "xs", Types: "xs: [A]N"},
		Rule{Name: "gatherGather", Left: "gather(p) o gather(q) $ xs", Right: "xs", Types: "xs: [A]N", Where: []Condition{inverse}},
		Rule{Name: "iterateZero", Left: "iterate(0, f) $ xs", Right: "xs", Types: "xs: [A]N"},
		Rule{Name: "iterateOne", Left: "iterate(1, f) $ xs", Right: "f(xs)", Types: "xs: [A]N"},
		Rule{Name: "toGlobalTwice", Left: "toGlobal o toGlobal $ xs", Right: "toGlobal $ xs", Types: "xs: [A]N"},
		Rule{Name: "toLocalTwice", Left: "toLocal o toLocal $ xs", Right: "toLocal $ xs", Types: "xs: [A]N"},
	)

	// Movement of views through maps and through each other.
	add(
		Rule{Name: "splitID", Left: "xs", Right: "join o split(n) $ xs", Types: "xs: [A]N", Params: []Param{{"n", Length}}},
		Rule{Name: "splitJoinSeq", Left: "mapSeq(f) $ xs", Right: "join o mapSeq(mapSeq(f)) o split(n) $ xs", Types: "xs: [A]N", Params: []Param{{"n", Length}}, Source: "Lift: splitJoinMapSeq"},
		Rule{Name: "atMap", Left: "at(z) o map(f) $ xs", Right: "f(at(z) $ xs)", Types: "xs: [A]N"},
		Rule{Name: "transposeID", Left: "xs", Right: "transpose o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "joinMap", Left: "join o map(map(f)) $ xs", Right: "map(f) o join $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "mapJoin", Left: "map(f) o join $ xs", Right: "join o map(map(f)) $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "joinSplitMap", Left: "map(map(f)) $ xs", Right: "split(M) o map(f) o join $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "splitMap", Left: "split(n) o map(f) $ xs", Right: "map(map(f)) o split(n) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapSplit", Left: "map(map(f)) o split(n) $ xs", Right: "split(n) o map(f) $ xs", Types: "xs: [A]N"},
		Rule{Name: "slideMap", Left: "slide(n, s) o map(f) $ xs", Right: "map(map(f)) o slide(n, s) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapSlide", Left: "map(map(f)) o slide(n, s) $ xs", Right: "slide(n, s) o map(f) $ xs", Types: "xs: [A]N"},
		Rule{Name: "transposeMap", Left: "transpose o map(map(f)) $ xs", Right: "map(map(f)) o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "mapTranspose", Left: "map(map(f)) o transpose $ xs", Right: "transpose o map(map(f)) $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "transposeBothSides", Left: "map(map(f)) $ xs", Right: "transpose o map(map(f)) o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "gatherMap", Left: "gather(p) o map(f) $ xs", Right: "map(f) o gather(p) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapGather", Left: "map(f) o gather(p) $ xs", Right: "gather(p) o map(f) $ xs", Types: "xs: [A]N"},
		Rule{Name: "scatterMap", Left: "scatter(p) o map(f) $ xs", Right: "map(f) o scatter(p) $ xs", Types: "xs: [A]N"},
		Rule{Name: "mapScatter", Left: "map(f) o scatter(p) $ xs", Right: "scatter(p) o map(f) $ xs", Types: "xs: [A]N"},
		Rule{
			Name: "stridesAround", Left: "map(f) $ xs", Right: "scatter(stride(s)) o map(f) o gather(stride(s)) $ xs", Types: "xs: [A]N",
			Params: []Param{{"s", Length}},
		},
		Rule{Name: "mapSplitTranspose", Left: "map(split(n)) o transpose $ xs", Right: "transpose o map(transpose) o split(n) $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "mapTransposeSplit", Left: "map(transpose) o split(n) $ xs", Right: "transpose o map(split(n)) o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "transposeMapSplit", Left: "transpose o map(split(n)) $ xs", Right: "map(transpose) o split(n) o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "splitTranspose", Left: "split(n) o transpose $ xs", Right: "map(transpose) o transpose o map(split(n)) $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "transposeSwap", Left: "map(transpose) o transpose o map(transpose) $ xs", Right: "transpose o map(transpose) o transpose $ xs", Types: "xs: [[[A]3]M]N"},
		Rule{Name: "transposeScatter", Left: "transpose o scatter(p) $ xs", Right: "map(scatter(p)) o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "transposeGather", Left: "transpose o gather(p) $ xs", Right: "map(gather(p)) o transpose $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "transposeMapJoin", Left: "transpose o map(join) $ xs", Right: "join o map(transpose) o transpose $ xs", Types: "xs: [[[A]3]M]N"},
		Rule{Name: "joinTranspose", Left: "join o map(transpose) o transpose $ xs", Right: "transpose o map(join) $ xs", Types: "xs: [[[A]3]M]N"},
		Rule{Name: "slideTranspose", Left: "slide(n, s) o transpose $ xs", Right: "map(transpose) o transpose o map(slide(n, s)) $ xs", Types: "xs: [[A]M]N"},
		Rule{Name: "joinJoin", Left: "join o join $ xs", Right: "join o map(join) $ xs", Types: "xs: [[[A]2]M]N"},
		Rule{Name: "mapJoinJoin", Left: "join o map(join) $ xs", Right: "join o join $ xs", Types: "xs: [[[A]2]M]N"},
		Rule{Name: "splitSplit", Left: "map(split(n)) o split(m) $ xs", Right: "split(m/n) o split(n) $ xs", Types: "xs: [A]N"},
	)

	// Stencils and interchange.
	add(
		Rule{Name: "slideTiling", Left: "slide(n, s) $ xs", Right: "join o map(slide(n, s)) o slide(t + n - s, t) $ xs", Types: "xs: [A]N", Params: []Param{{"t", Tile}}, Source: "Lift: tiled slide"},
		Rule{
			Name: "tileStencils", Left: "map(f) o slide(n, s) $ xs", Right: "join o map(map(f) o slide(n, s)) o slide(t + n - s, t) $ xs",
			Types: "xs: [A]N", Params: []Param{{"t", Tile}}, Source: "Lift: tileStencils",
		},
		Rule{
			Name:  "tileStencils2D",
			Left:  "map(map(f)) o map(transpose) o slide(n, s) o map(slide(m, u)) $ xs",
			Right: "map(join) o join o map(transpose) o map(map(map(map(f)) o map(transpose) o slide(n, s) o map(slide(m, u)))) o map(transpose) o slide(t + n - s, t) o map(slide(v + m - u, v)) $ xs",
			Types: "xs: [[A]M]N", Params: []Param{{"t", Tile}, {"v", Tile}}, Source: "Lift: tile2DStencils",
		},
		Rule{Name: "splitSlide", Left: "split(k) o slide(n, s) $ xs", Right: "map(slide(n, s)) o slide(k*s + n - s, k*s) $ xs", Types: "xs: [A]N"},
		Rule{
			Name: "mapMapInterchange", Left: "map(fun(x => map(fun(y => f(x, y))) $ ys)) $ xs",
			Right: "transpose o map(fun(y => map(fun(x => f(x, y))) $ xs)) $ ys", Types: "xs: [A]N, ys: [A]M",
		},
		Rule{
			Name: "mapReduceInterchange", Left: "map(reduce(f, z)) $ xs",
			Right: "transpose o reduce(fun(a, c => map(fun(e => f(get(0, e), get(1, e)))) $ zip(a, c)), generate(N, fun(j => z))) o transpose $ xs",
			Types: "xs: [[A]M]N", Where: []Condition{closedZ},
		},
		Rule{
			Name: "mapReduceSeqInterchange", Left: "map(reduceSeq(f, z)) $ xs",
			Right: "transpose o reduceSeq(fun(a, c => map(fun(e => f(get(0, e), get(1, e)))) $ zip(a, c)), generate(N, fun(j => z))) o transpose $ xs",
			Types: "xs: [[A]M]N", Where: []Condition{closedZ},
		},
		Rule{Name: "reduceRow", Left: "reduce(f, z) $ xs", Right: "join o map(reduce(f, z)) o split(N) $ xs", Types: "xs: [A]N"},
		Rule{
			Name: "blockedReduce", Left: "reduce(f, z) $ xs", Right: "reduceSeq(fun(a, c => f(a, at(0) o reduce(f, z) $ c)), z) o split(n) $ xs",
			Types: "xs: [A]N", Params: []Param{{"n", Length}}, Where: foldable, Source: "RISE: blockedReduce",
		},
	)
}
