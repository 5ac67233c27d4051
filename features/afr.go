package features

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"

	"gpuperf/internal/throw"
)

// ratio is the access-to-footprint ratio of a record: accesses of work-items, to each element of a vector, per distinct
// element.
type ratio struct{ accesses, elements *evaluator }

func (s *Statistics) afrCondition(m Mem, text string) condition {
	relation, number := cutRelation(text)
	bound, _ := parseNumber(number) // checked by ParseID
	return condition{
		text: fmt.Sprintf("accesses per element of %s %s %s", m.Variable, relation, number),
		test: func(sizes map[string]int64) (_ bool, err error) {
			defer throw.Catch(&err)
			r := s.ratio(m)
			order, ok := r.compare(bound, sizes)
			if !ok {
				v := r.at(sizes)
				order = v.Cmp(bound)
			}
			return holds(relation, order), nil
		},
	}
}

// AFR is the ratio of accesses, counted once per work-item, to distinct elements accessed, for a record of global or local
// memory (Stevens and Klöckner, section 6.1.1). Footprints are counted on first use. The ratio of no accesses is 0.
func (s *Statistics) AFR(m Mem, sizes map[string]int64) (_ *big.Rat, err error) {
	defer throw.Catch(&err)
	r := s.ratio(m)
	return r.at(sizes), nil
}

func (r *ratio) at(sizes map[string]int64) *big.Rat {
	accesses := r.accesses.rat(sizes)
	elements := r.elements.rat(sizes)
	if elements.Sign() == 0 {
		return new(big.Rat)
	}
	return accesses.Quo(accesses, elements)
}

// compare compares the ratio with a bound where 64 bits suffice.
func (r *ratio) compare(bound *big.Rat, sizes map[string]int64) (order int, ok bool) {
	accesses, ok1 := r.accesses.int64(sizes)
	elements, ok2 := r.elements.int64(sizes)
	if !ok1 || !ok2 || elements == 0 || bound.Sign() < 0 || !bound.Num().IsInt64() || !bound.Denom().IsInt64() {
		return 0, false
	}
	h1, l1 := bits.Mul64(uint64(accesses), bound.Denom().Uint64())
	h2, l2 := bits.Mul64(uint64(elements), bound.Num().Uint64())
	return cmp.Or(cmp.Compare(h1, h2), cmp.Compare(l1, l2)), true
}

// ratio makes the ratio of a record, once.
func (s *Statistics) ratio(m Mem) *ratio {
	r, err := throw.Value(func() *ratio { return remember(s, s.afrs, m, func() *ratio { return s.newRatio(m) }) })
	if err != nil {
		panic(throw.Errorf("access-to-footprint ratio of %s: %w", m.Variable, err))
	}
	return r
}

func (s *Statistics) newRatio(m Mem) *ratio {
	sites := s.sites[m]
	if len(sites) == 0 {
		panic(throw.Errorf("no such record: %s", m))
	}
	occurrences := map[where]int64{}
	for _, site := range sites {
		occurrences[s.c.where(site.at, WorkItem)] += s.c.k.Array(site.access.Array).Span(site.access)
	}
	return &ratio{newEvaluator(throw.Get(s.c.sum(occurrences))), newEvaluator(throw.Get(s.c.footprint(sites)))}
}
