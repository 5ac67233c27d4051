package kernel

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Function is a user function, in the generated language (Body) and as an expression (Def).
//
// Body is opaque: it is copied into the source. The interpreter evaluates Def, and its operations are counted unless Counts
// gives them. Either of the two may be missing: without a body, the source is generated from the definition; without a
// definition, the kernel can be generated and counted but not interpreted.
type Function struct {
	Name   string
	Params []FunctionParam
	Result expr.DType
	// Body is the text between the braces of the function, in OpenCL C: "return x*x;".
	Body string
	// Def is an expression over the parameters and Lets that may call functions defined earlier; nil for none.
	Def expr.Expr
	// Lets are values that Def uses, each computed from the parameters and the Lets before it.
	Lets []FunctionLet
	// Counts are the operations of one call, by the type of their result and their names in feature identifiers, as in
	// {"float32": {"madd": 1, "func:sqrt": 1}}; if nil, the operations of Def are counted. Operations on vectors count
	// once per lane.
	Counts map[expr.DType]map[string]int64
}

// FunctionParam is a parameter of a user function, passed by value.
type FunctionParam struct {
	Name  string
	DType expr.DType
}

// FunctionLet is a named value in the definition of a function.
type FunctionLet struct {
	Name string
	Expr expr.Expr
}

// Function returns the user function of that name, nil without one.
func (k *Kernel) Function(name string) *Function {
	return lists.First(k.Functions, func(f *Function) bool { return f.Name == name })
}

// Scope is a kernel without statements in which Def can be checked and typed: its value arguments are the parameters and
// lets of f, its functions those defined before f. A let without a type, or one that uses an undefined name, is an error.
func (k *Kernel) Scope(f *Function) (_ *Kernel, err error) {
	defer throw.Catch(&err)
	s := &Kernel{Name: f.Name}
	value := func(name string, t expr.DType) {
		s.Args = append(s.Args, &Array{Name: name, DType: t, Space: Private, IsValue: true})
	}
	for _, p := range f.Params {
		value(p.Name, p.DType)
	}
	at := slices.IndexFunc(k.Functions, func(g *Function) bool { return g.Name == f.Name })
	s.Functions = k.Functions[:max(at, 0)]
	for _, l := range f.Lets {
		s.checkExpr(&Stmt{ID: f.Name}, l.Expr, nil)
		t, err := s.TypeOf(l.Expr)
		if err != nil {
			return nil, fmt.Errorf("%s = %s: %w", l.Name, l.Expr, err)
		}
		value(l.Name, t)
	}
	return s, nil
}

// RegisterFunction returns the kernel with a user function, which replaces one of the same name.
func (k *Kernel) RegisterFunction(f *Function) (*Kernel, error) {
	c := k.Clone()
	if i := slices.IndexFunc(c.Functions, func(g *Function) bool { return g.Name == f.Name }); i >= 0 {
		c.Functions[i] = f
	} else {
		c.Functions = append(c.Functions, f)
	}
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	if err := c.checkFunctions(); err != nil {
		return nil, err
	}
	return c, nil
}

// String describes the function on one line.
func (f *Function) String() string {
	var b strings.Builder
	b.WriteString(f.Name + "(")
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(p.DType) + " " + p.Name)
	}
	b.WriteString(") -> " + string(f.Result))
	if f.Def != nil {
		b.WriteString(" := " + f.Def.String())
	}
	for i, l := range f.Lets {
		b.WriteString([]string{" where ", ", "}[min(i, 1)] + l.Name + " = " + l.Expr.String())
	}
	if f.Counts != nil {
		var items []string
		for _, t := range slices.Sorted(maps.Keys(f.Counts)) {
			for _, name := range slices.Sorted(maps.Keys(f.Counts[t])) {
				items = append(items, fmt.Sprintf("%s %s %d", t, name, f.Counts[t][name]))
			}
		}
		b.WriteString(" {" + strings.Join(items, ", ") + "}")
	}
	if f.Body != "" {
		b.WriteString(" " + strconv.Quote(f.Body))
	}
	return b.String()
}

// calledNames are names that the parser treats specially before parentheses.
var calledNames = []string{"cast", "if", "maximum", "minimum", "reduce", "simul_reduce"}

// IsQuotient reports whether a function computes a quotient or a remainder of integers and nothing else, as those of C are.
func (f *Function) IsQuotient() bool {
	return f != nil && len(f.Params) == 2 && len(f.Counts) == 1 && f.Result.IsInteger() && len(f.Counts[f.Result]) == 1 && f.Counts[f.Result]["div"] == 1
}

// IsFence reports whether a call of a function waits until the device has seen all that its work-item has stored.
func (f *Function) IsFence() bool { return f != nil && f.Counts[f.Result][Fence] > 0 }

// Fence is the operation that such a function declares.
const Fence = "func:fence"

// OpCounts are the names of operations that a function may declare; it may also declare func:<name>.
var OpCounts = []string{"add", "mul", "madd", "div", "pow", "shift", "bw", "maxmin", "mma"}

// checkFunctions: functions have distinct names, known types, and definitions over their parameters.
func (k *Kernel) checkFunctions() error {
	for i, f := range k.Functions {
		scope, err := k.Scope(f)
		if err == nil {
			err = f.check(scope)
		}
		if err != nil {
			return k.Errorf("function %s: %w", f.Name, err)
		}
		if slices.ContainsFunc(k.Functions[:i], func(g *Function) bool { return g.Name == f.Name }) {
			return k.Errorf("function %s is defined twice", f.Name)
		}
	}
	return nil
}

// spliced are the ends of lines that the preprocessor joins with the next one: after a backslash, or its trigraph, and blanks.
var spliced = regexp.MustCompile("(\\\\|\\?\\?/)[ \t\v\f]*(\r\n|\r|\n)")

// directives begin what only the preprocessor reads: #, its digraph and its trigraph, and the operator for pragmas.
var directives = []string{"#", "%:", "??=", "_Pragma", "__pragma"}

// CheckBody refuses the text of a function's body that speaks to the preprocessor, which could include files of the machine that
// compiles it. A # is refused wherever it is, as OpenCL C has no other use for it.
func CheckBody(text string) error {
	text = spliced.ReplaceAllString(text, "")
	for _, d := range directives {
		if strings.Contains(text, d) {
			return fmt.Errorf("the body has %s, which begins a line for the preprocessor: a body is OpenCL C without such lines", d)
		}
	}
	return nil
}

func (f *Function) check(scope *Kernel) (err error) {
	defer throw.Catch(&err)
	throw.If(CheckBody(f.Body))
	switch {
	case expr.IsFunction(f.Name) || expr.ReductionArity(f.Name) > 0 || slices.Contains(calledNames, f.Name):
		return fmt.Errorf("the name is that of a known function")
	case f.Body == "" && f.Def == nil:
		return fmt.Errorf("it has neither a body nor a definition")
	case !f.Result.Known():
		return fmt.Errorf("unknown type %q of the result", f.Result)
	}
	seen := map[string]bool{}
	for _, p := range f.Params {
		switch {
		case !expr.IsName(p.Name):
			return fmt.Errorf("parameter %q is not an identifier", p.Name)
		case seen[p.Name]:
			return fmt.Errorf("two parameters are named %s", p.Name)
		case !p.DType.Known():
			return fmt.Errorf("unknown type %q of parameter %s", p.DType, p.Name)
		}
		seen[p.Name] = true
	}
	for _, l := range f.Lets {
		if !expr.IsName(l.Name) || seen[l.Name] || len(expr.Reductions(l.Expr)) > 0 {
			return fmt.Errorf("%s = %s: the name is malformed or in use, or the value has a reduction", l.Name, l.Expr)
		}
		seen[l.Name] = true
	}
	for t, ops := range f.Counts {
		if !t.Known() || t.IsVector() {
			return fmt.Errorf("operations are counted by scalar types, not by %q", t)
		}
		for name, n := range ops {
			if n < 0 {
				return fmt.Errorf("%d operations %s", n, name)
			}
			if _, isCall := strings.CutPrefix(name, "func:"); !isCall && !slices.Contains(OpCounts, name) {
				return fmt.Errorf("unknown operation %q: operations are %s and func:<name>", name, nameset.Text(OpCounts))
			}
		}
	}
	if f.Def == nil {
		return nil
	}
	stmt := &Stmt{ID: f.Name}
	scope.checkExpr(stmt, f.Def, nil)
	if len(expr.Reductions(f.Def)) > 0 {
		return fmt.Errorf("the definition %s has a reduction, which only statements may have", f.Def)
	}
	t, err := scope.TypeOf(f.Def)
	if err != nil {
		return fmt.Errorf("definition %s: %w", f.Def, err)
	}
	if t.IsVector() && t.Lanes() != f.Result.Lanes() {
		return fmt.Errorf("the definition %s is %s, the result %s", f.Def, t, f.Result)
	}
	return nil
}
