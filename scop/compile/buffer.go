package compile

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// buffer is an array on the device.
type buffer struct {
	of      *kernel.Array
	name    string // of the buffer
	in, out bool
	scratch bool   // it exists on the device only
	outer   string // the outermost extent, of an array whose declaration leaves it open
	packing *packing
}

// elements is the number of elements of an array.
func (b *buffer) elements() string {
	if len(b.of.Shape) == 0 {
		return "1"
	}
	return strings.Join(b.extents(), "*")
}

// reach is one more than the largest subscript of an array in the region, as there may be no memory beyond: of the last of the dimensions that have names, where those before have these values.
func (p *part) reach(a *scop.Array, names []string) (string, error) {
	element := names[len(names)-1]
	var all []string
	for _, s := range p.nest.Statements {
		for _, x := range s.Accesses {
			if x.Array != a {
				continue
			}
			where := s.Domain
			if x.Where != nil {
				where = x.Where
			}
			m, err := polycount.NewMap(where.Named(""), names, x.Index[:len(names)])
			if err != nil {
				return "", err
			}
			indices, err := m.Range()
			if err != nil {
				return "", err
			}
			parts, err := kernel.Inhabited(indices)
			if err != nil {
				return "", err
			}
			for _, part := range parts {
				text, err := end(part, element)
				if err != nil {
					return "", err
				}
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	if len(all) == 0 {
		return "0", nil
	}
	return nested("scop_max", all), nil
}

// end is one more than the largest value of a dimension, and 0 where the sizes leave it none.
func end(set *polycount.Set, dim string) (string, error) {
	_, high, err := set.Bounds(dim)
	if err != nil {
		return "", err
	}
	for i := range high {
		high[i].Num = high[i].Num.AddInt(high[i].Den)
	}
	text := folded("scop_min", high, floor)
	if len(high) == 1 && high[0].Den == 1 && !high[0].Num.IsName() {
		text = "(" + text + ")"
	}
	list, _ := set.Constraints()
	list = slices.DeleteFunc(list, func(c polycount.Constraint) bool { return c.Affine.Has(dim) })
	if len(list) == 0 {
		return text, nil
	}
	var conditions []string
	for _, c := range cexpr.Predicates(polycount.NewSet(nil, nil, list...)) {
		conditions = append(conditions, inC(c))
	}
	return fmt.Sprintf("(%s ? %s : 0)", strings.Join(conditions, " && "), text), nil
}
