package polycount

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"gpuperf/polycount/internal/arith"
	"gpuperf/polycount/internal/linear"
	"gpuperf/polycount/internal/quasi"
)

// Gist rewrites p under assumptions, a set of parameters: pieces and conditions that ctx decides go, floors of which
// ctx fixes the remainder become quotients, and pieces become one where ctx makes one polynomial serve for both. Where
// ctx holds the result agrees with p. With n mod 16 = 0, 16*floor((n + 15)/16) becomes n.
func (p *Poly) Gist(ctx *Set) (out *Poly, err error) {
	defer arith.Rescue(&err)
	if len(ctx.dims) > 0 {
		return nil, fmt.Errorf("polycount: assumptions are a set of parameters, this one has dimensions %v", ctx.dims)
	}
	params := unionNames(p.params, ctx.params)
	w := linear.AnyWork()
	of := quasi.SimplifyUnder(w, p.respace(params).of, ctx.respace(params, nil).members(w))
	return (&Poly{params, of}).withoutUnused(p.params), nil
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
	return &Poly{params, p.of.Mapped(len(params), by)}
}

// ErrUndecided is wrapped by the error of a comparison of which neither a proof nor a counterexample was found.
var ErrUndecided = errors.New("neither proved nor refuted")

// AtMost decides whether p ≤ q at every point. Where the difference is affine in parameters and floors that is exact;
// where it is of a higher degree a point of the contrary is looked for, then a proof, and finding neither is an error
// that wraps ErrUndecided: the question is undecidable in general.
func (p *Poly) AtMost(q *Poly) (holds bool, err error) {
	defer arith.Rescue(&err)
	d, err := q.Sub(p)
	if err != nil {
		return false, err
	}
	holds, decided := quasi.NeverNegative(linear.AnyWork(), d.of)
	if !decided {
		return false, fmt.Errorf("polycount: %v ≤ %v: %w", p, q, ErrUndecided)
	}
	return holds, nil
}

// Interval is a range of parameter values, both ends included.
type Interval = quasi.Interval

// Enclosure returns bounds on the values of p for parameters in a box. They hold at every point of the box, and may be
// wider than the values that occur; 0 is included where the pieces may not cover the box.
func (p *Poly) Enclosure(box map[string]Interval) (lo, hi *big.Rat, err error) {
	defer arith.Rescue(&err)
	within := make([]quasi.Interval, len(p.params))
	for i, n := range p.params {
		v, ok := box[n]
		if !ok {
			return nil, nil, fmt.Errorf("polycount: no interval given for parameter %q", n)
		}
		if v.Lo > v.Hi {
			return nil, nil, fmt.Errorf("polycount: the interval of %q is empty", n)
		}
		within[i] = v
	}
	lo, hi = quasi.Enclosure(linear.AnyWork(), p.of, within)
	return lo, hi, nil
}
