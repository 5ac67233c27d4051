package models

import (
	"maps"
	"math"
	"slices"
)

// Op is the kind of a node of an expression.
type Op uint8

// The operations of the language. Each is closed under differentiation: the derivative of an expression is an expression of the
// same language, which is why contrast, share, powlog, sign and below are part of it.
const (
	Const     Op = iota
	Feature      // f_…, a value of the kernel
	Param        // p_…, a value of the device, to be calibrated
	TermRef      // the name of another term of the model
	Add          // a + b
	Sub          // a - b
	Mul          // a * b
	Div          // a / b
	Pow          // a ** b
	Neg          // -a
	Exp          // exp(a)
	Log          // log(a), natural
	Sqrt         // sqrt(a)
	Tanh         // tanh(a)
	Sin          // sin(a)
	Cos          // cos(a)
	Atan         // atan(a)
	Abs          // abs(a)
	Sign         // sign(a): -1, 0 or 1
	Min          // min(a, b)
	Max          // max(a, b)
	Ceil         // ceil(a)
	Below        // below(a, b): 1 where a < b, 1/2 where they are equal, else 0
	Step         // step(x, p) = (tanh(p x) + 1)/2, equation 6 of the Perflex paper
	Contrast     // contrast(a, b) = (a - b)/(a + b), 0 where a + b is 0
	Overlap      // overlap(a, b, p) = a step(x, p) + b step(-x, p) with x = contrast(a, b), equation 5 made free of units
	PNorm        // pnorm(a, b, p) = (a**p + b**p)**(1/p)
	Share        // share(a, b, p) = a/pnorm(a, b, p)
	PowLog       // powlog(a, b) = a**b log(a), 0 at a = 0 for b > 0
	Floor        // floor(a)
	Round        // round(a), halves away from 0
	Choose       // a ? b : c
	Less         // a < b; this and those below are conditions, 1 where they hold, else 0
	AtMost       // a <= b
	Equals       // a == b
	Differs      // a != b
	And          // a and b
	Or           // a or b
	Not          // not a
	normShare    // share of a in a norm, of tapes alone
	numOps
)

// operation is what the package knows about an Op: how it is written, computed and differentiated.
type operation struct {
	name  string // of a function, or the sign of an operator
	infix bool
	arity int
	eval  func(a, b, c float64) float64
	// partial gives the derivative of e by its i-th argument, as an expression in e's arguments (and e).
	partial func(e *Expr, i int) *Expr
}

var ops [numOps]operation

// init because the table's functions build expressions, which read the table.
func init() {
	ops = [numOps]operation{
		Const:   {arity: 0},
		Feature: {arity: 0},
		Param:   {arity: 0},
		TermRef: {arity: 0},
		Add:     {"+", true, 2, func(a, b, _ float64) float64 { return a + b }, func(*Expr, int) *Expr { return num(1) }},
		Sub: {"-", true, 2, func(a, b, _ float64) float64 { return a - b }, func(_ *Expr, i int) *Expr {
			return num([]float64{1, -1}[i])
		}},
		Mul: {"*", true, 2, func(a, b, _ float64) float64 { return a * b }, func(e *Expr, i int) *Expr { return e.Args[1-i] }},
		Div: {"/", true, 2, func(a, b, _ float64) float64 { return a / b }, func(e *Expr, i int) *Expr {
			if i == 0 {
				return div(num(1), e.Args[1])
			}
			return neg(div(e, e.Args[1]))
		}},
		Pow: {"**", true, 2, func(a, b, _ float64) float64 { return math.Pow(a, b) }, func(e *Expr, i int) *Expr {
			a, b := e.Args[0], e.Args[1]
			if i == 0 {
				return mul(b, pow(a, sub(b, num(1))))
			}
			return call(PowLog, a, b)
		}},
		Neg: {"-", true, 1, func(a, _, _ float64) float64 { return -a }, func(*Expr, int) *Expr { return num(-1) }},
		Exp: {"exp", false, 1, func(a, _, _ float64) float64 { return math.Exp(a) }, func(e *Expr, _ int) *Expr { return e }},
		Log: {"log", false, 1, func(a, _, _ float64) float64 { return math.Log(a) }, func(e *Expr, _ int) *Expr {
			return div(num(1), e.Args[0])
		}},
		Sqrt: {"sqrt", false, 1, func(a, _, _ float64) float64 { return math.Sqrt(a) }, func(e *Expr, _ int) *Expr {
			return div(num(0.5), e)
		}},
		Tanh: {"tanh", false, 1, func(a, _, _ float64) float64 { return math.Tanh(a) }, func(e *Expr, _ int) *Expr {
			return sub(num(1), pow(e, num(2)))
		}},
		Sin: {"sin", false, 1, func(a, _, _ float64) float64 { return math.Sin(a) }, func(e *Expr, _ int) *Expr {
			return call(Cos, e.Args[0])
		}},
		Cos: {"cos", false, 1, func(a, _, _ float64) float64 { return math.Cos(a) }, func(e *Expr, _ int) *Expr {
			return neg(call(Sin, e.Args[0]))
		}},
		Atan: {"atan", false, 1, func(a, _, _ float64) float64 { return math.Atan(a) }, func(e *Expr, _ int) *Expr {
			return div(num(1), add(num(1), pow(e.Args[0], num(2))))
		}},
		Abs: {"abs", false, 1, func(a, _, _ float64) float64 { return math.Abs(a) }, func(e *Expr, _ int) *Expr {
			return call(Sign, e.Args[0])
		}},
		Sign: {"sign", false, 1, func(a, _, _ float64) float64 { return sign(a) }, func(*Expr, int) *Expr { return num(0) }},
		Ceil: {"ceil", false, 1, func(a, _, _ float64) float64 { return math.Ceil(a) }, func(*Expr, int) *Expr { return num(0) }},
		Min: {"min", false, 2, func(a, b, _ float64) float64 { return min(a, b) }, func(e *Expr, i int) *Expr {
			return call(Below, e.Args[i], e.Args[1-i])
		}},
		Max: {"max", false, 2, func(a, b, _ float64) float64 { return max(a, b) }, func(e *Expr, i int) *Expr {
			return call(Below, e.Args[1-i], e.Args[i])
		}},
		Below:    {"below", false, 2, func(a, b, _ float64) float64 { return (1 - sign(a-b)) / 2 }, func(*Expr, int) *Expr { return num(0) }},
		Step:     {"step", false, 2, func(x, p, _ float64) float64 { return step(x, p) }, stepPartial},
		Contrast: {"contrast", false, 2, func(a, b, _ float64) float64 { return contrast(a, b) }, contrastPartial},
		Overlap:  {"overlap", false, 3, overlap, overlapPartial},
		PNorm:    {"pnorm", false, 3, pnorm, pnormPartial},
		Share:    {"share", false, 3, share, sharePartial},
		PowLog:   {"powlog", false, 2, func(a, b, _ float64) float64 { return powlog(a, b) }, powlogPartial},
		Floor:    {"floor", false, 1, func(a, _, _ float64) float64 { return math.Floor(a) }, func(*Expr, int) *Expr { return num(0) }},
		Round:    {"round", false, 1, func(a, _, _ float64) float64 { return math.Round(a) }, func(*Expr, int) *Expr { return num(0) }},
		Choose: {"?:", true, 3, choice, func(e *Expr, i int) *Expr {
			return choose(e.Args[0], num([]float64{0, 1, 0}[i]), num([]float64{0, 0, 1}[i]))
		}},
		Less:      condition("<", 2, func(a, b float64) bool { return a < b }),
		AtMost:    condition("<=", 2, func(a, b float64) bool { return a <= b }),
		Equals:    condition("==", 2, func(a, b float64) bool { return a == b }),
		Differs:   condition("!=", 2, func(a, b float64) bool { return a != b }),
		And:       condition("and", 2, func(a, b float64) bool { return a != 0 && b != 0 }),
		Or:        condition("or", 2, func(a, b float64) bool { return a != 0 || b != 0 }),
		Not:       condition("not", 1, func(a, _ float64) bool { return a == 0 }),
		normShare: {arity: 3, eval: shareOf},
	}
	for op, o := range ops {
		if o.name != "" && !o.infix {
			functions[o.name] = Op(op)
		}
	}
}

// condition is an operation that is 1 where it holds, else 0. Its derivatives count as 0.
func condition(name string, arity int, holds func(a, b float64) bool) operation {
	return operation{name, true, arity, func(a, b, _ float64) float64 {
		if holds(a, b) {
			return 1
		}
		return 0
	}, func(*Expr, int) *Expr { return num(0) }}
}

// isCondition reports whether an expression holds or does not, and is no number.
func (e *Expr) isCondition() bool { return e.Op >= Less && e.Op <= Not }

func choice(c, a, b float64) float64 {
	if c != 0 {
		return a
	}
	return b
}

// functions are the Ops that are written as calls, by name.
var functions = map[string]Op{}

// Functions lists the functions of expressions, sorted, with the number of their arguments.
func Functions() (names []string, arity map[string]int) {
	arity = make(map[string]int)
	for name, op := range functions {
		arity[name] = ops[op].arity
	}
	return slices.Sorted(maps.Keys(arity)), arity
}

func sign(a float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return a // 0, or NaN
}
