package ssa

import "fmt"

// Unify makes one value of those of a block that are computed alike: what was computed in several parts of a loop stands twice in the block before it once
// it is hoisted.
func Unify(f *Func) {
	by := map[*Value]*Value{}
	for _, b := range f.Blocks {
		seen := map[string]*Value{}
		kept := b.Values[:0]
		for _, v := range b.Values {
			v.Reads(func(p **Value) {
				for by[*p] != nil {
					*p = by[*p]
				}
			})
			if key := alike(v); key != "" {
				if first := seen[key]; first != nil {
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

// alike is a text that values have in common which are the same wherever one of them is known; "" where that may not be.
func alike(v *Value) string {
	switch {
	case v.Pure() && v.Op != Undef:
		return keyOf(v)
	case v.Op == Load && v.Guard == nil && v.Access.ReadOnly && !v.Access.Volatile:
		return fmt.Sprintf("%s %+v", keyOf(v), *v.Access)
	}
	return ""
}
