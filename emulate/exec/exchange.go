package exec

import (
	"math/bits"
	"strings"
)

// exchangeForms are the opcodes by which the lanes of a sub-group exchange values.
var exchangeForms = map[string]form{
	"SHFL":  {run: shuffle, operands: true},
	"VOTE":  {run: vote, operands: true},
	"VOTEU": {run: vote, operands: true},
	"MATCH": {run: match, operands: true},
	"REDUX": {run: reduce, operands: true},
	"ELECT": {run: elect, operands: true},
}

// shuffle takes the value of another lane. Its last operand has the last lane of a segment in its low bits, and a mask of the bits that all
// lanes of a segment share in bits 8 to 12.
func shuffle(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	if len(o.sources) < 3 {
		unknown(w, o, lanes)
		return
	}
	var values row
	var known uint32
	var inside truth
	mode := o.in.Modifiers[0]
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		b, sureB := o.sources[1].lane(f, i)
		c, sureC := o.sources[2].lane(f, i)
		if !sureB || !sureC {
			continue
		}
		from, ok := otherLane(mode, i, int(b&31), int(c))
		inside.known |= 1 << i
		if ok {
			inside.value |= 1 << i
		} else {
			from = i
		}
		if v, sure := o.sources[0].lane(f, from); sure && lanes>>from&1 != 0 {
			values[i] = uint32(v)
			known |= 1 << i
		}
	}
	f.set(o.to[0], lanes, &values, known)
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, inside)
	}
}

// otherLane is the lane that a shuffle reads, and whether it is in the segment (PTX ISA, shfl.sync).
func otherLane(mode string, lane, b, c int) (int, bool) {
	clamp, mask := c&31, c>>8&31
	least := lane & mask
	most := least | clamp&^mask
	switch mode {
	case "UP":
		return lane - b, lane-b >= most
	case "DOWN":
		return lane + b, lane+b <= most
	case "BFLY":
		return lane ^ b, lane^b <= most
	}
	from := least | b&^mask
	return from, from <= most
}

// vote gathers a predicate from all lanes.
func vote(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	b := truth{all, all}
	if len(o.guards) > 0 {
		b = o.guards[0].read(f)
	}
	doubtful := lanes&^b.known | w.step.Doubtful
	yes := b.value & lanes
	sure := doubtful == 0
	var holds, known bool
	switch mode := o.in.Modifiers[0]; mode {
	case "ALL":
		holds, known = yes == lanes, sure || lanes&b.known&^b.value != 0
	case "EQ":
		holds, known = yes == lanes || yes == 0, sure
	default:
		holds, known = yes != 0, sure || yes&^w.step.Doubtful != 0
	}
	result := truth{}
	if known {
		result.known = all
		if holds {
			result.value = all
		}
	}
	uniform := o.to[0] >= firstUniform && o.to[0] < sinkRow || o.results > 0 && o.toPred[0] >= uniformPredicate && o.toPred[0] < sinkPredicate
	if uniform {
		lanes = all
	}
	if o.to[0] != sinkRow {
		mask := uint32(0)
		if sure {
			mask = all
		}
		var values row
		for i := range values {
			values[i] = yes
		}
		f.set(o.to[0], lanes, &values, mask)
	}
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, result)
	}
}

// match finds the lanes with the same value: of each lane (ANY), or whether all have the same (ALL).
func match(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	if len(o.sources) == 0 {
		unknown(w, o, lanes)
		return
	}
	var same row
	sure := w.step.Doubtful == 0
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		v, known := o.sources[0].lane(f, i)
		sure = sure && known
		for k := lanes; k != 0; k &= k - 1 {
			j := bits.TrailingZeros32(k)
			if u, _ := o.sources[0].lane(f, j); u == v {
				same[i] |= 1 << j
			}
		}
	}
	known := uint32(0)
	if sure {
		known = all
	}
	result := truth{known: known}
	if o.in.Has("ALL") {
		first := same[active(lanes)]
		for i := range same {
			same[i] = 0
			if first == lanes {
				same[i] = lanes
			}
		}
		if first == lanes {
			result.value = known
		}
	}
	if o.to[0] != sinkRow {
		f.set(o.to[0], lanes, &same, known)
	}
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, result)
	}
}

// reductions by modifier, of signed and of unsigned numbers.
var reductions = map[string]func(a, b uint32, signed bool) uint32{
	"SUM": func(a, b uint32, _ bool) uint32 { return a + b },
	"AND": func(a, b uint32, _ bool) uint32 { return a & b },
	"OR":  func(a, b uint32, _ bool) uint32 { return a | b },
	"XOR": func(a, b uint32, _ bool) uint32 { return a ^ b },
	"MIN": func(a, b uint32, signed bool) uint32 {
		if less(!signed)(uint64(b), uint64(a)) {
			return b
		}
		return a
	},
	"MAX": func(a, b uint32, signed bool) uint32 {
		if less(!signed)(uint64(a), uint64(b)) {
			return b
		}
		return a
	},
}

// reduce combines the values of all lanes: REDUX.
func reduce(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	combine := reductions["AND"] // which has no modifier
	for _, m := range o.in.Modifiers {
		if c, ok := reductions[m]; ok {
			combine = c
		}
	}
	if len(o.sources) == 0 {
		unknown(w, o, lanes)
		return
	}
	signed := strings.Contains(o.in.Mnemonic(), ".S32")
	sum, sure := uint32(0), w.step.Doubtful == 0
	for m := lanes; m != 0; m &= m - 1 {
		v, known := o.sources[0].lane(f, bits.TrailingZeros32(m))
		sure = sure && known
		if m == lanes {
			sum = uint32(v)
		} else {
			sum = combine(sum, uint32(v), signed)
		}
	}
	w.spread(o, lanes, uint64(sum), sure)
}

// elect chooses one lane: the predicate holds there alone.
func elect(w *Warp, o *op, lanes uint32) {
	f := w.path.file
	first := lanes & -lanes
	w.spread(o, lanes, uint64(active(lanes)), w.step.Doubtful == 0)
	if o.results > 0 {
		f.setPredicate(o.toPred[0], lanes, truth{first, lanes})
	}
}
