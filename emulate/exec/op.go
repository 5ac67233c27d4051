package exec

import (
	"math/bits"

	"gpuperf/sass"
)

// op is an instruction, ready to be executed in one launch.
type op struct {
	in      *sass.Instruction
	index   int
	guard   guard
	guarded bool
	uniform bool // it is executed once for all lanes
	// run executes it in lanes; it goes on with the next instruction unless run says otherwise.
	run     func(w *Warp, o *op, lanes uint32)
	compute semantics // of a lane, where run is each
	chooses chooses   // what is known where not all operands are
	sources []source
	guards  []guard // predicates that it reads
	to      [2]int  // rows that it writes, or first of them: sinkRow for none
	width   int     // registers of to[0]
	toPred  [2]int  // predicates that it writes
	results int     // how many of them
	access  *access // of memory instructions
	update  update  // of atomic operations
	target  int     // of jumps: an instruction; -1 where it is not known
	flow    *branch // of branches
	special specialRegister
	shift   uint // of bits, of P2R and R2P
	loop    int  // the loop whose header it is the first instruction of, from 1; 0 for none
}

// item is what the operation of a lane reads and gives.
type item struct {
	v [4]uint64 // values, in the order of operands
	p [3]bool   // predicates, in the order of operands
	d uint64    // result
	q [2]bool   // results that are predicates
}

// semantics computes the results of a lane.
type semantics func(x *item)

// chooses says what follows where an operand is not known: which of the result and the two predicates are known nevertheless.
// unknown has a bit for each value, doubtful one for each predicate that is not known.
type chooses func(o *op, x *item, unknown, doubtful uint8) (result bool, preds [2]bool)

// each executes an operation lane by lane.
func each(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	var low, high [4]*row
	var x item
	known := uint32(all)
	var sureValues [4]uint32
	for i := range o.sources {
		s := &o.sources[i]
		k := s.known
		if s.fixed != nil {
			low[i], high[i] = s.fixed, s.high
		} else {
			low[i], k = &f.rows[s.row], f.known[s.row]
			high[i] = &f.rows[zeroRow]
			if s.wide {
				high[i] = &f.rows[s.row+1]
				k &= f.known[s.row+1]
			}
		}
		sureValues[i] = k
		known &= k
	}
	var held [3]truth
	for i, g := range o.guards {
		b := g.read(f)
		held[i] = b
		known &= b.known
	}
	work := lanes
	if o.uniform {
		work = lanes & -lanes
	}
	dst, top := &f.rows[o.to[0]], &f.rows[sinkRow]
	if o.width == 2 && o.to[0] != sinkRow {
		top = &f.rows[o.to[0]+1]
	}
	var pred [2]truth
	sure := uint32(0)
	n := len(o.sources)
	for m := work; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		for s := range n {
			v := uint64(low[s][i])
			if o.sources[s].wide {
				v |= uint64(high[s][i]) << 32
			}
			if c := o.sources[s].change; c != nil {
				v = c(v)
			}
			x.v[s] = v
		}
		for s := range o.guards {
			x.p[s] = held[s].value>>i&1 != 0
		}
		bit := uint32(1) << i
		result, preds := true, [2]bool{true, true}
		if known>>i&1 == 0 {
			result, preds = o.partly(&x, &sureValues, &held, i)
		} else {
			o.compute(&x)
		}
		if result {
			sure |= bit
			dst[i], top[i] = uint32(x.d), uint32(x.d>>32)
		} else {
			dst[i], top[i] = 0, 0
		}
		for k := range o.results {
			if preds[k] {
				pred[k].known |= bit
				if x.q[k] {
					pred[k].value |= bit
				}
			}
		}
	}
	o.finish(f, lanes, work, sure, &pred)
}

// partly computes where something is not known.
func (o *op) partly(x *item, values *[4]uint32, held *[3]truth, lane int) (bool, [2]bool) {
	if o.chooses == nil {
		return false, [2]bool{}
	}
	var unknown, doubtful uint8
	for s := range o.sources {
		if values[s]>>lane&1 == 0 {
			unknown |= 1 << s
		}
	}
	for s := range o.guards {
		if held[s].known>>lane&1 == 0 {
			doubtful |= 1 << s
		}
	}
	return o.chooses(o, x, unknown, doubtful)
}

// finish notes what is known of the results, and spreads those of the uniform datapath over all lanes.
func (o *op) finish(f *file, lanes, work, sure uint32, pred *[2]truth) {
	if o.uniform {
		first := bits.TrailingZeros32(work)
		lanes = all
		sure = -(sure >> first & 1)
		for k := range o.width {
			if o.to[0] != sinkRow {
				r := &f.rows[o.to[0]+k]
				for i := range r {
					r[i] = r[first]
				}
			}
		}
		for k := range o.results {
			pred[k] = truth{-(pred[k].value >> first & 1), -(pred[k].known >> first & 1)}
		}
	}
	if o.to[0] != sinkRow {
		for k := range o.width {
			f.known[o.to[0]+k] = f.known[o.to[0]+k]&^lanes | sure&lanes
		}
	}
	for k := range o.results {
		f.setPredicate(o.toPred[k], lanes, pred[k])
	}
}
