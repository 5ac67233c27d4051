package ckernel

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
)

// value reads an expression whose arithmetic counts: what is assigned, stored, passed, or decides on data.
func (b *builder) value(e cfront.Expr) expr.Expr {
	switch x := e.(type) {
	case *cfront.Int:
		return expr.Int{Value: x.Value}
	case *cfront.Float:
		return b.float(x)
	case *cfront.Ref:
		return b.variable(x, x.Var)
	case *cfront.Index:
		if v := b.aliased(x); v != nil {
			return b.variable(x, v)
		}
		return b.load(x)
	case *cfront.Lane:
		return b.lane(x)
	case *cfront.Member:
		if isBuiltin(x.X) {
			return b.free(b.express(b.member(x)))
		}
		if v := b.memberVariable(x); v != nil {
			return b.variable(x, v)
		}
		if !b.isMemory(x.X) { // of what is no object
			of := *x
			of.X = b.keptRecord(x.X)
			return b.value(&of)
		}
		return b.load(x)
	case *cfront.Unary:
		return b.unary(x)
	case *cfront.Binary:
		return b.binary(x)
	case *cfront.Select:
		return b.choice(x)
	case *cfront.Cast:
		return b.cast(x)
	case *cfront.Vector:
		return b.vector(x)
	case *cfront.Call:
		return b.call(x)
	case *cfront.Assign:
		return b.assigned(x)
	case *cfront.List:
		b.firstItems(x)
		return b.value(x.Items[len(x.Items)-1])
	case *cfront.Unknown:
		if b.opt.Opaque {
			return b.unknownValue(e, "%s has no place in a kernel", x.What)
		}
		b.fail(e, "", "%s has no place in a kernel", x.What)
	}
	b.fail(e, "", "this has no place in a kernel")
	return nil
}

// float is a number in floating point. What is none is the value of a function that computes nothing.
func (b *builder) float(x *cfront.Float) expr.Expr {
	switch {
	case !x.DType.IsFloat():
		b.fail(x, "", "this number has no place in a kernel")
	case math.IsNaN(x.Value):
		f := &kernel.Function{Result: x.DType, Counts: map[expr.DType]map[string]int64{}, Body: "return NAN;"}
		f.Name = b.functionNamed("nan", f)
		return &expr.Call{Func: f.Name}
	}
	return cexpr.Float(x.Value, x.DType)
}

// variable is the value of a variable. The arithmetic that made a number is then work, and the assignment a statement.
func (b *builder) variable(at cfront.Expr, v *builderVar) expr.Expr {
	switch {
	case b.inMemory(v) && len(v.Dims) == 0:
		return b.take(at.Place(), b.placeAt(at.Place(), b.array(at, v), constant(0), v.DType))
	case len(v.Dims) > 0 || v.DType == "":
		b.fail(at, "", "%s is neither a number nor an element of an array of numbers", v.Name)
	case v.Class == cfront.Global && !b.follows(v):
		b.fail(at, "pass it as an argument", "%s is a variable outside of the function", v.Name)
	case v.DType.IsVector():
		return b.vectorVariable(at, v)
	case b.passed(v):
		return expr.Var{Name: b.name(v)}
	}
	val, ok := b.integerOf(at.Place(), v)
	if !ok {
		return expr.Var{Name: b.temp(v)}
	}
	e := b.express(val.num)
	_, isVar := e.(expr.Var)
	_, isInt := expr.IntLiteral(e)
	if (val.plain || len(val.from) == 0) && (isVar || isInt) {
		if isInt && v.DType.IsInteger() && v.DType != expr.Int32 { // a literal would take the type of what it meets
			return &expr.Cast{DType: v.DType, Arg: e}
		}
		return e
	}
	if len(val.from) == 0 || b.index > 0 {
		return b.free(e)
	}
	for _, s := range val.from {
		if !b.learnt.stored[s] && b.trial == 0 {
			b.learnt.stored[s], b.learnt.changed = true, true
		}
	}
	return expr.Var{Name: b.temp(v)}
}

// freeValue is the value of an expression whose arithmetic does not count.
func (b *builder) freeValue(e cfront.Expr) expr.Expr {
	b.index++
	defer func() { b.index-- }()
	return b.free(b.value(e))
}

// passed reports whether a variable is an argument of the kernel that it never assigns to, and no number.
func (b *bindings) passed(v *builderVar) bool {
	return slices.Contains(b.params, v) && !b.follows(v) && !b.assignedTo[v]
}

// free is an expression whose operations do not count, as its operands have been computed for other ends: a call of a function that
// declares none.
func (b *flow) free(e expr.Expr) expr.Expr {
	if !computes(e) {
		return e
	}
	f := &kernel.Function{Result: expr.Int32, Counts: map[expr.DType]map[string]int64{}}
	call := &expr.Call{}
	by := map[string]expr.Expr{}
	leaf := func(x expr.Expr) expr.Expr {
		text := x.String()
		if by[text] == nil {
			n := "x"
			if len(by) > 0 {
				n = fmt.Sprintf("x_%d", len(by)-1)
			}
			f.Params = append(f.Params, kernel.FunctionParam{Name: n, DType: b.leafType(x)})
			call.Args = append(call.Args, x)
			by[text] = expr.Var{Name: n}
		}
		return by[text]
	}
	var replace func(x expr.Expr) expr.Expr
	replace = func(x expr.Expr) expr.Expr {
		switch x.(type) {
		case expr.Var, *expr.Access:
			return leaf(x)
		}
		return expr.MapChildren(x, replace)
	}
	f.Def = replace(e)
	f.Name = b.functionNamed("index", f)
	call.Func = f.Name
	return call
}

// computes reports whether an expression has operations, other than in the indices of its loads.
func computes(e expr.Expr) bool {
	switch e.(type) {
	case *expr.Op, *expr.Call:
		return true
	case *expr.Access:
		return false
	}
	return slices.ContainsFunc(expr.Children(e), computes)
}

// leafType is the type of a variable or an element.
func (b *flow) leafType(e expr.Expr) expr.DType {
	switch x := e.(type) {
	case *expr.Access:
		if a := b.accessOf(x); a != nil {
			if x.As != "" {
				return x.As
			}
			return a.array.base
		}
	case expr.Var:
		if t := b.temps[x.Name]; t != nil {
			return t.DType
		}
		for _, p := range b.params {
			if b.names[p] == x.Name && b.sizes[x.Name] == nil {
				return p.DType
			}
		}
	}
	return expr.Int32
}

// functionNamed enters a function under a name, or finds one that is defined alike.
func (b *flow) functionNamed(base string, f *kernel.Function) string {
	f.Name = ""
	text := f.String()
	if name, known := b.defined[text]; known {
		return name
	}
	f.Name = base
	for i := 0; b.taken[f.Name] || expr.IsFunction(f.Name) || expr.ReductionArity(f.Name) > 0; i++ {
		f.Name = fmt.Sprintf("%s_%d", base, i)
	}
	b.taken[f.Name], b.defined[text] = true, f.Name
	b.functions = append(b.functions, f)
	return f.Name
}

// function enters a function that has its name.
func (b *flow) function(f *kernel.Function) string {
	if !slices.ContainsFunc(b.functions, func(g *kernel.Function) bool { return g.Name == f.Name }) {
		b.taken[f.Name] = true
		b.functions = append(b.functions, f)
	}
	return f.Name
}

// operand is a value in the type in which C computes.
func (b *builder) operand(e cfront.Expr, t expr.DType) expr.Expr {
	if t == expr.Bool {
		t = expr.Int32
	}
	from := e.Type()
	if from == expr.Bool {
		from = expr.Int32
	}
	v := b.value(e)
	if t == "" || t.IsVector() {
		return v
	}
	return cexpr.Promoted(v, b.typeInKernel(v, from), t)
}

// typeInKernel is the type of a value: those of work-items and sizes are int32 in kernels, whatever C has.
func (b *flow) typeInKernel(v expr.Expr, t expr.DType) expr.DType {
	switch x := v.(type) {
	case expr.Var:
		if b.temps[x.Name] == nil && t.IsInteger() {
			return b.leafType(v)
		}
	case *expr.Call:
		for _, f := range b.functions {
			if f.Name == x.Func {
				return f.Result
			}
		}
	}
	return t
}

// converting is a value of one type as another, as assignments convert; the temporaries convert by themselves.
func converting(v expr.Expr, from, to expr.DType) expr.Expr {
	switch {
	case to == expr.Bool && from != expr.Bool:
		return cexpr.Number(expr.Binary(expr.Ne, v, expr.Int{}))
	case from.IsFloat() && to.IsInteger():
		return &expr.Cast{DType: to, Arg: v}
	}
	if literal, ok := v.(expr.Int); ok && to.IsFloat() {
		return cexpr.Float(float64(literal.Value), to)
	}
	return v
}

func (b *builder) unary(x *cfront.Unary) expr.Expr {
	switch x.Op {
	case "+":
		return b.value(x.X)
	case "-":
		return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{b.operand(x.X, x.DType)}}
	case "~":
		return &expr.Op{Kind: expr.BitNot, Args: []expr.Expr{b.operand(x.X, x.DType)}}
	}
	return b.truthValue(x)
}

func (b *builder) truthValue(e cfront.Expr) expr.Expr {
	c := b.truth(e)
	switch b.decided(c) {
	case yes:
		return expr.Int{Value: 1}
	case no:
		return expr.Int{}
	}
	return cexpr.Number(c.whole())
}

func (b *builder) binary(x *cfront.Binary) expr.Expr {
	if d := b.difference(x); d != nil {
		return b.free(b.express(d))
	}
	if cexpr.Tests[x.Op] != "" {
		return b.truthValue(x)
	}
	if x.DType == "" {
		b.fail(x, "", "an address is no value in a kernel")
	}
	if x.DType.IsInteger() && (x.Op == "/" || x.Op == "%") {
		return b.division(x)
	}
	if x.DType.IsVector() && x.DType.Base().IsInteger() && (x.Op == "/" || x.Op == "%") {
		return b.laneDivision(x)
	}
	op, ok := cexpr.Operators[x.Op]
	if !ok {
		b.fail(x, "", "the operator %s has no place in a kernel", x.Op)
	}
	left := b.operand(x.X, x.DType)
	if op == expr.Shl || op == expr.Shr {
		count := b.value(x.Y)
		return cexpr.Shift(op, left, count, x.DType, b.typeInKernel(count, x.Y.Type()))
	}
	right := b.operand(x.Y, x.DType)
	if op == expr.Mul {
		left, right = multiplied(left, x.DType), multiplied(right, x.DType)
	}
	return expr.Binary(op, left, right)
}

// multiplied is a factor. In kernels a factor of -1 is a sign, which is free; in the text it is one that is multiplied by.
func multiplied(e expr.Expr, t expr.DType) expr.Expr {
	if ops.IsMinusOne(e) {
		return &expr.Cast{DType: t, Arg: e}
	}
	return e
}

// division is a quotient or remainder of integers, which C rounds towards zero. Where neither is negative it is the operator of kernels,
// which rounds down.
func (b *builder) division(x *cfront.Binary) expr.Expr {
	left, right := b.operand(x.X, x.DType), b.operand(x.Y, x.DType)
	natural := !x.DType.IsSigned()
	if n, ok := b.number(x.Y); ok && b.isPassed(x.Y) {
		if d, ok := n.Constant(); ok { // compiled code does not know it
			b.fixed[d] = true
		}
	}
	if d, ok := x.Y.(*cfront.Int); ok && d.Value > 0 {
		n, ok := b.number(x.X)
		natural = natural || ok && b.nonNegative(n)
	}
	if natural {
		return expr.Binary(map[string]expr.OpKind{"/": expr.FloorDiv, "%": expr.Mod}[x.Op], left, right)
	}
	return &expr.Call{Func: b.function(cexpr.Division(x.Op, x.DType)), Args: []expr.Expr{left, right}}
}

// laneDivision are the quotients or remainders of the lanes of vectors of integers, of which kernels have no operator.
func (b *builder) laneDivision(x *cfront.Binary) expr.Expr {
	t := x.DType
	f := &kernel.Function{
		Params: []kernel.FunctionParam{{Name: "a", DType: x.X.Type()}, {Name: "b", DType: x.Y.Type()}}, Result: t,
		Body: "return a " + x.Op + " b;", Counts: map[expr.DType]map[string]int64{t.Base(): {"div": t.Lanes()}},
	}
	f.Name = b.functionNamed(map[string]string{"/": "quotients", "%": "remainders"}[x.Op], f)
	return &expr.Call{Func: f.Name, Args: []expr.Expr{b.operand(x.X, t), b.operand(x.Y, t)}}
}

func (b *builder) choice(x *cfront.Select) expr.Expr {
	c := b.truth(x.If)
	switch b.decided(c) {
	case yes:
		return b.arm(x.Then, x.DType)
	case no:
		return b.arm(x.Else, x.DType)
	}
	out := &expr.Cond{}
	b.evaluated(&c, true, x.Then, func() { out.Then = b.operand(x.Then, x.DType) })
	b.evaluated(&c, false, x.Else, func() { out.Else = b.operand(x.Else, x.DType) })
	out.If = c.whole()
	return out
}

// arm is the only side of a conditional expression, in the type that both sides decide on.
func (b *builder) arm(e cfront.Expr, t expr.DType) expr.Expr {
	if t == "" || t == expr.Bool || t.IsVector() {
		return b.operand(e, t)
	}
	v, from := b.value(e), e.Type()
	if from == expr.Bool {
		from = expr.Int32
	}
	return cexpr.Converted(v, b.typeInKernel(v, from), t)
}

func (b *builder) cast(x *cfront.Cast) expr.Expr {
	switch {
	case x.Elem != "":
		b.fail(x, "", "an address is no value in a kernel")
	case x.DType == expr.Bool:
		return b.truthValue(x.X)
	case !x.DType.Known():
		b.fail(x, "", "a conversion to a type that is no number")
	}
	v := b.value(x.X)
	from := b.typeInKernel(v, x.X.Type())
	if from == x.DType {
		return v
	}
	if literal, ok := v.(expr.Int); ok && x.DType.IsFloat() {
		return cexpr.Float(float64(literal.Value), x.DType)
	}
	return &expr.Cast{DType: x.DType, Arg: v}
}

// assigned is the value of an assignment within an expression.
func (b *builder) assigned(x *cfront.Assign) (out expr.Expr) {
	if done, ok := b.results[x]; ok {
		if done.isNum {
			return b.free(b.express(done.num))
		}
		return done.e
	}
	defer func() { b.results[x] = outcome{e: out} }()
	v := b.variableOf(x.To)
	if v != nil && !x.After {
		b.assignment(x)
		return b.value(x.To)
	}
	defer b.pin(x.To)()
	if v != nil {
		temp := b.scratch("before", x.To.Type())
		b.assignTemp(x.Pos, temp, b.value(x.To))
		b.assignment(x)
		return expr.Var{Name: temp}
	}
	if x.After { // it is loaded once
		temp, before := cfront.Temporary("before", x.To)
		b.assign(x.Pos, temp, x.To)
		b.store(x.Pos, x.To, assignedValue(x, before))
		return b.value(before)
	}
	val := assignedValue(x, x.To)
	temp := b.scratch("value", x.To.Type())
	b.assignTemp(x.Pos, temp, converting(b.value(val), val.Type(), x.To.Type()))
	p := b.placeOf(x.To)
	b.emit(&record{pos: x.Pos, lhs: b.take(x.Pos, p), rhs: expr.Var{Name: temp}})
	return expr.Var{Name: temp}
}

// assignedNumber is the value of an assignment within an expression, where it assigns a number to a variable.
func (b *builder) assignedNumber(x *cfront.Assign) (*expr.Poly, bool) {
	if done, ok := b.results[x]; ok {
		return done.num, done.isNum
	}
	v := b.variableOf(x.To)
	if v == nil || !b.follows(v) {
		return nil, false
	}
	before, ok := b.integerOf(x.Pos, v)
	if !ok {
		return nil, false
	}
	if _, ok := b.number(assignedValue(x, x.To)); !ok {
		return nil, false
	}
	b.assignment(x)
	n := before.num
	if !x.After {
		n = b.env[v].num
	}
	b.results[x] = outcome{value: value{isNum: true, num: n}}
	return n, true
}
