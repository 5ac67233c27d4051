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
	// moved is how many elements are copied, where that may be less than all: what the region reaches of an array of an open extent.
	moved string
}

// elements is the number of elements of an array.
func (b *buffer) elements() string {
	if len(b.of.Shape) == 0 {
		return "1"
	}
	return strings.Join(b.extents(), "*")
}

// flat is how many elements of an array with flat subscripts the region reaches, at most.
func (p *part) flat(b *buffer, a *scop.Array) (string, error) {
	var some []string
	last := ""
	for d := range a.Shape {
		end, err := p.reach(a, d, []string{"element"})
		if err != nil {
			return "", err
		}
		some = append(some, end+" > 0")
		if last += fmt.Sprintf(" + (%s - 1)", end); d < len(a.Shape)-1 {
			last += "*" + strings.Join(b.extents()[d+1:], "*")
		}
	}
	return fmt.Sprintf("(%s ? 1%s : 0)", strings.Join(some, " && "), last), nil
}

// reach is one more than the largest subscript of an array in the region, as there may be no memory beyond: of the last of the dimensions, from the given one on, that have names, where
// those before have these values.
func (p *part) reach(a *scop.Array, first int, names []string) (string, error) {
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
			m, err := polycount.NewMap(where.Named(""), names, x.Index[first:first+len(names)])
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
	where, err := set.ProjectOut(dim)
	if err != nil {
		return "", err
	}
	var conditions []string
	for _, c := range cexpr.Predicates(where) {
		conditions = append(conditions, inC(c))
	}
	if len(conditions) == 0 {
		return text, nil
	}
	return fmt.Sprintf("(%s ? %s : 0)", strings.Join(conditions, " && "), text), nil
}
