package launch

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// issue is a kind of instruction that sub-groups issue.
type issue int

const (
	issueGlobal issue = iota
	issueLocal
	issueAddress
	issueHalf
	issueSingle
	issueDouble
	issueExtremeDouble
	issueInteger
	issueLogic
	issueProduct
	issueDivide
	issueDivideDouble
	issueDivideInteger
	issueRoot
	issueRootDouble
	issueFunction
	issueFunctionDouble
	issuePower
	issuePeriodic
	issueConvert
	issueConvertDouble
	issueTurn
	issueEntry
	issueCondition
	issueDivergence
	issueSelect
	issueKinds
)

// issued describes the kinds of instructions: each is a total. size is how many instructions it is in code, roughly: a load has an address that changes, and functions
// are tens of instructions or, of large arguments, hundreds. For those that chains are made of, latency is that of an instruction of them, and chain how many of these depend on each
// other; "" is one.
var issued = [issueKinds]struct {
	name, doc      string
	size           int64
	latency, chain facts.Key
}{
	issueGlobal:         {"global_accesses", "loads from global memory and stores to it, as a compiler makes them", 2, "", ""},
	issueLocal:          {"local_accesses", "the same of local memory, and loads from constant memory of which a sub-group asks for several addresses", 2, "", ""},
	issueAddress:        {"addresses", "addresses of these that do not differ from one another by constants of the code", 1, "", ""},
	issueHalf:           {"half_ops", "additions, multiplications, multiply-adds, minima and maxima of float16", 1, facts.FP16Latency, ""},
	issueSingle:         {"single_ops", "the same of float32; conversions from and to float16", 1, facts.FMALatency, ""},
	issueDouble:         {"double_ops", "additions, multiplications and multiply-adds of float64", 1, facts.FP64Latency, ""},
	issueExtremeDouble:  {"double_extremes", "minima and maxima of float64", 8, facts.FP64Latency, facts.ExtremeChain},
	issueInteger:        {"integer_ops", "additions, minima and maxima of integers", 1, facts.ALULatency, ""},
	issueLogic:          {"logic_ops", "logic and shifts to the right of integers", 1, facts.ALULatency, ""},
	issueProduct:        {"integer_products", "multiplications, multiply-adds and shifts to the left of integers", 1, facts.IMADLatency, ""},
	issueDivide:         {"float_divisions", "divisions of float16 and float32", 20, facts.FMALatency, facts.DivideChain},
	issueDivideDouble:   {"double_divisions", "divisions of float64", 20, facts.FP64Latency, facts.DoubleDivideChain},
	issueDivideInteger:  {"integer_divisions", "quotients and remainders of integers, in indices too, where the divisor is no constant", 20, facts.IMADLatency, facts.IntegerDivideChain},
	issueRoot:           {"roots", "square roots and their inverses, of float16 and float32", 20, facts.FMALatency, facts.RootChain},
	issueRootDouble:     {"double_roots", "the same of float64", 20, facts.FP64Latency, facts.DoubleRootChain},
	issueFunction:       {"float_functions", "other functions of float16 and float32", 20, facts.FMALatency, facts.FunctionChain},
	issueFunctionDouble: {"double_functions", "other functions of float64", 20, facts.FP64Latency, facts.DoubleFunctionChain},
	issuePower:          {"powers", "powers", 20, facts.FMALatency, facts.PowerChain},
	issuePeriodic:       {"periodic_functions", "sines, cosines and tangents", 100, facts.FMALatency, facts.PeriodicChain},
	issueConvert:        {"conversions", "conversions between integers and float16 or float32, and approximate functions", 1, facts.XULatency, ""},
	issueConvertDouble:  {"double_conversions", "conversions from and to types of 64 bits", 1, facts.ConvertLatency, ""},
	issueTurn:           {"turns", "how often loops come back to their start, as a compiler unrolls them", 1, "", ""},
	issueEntry:          {"entries", "how often loops are entered whose number of iterations is no constant", 4, "", ""},
	issueCondition:      {"conditions", "conditions of guards that are tested", 1, "", ""},
	issueDivergence:     {"divergences", "sub-groups of which a part passes a guard", 1, "", ""},
	issueSelect:         {"selects", "selects", 1, facts.ALULatency, facts.SelectChain},
}

// latencies are how many cycles after an instruction of each kind its result can be used on a device, roughly where it does not say.
func latencies(d *facts.Device) (out [issueKinds]float64) {
	for i, k := range issued {
		if k.latency == "" {
			continue
		}
		out[i] = d.Rough(k.latency)
		if k.chain != "" {
			out[i] *= d.Rough(k.chain)
		}
	}
	return out
}

// kinds are those of operations that are not simple arithmetic, for float32 and float64.
var kinds = map[string][2]issue{
	"div":        {issueDivide, issueDivideDouble},
	"pow":        {issuePower, issuePower},
	"func:sqrt":  {issueRoot, issueRootDouble},
	"func:rsqrt": {issueRoot, issueRootDouble},
	"func:sin":   {issuePeriodic, issuePeriodic},
	"func:cos":   {issuePeriodic, issuePeriodic},
	"func:tan":   {issuePeriodic, issuePeriodic},
}

// simple are functions that are one instruction.
var simple = []string{"func:abs", "func:fabs", "func:min", "func:max", "func:fmin", "func:fmax", "func:floor", "func:ceil", "func:fma", "func:mad", kernel.Fence}

// extremes are minima and maxima, as operators and as functions.
var extremes = []string{"maxmin", "func:min", "func:max", "func:fmin", "func:fmax"}

// issueOf is the kind of an operation on a type.
func issueOf(op string, t expr.DType) issue {
	of, found := kinds[op]
	switch {
	case op == "div" && t.IsInteger():
		return issueDivideInteger
	case strings.HasPrefix(op, "func:native_"): // an instruction of the unit of functions and conversions
		return issueConvert
	case !found && strings.HasPrefix(op, "func:") && !slices.Contains(simple, op):
		of, found = [2]issue{issueFunction, issueFunctionDouble}, true
	}
	switch {
	case found && t == expr.Float64:
		return of[1]
	case found:
		return of[0]
	case t.IsInteger() && (op == "mul" || op == "madd"):
		return issueProduct
	case t.IsInteger() && (op == "bw" || op == "shift"):
		return issueLogic
	case t.IsInteger():
		return issueInteger
	case t == expr.Float64 && slices.Contains(extremes, op):
		return issueExtremeDouble
	case t == expr.Float64:
		return issueDouble
	case t == expr.Float16, t == expr.BFloat16:
		return issueHalf
	}
	return issueSingle
}

func conversion(from, to expr.DType) issue {
	switch {
	case from == to || from.IsInteger() && to.IsInteger():
		return issueInteger
	case from.Size() > 4 || to.Size() > 4:
		return issueConvertDouble
	case !from.IsInteger() && !to.IsInteger():
		return issueSingle
	}
	return issueConvert
}

// explicit writes as casts the conversions that the types of operands imply.
func (b *builder) explicit(e expr.Expr) expr.Expr {
	if _, ok := e.(*expr.Access); ok { // its subscripts are no data
		return e
	}
	e = expr.MapChildren(e, b.explicit)
	x, ok := e.(*expr.Op)
	if !ok || !slices.Contains([]expr.OpKind{expr.Add, expr.Sub, expr.Mul, expr.Div, expr.Min, expr.Max}, x.Kind) {
		return e
	}
	t, err := b.p.nest.Kernel.TypeOf(x)
	if err != nil {
		return e
	}
	return expr.MapChildren(x, func(arg expr.Expr) expr.Expr { return b.convertedTo(t, arg) })
}

// convertedTo is an expression as a value of a type, where one of the types is in floating point. What literals and sizes make is converted before the
// code runs.
func (b *builder) convertedTo(t expr.DType, e expr.Expr) expr.Expr {
	from, err := b.p.nest.Kernel.TypeOf(e)
	if err != nil || from == t || !from.Base().IsFloat() && !t.Base().IsFloat() || from.Lanes() != t.Lanes() {
		return e
	}
	varies := func(e expr.Expr) bool {
		v, is := e.(expr.Var)
		_, loads := e.(*expr.Access)
		return loads || is && !slices.Contains(b.p.params, v.Name)
	}
	if !expr.Any(e, varies) {
		return e
	}
	return &expr.Cast{DType: t, Arg: e}
}

// instruction is n instructions of a kind, below the selects around them. loops are those in which they are repeated: bit 0 is the outermost
// one.
type instruction struct {
	kind  issue
	n     int64
	under []branch
	loops uint32
}

const everyLoop = ^uint32(0)

// instructions lists the arithmetic of an expression, and divisions in its indices. That of an atomic update has no multiply-adds.
func (b *builder) instructions(e expr.Expr, atomic bool, out *[]instruction) error {
	v := b.arithmetic(nil, out)
	v.NoMadd = atomic
	if err := v.Visit(e); err != nil {
		return err
	}
	seen := map[string]bool{}
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Cast:
			if from, err := b.p.nest.Kernel.TypeOf(x.Arg); err == nil && !b.computed.add(x) {
				*out = append(*out, instruction{conversion(from.Base(), x.DType.Base()), x.DType.Lanes(), nil, everyLoop})
			}
		case *expr.Access:
			for _, i := range x.Index {
				b.quotients(i, seen, out)
			}
			return false
		}
		return true
	})
	return nil
}

// arithmetic finds the operations of an expression.
func (b *builder) arithmetic(under []branch, out *[]instruction) ops.Visitor {
	return ops.Visitor{
		Kernel: b.p.nest.Kernel,
		Found: func(op string, t expr.DType, n int64) {
			*out = append(*out, instruction{issueOf(op, t), n, under, everyLoop})
		},
		Under: func(c expr.Expr) ops.Visitor {
			return b.arithmetic(append(slices.Clip(under), branch{condition(b.index(c)), true}), out)
		},
		Skip: func(e expr.Expr) bool {
			if isNumber(e) {
				return true
			}
			if !shared(e) || b.computed.add(e) {
				return shared(e)
			}
			b.simplified(e, out)
			return false
		},
	}
}

// computed are the expressions that a straight line of code has computed, with the names in them.
type computed map[string][]string

// add notes an expression, and reports whether it was computed before.
func (c computed) add(e expr.Expr) (again bool) {
	text := e.String()
	if _, again = c[text]; again {
		return true
	}
	var names []string
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Var:
			names = append(names, x.Name)
		case *expr.Access:
			names = append(names, x.Array)
		}
		return true
	})
	c[text] = names
	return false
}

// changed forgets what is made from a variable.
func (c computed) changed(name string) {
	maps.DeleteFunc(c, func(_ string, names []string) bool { return slices.Contains(names, name) })
}

// shared reports whether compiled code computes an expression once if it stands twice in a straight line of code. Products are left out, as they may be
// parts of multiply-adds.
func shared(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Call:
		return true
	case *expr.Op:
		return x.Kind != expr.Mul && x.Kind != expr.Neg
	}
	return false
}

// highHalf is for how many products the high half of one counts.
const highHalf = 2

// byConstant are the instructions of a quotient of integers by a constant that is no power of two, and what a remainder takes besides.
func byConstant(remainder bool) []instruction {
	products := int64(highHalf)
	if remainder {
		products++
	}
	return []instruction{{issueProduct, products, nil, everyLoop}, {issueLogic, 2, nil, everyLoop}}
}

// isRemainder reports whether what divides gives the rest.
func isRemainder(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Op:
		return x.Kind == expr.Mod
	case *expr.Call:
		return strings.HasPrefix(x.Func, "c_mod_")
	}
	return false
}

// isArgument reports whether a number is one that the kernel has as an argument, which code does not know.
func (b *builder) isArgument(e expr.Expr) bool {
	v, err := expr.EvalInt(bare(e), nil)
	return err == nil && v.IsInt64() && slices.Contains(b.p.nest.Kernel.Fixed, v.Int64())
}

// byFixed are the instructions of a quotient of integers by what does not change while a loop runs: a multiplication by the inverse, which is computed before
// the loop, and comparisons that correct what it gives, more where numbers have signs.
func byFixed(t expr.DType) []instruction {
	additions, logic := int64(4), int64(3)
	if t.IsSigned() {
		additions, logic = 5, 5
	}
	return []instruction{{issueProduct, highHalf + 1, nil, everyLoop}, {issueInteger, additions, nil, everyLoop}, {issueLogic, logic, nil, everyLoop}}
}

// simplified notes what compiled code does in place of operations: a shift to the left multiplies, and a quotient by a constant is no division.
func (b *builder) simplified(e expr.Expr, out *[]instruction) {
	replace := func(from, to issue, n int64) {
		*out = append(*out, instruction{from, -1, nil, everyLoop}, instruction{to, n, nil, everyLoop})
	}
	if x, ok := e.(*expr.Op); ok && x.Kind == expr.Shl {
		replace(issueLogic, issueProduct, 1)
		return
	} else if ok && isLogic(x) {
		b.logic(x, out)
		return
	}
	if x, ok := e.(*expr.Op); ok && x.Kind == expr.Pow {
		*out = append(*out, b.steadyPower(x)...)
		return
	}
	by := divisor(b.p.nest.Kernel, e)
	t, err := b.p.nest.Kernel.TypeOf(e)
	if by == nil || err != nil {
		return
	}
	power, constant := isConstant(by)
	constant = constant && (t.Base().IsFloat() || !b.isArgument(by))
	switch {
	case constant && t.Base().IsFloat():
		if power {
			replace(issueOf("div", t), issueOf("mul", t), 1)
		}
	case constant && power:
		replace(issueDivideInteger, issueInteger, 1)
	case constant:
		replace(issueDivideInteger, issueInteger, 0)
		*out = append(*out, byConstant(isRemainder(e))...)
	case t.IsInteger():
		mask := loopsOf(b.index(by))
		replace(issueDivideInteger, issueDivideInteger, 0)
		*out = append(*out, instruction{issueDivideInteger, 1, nil, mask})
		for _, x := range byFixed(t) {
			*out = append(*out, x, instruction{x.kind, -x.n, nil, mask})
		}
	}
}

// divisor is what a quotient or a remainder is divided by; nil for other expressions.
func divisor(k *kernel.Kernel, e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Op:
		if (x.Kind == expr.Div || x.Kind == expr.FloorDiv || x.Kind == expr.Mod) && len(x.Args) == 2 {
			return x.Args[1]
		}
	case *expr.Call:
		if k.Function(x.Func).IsQuotient() {
			return x.Args[1]
		}
	}
	return nil
}

// isNumber reports whether an expression is a number when the code is compiled.
func isNumber(e expr.Expr) bool {
	for range expr.Names(e) {
		return false
	}
	return true
}

// isConstant reports whether an expression is a number but 0, and whether that is a power of two.
func isConstant(e expr.Expr) (power, constant bool) {
	v, err := expr.EvalFloat(e, nil)
	if err != nil || v == 0 {
		return false, false
	}
	mantissa, _ := math.Frexp(math.Abs(v))
	return mantissa == 0.5, true
}

// quotients lists the divisions in an index, each once. Those by powers of two are part of the address.
func (b *builder) quotients(index expr.Expr, seen map[string]bool, out *[]instruction) {
	expr.Walk(index, func(x expr.Expr) bool {
		op, ok := x.(*expr.Op)
		if !ok || op.Kind != expr.FloorDiv && op.Kind != expr.Mod {
			return true
		}
		division := op.Args[0].String() + "/" + op.Args[1].String()
		if seen[division] {
			return true
		}
		seen[division] = true
		one := instruction{kind: issueDivideInteger, n: 1, loops: loopsOf(b.index(x))}
		if v, err := expr.EvalInt(op.Args[1], nil); err == nil && v.IsInt64() {
			switch {
			case slices.Contains(b.p.nest.Kernel.Fixed, v.Int64()): // the kernel has it as an argument
				*out = append(*out, instruction{kind: issueDivideInteger, n: 1})
				for _, f := range byFixed(expr.Int32) {
					*out = append(*out, instruction{f.kind, f.n, nil, one.loops}, instruction{f.kind, -f.n, nil, 0})
				}
				return true
			case bits.OnesCount64(uint64(v.Int64())) == 1:
				return true
			}
			for _, f := range byConstant(op.Kind == expr.Mod) {
				*out = append(*out, instruction{f.kind, f.n, nil, one.loops})
			}
			return true
		}
		*out = append(*out, one)
		return true
	})
}

// bySubgroups are the executions by sub-groups at a state, of which those in the iterations of a loop in which nothing changes are one.
func (st *state) bySubgroups(loops uint32) int64 {
	n := st.count() * int64(len(st.mask.warps))
	for v := st.nv - 1; v >= axisVars && loops&(1<<(v-axisVars)) == 0; v-- {
		n /= max(st.n[v], 1)
	}
	return n
}

// issue counts an instruction by the sub-groups that get to it.
func (w *walk) issue(x *instruction, st *state) {
	w.below(x.under, st, func(inner *state) bool {
		w.issued[x.kind] += x.n * inner.bySubgroups(x.loops) * max(w.p.edit.Wide, 1)
		return true
	})
}

// issueAccess counts n accesses to memory at each point, of so many sub-groups.
func (w *walk) issueAccess(space kernel.Space, points int64, subgroups int, n int64) {
	kind := issueGlobal
	if space == kernel.Local {
		kind = issueLocal
	}
	w.issued[kind] += points * int64(subgroups) * n
}

// diverge counts the sub-groups of which some of the work-items in the mask are in the inner one, and others not.
func (w *walk) diverge(st *state, inner *laneMask) {
	size := int32(w.p.opt.SubgroupSize)
	from, in, at, n := 0, 0, 0, int64(0)
	for _, warp := range st.mask.warps {
		subgroup := st.mask.lanes[from] / size
		from += warp.lanes
		for at < len(inner.warps) && inner.lanes[in]/size < subgroup {
			in += inner.warps[at].lanes
			at++
		}
		if at < len(inner.warps) && inner.lanes[in]/size == subgroup && inner.warps[at].lanes < warp.lanes {
			n++
		}
	}
	w.issued[issueDivergence] += n * st.count()
}
