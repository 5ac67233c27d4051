package lift

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gpuperf/internal/source"
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

// signatures are the types of patterns, from arguments to result. T and U are any types, d and e element types; small letters that
// arguments consist of are sizes and whole numbers. What follows "where" has to hold of them.
var signatures = map[string]string{
	"map":             "(T => U, [T]n) => [U]n",
	"reduce":          "((T, T) => T, T, [T]n) => [T]1",
	"partRed":         "((T, T) => T, T, m, [T]n) => [T]m, where m divides n",
	"scan":            "((T, T) => T, T, [T]n) => [T]n",
	"scanBefore":      "((T, T) => T, T, [T]n) => [T]n",
	"zip":             "([T]n, [U]n, ...) => [(T, U, ...)]n",
	"unzip":           "([(T, U, ...)]n) => ([T]n, [U]n, ...)",
	"tuple":           "(T, U, ...) => (T, U, ...)",
	"get":             "(k, (T, U, ...)) => component k of the tuple, from 0",
	"split":           "(m, [T]n) => [[T]m](n/m), where m divides n",
	"join":            "([[T]m]n) => [T](m*n)",
	"transpose":       "([[T]m]n) => [[T]n]m",
	"iterate":         "(k, [T]n => [T]m, [T]n) => the array after k steps, where k <= 4096",
	"reorder":         "([T]n) => [T]n",
	"gather":          "(index, [T]n) => [T]n",
	"scatter":         "(index, [T]n) => [T]n",
	"reorderStride":   "(s, [T]n) => [T]n, where s divides n",
	"slide":           "(w, s, [T]n) => [[T]w]((n - w)/s + 1), where s divides n - w and w <= n",
	"pad":             "(l, r, mode, [T]n) => [T](l + n + r)",
	"padConst":        "(l, r, T, [T]n) => [T](l + n + r)",
	"at":              "(int32, [T]n) => T, where the index is below n",
	"generate":        "(n, int32 => T) => [T]n",
	"take":            "(m, [T]n) => [T]m, where m <= n",
	"drop":            "(m, [T]n) => [T](n - m), where m <= n",
	"append":          "([T]m, [T]n) => [T](n + m)",
	"filter":          "(T => int32, [T]n) => ([T]n, [int32]1), where T has no arrays",
	"put":             "([T]n, [(int32, T)]m) => [T]n",
	"reduceSegments":  "((T, T) => T, T, [int32](m + 1), [T]n) => [T]m",
	"inset":           "(l, r, [T]n) => [T](l + n + r)",
	"nat":             "(n) => int32",
	"asVector":        "(k, [d]n) => [<d>k](n/k), where k is 2, 4, 8 or 16 and divides n",
	"asScalar":        "([<d>k]n) => [d](k*n)",
	"mapGlb":          "(axis, T => U, [T]n) => [U]n, where axis is 0, 1 or 2",
	"mapWrg":          "(axis, T => U, [T]n) => [U]n, where axis is 0, 1 or 2",
	"mapLcl":          "(axis, T => U, [T]n) => [U]n, where axis is 0, 1 or 2",
	"mapSeq":          "(T => U, [T]n) => [U]n",
	"mapSeqUnroll":    "(T => U, [T]n) => [U]n",
	"mapSeqSlide":     "(w, s, [T]w => U, [T]n) => [U]((n - w)/s + 1), where s divides n - w and w <= n",
	"mapVec":          "((d, ...) => e, <d>k, ...) => <e>k",
	"reduceSeq":       "((U, T) => U, U, [T]n) => [U]1",
	"reduceSeqUnroll": "((U, T) => U, U, [T]n) => [U]1",
	"reduceBetween":   "((U, T) => U, U, int32, int32, s, [T]n) => [U]1",
	"scanSeq":         "((U, T) => U, U, [T]n) => [U]n",
	"scanBeforeSeq":   "((U, T) => U, U, [T]n) => [U]n",
	"toGlobal":        "(T) => T",
	"toLocal":         "(T) => T",
	"toPrivate":       "(T) => T",

	"+": "(d, d) => d", "-": "(d, d) => d", "*": "(d, d) => d", "min": "(d, d) => d", "max": "(d, d) => d",
	"/":   "(d, d) => d, where d is float16, float32 or float64; a def divides integers by // and %",
	"neg": "(d) => d", "abs": "(d) => d",
	"sqrt": "(d) => d, where d is float16, float32 or float64; a def converts integers by cast(float32, x)",
	"exp":  "(d) => d, where d is float16, float32 or float64; a def converts integers by cast(float32, x)",
	"log":  "(d) => d, where d is float16, float32 or float64; a def converts integers by cast(float32, x)",
	"id":   "(T) => T, where T is a number, a vector or a tuple of these: map(id) copies an array",
}

// mistake is an error of a program, with what would be right.
type mistake struct {
	error
	hint string
	op   Op // where there is no hint: the operator that is used wrongly
}

func (m *mistake) Unwrap() error { return m.error }

// wrong is an error with what would be right.
func wrong(hint, format string, args ...any) error {
	return &mistake{error: fmt.Errorf(format, args...), hint: hint}
}

// hintOf is what would be right, as the error says; "" where it does not.
func hintOf(err error) string {
	var m *mistake
	var place *source.Error
	switch {
	case errors.As(err, &m) && m.hint == "":
		return Usage(m.op.String())
	case m != nil:
		return m.hint
	case errors.As(err, &place):
		return place.Hint
	}
	return ""
}

// rejected fails at a place of the text, for a reason that may know what would be right.
func (e *elaborator) rejected(at int, err error) { e.FailHint(at, hintOf(err), "%v", err) }

// typeForms are examples of types, for hints.
const typeForms = "types are written float32, int32, [float32]n, [[float32]m](n + 2), <float32>4, (float32, int32)"

// tooLong is the hint for programs that exceed a limit.
const tooLong = "name what stands there several times: let(y = …, …), or a def"

// sizeForms are what sizes consist of, for hints.
const sizeForms = "sizes are made of whole numbers, size symbols, + - * / ^, such as n, 16 or (n + 2)/4"
