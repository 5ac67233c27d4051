package models

import (
	"slices"

	"gpuperf/internal/lists"
)

// Linear reports whether the model is linear in its parameters: then a fit has one minimum and needs no starting point.
func (m *Model) Linear() bool {
	e := m.Expr()
	linear := true
	e.walk(func(n *Expr) { linear = linear && !(n.isCondition() && len(n.names(Param)) > 0) })
	for _, p := range e.names(Param) {
		linear = linear && len(e.Derivative(p).names(Param)) == 0
	}
	return linear
}

// ShapeParameters lists the parameters that shape a curve and carry no unit of the output: those of the steepness or exponent of
// step, overlap and pnorm, in exponents, in conditions, and inside exp, log, tanh, sin, cos and atan. The others are costs, whose size follows
// from the sizes of the output and of the features that they multiply.
func (m *Model) ShapeParameters() []string {
	type place struct {
		e     *Expr
		shape bool
	}
	seen := make(map[place]bool)
	shape := make(map[string]bool)
	e := m.Expr()
	var walk func(place)
	walk = func(at place) {
		if seen[at] {
			return
		}
		seen[at] = true
		if at.e.Op == Param && at.shape {
			shape[at.e.Name] = true
		}
		for i, a := range at.e.Args {
			walk(place{a, at.shape || shapes(at.e.Op, i)})
		}
	}
	walk(place{e, false})
	return lists.Where(e.names(Param), func(p string) bool { return shape[p] })
}

// shapes reports whether the i-th argument of an operation shapes its curve.
func shapes(op Op, i int) bool {
	switch op {
	case Exp, Log, Tanh, Sin, Cos, Atan, Less, AtMost, Equals, Differs:
		return true
	case Pow, Step, PowLog:
		return i == 1
	case Overlap, PNorm, Share:
		return i == 2
	}
	return false
}

// LinearParameters lists parameters in which the model is linear, all together, for any values of the others: as many as are found one
// after the other.
func (m *Model) LinearParameters() (list []string) {
	e := m.Expr()
	inCondition := make(map[string]bool)
	e.walk(func(n *Expr) {
		if n.isCondition() {
			for _, p := range n.names(Param) {
				inCondition[p] = true
			}
		}
	})
	for _, p := range e.names(Param) {
		if inCondition[p] {
			continue
		}
		slope := e.Derivative(p).names(Param)
		if !slices.ContainsFunc(append(list, p), func(other string) bool { return slices.Contains(slope, other) }) {
			list = append(list, p)
		}
	}
	return list
}
