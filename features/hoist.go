package features

import (
	"math/big"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel/linear"
)

// hoisted is the count of a record with loads hoisted out of the innermost loops in which their addresses do not change, as compilers
// do: but not out of a loop that has a barrier, a condition or a statement that writes the array. Stores are not hoisted.
func (s *Statistics) hoisted(m Mem, sizes map[string]int64) (_ *big.Rat, err error) {
	defer throw.Catch(&err)
	e := remember(s, s.invariant, m, func() *evaluator {
		occurrences := map[where]int64{}
		for _, site := range s.sites[m] {
			at, err := s.c.outside(site, m.Direction)
			if err != nil {
				panic(throw.Errorf("loops around %s: %w", site.access, err))
			}
			occurrences[s.c.where(at, m.Granularity)]++
		}
		return newEvaluator(throw.Get(s.c.sum(occurrences)))
	})
	return e.rat(sizes), nil
}

// outside is the scope of an access outside the loops that it is hoisted out of.
func (c *counter) outside(s site, direction Direction) (scope, error) {
	if direction != Load || len(s.at.conds) > 0 {
		return s.at, nil
	}
	program, err := c.program()
	if err != nil {
		return scope{}, err
	}
	var varies []string
	for _, index := range s.access.Index {
		varies = append(varies, c.variesWith(s.at.stmt, index)...)
	}
	stmt := *s.at.stmt
	stmt.Inames = slices.Clone(stmt.Inames)
	loops := loopsAround(program.nest.Body, stmt.ID)
	for _, l := range slices.Backward(loops) {
		if slices.Contains(varies, l.Iname) || linear.EffectsOf(c.k, l.Body).Pins(s.access.Array) {
			break
		}
		stmt.Inames = slices.DeleteFunc(stmt.Inames, func(name string) bool { return name == l.Iname })
	}
	return scope{stmt: &stmt}, nil
}

// loopsAround lists the loops around a statement up to the innermost condition, outermost first; nil where there is none.
func loopsAround(nodes []linear.Node, id string) []*linear.Loop {
	var path []*linear.Loop
	var find func(nodes []linear.Node) bool
	find = func(nodes []linear.Node) bool {
		for _, n := range nodes {
			switch n := n.(type) {
			case *linear.Exec:
				if n.Stmt.ID == id {
					return true
				}
			case *linear.Guard:
				if find(n.Body) {
					return true
				}
			case *linear.Loop:
				path = append(path, n)
				if find(n.Body) {
					return true
				}
				path = path[:len(path)-1]
			}
		}
		return false
	}
	find(nodes)
	return path
}
