package ssa

import "slices"

// A vector of four words is always kept in registers; more words only where no two that are beside each other are loaded or stored at once, and where no more comparisons
// are made than mostComparisons for each access.
const (
	vectorBytes     = 16
	mostComparisons = 3
)

// InRegisters keeps what lies in private memory in registers, where that is few words: a place that is not constant is compared with each of them. So does NVIDIA's assembler.
func InRegisters(f *Func) {
	if f.Stack == 0 || f.Stack > f.MostInRegisters {
		return
	}
	a := &inRegisters{f: f, words: int(f.Stack+3) / 4, at: map[*Value]place{}, by: map[*Value]*Value{}, out: map[*Block][]*Value{}}
	if !a.find() || f.Stack > vectorBytes && !a.pays() {
		return
	}
	for _, b := range f.Blocks {
		a.block(b)
	}
	for _, b := range f.Blocks {
		for i, phi := range a.phis(b) {
			for _, p := range b.Preds {
				phi.Args = append(phi.Args, a.out[p][i])
			}
		}
	}
	f.Replace(a.by)
	f.Stack = 0
	TrivialPhis(f)
	Dead(f)
}

// place is how far from its beginning private memory is accessed: a number, and what is added to it or nil.
type place struct {
	n     int64
	index *Value
}

type inRegisters struct {
	f     *Func
	words int
	at    map[*Value]place  // of addresses
	by    map[*Value]*Value // what takes the places of loads
	out   map[*Block][]*Value
	now   []*Value // the words
	list  []*Value // of the block
}

// find finds the addresses, and reports whether all of them serve accesses to whole words alone.
func (a *inRegisters) find() bool {
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			access := v.Access != nil && v.Access.Space == Private && len(v.Args) > 0 && v.Guard == nil && !v.Access.Volatile
			for i, arg := range v.Args {
				of, is := a.at[arg]
				switch {
				case !is || access && i == 0 && whole(v.Access, of):
				case v.Op == Add && v.Type == W && i == 0 && of.index == nil && v.Args[1].Op == Const:
					a.at[v] = place{n: of.n + int64(int32(v.Args[1].Int))}
				case v.Op == Add && v.Type == W && of.index == nil && !a.addresses(v.Args[1-i]):
					a.at[v] = place{of.n, v.Args[1-i]}
				default:
					return false
				}
			}
			if access && !a.addresses(v.Args[0]) {
				return false
			}
			if v.Op == Special && v.Aux == "stack" {
				a.at[v] = place{}
			}
		}
	}
	return true
}

// pays reports whether most accesses are of constant places, and of single words.
func (a *inRegisters) pays() bool {
	accesses, comparisons := 0, 0
	for _, b := range a.f.Blocks {
		last := map[Op]map[int64]bool{Load: {}, Store: {}} // places that were accessed, and nothing else in between
		for _, v := range b.Values {
			if v.Access == nil || v.Access.Space != Private {
				continue
			}
			at := a.at[v.Args[0]]
			n := at.n + v.Access.Offset
			if accesses++; at.index != nil {
				comparisons += a.words
			} else if v.Access.Bytes > 4 || last[v.Op][n^4] && !v.Access.Lanes {
				return false
			}
			if other := Load + Store - v.Op; len(last[other]) > 0 {
				last[other] = map[int64]bool{}
			}
			last[v.Op][n] = at.index == nil && !v.Access.Lanes
		}
	}
	return comparisons <= mostComparisons*accesses
}

func (a *inRegisters) addresses(v *Value) bool { _, is := a.at[v]; return is }

func whole(a *Access, at place) bool { return a.Bytes%4 == 0 && (at.n+a.Offset)%4 == 0 }

// phis are those of the words at the beginning of a block; none where control comes from one block only.
func (a *inRegisters) phis(b *Block) []*Value {
	if len(b.Preds) < 2 {
		return nil
	}
	return b.Values[:a.words]
}

func (a *inRegisters) block(b *Block) {
	a.now, a.list = make([]*Value, a.words), nil
	switch len(b.Preds) {
	case 0:
		anything := &Value{ID: a.f.Next(), Op: Undef, Type: W}
		for i := range a.now {
			a.now[i] = anything
		}
	case 1:
		copy(a.now, a.out[b.Preds[0]])
	default:
		for i := range a.now {
			a.now[i] = a.add(b, &Value{Op: Phi, Type: W})
		}
	}
	for _, v := range b.Values {
		if v.Access == nil || v.Access.Space != Private {
			a.list = append(a.list, v)
			continue
		}
		at := a.at[v.Args[0]]
		at.n += v.Access.Offset
		if v.Op == Load {
			a.by[v] = a.load(b, v, at)
		} else {
			a.store(b, v, at)
		}
	}
	b.Values, a.out[b] = a.list, a.now
}

// add adds a value to a block.
func (a *inRegisters) add(b *Block, v *Value) *Value {
	v.ID, v.Block = a.f.Next(), b
	a.list = append(a.list, v)
	return v
}

// load is what a number of some words at a place is.
func (a *inRegisters) load(b *Block, v *Value, at place) *Value {
	words := v.Access.Bytes / 4
	var all []*Value
	for i := range words {
		all = append(all, a.word(b, v, at, i, words))
	}
	if words == 1 {
		return all[0]
	}
	return a.add(b, &Value{Op: Pack, Type: v.Type, Args: all, Line: v.Line})
}

// word is the i-th of some words at a place.
func (a *inRegisters) word(b *Block, v *Value, at place, i, words int) (x *Value) {
	if at.index == nil {
		if k := int(at.n)/4 + i; k >= 0 && k < a.words {
			return a.now[k]
		}
		return a.f.word(0) // nothing lies there
	}
	for k := i; k < a.words; k += words {
		if x == nil {
			x = a.now[k]
			continue
		}
		x = a.add(b, &Value{Op: Select, Type: W, Args: []*Value{a.is(b, v, at, k-i), a.now[k], x}, Aux: InPlace, Line: v.Line})
	}
	return x
}

// is is whether a place is that of a word.
func (a *inRegisters) is(b *Block, v *Value, at place, k int) *Value {
	same := func(w *Value) bool {
		return w.Op == Cmp && w.Aux == "EQ" && w.Args[0] == at.index && w.Args[1].Int == int64(uint32(4*int64(k)-at.n)) && w.Args[1].Op == Const
	}
	if i := slices.IndexFunc(a.list, same); i >= 0 {
		return a.list[i]
	}
	return a.add(b, &Value{Op: Cmp, Type: Pred, Aux: "EQ", Args: []*Value{at.index, a.f.word(4*int64(k) - at.n)}, Line: v.Line})
}

func (a *inRegisters) store(b *Block, v *Value, at place) {
	words := v.Access.Bytes / 4
	for i := range words {
		x := v.Args[1]
		if words > 1 {
			x = a.add(b, &Value{Op: Extract, Type: W, Int: int64(i), Args: []*Value{x}, Line: v.Line})
		}
		if at.index == nil {
			if k := int(at.n)/4 + i; k >= 0 && k < a.words {
				a.now[k] = x
			}
			continue
		}
		for k := i; k < a.words; k += words {
			a.now[k] = a.add(b, &Value{Op: Select, Type: W, Args: []*Value{a.is(b, v, at, k-i), x, a.now[k]}, Aux: InPlace, Line: v.Line})
		}
	}
}
