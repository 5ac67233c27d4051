// Package timing tells how long the warps of one multiprocessor take, from what each of their instructions asks of the machine.
//
// A Machine has units with a latency, until a dependent instruction may start, and a gap between two starts (Hong et al., "GPU Code
// Optimization using Abstract Kernel Emulation and Sensitivity Analysis", 2018, section 3.1). An Op is what an instruction of the program
// needs (op.go), a Trace the instructions of a warp with the addresses that they access, its steady loops written once (trace.go). Run
// lets the warps of the blocks that a Source gives issue in the order in which the schedulers of the sub-partitions would choose them
// (core.go, issue.go), through memory queues, the first-level cache and what lies behind it (access.go, l1.go). Where all warps come back
// to the same state, the iterations that remain are skipped (skip.go).
package timing

// Cycle is a clock cycle of the multiprocessor, in units of time.
const Cycle = 1000

// Cycles converts cycles to units of time.
func Cycles(n float64) int64 { return int64(n*Cycle + 0.5) }

// Unit is what instructions wait for.
type Unit int

// The units. Those up to Convert stand in each sub-partition.
const (
	Dispatch Unit = iota // one warp's instruction at a time
	ALU                  // integer, logic, comparisons
	FMA                  // single precision
	IMAD                 // products of integers: the half of FMA that has them
	FP64                 // double precision
	FP16                 // half precision, two at once
	XU                   // transcendental functions, conversions
	Convert              // conversions from and to double precision
	Tensor               // products of small matrices
	Wide                 // products of matrices that four warps make together, mostly of shared memory
	Uniform              // once per warp
	Branch               // jumps, convergence
	Vote                 // between the lanes of a warp
	Reduce               // sums and minima over the lanes of a warp
	Address              // of memory instructions
	Barrier              // of blocks
	Shared               // the data path of L1 and shared memory; its latency is that of shared memory
	L1                   // the first-level cache
	L2                   // the second-level cache, and the way to it
	Lines                // requests of stores to the second-level cache
	DRAM
	Atomic // atomic operations of L2
	SharedAtomic
	Shuffle
	Constant // constants by address
	Special  // special registers
	Bulk     // bulk copies, by line
	Operands // of products of Wide, in shared memory, which has a path of its own for them
	Copies   // of lanes from global to shared memory, by what they occupy of the data path
	units
)

// Resource is a unit of a machine, in units of time.
type Resource struct{ Latency, Gap int64 }

// Machine is a multiprocessor, with its share of what all of them use together.
type Machine struct {
	Partitions int
	Units      [units]Resource
	Depth      int   // memory instructions that wait in a sub-partition
	Leaving    int   // requests of the multiprocessor that wait for the second-level cache to take them, and others that wait for the data path
	Loading    int   // loads from global memory that wait for the data path
	L1Bytes    int64 // that hold data of global memory
	Begin      int64 // between the starts of two blocks
	Jump       int64 // from a jump to the instruction that it goes to
	Crossing   int64 // by how much later a result is there for another pipe
	Guard      int64 // from when a predicate may be read to when it may guard
	Start      int64 // from the end of a block to the first instruction of the one in its place
	Code       Code
	Constants  Constants
	Second     Second
	Scattered  float64  // by how much longer an atomic operation takes all lines of which lie apart; 0 is not
	Changed    float64  // what a line takes that an atomic operation changes, besides its sectors, in sectors
	Reduction  float64  // what an atomic operation takes whose result nobody wants, over one with a result
	Fence      Resource // of memory, for all of the device
	Queue      int64    // by how much a request to DRAM waits longer, times what DRAM is busy over what it is idle
	Turn       int64    // the same besides, where as much is written as is read, times what DRAM is busy
	Fair       bool     // of several warps that are ready, the one that has been so longest issues; not one of the oldest block
	Products   int64    // between two other instructions of a sub-partition in which products of Wide are under way; 0 is as always
	Reads      int64    // cycles in which the operands of an instruction may be read; 0 does without register banks
}

// Code is how instructions come to the schedulers: through caches, of which the nearest has no latency that would be seen.
type Code struct {
	Line   int64       // bytes
	Levels []CodeLevel // the nearest first; none is without caches: instructions are always there
	Far    Resource    // of lines that none of them has, and First of those that nobody has executed yet
	First  Resource
	// Kept is whether the farthest cache holds the code, as a launch before has left it: only the first line of all comes from behind it (mem.csv.gz, code: of 96 KB the first pass of a
	// launch takes 4.6 cycles an instruction, and that of the next launch 2.2, as all others).
	Kept bool
}

// CodeLevel is a cache of instructions: its size, the latency of a line that is jumped to, and the gap between two that follow each other.
type CodeLevel struct {
	Bytes int64
	From  Resource
}

// Shared reports whether all sub-partitions use the unit.
func (u Unit) Shared() bool { return u >= Barrier }

// queued reports whether requests to the unit pass the queue and the data path of memory instructions.
func (u Unit) queued() bool { return u == Shuffle || u == Special }

var names = [units]string{
	"dispatch", "alu", "fma", "imad", "fp64", "fp16", "xu", "fp64 conversion", "tensor", "wide tensor", "uniform", "branch", "vote", "warp reduction", "load-store unit", "barrier",
	"l1/shared data path", "l1", "l2", "l2 stores", "dram", "atomics", "shared atomics", "shuffle", "constants", "special registers", "bulk copies", "operands in shared memory", "copies to shared memory",
}

// String is the name of the unit in results.
func (u Unit) String() string { return names[u] }

// Units are all units.
func Units() (all []Unit) {
	for u := range units {
		all = append(all, u)
	}
	return all
}
