package ssa

import "fmt"

// Builder makes the values of a function, block after block.
type Builder struct {
	*Func
	Block *Block // where values are made
	Line  int
	// Within are the operands of the operation whose instructions are made, as in Value.
	Within []*Value

	scopes    []map[string]*Value // values that were computed before, innermost last
	constants map[string]*Value
	epoch     [Generic + 1]int // of each space, how often it was changed
}

// NewBuilder begins a function.
func NewBuilder(name string) *Builder {
	b := &Builder{Func: &Func{Name: name}, constants: map[string]*Value{}}
	b.Open()
	b.Begin(b.NewBlock())
	return b
}

// NewBlock makes a block.
func (b *Builder) NewBlock() *Block {
	b.values++
	return &Block{ID: b.values}
}

// Begin goes on in a block, which comes next in the order of the function.
func (b *Builder) Begin(block *Block) {
	b.Block = block
	b.Blocks = append(b.Blocks, block)
}

// Goto ends the block by a jump.
func (b *Builder) Goto(to *Block) {
	b.Block.End, b.Block.To[0] = Jump, to
	to.Preds = append(to.Preds, b.Block)
}

// Branch ends the block by a branch.
func (b *Builder) Branch(cond *Value, yes, no *Block) {
	b.Block.End, b.Block.Cond, b.Block.To = Branch, cond, [2]*Block{yes, no}
	yes.Preds, no.Preds = append(yes.Preds, b.Block), append(no.Preds, b.Block)
}

// Open begins a part of the function that the rest is not dominated by; Close ends it.
func (b *Builder) Open() { b.scopes = append(b.scopes, map[string]*Value{}) }

// Close ends what Open began.
func (b *Builder) Close() { b.scopes = b.scopes[:len(b.scopes)-1] }

// Assume says whether a predicate holds where values are made from now on, until Close.
func (b *Builder) Assume(cond *Value, is bool) {
	scope := b.scopes[len(b.scopes)-1]
	switch {
	case cond.Op == PNot:
		b.Assume(cond.Args[0], !is)
		return
	case cond.Op == PAnd && is, cond.Op == POr && !is:
		b.Assume(cond.Args[0], is)
		b.Assume(cond.Args[1], is)
	case cond.Op == Const:
		return
	}
	scope[keyOf(cond)] = b.Bool(is)
	if other := opposite[cond.Aux]; cond.Op == Cmp && other != "" {
		scope[keyOf(&Value{Op: Cmp, Type: Pred, Aux: other, Args: cond.Args})] = b.Bool(!is)
	}
}

// Changed says that memory of a space may have changed.
func (b *Builder) Changed(s Space) {
	for i := range b.epoch {
		if s == Generic || Space(i) == s || Space(i) == Generic {
			b.epoch[i]++
		}
	}
}

// Undefined is a value that may be anything.
func (b *Builder) Undefined(t Type) *Value {
	key := fmt.Sprint("undefined", t)
	v := b.constants[key]
	if v == nil {
		v = &Value{ID: b.Next(), Op: Undef, Type: t}
		b.constants[key] = v
	}
	return v
}

// Const is a word.
func (b *Builder) Const(n int64) *Value { return b.constant(W, int64(uint32(n))) }

// Const64 is a pair of words.
func (b *Builder) Const64(n int64) *Value { return b.constant(D, n) }

// Bool is a predicate.
func (b *Builder) Bool(is bool) *Value {
	if is {
		return b.constant(Pred, 1)
	}
	return b.constant(Pred, 0)
}

func (b *Builder) constant(t Type, n int64) *Value {
	key := fmt.Sprint(t, n)
	v := b.constants[key]
	if v == nil {
		v = &Value{ID: b.Next(), Op: Const, Type: t, Int: n}
		b.constants[key] = v
	}
	return v
}

// Phi makes a value of a block that has several before it, with arguments for some of these.
func (b *Builder) Phi(t Type, block *Block, args ...*Value) *Value {
	v := &Value{ID: b.Next(), Op: Phi, Type: t, Args: args, Block: block, Line: b.Line}
	n := 0
	for n < len(block.Values) && block.Values[n].Op == Phi {
		n++
	}
	block.Values = append(block.Values[:n:n], append([]*Value{v}, block.Values[n:]...)...)
	return v
}

// Emit makes a value with an effect, or whose value nobody may take for that of another.
func (b *Builder) Emit(v *Value) *Value {
	v.ID, v.Block, v.Line, v.Within = b.Next(), b.Block, b.Line, b.Within
	b.Block.Values = append(b.Block.Values, v)
	return v
}

// known finds a value by its key, or makes it.
func (b *Builder) known(key string, v *Value) *Value {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if old := b.scopes[i][key]; old != nil {
			return old
		}
	}
	b.Emit(v)
	b.scopes[len(b.scopes)-1][key] = v
	return v
}

func keyOf(v *Value) string {
	k := make([]byte, 0, 64)
	k = fmt.Appendf(k, "%d %d %d %s", v.Op, v.Type, v.Int, v.Aux)
	for _, a := range v.Args {
		k = fmt.Appendf(k, " %d", a.ID)
	}
	for _, a := range v.Within {
		k = fmt.Appendf(k, " of %d", a.ID)
	}
	return string(k)
}

// Make is a value without an effect, folded, or found among those before.
func (b *Builder) Make(op Op, t Type, args ...*Value) *Value {
	return b.make(&Value{Op: op, Type: t, Args: args})
}

// MakeAux is Make of an operation that a name says more of.
func (b *Builder) MakeAux(op Op, t Type, aux string, args ...*Value) *Value {
	return b.make(&Value{Op: op, Type: t, Aux: aux, Args: args})
}

// MakeInt is Make of an operation that a number says more of.
func (b *Builder) MakeInt(op Op, t Type, n int64, args ...*Value) *Value {
	return b.make(&Value{Op: op, Type: t, Int: n, Args: args})
}

// MakeWith is Make of an operation that a number and a name say more of.
func (b *Builder) MakeWith(op Op, t Type, n int64, aux string) *Value {
	return b.make(&Value{Op: op, Type: t, Int: n, Aux: aux})
}

func (b *Builder) make(v *Value) *Value {
	if folded := b.fold(v); folded != nil {
		return folded
	}
	v.Within = b.Within
	return b.known(keyOf(v), v)
}

// Load reads memory. What was read before, and cannot have changed, is not read again.
func (b *Builder) Load(t Type, a Access, address *Value) *Value {
	v := &Value{Op: Load, Type: t, Access: &a}
	if address != nil {
		v.Args = []*Value{address}
	}
	if a.Volatile {
		return b.Emit(v)
	}
	epoch := b.epoch[a.Space]
	if a.ReadOnly {
		epoch = 0
	}
	return b.known(fmt.Sprintf("%s at %d %d %v %d", keyOf(v), a.Space, a.Offset, a.Signed, epoch)+fmt.Sprint(a.Bytes), v)
}

// Store writes memory.
func (b *Builder) Store(a Access, address, value *Value) {
	b.Changed(a.Space)
	args := []*Value{address, value}
	if address == nil {
		args = args[1:]
	}
	b.Emit(&Value{Op: Store, Access: &a, Args: args})
}

// Word is word i of a value.
func (b *Builder) Word(v *Value, i int) *Value { return b.MakeInt(Extract, W, int64(i), v) }
