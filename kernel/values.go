package kernel

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel/expr"
)

// Values gives the elements of an argument whose values matter, such as the row pointers of a sparse matrix. Runs and the
// references for their results start from these data; counts do not use them.
type Values struct {
	Array string
	Index string    // name of the index in Value
	Value expr.Expr // over Index and parameters
	// Supposed values are those of an average launch: only counts use them, and what runs has its own.
	Supposed bool
}

// String is like "rowptr[i]: i*nnz // n".
func (v Values) String() string {
	text := v.Array + "[" + v.Index + "]: " + v.Value.String()
	if v.Supposed {
		text += " (supposed)"
	}
	return text
}

// AssumeValues states the elements of an integer argument with one axis that the kernel only reads: element is like
// "rowptr[i]" with a name for the index, value an expression in it and the parameters with + - * // %, as in
// "(7*i + i // 3) % n". Values that the kernel cannot use, such as an index out of bounds, are an
// error when it runs.
func (k *Kernel) AssumeValues(element, value string) (*Kernel, error) {
	e, err := expr.Parse(element)
	if err != nil {
		return nil, k.Errorf("values: %w", err)
	}
	v, err := expr.Parse(value)
	if err != nil {
		return nil, k.Errorf("values of %s: %w", element, err)
	}
	acc, ok := e.(*expr.Access)
	var index expr.Var
	if ok && len(acc.Index) == 1 {
		index, ok = acc.Index[0].(expr.Var)
	}
	if !ok || index.Name == "" || k.IsParam(index.Name) {
		return nil, k.Errorf(`values of %s: write the array with a name for its index, as in "rowptr[i]"`, element)
	}
	a := k.Array(acc.Array)
	switch {
	case a == nil || a.IsValue || k.IsTemp(acc.Array):
		return nil, k.Errorf("values of %s: %s is not an array argument", element, acc.Array)
	case len(a.Shape) != 1:
		return nil, k.Errorf("values of %s: %s has %d axes, values are given for arrays with one", element, acc.Array, len(a.Shape))
	case a.DType != "" && !a.DType.IsInteger():
		return nil, k.Errorf("values of %s: %s is %s, values are given for integers", element, acc.Array, a.DType)
	case len(k.Writers(acc.Array)) > 0:
		return nil, k.Errorf("values of %s: statement %s writes %s", element, k.Writers(acc.Array)[0].ID, acc.Array)
	case slices.ContainsFunc(k.Values, func(o Values) bool { return o.Array == acc.Array }):
		return nil, k.Errorf("the values of %s are given already", acc.Array)
	}
	var bad string
	expr.FreeVars(v, func(n string) {
		if n != index.Name && !k.IsParam(n) {
			bad = n
		}
	})
	if bad != "" {
		return nil, k.Errorf("values of %s: %s is neither its index nor a parameter of the kernel (%s)", element, bad, nameset.Text(k.Params()))
	}
	c := k.Clone()
	c.Values = append(c.Values, Values{Array: acc.Array, Index: index.Name, Value: v})
	return c, nil
}
