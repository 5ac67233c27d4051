package models

import (
	"math"

	"gpuperf/internal/lists"
)

// tape is a program without branches over registers: features, then parameters, then constants, then results. Equal computations
// are done once, and those of parameters alone once for all rows of features that come with the same parameters.
type tape struct {
	first    []instruction // those of parameters and constants alone
	code     []instruction // the others
	regs     []float64
	ran      bool // first, for the parameters in regs
	features int
	params   int
	out      []int32 // registers of the results asked for
}

type instruction struct {
	op      Op
	a, b, c int32
	dst     int32
}

type value struct {
	op      Op
	a, b, c int32
	bits    uint64 // of a constant
}

type assembler struct {
	slots  map[string]int32
	memo   map[*Expr]int32
	values map[value]int32
	consts []float64
	code   []instruction
}

// assemble makes a tape that computes the roots. The expressions must have no terms and only the given features and parameters.
func assemble(features, params []string, roots []*Expr) *tape {
	a := &assembler{slots: make(map[string]int32), memo: make(map[*Expr]int32), values: make(map[value]int32)}
	for i, n := range features {
		a.slots[n] = int32(i)
	}
	for i, n := range params {
		a.slots[n] = int32(len(features) + i)
	}
	// While assembling, constants are numbered from -1 downwards and results from the end of the parameters upwards; the constants
	// move between the two when their number is known.
	base := int32(len(features) + len(params))
	out := lists.Map(roots, func(r *Expr) int32 { return a.place(r, base) })
	nc := int32(len(a.consts))
	final := func(r int32) int32 {
		switch {
		case r < 0:
			return base - 1 - r
		case r >= base:
			return r + nc
		}
		return r
	}
	t := &tape{features: len(features), params: len(params)}
	varies := make([]bool, int(base+nc)+len(a.code)) // with the features: registers
	for i := range features {
		varies[i] = true
	}
	for _, in := range a.code {
		in.a, in.b, in.c, in.dst = final(in.a), final(in.b), final(in.c), final(in.dst)
		for _, r := range []int32{in.a, in.b, in.c}[:ops[in.op].arity] {
			varies[in.dst] = varies[in.dst] || varies[r]
		}
		if varies[in.dst] {
			t.code = append(t.code, in)
		} else {
			t.first = append(t.first, in)
		}
	}
	for _, r := range out {
		t.out = append(t.out, final(r))
	}
	t.regs = make([]float64, len(varies))
	copy(t.regs[base:], a.consts)
	return t
}

func (a *assembler) place(e *Expr, base int32) int32 {
	if r, ok := a.memo[e]; ok {
		return r
	}
	var r int32
	switch e.Op {
	case Const:
		r = a.constant(e.Value)
	case Feature, Param:
		r = a.slots[e.Name]
	case Share: // of a norm that others need too
		r = a.place(call(normShare, e.Args[0], call(PNorm, e.Args...), e.Args[2]), base)
	default:
		var args [3]int32
		for i, x := range e.Args {
			args[i] = a.place(x, base)
		}
		r = a.result(e, args, base)
	}
	a.memo[e] = r
	return r
}

func (a *assembler) constant(v float64) int32 {
	key := value{op: Const, bits: math.Float64bits(v)}
	r, ok := a.values[key]
	if !ok {
		a.consts = append(a.consts, v)
		r = -int32(len(a.consts))
		a.values[key] = r
	}
	return r
}

func (a *assembler) result(e *Expr, args [3]int32, base int32) int32 {
	if a.allConst(e, args) {
		var v [3]float64
		for i := range e.Args {
			v[i] = a.consts[-args[i]-1]
		}
		return a.constant(ops[e.Op].eval(v[0], v[1], v[2]))
	}
	if e.Op == PNorm { // of the same costs, in either order
		args[0], args[1] = min(args[0], args[1]), max(args[0], args[1])
	}
	key := value{op: e.Op, a: args[0], b: args[1], c: args[2]}
	r, ok := a.values[key]
	if !ok {
		r = base + int32(len(a.code))
		a.code = append(a.code, instruction{op: e.Op, a: args[0], b: args[1], c: args[2], dst: r})
		a.values[key] = r
	}
	return r
}

func (a *assembler) allConst(e *Expr, args [3]int32) bool {
	for i := range e.Args {
		if args[i] >= 0 {
			return false
		}
	}
	return true
}

// run executes the tape and leaves the results in regs, at the indices in out.
func (t *tape) run(features, params []float64) {
	r := t.regs
	copy(r[:t.features], features)
	if own := r[t.features : t.features+t.params]; !t.ran || !identical(own, params) {
		copy(own, params)
		execute(t.first, r)
		t.ran = true
	}
	execute(t.code, r)
}

// identical is equality to the bit: 1/0 is not 1/-0.
func identical(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

func execute(code []instruction, r []float64) {
	for i := range code {
		in := &code[i]
		switch in.op {
		case Add:
			r[in.dst] = r[in.a] + r[in.b]
		case Sub:
			r[in.dst] = r[in.a] - r[in.b]
		case Mul:
			r[in.dst] = r[in.a] * r[in.b]
		case Div:
			r[in.dst] = r[in.a] / r[in.b]
		case Neg:
			r[in.dst] = -r[in.a]
		case Pow:
			r[in.dst] = power(r[in.a], r[in.b])
		default:
			r[in.dst] = ops[in.op].eval(r[in.a], r[in.b], r[in.c])
		}
	}
}

func power(a, b float64) float64 {
	if b == 2 {
		return a * a
	}
	return math.Pow(a, b)
}
