package schedule

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// merged joins launches of a sequence that are next to each other, or can be, and whose parallel loops take the same values, or one those of
// the other and more, where one of them does nothing but statements for each
// point (as C *= beta before a sum is added) and what depends on each other is in the same iteration of these loops: one launch does both. So are launches of lines of points, in whatever
// directions. The loops around are those of the host.
func merged(n Node, edges []*edge, around []Loop) (Node, error) {
	switch x := n.(type) {
	case *Band:
		var left []*edge
		for _, e := range edges {
			if in := e.within(x.Loops); in != nil {
				left = append(left, in)
			}
		}
		body, err := merged(x.Body, left, append(slices.Clip(around), x.Loops...))
		return &Band{x.Loops, body}, err
	case *Sequence:
		var all, parts []Node
		for _, part := range x.Parts {
			next, err := merged(part, edges, around)
			if err != nil {
				return nil, err
			}
			all = append(all, inSequence(next)...)
		}
		for i, next := range all {
			var err error
			if parts, err = withNext(parts, next, all[i+1:], edges, around); err != nil {
				return nil, err
			}
		}
		return inOrder(parts), nil
	}
	return n, nil
}

// withNext adds a launch to the parts before it: to the one before, or to an earlier one that it depends on where the parts between leave that.
func withNext(parts []Node, next Node, later []Node, edges []*edge, around []Loop) ([]Node, error) {
	line, err := isLine(next, around)
	if err != nil {
		return nil, err
	}
	for i, part := range slices.Backward(parts) {
		between := parts[i+1:]
		if len(between) == 0 {
			if len(later) > 0 && linked(next, later[0], edges) && !linked(part, next, edges) { // what the next launch begins with is left to it
				continue
			}
			if left, err := fillLater(next, later, edges, around); err != nil {
				return nil, err
			} else if left && !fillLines(part, next) {
				continue
			}
		} else if !linked(part, next, edges) && !line {
			continue
		}
		after := slices.ContainsFunc(between, func(b Node) bool { return linked(b, next, edges) })
		if after && slices.ContainsFunc(between, func(b Node) bool { return linked(part, b, edges) }) {
			continue
		}
		both, err := joined(part, next, edges, around)
		switch {
		case err != nil:
			return nil, err
		case both != nil && after: // the earlier one goes behind what is between
			return append(slices.Delete(parts, i, i+1), both), nil
		case both != nil:
			parts[i] = both
			return parts, nil
		}
	}
	return append(parts, next), nil
}

// fillLater reports that launches behind can be joined with one, and store elements between its own: stored by two launches, such lines would go to memory twice.
func fillLater(n Node, later []Node, edges []*edge, around []Loop) (bool, error) {
	for _, other := range later {
		both, err := joined(n, other, edges, around)
		if both == nil || err != nil {
			return false, err
		}
		if fillLines(n, other) {
			return true, nil
		}
	}
	return false, nil
}

// fillLines reports that two parts store every other element, or fewer, of lines of one array.
func fillLines(a, b Node) bool {
	for _, s := range a.statements() {
		for _, t := range b.statements() {
			x, step := storesOf(s)
			if y, other := storesOf(t); x == y && step == other && step > 1 {
				return true
			}
		}
	}
	return false
}

// storesOf is the array that a statement stores, and how far apart its elements are in a line: the greatest common divisor of the coefficients of the last subscript, 0 where there are none.
func storesOf(s *scop.Statement) (in *scop.Array, step int64) {
	for _, a := range s.Accesses {
		if !a.Write || len(a.Index) == 0 {
			continue
		}
		in = a.Array
		for _, i := range s.Iterators {
			step = intmath.GCD(step, a.Index[len(a.Index)-1].Coeff(i))
		}
	}
	return in, step
}

// linked reports that a part depends on an earlier one.
func linked(a, b Node, edges []*edge) bool {
	return slices.ContainsFunc(edges, func(e *edge) bool {
		return slices.Contains(a.statements(), e.from) && slices.Contains(b.statements(), e.to)
	})
}

// joined is one launch that does what two do, nil where there is none.
func joined(a, b Node, edges []*edge, around []Loop) (Node, error) {
	first, rest1 := parallelOf(a)
	second, rest2 := parallelOf(b)
	if len(first) == 0 || len(first) != len(second) || !pointwise(rest1) && !pointwise(rest2) {
		return nil, nil
	}
	between := slices.DeleteFunc(slices.Clone(edges), func(e *edge) bool {
		has := func(n Node, s *scop.Statement) bool { return slices.Contains(n.statements(), s) }
		return !(has(a, e.from) && has(b, e.to)) && !(has(b, e.from) && has(a, e.to))
	})
	if pointwise(rest1) { // the loops of the other one keep their order
		first = matching(second, first, between)
	} else {
		second = matching(first, second, between)
	}
	if first == nil || second == nil {
		return nil, nil
	}
	in, err := withinOther(a, b, first, second)
	if err != nil {
		return nil, err
	}
	if !in {
		if second, err = alongside(a, b, first, second, between, around); second == nil || err != nil {
			return nil, err
		}
	}
	var loops []Loop
	for i, l := range first {
		loops = append(loops, both(l, second[i]))
	}
	out := &Launch{Body: &Band{loops, inOrder(append(inSequence(rest1), inSequence(rest2)...))}}
	if fits, err := haveBounds(out, nil); err != nil || !fits {
		return nil, err
	}
	return out, nil
}

// parallelOf are the outer parallel loops of a launch, and what is in them.
func parallelOf(n Node) (loops []Loop, rest Node) {
	l, ok := n.(*Launch)
	if !ok || l.Host != nil {
		return nil, n
	}
	b, ok := l.Body.(*Band)
	if !ok {
		return nil, l.Body
	}
	i := slices.IndexFunc(b.Loops, func(l Loop) bool { return !l.Parallel })
	if i < 0 {
		return b.Loops, b.Body
	}
	return b.Loops[:i], &Band{b.Loops[i:], b.Body}
}

// pointwise reports that a node has no loops.
func pointwise(n Node) bool {
	for _, part := range inSequence(n) {
		if _, ok := part.(*Leaf); !ok {
			return false
		}
	}
	return true
}

// matching orders loops so that each edge is in one iteration of each and of the one of the other launch in its place; nil where that is not possible.
func matching(order, loops []Loop, between []*edge) (out []Loop) {
	left := slices.Clone(loops)
	for _, l := range order {
		i := slices.IndexFunc(left, func(m Loop) bool {
			one := both(l, m)
			return !slices.ContainsFunc(between, func(e *edge) bool { return e.connects(one) })
		})
		if i < 0 {
			return nil
		}
		out, left = append(out, left[i]), slices.Delete(left, i, i+1)
	}
	return out
}

// alongside are loops of a line of points in an order in which they take the values of those of another line, or these of them and more; nil where there is none.
func alongside(a, b Node, first, second []Loop, between []*edge, around []Loop) ([]Loop, error) {
	for _, n := range []Node{a, b} {
		if line, err := isLine(n, around); err != nil || !line {
			return nil, err
		}
	}
	for i := range second {
		turned := slices.Concat(second[i:], second[:i])
		apart := false
		for j, l := range first {
			one := both(l, turned[j])
			apart = apart || slices.ContainsFunc(between, func(e *edge) bool { return e.connects(one) })
		}
		if apart {
			continue
		}
		if in, err := withinOther(a, b, slices.Concat(around, first), slices.Concat(around, turned)); in || err != nil {
			return turned, err
		}
	}
	return nil, nil
}

// isLine reports that a launch does nothing but statements for each point of a line: all of its loops but one have one value for each iteration of those around.
func isLine(n Node, around []Loop) (bool, error) {
	loops, rest := parallelOf(n)
	if len(loops) < 2 || !pointwise(rest) {
		return false, nil
	}
	all := slices.Concat(around, loops)
	names := make([]string, len(all))
	for i := range all {
		names[i] = fmt.Sprint(prefix, "loop", i)
	}
	values, err := Values(n.statements(), all, names)
	if err != nil {
		return false, err
	}
	own := names[len(around):]
	for _, part := range values.Disjuncts() {
		list, _ := part.Constraints()
		fixed := 0
		for _, name := range own {
			if slices.ContainsFunc(list, func(c polycount.Constraint) bool {
				return c.Equality && slices.Contains([]int64{-1, 1}, c.Affine.Coeff(name)) && !slices.ContainsFunc(own, func(o string) bool { return o != name && c.Affine.Has(o) })
			}) {
				fixed++
			}
		}
		if fixed < len(own)-1 {
			return false, nil
		}
	}
	return true, nil
}

// both is a loop of the statements of two loops.
func both(l, m Loop) Loop {
	out := Loop{Of: map[*scop.Statement]polycount.Affine{}, Parallel: true}
	for _, x := range []Loop{l, m} {
		maps.Copy(out.Of, x.Of)
	}
	return out
}

// withinOther reports that loops of one part take no other values than those of another one, where both take any.
func withinOther(a, b Node, first, second []Loop) (bool, error) {
	names := make([]string, len(first))
	for i := range names {
		names[i] = fmt.Sprint(prefix, "loop", i)
	}
	x, err := Values(a.statements(), first, names)
	if err != nil {
		return false, err
	}
	y, err := Values(b.statements(), second, names)
	if err != nil {
		return false, err
	}
	if x, y, err = inhabited(x, y); err != nil {
		return false, err
	}
	if in, err := x.IsSubset(y); in || err != nil {
		return in, err
	}
	return y.IsSubset(x)
}

// inhabited are the parts of two sets for parameters for which both have points.
func inhabited(x, y *polycount.Set) (a, b *polycount.Set, err error) {
	of, err := x.Project()
	if err != nil {
		return nil, nil, err
	}
	other, err := y.Project()
	if err != nil {
		return nil, nil, err
	}
	if a, err = x.IntersectParams(other); err != nil {
		return nil, nil, err
	}
	b, err = y.IntersectParams(of)
	return a, b, err
}
