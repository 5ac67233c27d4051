package features

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"gpuperf/launch"
	"gpuperf/polycount"
)

// unit is a size in which global memory is cached or transferred.
type unit struct {
	name string
	of   func(launch.Units) int64
}

var (
	cacheLines = unit{"lines", func(u launch.Units) int64 { return u.Lines }}
	sectors    = unit{"sectors", func(u launch.Units) int64 { return u.Sectors }}
)

// unitsOf counts the units of a size that the accesses of a record touch.
func unitsOf(u unit) func(*Statistics, Mem, map[string]int64) (*big.Rat, error) {
	return func(s *Statistics, m Mem, sizes map[string]int64) (*big.Rat, error) { return s.units(u, m, sizes) }
}

// Sectors is the number of 32-byte sectors that the sub-groups touch in the accesses of a record of global memory, as f_mem_sectors
// counts them.
func (s *Statistics) Sectors(m Mem, sizes map[string]int64) (float64, error) {
	n, err := s.units(sectors, m, sizes)
	if err != nil {
		return 0, err
	}
	v, _ := n.Float64()
	return v, nil
}

// units counts the units that the work-items of a sub-group touch in one execution of an access, each once, summed over all executions. Addresses are absolute, with
// arrays at multiples of the unit; work-items are numbered through the group with axis 0 running fastest, as hardware does, so that a sub-group may be a 16x2 piece of a
// 16x16 group; those that the domain leaves out touch nothing.
func (s *Statistics) units(u unit, m Mem, sizes map[string]int64) (*big.Rat, error) {
	sum, err := s.touched(u, m, sizes)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", u.name, m.Variable, err)
	}
	return new(big.Rat).SetInt64(sum), nil
}

func (s *Statistics) touched(u unit, m Mem, sizes map[string]int64) (sum int64, err error) {
	var places []launch.Occurrence
	for _, site := range s.sites[m] {
		if _, err := s.c.flatIndex(site); err != nil {
			return 0, err
		}
		domain, err := s.c.pointsOf(site.at)
		if err == nil {
			err = s.c.dependsOnData(domain)
		}
		if err != nil {
			return 0, err
		}
		if place := site.place(m.Direction); !slices.Contains(places, place) { // it has those of all accesses that are the same
			places = append(places, place)
		}
	}
	all, err := s.walked(sizes)
	if err != nil {
		return 0, err
	}
	for _, place := range places {
		units, there := all[place]
		if !there {
			return 0, fmt.Errorf("the launch has no access %s", place.Access)
		}
		sum += u.of(units)
	}
	return sum, nil
}

// place is where the launch has an access. An atomic update of global memory is one there, that of the store.
func (s site) place(direction Direction) launch.Occurrence {
	place := launch.Occurrence{Statement: s.at.stmt.ID, Access: s.access.String(), Store: direction == Store}
	if s.guard {
		place.Statement = ""
	}
	if s.at.stmt.Update() != nil && place.Access == s.at.stmt.LHS.String() {
		place.Store = true
	}
	return place
}

// exactBoxes is into how many parts a launch is divided until its units are exact: minutes of a walk.
const exactBoxes = 1 << 20

// walked are the units of the launch at sizes. Those of the last sizes are kept, as features of a kernel are asked for together.
func (s *Statistics) walked(sizes map[string]int64) (map[launch.Occurrence]launch.Units, error) {
	program, err := s.c.program()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(sizes)
	if s.moved.at == key {
		return s.moved.units, nil
	}
	p, err := launch.New(program.nest, launch.Options{SubgroupSize: s.SubgroupSize, Borders: true, Boxes: exactBoxes})
	if err != nil {
		return nil, err
	}
	units, err := p.Units(sizes)
	if err == nil {
		s.moved.at, s.moved.units = key, units
	}
	return units, err
}

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
