package lift

import (
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// reserved names have a meaning in expressions.
var reserved = map[string]bool{"fun": true, "let": true, "o": true, "vec": true, "id": true}

// patterns maps the names of patterns to their operators.
var patterns = map[string]*Op{}

// namePatterns fills patterns after the table of operators.
func namePatterns() {
	for op := range numOps {
		if len(rows[op].args) > 0 {
			patterns[rows[op].name] = &op
		}
	}
	stride := Gather
	patterns["reorderStride"] = &stride
}

// Patterns lists the names of the patterns, sorted.
func Patterns() []string {
	return slices.Sorted(maps.Keys(patterns))
}

// Usage is the syntax of a pattern or builtin function, with its type: map(f, xs) : (T => U, [T]n) => [U]n. It is "" for other names.
func Usage(name string) string {
	op := patterns[name]
	switch {
	case signatures[name] == "":
		return ""
	case op == nil:
		return name + " : " + signatures[name]
	}
	return name + "(" + usage(*op, name) + ") : " + signatures[name]
}

var argNames = map[argKind]string{
	argFun: "f", argDim: "dim", argInt: "k", argSize: "size", argMode: "clamp|mirror|wrap|any", argIndex: "index", argTerm: "value", argData: "xs", argList: "xs, …",
}

// valueNames name the values that are arguments of patterns with several, or with special ones.
var valueNames = map[Op][]string{Put: {"base"}, ReduceSegments: {"z", "starts"}, ReduceBetween: {"z", "from", "to"}}

// usage is the syntax of the arguments of a pattern.
func usage(op Op, name string) string {
	if name == "reorderStride" {
		return "size, xs"
	}
	var parts []string
	values := valueNames[op]
	for _, a := range rows[op].args {
		if a == argTerm && len(values) > 0 {
			parts, values = append(parts, values[0]), values[1:]
			continue
		}
		parts = append(parts, argNames[a])
	}
	return strings.Join(parts, ", ")
}

// suggest is the hint for an unknown name: the nearest known name, or the list of known names.
func (e *elaborator) suggest(name string, env *scope) string {
	here := slices.Concat(slices.Sorted(maps.Keys(e.funs)), Builtins(), Patterns())
	var values []string
	for s := env; s != nil; s = s.outer {
		values = append(values, s.name)
	}
	if expr.IsFunction(name) || name == "cast" || name == "if" {
		return name + " stands in functions on numbers: def f(x: int32): float32 = cast(float32, x)"
	}
	if near := source.Nearest(name, append(values, here...)); near != "" {
		return "did you mean " + near + "?"
	}
	hint := "patterns are " + strings.Join(Patterns(), " ") + ", functions " + strings.Join(append(slices.Sorted(maps.Keys(e.funs)), Builtins()...), " ")
	if len(values) > 0 {
		slices.Sort(values)
		hint += "; values here are " + strings.Join(slices.Compact(values), " ")
	}
	return hint
}
