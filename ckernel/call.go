package ckernel

import (
	"fmt"
	ones "math/bits"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// nothing are functions that only order accesses, or tell the compiler something.
var nothing = []string{
	"__syncwarp", "mem_fence", "read_mem_fence", "write_mem_fence", "__threadfence_block", "sub_group_barrier",
	"__builtin_assume", "prefetch", "assert", "atomic_work_item_fence",
}

// fence is an instruction that waits until the device has seen what the work-item has stored.
func (b *builder) fence(x *cfront.Call) {
	f := &kernel.Function{Result: expr.Int32, Counts: map[expr.DType]map[string]int64{expr.Int32: {kernel.Fence: 1}}, Body: x.Func + "(); return 0;"}
	f.Name = b.functionNamed("fence", f)
	b.emit(&record{pos: x.Pos, lhs: expr.Var{Name: b.scratch("done", expr.Int32)}, rhs: &expr.Call{Func: f.Name}})
}

// callEffect follows a call for its effect.
func (b *builder) callEffect(x *cfront.Call) {
	switch {
	case b.file.Function(x.Func) != nil:
		b.called(x)
	case x.Func == "wait_group_events":
		alone := *x
		alone.Args = nil
		b.barrier(&alone)
	case slices.Contains(barriers, x.Func):
		b.barrier(x)
	case slices.Contains(nothing, x.Func):
	case x.Func == "__threadfence":
		b.fence(x)
	case x.Func == "__threadfence_system":
		if len(b.open) > 0 { // outside of loops it is little beside the rest
			b.leaveOut(x.Pos, b.file.Errorf(x.Pos, "%s in a loop waits each time until the host and all devices have seen all stores", x.Func))
		}
	case strings.HasPrefix(x.Func, "atom"):
		b.atomic(x, false)
	case strings.HasPrefix(x.Func, "vstore") && len(x.Args) == 3:
		b.vstore(x)
	case isWorkItem(x.Func):
	case isStore(x):
		b.storeCall(x)
	case (x.Func == "memcpy" || x.Func == "memset") && len(x.Args) == 3:
		b.copyBytes(x)
	case isInstruction(x), strings.HasPrefix(x.Func, cfront.AssemblyPrefix):
		b.emit(&record{pos: x.Pos, lhs: expr.Var{Name: b.scratch("done", expr.Int32)}, rhs: b.instruction(x, x.Func)})
	case isOutputs(x):
		if v := b.outputs(x); x.DType.Known() && outputsValue(x) {
			b.emit(&record{pos: x.Pos, lhs: expr.Var{Name: b.scratch("done", x.DType)}, rhs: v})
		}
	default:
		b.call(x)
	}
}

// isLoad and isStore report whether a function loads or stores one element, as __ldg(p) and __stcs(p, v) do, which say which caches keep it.
func isLoad(x *cfront.Call) bool {
	f, ok := cfront.IntrinsicOf(x.Func)
	return ok && f.Kind == cfront.Load && f.IR == "load" && len(x.Args) == 1
}

func isStore(x *cfront.Call) bool {
	f, ok := cfront.IntrinsicOf(x.Func)
	return ok && f.Kind == cfront.Store && f.IR == "store" && len(x.Args) == 2
}

func (b *builder) storeCall(x *cfront.Call) {
	elem := x.Args[0].PointsTo()
	v := converting(b.value(x.Args[1]), x.Args[1].Type(), elem)
	at := b.addressOf(x.Args[0])
	if at.array == nil {
		b.fail(x, "", "%s stores to no element of an array", x.Func)
	}
	b.emit(&record{pos: x.Pos, lhs: b.take(x.Pos, b.placeAt(x.Pos, at.array, at.offset, elem)), rhs: v})
}

func (b *builder) call(x *cfront.Call) expr.Expr {
	switch {
	case b.file.Function(x.Func) != nil:
		return b.result(x)
	case isWorkItem(x.Func):
		return b.free(b.express(b.workItemCall(x)))
	case strings.HasPrefix(x.Func, "atom"):
		return b.atomic(x, true)
	case strings.HasPrefix(x.Func, cfront.AssemblyPrefix):
		return b.instruction(x, x.Func)
	case strings.HasPrefix(x.Func, "cg_"):
		return b.overTile(x)
	case isOutputs(x):
		return b.outputs(x)
	case isVoteBarrier(x):
		return b.voteAtBarrier(x)
	case asyncCopies[x.Func] > 0:
		return b.asyncCopy(x)
	case x.Func == "shuffle" || x.Func == "shuffle2":
		return b.permuted(x)
	case isShuffle(x.Func):
		return b.shuffled(x)
	case strings.HasPrefix(x.Func, "vload") && len(x.Args) == 2:
		kept := keptAs(x.Func, x.DType)
		v := b.take(x.Pos, b.vectorAt(x, x.Args[0], x.Args[1], kept))
		if kept != x.DType {
			return &expr.Cast{DType: x.DType, Arg: v}
		}
		return v
	case isLoad(x):
		return b.take(x.Pos, b.placeOf(x))
	case isConversion(x):
		return b.conversion(x)
	}
	return b.mathFunction(x)
}

// result is the value of a call of a function of the file.
func (b *builder) result(x *cfront.Call) expr.Expr {
	v := b.called(x)
	if v.variable == nil {
		b.fail(x, "", "%s has no value", x.Func)
	}
	return b.variable(cfront.Use(v.variable), v.variable)
}

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
	if of, _ := cfront.IntrinsicOf(x.Func); x.DType.IsVector() && of.Kind == cfront.Vote {
		return b.ballot(x)
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

// ballot is a vote whose result is a vector of bits: one operation, which the first lane has.
func (b *builder) ballot(x *cfront.Call) expr.Expr {
	held := b.scratch("vote", expr.Int32)
	b.assignTemp(x.Pos, held, b.value(x.Args[0]))
	out := b.vectorArray("votes", x.DType)
	for lane := range x.DType.Lanes() {
		f := &kernel.Function{
			Result: x.DType.Base(), Counts: map[expr.DType]map[string]int64{}, Params: []kernel.FunctionParam{{Name: "a", DType: expr.Int32}},
			Body: fmt.Sprintf("return %s(a).s%x;", x.Func, lane),
		}
		if lane == 0 {
			f.Counts[x.DType.Base()] = map[string]int64{"func:" + x.Func: 1}
		}
		f.Name = b.functionNamed(x.Func, f)
		b.emit(&record{pos: x.Pos, lhs: b.access(x.Pos, out, constant(lane), 1, nil), rhs: &expr.Call{Func: f.Name, Args: []expr.Expr{expr.Var{Name: held}}}})
	}
	return b.access(x.Pos, out, constant(0), x.DType.Lanes(), nil)
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

// argumentOf is an argument of a shuffle: the value first, then lanes, whose arithmetic is free.
func (b *builder) argumentOf(e cfront.Expr, i int) expr.Expr {
	if n, ok := b.number(e); ok && i > 0 {
		return b.free(b.express(n))
	}
	return b.value(e)
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

// mathFunction is a function on numbers.
func (b *builder) mathFunction(x *cfront.Call) expr.Expr {
	t := x.DType
	f, known := cfront.IntrinsicOf(x.Func)
	if known && instructions[f.Kind] {
		return b.instruction(x, x.Func)
	}
	if !known || !t.Known() {
		if b.opt.Opaque {
			for _, a := range x.Args {
				if a.Type().Known() {
					b.value(a)
				}
			}
			return b.unknownValue(x, "%s is no function that is known", x.Func)
		}
		b.noFunction(x)
	}
	name := f.IR
	args := make([]expr.Expr, len(x.Args))
	for i, a := range x.Args {
		if t.IsVector() || a.Type().IsVector() || isPredicate(name) {
			args[i] = b.value(a)
			continue
		}
		v := b.value(a)
		args[i] = v
		if from := b.typeInKernel(v, a.Type()); from != t {
			if from.IsFloat() && t.IsInteger() {
				v = b.rounded(x.Func, v, from, t)
			}
			args[i] = cexpr.Converted(v, from, t)
		}
	}
	if t.IsInteger() && (name == "rint" || name == "round") { // lrintf: the conversion has rounded
		return args[0]
	}
	two := len(args) == 2
	switch {
	case (name == "min" || name == "max") && two:
		return expr.Binary(map[string]expr.OpKind{"min": expr.Min, "max": expr.Max}[name], args[0], args[1])
	case name == "pow" && two:
		return expr.Binary(expr.Pow, args[0], args[1])
	case (name == "clamp" || name == "saturate") && len(args) > 0:
		low, high := expr.Expr(cexpr.Float(0, t.Base())), expr.Expr(cexpr.Float(1, t.Base()))
		if len(args) == 3 {
			low, high = args[1], args[2]
		}
		return expr.Binary(expr.Min, expr.Binary(expr.Max, args[0], low), high)
	case x.Func == "mad24" && len(args) == 3:
		return expr.Binary(expr.Add, expr.Binary(expr.Mul, args[0], args[1]), args[2])
	}
	if n, known := expr.Arity(name); known && n == len(args) {
		return &expr.Call{Func: name, Args: args}
	}
	return b.otherFunction(x, f, args)
}

// instructions are functions that are one operation each, whatever they take, under their own names: reads and writes of images, the clock, output.
var instructions = map[cfront.Kind]bool{cfront.Image: true, cfront.Clock: true, cfront.Print: true, cfront.Sleep: true, cfront.Trap: true}

func isInstruction(x *cfront.Call) bool {
	f, ok := cfront.IntrinsicOf(x.Func)
	return ok && instructions[f.Kind]
}

// isImage reports whether a variable is an image, a texture or how one is read.
func isImage(v *builderVar) bool {
	return v.DType == "" && (strings.HasPrefix(v.TypeName, "image") || v.TypeName == "sampler_t" || v.TypeName == "texture" || v.TypeName == "surface")
}

// instruction is a function that counts as one operation under a name; what it takes is computed.
func (b *builder) instruction(x *cfront.Call, label string) expr.Expr {
	t := x.DType
	if !t.Known() {
		t = expr.Int32
	}
	f := &kernel.Function{Result: t, Counts: map[expr.DType]map[string]int64{}}
	if label != cfront.AssemblyPrefix {
		f.Counts[t.Base()] = map[string]int64{"func:" + notInNames.ReplaceAllString(label, "_"): 1}
	}
	call := &expr.Call{}
	var names []string
	for i, a := range x.Args {
		from := a.Type()
		if m := memberIn(a); m != nil && !from.Known() && b.isMemory(m) {
			b.fail(a, "", "a texture that a structure in memory names")
		}
		if !from.Known() || a.PointsTo() != "" || a.Record() != nil {
			continue
		}
		if from == expr.Bool {
			from = expr.Int32
		}
		v := b.value(a)
		if !from.IsVector() {
			from = b.typeInKernel(v, from)
		}
		names = append(names, fmt.Sprintf("a%d", i))
		f.Params = append(f.Params, kernel.FunctionParam{Name: names[len(names)-1], DType: from})
		call.Args = append(call.Args, v)
	}
	f.Body = "return " + label + "(" + strings.Join(names, ", ") + ");"
	f.Name = b.functionNamed(notInNames.ReplaceAllString(strings.TrimLeft(label, "_"), "_"), f)
	call.Func = f.Name
	return call
}

func isPredicate(name string) bool { return name == "isnan" || name == "isinf" || name == "isfinite" }

// operation is a function that counts as the operations that it makes of n lanes.
type operation struct {
	counts func(n int64) map[string]int64
	// def is its value, nil where kernels have no expression for that.
	def func(args []expr.Expr, t expr.DType) expr.Expr
}

// each counts operations of each lane.
func each(names ...string) func(n int64) map[string]int64 {
	return func(n int64) map[string]int64 {
		out := map[string]int64{}
		for _, name := range names {
			out[name] += n
		}
		return out
	}
}

// operations are functions that are no single operator. Sums and products that name how they round are never contracted to one multiply-add (CUDA
// Math API, intrinsics); the limits of those that saturate are part of the instruction.
var operations = map[string]operation{
	"dot":    {counts: func(n int64) map[string]int64 { return map[string]int64{"mul": 1, "madd": n - 1} }},
	"length": {counts: func(n int64) map[string]int64 { return map[string]int64{"mul": 1, "madd": n - 1, "func:sqrt": 1} }},
	"distance": {counts: func(n int64) map[string]int64 {
		return map[string]int64{"add": n, "mul": 1, "madd": n - 1, "func:sqrt": 1}
	}},
	"normalize":  {counts: func(n int64) map[string]int64 { return map[string]int64{"mul": 1 + n, "madd": n - 1, "func:rsqrt": 1} }},
	"mix":        {counts: each("add", "madd")},
	"sign":       {counts: each("maxmin", "maxmin")},
	"step":       {counts: each()},
	"select":     {counts: each()},
	"smoothstep": {counts: each("add", "add", "div", "mul", "mul", "mul", "maxmin", "maxmin")},

	"add": {each("add"), binary(expr.Add)}, "sub": {each("add"), binary(expr.Sub)}, "mul": {each("mul"), binary(expr.Mul)},
	"add_to1": {each("add"), saturated(binary(expr.Add))}, "sub_to1": {each("add"), saturated(binary(expr.Sub))},
	"mul_to1": {each("mul"), saturated(binary(expr.Mul))}, "fma_sat": {each("func:fma"), saturated(fused)},
	"fma_relu": {each("func:fma"), func(args []expr.Expr, t expr.DType) expr.Expr {
		return expr.Binary(expr.Max, fused(args, t), cexpr.Float(0, t.Base()))
	}},
	// Those that are an instruction of the special unit, which knows powers and logarithms of 2 and takes parts of a turn.
	"native_exp2": {counts: each("func:native_exp2")}, "native_exp": {counts: each("mul", "func:native_exp2")}, "native_exp10": {counts: each("mul", "func:native_exp2")},
	"native_log2": {counts: each("func:native_log2")}, "native_log": {counts: each("func:native_log2", "mul")}, "native_log10": {counts: each("func:native_log2", "mul")},
	"native_powr": {counts: each("func:native_log2", "mul", "func:native_exp2")},
	"native_sin":  {counts: each("mul", "func:native_sin")}, "native_cos": {counts: each("mul", "func:native_cos")},
	"native_tan": {counts: each("mul", "mul", "func:native_sin", "func:native_cos", "func:native_recip")},
	// A comparison whose value is a number in half precision is an instruction as an extreme is.
	"eq": {counts: each("maxmin")}, "ne": {counts: each("maxmin")}, "lt": {counts: each("maxmin")}, "le": {counts: each("maxmin")},
	"gt": {counts: each("maxmin")}, "ge": {counts: each("maxmin")},

	"min3": {counts: each("maxmin", "maxmin")}, "max3": {counts: each("maxmin", "maxmin")}, "max_relu": {counts: each("maxmin", "maxmin")}, "min_relu": {counts: each("maxmin", "maxmin")}, "max3_relu": {counts: each("maxmin", "maxmin", "maxmin")}, "min3_relu": {counts: each("maxmin", "maxmin", "maxmin")},
	"addmax": {counts: each("add", "maxmin")}, "addmin": {counts: each("add", "maxmin")}, "addmax_relu": {counts: each("add", "maxmin", "maxmin")}, "addmin_relu": {counts: each("add", "maxmin", "maxmin")},
	"median3": {counts: each("maxmin", "maxmin", "maxmin", "maxmin")},
	"bfe":     {counts: each("shift", "bw")}, "bfm": {counts: each("shift", "add", "shift")}, "upsample": {counts: each("shift", "bw")},
	"mul_hi": {counts: each("mul")}, "mad_hi": {counts: each("madd")}, "add_sat": {counts: each("add")}, "sub_sat": {counts: each("add")},
	"mad_sat": {counts: each("madd")}, "degrees": {counts: each("mul")}, "radians": {counts: each("mul")}, "maxmag": {counts: each("maxmin")}, "minmag": {counts: each("maxmin")},
	"cross": {counts: func(int64) map[string]int64 { return map[string]int64{"mul": 3, "madd": 3} }},
	"any":   {counts: each()}, "all": {counts: each()}, "isnormal": {counts: each()}, "isordered": {counts: each()}, "isunordered": {counts: each()}, "islessgreater": {counts: each()},
	"bitselect": {counts: each("bw")}, "hadd": {counts: each("add", "shift")}, "rhadd": {counts: each("add", "add", "shift")}, "abs_diff": {counts: each("add", "maxmin")},
	"sad": {counts: each("add", "add", "maxmin")}, "rotate": {counts: each("shift")}, "brev": {counts: each("bw")}, "byte_perm": {counts: each("bw")},
	"funnelshift": {counts: each("shift")}, "bits": {counts: each()}, // conversions are free
}

func binary(op expr.OpKind) func([]expr.Expr, expr.DType) expr.Expr {
	return func(args []expr.Expr, _ expr.DType) expr.Expr { return expr.Binary(op, args[0], args[1]) }
}

func fused(args []expr.Expr, _ expr.DType) expr.Expr { return &expr.Call{Func: "fma", Args: args} }

func saturated(of func([]expr.Expr, expr.DType) expr.Expr) func([]expr.Expr, expr.DType) expr.Expr {
	return func(args []expr.Expr, t expr.DType) expr.Expr {
		return expr.Binary(expr.Min, expr.Binary(expr.Max, of(args, t), cexpr.Float(0, t.Base())), cexpr.Float(1, t.Base()))
	}
}

// otherFunction is a function that the IR does not know: it counts as the operations of the table, or as one operation under its name.
func (b *flow) otherFunction(x *cfront.Call, of cfront.Intrinsic, args []expr.Expr) expr.Expr {
	t := x.DType
	lanes := t.Lanes()
	if len(x.Args) > 0 {
		lanes = max(lanes, x.Args[0].Type().Lanes())
	}
	op, isOp := operations[of.IR]
	var counts map[string]int64
	switch {
	case isOp:
		counts = op.counts(lanes)
	case of.Kind == cfront.Reinterpret:
		counts = map[string]int64{}
	case knownFunctions[of.IR], strings.HasPrefix(of.IR, "packed_"): // on the bytes or halves of words
		counts = map[string]int64{"func:" + of.IR: t.Lanes()}
	default:
		b.noFunction(x)
	}
	f := &kernel.Function{Result: t, Counts: map[expr.DType]map[string]int64{t.Base(): counts}}
	var names []string
	var params []expr.Expr
	for i, a := range x.Args {
		at := a.Type()
		if !t.IsVector() && !at.IsVector() {
			at = t
		}
		names = append(names, string(rune('a'+i)))
		params = append(params, expr.Var{Name: names[i]})
		f.Params = append(f.Params, kernel.FunctionParam{Name: names[i], DType: at})
	}
	f.Body = "return " + x.Func + "(" + strings.Join(names, ", ") + ");"
	switch exact := of.Exact(); {
	case op.def != nil:
		f.Def = op.def(params, t)
	case exact == "pow":
		f.Def = expr.Binary(expr.Pow, params[0], params[1])
	case exact != of.IR: // an approximation
		f.Def = &expr.Call{Func: exact, Args: params}
	}
	base := strings.TrimLeft(x.Func, "_")
	if knownFunctions[of.IR] {
		base = of.IR
	}
	f.Name = b.functionNamed(notInNames.ReplaceAllString(base, "_"), f)
	return &expr.Call{Func: f.Name, Args: args}
}

// knownFunctions are functions of numbers that count under their own name.
var knownFunctions = map[string]bool{
	"sincos": true, "sinpi": true, "cospi": true, "tanpi": true, "rcbrt": true, "remainder": true, "ldexp": true, "frexp": true, "erfcx": true, "erfinv": true,
	"normcdf": true, "normcdfinv": true, "erfcinv": true, "j0": true, "j1": true, "y0": true, "y1": true, "rhypot": true, "norm3d": true, "rnorm3d": true, "norm4d": true, "rnorm4d": true, "rootn": true,
	"asinpi": true, "acospi": true, "atanpi": true, "atan2pi": true, "ilogb": true, "ctz": true, "nextafter": true, "signbit": true, "logb": true, "dp4a": true, "curand_skip": true, "curand_poisson": true,
}
