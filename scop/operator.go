package scop

import (
	"slices"

	"gpuperf/cfront"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// operators of C as those of kernels. Quotients and remainders of integers are not among them, as they are rounded differently.
var operators = map[string]expr.OpKind{
	"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.Div, "<<": expr.Shl, ">>": expr.Shr, "&": expr.BitAnd, "|": expr.BitOr, "^": expr.BitXor,
}

// tests are operators whose result is a truth value.
var tests = map[string]expr.OpKind{
	"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge, "==": expr.Eq, "!=": expr.Ne, "&&": expr.And, "||": expr.Or,
}

func (b *builder) unary(x *cfront.Unary) expr.Expr {
	switch x.Op {
	case "+":
		return b.value(x.X)
	case "-":
		return &expr.Op{Kind: expr.Neg, Args: []expr.Expr{b.promoted(x.X, x.DType)}}
	case "~":
		return &expr.Op{Kind: expr.BitNot, Args: []expr.Expr{b.promoted(x.X, x.DType)}}
	}
	return number(b.truth(x))
}

// number is a truth value as the integer that C makes of it.
func number(e expr.Expr) expr.Expr {
	return &expr.Cond{If: e, Then: expr.Int{Value: 1}, Else: expr.Int{Value: 0}}
}

// promoted is an operand in the type in which C computes, where that of the kernel would be another.
func (b *builder) promoted(e cfront.Expr, t expr.DType) expr.Expr {
	v := b.value(e)
	if _, literal := v.(expr.Int); literal || e.Type() == t || t.IsFloat() && e.Type() == expr.Int32 || t == expr.Float64 && e.Type().Size() >= 4 {
		return v
	}
	return &expr.Cast{DType: t, Arg: v}
}

func (b *builder) binary(x *cfront.Binary) expr.Expr {
	if _, ok := tests[x.Op]; ok {
		return number(b.truth(x))
	}
	if x.DType.IsInteger() && (x.Op == "/" || x.Op == "%") {
		return b.division(x)
	}
	op, ok := operators[x.Op]
	if !ok || x.DType == "" {
		b.fail(x, "", "the operator %s has no place in a loop nest", x.Op)
	}
	left := b.promoted(x.X, x.DType)
	if op == expr.Shl || op == expr.Shr {
		return expr.Binary(op, left, b.value(x.Y))
	}
	return expr.Binary(op, left, b.promoted(x.Y, x.DType))
}

// division is a quotient or remainder of integers, rounded towards zero. Where both operands are known not to be negative
// it is the operator of kernels, which rounds down.
func (b *builder) division(x *cfront.Binary) expr.Expr {
	var pieces []piece
	floor := b.attempt(func() { pieces = b.affine(x.X) }) && len(pieces) == 1 && b.holds(x, polycount.GE(pieces[0].value, polycount.Int(0)))
	if d, ok := x.Y.(*cfront.Int); !ok || d.Value <= 0 {
		floor = false
	}
	left, right := b.promoted(x.X, x.DType), b.promoted(x.Y, x.DType)
	if floor || !x.DType.IsSigned() {
		op := expr.FloorDiv
		if x.Op == "%" {
			op = expr.Mod
		}
		return expr.Binary(op, left, right)
	}
	return &expr.Call{Func: b.rounding(x.Op, x.DType), Args: []expr.Expr{left, right}}
}

// rounding is the name of the function that divides as C does.
func (b *builder) rounding(op string, t expr.DType) string {
	name, def := "c_div_"+string(t), "a // b + (1 if a % b != 0 and (a < 0 and b > 0 or a > 0 and b < 0) else 0)"
	if op == "%" {
		name, def = "c_mod_"+string(t), "a % b - (b if a % b != 0 and (a < 0 and b > 0 or a > 0 and b < 0) else 0)"
	}
	if !slices.ContainsFunc(b.nest.Functions, func(f *kernel.Function) bool { return f.Name == name }) {
		parsed, err := expr.Parse(def)
		if err != nil {
			panic(err)
		}
		b.nest.Functions = append(b.nest.Functions, &kernel.Function{
			Name: name, Params: []kernel.FunctionParam{{Name: "a", DType: t}, {Name: "b", DType: t}}, Result: t,
			Body: "return a " + op + " b;", Def: parsed, Counts: map[expr.DType]map[string]int64{t: {"div": 1}},
		})
	}
	return name
}

// truth reads a condition that may depend on data. One that is affine is written by its constraints.
func (b *builder) truth(e cfront.Expr) expr.Expr {
	var holds *polycount.Set
	if b.attempt(func() { holds = b.condition(e) }) {
		guard, err := holds.Gist(b.domain)
		b.try(e.Place(), err)
		return disjunction(guard)
	}
	switch x := e.(type) {
	case *cfront.Unary:
		if x.Op == "!" {
			return expr.Negate(b.truth(x.X))
		}
	case *cfront.Binary:
		op, ok := tests[x.Op]
		switch {
		case op == expr.And || op == expr.Or:
			left := b.truth(x.X)
			var right expr.Expr
			b.under(x.X, op == expr.And, func() { right = b.truth(x.Y) })
			return &expr.Op{Kind: op, Args: []expr.Expr{left, right}}
		case ok:
			return expr.Binary(op, b.value(x.X), b.value(x.Y))
		}
	}
	return expr.Binary(expr.Ne, b.value(e), expr.Int{Value: 0})
}

// under reads a part of an expression that is evaluated only if the condition holds, or does not. Where that depends on data, the part is
// taken to be evaluated.
func (b *builder) under(condition cfront.Expr, holds bool, read func()) {
	domain, narrow := b.domain, b.narrow
	b.attempt(func() {
		c := b.condition(condition)
		var err error
		if holds {
			c, err = domain.Intersect(c)
		} else {
			c, err = domain.Subtract(c)
		}
		b.try(condition.Place(), err)
		b.domain, b.narrow = c, true
	})
	read()
	b.domain, b.narrow = domain, narrow
}

func (b *builder) choice(x *cfront.Select) expr.Expr {
	out := &expr.Cond{If: b.truth(x.If)}
	b.under(x.If, true, func() { out.Then = b.promoted(x.Then, x.DType) })
	b.under(x.If, false, func() { out.Else = b.promoted(x.Else, x.DType) })
	return out
}

func (b *builder) cast(x *cfront.Cast) expr.Expr {
	if x.DType == "" || x.DType == expr.Bool {
		b.fail(x, "", "a conversion to another type than a number has no place in a loop nest")
	}
	if x.X.Type() == x.DType {
		return b.value(x.X)
	}
	return &expr.Cast{DType: x.DType, Arg: b.value(x.X)}
}

// function is the name of the function of kernels that a function of the C library is, and the type of its operands.
func function(x *cfront.Call) (name string, t expr.DType, ok bool) {
	if n, known := expr.Arity(x.Func); known && n == len(x.Args) && x.DType == expr.Float64 {
		return x.Func, expr.Float64, true
	}
	short, cut := x.Func[:max(0, len(x.Func)-1)], len(x.Func) > 1 && x.Func[len(x.Func)-1] == 'f'
	if n, known := expr.Arity(short); cut && known && n == len(x.Args) && x.DType == expr.Float32 {
		return short, expr.Float32, true
	}
	return "abs", expr.Int32, x.Func == "abs" && len(x.Args) == 1
}

// converted is a value of one type as another.
func converted(v expr.Expr, from, to expr.DType) expr.Expr {
	literal, ok := v.(expr.Int)
	switch {
	case from == to:
		return v
	case ok && to.IsFloat():
		return floatOf(float64(literal.Value), to)
	}
	return &expr.Cast{DType: to, Arg: v}
}

// pure reports that a call has no effect.
func pure(x *cfront.Call) bool { _, _, ok := function(x); return ok }

func (b *builder) call(x *cfront.Call) expr.Expr {
	name, t, ok := function(x)
	if !ok {
		b.fail(x, "", "the call of %s may have effects that are not seen here", x.Func)
	}
	var args []expr.Expr
	for _, a := range x.Args {
		args = append(args, converted(b.value(a), a.Type(), t))
	}
	if name == "pow" {
		return expr.Binary(expr.Pow, args[0], args[1])
	}
	return &expr.Call{Func: name, Args: args}
}
