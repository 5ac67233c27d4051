package derive

import (
	"fmt"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/lift"
	"gpuperf/lift/lower"
	"gpuperf/lift/rules"
)

// legal checks what the rules cannot see locally: nothing is left to lower, the elements of vectors lie next to each other,
// the dimensions of work-groups and work-items agree, and the memories are large enough.
func (e *explorer) legal(body *lift.Term) error {
	if high := body.Ops() & lift.Set(lift.Reduce, lift.PartRed, lift.Reorder, lift.Filter, lift.ReduceSegments); high != 0 {
		return fmt.Errorf("a pattern is left to lower")
	}
	var err error
	lift.Walk(body, lift.Set(lift.Map), func(t *lift.Term) {
		if err == nil && computes(t) {
			err = fmt.Errorf("a map is left to lower")
		}
	})
	if err != nil {
		return err
	}
	if err := e.checkVectors(body); err != nil {
		return err
	}
	u := usage{sizes: e.opt.Sizes}
	if err := u.walk(body, 0); err != nil {
		return err
	}
	if body.Ops()&lift.ParallelMaps == 0 {
		return fmt.Errorf("nothing is parallel")
	}
	if u.local > e.opt.MaxLocal {
		return fmt.Errorf("%d bytes of local memory", u.local)
	}
	if u.private > e.opt.MaxPrivate {
		return fmt.Errorf("%d bytes of private memory", u.private)
	}
	return nil
}

// checkVectors returns an error if the elements of some vector are not adjacent in an input or in the result.
func (e *explorer) checkVectors(body *lift.Term) error {
	if body.Ops()&lift.Set(lift.AsVector, lift.AsScalar) == 0 {
		return nil
	}
	return lower.CheckVectors(e.inputs, lift.SubstSizes(body, e.sizes))
}

// vectorizes reports whether a strategy that makes vectors applies to the fused body, under so many views, and whether the vectors
// that it makes must be rejected whatever is done next.
func (e *explorer) vectorizes(under int, s rules.Strategy) (applies bool, refused error) {
	body, err := (&rules.Run{Options: e.rules}).Do(rules.Below(under, s), e.fused)
	if err != nil {
		return false, nil
	}
	return true, e.checkVectors(body)
}

// usage collects the memory of a variant.
type usage struct {
	sizes          map[string]int64
	local, private int64
}

// walk follows the nest inside mapWrgs of a set of dimensions, as bits.
func (u *usage) walk(t *lift.Term, outer int) (err error) {
	defer throw.Catch(&err)
	inner := outer
	switch t.Op {
	case lift.MapWrg:
		inner |= 1 << t.Ints[0]
		if t.Fn().Ops()&lift.Set(lift.MapWrg, lift.MapLcl) == 0 {
			return fmt.Errorf("a mapWrg without work-items")
		}
		// Along dimension 2 a work-group may have one work-item alone.
		if !t.Fn().Ops().Has(lift.MapWrg) && dims(t.Fn(), lift.MapLcl)|1<<2 != inner|1<<2 {
			return fmt.Errorf("work-groups and work-items of different dimensions")
		}
	case lift.ToLocal, lift.ToPrivate:
		n := bytes(t.Type, u.sizes)
		if t.Op == lift.ToLocal {
			u.local += n
		} else {
			u.private += n
		}
	}
	for i, k := range t.Kids {
		around := outer
		if i == 0 && t.Op.HasFun() {
			around = inner
		}
		throw.If(u.walk(k, around))
	}
	return nil
}

// dims is the set of dimensions of an operator in a term, as bits.
func dims(t *lift.Term, op lift.Op) (set int) {
	lift.Walk(t, lift.Set(op), func(t *lift.Term) { set |= 1 << t.Ints[0] })
	return set
}

// bytes is the memory of a value of a type.
func bytes(t *lift.Type, at map[string]int64) int64 {
	n := int64(1)
	lengths, elem := t.Shape()
	for _, l := range lengths {
		k := throw.Get(l.Eval(at))
		n *= k
	}
	size := lists.Sum(lift.Components(elem), func(c *lift.Type) int64 { return c.DType.Size() * max(1, int64(c.Width)) })
	return n * size
}
