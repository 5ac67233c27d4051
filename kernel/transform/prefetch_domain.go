package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// fetchDomain appends the domain of the fetch's inames: the needed elements, or the box around them.
func (p *prefetch) fetchDomain() error {
	if len(p.dims) == 0 {
		return nil
	}
	var needed *polycount.Set
	for _, s := range p.sites {
		f, err := p.footprint(s)
		if err != nil {
			return err
		}
		if needed == nil {
			needed = f
			continue
		}
		if same, err := needed.IsSubset(f); err != nil {
			return err
		} else if !same {
			if needed, err = needed.Union(f); err != nil {
				return err
			}
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
	var err error
	if len(p.outer) > 0 {
		around, err := p.RawDomainOf(p.outer)
		if err != nil {
			return err
		}
		ctx := around.ToParams(p.outer...)
		if domain, err = domain.Gist(ctx); err != nil {
			return err
		}
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
func (p *prefetch) footprint(s *site) (*polycount.Set, error) {
	d, err := p.RawDomainOf(nameset.Sorted(slices.Concat(s.used, p.outer)))
	if err != nil {
		return nil, err
	}
	return p.elements(s, d, slices.Concat(p.outer, p.dims))
}

// elements adds to d, the points at which an access runs, the elements of the tile that it reads there, and projects the
// result on the given names.
func (p *prefetch) elements(s *site, d *polycount.Set, names []string) (*polycount.Set, error) {
	d = d.AddDims(p.dims...)
	for i, x := range p.axes {
		if x.dim == "" {
			continue
		}
		var err error
		if d, err = d.Constrain(polycount.EQ(x.at(), s.index[i])); err != nil {
			return nil, err
		}
	}
	return d.Project(names...)
}

// maxTile bounds the tiles whose elements checkFillsBox enumerates.
const maxTile = 1 << 16

// checkFillsBox returns an error unless the parts of the tile that different accesses need fill the box.
func (p *prefetch) checkFillsBox() error {
	size := int64(1)
	for _, x := range p.axes {
		if size *= x.extent; size > maxTile {
			return fmt.Errorf("the accesses need different parts of a large tile; fetch their bounding box (fetch_bounding_box=True)")
		}
	}
	all := p.box()
	for _, s := range p.sites {
		d, err := p.RawDomainOf(s.used)
		if err != nil {
			return err
		}
		if d, err = p.elements(s, d.ToDims(d.Params()...), p.dims); err != nil { // for any position of the tile
			return err
		}
		if all, err = all.Subtract(d); err != nil {
			return err
		}
	}
	left, err := all.IsEmpty()
	if err != nil {
		return err
	}
	if !left {
		return fmt.Errorf("the elements that the accesses need are not a box: elements %s of the tile would be fetched for nothing; fetch them anyway with fetch_bounding_box=True", all)
	}
	return nil
}
