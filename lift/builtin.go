package lift

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/kernel/expr"
)

// builtin is a function for several types; its instances are user functions without a body.
type builtin struct {
	params      int
	def         string // over x and y
	floats      bool   // only on floating-point types
	assoc, comm bool
	neutral     string // "" for none
}

// builtins are the functions that programs need not declare. + and * on floats count as associative, as in every parallel
// reduction.
var builtins = map[string]*builtin{
	"+":    {params: 2, def: "x + y", assoc: true, comm: true, neutral: "0"},
	"-":    {params: 2, def: "x - y"},
	"*":    {params: 2, def: "x * y", assoc: true, comm: true, neutral: "1"},
	"/":    {params: 2, def: "x / y", floats: true},
	"min":  {params: 2, def: "minimum(x, y)", assoc: true, comm: true},
	"max":  {params: 2, def: "maximum(x, y)", assoc: true, comm: true},
	"neg":  {params: 1, def: "-x"},
	"abs":  {params: 1, def: "abs(x)"},
	"sqrt": {params: 1, def: "sqrt(x)", floats: true},
	"exp":  {params: 1, def: "exp(x)", floats: true},
	"log":  {params: 1, def: "log(x)", floats: true},
}

// operators are the builtins in infix notation.
var operators = map[string]*builtin{"+": builtins["+"], "-": builtins["-"], "*": builtins["*"], "/": builtins["/"]}

// Builtins lists the names of the builtin functions, sorted, and "id", which takes any data type.
func Builtins() []string {
	return append(slices.Sorted(maps.Keys(builtins)), "id")
}

// Builtin is the builtin function of that name on an element type: + - * / min max neg abs sqrt exp log.
func Builtin(name string, d expr.DType) (*Term, error) {
	b := builtins[name]
	switch {
	case b == nil:
		return nil, fmt.Errorf("no builtin function is named %q", name)
	case b.floats && !d.IsFloat():
		return nil, fmt.Errorf("%s works on floating-point numbers, not on %s", name, d)
	case !d.IsFloat() && !d.IsInteger():
		return nil, fmt.Errorf("%s works on numbers, not on %s", name, d)
	}
	def, err := expr.Parse(b.def)
	if err != nil {
		return nil, err
	}
	t := Scalar(d)
	f := UserFun{
		Name: name, Params: []Param{{"x", t}, {"y", t}}[:b.params], Result: t, Defs: []expr.Expr{def},
		Associative: b.assoc, Commutative: b.comm,
	}
	if b.neutral != "" {
		f.Neutral = Number(d, b.neutral)
	}
	u, err := NewUserFun(f)
	if err != nil {
		return nil, err
	}
	return FunOf(u), nil
}

// ID is the function that copies a scalar, a vector, or a tuple of these.
func ID(t *Type) *Term {
	if !t.IsData() {
		return badf("id copies scalars, vectors and tuples of them, not %s", t)
	}
	f := UserFun{Name: "id", Params: []Param{{"x", t}}, Result: t, Defs: []expr.Expr{expr.Var{Name: "x"}}}
	if t.Kind == TupleType {
		f.Defs = nil
		for i := range Components(t) {
			f.Defs = append(f.Defs, &expr.Access{Array: "x", Index: []expr.Expr{expr.Int{Value: int64(i)}}})
		}
	}
	u, err := NewUserFun(f)
	if err != nil {
		return bad(err)
	}
	return FunOf(u)
}

// IsID reports whether f is the function id of some type.
func (f *UserFun) IsID() bool { return f.Name == "id" && len(f.Params) == 1 && f == ID(f.Result).User }

// IsBuiltin reports whether f is an instance of a builtin function.
func (f *UserFun) IsBuiltin() bool {
	if f.IsID() {
		return true
	}
	if f.Result.Kind != ScalarType {
		return false
	}
	b, err := Builtin(f.Name, f.Result.DType)
	return err == nil && b.User == f
}
