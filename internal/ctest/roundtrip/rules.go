package roundtrip

import (
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// functions are those that the IR has under several names, or as operators, and the languages under one.
var functions = map[string]string{
	"func:min": "maxmin", "func:max": "maxmin", "func:fmin": "maxmin", "func:fmax": "maxmin",
	"func:pow": "pow", "func:abs": "func:fabs", "func:mad": "func:fma",
}

// rules returns what makes keys of records comparable: names are those of the kernel, strides are numbers, and what the languages do not tell
// apart is one. nil leaves a record out.
func (s *source) rules(names map[string]string, sizes map[string]int64) func(features.Key) features.Key {
	name := func(n string) string {
		if of, ok := names[n]; ok {
			return of
		}
		return n
	}
	integers, floats := operationsKept(s.nest.Kernel)
	integers = integers && !hasLoop(s.nest.Body, s.divides)
	together := !hasLoop(s.nest.Body, s.apart)
	return func(key features.Key) features.Key {
		switch k := key.(type) {
		case features.Op:
			if !together || !floats || !integers && k.DType.IsInteger() {
				return nil
			}
			if to, ok := functions[k.Op]; ok {
				k.Op = to
			}
			// C computes in int what is smaller.
			if k.DType.IsInteger() && k.DType.Size() < 4 {
				k.DType = expr.Int32
			}
			return k
		case features.Mem:
			if !together && k.Granularity == features.SubGroup {
				return nil
			}
			k.Variable, k.Tag = name(k.Variable), "" // C has no tags
			// A bool in memory is a byte.
			if k.DType == expr.Bool {
				k.DType = expr.Uint8
			}
			k.LStrides, k.GStrides = moving(k.LStrides, s.single(true), sizes), moving(k.GStrides, s.single(false), sizes)
			if k.LStrides == fromData || k.GStrides == fromData {
				k.LStrides, k.GStrides = fromData, fromData
			}
			return k
		case features.Sync:
			// CUDA C has one barrier for all memory.
			if s.language == emit.CUDAC && k.Op == "barrier_"+string(kernel.Global) {
				k.Op = "barrier_" + string(kernel.Local)
			}
			return k
		case features.Footprint:
			// Registers hold a vector as one element or as several.
			if k.Variable = name(k.Variable); s.nest.Kernel.SpaceOf(k.Variable) == kernel.Private {
				return nil
			}
			return k
		}
		return key
	}
}

// operationsKept reports of which operations a source has as many as the kernel. A function with a body of its own is as its author wrote it, whatever its
// definition. emit simplifies quotients of indices in values, as 3 + (i + 16) // 16 to 4 + i // 16, and those in definitions. Of a function that an index
// calls, the source counts the operations.
func operationsKept(k *kernel.Kernel) (integers, floats bool) {
	integers, floats = true, true
	visit := func(scope *kernel.Kernel, e expr.Expr, definition bool) {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Access:
				called := slices.ContainsFunc(x.Index, func(i expr.Expr) bool { return calls(i) })
				integers = integers && !called
				return false
			case *expr.Call:
				if f := k.Function(x.Func); f != nil && f.Body != "" {
					floats = false
				}
			case *expr.Op:
				if x.Kind == expr.FloorDiv || x.Kind == expr.Mod {
					t, err := scope.TypeOf(x)
					_, affine := scope.AffineOf(x)
					integers = integers && (err != nil || !t.IsSigned() || affine != nil && !definition)
				}
			}
			return true
		})
	}
	for _, s := range k.Statements {
		for _, e := range append(s.Predicates, s.RHS) {
			if e != nil {
				visit(k, e, false)
			}
		}
	}
	for _, f := range k.Functions {
		scope, err := k.Scope(f)
		if err != nil || f.Def == nil {
			continue
		}
		visit(scope, f.Def, true)
		for _, l := range f.Lets {
			visit(scope, l.Expr, true)
		}
	}
	return integers, floats
}

// calls reports whether an expression calls a function.
func calls(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		_, call := x.(*expr.Call)
		found = found || call
		return !found
	})
	return found
}

// apart reports whether a loop with a step begins at another value in each work-item. The work-items of a sub-group make its iterations together, each with its
// own value; the kernel counts those of one value together.
func (s *source) apart(l *linear.Loop) bool {
	return l.Step > 1 && slices.ContainsFunc(l.Lower[0].Num.Names(), func(name string) bool { return strings.HasPrefix(name, "lid") })
}

// divides reports whether a bound of a loop is a quotient of data, for which the source calls a function.
func (s *source) divides(l *linear.Loop) bool {
	return slices.ContainsFunc(slices.Concat(l.Lower, l.Upper), func(b polycount.Bound) bool {
		return b.Den != 1 && slices.ContainsFunc(b.Num.Names(), s.nest.Kernel.IsTemp)
	})
}

// hasLoop reports whether there is such a loop in a body.
func hasLoop(body []linear.Node, such func(*linear.Loop) bool) bool {
	return slices.ContainsFunc(body, func(n linear.Node) bool {
		switch x := n.(type) {
		case *linear.Guard:
			return hasLoop(x.Body, such)
		case *linear.Loop:
			return such(x) || hasLoop(x.Body, such)
		}
		return false
	})
}

// single reports for each local or group axis whether it has one work-item, or work-group, at all sizes. The source has the index 0 there, and so no
// distance between neighbours.
func (s *source) single(local bool) (out [3]bool) {
	for axis := range 3 {
		if local {
			out[axis] = s.nest.Local[axis] == 1
			continue
		}
		for _, b := range s.nest.Groups[axis] {
			out[axis] = out[axis] || b.Num.IsConstant() && b.Num.Constant() < b.Den
		}
	}
	return out
}

// fromData are the strides of an element that data chooses. The source does not say along which axes it changes.
const fromData = features.Strides("?")

// moving are the strides along axes that are not single, as numbers.
func moving(strides features.Strides, single [3]bool, sizes map[string]int64) features.Strides {
	var items []string
	for _, item := range strings.Split(string(strides), ";") {
		axis, stride, ok := strings.Cut(item, ":")
		if stride == "?" {
			return fromData
		}
		if !ok || single[axis[0]-'0'] {
			continue
		}
		if e, err := expr.Parse(stride); err == nil {
			if v, err := expr.EvalInt(e, sizes); err == nil {
				stride = v.String()
			}
		}
		items = append(items, axis+":"+stride)
	}
	return features.Strides(strings.Join(items, ";"))
}
