package search

import (
	"math"
	"slices"
)

// A regression tree over the choices of trials (section 6.3): where it splits them, the choice has much influence. Options are compared by their number, as those of
// most choices are ordered; a choice that is not made counts as -1.

// observed is a trial as numbers of options, by the number of the choice.
type observed struct {
	options []int
	seconds float64
}

func (o observed) option(choice int) int {
	if choice < len(o.options) {
		return o.options[choice]
	}
	return -1
}

// condition is what the splits on a path ask of a choice: its least and greatest option.
type condition struct{ low, high int }

// focus follows the regression tree to the leaf with the fastest trial, and returns the conditions on its path by the number of the choice. Each split is the one that reduces the
// variance of the logarithms of times most.
func focus(list []observed, choices int) map[int]condition {
	out := map[int]condition{}
	for len(list) > 1 {
		fastest := slices.MinFunc(list, func(a, b observed) int { return compare(a.seconds, b.seconds) })
		choice, most := split(list, choices)
		if choice < 0 {
			break
		}
		c, ok := out[choice]
		if !ok {
			c = condition{-1, math.MaxInt}
		}
		left := fastest.option(choice) <= most
		if left {
			c.high = min(c.high, most)
		} else {
			c.low = max(c.low, most+1)
		}
		out[choice] = c
		list = slices.DeleteFunc(slices.Clone(list), func(o observed) bool { return (o.option(choice) <= most) != left })
	}
	return out
}

// split is the choice and the greatest option of the left side that leave least variance; -1 where no split leaves less than there is.
func split(list []observed, choices int) (choice, most int) {
	all := sums{}
	for _, o := range list {
		all.add(o.seconds)
	}
	choice, least := -1, all.spread()-1e-9
	for c := range choices {
		by := map[int]*sums{}
		var values []int
		for _, o := range list {
			v := o.option(c)
			if by[v] == nil {
				by[v] = &sums{}
				values = append(values, v)
			}
			by[v].add(o.seconds)
		}
		slices.Sort(values)
		left := sums{}
		for _, v := range values[:len(values)-1] {
			left = left.plus(*by[v], 1)
			if s := left.spread() + all.plus(left, -1).spread(); s < least {
				least, choice, most = s, c, v
			}
		}
	}
	return choice, most
}

// sums are those of logarithms and their squares.
type sums struct{ n, x, squares float64 }

func (s *sums) add(seconds float64) {
	x := math.Log(seconds)
	*s = s.plus(sums{1, x, x * x}, 1)
}

func (s sums) plus(o sums, sign float64) sums {
	return sums{s.n + sign*o.n, s.x + sign*o.x, s.squares + sign*o.squares}
}

// spread is the sum of squared differences from the mean.
func (s sums) spread() float64 { return s.squares - s.x*s.x/s.n }
