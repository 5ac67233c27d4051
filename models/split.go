package models

import (
	"slices"

	"gpuperf/internal/lists"
)

// Part is what a cost contributes to the value of a model for a kernel.
type Part struct {
	Cost
	Count  float64 // of the work; 0 for a Cost without parameter
	Alone  float64 // the value of the cost by itself
	Within float64 // its part of the model's value: less than Alone where it overlaps with others, 0 where it is hidden
}

// Split divides the value of the model among its costs by Euler's theorem: the forms that join costs are homogeneous of degree one, so that each
// cost times the derivative of the value by it adds up to the value. Where the edge of overlap makes the smaller cost's part
// negative, it is hidden, and the larger takes all. Within has the sums by terms, those that join others too.
func (m *Model) Split(features, params map[string]float64) (parts []Part, within map[string]float64) {
	s := splitter{Model: m, features: features, params: params, within: map[string]float64{}, at: map[[3]string]int{}}
	s.split(WholeTerm, m.expression, 1, 1)
	return s.parts, s.within
}

type splitter struct {
	*Model
	features, params map[string]float64
	parts            []Part
	within           map[string]float64
	at               map[[3]string]int // index of a part by term, parameter and work
}

// split divides an expression of a term. Its value counts scale times before costs join, and slope times in the model's value.
func (s *splitter) split(term string, e *Expr, scale, slope float64) {
	switch {
	case e.Op == TermRef:
		s.within[e.Name] += slope * s.value(e)
		s.split(e.Name, s.definition(e), scale, slope)
	case e.Op == Choose:
		side := e.Args[2]
		if s.value(e.Args[0]) != 0 {
			side = e.Args[1]
		}
		s.split(term, side, scale, slope)
	case e.joins():
		for i, d := range s.slopes(e) {
			s.split(term, e.Args[i], scale, slope*d)
		}
	case s.carrier(e) >= 0:
		i := s.carrier(e)
		by := s.value(e.Args[1-i])
		if e.Op == Div {
			by = 1 / by
		}
		s.split(term, e.Args[i], scale*by, slope*by)
	default:
		for _, c := range s.costsOf(term, e) {
			s.add(c, scale, slope)
		}
	}
}

// joins reports that the node joins costs by a function that is homogeneous of degree one. A bound by a constant joins nothing.
func (e *Expr) joins() bool {
	switch e.Op {
	case Add, Sub, Neg, Overlap, PNorm:
		return true
	case Max, Min:
		return !slices.ContainsFunc(e.Args, func(a *Expr) bool { return len(a.names(Param))+len(a.names(TermRef)) == 0 })
	}
	return false
}

// carrier is the index of the factor of a product, or of the dividend, whose costs the other one scales; -1 where there is nothing to split.
func (m *Model) carrier(e *Expr) int {
	switch {
	case (e.Op == Mul || e.Op == Div && len(e.Args[1].names(Param)) == 0) && m.joined(e.Args[0]):
		return 0
	case e.Op == Mul && m.joined(e.Args[1]):
		return 1
	}
	return -1
}

// joined reports that there is something to split in the expression: a term that has costs, or costs that do not just add up.
func (m *Model) joined(e *Expr) bool {
	found := false
	e.walk(func(n *Expr) {
		found = found || n.Op == TermRef && m.costs(n.Name) || n.Op == Choose && len(n.names(Param)) > 0 || n.Op != Add && n.Op != Sub && n.Op != Neg && n.joins()
	})
	return found
}

// costs reports that a term has parameters that are costs. Others are numbers by which costs are multiplied, as a step from 0 to 1 is.
func (m *Model) costs(term string) bool {
	e := m.Terms[m.term(term)].expr
	return m.joined(e) || slices.ContainsFunc(e.names(Param), func(p string) bool { return !slices.Contains(e.Derivative(p).names(Param), p) })
}

// slopes are the derivatives of a node by the costs that it joins.
func (s *splitter) slopes(e *Expr) []float64 {
	out := make([]float64, min(len(e.Args), 2)) // the third is a shape
	for i := range out {
		out[i] = s.value(ops[e.Op].partial(e, i))
	}
	if e.Op == Overlap {
		for i := range out {
			if other := s.value(e.Args[1-i]); out[i] < 0 && other > 0 {
				out[i], out[1-i] = 0, s.value(e)/other
			}
		}
	}
	return out
}

// value is the value of a part of the model's expressions.
func (s *splitter) value(e *Expr) float64 {
	e = s.expand(e)
	names, params := e.names(Feature), e.names(Param)
	t := assemble(names, params, []*Expr{e})
	t.run(pick(s.features, names), pick(s.params, params))
	return t.regs[t.out[0]]
}

func pick(values map[string]float64, names []string) []float64 {
	return lists.Map(names, func(name string) float64 { return values[name] })
}

// costsOf lists the costs of an expression that joins nothing: its parameters in which it is linear, with what they multiply. Others, such as
// the capacity of a cache that a footprint is compared with, count as constants.
func (s *splitter) costsOf(term string, e *Expr) []Cost {
	var out []Cost
	var linear []string
	for _, p := range e.names(Param) {
		work := e.Derivative(p)
		if !slices.ContainsFunc(work.names(Param), func(o string) bool { return o == p || slices.Contains(linear, o) }) {
			linear = append(linear, p)
			for _, part := range work.products() {
				out = append(out, Cost{term, p, part.String(), s.expand(part)})
			}
		}
	}
	rest := e.substitute(func(leaf *Expr) *Expr {
		if leaf.Op == Param && slices.Contains(linear, leaf.Name) {
			return num(0)
		}
		return nil
	})
	if len(out) == 0 || s.value(rest) != 0 {
		return []Cost{{term, "", e.String(), s.expand(e)}}
	}
	return out
}

func (s *splitter) add(c Cost, scale, slope float64) {
	value, count := s.value(c.work), 0.0
	if c.Parameter != "" {
		count = value
		value *= s.params[c.Parameter]
	}
	key := [3]string{c.Term, c.Parameter, c.Work}
	i, ok := s.at[key]
	if !ok {
		i = len(s.parts)
		s.at[key] = i
		s.parts = append(s.parts, Part{Cost: c, Count: count})
	}
	s.parts[i].Alone += scale * value
	s.parts[i].Within += slope * value
}

// products lists the addends of an expression with its products multiplied out.
func (e *Expr) products() (out []*Expr) {
	switch e.Op {
	case Add:
		return append(e.Args[0].products(), e.Args[1].products()...)
	case Mul:
		for _, a := range e.Args[0].products() {
			for _, b := range e.Args[1].products() {
				out = append(out, mul(a, b))
			}
		}
		return out
	}
	return []*Expr{e}
}
