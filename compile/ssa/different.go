package ssa

import "strings"

// Different are the values that are not the same in all work-items of a sub-group.
func Different(f *Func) map[*Value]bool {
	out, place := map[*Value]bool{}, map[*Block]int{}
	for i, b := range f.Blocks {
		place[b] = i
	}
	for again := true; again; {
		again = false
		parted := map[*Block]bool{} // blocks that work-items come to by different ways
		for i, from := range f.Blocks {
			if from.Meet == nil {
				continue
			}
			for _, b := range f.Blocks[i:max(i, place[from.Meet])] {
				if (b.End == Branch || b.End == Leave) && out[b.Cond] {
					parted[from.Meet] = true
				}
			}
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if !out[v] && v.differs(out, parted[b]) {
					out[v], again = true, true
				}
			}
		}
	}
	return out
}

func (v *Value) differs(known map[*Value]bool, parted bool) bool {
	switch v.Op {
	case Special:
		return !strings.HasPrefix(v.Aux, "SR_CTAID.")
	case Load:
		if v.Access.Space != Constant {
			return true
		}
	case Atomic:
		return true
	case Effect:
		return !strings.HasPrefix(v.Aux, "VOTE") && !strings.HasPrefix(v.Aux, "B2R.")
	case Phi:
		header := v.Block.Loop != nil && v.Block.Loop.Header == v.Block
		if parted || !header && !v.Block.Meets {
			return true
		}
	}
	for _, a := range v.Args {
		if known[a] {
			return true
		}
	}
	return false
}
