package features

import (
	"fmt"
	"maps"
	"slices"

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
func (c *counter) footprint(sites []site) (*polycount.Poly, error) {
	var all *polycount.Set
	seen := map[string]bool{}
	for _, s := range sites {
		text := fmt.Sprint(s.at, s.access.Index, s.access.Lanes, s.access.As)
		if seen[text] {
			continue
		}
		seen[text] = true
		image, err := c.image(s)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = image
		} else if all, err = all.Union(image); err != nil {
			return nil, err
		}
	}
	n, err := all.Count()
	if err != nil {
		return nil, err
	}
	return c.gist(n)
}

// image is the set of indices that an access touches.
func (c *counter) image(s site) (*polycount.Set, error) {
	domain, err := c.pointsOf(s.at)
	if err != nil {
		return nil, err
	}
	if err := c.dependsOnData(domain); err != nil {
		return nil, err
	}
	var axes []string
	var index []polycount.Affine
	for axis, e := range s.access.Index {
		a, err := c.k.AffineOf(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.access, err)
		}
		axes = append(axes, fmt.Sprintf("_axis%d", axis))
		index = append(index, a)
	}
	if lanes := c.k.Array(s.access.Array).Span(s.access); lanes > 1 {
		lane := polycount.Name("_lane")
		domain, err = domain.AddDims("_lane").Constrain(polycount.GE(lane, polycount.Int(0)), polycount.GE(polycount.Int(lanes-1), lane))
		if err != nil {
			return nil, err
		}
		index[len(index)-1] = index[len(index)-1].Add(lane)
	}
	m, err := polycount.NewMap(domain, axes, index)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.access, err)
	}
	return m.Range()
}

// footprints is the number of distinct elements that the selected accesses touch.
func (s *Statistics) footprints(c *class, id ID, at point) (float64, error) {
	var records []int
	err := s.selected(c, id, at.sizes, func(record int) error {
		records = append(records, record)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return s.distinct(records, at.sizes)
}

// distinct is the number of distinct elements that records of accesses, by their numbers in s.Records, touch.
func (s *Statistics) distinct(records []int, sizes map[string]int64) (float64, error) {
	list, err := remember(s, s.prints, fmt.Sprint(records), func() ([]*evaluator, error) { return s.newFootprints(records) })
	var sum total
	for _, e := range list {
		var buffer [8]int64
		values, err := bind(buffer[:0], e.params, sizes)
		if err != nil {
			return 0, err
		}
		sum.add(e.poly, values)
	}
	return sum.float(), err
}

// Footprint is the number of distinct elements of an array that records of accesses touch.
func (s *Statistics) Footprint(records []Record, sizes map[string]int64) (float64, error) {
	var at []int
	for i, r := range s.Records {
		if slices.ContainsFunc(records, func(o Record) bool { return o.Key == r.Key }) {
			at = append(at, i)
		}
	}
	return s.distinct(at, sizes)
}

// newFootprints counts the distinct elements that the accesses of records touch, by variable.
func (s *Statistics) newFootprints(records []int) (list []*evaluator, err error) {
	byVariable := map[string][]site{}
	for _, i := range records {
		m := s.Records[i].Key.(Mem)
		byVariable[m.Variable] = append(byVariable[m.Variable], s.sites[m]...)
	}
	for _, variable := range slices.Sorted(maps.Keys(byVariable)) {
		n, err := s.c.footprint(byVariable[variable])
		if err != nil {
			return nil, fmt.Errorf("footprint of %s: %w", variable, err)
		}
		list = append(list, newEvaluator(n))
	}
	return list, nil
}
