package derive

import (
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Scans are computed in chunks: each chunk is reduced, the results are scanned, and each chunk is scanned from what came before it. That takes
// twice the operations of a sequential scan, whatever the number of chunks. The chunks are those of work-items, or of work-groups, whose work-items
// have chunks of their own in them; the results of the first are scanned by one work-item, or again in chunks.

// cutScan makes a scan of chunks of n. leaf is for the map that reduces chunks, offsets for the scan of what they reduce to, and then for the map that scans
// chunks.
func cutScan(n int64, leaf, offsets, then rules.Strategy) rules.Strategy {
	size := lift.Nat(n)
	mapped := rules.Try(rules.AtArg(rules.Where(func(t *lift.Term) bool { return computes(t.Arg()) }, rules.Use("splitMap"))))
	return rules.Seq(
		rules.Else(rules.Use("scanSplit", "n", size), rules.Use("scanBeforeSplit", "n", size), rules.Use("scanSplitFrom", "n", size)),
		rules.AtArg(rules.Seq( // map(scan) $ zip(scanBefore o join o map(reduce) o split(n) o map(g) $ xs, split(n) o map(g) $ xs)
			rules.AtArg(rules.Seq(
				rules.AtKid(0, rules.Seq(
					rules.Below(2, rules.Seq(mapped, rules.Repeat(fusePlain), leaf)),
					offsets,
				)),
				rules.AtKid(1, rules.Try(rules.Where(func(t *lift.Term) bool { return t.Op == lift.Split && computes(t.Arg()) }, rules.Use("splitMap")))),
			)),
			rules.Try(rules.Seq(fuseZip, inner(rules.Repeat(rules.Use("letInline"))))),
			then,
		)),
	)
}

// scanRow makes a scan that of one row, by what its map becomes.
func scanRow(level rules.Strategy) rules.Strategy {
	return rules.Seq(rules.Else(rules.Use("scanRow"), rules.Use("scanBeforeRow")), rules.AtArg(rules.Seq(
		rules.Try(rules.AtArg(rules.Where(func(t *lift.Term) bool { return computes(t.Arg()) }, rules.Use("splitMap")))),
		rules.Repeat(fusePlain),
		level,
	)))
}

// scansOfItems gives the maps of a scan in chunks to the work-items of a work-group: join o map(scan) $ zip(join o map(scanBefore) o split o join o
// map(reduce) $ …, …). What chunks reduce to meets in local memory.
var scansOfItems = rules.AtArg(rules.Seq(
	rules.AtArg(rules.AtKid(0, rules.AtArg(rules.Seq(rules.Below(3, toItems), toItems)))),
	lcl0.use,
))

// scanRecipes are the recipes of a program that is a scan; nil for others.
func (e *explorer) scanRecipes() (list []*recipe) {
	body := e.fused
	if body.Op != lift.Scan && body.Op != lift.ScanBefore {
		return nil
	}
	n, err := body.Arg().Type.Len.Eval(e.opt.Sizes)
	if err != nil {
		return nil
	}
	list = e.scansInChunks(n, "", func(s rules.Strategy) rules.Strategy { return s })
	list = append(list, &recipe{name: "one work-item, in order", build: func(point) rules.Strategy { return rules.Seq(scanRow(glb0.use), finish(false)) }})
	if long := padded(n); long != n {
		list = append(list, e.scansInChunks(long, paddedRecipe, func(s rules.Strategy) rules.Strategy { return paddedScan(long-n, s) })...)
	}
	return list
}

// paddedScan makes a scan one of more elements, which come last, so that no result depends on them, and goes on there.
func paddedScan(more int64, s rules.Strategy) rules.Strategy {
	r := lift.Nat(more)
	return rules.Seq(
		rules.Else(rules.Use("scanPad", "r", r), rules.Use("scanBeforePad", "r", r)),
		rules.AtArg(rules.Seq(rules.AtArg(rules.Try(rules.Use("mapPad"))), s)),
	)
}

// scansInChunks are the recipes of a scan of n elements that take chunks of it. around is where the scan is.
func (e *explorer) scansInChunks(n int64, how string, around func(rules.Strategy) rules.Strategy) (list []*recipe) {
	add := func(name string, numbers []number, admits func(p point) bool, build func(p point) rules.Strategy) {
		list = append(list, &recipe{
			name: phrase(how, name), numbers: numbers, admits: admits,
			build: func(p point) rules.Strategy { return rules.Seq(around(build(p)), finish(false)) },
		})
	}
	k, l, m := number{"k", divisors(n, 2, 4096)}, number{"l", groupSizes(n, e.opt.MaxGroup)}, number{"m", divisors(n, 2, 4096)}
	// The ways to scan what so many chunks reduce to.
	for _, way := range []struct {
		name    string
		numbers []number
		admits  func(chunks int64, p point) bool
		build   func(p point) rules.Strategy
	}{
		{"offsets by one work-item", nil, func(chunks int64, _ point) bool { return chunks <= 1<<14 }, func(point) rules.Strategy { return scanRow(glb0.use) }},
		{
			"offsets in chunks of m",
			[]number{m},
			func(chunks int64, p point) bool {
				return chunks%p["m"] == 0 && chunks > p["m"] && chunks/p["m"] <= 1<<14
			},
			func(p point) rules.Strategy {
				// What is reduced to is read twice.
				return rules.Seq(rules.Use("letArg"), inner(cutScan(p["m"], glb0.use, scanRow(glb0.use), glb0.use)))
			},
		},
	} {
		add(phrase("chunks of k, glb0", way.name), append([]number{k}, way.numbers...), func(p point) bool {
			return n%p["k"] == 0 && way.admits(n/p["k"], p)
		}, func(p point) rules.Strategy {
			return cutScan(p["k"], glb0.use, way.build(p), glb0.use)
		})
		// A work-group scans a chunk: its work-items reduce theirs, one scans the results, and all scan theirs from there on.
		add(phrase("chunks of k in groups of l", way.name), append([]number{k, l, meetings}, way.numbers...), func(p point) bool {
			return n%(p["k"]*p["l"]) == 0 && p["k"] <= 64 && canMeet(p["l"], p["r"]) && way.admits(n/(p["k"]*p["l"]), p)
		}, func(p point) rules.Strategy {
			// First the maps, which a work-group needs, and then what they become.
			inGroup := cutScan(p["k"], rules.ID, scanRow(rules.ID), rules.ID)
			return cutScan(p["k"]*p["l"], groupReduction(p["l"], p["r"], false, chunked), way.build(p), rules.Seq(inner(inGroup), wrg0.use, inner(scansOfItems)))
		})
	}
	return list
}
