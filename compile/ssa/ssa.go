// Package ssa is the form in which package compile keeps a kernel between its source and machine code: values that are each assigned once, in blocks.
//
// Values are words of machine code, not numbers of a language: 32 bits, a pair or four of them, or a predicate; what an operation takes them for is
// part of the operation. A Builder folds what is constant and finds what was computed before as values are made (fold.go); passes rewrite whole
// functions (hoist.go, fuse.go, predicate.go). Each pass leaves what the function computes as it was.
package ssa

// Type is how many words a value has.
type Type uint8

// The types.
const (
	None Type = iota // of what has an effect only
	Pred             // a predicate
	W                // 32 bits
	D                // 64 bits: two words in registers beside each other
	V3               // 96 bits, of which the program uses parts
	V4               // 128 bits
)

// Words is the number of registers of a value.
func (t Type) Words() int { return [...]int{0, 1, 1, 2, 3, 4}[t] }

// Op is what computes a value.
type Op uint8

// The operations. Those with W in their names are of 32 bits where the type of the value does not say; U is unsigned, S signed.
const (
	Const   Op = iota // Int
	Param             // Int: the offset among the parameters, in bytes
	Bank              // Int: the offset in the constant bank of variables, or with the Aux Addresses of their addresses
	Special           // Aux: a special register
	Phi               // of the values at the ends of the blocks before
	Extract           // word Int of a longer value
	Pack              // of words
	Undef

	Add
	Sub
	Mul
	MulHiU
	MulHiS
	MulWideU // of two words, 64 bits
	MulWideS
	Shl
	ShrU
	ShrS
	And
	Or
	Xor
	MinU
	MinS
	MaxU
	MaxS
	Sext // of a word to 64 bits
	Zext

	Cmp    // Aux: EQ, NE, LT, LE, GT, GE, and with U the same of unsigned numbers; of integers as long as the arguments
	FCmp   // the same of float32; of ordered numbers, and with U of others too
	DCmp   // of float64
	Select // Args: predicate, value if it holds, else
	PAnd
	POr
	PXor
	PNot

	FAdd
	FMul
	FFma
	FMin
	FMax
	FNeg
	FAbs
	DAdd
	DMul
	DFma
	DNeg
	DAbs

	Raw // Aux: the mnemonic of an instruction without an effect, of its arguments in order

	Load
	Store  // Args: address, value
	Atomic // Args: address, operand, perhaps a second one
	Copy   // from global to shared memory. Args: to, from
	Effect // Aux: an instruction with an effect
)

// OfUpper ends the Aux of a Raw value that reads the upper half of its first argument.
const OfUpper = " of the upper half"

// InPlace is the Aux of a Select that changes its last argument where the predicate holds.
const InPlace = "in place"

// Addresses is the constant bank of the addresses of variables.
const Addresses = "addresses"

// Space is a part of memory.
type Space uint8

// The parts of memory. Generic is where the program does not say.
const (
	NoSpace Space = iota
	Global
	Shared
	Private
	Constant
	Generic
)

// Access is what a memory operation accesses.
type Access struct {
	Space    Space
	Bytes    int   // of a work-item
	Signed   bool  // of less than a word
	Offset   int64 // behind the address
	Object   any   // what is accessed, where that is known: accesses to other objects are elsewhere
	ReadOnly bool  // nobody writes what is read
	Volatile bool
	Suffix   string // of atomic operations: ADD.F32.FTZ.RN; of loads of matrices, how they lie; of copies, which caches they pass
	Lanes    bool   // of several numbers, which nothing beside them is accessed with
	Other    int64  // of a copy, the offset behind the address in shared memory
}

// Value is computed once.
type Value struct {
	ID     int
	Op     Op
	Type   Type
	Args   []*Value
	Int    int64
	Aux    string
	Access *Access
	Block  *Block // nil for constants
	Line   int
	// Guard is the predicate under which an operation with an effect is done; a load that is not done has the value Else.
	Guard    *Value
	GuardNot bool
	Else     *Value
	// Uses are as of the last Func.CountUses.
	Uses int
	// Within are the operands of the operation, such as a quotient, of whose instructions the value is one that an assembler writes in place of it: they stay
	// together, and those of two operations are not shared.
	Within []*Value
}

// Block is values that are computed together; control goes on as its end says.
type Block struct {
	ID     int
	Values []*Value // Phis first
	Preds  []*Block
	End    End
	Cond   *Value // of Branch and Leave
	Not    bool   // the condition is negated
	To     [2]*Block
	Loop   *Loop
	// Meet begins a region at the end of the block whose work-items meet again at the beginning of that block. Meets is of such a block.
	Meet  *Block
	Meets bool
	// Breaks are the blocks at which work-items that leave by a jump will not meet the others.
	Breaks []*Block
	Rare   bool // it computes what numbers that are out of range need
}

// End is how control goes on behind a block.
type End uint8

// The ends.
const (
	Jump   End = iota // to To[0]
	Branch            // to To[0] where Cond holds, else To[1]
	Exit              // nowhere
	Leave             // nowhere where Cond holds, else to To[0]
)

// Loop is a loop: its header is the first block, and what comes before it ends with Before.
type Loop struct {
	Header, Before *Block
	Outer          *Loop
}

// In reports whether a loop is another one, or in it.
func (l *Loop) In(outer *Loop) bool {
	for ; l != nil; l = l.Outer {
		if l == outer {
			return true
		}
	}
	return outer == nil
}

// Func is a kernel.
type Func struct {
	Name   string
	Blocks []*Block // such that those that dominate others come first, and loops are together
	Shared int64    // bytes of shared memory
	Stack  int64    // bytes of private memory
	// MostInRegisters is how many of these are kept in registers.
	MostInRegisters int64
	Held            []Held // variables in the constant bank
	Global          []Held // variables in global memory, and where their addresses are in the constant bank of these
	Params          []Held // the parameters of a kernel that lie in their constant bank, in order

	values int
}

// Held is a variable in the constant bank of variables, and what it starts with; nil is zeros.
type Held struct {
	Name      string
	At, Bytes int64
	Data      []byte
}

// Pure reports whether a value depends on its arguments alone.
func (v *Value) Pure() bool {
	return v.Op != Phi && v.Op < Load
}

// Succs are the blocks that control may go to.
func (b *Block) Succs() []*Block {
	switch b.End {
	case Jump, Leave:
		return b.To[:1]
	case Branch:
		return b.To[:]
	}
	return nil
}

// Next returns the number of values, and counts another one.
func (f *Func) Next() int { f.values++; return f.values - 1 }

// Count is the number of values that were made.
func (f *Func) Count() int { return f.values }

// Reads lists all values that one depends on.
func (v *Value) Reads(visit func(**Value)) {
	for i := range v.Args {
		visit(&v.Args[i])
	}
	if v.Guard != nil {
		visit(&v.Guard)
	}
	if v.Else != nil {
		visit(&v.Else)
	}
}

// Replace puts other values in the places of values everywhere.
func (f *Func) Replace(by map[*Value]*Value) {
	if len(by) == 0 {
		return
	}
	find := func(v *Value) *Value {
		for by[v] != nil {
			v = by[v]
		}
		return v
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Reads(func(p **Value) { *p = find(*p) })
		}
		if b.Cond != nil {
			b.Cond = find(b.Cond)
		}
	}
}

// CountUses counts the uses of all values.
func (f *Func) CountUses() {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Uses = 0
			v.Reads(func(p **Value) { (*p).Uses = 0 })
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Reads(func(p **Value) { (*p).Uses++ })
		}
		if b.Cond != nil {
			b.Cond.Uses++
		}
	}
}

func (f *Func) word(n int64) *Value {
	return &Value{ID: f.Next(), Op: Const, Type: W, Int: int64(uint32(n))}
}
