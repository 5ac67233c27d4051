package lift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

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

func (f *UserFun) check() error {
	if !isFunName(f.Name) {
		return fmt.Errorf("%q is no name of a function", f.Name)
	}
	if f.Result == nil || !f.Result.IsData() {
		return fmt.Errorf("the result is %v, not a scalar, a vector or a tuple of such", f.Result)
	}
	known := map[string]*Type{}
	for _, p := range f.Params {
		if p.Type == nil || !p.Type.IsData() {
			return fmt.Errorf("parameter %s is %v, not a scalar, a vector or a tuple of such", p.Name, p.Type)
		}
		if known[p.Name] != nil {
			return fmt.Errorf("two parameters are named %s", p.Name)
		}
		known[p.Name] = p.Type
	}
	for _, b := range f.Lets {
		if err := knownNames(b.Expr, known); err != nil {
			return err
		}
		if known[b.Name] != nil {
			return fmt.Errorf("two values are named %s", b.Name)
		}
		known[b.Name] = valueType
	}
	if len(f.Defs) > 0 {
		want := len(Components(f.Result))
		if f.Result.Kind == VectorType {
			want = 1
		}
		if len(f.Defs) != want {
			return fmt.Errorf("%d expressions define a result of %d components", len(f.Defs), want)
		}
	}
	for _, d := range f.Defs {
		if err := knownNames(d, known); err != nil {
			return err
		}
	}
	if len(f.Defs) == 0 && f.Body == "" {
		return fmt.Errorf("neither an expression nor a body defines it")
	}
	if err := kernel.CheckBody(f.Body); err != nil {
		return err
	}
	if f.Body != "" && f.Result.Kind == TupleType {
		return fmt.Errorf("a body in OpenCL C cannot give the tuple %s", f.Result)
	}
	if f.Associative || f.Commutative || f.Neutral != nil {
		if len(f.Params) != 2 || f.Params[0].Type != f.Result || f.Params[1].Type != f.Result {
			return fmt.Errorf("only a function of two parameters of its result's type is associative, commutative or has a neutral element")
		}
		if f.Neutral != nil && f.Neutral.Type != f.Result {
			return fmt.Errorf("the neutral element %s is %s, not %s", f.Neutral, f.Neutral.Type, f.Result)
		}
	}
	return nil
}

// valueType is a placeholder for the types of Lets, which are inferred when the function is generated. All are numbers.
var valueType = Float32

// knownNames checks that an expression uses parameters as their types allow and calls only known functions.
func knownNames(e expr.Expr, known map[string]*Type) (err error) {
	fail := func(format string, args ...any) bool {
		err = fmt.Errorf(format, args...)
		return false
	}
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Var:
			switch t := known[x.Name]; {
			case err != nil:
			case t == nil:
				return fail("%s is no parameter", x.Name)
			case t.Kind == TupleType:
				return fail("%s is the tuple %s: its components are %s[0] to %s[%d]", x.Name, t, x.Name, x.Name, len(Components(t))-1)
			}
		case *expr.Access:
			t := known[x.Array]
			if t == nil {
				return fail("%s is no parameter", x.Array)
			}
			n := len(Components(t))
			switch t.Kind {
			case VectorType:
				n = t.Width
			case ScalarType:
				return fail("%s is a number, and has no components", x.Array)
			}
			if len(x.Index) == 1 {
				if i, ok := x.Index[0].(expr.Int); ok && i.Value >= 0 && i.Value < int64(n) {
					return true
				}
			}
			return fail("%s is no component of %s: they are %s[0] to %s[%d]", x, t, x.Array, x.Array, n-1)
		case *expr.Call:
			switch n, ok := expr.Arity(x.Func); {
			case !ok:
				return fail("a definition calls %s, and can call only %s", x.Func, strings.Join(expr.Functions(), " "))
			case n != len(x.Args):
				return fail("%s takes %d arguments, not %d: %s", x.Func, n, len(x.Args), x)
			}
		case *expr.Reduce:
			return fail("a definition cannot contain a reduction (%s)", x)
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
		var all []*Type
		for _, e := range t.Elems {
			all = append(all, Components(e)...)
		}
		return all
	}
	return []*Type{t}
}

// Type is the type of the function.
func (f *UserFun) Type() *Type {
	params := make([]*Type, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Type
	}
	return Func(params, f.Result)
}

// Expanded is the definition with Lets replaced by their values.
func (f *UserFun) Expanded() []expr.Expr {
	by := map[string]expr.Expr{}
	for _, b := range f.Lets {
		by[b.Name] = expr.Subst(b.Expr, by)
	}
	out := make([]expr.Expr, len(f.Defs))
	for i, d := range f.Defs {
		out[i] = expr.Subst(d, by)
	}
	return out
}

// String is the declaration, as programs write it.
func (f *UserFun) String() string {
	var b strings.Builder
	b.WriteString("def " + f.Name + "(" + joinParams(f.Params) + "): " + f.Result.String())
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
	parts := make([]string, len(list))
	for i, p := range list {
		parts[i] = p.Name + ": " + p.Type.String()
	}
	return strings.Join(parts, ", ")
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
