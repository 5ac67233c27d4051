package ssa

import "slices"

// RepeatComparisons computes predicates anew wherever they are used, so that few are needed at the same time: there are few registers for them.
func RepeatComparisons(f *Func) {
	for _, b := range f.Blocks {
		r := &repeated{f: f, b: b}
		for _, v := range b.Values {
			if v.Op != Phi {
				v.Reads(func(p **Value) { *p = r.again(*p) })
			}
			r.values = append(r.values, v)
		}
		if b.Cond != nil {
			b.Cond = r.again(b.Cond)
		}
		b.Values = r.values
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != Phi {
				break
			}
			for i, a := range v.Args { // at the end of the block that control comes from
				from := b.Preds[i]
				r := &repeated{f: f, b: from, values: from.Values}
				v.Args[i] = r.again(a)
				from.Values = r.values
			}
		}
	}
	Dead(f)
}

// repeated are the values of a block in their new order.
type repeated struct {
	f      *Func
	b      *Block
	values []*Value
}

// again is a predicate computed at this place; other values are what they are.
func (r *repeated) again(v *Value) *Value {
	if v == nil || v.Type != Pred || !v.Pure() || v.Op == Const || v.Op == Undef || v.Op == Raw || slices.ContainsFunc(v.Args, func(a *Value) bool { return a.Type == Pred && !a.Pure() }) {
		return v
	}
	if n := len(r.values); n > 0 && r.values[n-1] == v {
		return v
	}
	c := *v
	c.ID, c.Block, c.Args = r.f.Next(), r.b, slices.Clone(v.Args)
	for i, a := range c.Args {
		c.Args[i] = r.again(a)
	}
	r.values = append(r.values, &c)
	return &c
}
