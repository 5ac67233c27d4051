package lift

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"gpuperf/kernel/expr"
)

// Term is a node of a program: immutable, typed and hash-consed. Terms with equal fields are the same pointer, except those under
// construction, which have Free variables.
type Term struct {
	Op   Op
	Kids []*Term
	Attr
	Type *Type

	needs []Assumption // of this node alone
	id    uint64
	open  int   // the largest de Bruijn index that is bound outside the term, plus one
	ops   OpSet // in the whole term
	size  int
	next  *Term // in its bucket
	err   error

	assumptions atomic.Pointer[[]Assumption] // computed on first use
}

// Attr is the data of a term other than its kids.
type Attr struct {
	Sizes  []Size
	Ints   []int
	Params []*Type // of Lambda; of Var and Free their type
	User   *UserFun
	Lit    Lit
	Index  *IndexFun
}

// Lit is a literal: its text is a decimal number, in the shortest form of its type. Width is 0 for a scalar; else it is a
// vector of that many equal lanes.
type Lit struct {
	DType expr.DType
	Text  string
	Width int
}

// Rat is the exact value of the literal's text.
func (l Lit) Rat() *big.Rat {
	if n, err := strconv.ParseInt(l.Text, 10, 64); err == nil {
		return new(big.Rat).SetInt64(n)
	}
	r, _ := new(big.Rat).SetString(l.Text)
	return cmp.Or(r, new(big.Rat))
}

// Err is the reason why the term is ill-typed; nil for every term that can be used.
func (t *Term) Err() error { return t.err }

// Ops is the set of operators in the term.
func (t *Term) Ops() OpSet { return t.ops }

// Size is the number of nodes of the term as a tree.
func (t *Term) Size() int { return t.size }

// Closed reports whether the term has no variables that are bound outside.
func (t *Term) Closed() bool { return t.open == 0 && !t.ops.Has(Free) }

// Fn is the function of a pattern, nil for other terms.
func (t *Term) Fn() *Term {
	if t.Op.HasFun() {
		return t.Kids[0]
	}
	return nil
}

// Arg is the last kid: the array that a pattern works on.
func (t *Term) Arg() *Term { return t.Kids[len(t.Kids)-1] }

// Assumptions lists the assumptions on sizes of all nodes of the term, kids before parents, without those that always hold.
// The list must not be changed.
func (t *Term) Assumptions() []Assumption {
	if known := t.assumptions.Load(); known != nil {
		return *known
	}
	var list []Assumption
	add := func(more []Assumption) {
		if len(list) == 0 {
			list = slices.Clip(more) // shared
			return
		}
		for _, a := range more {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	for _, k := range t.Kids {
		add(k.Assumptions())
	}
	add(t.needs)
	list = slices.Clip(list)
	t.assumptions.Store(&list)
	return list
}

// Walk visits every distinct node of these operators in the term once, kids first.
func Walk(t *Term, ops OpSet, visit func(*Term)) {
	seen := map[*Term]bool{}
	var walk func(t *Term)
	walk = func(t *Term) {
		if t.ops&ops == 0 || seen[t] {
			return
		}
		seen[t] = true
		for _, k := range t.Kids {
			walk(k)
		}
		if ops.Has(t.Op) {
			visit(t)
		}
	}
	walk(t)
}

// bad is a term that carries an error.
func bad(err error) *Term { return &Term{Op: Bad, err: err} }

func badf(format string, args ...any) *Term { return bad(fmt.Errorf(format, args...)) }

// shard is a part of the table of terms with its own lock, so that goroutines rarely wait for each other.
type shard struct {
	sync.Mutex
	table map[uint64]*Term
	count uint64
}

// terms interns every term. Terms live as long as the process.
var terms [64]shard

// Make returns the term of that operator with these attributes and kids; its Err reports an ill-typed one. A lambda that is
// a pattern's function is retyped to the parameter types that the other kids require.
func Make(op Op, attr Attr, kids ...*Term) *Term {
	for _, k := range kids {
		if k == nil {
			return badf("%s of no term", op)
		}
		if k.err != nil {
			return k
		}
	}
	building := op == Free || slices.ContainsFunc(kids, func(k *Term) bool { return k.ops.Has(Free) })
	if building {
		return newTerm(op, attr, kids)
	}
	h := hash(op, &attr, kids)
	s := &terms[h%uint64(len(terms))]
	s.Lock()
	t := s.find(h, op, &attr, kids)
	s.Unlock()
	if t != nil {
		return t
	}
	if t = newTerm(op, attr, kids); t.err != nil || t.id != 0 {
		return t
	}
	s.Lock()
	defer s.Unlock()
	if other := s.find(h, op, &attr, kids); other != nil {
		return other
	}
	if s.table == nil {
		s.table = map[uint64]*Term{}
	}
	s.count++
	t.id = s.count*uint64(len(terms)) + h%uint64(len(terms))
	t.next = s.table[h]
	s.table[h] = t
	return t
}

// newTerm types a term that is not in the table. If its canonical form is another term, it returns that one.
func newTerm(op Op, attr Attr, kids []*Term) *Term {
	d := &draft{op: op, Attr: attr, kids: kids}
	typ := d.typed()
	switch {
	case d.err != nil:
		return bad(d.err)
	case d.instead != nil:
		return d.instead
	}
	t := &Term{Op: op, Kids: slices.Clone(kids), Attr: attr, Type: typ, needs: d.needs, ops: Set(op), size: 1}
	if op == Var {
		t.open = attr.Ints[0] + 1
	}
	for _, k := range kids {
		open := k.open
		if op == Lambda {
			open -= len(attr.Params)
		}
		t.open = max(t.open, open)
		t.ops |= k.ops
		t.size = min(t.size+k.size, 1<<40)
	}
	return t
}

func (s *shard) find(h uint64, op Op, attr *Attr, kids []*Term) *Term {
	for t := s.table[h]; t != nil; t = t.next {
		if t.Op == op && slices.Equal(t.Kids, kids) && t.Attr.equal(attr) {
			return t
		}
	}
	return nil
}

func (a *Attr) equal(b *Attr) bool {
	return a.User == b.User && a.Index == b.Index && a.Lit == b.Lit && slices.Equal(a.Ints, b.Ints) &&
		slices.Equal(a.Sizes, b.Sizes) && slices.Equal(a.Params, b.Params)
}

// hash mixes everything that identifies a term.
func hash(op Op, a *Attr, kids []*Term) uint64 {
	h := uint64(op) + 0x9e3779b97f4a7c15
	mix := func(v uint64) {
		h ^= v
		h *= 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	for _, k := range kids {
		mix(k.id)
	}
	for _, s := range a.Sizes {
		mix(uint64(s.number()) + 1<<40)
	}
	for _, i := range a.Ints {
		mix(uint64(i) + 1<<41)
	}
	for _, p := range a.Params {
		mix(uint64(p.id) + 1<<42)
	}
	if a.User != nil {
		mix(a.User.id + 1<<43)
	}
	if a.Index != nil {
		mix(a.Index.id + 1<<44)
	}
	mix(uint64(a.Lit.Width))
	for i := range len(a.Lit.Text) {
		mix(uint64(a.Lit.Text[i]))
	}
	for i := range len(a.Lit.DType) {
		mix(uint64(a.Lit.DType[i]))
	}
	return h
}

// With returns the term with other kids.
func (t *Term) With(kids ...*Term) *Term {
	if slices.Equal(kids, t.Kids) {
		return t
	}
	return Make(t.Op, t.Attr, kids...)
}

// draft is a term whose type is being inferred.
type draft struct {
	op Op
	Attr
	kids    []*Term
	needs   []Assumption
	err     error
	instead *Term // the canonical form, if that is another term
}

func (d *draft) fail(format string, args ...any) *Type {
	if d.err == nil {
		d.err = &mistake{error: fmt.Errorf(d.op.String()+": "+format, args...), op: d.op}
	}
	return nil
}

// wrong is fail with what would be right, where that is not how the operator is used.
func (d *draft) wrong(hint, format string, args ...any) *Type {
	if d.err == nil {
		d.err = wrong(hint, d.op.String()+": "+format, args...)
	}
	return nil
}

// need records an assumption; one that never holds is an error.
func (d *draft) need(a Assumption) {
	if a.Refuted() {
		d.fail("%s never holds", a)
	}
	d.needs = need(d.needs, a)
}

// typed infers the type from the operator's row.
func (d *draft) typed() *Type {
	r := &rows[d.op]
	if r.result == nil {
		return d.fail("no such operator")
	}
	if n := len(d.kids); r.kids >= 0 && n != r.kids || r.kids < 0 && n < -r.kids {
		return d.fail("it takes %d operands, not %d", max(r.kids, -r.kids), n)
	}
	if len(d.Sizes) != r.sizes || len(d.Ints) != r.ints {
		return d.fail("it takes %d sizes and %d numbers, not %d and %d", r.sizes, r.ints, len(d.Sizes), len(d.Ints))
	}
	for _, s := range d.Sizes {
		d.need(Assumption{Kind: Divides, A: s, B: Nat(1)})
	}
	if r.params == nil {
		return r.result(d)
	}
	want := r.params(d)
	if d.err != nil {
		return nil
	}
	f := d.kids[0]
	if g := f.taking(want); g != f {
		if g.err != nil {
			d.err = g.err
			return nil
		}
		d.kids = append([]*Term{g}, d.kids[1:]...)
		t := Make(d.op, d.Attr, d.kids...)
		if d.err = t.err; d.err == nil {
			d.instead = t
		}
		return nil
	}
	return r.result(d)
}

// taking converts the function f to one with parameters of the types want.
func (f *Term) taking(want []*Type) *Term {
	switch {
	case f.Type.Kind != FuncType:
		return bad(wrong("write fun(x => …), a pattern without its array, or the name of a function", "a function is expected, not a value of type %s", f.Type))
	case slices.Equal(f.Type.Elems, want):
		return f
	case f.Op == Lambda && len(f.Params) == len(want):
		return f.retyped(want)
	case f.Op == Fun && len(want) == 1 && want[0].Kind == TupleType && slices.Equal(want[0].Elems, f.Type.Elems):
		// A function of several parameters takes the components of a tuple.
		args := []*Term{f}
		for i := range want[0].Elems {
			args = append(args, GetOf(i, Make(Var, Attr{Ints: []int{0}, Params: want})))
		}
		return Make(Lambda, Attr{Params: want}, Make(Call, Attr{}, args...))
	}
	name := "the function"
	if f.Op == Fun {
		name = f.User.Name
	}
	return bad(wrong("write fun(x => …) with a parameter for each value that the pattern gives, or fun((a, b) => …) for a tuple",
		"%s takes (%s), but is given (%s)", name, joinTypes(f.Type.Elems), joinTypes(want)))
}
