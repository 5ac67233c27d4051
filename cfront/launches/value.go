package launches

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Expr is an integer of the host code: a number, a name, or an operation on others. Quotients round down, as the numbers of launches are not negative.
type Expr struct {
	op     string // + - * // % min max ceil (of a quotient), / (a quotient that is not rounded yet), and comparisons
	args   []*Expr
	number int64
	real   float64 // of a constant in floating point that is no integer
	float  bool    // it is in floating point
	root   *root
}

// Value is the value where that is known.
func (e *Expr) Value() (int64, bool) {
	switch {
	case e == nil || e.real != 0:
		return 0, false
	case e.root != nil:
		return e.root.value.Value()
	case e.op == "":
		return e.number, true
	}
	var v [2]int64
	for i, a := range e.args {
		n, known := a.Value()
		if !known {
			return 0, false
		}
		v[min(i, 1)] = n
	}
	return computed(e.op, v[0], v[1])
}

// computed is the value of an operation; ok is false where that is none, as of a division by 0 and beyond 64 bits.
func computed(op string, a, b int64) (n int64, ok bool) {
	truth := map[bool]int64{true: 1}
	switch op {
	case "+":
		n = a + b
		return n, (n >= a) == (b >= 0)
	case "-":
		n = a - b
		return n, (n <= a) == (b >= 0)
	case "*":
		n = a * b
		return n, a == 0 || n/a == b
	case "//", "/", "%", "ceil":
		if b <= 0 || a < 0 {
			return 0, false
		}
		switch op {
		case "%":
			return a % b, true
		case "ceil":
			return (a + b - 1) / b, true
		}
		return a / b, true
	case "min":
		return min(a, b), true
	case "max":
		return max(a, b), true
	case "<":
		return truth[a < b], true
	case ">":
		return truth[a > b], true
	case "<=":
		return truth[a <= b], true
	case ">=":
		return truth[a >= b], true
	case "==":
		return truth[a == b], true
	case "!=":
		return truth[a != b], true
	}
	return 0, false
}

// isConstant reports whether no size is in it.
func (e *Expr) isConstant() bool {
	if e.root != nil {
		return e.root.constant
	}
	return !slices.ContainsFunc(e.args, func(a *Expr) bool { return !a.isConstant() })
}

// Name is the name that an expression is; ok is false for others.
func (e *Expr) Name() (name string, ok bool) {
	if e == nil || e.root == nil {
		return "", false
	}
	return e.root.name, true
}

// Sizes are the names in an expression with their values, where these are known. Constants are none, but for those that are named.
func (e *Expr) Sizes(named map[string]string) map[string]*int64 {
	out := map[string]*int64{}
	if e == nil {
		return out
	}
	if r := e.root; r != nil && (!r.constant || named[r.name] != "") {
		out[r.name] = nil
		if n, known := e.Value(); known {
			out[r.name] = &n
		}
		return out
	}
	for _, a := range e.args {
		maps.Copy(out, a.Sizes(named))
	}
	return out
}

// with is an expression with numbers in the places of names.
func (e *Expr) with(values map[string]*int64) *Expr {
	if e == nil {
		return nil
	}
	if e.root != nil {
		if n := values[e.root.name]; n != nil {
			return &Expr{number: *n, float: e.float}
		}
		return e
	}
	out := *e
	out.args = nil
	for _, a := range e.args {
		out.args = append(out.args, a.with(values))
	}
	return &out
}

// Linear is an expression as one that is linear in sizes: divisors are numbers, and what is no such expression is its value. ok is false where that is not known.
func (e *Expr) Linear(named map[string]string) (out *Expr, ok bool) {
	n, known := e.Value()
	whole := &Expr{number: n}
	if e == nil || e.root != nil || e.op == "" {
		return e, e != nil
	}
	var args []*Expr
	for i, a := range e.args {
		sizes := len(a.Sizes(named)) > 0
		v, is := a.Value()
		divides := i == 1 && (e.op == "//" || e.op == "/" || e.op == "%" || e.op == "ceil")
		product := i == 1 && e.op == "*" && len(e.args[0].Sizes(named)) > 0
		compares := len(e.op) == 2 && e.op != "//" || e.op == "<" || e.op == ">"
		switch {
		case compares || product && sizes:
			return whole, known
		case divides && sizes && !is:
			return whole, known
		case divides && sizes:
			args = append(args, &Expr{number: v})
			continue
		}
		l, ok := a.Linear(named)
		if !ok {
			return whole, known
		}
		args = append(args, l)
	}
	return &Expr{op: e.op, args: args, float: e.float}, true
}

// chooses reports whether a minimum or maximum of sizes is in it.
func (e *Expr) chooses() bool {
	return e.op == "min" || e.op == "max" || slices.ContainsFunc(e.args, (*Expr).chooses)
}

// Text is the expression in the notation of sizes, in which some names are others; constants that are none of these are numbers.
func (e *Expr) Text(named map[string]string) string {
	switch {
	case e.root != nil && named[e.root.name] != "":
		return named[e.root.name]
	case e.root != nil && e.root.constant:
		n, _ := e.Value()
		return strconv.FormatInt(n, 10)
	case e.root != nil:
		return e.root.name
	case e.op == "":
		return strconv.FormatInt(e.number, 10)
	}
	var args []string
	for _, a := range e.args {
		args = append(args, a.Text(named))
	}
	switch e.op {
	case "min", "max":
		return e.op + "(" + strings.Join(args, ", ") + ")"
	case "ceil":
		return "((" + args[0] + " + " + args[1] + " - 1) // " + args[1] + ")"
	case "/":
		return "(" + args[0] + " // " + args[1] + ")"
	}
	return "(" + strings.Join(args, " "+e.op+" ") + ")"
}

func (e *Expr) String() string { return e.Text(nil) }

// Describe is how a launch is written, for messages.
func (l *Launch) Describe() string {
	text := func(list []*Expr) string {
		var out []string
		for _, e := range list {
			out = append(out, e.String())
		}
		if out == nil {
			return "?"
		}
		return strings.Join(out, ",")
	}
	return fmt.Sprintf("<<<%s, %s>>> in line %d", text(l.Grid), text(l.Block), l.At.Line)
}
