package ckernel

import (
	"fmt"
	ones "math/bits"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// isShuffle reports a function over the work-items of a sub-group or a work-group, and one that counts bits.
func isShuffle(name string) bool {
	f, ok := cfront.IntrinsicOf(name)
	return ok && (f.Kind == cfront.Shuffle || f.Kind == cfront.Vote || f.Kind == cfront.Reduction) || bitCount[name]
}

var bitCount = map[string]bool{"__popc": true, "__popcll": true, "__clz": true, "__clzll": true, "__ffs": true, "__ffsll": true, "popcount": true, "clz": true}

// shuffled is a function over the work-items of a sub-group, which counts as one operation under its name without underscores.
func (b *builder) shuffled(x *cfront.Call) expr.Expr {
	args := x.Args
	label := strings.TrimLeft(x.Func, "_")
	if short, sync := strings.CutSuffix(label, "_sync"); sync {
		label = short
		args = args[min(1, len(args)):]
	}
	if x.DType.IsVector() {
		return b.shuffledLanes(x)
	}
	if !x.DType.Known() {
		b.fail(x, "", "%s of a type that is no number", x.Func)
	}
	f := &kernel.Function{Result: x.DType, Counts: map[expr.DType]map[string]int64{x.DType: {"func:" + label: 1}}}
	call := &expr.Call{}
	for i, a := range args {
		v := b.argumentOf(a, i)
		t := a.Type()
		if t == expr.Bool {
			t = expr.Int32
		}
		if i == 0 {
			t = b.typeInKernel(v, t)
		} else {
			t = expr.Int32
		}
		f.Params = append(f.Params, kernel.FunctionParam{Name: string(rune('a' + i)), DType: t})
		call.Args = append(call.Args, v)
	}
	f.Body = "return " + x.Func + "(" + strings.Join(shuffleArgs(x, f), ", ") + ");"
	f.Name = b.functionNamed(label, f)
	call.Func = f.Name
	return call
}

// shuffledLanes is an exchange of a vector, lane by lane.
func (b *builder) shuffledLanes(x *cfront.Call) expr.Expr {
	i := slices.IndexFunc(x.Args, func(a cfront.Expr) bool { return a.Type() == x.DType })
	if i < 0 {
		b.fail(x, "", "%s of a type that is no number", x.Func)
	}
	of := b.kept(x.Args[i])
	out := b.vectorArray("exchanged", x.DType)
	for lane := range x.DType.Lanes() {
		one := *x
		one.DType = x.DType.Base()
		one.Args = slices.Clone(x.Args)
		one.Args[i] = oneLane(cfront.Lanes(of), of, int(lane))
		b.emit(&record{pos: x.Pos, lhs: b.access(x.Pos, out, constant(lane), 1, nil), rhs: b.shuffled(&one)})
	}
	return b.access(x.Pos, out, constant(0), x.DType.Lanes(), nil)
}

// overTile is a reduction or a scan over the n work-items of a tile, whose function is named after it and its operation: log2(n) shuffles, and as many
// operations (cooperative_groups/details/reduce.h and scan.h of CUDA 12 for types and operations without an instruction of their own).
func (b *builder) overTile(x *cfront.Call) expr.Expr {
	parts := strings.Split(x.Func, "_")
	op, size := parts[len(parts)-2], parts[len(parts)-1]
	n := 0
	fmt.Sscan(size, &n)
	steps := int64(ones.Len(uint(n)) - 1)
	if !x.DType.Known() || x.DType.IsVector() {
		b.fail(x, "", "%s of what is no number", x.Func)
	}
	v := b.value(x.Args[0])
	shuffle := "func:shfl_xor"
	if strings.Contains(x.Func, "scan") {
		shuffle = "func:shfl_up"
	}
	counts := map[string]int64{op: steps, shuffle: steps}
	if shuffle == "func:shfl_xor" && (x.DType == expr.Int32 || x.DType == expr.Uint32) { // redux.sync of devices since 8.0
		counts = map[string]int64{"func:reduce_" + op: 1}
	}
	f := &kernel.Function{
		Result: x.DType, Counts: map[expr.DType]map[string]int64{x.DType: counts},
		Params: []kernel.FunctionParam{{Name: "a", DType: b.typeInKernel(v, x.Args[0].Type())}}, Body: "return " + x.Func + "(a);",
	}
	f.Name = b.functionNamed(x.Func, f)
	return &expr.Call{Func: f.Name, Args: []expr.Expr{v}}
}

func shuffleArgs(x *cfront.Call, f *kernel.Function) (out []string) {
	if strings.HasSuffix(x.Func, "_sync") {
		out = append(out, "0xffffffff")
	}
	for _, p := range f.Params {
		out = append(out, p.Name)
	}
	return out
}
