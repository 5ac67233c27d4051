package schedule

import (
	"fmt"

	"gpuperf/polycount"
	"gpuperf/scop/deps"
)

// Verify returns an error that names a dependence whose points the tree would run in the wrong order, nil if there is none.
func Verify(n Node, dependences []*deps.Dependence) error {
	when := times(n)
	for _, d := range dependences {
		pairs := d.Map.Graph()
		primed := map[string]polycount.Affine{}
		for i, name := range d.To.Iterators {
			primed[name] = polycount.Name(pairs.Dims()[len(d.From.Iterators)+i])
		}
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
