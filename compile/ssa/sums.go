package ssa

import (
	"cmp"
	"maps"
	"slices"
)

// sum is a word as a sum of products of up to two values, each with a factor; that of nothing is a number. It is right modulo 2 to the power of 32.
type sum map[product]int32

// product is that of two values, by the order of their numbers; nil for none.
type product struct{ a, b *Value }

// mostTerms bounds sums.
const mostTerms = 8

func multiply(p, q product) (product, bool) {
	switch {
	case p.a == nil:
		return q, true
	case q.a == nil:
		return p, true
	case p.b != nil || q.b != nil:
		return product{}, false
	case p.a.ID > q.a.ID:
		return product{q.a, p.a}, true
	}
	return product{p.a, q.a}, true
}

func sumOf(v *Value, depth int) sum {
	const deepest = 12 // sums of more than so many operations are left as they are: addresses nest less deep
	self := sum{product{a: v}: 1}
	if v.Op == Const {
		return sum{product{}: int32(v.Int)}.tidy()
	}
	if v.Type != W || depth > deepest {
		return self
	}
	switch v.Op {
	case Add, Sub:
		sign := int32(1)
		if v.Op == Sub {
			sign = -1
		}
		return self.unless(sumOf(v.Args[0], depth+1).plus(sumOf(v.Args[1], depth+1), sign))
	case Shl:
		if n := v.Args[1]; n.Op == Const && n.Int < 32 {
			return self.unless(sum{}.plus(sumOf(v.Args[0], depth+1), 1<<n.Int))
		}
	case Mul:
		x, y := sumOf(v.Args[0], depth+1), sumOf(v.Args[1], depth+1)
		out := sum{}
		for p, m := range x {
			for q, n := range y {
				r, ok := multiply(p, q)
				if !ok {
					return self
				}
				out[r] += m * n
			}
		}
		return self.unless(out.tidy())
	}
	return self
}

// unless is a sum, or the value itself where that has too many terms.
func (s sum) unless(t sum) sum {
	if len(t) > mostTerms {
		return s
	}
	return t
}

func (s sum) tidy() sum {
	for p, n := range s {
		if n == 0 {
			delete(s, p)
		}
	}
	return s
}

func (s sum) plus(t sum, times int32) sum {
	out := sum{}
	maps.Copy(out, s)
	for p, n := range t {
		out[p] += n * times
	}
	return out.tidy()
}

func (s sum) number() (int64, bool) {
	switch n, ok := s[product{}]; {
	case len(s) == 0:
		return 0, true
	case ok && len(s) == 1:
		return int64(n), true
	}
	return 0, false
}

// one is the only value in a sum, and its factor.
func (s sum) one() (v *Value, times int32) {
	if len(s) != 1 {
		return nil, 0
	}
	for p, n := range s {
		if p.a != nil && p.b == nil {
			return p.a, n
		}
	}
	return nil, 0
}

// terms are those of a sum in a fixed order.
func (s sum) terms() []product {
	var all []product
	for p := range s {
		all = append(all, p)
	}
	id := func(v *Value) int {
		if v == nil {
			return -1
		}
		return v.ID
	}
	slices.SortFunc(all, func(p, q product) int { return cmp.Or(cmp.Compare(id(p.a), id(q.a)), cmp.Compare(id(p.b), id(q.b))) })
	return all
}

// far is an address of 64 bits: a base, and an index that is extended with its sign and multiplied.
type far struct {
	base  *Value
	size  int64
	index *Value
}

func farOf(v *Value) (f far, ok bool) {
	if v.Op != Add || v.Type != D {
		return f, false
	}
	for i, a := range v.Args {
		if a.Op == MulWideS && a.Args[1].Op == Const {
			return far{v.Args[1-i], a.Args[1].Int, a.Args[0]}, true
		}
	}
	return f, false
}

// mostNeighbours bounds how many addresses before one are looked at.
const mostNeighbours = 24

// Chain makes addresses of a block of each other: those that are a constant apart are one with an offset, and those that are a multiple of a value apart
// follow by one product from the one before, as NVIDIA's compiler has them. Indices are signed, and so do not run over.
func Chain(f *Func) {
	users := usersOf(f)
	by := map[*Value]*Value{}
	for _, b := range f.Blocks {
		type seen struct {
			v *Value
			s sum
		}
		known := map[far][]seen{}
		for _, v := range slices.Clone(b.Values) {
			a, ok := farOf(v)
			if !ok {
				continue
			}
			key := far{base: a.base, size: a.size}
			s := sumOf(a.index, 0)
			list := known[key]
			if f.same(b, v, s, a.size, users, func(use func(*Value, sum) bool) {
				for i := len(list) - 1; i >= max(0, len(list)-mostNeighbours); i-- {
					if use(list[i].v, list[i].s) {
						return
					}
				}
			}, by) {
				continue
			}
			known[key] = append(known[key], seen{v, s})
		}
	}
	f.Replace(by)
}

// same makes an address of those before it. It reports whether it is one of them with an offset.
func (f *Func) same(b *Block, v *Value, s sum, size int64, users map[*Value][]*Value, each func(func(*Value, sum) bool), by map[*Value]*Value) (found bool) {
	each(func(other *Value, t sum) bool {
		n, ok := s.plus(t, -1).number()
		if !ok || !shifts(v, users[v]) {
			return false
		}
		for _, u := range users[v] {
			u.Access.Offset += n * size
		}
		by[v] = other
		users[other] = append(users[other], users[v]...)
		found = true
		return true
	})
	if found {
		return true
	}
	each(func(other *Value, t sum) bool {
		by, times := s.plus(t, -1).one()
		if by == nil || by.Type != W {
			return false
		}
		step := &Value{ID: f.Next(), Op: MulWideS, Type: D, Args: []*Value{by, f.word(int64(times) * size)}, Block: b, Line: v.Line}
		insertBefore(b, v, step)
		v.Args = []*Value{other, step}
		return true
	})
	return false
}

func (f *Func) word(n int64) *Value {
	return &Value{ID: f.Next(), Op: Const, Type: W, Int: int64(uint32(n))}
}

// shifts reports whether a value is nothing but the address of accesses, which have offsets.
func shifts(v *Value, users []*Value) bool {
	for _, u := range users {
		if u.Access == nil || len(u.Args) == 0 || u.Args[0] != v || u.Op == Store && len(u.Args) < 2 {
			return false
		}
		if slices.Contains(u.Args[1:], v) {
			return false
		}
	}
	return len(users) > 0
}

// usersOf are the values that read each value. A block that ends by one counts as one that reads it twice.
func usersOf(f *Func) map[*Value][]*Value {
	out := map[*Value][]*Value{}
	other := &Value{Op: Effect}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Reads(func(p **Value) { out[*p] = append(out[*p], v) })
		}
		if b.Cond != nil {
			out[b.Cond] = append(out[b.Cond], other)
		}
	}
	return out
}

// Reduce replaces products of what counts the iterations of a loop in indices by sums: the index of the next iteration is that of this one and a step.
func Reduce(f *Func) {
	for _, b := range f.Blocks {
		if b.Loop == nil || len(b.Loop.Header.Preds) != 2 {
			continue
		}
		made := map[*Value]*Value{}
		for _, v := range slices.Clone(b.Values) {
			a, ok := farOf(v)
			if !ok {
				continue
			}
			q := made[a.index]
			if q == nil {
				q = f.reduced(b.Loop, a.index)
				made[a.index] = q
			}
			if q == nil {
				continue
			}
			step := &Value{ID: f.Next(), Op: MulWideS, Type: D, Args: []*Value{q, f.word(a.size)}, Block: b, Line: v.Line}
			insertBefore(b, v, step)
			v.Args = []*Value{a.base, step}
		}
	}
}

// reduced is a phi that has the value of an index in each iteration; nil where that is not to be.
func (f *Func) reduced(l *Loop, index *Value) *Value {
	header := l.Header
	s := sumOf(index, 0)
	var counter *Value
	for _, p := range s.terms() {
		for _, v := range []*Value{p.a, p.b} {
			if v == nil || v.Block == nil || !v.Block.Loop.In(l) || v == counter {
				continue
			}
			if v.Op != Phi || v.Block != header || counter != nil {
				return nil
			}
			counter = v
		}
	}
	if counter == nil || len(counter.Args) != 2 {
		return nil
	}
	next := counter.Args[1]
	if next.Op != Add || next.Args[0] != counter || next.Args[1].Op != Const {
		return nil
	}
	by := int32(next.Args[1].Int)
	// what is multiplied by the counter, and what is not
	factor, rest := sum{}, sum{}
	for p, n := range s {
		switch {
		case p.a == counter && p.b == counter:
			return nil
		case p.a == counter:
			factor[product{a: p.b}] += n
		case p.b == counter:
			factor[product{a: p.a}] += n
		default:
			rest[p] += n
		}
	}
	if _, constant := factor.number(); constant {
		return nil // it is a sum already
	}
	return f.counted(l, index, counter.Args[0], factor, rest, by)
}

// counted makes the phi of an index that is a factor times a counter, and a rest, where the counter goes from a value by a number.
func (f *Func) counted(l *Loop, index, from *Value, factor, rest sum, by int32) *Value {
	header := l.Header
	before, end := l.Before, header.Preds[1]
	start := sum{}.plus(rest, 1)
	for p, n := range factor {
		first := sumOf(from, 0)
		for q, m := range first {
			r, ok := multiply(p, q)
			if !ok {
				return nil
			}
			start[r] += n * m
		}
	}
	phi := &Value{ID: f.Next(), Op: Phi, Type: W, Block: header, Line: index.Line}
	header.Values = append([]*Value{phi}, header.Values...)
	step := f.valueOf(before, sum{}.plus(factor, by), index.Line)
	first := f.valueOf(before, start.tidy(), index.Line)
	again := &Value{ID: f.Next(), Op: Add, Type: W, Args: []*Value{phi, step}, Block: end, Line: index.Line}
	end.Values = append(end.Values, again)
	phi.Args = []*Value{first, again}
	return phi
}

// valueOf makes the value of a sum at the end of a block.
func (f *Func) valueOf(b *Block, s sum, line int) (out *Value) {
	add := func(op Op, args ...*Value) *Value {
		v := &Value{ID: f.Next(), Op: op, Type: W, Args: args, Block: b, Line: line}
		b.Values = append(b.Values, v)
		return v
	}
	for _, p := range s.terms() {
		n := f.word(int64(s[p]))
		term := n
		if p.a != nil {
			term = p.a
			if p.b != nil {
				term = add(Mul, p.a, p.b)
			}
			if s[p] != 1 {
				term = add(Mul, term, n)
			}
		}
		if out == nil {
			out = term
		} else {
			out = add(Add, out, term)
		}
	}
	if out == nil {
		return f.word(0)
	}
	return out
}
