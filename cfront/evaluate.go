package cfront

import "gpuperf/kernel/expr"

// maxEvaluated bounds the steps of a constant expression (-fconstexpr-steps of compilers).
const maxEvaluated = 100_000

// evaluator computes constant expressions of integers as compilers do, with the functions that they call (C++17, 8.20).
type evaluator struct {
	p     *parser
	vars  map[*Var]int64
	steps int
}

// noConstant is thrown where an expression is no constant.
type noConstant struct{}

// evaluated is a value as a constant, where it is one of integers; others are as they are.
func (p *parser) evaluated(v value) value {
	if _, done := v.e.(*Int); done || v.t == nil || v.t.form != numberForm || !v.t.dtype.IsInteger() && v.t.dtype != expr.Bool {
		return v
	}
	if n, ok := p.evaluate(v.e); ok {
		return value{&Int{typed{Pos: v.e.Place(), DType: v.t.dtype}, v.t.dtype.Wrap(n)}, v.t}
	}
	return v
}

func (p *parser) evaluate(e Expr) (n int64, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(noConstant); !is {
				panic(r)
			}
			n, ok = 0, false
		}
	}()
	v := &evaluator{p: p, vars: map[*Var]int64{}}
	return v.value(e), true
}

// value is the value of an expression.
func (v *evaluator) value(e Expr) int64 {
	if v.steps++; v.steps > maxEvaluated {
		panic(noConstant{})
	}
	switch x := e.(type) {
	case *Int:
		return x.Value
	case *Ref:
		if n, ok := v.vars[x.Var]; ok {
			return n
		}
		panic(noConstant{})
	case *Call:
		return v.call(x)
	case *Assign:
		return v.assign(x)
	case *Select:
		if v.value(x.If) != 0 {
			return v.value(x.Then)
		}
		return v.value(x.Else)
	case *Binary:
		if x.Op == "&&" || x.Op == "||" {
			if left := v.value(x.X) != 0; left == (x.Op == "||") {
				return truth(left)
			}
			return truth(v.value(x.Y) != 0)
		}
	}
	known := func(e Expr) Expr { return &Int{typed{Pos: e.Place(), DType: e.Type()}, e.Type().Wrap(v.value(e))} }
	var folded Expr
	switch x := e.(type) {
	case *Unary:
		folded = &Unary{x.typed, x.Op, known(x.X)}
	case *Binary:
		folded = &Binary{x.typed, x.Op, known(x.X), known(x.Y), x.Func}
	case *Cast:
		folded = &Cast{x.typed, known(x.X)}
	default:
		panic(noConstant{})
	}
	if t := e.Type(); !t.IsInteger() && t != expr.Bool {
		panic(noConstant{})
	}
	n, ok := constantOf(folded)
	if !ok {
		panic(noConstant{})
	}
	return e.Type().Wrap(n)
}

func (v *evaluator) assign(x *Assign) int64 {
	to, ok := x.To.(*Ref)
	if !ok || to.Var.Class == Global {
		panic(noConstant{})
	}
	before, value := int64(0), x.Value
	if x.Op != "" {
		before = v.value(x.To)
		value = Operation(x.Pos, x.Op, x.To, x.Value)
	}
	n := to.Var.DType.Wrap(v.value(value))
	v.vars[to.Var] = n
	if x.After {
		return before
	}
	return n
}

// call is the value of a call of a constexpr function.
func (v *evaluator) call(x *Call) int64 {
	c := v.p.callees[x.Func]
	if c == nil || !c.constant || c.body == 0 || c.self != nil && len(x.Args) == 0 {
		panic(noConstant{})
	}
	v.p.define(c)
	if c.fn.Err != nil || len(c.fn.Params) != len(x.Args) || c.fn.Body == nil {
		panic(noConstant{})
	}
	inner := &evaluator{v.p, map[*Var]int64{}, v.steps}
	for i, p := range c.fn.Params {
		if p.DType == "" || len(p.Dims) > 0 || c.self != nil {
			panic(noConstant{})
		}
		inner.vars[p] = p.DType.Wrap(v.value(x.Args[i]))
	}
	n, returned := inner.statement(c.fn.Body)
	v.steps = inner.steps
	if returned != "return" {
		panic(noConstant{})
	}
	return c.fn.Result.Wrap(n)
}

// statement runs a statement, and tells by which jump it is left, with the value of a return.
func (v *evaluator) statement(s Stmt) (n int64, jump string) {
	switch x := s.(type) {
	case nil:
	case *Block:
		for _, item := range x.Items {
			if n, jump = v.statement(item); jump != "" {
				return n, jump
			}
		}
	case *Declare:
		for _, d := range x.Vars {
			if d.DType == "" || len(d.Dims) > 0 || d.Listed {
				panic(noConstant{})
			}
			if d.Init != nil {
				v.vars[d] = d.DType.Wrap(v.value(d.Init))
			}
		}
	case *Do:
		if x.X != nil {
			v.value(x.X)
		}
	case *If:
		if v.value(x.Cond) != 0 {
			return v.statement(x.Then)
		}
		return v.statement(x.Else)
	case *Jump:
		if x.What == "return" && x.Value != nil {
			return v.value(x.Value), "return"
		}
		if x.What == "goto" || x.What == "return" {
			panic(noConstant{})
		}
		return 0, x.What
	case *For:
		v.statement(x.Init)
		return v.loop(x.Cond, x.Body, x.Step, false)
	case *While:
		return v.loop(x.Cond, x.Body, nil, x.Do)
	default:
		panic(noConstant{})
	}
	return 0, ""
}

func (v *evaluator) loop(cond Expr, body Stmt, step Expr, first bool) (int64, string) {
	for ; first || cond == nil || v.value(cond) != 0; first = false {
		n, jump := v.statement(body)
		if jump == "break" {
			break
		}
		if jump == "return" {
			return n, jump
		}
		if step != nil {
			v.value(step)
		}
		if v.steps++; v.steps > maxEvaluated {
			panic(noConstant{})
		}
	}
	return 0, ""
}
