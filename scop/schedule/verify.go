package schedule

import (
	"fmt"

	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// Verify returns an error that names a dependence whose points the tree would run in the wrong order, nil if there is none.
func Verify(n Node, dependences []*deps.Dependence) error {
	if err := verifyTiles(n, dependences); err != nil {
		return err
	}
	when := times(n)
	for _, d := range dependences {
		pairs, primed := pairsOf(d)
		from, to := when[d.From], when[d.To]
		same := pairs // where all earlier values are equal
		for i := range from {
			a, b := from[i], to[i].Subst(primed)
			wrong, err := same.Constrain(polycount.GE(a, b.AddInt(1)))
			if err != nil {
				return err
			}
			if empty, err := wrong.IsEmpty(); err != nil || !empty {
				return violated(d, err)
			}
			if same, err = same.Constrain(polycount.EQ(a, b)); err != nil {
				return err
			}
		}
		if empty, err := same.IsEmpty(); err != nil || !empty {
			return violated(d, err)
		}
	}
	return nil
}

func violated(d *deps.Dependence, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("the %s dependence of %s on %s by %s is violated", d.Kind, d.To.Name, d.From.Name, d.Array.Name)
}

// pairsOf are the points of a dependence, and the names of the iterators of the later one there.
func pairsOf(d *deps.Dependence) (pairs *polycount.Set, primed map[string]polycount.Affine) {
	pairs, primed = d.Map.Graph(), map[string]polycount.Affine{}
	for i, name := range d.To.Iterators {
		primed[name] = polycount.Name(pairs.Dims()[len(d.From.Iterators)+i])
	}
	return pairs, primed
}

// verifyTiles returns an error that names a dependence that leads to less along a loop of tiles, or to another work-group.
func verifyTiles(n Node, dependences []*deps.Dependence) error {
	if s, ok := n.(*Sequence); ok {
		for _, part := range s.Parts {
			if err := verifyTiles(part, dependences); err != nil {
				return err
			}
		}
	}
	x, ok := n.(*Launch)
	if !ok || x.Tiled == nil && !x.Each {
		return nil
	}
	list, apart := x.statements(), x.Tiled
	if x.Each {
		for _, l := range x.Body.(*Band).Loops { // nothing depends on another iteration, before or behind
			back := Loop{Of: map[*scop.Statement]polycount.Affine{}}
			for s, a := range l.Of {
				back.Of[s] = a.Neg()
			}
			apart = append(apart, l, back)
		}
	}
	return forwards(list, apart, dependences)
}

// forwards returns an error that names a dependence among statements that leads to less along a loop.
func forwards(list []*scop.Statement, loops []Loop, dependences []*deps.Dependence) error {
	for _, d := range dependences {
		if !d.Among(list) {
			continue
		}
		pairs, primed := pairsOf(d)
		for _, l := range loops {
			back, err := pairs.Constrain(polycount.GE(l.Of[d.From], l.Of[d.To].Subst(primed).AddInt(1)))
			if err != nil {
				return err
			}
			if empty, err := back.IsEmpty(); err != nil || !empty {
				return violated(d, err)
			}
		}
	}
	return nil
}
