package schedule

import (
	"errors"
	"math/big"
	"slices"

	"gpuperf/internal/intmath"
)

// cone is the set of all sums of its rays, with factors of at least 0, and its lines, with any factors.
type cone struct {
	lines, rays []vector
	constraints int  // so far
	budget      *int // how many pairs of rays may still be compared with the others
}

// vector has the signs of the constraints so far beside it: a bit is set where a·x = 0.
type vector struct {
	x    []int64
	tied *big.Int
}

var errRays = errors.New("too many corners")

// maxRays bounds the size of a cone, maxPairs the work for all cones of a nest: a second or so.
const (
	maxRays  = 1500
	maxPairs = 20_000_000
)

// coneOf finds the cone of all x with a·x ≥ 0, or = 0, by the double description method (Motzkin, Raiffa, Thompson and Thrall 1953).
func coneOf(width int, inequalities, equalities [][]int64, budget *int) *cone {
	c := &cone{budget: budget}
	for i := range width {
		x := make([]int64, width)
		x[i] = 1
		c.lines = append(c.lines, vector{x, new(big.Int)})
	}
	for _, a := range equalities {
		c.cut(a, true)
	}
	for _, a := range inequalities {
		c.cut(a, false)
	}
	return c
}

func (c *cone) clone() *cone {
	out := &cone{constraints: c.constraints, budget: c.budget}
	for _, l := range c.lines {
		out.lines = append(out.lines, l.clone())
	}
	for _, r := range c.rays {
		out.rays = append(out.rays, r.clone())
	}
	return out
}

func (v vector) clone() vector { return vector{slices.Clone(v.x), new(big.Int).Set(v.tied)} }

func (c *cone) cut(a []int64, equality bool) {
	n := c.constraints
	c.constraints++
	if i := slices.IndexFunc(c.lines, func(l vector) bool { return dot(a, l.x) != 0 }); i >= 0 {
		l := c.lines[i]
		if dot(a, l.x) < 0 {
			for k := range l.x {
				l.x[k] = -l.x[k]
			}
		}
		c.lines = slices.Delete(c.lines, i, i+1)
		for _, list := range [][]vector{c.lines, c.rays} {
			for k := range list {
				list[k].x = combine(a, list[k].x, l.x)
				list[k].tied.SetBit(list[k].tied, n, 1)
			}
		}
		if !equality { // the line lies in all earlier constraints
			l.tied = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
			c.rays = append(c.rays, l)
		}
		return
	}
	for _, l := range c.lines {
		l.tied.SetBit(l.tied, n, 1)
	}
	var inside, on, outside []vector
	for _, r := range c.rays {
		switch v := dot(a, r.x); {
		case v > 0:
			inside = append(inside, r)
		case v < 0:
			outside = append(outside, r)
		default:
			on = append(on, r)
		}
	}
	var edges []vector
	if *c.budget -= len(inside) * len(outside) * len(c.rays) / 8; *c.budget < 0 {
		panic(errRays)
	}
	for _, p := range inside {
		for _, q := range outside {
			if both, ok := c.adjacent(p, q); ok {
				edges = append(edges, vector{combine(a, q.x, p.x), both.SetBit(both, n, 1)})
			}
		}
	}
	for _, r := range on {
		r.tied.SetBit(r.tied, n, 1)
	}
	c.rays = append(on, edges...)
	if !equality {
		c.rays = append(c.rays, inside...)
	}
	if len(c.rays) > maxRays {
		panic(errRays)
	}
}

// adjacent reports that no third ray is tied by all constraints that tie both, which it returns.
func (c *cone) adjacent(p, q vector) (*big.Int, bool) {
	both := new(big.Int).And(p.tied, q.tied)
	var common big.Int
	for _, r := range c.rays {
		if &r.x[0] != &p.x[0] && &r.x[0] != &q.x[0] && common.And(both, r.tied).Cmp(both) == 0 {
			return nil, false
		}
	}
	return both, true
}

// combine is the sum of x and a multiple of l, or of −l, at which a·x is 0, in lowest terms. Factors of x are positive.
func combine(a, x, l []int64) []int64 {
	u, v := dot(a, x), dot(a, l)
	if u == 0 {
		return x
	}
	if v < 0 {
		u, v = -u, -v
	}
	g := intmath.GCD(max(u, -u), v)
	u, v = u/g, v/g
	out := make([]int64, len(x))
	for k := range x {
		out[k] = plus(mul(v, x[k]), -mul(u, l[k]))
	}
	return lowest(out)
}

func lowest(x []int64) []int64 {
	g := int64(0)
	for _, v := range x {
		g = intmath.GCD(max(v, -v), g)
	}
	if g > 1 {
		for k := range x {
			x[k] /= g
		}
	}
	return x
}

func dot(a, x []int64) int64 {
	s := int64(0)
	for i, v := range a {
		if v != 0 && x[i] != 0 {
			s = plus(s, mul(v, x[i]))
		}
	}
	return s
}

func mul(a, b int64) int64 {
	c, ok := product(a, b)
	if !ok {
		panic(errOverflow)
	}
	return c
}

func plus(a, b int64) int64 {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		panic(errOverflow)
	}
	return c
}
