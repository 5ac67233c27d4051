package lift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// UserFun is a function on scalars, vectors and tuples of them. Only user functions compute: all patterns only arrange what
// they read and write.
//
// Defs is the definition: one expression of the kernel IR for each component of the result (one, unless the result is a
// tuple). A scalar parameter is a variable of its name; the components of a tuple or a vector are p[0], p[1] and so on.
// Lets are values computed first, each from the parameters and earlier values.
//
// User functions are interned: the same declaration is the same pointer.
type UserFun struct {
	Name   string
	Params []Param
	Result *Type
	Lets   []Binding
	Defs   []expr.Expr
	// Body is the text between the braces of the function in OpenCL C; "" if it is generated from the definition.
	Body string
	// Counts are the declared operations of one call, as in kernel.Function; nil counts the definition.
	Counts map[expr.DType]map[string]int64
	// Properties of a function of two parameters of its result's type. Neutral z: f(z, x) = f(x, z) = x; nil for none.
	Associative, Commutative bool
	Neutral                  *Term

	id  uint64
	key string
}

// Param is a named and typed parameter.
type Param struct {
	Name string
	Type *Type
}

// Binding is a value with a name.
type Binding struct {
	Name string
	Expr expr.Expr
}

var userFuns = struct {
	sync.Mutex
	table map[string]*UserFun
}{table: map[string]*UserFun{}}

// NewUserFun checks and interns a user function. The result must not be changed.
func NewUserFun(f UserFun) (*UserFun, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, err)
	}
	f.key = f.String()
	userFuns.Lock()
	defer userFuns.Unlock()
	if old := userFuns.table[f.key]; old != nil {
		return old, nil
	}
	f.id = uint64(len(userFuns.table)) + 1
	userFuns.table[f.key] = &f
	return &f, nil
}

// dataForm is the hint for what a def takes and gives.
const dataForm = "a def works on elements: map it over an array"

func (f *UserFun) check() error {
	if !isFunName(f.Name) {
		return wrong("names are made of letters, digits and _, and begin with a letter", "%q is no name of a function", f.Name)
	}
	if f.Result == nil || !f.Result.IsData() {
		return wrong(dataForm, "the result is %v, not a scalar, a vector or a tuple of such", f.Result)
	}
	known := map[string]*Type{}
	for _, p := range f.Params {
		if p.Type == nil || !p.Type.IsData() {
			return wrong(dataForm, "parameter %s is %v, not a scalar, a vector or a tuple of such", p.Name, p.Type)
		}
		if known[p.Name] != nil {
			return wrong("give one of the two another name", "two parameters are named %s", p.Name)
		}
		known[p.Name] = p.Type
	}
	for _, b := range f.Lets {
		if err := knownNames(b.Expr, known); err != nil {
			return err
		}
		if known[b.Name] != nil {
			return wrong("give one of the two another name", "two values are named %s", b.Name)
		}
		known[b.Name] = valueType
	}
	if len(f.Defs) > 0 {
		want := len(Components(f.Result))
		if f.Result.Kind == VectorType {
			want = 1
		}
		if len(f.Defs) != want {
			return wrong("write an expression for each component, with commas between", "%d expressions define a result of %d components", len(f.Defs), want)
		}
	}
	for _, d := range f.Defs {
		if err := knownNames(d, known); err != nil {
			return err
		}
	}
	if len(f.Defs) == 0 && f.Body == "" {
		return wrong(`write = and an expression, or below it c "return x;" with ops`, "neither an expression nor a body defines it")
	}
	if err := kernel.CheckBody(f.Body); err != nil {
		return err
	}
	if f.Body != "" && f.Result.Kind == TupleType {
		return wrong("write an expression for each component, with commas between", "a body in OpenCL C cannot give the tuple %s", f.Result)
	}
	if f.Associative || f.Commutative || f.Neutral != nil {
		if len(f.Params) != 2 || f.Params[0].Type != f.Result || f.Params[1].Type != f.Result {
			return wrong("take that line away, or write def f(x: T, y: T): T", "only a function of two parameters of its result's type is associative, commutative or has a neutral element")
		}
		if f.Neutral != nil && f.Neutral.Type != f.Result {
			return wrong(fmt.Sprintf("write a number of type %s", f.Result), "the neutral element %s is %s, not %s", f.Neutral, f.Neutral.Type, f.Result)
		}
	}
	return nil
}

// valueType is a placeholder for the types of Lets, which are inferred when the function is generated. All are numbers.
var valueType = Float32

// knownNames checks that an expression uses parameters as their types allow and calls only known functions.
func knownNames(e expr.Expr, known map[string]*Type) (err error) {
	fail := func(hint, format string, args ...any) bool {
		err = wrong(hint, format, args...)
		return false
	}
	parts := func(name string, n int) string {
		return fmt.Sprintf("its components are %s[0] to %s[%d]", name, name, n-1)
	}
	names := "names here are parameters and values of where: " + strings.Join(slices.Sorted(maps.Keys(known)), " ")
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Var:
			switch t := known[x.Name]; {
			case err != nil:
			case t == nil:
				return fail(names, "%s is no parameter", x.Name)
			case t.Kind == TupleType:
				return fail(parts(x.Name, len(Components(t))), "%s is the tuple %s", x.Name, t)
			}
		case *expr.Access:
			t := known[x.Array]
			if t == nil {
				return fail(names, "%s is no parameter", x.Array)
			}
			n := len(Components(t))
			switch t.Kind {
			case VectorType:
				n = t.Width
			case ScalarType:
				return fail("write "+x.Array, "%s is a number, and has no components", x.Array)
			}
			if len(x.Index) == 1 {
				if i, ok := x.Index[0].(expr.Int); ok && i.Value >= 0 && i.Value < int64(n) {
					return true
				}
			}
			return fail(parts(x.Array, n), "%s is no component of %s", x, t)
		case *expr.Call:
			switch n, ok := expr.Arity(x.Func); {
			case !ok:
				return fail("it can call "+strings.Join(expr.Functions(), " "), "a definition calls %s", x.Func)
			case n != len(x.Args):
				return fail("write "+x.Func+"(x"+strings.Repeat(", y", n-1)+")", "%s takes %d arguments, not %d: %s", x.Func, n, len(x.Args), x)
			}
		case *expr.Reduce:
			return fail("reduce an array by a pattern, outside of the def", "a definition cannot contain a reduction (%s)", x)
		}
		return err == nil
	})
	return err
}

// Components lists the scalar and vector types that make up a type, in order. A value of the type is stored as one array for each.
func Components(t *Type) []*Type {
	switch t.Kind {
	case ArrayType:
		return Components(t.Elem)
	case TupleType:
		return lists.Flat(t.Elems, Components)
	}
	return []*Type{t}
}

// Type is the type of the function.
func (f *UserFun) Type() *Type {
	params := lists.Map(f.Params, func(p Param) *Type { return p.Type })
	return Func(params, f.Result)
}

// Expanded is the definition with Lets replaced by their values.
func (f *UserFun) Expanded() []expr.Expr {
	by := map[string]expr.Expr{}
	for _, b := range f.Lets {
		by[b.Name] = expr.Subst(b.Expr, by)
	}
	return lists.Map(f.Defs, func(d expr.Expr) expr.Expr { return expr.Subst(d, by) })
}

// head is the first part of the declaration: the name, and the types.
func (f *UserFun) head() string {
	return "def " + f.Name + "(" + joinParams(f.Params) + "): " + f.Result.String()
}

// String is the declaration, as programs write it.
func (f *UserFun) String() string {
	var b strings.Builder
	b.WriteString(f.head())
	for i, d := range f.Defs {
		b.WriteString([]string{" = ", ", "}[min(i, 1)] + d.String())
	}
	for _, l := range f.Lets {
		b.WriteString("\n    where " + l.Name + " = " + l.Expr.String())
	}
	if f.Body != "" {
		b.WriteString("\n    c " + strconv.Quote(f.Body))
	}
	for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
		for _, name := range slices.Sorted(maps.Keys(f.Counts[t])) {
			fmt.Fprintf(&b, "\n    ops %s %s %d", t, name, f.Counts[t][name])
		}
	}
	if f.Associative {
		b.WriteString("\n    associative")
	}
	if f.Commutative {
		b.WriteString("\n    commutative")
	}
	if f.Neutral != nil {
		b.WriteString("\n    neutral " + f.Neutral.String())
	}
	return b.String()
}

func joinParams(list []Param) string {
	return lists.Join(list, ", ", func(p Param) string { return p.Name + ": " + p.Type.String() })
}

// isFunName: an identifier, or an operator of builtins.
func isFunName(name string) bool { return isIdent(name) || operators[name] != nil }

func isIdent(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
