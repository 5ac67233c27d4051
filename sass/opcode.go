package sass

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"gpuperf/internal/rows"
)

// Opcode is a row of the table: what an opcode does, as far as performance and data flow need it.
type Opcode struct {
	Name    string // with those modifiers that make it another row: IMAD, IMAD.WIDE
	Class   Class
	Pipe    Pipe
	Latency Latency
	Space   Space  // of memory instructions
	Action  Action // of memory instructions
	Writes  string // the operands that it writes, which come first: r is a register, p a predicate; each is skipped where the text has another kind
	Sizes   string // registers of each operand in order, predicates and addresses aside; see sizes. The rest are single.
	Jump    Jump
}

// Class is what kind of work an opcode is.
type Class string

// The classes.
const (
	Float32     Class = "float32"
	Float64     Class = "float64"
	Float16     Class = "float16"
	Integer     Class = "integer"
	Logic       Class = "logic"   // bits, shifts, permutations of bytes
	Compare     Class = "compare" // comparisons, minima, selections, predicates
	Move        Class = "move"
	Conversion  Class = "conversion"
	Special     Class = "special" // reciprocals, square roots, transcendental functions
	Tensor      Class = "tensor"
	Memory      Class = "memory"
	Exchange    Class = "exchange" // between the work-items of a sub-group: shuffles, votes, reductions
	Synchronize Class = "synchronize"
	Flow        Class = "flow"
	Nothing     Class = "nothing"
)

// Pipe is the unit that executes an instruction, by the names of Nsight Compute.
type Pipe string

// The pipes.
const (
	ALU     Pipe = "alu"     // integer, logic, comparisons
	FMA     Pipe = "fma"     // single precision, products of integers
	FP64    Pipe = "fp64"    // double precision
	FP16    Pipe = "fp16"    // half precision, two at once
	XU      Pipe = "xu"      // transcendental functions, conversions
	LSU     Pipe = "lsu"     // loads, stores, atomics, shuffles
	TEX     Pipe = "tex"     // textures and surfaces
	ADU     Pipe = "adu"     // constants by address, barriers of work-groups
	CBU     Pipe = "cbu"     // branches and convergence
	TC      Pipe = "tensor"  // matrix products
	UDP     Pipe = "uniform" // once per sub-group
	TMA     Pipe = "tma"     // bulk copies
	NotTold Pipe = "other"   // not published
)

// Pipes lists the pipes.
var Pipes = []Pipe{ALU, FMA, FP64, FP16, XU, LSU, TEX, ADU, CBU, TC, UDP, TMA, NotTold}

// Latency is whether the cycles until the result are known when the code is compiled.
type Latency string

// The latency classes: the compiler counts fixed ones by stalls, and waits for variable ones by scoreboards.
const (
	Fixed    Latency = "fixed"
	Variable Latency = "variable"
)

// Space is an address space, named as in OpenCL.
type Space string

// The address spaces. Local memory is CUDA's shared memory, private memory is CUDA's local memory.
const (
	Global   Space = "global"
	Local    Space = "local"
	Private  Space = "private"
	Bank     Space = "constant"
	Generic  Space = "generic"
	Textures Space = "texture"
	Cluster  Space = "cluster" // local memory of other work-groups of the cluster
)

// Action is what is done to memory.
type Action string

// The actions.
const (
	Load   Action = "load"
	Store  Action = "store"
	Atomic Action = "atomic"
	Copy   Action = "copy" // from global to local memory, or back
)

// Jump is how an instruction goes on elsewhere.
type Jump string

// The ways to go on.
const (
	Next     Jump = ""         // with the next instruction
	Meet     Jump = "meet"     // with the next instruction; work-items that part meet again at the target
	Branch   Jump = "branch"   // at the target; with the next one too where there is a condition
	Indirect Jump = "indirect" // at one of several targets, or one that the listing does not name
	Call     Jump = "call"     // at the target, and later with the next one
	Leave    Jump = "leave"    // nowhere in this function
)

//go:embed opcodes.txt
var opcodes string

// table is the rows of the text, and the same by name.
var table = sync.OnceValues(func() (list []Opcode, byName map[string]*Opcode) {
	for r := range rows.Of(opcodes) {
		space, action, _ := strings.Cut(r.At(6), " ")
		list = append(list, Opcode{r[0], Class(r.At(1)), Pipe(r.At(2)), Latency(r.At(3)), Space(space), Action(action), r.At(4), r.At(5), Jump(r.At(7))})
	}
	byName = make(map[string]*Opcode, len(list))
	for i := range list {
		byName[list[i].Name] = &list[i]
	}
	return list, byName
})

// Opcodes lists the table.
func Opcodes() []Opcode {
	list, _ := table()
	return list
}

// Find returns the row with the longest name that the mnemonic begins with, of whole words; nil if there is none.
func Find(mnemonic string) *Opcode {
	_, byName := table()
	for mnemonic != "" {
		if row, ok := byName[mnemonic]; ok {
			return row
		}
		mnemonic = mnemonic[:max(0, strings.LastIndexByte(mnemonic, '.'))]
	}
	return nil
}

// sizes give the number of registers by the letter of Opcode.Sizes.
var sizes = map[byte]func(*Instruction) int{
	'1': func(*Instruction) int { return 1 },
	'2': func(*Instruction) int { return 2 },
	'4': func(*Instruction) int { return 4 },
	'm': func(in *Instruction) int { return registersOf(in.AccessBytes()) },
	'a': func(in *Instruction) int { return registersOf(in.typeBytes(floats, integers, wide)) },
	'f': func(in *Instruction) int { return registersOf(in.typeBytes(floats)) },
	'i': func(in *Instruction) int { return registersOf(in.typeBytes(integers)) },
	'b': func(in *Instruction) int { return registersOf(in.lastTypeBytes()) },
	'g': (*Instruction).accumulators,
	'h': (*Instruction).factors,
}

// registersOf is how many registers hold a value of so many bytes.
func registersOf(bytes int) int { return max(1, bytes/4) }

// Types by their bytes, as modifiers name them.
var (
	floats   = map[string]int{"F16": 2, "BF16": 2, "F32": 4, "F64": 8}
	integers = map[string]int{"U8": 1, "S8": 1, "U16": 2, "S16": 2, "U32": 4, "S32": 4, "U64": 8, "S64": 8}
	wide     = map[string]int{"64": 8, "96": 12, "128": 16, "256": 32, "F32x2": 8, "F32x4": 16} // the last are of atomic operations
)

// typeBytes is the size of the first modifier that is one of the types; that of a word if none is.
func (in *Instruction) typeBytes(types ...map[string]int) int {
	for _, m := range in.Modifiers {
		for _, of := range types {
			if n, ok := of[m]; ok {
				return n
			}
		}
	}
	return 4
}

// lastTypeBytes is the size of the last modifier that is a floating-point type.
func (in *Instruction) lastTypeBytes() int {
	bytes := 4
	for _, m := range in.Modifiers {
		if n, ok := floats[m]; ok {
			bytes = n
		}
	}
	return bytes
}

// matrices are the bytes per work-item that the loads and stores of matrices move: one register for each matrix of 8 x 8.
var matrices = map[string]int{"2": 8, "4": 16}

// AccessBytes is how much memory a memory instruction accesses for each work-item; 0 for other instructions.
func (in *Instruction) AccessBytes() int {
	switch {
	case in.Opcode == nil || in.Opcode.Space == "":
		return 0
	case in.Name == "LDSM" || in.Name == "STSM":
		return max(4, matrices[in.Modifiers[max(0, len(in.Modifiers)-1)]])
	}
	return in.typeBytes(floats, integers, wide)
}

// accumulators is how many registers hold the result of a matrix product of a group of four sub-groups: 64x128x16.F32.
func (in *Instruction) accumulators() int {
	if len(in.Modifiers) == 0 {
		return 1
	}
	shape := strings.Split(in.Modifiers[0], "x")
	if len(shape) != 3 {
		return 1
	}
	rows, _ := strconv.Atoi(shape[0])
	columns, _ := strconv.Atoi(shape[1])
	return max(1, min(rows*columns*in.typeBytes(floats)/(4*groupSize), 256))
}

// factors is the number of registers of the second operand of such a product. Where that is the factor A it has 64 rows of 32 bytes, shared by the work-items; otherwise
// A lies in local memory, and the operand is what is added.
func (in *Instruction) factors() int {
	const rows, bytes = 64, 32 // of the operand A of the instruction
	if len(in.Operands) > 1 && in.Operands[1].Kind == RegisterOperand {
		return rows * bytes / 4 / groupSize
	}
	return in.accumulators()
}

// groupSize is how many work-items compute a matrix product together.
const groupSize = 128
