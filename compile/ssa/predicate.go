package ssa

// Sizes up to which both ways of a branch are executed: operations without an effect on each way, and those with one, which get a predicate; and what
// computes addresses alone, which is done before the branch.
// As NVIDIA's compiler has it in listings of sm_90.
const (
	mostPure      = 10
	mostEffect    = 7
	mostAddresses = 7
)

// Predicate makes short branches straight code: what has an effect is done under a predicate, and values are selected.
func Predicate(f *Func) {
	for again := true; again; {
		again = false
		f.CountUses()
		for i := len(f.Blocks) - 1; i >= 0; i-- {
			if f.convert(f.Blocks[i]) {
				again = true
			}
		}
	}
}

// convert takes the ways of a block's branch into the block. It reports false where that is not to be done.
func (f *Func) convert(b *Block) bool {
	if b.End != Branch || b.To[0] == b.To[1] {
		return false
	}
	yes, no := b.To[0], b.To[1]
	var end *Block
	switch {
	case side(yes, b) && yes.To[0] == no:
		no, end = nil, no
	case side(no, b) && no.To[0] == yes:
		yes, end = nil, yes
	case side(yes, b) && side(no, b) && yes.To[0] == no.To[0]:
		end = yes.To[0]
	default:
		return false
	}
	if end.Loop != b.Loop || end == b || !f.fits(yes) || !f.fits(no) {
		return false
	}
	first, second := pred(end, orBlock(yes, b)), pred(end, orBlock(no, b))
	if first == second || first < 0 || second < 0 {
		return false
	}
	f.take(b, yes, false)
	f.take(b, no, true)
	f.select2(b, end, first, second)
	b.End, b.Cond, b.Not = Jump, nil, false
	b.To = [2]*Block{end}
	end.Preds[first] = b
	end.Preds = append(end.Preds[:second:second], end.Preds[second+1:]...)
	if b.Meet == end {
		b.Meet, end.Meets = nil, false
	}
	kept := f.Blocks[:0]
	for _, x := range f.Blocks {
		if x != yes && x != no {
			kept = append(kept, x)
		}
	}
	f.Blocks = kept
	if len(end.Preds) == 1 && !end.Meets {
		f.join(b, end)
	}
	return true
}

func orBlock(b, other *Block) *Block {
	if b == nil {
		return other
	}
	return b
}

func pred(b, of *Block) int {
	for i, p := range b.Preds {
		if p == of {
			return i
		}
	}
	return -1
}

// side reports whether a block is only come to from another one, and goes on by a jump.
func side(b, from *Block) bool {
	return len(b.Preds) == 1 && b.Preds[0] == from && b.End == Jump && b.Meet == nil && !b.Meets && len(b.Breaks) == 0 && b.Loop == from.Loop
}

// fits reports whether a way is short, and all of it can be done under a predicate.
func (f *Func) fits(b *Block) bool {
	if b == nil {
		return true
	}
	if b.Rare { // it is called
		return false
	}
	pure, effects := 0, 0
	addresses := addressesOf(b, false)
	if wide := addressesOf(b, true); len(wide) <= mostAddresses {
		addresses = wide
	}
	for _, v := range b.Values {
		switch {
		case v.Guard != nil:
			return false
		case v.Op == Load, v.Op == Store, v.Op == Atomic, v.Op == Copy:
			effects++
		case v.Op == Effect, v.Op == Phi:
			return false
		case v.Op == Extract, v.Op == Pack, v.Op == FNeg, v.Op == PNot, addresses[v]:
		case v.Op == Raw && slow[v.Aux]:
			return false
		default:
			pure++
		}
	}
	if effects > 0 {
		return pure+effects <= mostEffect
	}
	return pure <= mostPure
}

// addressesOf are the values of a block that nobody needs but accesses in it, for where in memory of the work-group they access, or in global memory too: most of
// that becomes offsets of what is computed before.
func addressesOf(b *Block, global bool) map[*Value]bool {
	all, uses := map[*Value]bool{}, map[*Value]int{} // how many of its uses are such
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		switch {
		case v.Access != nil && len(v.Args) > 0 && (v.Args[0].Type == W || global):
			uses[v.Args[0]]++
			continue
		case v.Access != nil || v.Op == Phi || v.Uses == 0 || uses[v] != v.Uses:
			continue
		}
		all[v] = true
		v.Reads(func(p **Value) { uses[*p]++ })
	}
	return all
}

// slow are instructions that are not executed in vain.
var slow = map[string]bool{"MUFU.RCP": true, "MUFU.RSQ": true, "MUFU.RCP64H": true, "F2F.F64.F32": true, "F2F.F32.F64": true}

// take moves a way into the block before it.
func (f *Func) take(b, way *Block, not bool) {
	if way == nil {
		return
	}
	for _, v := range way.Values {
		v.Block = b
		if v.Op == Load || v.Op == Store || v.Op == Atomic || v.Op == Copy {
			v.Guard, v.GuardNot = b.Cond, not
		}
		b.Values = append(b.Values, v)
	}
}

// select2 makes selections of phis whose values come by two ways.
func (f *Func) select2(b, end *Block, first, second int) {
	by := map[*Value]*Value{}
	kept := end.Values[:0:0]
	for _, v := range end.Values {
		if v.Op != Phi {
			kept = append(kept, v)
			continue
		}
		x, y := v.Args[first], v.Args[second]
		chosen := x
		if x != y {
			chosen = f.chosen(b, v, x, y)
		}
		v.Args[first] = chosen
		v.Args = append(v.Args[:second:second], v.Args[second+1:]...)
		if len(v.Args) == 1 {
			by[v] = chosen
			continue
		}
		kept = append(kept, v)
	}
	end.Values = kept
	f.Replace(by)
}

// chosen is the value of a phi: a load under the predicate that leaves the other value where it is not done, or a selection.
func (f *Func) chosen(b *Block, phi, x, y *Value) *Value {
	switch {
	case x.Op == Undef:
		return y
	case y.Op == Undef:
		return x
	}
	for i, load := range []*Value{x, y} {
		other := []*Value{y, x}[i]
		if load.Op == Load && load.Guard == b.Cond && load.Else == nil && load.GuardNot == (i == 1) && load.Block == b && other.Op != Load && f.usedOnce(load) && before(b, other, load) {
			load.Else = other
			return load
		}
	}
	if x.Type == Pred {
		not := func(v *Value) *Value {
			return &Value{ID: f.Next(), Op: PNot, Type: Pred, Args: []*Value{v}, Block: b, Line: phi.Line}
		}
		if op, one, other := decides(b.Cond, x, y, not); op != 0 {
			v := &Value{ID: f.Next(), Op: op, Type: Pred, Args: []*Value{one, other}, Block: b, Line: phi.Line}
			if one != b.Cond {
				b.Values = append(b.Values, one)
			}
			b.Values = append(b.Values, v)
			return v
		}
		yes := &Value{ID: f.Next(), Op: PAnd, Type: Pred, Args: []*Value{b.Cond, x}, Block: b, Line: phi.Line}
		never := not(b.Cond)
		no := &Value{ID: f.Next(), Op: PAnd, Type: Pred, Args: []*Value{never, y}, Block: b, Line: phi.Line}
		v := &Value{ID: f.Next(), Op: POr, Type: Pred, Args: []*Value{yes, no}, Block: b, Line: phi.Line}
		b.Values = append(b.Values, yes, never, no, v)
		return v
	}
	v := &Value{ID: f.Next(), Op: Select, Type: phi.Type, Args: []*Value{b.Cond, x, y}, Block: b, Line: phi.Line}
	b.Values = append(b.Values, v)
	return v
}

// decides is the operation that selects one of two predicates of which one is known; 0 where none is.
func decides(cond, yes, no *Value, not func(*Value) *Value) (op Op, one, other *Value) {
	switch {
	case isConst(yes, 1):
		return POr, cond, no
	case isConst(no, 0):
		return PAnd, cond, yes
	case isConst(yes, 0):
		return PAnd, not(cond), no
	case isConst(no, 1):
		return POr, not(cond), yes
	}
	return 0, nil, nil
}

// before reports whether a value is there when another one of a block is computed.
func before(b *Block, v, than *Value) bool {
	if v.Block != b {
		return true
	}
	for _, x := range b.Values {
		if x == v {
			return true
		}
		if x == than {
			return false
		}
	}
	return false
}

func (f *Func) usedOnce(v *Value) bool {
	n := 0
	for _, b := range f.Blocks {
		for _, u := range b.Values {
			u.Reads(func(p **Value) {
				if *p == v {
					n++
				}
			})
		}
		if b.Cond == v {
			n++
		}
	}
	return n == 1
}

// join makes two blocks one, of which the second is only come to from the first.
func (f *Func) join(b, next *Block) {
	for _, v := range next.Values {
		v.Block = b
	}
	b.Values = append(b.Values, next.Values...)
	b.End, b.Cond, b.Not, b.To = next.End, next.Cond, next.Not, next.To
	b.Meet, b.Breaks = next.Meet, append(b.Breaks, next.Breaks...)
	for _, to := range b.Succs() {
		for i, p := range to.Preds {
			if p == next {
				to.Preds[i] = b
			}
		}
	}
	kept := f.Blocks[:0]
	for _, x := range f.Blocks {
		if x != next {
			kept = append(kept, x)
		}
		if x.Loop != nil && x.Loop.Before == next {
			x.Loop.Before = b
		}
	}
	f.Blocks = kept
	for _, x := range f.Blocks {
		for l := x.Loop; l != nil; l = l.Outer {
			if l.Before == next {
				l.Before = b
			}
		}
	}
}
