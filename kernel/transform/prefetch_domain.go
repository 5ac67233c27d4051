package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// fetchDomain appends the domain of the fetch's inames: the needed elements, or the box around them.
func (p *prefetch) fetchDomain() (err error) {
	defer throw.Catch(&err)
	if len(p.dims) == 0 {
		return nil
	}
	var needed *polycount.Set
	for _, s := range p.sites {
		f := p.footprint(s)
		if needed == nil {
			needed = f
			continue
		}
		if same, err := needed.IsSubset(f); err != nil {
			return err
		} else if !same {
			needed = throw.Get(needed.Union(f))
		}
	}
	domain := p.box()
	if !p.opt.BoundingBox {
		if len(needed.Disjuncts()) == 1 {
			domain = needed.ToParams(p.outer...)
		} else if err := p.checkFillsBox(); err != nil {
			return err
		}
	}
	if len(p.outer) > 0 {
		around := throw.Get(p.RawDomainOf(p.outer))
		ctx := around.ToParams(p.outer...)
		domain = throw.Get(domain.Gist(ctx))
	}
	p.Domains = append(p.Domains, domain)
	return err
}

// box is the whole tile, as a set over the inames of the fetch.
func (p *prefetch) box() *polycount.Set {
	var inside []polycount.Constraint
	for _, x := range p.axes {
		if x.dim != "" {
			inside = append(inside, kernel.Within(x.dim, 0, x.extent-1)...)
		}
	}
	return polycount.NewSet(nil, p.dims, inside...)
}

// footprint is the set of the tile's elements that one access needs, for each value of the outer inames.
func (p *prefetch) footprint(s *site) *polycount.Set {
	d := throw.Get(p.RawDomainOf(nameset.Sorted(slices.Concat(s.used, p.outer))))
	return p.elements(s, d, slices.Concat(p.outer, p.dims))
}

// elements adds to d, the points at which an access runs, the elements of the tile that it reads there, and projects the
// result on the given names.
func (p *prefetch) elements(s *site, d *polycount.Set, names []string) *polycount.Set {
	d = d.AddDims(p.dims...)
	for i, x := range p.axes {
		if x.dim == "" {
			continue
		}
		d = throw.Get(d.Constrain(polycount.EQ(x.at(), s.index[i])))
	}
	return throw.Get(d.Project(names...))
}

// maxTile bounds the tiles whose elements checkFillsBox enumerates.
const maxTile = 1 << 16

// checkFillsBox returns an error unless the parts of the tile that different accesses need fill the box.
func (p *prefetch) checkFillsBox() (err error) {
	defer throw.Catch(&err)
	size := int64(1)
	for _, x := range p.axes {
		if size *= x.extent; size > maxTile {
			return fmt.Errorf("the accesses need different parts of a large tile; fetch their bounding box (fetch_bounding_box=True)")
		}
	}
	all := p.box()
	for _, s := range p.sites {
		d := throw.Get(p.RawDomainOf(s.used))
		d = p.elements(s, d.ToDims(d.Params()...), p.dims) // for any position of the tile
		all = throw.Get(all.Subtract(d))
	}
	left := throw.Get(all.IsEmpty())
	if !left {
		return fmt.Errorf("the elements that the accesses need are not a box: elements %s of the tile would be fetched for nothing; fetch them anyway with fetch_bounding_box=True", all)
	}
	return nil
}
