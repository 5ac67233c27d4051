package emit

import (
	"fmt"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// vectorPlace is a run of elements in memory.
type vectorPlace struct {
	pointer string // to the first element
	typed   string // the type of a pointer to the vector
	aligned bool   // at a multiple of its size
}

// place writes an aligned vector as an object in memory.
func (v vectorPlace) to() string { return fmt.Sprintf("(%s) (%s)", v.typed, v.pointer) }

func (v vectorPlace) place() string { return "*(" + v.to() + ")" }

func (v vectorPlace) load(w *writer, lanes int64) code {
	if v.aligned {
		return code{fmt.Sprintf(w.vectors.wide, v.to()), precUnary}
	}
	return code{fmt.Sprintf(w.vectors.load, lanes, v.pointer), precAtom}
}

// vector finds the place of a vector. It is aligned where the flat index is known to be a multiple of the lanes: arrays
// begin at such places. OpenCL allows a pointer cast then, which compiles to one wide access; vloadN promises no alignment.
func (w *writer) vector(x *expr.Access) vectorPlace {
	a := w.k.Array(x.Array)
	if a == nil || len(x.Index) == 0 {
		w.fail("%s is no place for a vector", x)
		return vectorPlace{}
	}
	v := vectorPlace{pointer: w.name(x.Array)}
	if index := w.flat(a, x.Index); index != "0" {
		v.pointer += " + " + index
	}
	space := map[kernel.Space]string{kernel.Global: w.global, kernel.Local: w.pointsLocal}[a.Space]
	if a.Constant {
		space = w.constant
	}
	if a.Space == kernel.Global && !a.Constant && !w.written[a.Name] {
		space += "const "
	}
	v.typed = space + w.types[a.DType.Vector(x.Lanes)] + " *"
	v.aligned = w.aligned(a, x)
	return v
}

// aligned decides whether the flat index is a multiple of the lanes.
func (w *writer) aligned(a *kernel.Array, x *expr.Access) bool {
	at, strides := w.place(a, x.Index)
	multiple := func(a polycount.Affine) bool {
		return w.implied(polycount.EQ(w.inIteration(a).Mod(x.Lanes), polycount.Int(0)))
	}
	var flat polycount.Affine
	for i, index := range at {
		isAffine := index.Kind == linear.AffineIndex
		s, constant := strides[i].Constant()
		if constant && isAffine {
			flat = flat.Add(index.Affine.Scale(s))
			continue
		}
		if rest, ok := addends(index, x.Lanes); ok && constant {
			flat = flat.Add(rest.Scale(s))
			continue
		}
		if strides[i].Kind != linear.AffineIndex || !multiple(strides[i].Affine) && !(isAffine && multiple(index.Affine)) {
			return false
		}
	}
	return multiple(flat)
}

// addends is the sum of the affine terms of an index whose other terms are multiples of n: the rows of a grid, whatever their number.
func addends(x *linear.Index, n int64) (sum polycount.Affine, ok bool) {
	switch {
	case x.Kind == linear.AffineIndex:
		return x.Affine, true
	case x.Kind == linear.ArithmeticIndex && x.Op == expr.Add:
		for _, arg := range x.Args {
			part, ok := addends(arg, n)
			if !ok {
				return sum, false
			}
			sum = sum.Add(part)
		}
		return sum, true
	case x.Kind == linear.ArithmeticIndex && x.Op == expr.Mul:
		return sum, slices.ContainsFunc(x.Args, func(arg *linear.Index) bool {
			c, constant := arg.Constant()
			return constant && c%n == 0
		})
	}
	return sum, false
}

// vectorOperands writes operands of an operation on vectors. Between two operands a scalar of the lanes' type is taken for
// all lanes by itself.
func (w *writer) vectorOperands(args []expr.Expr, t expr.DType, infix bool) []code {
	var out []code
	for _, a := range args {
		as := t
		if infix && !w.typeOf(a).IsVector() {
			as = t.Base()
		}
		out = append(out, w.typed(a, as))
	}
	return out
}
