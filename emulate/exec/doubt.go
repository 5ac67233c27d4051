package exec

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
	UnknownTrips   Kind = "is taken as often as the default says"
	AssumedBranch  Kind = "is taken as often as was assumed"
	UnknownAddress Kind = "accesses an unknown address"
	UnknownOpcode  Kind = "has results that are not known"
	UnknownTarget  Kind = "leads where nothing is known of"
	AssumedOrder   Kind = "returns what it would if the work-group ran alone"
	Deadlock       Kind = "waits for work-items that never arrive"
)

// Assumptions say what to do where the data would decide.
type Assumptions struct {
	Trips    int             // turns of a loop that ends on an unknown condition; 0 is 1
	Branches map[int]float64 // by instruction, the part of its executions in which a branch is taken: 0 to 1
	Loops    map[int]float64 // by the first instruction of a loop, its turns each time it is entered
}
