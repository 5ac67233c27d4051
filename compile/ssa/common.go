package ssa

import "slices"

// tree are the blocks that dominate others.
type tree struct {
	above map[*Block]*Block
	order map[*Block]int
}

// Dominators finds them.
func dominators(f *Func) *tree {
	t := &tree{above: map[*Block]*Block{}, order: map[*Block]int{}}
	for i, b := range f.Blocks {
		t.order[b] = i
	}
	for again := true; again; {
		again = false
		for _, b := range f.Blocks[1:] {
			var to *Block
			for _, p := range b.Preds {
				if p != f.Blocks[0] && t.above[p] == nil {
					continue // not come to yet
				}
				if to == nil {
					to = p
				} else {
					to = t.meet(to, p)
				}
			}
			if to != t.above[b] {
				t.above[b], again = to, true
			}
		}
	}
	return t
}

// meet is the last block that dominates two.
func (t *tree) meet(a, b *Block) *Block {
	for a != b {
		if t.order[a] < t.order[b] {
			a, b = b, a
		}
		a = t.above[a]
	}
	return a
}

func (t *tree) dominates(a, b *Block) bool { return a == nil || t.meet(a, b) == a }

// Common computes once what several blocks compute alike, of which none dominates the others, such as addresses on both sides of a condition: where control comes from.
func Common(f *Func) {
	t, seen, by := dominators(f), map[string]*Value{}, map[*Value]*Value{}
	for _, b := range f.Blocks {
		if b != f.Blocks[0] && t.above[b] == nil {
			continue // nobody comes here
		}
		kept := b.Values[:0]
		for _, v := range b.Values {
			v.Reads(func(p **Value) {
				for by[*p] != nil {
					*p = by[*p]
				}
			})
			if v.place() {
				key := keyOf(v)
				first := seen[key]
				if first != nil && t.bring(first, b) {
					by[v] = first
					continue
				}
				seen[key] = v
			}
			kept = append(kept, v)
		}
		b.Values = kept
	}
	f.Replace(by)
}

// place reports whether a value is an integer as addresses are made of, or a junction of predicates.
func (v *Value) place() bool {
	return v.Op == PAnd || v.Op == POr || len(v.Within) == 0 && (v.Op >= Add && v.Op <= Zext && v.Op != MulHiU && v.Op != MulHiS) && v.Op != MinU && v.Op != MinS && v.Op != MaxU && v.Op != MaxS
}

// bring has a value computed where it serves another block too, and reports whether that can be: in the same loop.
func (t *tree) bring(v *Value, b *Block) bool {
	to := t.meet(v.Block, b)
	if to == v.Block {
		return true
	}
	if to.Loop != v.Block.Loop || to.Loop != b.Loop || to.Rare || slices.ContainsFunc(v.Args, func(a *Value) bool { return !t.dominates(a.Block, to) }) {
		return false
	}
	v.Block.Values = slices.DeleteFunc(v.Block.Values, func(w *Value) bool { return w == v })
	v.Block = to
	to.Values = append(to.Values, v)
	return true
}
