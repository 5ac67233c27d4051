package ckernel

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// pureCalls are functions of integers that numbers are made with, by their operands.
var pureCalls = map[string]int{"min": 2, "max": 2, "abs": 1, "mad24": 3, "umin": 2, "umax": 2, "clamp": 3}

// plain reports whether an expression has no arithmetic, nor have the variables in it.
func (b *bindings) plain(e cfront.Expr) bool {
	return !cfront.Any(e, func(e cfront.Expr) bool {
		switch x := e.(type) {
		case *cfront.Ref:
			return len(b.env[x.Var].from) > 0 && !b.env[x.Var].plain
		case *cfront.Binary:
			return cexpr.Tests[x.Op] == ""
		case *cfront.Unary:
			return x.Op == "~"
		case *cfront.Call:
			return !isWorkItem(x.Func)
		}
		return false
	})
}

// number reads an integer expression as index arithmetic. It is none (ok is false) if it depends on data: on memory, on floats, on operators
// of bits, on products of indices.
func (b *builder) number(e cfront.Expr) (n *expr.Poly, ok bool) {
	if t := e.Type(); !t.IsInteger() && t != expr.Bool {
		return nil, false
	}
	switch x := e.(type) {
	case *cfront.Int:
		if x.DType == expr.Uint32 {
			return constant(int64(int32(x.Value))), true
		}
		return constant(x.Value), true
	case *cfront.Ref:
		return b.variableNumber(x.Pos, x.Var)
	case *cfront.Index:
		return b.elementNumber(x)
	case *cfront.Member:
		if isBuiltin(x.X) {
			return b.member(x), true
		}
		return b.variableNumber(x.Pos, b.memberVariable(x))
	case *cfront.Cast:
		if x.DType.Size() < 4 && x.DType != expr.Bool {
			return nil, false
		}
		if n, ok = b.number(x.X); ok && b.wraps(x.X, n, x.DType) {
			return b.wrapped(x.X, n, x.DType), true
		}
		return nil, false
	case *cfront.Unary:
		if x.Op == "!" {
			return b.truthNumber(x)
		}
		if n, ok = b.number(x.X); ok && x.Op == "-" {
			n = n.Scale(-1)
		} else if ok && x.Op == "~" {
			n = n.Scale(-1).Add(constant(-1))
		}
		return n, ok
	case *cfront.Select:
		return b.alternatives(x)
	case *cfront.Binary:
		if d := b.difference(x); d != nil {
			return d, !b.isData(d)
		}
		if beyond, is := b.misaligned(x); is {
			return constant(beyond), true
		}
		if n, ok = b.arithmetic(x); ok {
			b.fits(x, n)
		}
		return n, ok
	case *cfront.Call:
		return b.callNumber(x)
	case *cfront.Assign:
		return b.assignedNumber(x)
	case *cfront.List:
		b.firstItems(x)
		return b.number(x.Items[len(x.Items)-1])
	}
	return nil, false
}

// variableNumber is what a variable holds, where that is an integer that is known. Without a variable it is not.
func (b *builder) variableNumber(at cfront.Pos, v *cfront.Var) (n *expr.Poly, ok bool) {
	if v == nil {
		return nil, false
	}
	val, ok := b.integerOf(at, v)
	return val.num, ok
}

// set is where a number is at least 0, or 0.
func (b *terms) set(at cfront.Expr, n *expr.Poly, equality bool) *polycount.Set {
	set, ok := b.where(n, equality)
	if !ok {
		b.fail(at, "give the sizes in it values, by -p, by macros or in a launch file", "%s is compared with 0, which is not linear in sizes and indices", b.express(n))
	}
	return set
}

func bit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// truthNumber is a condition as 0 or 1.
func (b *builder) truthNumber(e cfront.Expr) (*expr.Poly, bool) {
	c, ok := b.pureTruth(e)
	if !ok {
		return nil, false
	}
	switch b.decided(c) {
	case yes:
		return constant(1), true
	case no:
		return constant(0), true
	}
	return b.either(c.set, constant(1), constant(0)), true
}

// pureTruth is a condition that does not depend on data.
func (b *builder) pureTruth(e cfront.Expr) (condition, bool) {
	ofData := func(e cfront.Expr) bool { // what loads need not be read
		switch x := e.(type) {
		case *cfront.Index:
			return b.aliased(x) == nil
		case *cfront.Float:
			return true
		case *cfront.Ref:
			return x.Type().IsFloat()
		case *cfront.Member:
			return x.Type().IsFloat() || !isBuiltin(x.X) && b.isMemory(x.X)
		}
		return false
	}
	if cfront.Any(e, ofData) {
		return condition{}, false
	}
	c := b.truth(e)
	return c, c.pred == nil
}

// alternatives is a conditional expression.
func (b *builder) alternatives(x *cfront.Select) (*expr.Poly, bool) {
	c, ok := b.pureTruth(x.If)
	if !ok {
		return nil, false
	}
	switch b.decided(c) {
	case yes:
		return b.number(x.Then)
	case no:
		return b.number(x.Else)
	}
	var then, other *expr.Poly
	b.evaluated(&c, true, x.Then, func() { then, ok = b.number(x.Then) })
	if ok {
		b.evaluated(&c, false, x.Else, func() { other, ok = b.number(x.Else) })
	}
	if !ok {
		return nil, false
	}
	return b.either(c.set, then, other), true
}

func (b *builder) arithmetic(x *cfront.Binary) (*expr.Poly, bool) {
	if cexpr.Tests[x.Op] != "" {
		return b.truthNumber(x)
	}
	p, ok := b.number(x.X)
	if !ok {
		return nil, false
	}
	q, ok := b.number(x.Y)
	if !ok {
		return nil, false
	}
	if x.Op != "<<" && x.Op != ">>" {
		if !b.wraps(x.X, p, x.DType) || !b.wraps(x.Y, q, x.DType) {
			return nil, false
		}
		p, q = b.wrapped(x.X, p, x.DType), b.wrapped(x.Y, q, x.DType)
	}
	v, left := p.Constant()
	w, right := q.Constant()
	if left && right {
		if r, ok := integers(x.Op, v, w, x.DType); ok {
			return constant(r), true
		}
	}
	switch x.Op {
	case "+":
		return p.Add(q), true
	case "-":
		return minus(p, q), true
	case "*":
		return p.Mul(q), b.inSizes(p) || b.inSizes(q)
	case "<<":
		if right && w >= 0 && w < 62 {
			return p.Scale(1 << w), true
		}
	case ">>":
		if right && w >= 0 && w < 62 && b.natural(x.X, p) {
			return b.inPieces(b.unwrapped(x.X, p), func(_ *expr.Poly, a polycount.Affine) (*expr.Poly, bool) { return b.numberOf(b.floorDiv(a, 1<<w)) })
		}
	case "&", "|", "^":
		if left {
			p, w, right = q, v, true
		}
		if right {
			return b.bitwise(x.Op, p, w)
		}
	case "/", "%":
		if right && (w > 0 || x.DType != expr.Uint64 || b.hasSize(p)) && b.natural(x.X, p) {
			return b.quotient(x, b.unwrapped(x, p), w), true
		}
	}
	for _, n := range []*expr.Poly{p, q} {
		if b.inSizes(n) {
			b.divide(n)
		}
	}
	return nil, false
}

// divide notes sizes that must have values for an index to be known.
func (b *flow) divide(n *expr.Poly) {
	for _, v := range b.variables(n) {
		if b.sizes[v] != nil {
			b.divisors[v] = true
		}
	}
}

// inSizes reports whether a number is the same for all work-items and iterations.
func (b *grid) inSizes(p *expr.Poly) bool {
	return !slices.ContainsFunc(b.variables(p), func(n string) bool { return b.sizes[n] == nil && !strings.HasPrefix(n, symbol) })
}

// quotient is / or % by a number, which round towards zero.
func (b *position) quotient(x *cfront.Binary, p *expr.Poly, d int64) *expr.Poly {
	b.dividing = b.isPassed(x.Y)
	defer func() { b.dividing = false }()
	switch {
	case d == 0:
		b.fail(x, "", "a division by zero")
	case d < 0 && x.DType == expr.Uint32:
		d += 1 << 32
	case d < 0 && x.DType == expr.Uint64:
		b.fail(x, "convert it to long", "a division by a number without sign that is very large")
	}
	whole, exact := divided(p, d)
	if !exact {
		whole = b.towardsZero(x, p, d)
	}
	if x.Op == "%" {
		return minus(p, whole.Scale(d))
	}
	return whole
}

func (b *position) towardsZero(x *cfront.Binary, p *expr.Poly, d int64) *expr.Poly {
	sign := int64(1)
	if d < 0 {
		d, sign = -d, -1
	}
	out, linear := b.inPieces(p, func(p *expr.Poly, a polycount.Affine) (*expr.Poly, bool) {
		down, ok := b.floored(a, d)
		up, ok2 := b.floored(a.Neg(), d)
		switch up = up.Scale(-1); {
		case !ok || !ok2:
			return nil, false
		case b.nonNegative(p):
			return down, true
		case b.nonNegative(p.Scale(-1)):
			return up, true
		}
		return b.either(b.set(x, p, false), down, up), true
	})
	switch {
	case linear:
		return out.Scale(sign)
	case !b.nonNegative(p):
		b.fail(x, "give the sizes in it values, by -p, by macros or in a launch file", "%s may be below 0, and is not linear in sizes and indices", b.express(p))
	}
	return b.opaque(expr.Binary(expr.FloorDiv, b.express(p), expr.Int{Value: d})).Scale(sign)
}

// floored is a quotient rounded down, 0 where it is that for all work-items that are live.
func (b *position) floored(a polycount.Affine, d int64) (*expr.Poly, bool) {
	if b.holds(polycount.GE(a, polycount.Int(0))) && b.holds(polycount.GE(polycount.Int(d-1), a)) {
		return constant(0), true
	}
	return b.numberOf(b.floorDiv(a, d))
}

// floorDiv is floor(a/d). Where a is g*e + r for a divisor g of d, and r is at least 0 and below g, it is floor(e/(d/g)): of 256*g0 + l0 the quotient
// by 4096 does not depend on l0.
func (b *position) floorDiv(a polycount.Affine, d int64) polycount.Affine {
	if a.Err() != nil {
		return a.FloorDiv(d)
	}
	for _, t := range a.All() {
		g := intmath.GCD(t.Coeff, d)
		if g < 2 {
			continue
		}
		whole, rest := polycount.Int(intmath.FloorDiv(a.Constant(), g)), polycount.Int(intmath.Mod(a.Constant(), g))
		for _, t := range a.All() {
			one := polycount.Name(t.Name)
			if t.Floor != nil {
				one = t.Floor.Num.FloorDiv(t.Floor.Den)
			}
			if t.Coeff%g == 0 {
				whole = whole.AddScaled(t.Coeff/g, one)
			} else {
				rest = rest.AddScaled(t.Coeff, one)
			}
		}
		if b.holds(polycount.GE(rest, polycount.Int(0))) && b.holds(polycount.GE(polycount.Int(g-1), rest)) {
			if g == d {
				return whole
			}
			return b.floorDiv(whole, d/g)
		}
	}
	if b.dividing {
		b.fixed[d] = true
	}
	return a.FloorDiv(d)
}

// divided is p/d where d divides all coefficients of p.
func divided(p *expr.Poly, d int64) (*expr.Poly, bool) {
	out := constant(0)
	for c, vars := range p.All() {
		if !c.IsInt64() || intmath.Mod(c.Int64(), max(d, -d)) != 0 {
			return nil, false
		}
		out = out.Add(expr.Term(c.Int64()/d, vars))
	}
	return out, true
}

// callNumber is the value of a call, if it is index arithmetic.
func (b *builder) callNumber(x *cfront.Call) (*expr.Poly, bool) {
	if isWorkItem(x.Func) {
		return b.workItemCall(x), true
	}
	if b.file.Function(x.Func) != nil {
		out := b.called(x)
		return out.num, out.isNum
	}
	if n, ok := pureCalls[x.Func]; !ok || n != len(x.Args) {
		return nil, false
	}
	var args []*expr.Poly
	for _, a := range x.Args {
		n, ok := b.number(a)
		if !ok {
			return nil, false
		}
		if noSign(x.DType) {
			if !b.natural(a, n) {
				return nil, false
			}
			n = b.unwrapped(a, n)
		}
		args = append(args, n)
	}
	switch x.Func {
	case "min", "umin":
		return b.extremeOf(expr.Min, args[0], args[1]), true
	case "max", "umax":
		return b.extremeOf(expr.Max, args[0], args[1]), true
	case "abs":
		return b.extremeOf(expr.Max, args[0], args[0].Scale(-1)), true
	case "clamp":
		return b.extremeOf(expr.Min, b.extremeOf(expr.Max, args[0], args[1]), args[2]), true
	}
	return args[0].Mul(args[1]).Add(args[2]), b.inSizes(args[0]) || b.inSizes(args[1]) // mad24
}

// isWorkItem reports whether a function tells where a work-item is.
func isWorkItem(f string) bool {
	switch f {
	case "get_global_linear_id", "get_local_linear_id":
		return true
	}
	return workItemFunctions[f] || subgroupFunctions[f]
}

var workItemFunctions = map[string]bool{
	"get_global_id": true, "get_local_id": true, "get_group_id": true, "get_local_size": true, "get_enqueued_local_size": true,
	"get_num_groups": true, "get_global_size": true, "get_global_offset": true, "get_work_dim": true,
}

// subgroupFunctions tell where a work-item is in its sub-group, which are the next so many work-items of the group in their linear order.
var subgroupFunctions = map[string]bool{
	"get_sub_group_id": true, "get_sub_group_local_id": true, "get_sub_group_size": true, "get_max_sub_group_size": true, "get_num_sub_groups": true,
}

// warp is the number of work-items of a sub-group on the devices that CUDA is for.
const warp = 32

// subgroupCall is the value of one of subgroupFunctions, for sub-groups as large as the options say.
func (b *grid) subgroupCall(x *cfront.Call) *expr.Poly {
	size := cmp.Or(b.opt.Subgroup, warp)
	if b.subgroup == nil {
		b.subgroup = &kernel.Subgroup{Size: size, At: kernel.Place{File: x.Pos.File, Pos: x.Pos.Pos}}
	}
	items := b.axes[0].local * b.axes[1].local * b.axes[2].local
	item, ok := b.affine(b.linearItem())
	switch {
	case x.Func == "get_sub_group_id" && ok:
		return b.fromAffine(item.FloorDiv(size))
	case x.Func == "get_sub_group_local_id" && ok:
		return b.fromAffine(item.Mod(size))
	case x.Func == "get_num_sub_groups":
		return constant(intmath.CeilDiv(items, size))
	}
	return constant(min(items, size))
}

func (b *grid) workItemCall(x *cfront.Call) *expr.Poly {
	if subgroupFunctions[x.Func] {
		return b.subgroupCall(x)
	}
	switch x.Func {
	case "get_local_linear_id":
		return b.linearItem()
	case "get_global_linear_id":
		p, stride := constant(0), constant(1)
		for d := range b.axes {
			p = p.Add(b.axes[d].globalID().Mul(stride))
			stride = stride.Mul(b.axes[d].globalSize())
		}
		return p
	case "get_work_dim":
		n := 1
		for d := range b.axes {
			if d < len(b.opt.Global) || d < len(b.opt.Groups) {
				n = d + 1
			}
		}
		return constant(int64(n))
	}
	if len(x.Args) == 1 {
		if d, ok := x.Args[0].(*cfront.Int); ok {
			if p, ok := b.workItem(x.Func, d.Value); ok {
				return p
			}
			return constant(bit(x.Func == "get_local_size" || x.Func == "get_num_groups" || x.Func == "get_global_size"))
		}
		b.fail(x, "", "the axis of %s is no number", x.Func)
	}
	b.fail(x, "", "%s takes the number of an axis", x.Func)
	return nil
}

// member is threadIdx.x and the like.
func (b *grid) member(x *cfront.Member) *expr.Poly {
	if ref, ok := x.X.(*cfront.Ref); ok && len(x.Name) == 1 && x.Name[0] >= 'x' && x.Name[0] <= 'z' {
		if p, ok := b.workItem(ref.Var.Name, int64(x.Name[0]-'x')); ok {
			return p
		}
	}
	b.fail(x, "", "the member %s of a struct has no place in a kernel", x.Name)
	return nil
}
