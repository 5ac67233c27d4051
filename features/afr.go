package features

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
)

// ratio is the access-to-footprint ratio of a record: accesses of work-items, to each element of a vector, per distinct
// element.
type ratio struct{ accesses, elements *evaluator }

func (s *Statistics) afrCondition(m Mem, text string) condition {
	relation, number := cutRelation(text)
	bound, _ := parseNumber(number) // checked by ParseID
	return condition{
		text: fmt.Sprintf("accesses per element of %s %s %s", m.Variable, relation, number),
		test: func(sizes map[string]int64) (bool, error) {
			r, err := s.ratio(m)
			if err != nil {
				return false, err
			}
			order, ok := r.compare(bound, sizes)
			if !ok {
				v, err := r.at(sizes)
				if err != nil {
					return false, err
				}
				order = v.Cmp(bound)
			}
			return holds(relation, order), nil
		},
	}
}

// AFR is the ratio of accesses, counted once per work-item, to distinct elements accessed, for a record of global or local
// memory (Stevens and Klöckner, section 6.1.1). Footprints are counted on first use. The ratio of no accesses is 0.
func (s *Statistics) AFR(m Mem, sizes map[string]int64) (*big.Rat, error) {
	r, err := s.ratio(m)
	if err != nil {
		return nil, err
	}
	return r.at(sizes)
}

func (r *ratio) at(sizes map[string]int64) (*big.Rat, error) {
	accesses, err := r.accesses.rat(sizes)
	if err != nil {
		return nil, err
	}
	elements, err := r.elements.rat(sizes)
	if err != nil || elements.Sign() == 0 {
		return new(big.Rat), err
	}
	return accesses.Quo(accesses, elements), nil
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
func (s *Statistics) ratio(m Mem) (*ratio, error) {
	r, err := remember(s, s.afrs, m, func() (*ratio, error) { return s.newRatio(m) })
	if err != nil {
		return nil, fmt.Errorf("access-to-footprint ratio of %s: %w", m.Variable, err)
	}
	return r, nil
}

func (s *Statistics) newRatio(m Mem) (*ratio, error) {
	sites := s.sites[m]
	if len(sites) == 0 {
		return nil, fmt.Errorf("no such record: %s", m)
	}
	occurrences := map[where]int64{}
	for _, site := range sites {
		occurrences[s.c.where(site.at, WorkItem)] += s.c.k.Array(site.access.Array).Span(site.access)
	}
	accesses, err := s.c.sum(occurrences)
	if err != nil {
		return nil, err
	}
	elements, err := s.c.footprint(sites)
	if err != nil {
		return nil, err
	}
	return &ratio{newEvaluator(accesses), newEvaluator(elements)}, nil
}
