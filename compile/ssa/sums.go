package ssa

import (
	"cmp"
	"maps"
	"slices"
)

// sum is an integer as a sum of products of up to two values, each with a factor; that of nothing is a number. Of a word it is right modulo 2 to the power
// of 32, and factors are those of a word with a sign.
type sum map[product]int64

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

// deepest is how many operations sums are followed through: addresses nest less deep.
const deepest = 12

func sumOf(v *Value, depth int) sum { return sumIn(nil, v, depth) }

// sumIn is a sum in which what comes from outside of a loop stays as it is.
func sumIn(l *Loop, v *Value, depth int) sum {
	self := sum{product{a: v}: 1}
	if v.Op == Const {
		return sum{product{}: int64(int32(v.Int))}.tidy()
	}
	if v.Type != W || depth > deepest || l != nil && v.Block != nil && !v.Block.Loop.In(l) {
		return self
	}
	switch v.Op {
	case Add, Sub:
		sign := int64(1)
		if v.Op == Sub {
			sign = -1
		}
		return self.unless(sumIn(l, v.Args[0], depth+1).plus(sumIn(l, v.Args[1], depth+1), sign).word())
	case Shl:
		if n := v.Args[1]; n.Op == Const && n.Int < 32 {
			return self.unless(sum{}.plus(sumIn(l, v.Args[0], depth+1), 1<<n.Int).word())
		}
	case Mul:
		if out := sumIn(l, v.Args[0], depth+1).times(sumIn(l, v.Args[1], depth+1)); out != nil {
			return self.unless(out.word())
		}
	}
	return self
}

// farSum is an integer of 64 bits as a sum in which words stand for what they are with their sign. Words that are extended with their sign are indices, which
// do not run over.
func farSum(v *Value, depth int) sum {
	self := sum{product{a: v}: 1}
	switch {
	case v.Op == Const:
		return sum{product{}: v.Int}.tidy()
	case depth > deepest:
		return self
	}
	switch v.Op {
	case Sext:
		return sumOf(v.Args[0], depth+1)
	case Add, Sub:
		sign := int64(1)
		if v.Op == Sub {
			sign = -1
		}
		return self.unless(farSum(v.Args[0], depth+1).plus(farSum(v.Args[1], depth+1), sign))
	case Shl:
		if n := v.Args[1]; n.Op == Const && n.Int < 32 {
			return self.unless(sum{}.plus(farSum(v.Args[0], depth+1), 1<<n.Int))
		}
	case Mul:
		if out := farSum(v.Args[0], depth+1).times(farSum(v.Args[1], depth+1)); out != nil {
			return self.unless(out)
		}
	case MulWideS:
		if out := sumOf(v.Args[0], depth+1).times(sumOf(v.Args[1], depth+1)); out != nil {
			return self.unless(out)
		}
	}
	return self
}

// times is a product of sums; nil where products of more than two values come of it.
func (s sum) times(t sum) sum {
	out := sum{}
	for p, m := range s {
		for q, n := range t {
			r, ok := multiply(p, q)
			if !ok {
				return nil
			}
			out[r] += m * n
		}
	}
	return out.tidy()
}

// word has the factors of a word.
func (s sum) word() sum {
	for p, n := range s {
		s[p] = int64(int32(n))
	}
	return s.tidy()
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

func (s sum) plus(t sum, times int64) sum {
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
		return n, true
	}
	return 0, false
}

// one is the only value in a sum, and its factor.
func (s sum) one() (v *Value, times int64) {
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
// follow by one product from the one before, as NVIDIA's compiler has them.
func Chain(f *Func) {
	users := usersOf(f)
	by := map[*Value]*Value{}
	for _, b := range f.Blocks {
		type seen struct {
			v *Value
			s sum
		}
		known := map[*Value][]seen{}
		for _, v := range slices.Clone(b.Values) {
			if _, ok := farOf(v); !ok && !addresses(v, users[v]) {
				continue
			}
			s := farSum(v, 0)
			base := s.base()
			list := known[base]
			if f.same(b, v, s, users, func(use func(*Value, sum) bool) {
				for i := len(list) - 1; i >= max(0, len(list)-mostNeighbours); i-- {
					if use(list[i].v, list[i].s) {
						return
					}
				}
			}, by) {
				continue
			}
			known[base] = append(known[base], seen{v, s})
		}
	}
	f.Replace(by)
}

// base is the first value of 64 bits in a sum: the address of an array, to which the rest is added.
func (s sum) base() *Value {
	for _, p := range s.terms() {
		if p.a != nil && p.b == nil && p.a.Type == D {
			return p.a
		}
	}
	return nil
}

// addresses reports whether a value of 64 bits is the address of an access.
func addresses(v *Value, users []*Value) bool {
	return v.Op == Add && v.Type == D && slices.ContainsFunc(users, func(u *Value) bool {
		return u.Access != nil && len(u.Args) > 0 && u.Args[0] == v && (u.Op != Store || len(u.Args) > 1)
	})
}

// same makes an address of those before it. It reports whether it is one of them with an offset.
func (f *Func) same(b *Block, v *Value, s sum, users map[*Value][]*Value, each func(func(*Value, sum) bool), by map[*Value]*Value) (found bool) {
	each(func(other *Value, t sum) bool {
		n, ok := s.plus(t, -1).number()
		if !ok || !shifts(v, users[v]) {
			return false
		}
		for _, u := range users[v] {
			u.Access.Offset += n
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
		if by == nil || by.Type != W || times != int64(int32(times)) {
			return false
		}
		step := &Value{ID: f.Next(), Op: MulWideS, Type: D, Args: []*Value{by, f.word(times)}, Block: b, Line: v.Line}
		insertBefore(b, v, step)
		v.Args = []*Value{other, step}
		return true
	})
	return false
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

// Reduce replaces products of what counts the iterations of a loop in indices by sums: the index of the next iteration is that of this one and a step. Of
// indices of 64 bits it is the address that goes on by a step.
func Reduce(f *Func) {
	users := usersOf(f)
	by := map[*Value]*Value{}
	for _, b := range f.Blocks {
		if b.Loop == nil || len(b.Loop.Header.Preds) != 2 {
			continue
		}
		for _, v := range slices.Clone(b.Values) {
			if chained := slices.ContainsFunc(v.Args, func(a *Value) bool { return a.Block == b && addresses(a, users[a]) }); addresses(v, users[v]) && !chained {
				if p := f.reduced(b.Loop, v, farSum(v, 0)); p != nil {
					by[v] = p
				}
			}
		}
	}
	f.Replace(by)
}

// reduced is a phi that has the value of an index or address, a sum, in each iteration; nil where that is not to be.
func (f *Func) reduced(l *Loop, index *Value, s sum) *Value {
	header := l.Header
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
	if counter == nil || counter.Type != W || len(counter.Args) != 2 {
		return nil
	}
	next := counter.Args[1]
	if next.Op != Add || next.Args[0] != counter || next.Args[1].Op != Const {
		return nil
	}
	by := int64(int32(next.Args[1].Int))
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
func (f *Func) counted(l *Loop, index, from *Value, factor, rest sum, by int64) *Value {
	header := l.Header
	before, end := l.Before, header.Preds[1]
	first := factor.times(sumOf(from, 0))
	if first == nil {
		return nil
	}
	t := index.Type
	phi := &Value{ID: f.Next(), Op: Phi, Type: t, Block: header, Line: index.Line}
	header.Values = append([]*Value{phi}, header.Values...)
	step := f.valueOf(before, t, sum{}.plus(factor, by), index.Line)
	start := f.valueOf(before, t, rest.plus(first, 1), index.Line)
	again := &Value{ID: f.Next(), Op: Add, Type: t, Args: []*Value{phi, step}, Block: end, Line: index.Line}
	end.Values = append(end.Values, again)
	phi.Args = []*Value{start, again}
	return phi
}

// valueOf makes the value of a sum, of one word or two, at the end of a block.
func (f *Func) valueOf(b *Block, t Type, s sum, line int) (out *Value) {
	add := func(op Op, args ...*Value) *Value {
		v := &Value{ID: f.Next(), Op: op, Type: t, Args: args, Block: b, Line: line}
		for _, old := range b.Values {
			if same(old, v) {
				return old
			}
		}
		b.Values = append(b.Values, v)
		return v
	}
	number := func(n int64) *Value {
		if t == W {
			return f.word(n)
		}
		return &Value{ID: f.Next(), Op: Const, Type: D, Int: n}
	}
	for _, p := range s.terms() {
		var term *Value
		switch n := s[p]; {
		case p.a == nil:
			term = number(n)
		case t == D && p.b == nil && p.a.Type == W && n == int64(int32(n)):
			term = add(MulWideS, p.a, f.word(n))
		default:
			term = f.productOf(p, t, add)
			if n != 1 {
				term = add(Mul, term, number(n))
			}
		}
		if out == nil {
			out = term
		} else {
			out = add(Add, out, term)
		}
	}
	if out == nil {
		return number(0)
	}
	return out
}

// same reports whether two values that depend on their arguments alone are the same.
func same(v, w *Value) bool {
	return v.Op == w.Op && v.Type == w.Type && v.Aux == w.Aux && v.Int == w.Int && len(v.Within) == 0 && slices.EqualFunc(v.Args, w.Args, func(a, b *Value) bool {
		return a == b || a.Op == Const && b.Op == Const && a.Type == b.Type && a.Int == b.Int
	})
}

// productOf makes a product, of one word or two.
func (f *Func) productOf(p product, t Type, add func(Op, ...*Value) *Value) *Value {
	switch {
	case p.b == nil && p.a.Type == t:
		return p.a
	case p.b == nil:
		return add(Sext, p.a)
	case t == D && p.a.Type == W && p.b.Type == W:
		return add(MulWideS, p.a, p.b)
	}
	wide := func(v *Value) *Value {
		if v.Type == t {
			return v
		}
		return add(Sext, v)
	}
	return add(Mul, wide(p.a), wide(p.b))
}
