package device

import (
	"fmt"
	"math"
	"strconv"
)

// Formula gives element i of a buffer the value of an expression in i, in double precision: its tokens in reverse Polish notation, which are "i", numbers,
// and the operators and functions of formula1, formula2 and "if", which takes a condition and two values. False is 0.
type Formula []string

var formula1 = map[string]func(a float64) float64{
	"neg": func(a float64) float64 { return -a }, "not": func(a float64) float64 { return truth(a == 0) },
	"abs": math.Abs, "sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "tanh": math.Tanh,
	"floor": math.Floor, "ceil": math.Ceil,
}

var formula2 = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b }, "-": func(a, b float64) float64 { return a - b },
	"*": func(a, b float64) float64 { return a * b }, "/": func(a, b float64) float64 { return a / b },
	"//": func(a, b float64) float64 { return math.Floor(a / b) }, "%": func(a, b float64) float64 { return a - b*math.Floor(a/b) },
	"**": math.Pow, "pow": math.Pow, "min": math.Min, "max": math.Max,
	"<": func(a, b float64) float64 { return truth(a < b) }, "<=": func(a, b float64) float64 { return truth(a <= b) },
	">": func(a, b float64) float64 { return truth(a > b) }, ">=": func(a, b float64) float64 { return truth(a >= b) },
	"==": func(a, b float64) float64 { return truth(a == b) }, "!=": func(a, b float64) float64 { return truth(a != b) },
	"and": func(a, b float64) float64 { return truth(a != 0 && b != 0) }, "or": func(a, b float64) float64 { return truth(a != 0 || b != 0) },
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// step is a token that is understood: it takes so many values off the stack.
type step struct {
	takes int
	value float64
	one   func(a float64) float64
	two   func(a, b float64) float64
}

// index is the number of values that the token "i" takes, which no other has.
const index = -1

// parsed reads the tokens.
func (f Formula) parsed() ([]step, error) {
	var list []step
	depth := 0
	for _, token := range f {
		var s step
		switch v, err := strconv.ParseFloat(token, 64); {
		case token == "i":
			s.takes = index
		case formula1[token] != nil:
			s = step{takes: 1, one: formula1[token]}
		case formula2[token] != nil:
			s = step{takes: 2, two: formula2[token]}
		case token == "if":
			s.takes = 3
		case err != nil:
			return nil, fmt.Errorf("a formula has no %q", token)
		default:
			s.value = v
		}
		if depth -= max(s.takes, 0); depth < 0 {
			return nil, fmt.Errorf("a formula lacks an operand of %q", token)
		}
		depth++
		list = append(list, s)
	}
	if depth != 1 {
		return nil, fmt.Errorf("a formula leaves %d values", depth)
	}
	return list, nil
}

// at is the value for an element. The stack is memory for it.
func at(list []step, i float64, stack []float64) float64 {
	stack = stack[:0]
	for k := range list {
		s := &list[k]
		n := len(stack)
		switch s.takes {
		case index:
			stack = append(stack, i)
		case 0:
			stack = append(stack, s.value)
		case 1:
			stack[n-1] = s.one(stack[n-1])
		case 2:
			stack = append(stack[:n-2], s.two(stack[n-2], stack[n-1]))
		default:
			chosen := stack[n-1]
			if stack[n-3] != 0 {
				chosen = stack[n-2]
			}
			stack = append(stack[:n-3], chosen)
		}
	}
	return stack[0]
}

// At is element i. The formula must be one that Check accepts.
func (f Formula) At(i int64) float64 {
	list, err := f.parsed()
	if err != nil {
		panic(err)
	}
	return at(list, float64(i), nil)
}

// Check reports what is wrong with the formula for elements of a dtype.
func (f Formula) Check(dtype string) error {
	if dtypes[dtype].float && dtypes[dtype].size == 2 {
		return fmt.Errorf("a formula in a buffer of %s", dtype)
	}
	_, err := f.parsed()
	return err
}
