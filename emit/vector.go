package emit

import (
	"fmt"

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
func (v vectorPlace) place() string { return fmt.Sprintf("*((%s) (%s))", v.typed, v.pointer) }

func (v vectorPlace) load(w *writer, lanes int64) code {
	if v.aligned {
		return code{v.place(), precUnary}
	}
	return code{fmt.Sprintf(w.vectors.load, lanes, v.pointer), precAtom}
}

// vector finds the place of a vector. It is aligned where the flat index is known to be a multiple of the lanes: arrays
// begin at such places. OpenCL allows a pointer cast then, which compiles to one wide access; vloadN promises no alignment.
func (w *writer) vector(x *expr.Access) (vectorPlace, error) {
	a := w.k.Array(x.Array)
	if a == nil || len(x.Index) == 0 {
		return vectorPlace{}, fmt.Errorf("%s is no place for a vector", x)
	}
	index, err := w.flat(a, x.Index)
	if err != nil {
		return vectorPlace{}, err
	}
	v := vectorPlace{pointer: w.name(x.Array)}
	if index != "0" {
		v.pointer += " + " + code{index, precSum}.text
	}
	space := map[kernel.Space]string{kernel.Global: w.global, kernel.Local: w.local}[a.Space]
	if a.Constant {
		space = w.constant
	}
	if a.Space == kernel.Global && !a.Constant && !w.written[a.Name] {
		space += "const "
	}
	v.typed = space + w.types[a.DType.Vector(x.Lanes)] + " *"
	v.aligned, err = w.aligned(a, x)
	return v, err
}

// aligned decides whether the flat index is a multiple of the lanes.
func (w *writer) aligned(a *kernel.Array, x *expr.Access) (bool, error) {
	at, strides, err := w.place(a, x.Index)
	if err != nil {
		return false, err
	}
	multiple := func(a polycount.Affine) (bool, error) {
		return w.implied(polycount.EQ(w.inIteration(a).Mod(x.Lanes), polycount.Int(0)))
	}
	var flat polycount.Affine
	for i, index := range at {
		isAffine := index.Kind == linear.AffineIndex
		if s, ok := strides[i].Constant(); ok && isAffine {
			flat = flat.Add(index.Affine.Scale(s))
			continue
		}
		if strides[i].Kind != linear.AffineIndex {
			return false, nil
		}
		ok, err := multiple(strides[i].Affine)
		if err == nil && !ok && isAffine {
			ok, err = multiple(index.Affine)
		}
		if err != nil || !ok {
			return false, err
		}
	}
	return multiple(flat)
}

// vectorOperands writes operands of an operation on vectors. Between two operands a scalar of the lanes' type is taken for
// all lanes by itself.
func (w *writer) vectorOperands(args []expr.Expr, t expr.DType, infix bool) ([]code, error) {
	var out []code
	for _, a := range args {
		u, err := w.k.TypeOf(a)
		if err != nil {
			return nil, err
		}
		as := t
		if infix && !u.IsVector() {
			as = t.Base()
		}
		c, err := w.typed(a, as)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
