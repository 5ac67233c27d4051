package timing

// Trace is what a warp executes, as a tree: a Node with a body is a loop, whose iterations differ in addresses only.
type Trace struct {
	Nodes []Node
	// Trips are, of the nodes that are loops in each other, each without other nodes, the one iteration that is executed: the traces of a grid of
	// blocks are one trace, in which the addresses move from one block to the next along each axis.
	Trips []int64
}

// Node is a sequence of instructions, or a body that is repeated.
type Node struct {
	Events []Event
	Body   []Node // in place of Events
	Times  int64  // that Body is executed
}

// Event is an instruction that a warp issues.
type Event struct {
	Op    int32
	Off   bool     // its guard is false for all lanes
	Lanes uint8    // for which it is true
	Touch *Touched // of accesses to memory; nil for others
	Meet  *Meet    // at a barrier in shared memory; nil for others
}

// Touched is what the lanes of a warp access together.
type Touched struct {
	Space   Space
	Store   bool
	Atomic  bool
	Copy    bool    // to shared memory, without a register between
	Past    bool    // the first-level cache, which is neither asked nor filled
	Given   bool    // arguments of the launch, which the second cache of constants has when it begins
	Width   int64   // bytes of a lane
	Lanes   []int64 // addresses of the lanes that take part and whose address is known
	Unknown int     // lanes whose address is not known
	// Steps are how far the addresses move from one iteration to the next of each loop around the access, outermost first.
	Steps     []Step
	Waves     int64 // cycles for which the data path is busy
	Conflicts int64 // times that an atomic operation is done, one after the other
	// Changed are the lines of global memory that an atomic operation changes; one of which less than a sector is changed counts in part.
	Changed float64
	// Apart is for an atomic operation 1 where all lanes change lines that lie apart, and 0 where these lie together.
	Apart  float64
	Times  int64 // of a bulk copy, the blocks of the cluster that get it, each of which gives as much to this one; 0 is 1
	DRAM   float64
	Waits  float64 // the part of its requests that wait for DRAM, as other blocks ask for the same at the same time
	Filled float64 // of the sectors that are stored in part, those that come from DRAM first
	// Updated is the part of the sectors that are stored which the block has loaded before.
	Updated float64
	Later   int64 // by how much the result comes later, as others are waited for that store it
}

// Step is the distance of addresses from one iteration to the next: All for all lanes, or that of each.
type Step struct {
	All  int64
	Each []int64
}

// Space is a part of memory.
type Space uint8

// The parts of memory.
const (
	GlobalSpace Space = iota
	SharedSpace
	LocalSpace
	ConstantSpace
)

// Count is how many instructions the trace has, with all repetitions.
func (t *Trace) Count() int64 {
	return count(t.Block())
}

// Block are the nodes inside those of Trips.
func (t *Trace) Block() []Node {
	nodes := t.Nodes
	for range t.Trips {
		nodes = nodes[0].Body
	}
	return nodes
}

func count(nodes []Node) (n int64) {
	for i := range nodes {
		n += int64(len(nodes[i].Events))
		if nodes[i].Body != nil {
			n += nodes[i].Times * count(nodes[i].Body)
		}
	}
	return n
}

// cursor is a place in a trace.
type cursor struct {
	frames []frame // the last is the innermost
	event  int
	events []Event // those of the node at the cursor
	now    *Event  // that at the cursor; nil at the end
}

type frame struct {
	nodes []Node
	node  int
	trip  int64 // of the loop that the nodes are the body of
}

// same reports whether two frames of a warp are at the same place.
func (f frame) same(g frame) bool { return f.node == g.node && f.trip == g.trip }

func newCursor(t *Trace) cursor {
	c := cursor{frames: []frame{{nodes: t.Nodes}}}
	if len(t.Trips) > 0 {
		c.frames = []frame{{nodes: row(t.Nodes, t.Trips)}}
		for _, trip := range t.Trips {
			c.frames = append(c.frames, frame{nodes: c.frames[len(c.frames)-1].nodes[0].Body, trip: trip})
		}
	}
	c.settle()
	return c
}

// row are loops in each other that end with an iteration.
func row(nodes []Node, trips []int64) []Node {
	if len(trips) == 0 {
		return nodes
	}
	return []Node{{Body: row(nodes[0].Body, trips[1:]), Times: trips[0] + 1}}
}

// current is the event at the cursor; nil at the end.
func (c *cursor) current() *Event { return c.now }

// end leaves the trace.
func (c *cursor) end() { c.frames, c.events, c.now = c.frames[:0], nil, nil }

// next moves to the next event. It returns the depth of the outermost loop of which another iteration begins, 0 for none.
func (c *cursor) next() int {
	c.event++
	if c.event < len(c.events) {
		c.now = &c.events[c.event]
		return 0
	}
	c.frames[len(c.frames)-1].node++
	c.event = 0
	return c.settle()
}

// settle descends to the next event, and leaves what has ended.
func (c *cursor) settle() (again int) {
	for len(c.frames) > 0 {
		f := &c.frames[len(c.frames)-1]
		if f.node == len(f.nodes) {
			if len(c.frames) == 1 {
				c.end()
				return again
			}
			up := &c.frames[len(c.frames)-2]
			f.trip++
			if f.trip < up.nodes[up.node].Times {
				f.node = 0
				again = len(c.frames) - 1
				continue
			}
			c.frames = c.frames[:len(c.frames)-1]
			if again >= len(c.frames) { // iterations without events were the last ones
				again = 0
			}
			up.node++
			continue
		}
		switch n := &f.nodes[f.node]; {
		case n.Body != nil && n.Times > 0:
			c.frames = append(c.frames, frame{nodes: n.Body})
		case len(n.Events) > 0:
			c.events, c.now = n.Events, &n.Events[0]
			return again
		default:
			f.node++
		}
	}
	return again
}

// shift is how far an address that all lanes share in steps has moved; each is whether lanes differ.
func (c *cursor) shift(t *Touched) (all int64, each bool) {
	for level, s := range t.Steps {
		if level+1 >= len(c.frames) {
			break
		}
		trip := c.frames[level+1].trip
		all += trip * s.All
		each = each || s.Each != nil && trip > 0
	}
	return all, each
}

// lane is the address of a lane now, but for what all lanes share.
func (c *cursor) lane(t *Touched, i int) int64 {
	at := t.Lanes[i]
	for level, s := range t.Steps {
		if s.Each != nil && level+1 < len(c.frames) {
			at += c.frames[level+1].trip * s.Each[i]
		}
	}
	return at
}
