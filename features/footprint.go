package features

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount"
)

// countFootprints counts the distinct elements of each array that the kernel reads and that it writes. Those with an
// index that is not affine are left out, each with an error.
func (c *counter) countFootprints() (records []Record, failed []failure) {
	sites := map[Footprint][]site{}
	var keys []Footprint
	add := func(s site, direction Direction) {
		if len(s.access.Index) == 0 {
			return // scalars
		}
		key := Footprint{s.access.Array, direction}
		if sites[key] == nil {
			keys = append(keys, key)
		}
		sites[key] = append(sites[key], s)
	}
	for _, s := range c.k.Statements {
		loads, store := c.accesses(s)
		for _, load := range loads {
			add(load, Read)
		}
		if store != nil {
			add(*store, Write)
		}
	}
	for _, key := range keys {
		n, err := c.limited(func() (*polycount.Poly, error) { return c.footprint(sites[key]) })
		switch {
		case err != nil:
			failed = append(failed, failure{key, uncounted(fmt.Sprintf("footprint of %s (%s)", key.Variable, key.Direction), err)})
		case !n.IsZero():
			records = append(records, Record{Key: key, Count: n})
		}
	}
	return records, failed
}

// footprint counts the elements that accesses to one array touch, each once: the union of the images of the statements'
// domains under the accesses' index maps (Stevens and Klöckner, Algorithm 2).
func (c *counter) footprint(sites []site) (_ *polycount.Poly, err error) {
	defer throw.Catch(&err)
	var all *polycount.Set
	seen := map[string]bool{}
	for _, s := range sites {
		text := fmt.Sprint(s.at, s.access.Index, s.access.Lanes, s.access.As)
		if seen[text] {
			continue
		}
		seen[text] = true
		image := c.image(s)
		if all == nil {
			all = image
		} else {
			all = throw.Get(all.Union(image))
		}
	}
	n := throw.Get(all.Count())
	return c.gist(n), nil
}

// image is the set of indices that an access touches.
func (c *counter) image(s site) *polycount.Set {
	domain := c.pointsOf(s.at)
	throw.If(c.dependsOnData(domain))
	var axes []string
	var index []polycount.Affine
	for axis, e := range s.access.Index {
		a, err := c.k.AffineOf(e)
		if err != nil {
			panic(throw.Errorf("%s: %w", s.access, err))
		}
		axes = append(axes, fmt.Sprintf("_axis%d", axis))
		index = append(index, a)
	}
	if lanes := c.k.Array(s.access.Array).Span(s.access); lanes > 1 {
		lane := polycount.Name("_lane")
		domain = throw.Get(domain.AddDims("_lane").Constrain(polycount.GE(lane, polycount.Int(0)), polycount.GE(polycount.Int(lanes-1), lane)))
		index[len(index)-1] = index[len(index)-1].Add(lane)
	}
	m, err := polycount.NewMap(domain, axes, index)
	if err != nil {
		panic(throw.Errorf("%s: %w", s.access, err))
	}
	return throw.Get(m.Range())
}

// footprints is the number of distinct elements that the selected accesses touch.
func (s *Statistics) footprints(c *class, id ID, at point) (_ float64, err error) {
	defer throw.Catch(&err)
	var records []int
	s.selected(c, id, at.sizes, func(record int) error {
		records = append(records, record)
		return nil
	})
	return s.distinct(records, at.sizes), nil
}

// distinct is the number of distinct elements that records of accesses, by their numbers in s.Records, touch.
func (s *Statistics) distinct(records []int, sizes map[string]int64) float64 {
	var sum total
	for _, e := range remember(s, s.prints, fmt.Sprint(records), func() []*evaluator { return s.newFootprints(records) }) {
		var buffer [8]int64
		sum.add(e.poly, throw.Get(bind(buffer[:0], e.params, sizes)))
	}
	return sum.float()
}

// Footprint is the number of distinct elements of an array that records of accesses touch.
func (s *Statistics) Footprint(records []Record, sizes map[string]int64) (_ float64, err error) {
	defer throw.Catch(&err)
	var at []int
	for i, r := range s.Records {
		if slices.ContainsFunc(records, func(o Record) bool { return o.Key == r.Key }) {
			at = append(at, i)
		}
	}
	return s.distinct(at, sizes), nil
}

// newFootprints counts the distinct elements that the accesses of records touch, by variable.
func (s *Statistics) newFootprints(records []int) (list []*evaluator) {
	byVariable := map[string][]site{}
	for _, i := range records {
		m := s.Records[i].Key.(Mem)
		byVariable[m.Variable] = append(byVariable[m.Variable], s.sites[m]...)
	}
	for _, variable := range slices.Sorted(maps.Keys(byVariable)) {
		n, err := s.c.footprint(byVariable[variable])
		if err != nil {
			panic(throw.Errorf("footprint of %s: %w", variable, err))
		}
		list = append(list, newEvaluator(n))
	}
	return list
}
