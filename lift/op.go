package lift

// Op is the kind of a term.
type Op uint8

// The operators. A pattern's function is its first kid, the array it works on its last.
const (
	Bad     Op = iota // no term: see Term.Err
	Var               // a bound variable: Ints[0] is its de Bruijn index
	Free              // a variable of a term under construction: see Fn
	Lambda            // a function: Kids[0] is the body, Params the types of its parameters
	Fun               // a user function: User
	Call              // Kids[0] is a Fun, the others are its arguments
	Literal           // Lit
	SizeLit           // Sizes[0] as an int32
	Let               // Kids[0] is a Lambda of one parameter, Kids[1] its argument, computed once

	Map        // algorithmic patterns
	Reduce     // f, z, xs
	PartRed    // f, z, xs; Sizes[0] is the length of the result
	Scan       // f, z, xs: what reducing the elements up to each one gives
	ScanBefore // the same, of the elements before each one
	Zip        // arrays of one length
	Unzip      //
	Tuple      //
	Get        // Ints[0]
	Split      // Sizes[0]
	Join       //
	Transpose  //
	Iterate    // f, xs; Ints[0] times
	Reorder    // any permutation
	Gather     // Index
	Scatter    // Index
	Slide      // Sizes: window, step
	Pad        // Sizes: left, right; Ints[0] is a PadMode
	PadConst   // z, xs; Sizes: left, right
	At         // index, xs
	Generate   // f of the index; Sizes[0] is the length
	Inset      // Sizes: left, right: xs between elements that are not written
	Take       // Sizes[0]: the first elements
	Drop       // Sizes[0]: all but the first elements
	Append     // ys, xs: xs, and ys after it
	Filter     // f, xs: those for which f is not 0, and their number
	Put        // base, pairs of an index and a value: base with these values at these indices

	ReduceSegments // f, z, starts, xs: a reduction of the elements from each start up to the next
	MapGlb         // OpenCL patterns; Ints[0] is the dimension
	MapWrg         //
	MapLcl         //
	MapSeq         //
	MapSeqUnroll   //
	MapSeqSlide    // f, xs; Sizes: window, step: MapSeq(f, Slide(xs)), holding the window in registers
	MapVec         // f, vectors of one width
	ReduceSeq
	ReduceSeqUnroll
	ReduceBetween // f, z, from, to, xs; Sizes[0]: the elements from from, that far apart, before to
	ScanSeq
	ScanBeforeSeq
	ToGlobal // writes the result of the kid to that memory
	ToLocal
	ToPrivate
	AsVector // Ints[0] is the width
	AsScalar
	numOps
)

// PadMode selects the values that Pad adds at the ends of an array.
type PadMode int

// The modes of Pad.
const (
	PadClamp  PadMode = iota // the first and the last element
	PadMirror                // the elements in reverse from the end: index -1 is 0, -2 is 1
	PadWrap                  // the elements from the opposite end
	PadAny                   // any elements: nothing that is written depends on them (the meaning has those of PadClamp)
)

var padModes = []string{"clamp", "mirror", "wrap", "any"}

func (m PadMode) String() string { return padModes[m] }

// argKind is a kind of argument of a pattern, in the order in which programs write them.
type argKind uint8

const (
	argFun   argKind = iota // a function
	argDim                  // an OpenCL dimension; 0 if omitted
	argInt                  // a whole number
	argSize                 // a size
	argMode                 // a PadMode
	argIndex                // an IndexFun
	argTerm                 // a term that is not the array the pattern works on
	argData                 // the array (or vector, or tuple) the pattern works on, last; a function if omitted
	argList                 // one or more of those
)

// row defines an operator.
type row struct {
	name string
	args []argKind // nil for those that have a syntax of their own
	// The numbers of kids (negative: at least), of Sizes and of Ints.
	kids, sizes, ints int
	// params gives the types of the parameters of the function, Kids[0], from the other kids.
	params func(d *draft) []*Type
	// result gives the type of the term; it reports errors through draft.fail.
	result func(d *draft) *Type
}

// OpSet is a set of operators.
type OpSet uint64

// Set is the set of the operators given.
func Set(ops ...Op) (s OpSet) {
	for _, o := range ops {
		s |= 1 << o
	}
	return s
}

// Has reports whether o is in the set.
func (s OpSet) Has(o Op) bool { return s>>o&1 != 0 }

// String is the name of the operator in programs.
func (o Op) String() string {
	if o < numOps {
		return rows[o].name
	}
	return "?"
}

// AnyOp is the set of all operators.
const AnyOp = OpSet(1)<<numOps - 1

// Maps are the patterns that apply a function to every element of one array.
var Maps = Set(Map, MapGlb, MapWrg, MapLcl, MapSeq, MapSeqUnroll)

// ParallelMaps are those whose elements are computed by different work-items or work-groups.
var ParallelMaps = Set(MapGlb, MapWrg, MapLcl)

// Reductions are the patterns with a function, an initial value and an array.
var Reductions = Set(Reduce, PartRed, ReduceSeq, ReduceSeqUnroll)

// Ranges are the reductions of elements between indices that are computed.
var Ranges = Set(ReduceSegments, ReduceBetween)

// Scans are the patterns that reduce the elements up to, or before, each one.
var Scans = Set(Scan, ScanBefore, ScanSeq, ScanBeforeSeq)

// Moves are the patterns that only select a memory space.
var Moves = Set(ToGlobal, ToLocal, ToPrivate)

// HasFun reports whether a term of this operator has a function, which is then Kids[0].
func (o Op) HasFun() bool { return rows[o].params != nil }
