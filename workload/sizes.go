package workload

import (
	"slices"
	"strings"
	"unicode"

	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// bounds reports whether an iname is compared with a parameter alone.
func (c *Case) bounds(param, iname string) bool {
	for _, d := range c.IR.Domains {
		for _, part := range d.Disjuncts() {
			list, _ := part.Constraints()
			if slices.ContainsFunc(list, func(x polycount.Constraint) bool {
				return len(x.Affine.Names()) == 2 && !x.Affine.HasFloor() && x.Affine.Coeff(param) == 1 && x.Affine.Coeff(iname) == -1
			}) {
				return true
			}
		}
	}
	return false
}

// empties reports whether the value of a parameter leaves an array or the launch without elements.
func (c *Case) empties(name string) bool {
	without := func(e expr.Expr) bool {
		n, known := expr.EvalInt64(e, c.Sizes)
		return expr.Mentions(e, name) && (!known || n < 1)
	}
	for _, a := range c.IR.Arrays() {
		if slices.ContainsFunc(a.Shape, func(e expr.Expr) bool { return e != nil && without(e) }) {
			return true
		}
	}
	for _, text := range c.Identity.Args {
		for extent := range strings.SplitSeq(text, ",") {
			if e, err := expr.ParseSizes(extent); err == nil && without(e) {
				return true
			}
		}
	}
	return false
}

// isExtent reports whether a parameter is a size, which is at least 1: it is in the extents of arrays, or in the launch of a kernel function. Others, such as the
// step of a loop of the host, may have any value.
func (c *Case) isExtent(name string) bool {
	for _, a := range c.IR.Arrays() {
		if slices.ContainsFunc(a.Shape, func(e expr.Expr) bool { return e != nil && expr.Mentions(e, name) }) {
			return true
		}
	}
	for _, text := range c.Identity.Args {
		if slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name) {
			return true
		}
	}
	return false
}
