package ssa

// reduced are the suffixes of atomic operations that sub-groups do at once to one place, and the instruction that makes one operand of those of its work-items.
var reduced = map[string]string{"ADD": "REDUX.SUM", "MIN": "REDUX.MIN", "MAX": "REDUX.MAX", "MIN.S32": "REDUX.MIN.S32", "MAX.S32": "REDUX.MAX.S32", "AND": "REDUX", "OR": "REDUX.OR", "XOR": "REDUX.XOR"}

// allLanes lets a work-item have the value of any other one of its sub-group.
const allLanes = 0x1f

// Together has one work-item of a sub-group do an atomic operation for all of them, where they do it to one place: so does NVIDIA's compiler. Where the results are
// needed, that is done to sums of the same number alone: each work-item adds what those before it have added.
func Together(f *Func) {
	f.CountUses()
	different := Different(f)
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			if v.Op != Atomic || v.Guard != nil || v.Type != W || len(v.Args) != 2 || reduced[v.Access.Suffix] == "" || different[v.Args[0]] {
				continue
			}
			counts := v.Access.Suffix == "ADD" && !different[v.Args[1]]
			if v.Uses > 0 && !counts {
				continue
			}
			t := &together{f: f, b: b, at: i, line: v.Line}
			t.atomic(v, counts)
			i = t.at
		}
	}
}

// together makes values before a place in a block.
type together struct {
	f    *Func
	b    *Block
	at   int
	line int
}

func (t *together) add(v *Value) *Value {
	v.ID, v.Block, v.Line = t.f.Next(), t.b, t.line
	t.b.Values = append(t.b.Values[:t.at:t.at], append([]*Value{v}, t.b.Values[t.at:]...)...)
	t.at++
	return v
}

func (t *together) word(op Op, aux string, args ...*Value) *Value {
	return t.add(&Value{Op: op, Type: W, Aux: aux, Args: args})
}

// atomic does an operation by the last work-item of those that are here. Where it counts, the operand of all is as many times that of one.
func (t *together) atomic(v *Value, counts bool) {
	mask := t.word(Effect, "VOTE.ANY", &Value{ID: t.f.Next(), Op: Const, Type: Pred, Int: 1})
	last := t.word(Raw, "FLO.U32", mask)
	leads := t.add(&Value{Op: Cmp, Type: Pred, Aux: "EQ", Args: []*Value{last, t.word(Special, "SR_LANEID")}})
	one := v.Args[1]
	if !counts {
		v.Args[1], v.Guard = t.word(Effect, reduced[v.Access.Suffix], one), leads
		return
	}
	v.Args[1], v.Guard = t.times(one, mask), leads
	if v.Uses == 0 {
		return
	}
	t.at++
	first := t.word(Effect, "SHFL.IDX PT,", v, last, t.f.word(allLanes))
	before := t.times(one, t.word(And, "", mask, t.word(Special, "SR_LTMASK")))
	sum := &Value{Op: Add, Type: W, Args: []*Value{first, before}}
	t.f.Replace(map[*Value]*Value{v: sum})
	first.Args[0] = v
	t.add(sum)
	t.at--
}

// times is a number as often as there are bits in a mask.
func (t *together) times(x, mask *Value) *Value {
	n := t.word(Raw, "POPC", mask)
	if x.Op == Const && x.Int == 1 {
		return n
	}
	return t.word(Mul, "", n, x)
}
