// Package exec executes NVIDIA's machine code without a device: sub-group by sub-group and instruction by instruction, on what is known.
//
// A Launch binds a function to its arguments. Its Groups hold Warps and local (shared) memory; each Warp is stepped by whoever
// schedules it, and a Step tells what was executed and which memory it accessed. A value is known or unknown for each lane: arguments,
// indices, constants and the data that buffers start with are known, and what follows from them. Everything else is unknown, and stays so.
//
// Where control depends on what is unknown, both ways are taken, in the order of addresses, and what they leave behind is known where
// both agree. Ways that lead to the end of the program, a trap or a slow path of arithmetic are not taken. Loops that end on an unknown
// condition run as often as Assumptions say. Doubts lists all of this.
//
// The groups that are executed stand for others that are not, so that each sees the data that buffers start with and its own stores.
// Three things are taken for granted: a store to an unknown address of global memory changes nothing that is read later (one to local
// memory makes all of that unknown), atomic operations return what they would if the group ran alone, or all added in turn, and the functions that the hardware
// approximates (MUFU) are exact to the last bits.
package exec

import "gpuperf/sass"

// WarpSize is how many work-items a sub-group has.
const WarpSize = 32

// Step is what one instruction of a sub-group did. It is valid until the sub-group's next step.
type Step struct {
	Index    int      // of the instruction, in the function
	Active   uint32   // lanes that were there, as bits
	Lanes    uint32   // those of them whose guard holds or is not known: the lanes that executed it
	Doubtful uint32   // those of Lanes whose guard is not known
	Accesses []Access // of memory; a copy has its source first, and its destination behind it
	Meeting  Meeting  // at a barrier in local memory
	Tile     Tile     // of a copy that a tensor map describes
	Taken    uint32   // of a jump, the lanes that went to its target
	State    State    // of the sub-group after the instruction
}

// Access is an access of the lanes of a sub-group to memory.
type Access struct {
	Space   sass.Space // Generic where no address is known, or lanes access several spaces
	Action  sass.Action
	Bytes   int    // for each lane
	Lanes   uint32 // that take part
	Known   uint32 // those of them whose address is known
	Address [WarpSize]uint64
}

// State is what a sub-group does next.
type State uint8

// The states.
const (
	Ready   State = iota // its next instruction can be executed
	Waiting              // for other sub-groups, at a barrier
	Ended                // all its work-items have left
	Stuck                // its work-items wait for each other, or it went where nothing is known of: Doubts says why
)

// Doubt is something that was not known, and what was done in its place.
type Doubt struct {
	Kind  Kind
	Index int // of the instruction, in the function
	Times int // how often it was executed
}

// Kind is a kind of doubt.
type Kind string

// The kinds of doubts.
const (
	UnknownBranch  Kind = "both ways are taken"
	UnknownLeave   Kind = "is not taken"
	UnlikelyWay    Kind = "is not taken, as it leads to a trap or to a slow path"
	UnknownTrips   Kind = "is taken as often as the default says"
	AssumedBranch  Kind = "is taken as often as was assumed"
	UnknownAddress Kind = "accesses an unknown address"
	Misaligned     Kind = "accesses an address that is no multiple of its size"
	Outside        Kind = "accesses what lies in no buffer"
	UnknownOpcode  Kind = "has results that are not known"
	UnknownTarget  Kind = "leads where nothing is known of"
	UnknownCall    Kind = "calls a function that the listing does not have"
	Sleeps         Kind = "sleeps for a time that only the device knows"
	AssumedShare   Kind = "finds places that other work-groups have taken, as many as itself each"
	AssumedOrder   Kind = "returns what it would if all work-groups came in turn"
	Deadlock       Kind = "waits for work-items that never arrive"
	Trapped        Kind = "is a trap, which ends the program with an error"
)

// Assumptions say what to do where the data would decide.
type Assumptions struct {
	Trips    int             // turns of a loop that ends on an unknown condition; 0 is 1
	Branches map[int]float64 // by instruction, the part of its executions in which a branch is taken: 0 to 1
	Loops    map[int]float64 // by the first instruction of a loop, its turns each time it is entered
	// Overwritten names buffers of which nobody knows what they hold, as earlier launches have written them.
	Overwritten []string
	// Paper takes all ways of a branch on an unknown condition, also those that lead to a trap or to a slow path.
	Paper bool
}
