package compile

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
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
}

// elements is the number of elements of an array.
func (b *buffer) elements() string {
	var factors []string
	for i, e := range b.of.Shape {
		text := inC(e)
		if i == 0 && b.outer != "" {
			text, e = b.outer, nil
		}
		if _, isOp := e.(*expr.Op); isOp && len(b.of.Shape) > 1 {
			text = "(" + text + ")"
		}
		factors = append(factors, text)
	}
	if len(factors) == 0 {
		return "1"
	}
	return strings.Join(factors, "*")
}

// reach is one more than the largest first subscript of an array in the region, as there may be no memory beyond.
func (p *part) reach(a *scop.Array) (string, error) {
	const element = "element"
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
			m, err := polycount.NewMap(where.Named(""), []string{element}, x.Index[:1])
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
