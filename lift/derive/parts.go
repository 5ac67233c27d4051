package derive

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// part is a part of a program that is computed for itself: the value of a let, what is made of it, or a component of a result that is a tuple.
type part struct {
	path []int // from the body of the program
	name string
	*explorer
	list []*recipe
	one  bool // one way to compute it is enough
}

// parts are those of the fused body; none for a program that is one.
func (e *explorer) parts() (list []*part) {
	add := func(name string, body *lift.Term, inputs []lift.Param, path ...int) {
		sub := *e
		sub.fused, sub.inputs = body, inputs
		list = append(list, &part{path: path, name: name, explorer: &sub})
	}
	switch t := e.fused; t.Op {
	case lift.Let:
		value := lift.SubstSizes(t.Kids[1], e.sizes)
		add("first", t.Kids[1], e.inputs, 1)
		add("then", t.Fn().Body(), append(slices.Clip(e.inputs), lift.Param{Name: "let", Type: value.Type}), 0, 0)
	case lift.Put:
		if computes(t.Kids[0]) {
			add("base", t.Kids[0], e.inputs, 0)
			list[0].one = true // it fills an array
			add("elements", t.Kids[1], e.inputs, 1)
		}
	case lift.Tuple:
		for i, k := range t.Kids {
			add(fmt.Sprintf("component %d", i), k, e.inputs, i)
		}
	}
	return list
}

// recipesOfParts combine recipes of the parts of a program: as many as the part with most has, twice, each with others of the other parts. It is nil for
// a program that is one part.
func (e *explorer) recipesOfParts() (list []*recipe) {
	parts := e.parts()
	most := 0
	for _, p := range parts {
		p.list = p.working()
		if len(p.list) == 0 {
			return nil
		}
		most = max(most, len(p.list))
	}
	for i := range 2 * most {
		if len(parts) == 0 {
			break
		}
		var chosen []*recipe
		for k, p := range parts {
			// Another distance in every part, so that pairs differ.
			at := i
			if len(p.list) < most {
				at = i*(2*k+1) + i/len(p.list)
			} else if i >= most {
				at = i + k*most/2
			}
			chosen = append(chosen, p.list[at%len(p.list)])
		}
		list = append(list, together(parts, chosen))
	}
	return append(e.fusedParts(), list...)
}

// fusedParts are the recipes of a tuple of maps over arrays of one length as one map.
func (e *explorer) fusedParts() []*recipe {
	if e.fused.Op != lift.Tuple {
		return nil
	}
	one := e.beginning(rules.Use("tupleMaps"))
	if one == nil {
		return nil
	}
	list := slices.DeleteFunc(one.recipes(), func(r *recipe) bool { return r.from != nil })
	for _, r := range list {
		r.name, r.from = phrase("all components", r.name), one
	}
	return list
}

// working are the recipes of a part of which some points work, or else those that take the elements of a reduction in order.
func (p *part) working() []*recipe {
	works := func(r *recipe) bool {
		if r.refused != nil || r.from != nil {
			return false
		}
		s := newStream(r, 1)
		for range 4 {
			numbers, ok := s.next()
			if !ok {
				return false
			}
			if _, err := (&rules.Run{Options: p.rules}).Do(r.build(numbers), p.fused); err == nil {
				return true
			}
		}
		return false
	}
	list := slices.DeleteFunc(p.recipes(), func(r *recipe) bool { return !works(r) })
	if p.one && len(list) > 0 {
		list = list[:1]
	}
	if len(list) == 0 {
		list = p.inOrder()
	}
	return list
}

// together is a recipe for all parts. Numbers get the number of the part.
func together(parts []*part, chosen []*recipe) *recipe {
	r := &recipe{}
	var words []string
	for k, c := range chosen {
		words = append(words, parts[k].name+" "+c.name)
		for _, n := range c.numbers {
			r.numbers = append(r.numbers, number{numbered(n.name, k), n.values})
		}
	}
	r.name = strings.Join(words, "; ")
	own := func(all point, k int) point {
		p := point{}
		for _, n := range chosen[k].numbers {
			p[n.name] = all[numbered(n.name, k)]
		}
		return p
	}
	r.admits = func(all point) bool {
		for k, c := range chosen {
			if c.admits != nil && !c.admits(own(all, k)) {
				return false
			}
		}
		return true
	}
	r.build = func(all point) rules.Strategy {
		s := rules.Strategy(rules.ID)
		for k, c := range chosen {
			s = rules.Seq(s, rules.At(parts[k].path, c.build(own(all, k))))
		}
		return s
	}
	return r
}

func numbered(name string, part int) string { return fmt.Sprintf("%s%d", name, part) }
