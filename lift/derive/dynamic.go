package derive

import (
	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// Filters become scans, and elements put where these say. The segments of a reduction are those of work-items, one after the other; those of
// work-groups, whose work-items take elements in strides; or parts of a scan, which takes the same time whatever the lengths of the segments.

// dynamic makes a scan of each filter, and maps of segmented reductions in other patterns, so that these can be fused.
func dynamic(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	if t.Ops()&lift.Set(lift.Filter, lift.ReduceSegments) == 0 {
		return t, nil
	}
	return rules.Seq(
		rules.Repeat(rules.TopDown(rules.Use("filterScan"))),
		rules.Repeat(rules.TopDown(rules.Use("letOut"))),
		fusedSegments,
	)(run, t, site)
}

// fusedSegments leaves the segmented reductions that are parts of the program, and makes maps of others.
func fusedSegments(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	s := rules.Repeat(rules.TopDown(rules.Use("segmentsMap")))
	switch {
	case t.Op == lift.Let:
		s = rules.Seq(rules.AtKid(1, fusedSegments), inner(fusedSegments))
	case t.Op == lift.Tuple:
		s = rules.ID
		for i := range t.Kids {
			s = rules.Seq(s, rules.AtKid(i, fusedSegments))
		}
	case t.Op == lift.ReduceSegments:
		s = rules.AtArg(fusedSegments)
	case t.Op != lift.Map && views.Has(t.Op):
		s = rules.AtArg(fusedSegments)
	}
	return rules.Seq(s, rules.Try(fuseBetween))(run, t, site)
}

// fuseBetween takes the maps before reductions between computed indices into these.
var fuseBetween = rules.Repeat(rules.TopDown(rules.Use("betweenMapFusion")))

// segmentRecipes are the recipes of a segmented reduction; nil for other programs.
func (e *explorer) segmentRecipes() (list []*recipe) {
	body := e.fused
	if body.Op != lift.ReduceSegments {
		return nil
	}
	// after adds recipes of what a strategy makes of the program.
	after := func(how string, begin rules.Strategy, of func(other *explorer) []*recipe) {
		other := e.beginning(begin)
		if other == nil {
			return
		}
		for _, r := range of(other) {
			if r.from != nil {
				continue
			}
			build := r.build
			r.name, r.build = phrase(how, r.name), func(p point) rules.Strategy { return rules.Seq(begin, build(p)) }
			list = append(list, r)
		}
	}
	after("segments of work-items", rules.Seq(rules.Use("segmentsMap"), rules.Try(fuseBetween)), func(other *explorer) []*recipe {
		if g := other.findGrid(); g != nil {
			return other.gridRecipes(g)
		}
		return nil
	})
	list = append(list, e.segmentsOfGroups()...)
	after("scan of segments", rules.Seq(rules.Use("segmentsScan"), whole), (*explorer).recipesOfParts)
	return list
}

// segmentsOfGroups gives each segment to a work-group, whose work-items reduce elements l apart.
func (e *explorer) segmentsOfGroups() []*recipe {
	var sizes []int64
	for l := int64(32); l <= min(e.opt.MaxGroup, 512); l *= 2 {
		sizes = append(sizes, l)
	}
	parts := func(l int64) rules.Strategy {
		return rules.Seq(
			rules.Use("segmentsRows"),
			rules.AtArg(inner(rules.Seq(rules.Try(fuseBetween), rules.Use("betweenParts", "m", lift.Nat(l))))),
		)
	}
	if len(sizes) == 0 || !e.applies(0, parts(sizes[0])) {
		return nil
	}
	return []*recipe{{
		name: "segments of groups of l", numbers: []number{{"l", sizes}, meetings},
		admits: func(p point) bool { return canMeet(p["l"], p["r"]) },
		build: func(p point) rules.Strategy {
			return rules.Seq(parts(p["l"]), rules.AtArg(rules.Seq(
				wrg0.use,
				inner(rules.Seq(partials(toItems), meet(p["l"], p["r"]), result)),
			)), finish(false))
		},
	}}
}
