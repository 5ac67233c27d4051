package polycount

import (
	"fmt"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Gist rewrites p under assumptions, a set of parameters: pieces and conditions that ctx decides go, floors of which
// ctx fixes the remainder become quotients, and pieces become one where ctx makes one polynomial serve for both. Where
// ctx holds the result agrees with p. With n mod 16 = 0, 16*floor((n + 15)/16) becomes n.
func (p *Poly) Gist(ctx *Set) (out *Poly, err error) {
	defer throw.Catch(&err)
	if len(ctx.dims) > 0 {
		return nil, fmt.Errorf("polycount: assumptions are a set of parameters, this one has dimensions %v", ctx.dims)
	}
	params := unionNames(p.params, ctx.params)
	budget := shared(p.budget, ctx.budget)
	w := metered(linear.AnyWork(), budget)
	of := quasi.SimplifyUnder(w, p.respace(params).of, ctx.respace(params, nil).members(w))
	return (&Poly{params, of, budget}).withoutUnused(p.params), nil
}

// withoutUnused drops the parameters that neither stand in p nor are among keep.
func (p *Poly) withoutUnused(keep []string) *Poly {
	used := p.of.Used()
	var params []string
	by := make([]linear.Row, len(p.params))
	for i, n := range p.params {
		if slices.Contains(keep, n) || used[1+i] {
			params = append(params, n)
			by[i] = linear.Plus(1+len(params), 0, 1, len(params))
		} else {
			by[i] = linear.Row{0}
		}
	}
	if len(params) == len(p.params) {
		return p
	}
	return &Poly{params, p.of.Mapped(len(params), by), p.budget}
}
