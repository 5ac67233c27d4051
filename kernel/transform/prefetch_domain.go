package transform

import (
	"fmt"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/polycount"
)

// fetchDomain appends the domain of the fetch's inames: what is needed, or the box around it.
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
		} else if err := p.fillsBox(); err != nil {
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
			inside = append(inside, polycount.GE(polycount.Name(x.dim), polycount.Int(0)), polycount.GE(polycount.Int(x.extent-1), polycount.Name(x.dim)))
		}
	}
	return polycount.NewSet(nil, p.dims, inside...)
}

// footprint is the set of fetch inames (beside the outer ones) that one access needs.
func (p *prefetch) footprint(s *site) (*polycount.Set, error) {
	d, err := p.RawDomainOf(nameset.Sorted(slices.Concat(s.used, p.outer)))
	if err != nil {
		return nil, err
	}
	return p.elements(s, d, slices.Concat(p.outer, p.dims))
}

// elements extends the set d of points at which an access is made by the tile elements that it reads there, and projects
// the result on the given names.
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

// maxTile bounds the tiles whose elements fillsBox enumerates.
const maxTile = 1 << 16

// fillsBox reports, for accesses that need different parts of the tile, whether the parts together are the box.
func (p *prefetch) fillsBox() error {
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
		if d, err = p.elements(s, d.ToDims(d.Params()...), p.dims); err != nil { // wherever the tile lies
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
		return fmt.Errorf("the accesses together need no box: elements %s of the tile would be fetched for nothing; ask for it by fetch_bounding_box=True", all)
	}
	return nil
}
