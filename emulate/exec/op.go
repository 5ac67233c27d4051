package exec

import (
	"maps"
	"math/bits"
	"strings"

	"gpuperf/sass"
)

// op is an instruction, ready to be executed in one launch.
type op struct {
	in      *sass.Instruction
	index   int
	guard   guard
	guarded bool
	passed  bool // its results are not needed
	changed bool // signs or suffixes change what it reads; where run is together
	plain   bool // none do, and it reads single registers; where run is each
	uniform bool // it is executed once for all lanes
	// run executes it in lanes; it goes on with the next instruction unless run says otherwise.
	run     func(w *Warp, o *op, lanes uint32)
	compute semantics // of a lane, where run is each
	vector  vector    // of all lanes, where run is together
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
	follows follows
	loop    int // the loop whose header it is the first instruction of, from 1; 0 for none
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

// operands are what an operation reads: the words of its sources, and the lanes in which they are known.
type operands struct {
	low, high [4]*row
	sure      [4]uint32
	held      [3]truth
	known     uint32 // lanes in which all is
	changed   [4]row // what signs and suffixes make of values
}

// change lets signs and suffixes do what they do to values.
func (o *op) change(a *operands) {
	for i := range o.sources {
		if c := o.sources[i].change; c != nil {
			for k, v := range a.low[i] {
				a.changed[i][k] = uint32(c(uint64(v)))
			}
			a.low[i] = &a.changed[i]
		}
	}
}

func (o *op) gather(f *file, a *operands) {
	a.known = all
	for i := range o.sources {
		s := &o.sources[i]
		k := s.known
		if s.fixed != nil {
			a.low[i], a.high[i] = s.fixed, s.high
		} else {
			a.low[i], k = &f.rows[s.row], f.known[s.row]
			a.high[i] = &f.rows[zeroRow]
			if s.wide {
				a.high[i] = &f.rows[s.row+1]
				k &= f.known[s.row+1]
			}
		}
		a.sure[i] = k
		a.known &= k
	}
	for i, g := range o.guards {
		a.held[i] = g.read(f)
		a.known &= a.held[i].known
	}
}

// together executes an operation in all lanes at once.
func together(w *Warp, o *op, lanes uint32) {
	a := &w.operands
	f := w.path.file
	o.gather(f, a)
	if o.changed {
		o.change(a)
	}
	if lanes == all && a.known == all && o.to[0] != sinkRow {
		low, high := &f.rows[o.to[0]], &f.rows[sinkRow]
		if o.width == 2 {
			high = &f.rows[o.to[0]+1]
			f.known[o.to[0]+1] = all
		}
		f.known[o.to[0]] = all
		o.vector(low, high, &a.low, &a.high)
		return
	}
	low, high := &w.result[0], &w.result[1]
	o.vector(low, high, &a.low, &a.high)
	if o.to[0] == sinkRow {
		return
	}
	f.set(o.to[0], lanes, low, a.known)
	if o.width == 2 {
		f.set(o.to[0]+1, lanes, high, a.known)
	}
}

// each executes an operation lane by lane.
func each(w *Warp, o *op, lanes uint32) {
	a, x := &w.operands, &w.item
	*x = item{} // an operation may have fewer operands than its semantics reads, and the rest are zero
	f := w.path.file
	o.gather(f, a)
	work, once := lanes, o.uniform || o.alike(a, lanes)
	if once {
		work = lanes & -lanes
	}
	dst, top := &f.rows[o.to[0]], &f.rows[sinkRow]
	if o.width == 2 && o.to[0] != sinkRow {
		top = &f.rows[o.to[0]+1]
	}
	var pred [2]truth
	sure := work
	if a.known&work == work {
		o.inLanes(a, x, work, dst, top, &pred)
	} else {
		sure = o.partlyInLanes(a, x, work, dst, top, &pred)
	}
	if once {
		if o.uniform {
			lanes = all
		}
		o.spread(f, lanes, work, &sure, &pred)
	}
	o.finish(f, lanes, sure, &pred)
}

// inLanes computes results in lanes in which all operands are known.
func (o *op) inLanes(a *operands, x *item, lanes uint32, dst, top *row, pred *[2]truth) {
	n := len(o.sources)
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (WarpSize - 1)
		if o.plain {
			for s := range min(n, len(x.v)) {
				x.v[s] = uint64(a.low[s][i])
			}
		} else {
			o.read(a, x, i)
		}
		for s := range o.guards {
			x.p[s] = a.held[s].value>>i&1 != 0
		}
		o.compute(x)
		dst[i], top[i] = uint32(x.d), uint32(x.d>>32)
		if o.results > 0 {
			pred[0].value |= uint32(uint64Of(x.q[0])) << i
			pred[1].value |= uint32(uint64Of(x.q[1])) << i
		}
	}
	if o.results > 0 {
		pred[0].known, pred[1].known = lanes, lanes
	}
}

// read reads the operands of a lane.
func (o *op) read(a *operands, x *item, lane int) {
	for s := range o.sources {
		v := uint64(a.low[s][lane])
		if o.sources[s].wide {
			v |= uint64(a.high[s][lane]) << 32
		}
		if c := o.sources[s].change; c != nil {
			v = c(v)
		}
		x.v[s] = v
	}
}

// partlyInLanes computes results in lanes in which some operands may not be known, and tells in which these are.
func (o *op) partlyInLanes(a *operands, x *item, lanes uint32, dst, top *row, pred *[2]truth) (sure uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (WarpSize - 1)
		o.read(a, x, i)
		for s := range o.guards {
			x.p[s] = a.held[s].value>>i&1 != 0
		}
		bit := m & -m
		result, preds := true, [2]bool{true, true}
		if a.known&bit == 0 {
			result, preds = o.partly(x, &a.sure, &a.held, i)
		} else {
			o.compute(x)
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
	return sure
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

// alike reports whether an operation reads the same in several lanes, all of it known: it is executed once for them.
func (o *op) alike(a *operands, lanes uint32) bool {
	if lanes&(lanes-1) == 0 || a.known&lanes != lanes {
		return false
	}
	for s := range o.guards {
		if v := a.held[s].value & lanes; v != 0 && v != lanes {
			return false
		}
	}
	for s := range o.sources {
		if o.sources[s].fixed == nil && (!same(a.low[s], lanes) || o.sources[s].wide && !same(a.high[s], lanes)) {
			return false
		}
	}
	return true
}

// same reports whether lanes hold the same.
func same(r *row, lanes uint32) bool {
	v := r[active(lanes)&(WarpSize-1)]
	for m := lanes & (lanes - 1); m != 0; m &= m - 1 {
		if r[bits.TrailingZeros32(m)&(WarpSize-1)] != v {
			return false
		}
	}
	return true
}

// spread gives lanes the results of the one that an operation was executed in.
func (o *op) spread(f *file, lanes, one uint32, sure *uint32, pred *[2]truth) {
	first := bits.TrailingZeros32(one) & (WarpSize - 1)
	*sure = -(*sure >> first & 1)
	for k := range o.width {
		if o.to[0] == sinkRow {
			break
		}
		r := &f.rows[o.to[0]+k]
		v := r[first]
		for m := lanes; m != 0; m &= m - 1 {
			r[bits.TrailingZeros32(m)&(WarpSize-1)] = v
		}
	}
	for k := range o.results {
		pred[k] = truth{-(pred[k].value >> first & 1), -(pred[k].known >> first & 1)}
	}
}

// finish notes what is known of the results.
func (o *op) finish(f *file, lanes, sure uint32, pred *[2]truth) {
	if o.to[0] != sinkRow {
		for k := range o.width {
			f.known[o.to[0]+k] = f.known[o.to[0]+k]&^lanes | sure&lanes
		}
	}
	for k := range o.results {
		f.setPredicate(o.toPred[k], lanes, pred[k])
	}
}

// form is how an opcode is executed: lane by lane by what compute makes of its modifiers, or by run.
type form struct {
	number   number
	compute  func(d *decoder) semantics // nil for modifiers that are not known
	chooses  chooses
	run      func(w *Warp, o *op, lanes uint32)
	operands bool             // of run: the operands are decoded
	decode   func(d *decoder) // of run: what else is decoded
}

// find returns the form of an instruction. Opcodes of the uniform datapath are those of the others with a U before them.
func find(in *sass.Instruction) (form, bool) {
	f, ok := forms[in.Name]
	if !ok && strings.HasPrefix(in.Name, "U") {
		f, ok = forms[in.Name[1:]]
	}
	return f, ok
}

// forms is the table of opcodes by name.
var forms map[string]form

func init() {
	forms = map[string]form{}
	for _, table := range []map[string]form{integerForms, logicForms, floatForms, doubleForms, halfForms, conversionForms, moveForms, exchangeForms, memoryForms, transferForms, flowForms} {
		maps.Copy(forms, table)
	}
}

// plain is a computation that does not depend on modifiers.
func plain(s semantics) func(*decoder) semantics { return func(*decoder) semantics { return s } }

// has reports whether the opcode has a modifier.
func (d *decoder) has(modifier string) bool { return d.in.Has(modifier) }

// only reports whether the opcode has no modifiers but those.
func (d *decoder) only(known ...string) bool {
	for _, m := range d.in.Modifiers {
		found := false
		for _, k := range known {
			found = found || k == m
		}
		if !found {
			return false
		}
	}
	return true
}
