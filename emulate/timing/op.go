package timing

// Op is what an instruction asks of the machine whenever a warp issues it.
type Op struct {
	Unit    Unit
	Beside  Unit     // another unit that it occupies for that one's gap; Dispatch is none
	Parts   float64  // of which each takes the gap of the unit; 0 is 1
	Deep    float64  // times the latency of the unit, from the last part to the result; 0 is 1
	Waves   float64  // of operands in shared memory, for products of Wide
	Stall   int64    // until the same warp may issue again, at least
	Yield   bool     // another warp comes next if one is ready
	Written int8     // the scoreboard that is released when the result is there; NoBoard
	Read    int8     // the scoreboard that is released when the operands have been read; NoBoard
	Waits   uint8    // the scoreboards, as bits, that it waits for
	Left    int      // of Waits, so many may still be held
	Defines []uint16 // registers by number, from 0; so that the numbers are small
	Uses    []uint16
	Pipe    Unit     // that results come from and go to, where no control bits say when they are there
	Late    []uint16 // registers that are there by Machine.Guard later than the result
	Banks   [2]int64 // operands that it reads from each register bank
	Action  Action
	Answers bool  // of atomic operations: a result comes back, also where nobody wants it
	Address int64 // in the code
}

// NoBoard is no scoreboard.
const NoBoard = -1

// boards are the scoreboards of a warp: six that any instruction may hold, and that of the products of Wide, whose groups release it in order.
const boards = Products + 1

// Products is the scoreboard of groups of products.
const Products = 6

// Action is what an instruction does beside occupying a unit.
type Action uint8

// The actions.
const (
	Compute Action = iota
	Access         // memory, at the addresses that the trace tells
	Wait           // for the other warps of the block
	Commit         // the copies to shared memory so far, whose end releases the scoreboard Written
	Gather         // for the other warps that make products of Wide with this one
	Fence          // the warp goes on when all others see what it has done in memory
	Empty          // the first-level cache, of all that it holds
)
