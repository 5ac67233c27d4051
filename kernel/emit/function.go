package emit

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// userCall writes the call of a user function, its operands converted to the types of the parameters.
func (w *writer) userCall(f *kernel.Function, x *expr.Call) code {
	var args []string
	for i, a := range x.Args {
		args = append(args, w.typed(a, f.Params[i].DType).text)
	}
	return code{fmt.Sprintf("%s(%s)", w.nameOf(f), strings.Join(args, ", ")), precAtom}
}

// nameOf is the name of a function in the source: another one where the language or the source has a meaning for it.
func (w *writer) nameOf(f *kernel.Function) string {
	name := f.Name
	for slices.Contains(w.reserved, name) || name == w.nest.Kernel.Name || name != f.Name && w.nest.Kernel.Function(name) != nil {
		name += "_"
	}
	return name
}

// checkFunctions refuses names that would have to be changed in the text of a body.
func (w *writer) checkFunctions() {
	for _, f := range w.k.Functions {
		for _, g := range w.k.Functions {
			if w.nameOf(f) != f.Name && strings.Contains(g.Body, f.Name) {
				w.fail("a function cannot be named %s in the source", f.Name)
			}
		}
		for _, p := range f.Params {
			if f.Body != "" && w.isReserved(p.Name) {
				w.fail("a parameter of function %s cannot be named %s in the source", f.Name, p.Name)
			}
		}
	}
}

func (w *writer) isReserved(name string) bool {
	return slices.Contains(w.reserved, name) || expr.IsFunction(name) || w.nest.Kernel.Function(name) != nil
}

// localNames renames what a function without a body cannot call by its name.
func (w *writer) localNames(f *kernel.Function) map[string]string {
	names, given := map[string]string{}, map[string]bool{}
	all := lists.Map(f.Params, func(p kernel.FunctionParam) string { return p.Name })
	for _, l := range f.Lets {
		all = append(all, l.Name)
	}
	for _, name := range all {
		given[name] = true
	}
	for _, name := range all {
		fresh := name
		for f.Body == "" && (w.isReserved(fresh) || fresh != name && given[fresh]) {
			fresh += "_"
		}
		given[fresh] = true
		names[name] = fresh
	}
	return names
}

// addFunctions defines the user functions of the kernel, in the order in which they may call each other: those that are
// called, and those with bodies, which may be called by others.
func (w *writer) addFunctions() {
	needed := map[string]bool{}
	note := func(e expr.Expr) {
		for e := range expr.All(e) {
			if x, ok := e.(*expr.Call); ok {
				needed[x.Func] = true
			}
		}
	}
	for _, s := range w.k.Statements {
		for _, e := range append([]expr.Expr{s.LHS, s.RHS}, s.Predicates...) {
			note(e)
		}
	}
	for _, f := range slices.Backward(w.k.Functions) {
		if f.Body != "" {
			needed[f.Name] = true
		} else if needed[f.Name] {
			note(f.Def)
			for _, l := range f.Lets {
				note(l.Expr)
			}
		}
	}
	for _, f := range w.k.Functions {
		if w.err != nil || !needed[f.Name] {
			continue
		}
		text := w.define(f)
		w.wrap("function " + f.Name)
		old, ok := w.unit.functions[f.Name]
		switch {
		case !ok:
			w.order = append(w.order, f.Name)
			w.unit.functions[f.Name] = text + "\n"
		case old != text+"\n":
			w.fail("function %s is another one in an earlier kernel of the source", f.Name)
		}
	}
}

func (w *writer) define(f *kernel.Function) string {
	use := func(t expr.DType) string {
		if _, ok := w.types[t]; !ok {
			w.fail("type %s is counted with but not generated", t)
		}
		w.use(t)
		return w.types[t]
	}
	result := use(f.Result)
	var params []string
	names := w.localNames(f)
	for _, p := range f.Params {
		params = append(params, use(p.DType)+" "+names[p.Name])
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	body := f.Body
	if body == "" {
		inner := *w
		inner.names, inner.fixed, inner.context, inner.known = names, map[string]polycount.Affine{}, nil, nil
		var err error
		if inner.k, err = w.k.Scope(f); err != nil {
			w.check(err)
			return ""
		}
		for _, l := range f.Lets {
			c, t := inner.expr(l.Expr)
			body += fmt.Sprintf("%s %s = %s;\n", w.types[t], names[l.Name], c.text)
		}
		body += "return " + inner.assigned(f.Def, f.Result).text + ";"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s %s(%s)\n{\n", w.helper, result, w.nameOf(f), strings.Join(params, ", "))
	for line := range strings.Lines(strings.TrimRight(body, " \t\r\n")) {
		b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
	}
	b.WriteString("}\n")
	return b.String()
}
