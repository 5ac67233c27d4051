package kernel

import (
	"math"
	"math/big"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// Inames lists the inames in the order of the domains and their dimensions.
func (k *Kernel) Inames() []string {
	var out []string
	for _, d := range k.Domains {
		out = append(out, d.Dims()...)
	}
	return out
}

// IsIname reports whether name is a dimension of a domain.
func (k *Kernel) IsIname(name string) bool { return k.DomainIndex(name) >= 0 }

// DomainIndex is the index of the domain that has name as a dimension, -1 without one.
func (k *Kernel) DomainIndex(name string) int {
	for i, d := range k.Domains {
		if d.HasDim(name) {
			return i
		}
	}
	return -1
}

// Params lists the integer value arguments in their order, then the other parameters of the domains and the assumptions.
// Inames and temporaries that a domain uses as parameters are not among them.
func (k *Kernel) Params() []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) && !k.IsIname(name) && !k.IsTemp(name) {
			out = append(out, name)
		}
	}
	for _, a := range k.Args {
		if a.IsValue && (a.DType == "" || a.DType.IsInteger()) {
			add(a.Name)
		}
	}
	for _, d := range k.Domains {
		for _, p := range d.Params() {
			add(p)
		}
	}
	if k.Assumptions != nil {
		for _, p := range k.Assumptions.Params() {
			add(p)
		}
	}
	return out
}

// IsParam reports whether name is one of Params.
func (k *Kernel) IsParam(name string) bool {
	if k.IsIname(name) || k.IsTemp(name) {
		return false
	}
	return slices.ContainsFunc(k.Domains, func(d *polycount.Set) bool { return d.HasParam(name) }) ||
		k.Assumptions != nil && k.Assumptions.HasParam(name) ||
		slices.ContainsFunc(k.Args, func(a *Array) bool {
			return a.Name == name && a.IsValue && (a.DType == "" || a.DType.IsInteger())
		})
}

// Array returns the argument or temporary of that name, nil without one.
func (k *Kernel) Array(name string) *Array {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for _, a := range list {
			if a.Name == name {
				return a
			}
		}
	}
	return nil
}

// Arrays lists the arguments and the temporaries.
func (k *Kernel) Arrays() []*Array { return slices.Concat(k.Args, k.Temps) }

// IsTemp reports whether name is a temporary.
func (k *Kernel) IsTemp(name string) bool {
	return slices.ContainsFunc(k.Temps, func(a *Array) bool { return a.Name == name })
}

// Stmt returns the statement with that ID, nil without one.
func (k *Kernel) Stmt(id string) *Stmt {
	for _, s := range k.Statements {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Reads lists the array elements and scalar arrays that s reads: in its right-hand side, its predicates, the indices
// of what it writes and the bounds of its inames, in that order. A scalar temporary is an access without index.
func (k *Kernel) Reads(s *Stmt) []*expr.Access {
	var out []*expr.Access
	collect := func(e expr.Expr) {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Access:
				out = append(out, x)
			case expr.Var:
				if a := k.Array(x.Name); a != nil && !a.IsValue {
					out = append(out, &expr.Access{Array: x.Name})
				}
			}
			return true
		})
	}
	collect(s.RHS)
	for _, p := range s.Predicates {
		collect(p)
	}
	if lhs, ok := s.LHS.(*expr.Access); ok {
		for _, i := range lhs.Index {
			collect(i)
		}
	}
	if k.hasBounds() {
		for _, t := range k.Bounds(s.AllInames()) {
			out = append(out, &expr.Access{Array: t})
		}
	}
	return out
}

// ReadsFrom reports whether s reads the variable.
func (k *Kernel) ReadsFrom(s *Stmt, name string) bool {
	return slices.ContainsFunc(k.Reads(s), func(a *expr.Access) bool { return a.Array == name })
}

// Writes is what s assigns to: one access, or none for barriers and no-ops. A scalar temporary is an access without index.
func (k *Kernel) Writes(s *Stmt) []*expr.Access {
	switch x := s.LHS.(type) {
	case *expr.Access:
		return []*expr.Access{x}
	case expr.Var:
		return []*expr.Access{{Array: x.Name}}
	}
	return nil
}

// Target is the name of the variable that s assigns to, "" for statements that assign nothing.
func (s *Stmt) Target() string {
	switch x := s.LHS.(type) {
	case *expr.Access:
		return x.Array
	case expr.Var:
		return x.Name
	}
	return ""
}

// Orders is the space of the accesses that a LocalBarrier orders; Global includes Local.
func (s *Stmt) Orders() Space {
	if s.Memory == Global {
		return Global
	}
	return Local
}

// Exprs are the expressions of a statement: LHS, RHS and predicates.
func (s *Stmt) Exprs() []expr.Expr {
	out := make([]expr.Expr, 0, 2+len(s.Predicates))
	if s.LHS != nil {
		out = append(out, s.LHS)
	}
	if s.RHS != nil {
		out = append(out, s.RHS)
	}
	return append(out, s.Predicates...)
}

// ReductionInames lists the inames that s reduces over, sorted.
func (s *Stmt) ReductionInames() []string {
	var out []string
	for _, e := range s.Exprs() {
		for _, r := range expr.Reductions(e) {
			out = append(out, r.Inames...)
		}
	}
	return nameset.Sorted(out)
}

// AllInames lists the inames of s and those that it reduces over, sorted.
func (s *Stmt) AllInames() []string {
	if !s.reduces() {
		return nameset.Sorted(s.Inames)
	}
	return nameset.Sorted(append(slices.Clone(s.Inames), s.ReductionInames()...))
}

// reduces reports whether s has a reduction.
func (s *Stmt) reduces() bool {
	return expr.HasReduction(s.LHS) || expr.HasReduction(s.RHS) || slices.ContainsFunc(s.Predicates, expr.HasReduction)
}

// Unsynced reports whether NoSync of one of the statements says that they need no barrier for memory of the space.
func (s *Stmt) Unsynced(o *Stmt, space Space) bool {
	says := func(s, o *Stmt) bool {
		return slices.Contains(s.NoSync, o.ID) || slices.Contains(s.NoSync, o.ID+"@"+string(space))
	}
	return says(s, o) || says(o, s)
}

// Writers returns the statements that assign to the variable.
func (k *Kernel) Writers(name string) []*Stmt {
	var out []*Stmt
	for _, s := range k.Statements {
		if s.Target() == name {
			out = append(out, s)
		}
	}
	return out
}

// Readers returns the statements that read the variable.
func (k *Kernel) Readers(name string) []*Stmt {
	var out []*Stmt
	for _, s := range k.Statements {
		if k.ReadsFrom(s, name) {
			out = append(out, s)
		}
	}
	return out
}

// Values gives the elements of an argument whose values matter, such as the row pointers of a sparse matrix. Runs and the
// references for their results start from these data; counts do not use them.
type Values struct {
	Array string
	Index string    // name of the index in Value
	Value expr.Expr // over Index and parameters
}

// String is like "rowptr[i]: i*nnz // n".
func (v Values) String() string { return v.Array + "[" + v.Index + "]: " + v.Value.String() }

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
	c.Values = append(c.Values, Values{acc.Array, index.Name, v})
	return c, nil
}

// LocalSize is the extent of the work-group along the axes l.0 to l.2: one more than the largest value of a statement's
// iname on the axis, 1 where there is none. An extent that is not constant is an error.
func (k *Kernel) LocalSize() (size [3]int64, err error) {
	size = [3]int64{1, 1, 1}
	used := map[string]bool{}
	for _, s := range k.Statements {
		for _, n := range s.AllInames() {
			used[n] = true
		}
	}
	for _, n := range k.Inames() {
		tag := k.Tags[n]
		if tag.Kind != LocalAxis || !used[n] {
			continue
		}
		lo, hi, okL, okH, err := k.Interval(polycount.Name(n), k.Inames())
		switch {
		case err != nil:
			return size, err
		case !okH && !okL && k.nowhere(n):
			continue // for no sizes that are assumed
		case !okH || !okL:
			return size, k.Errorf("iname %s is tagged %s, but its extent is not constant; split it by the size of the work-group, or fix the parameters", n, tag)
		case lo < 0:
			return size, k.Errorf("iname %s is tagged %s and takes negative values (from %d)", n, tag, lo)
		}
		size[tag.Axis] = max(size[tag.Axis], hi+1)
	}
	return size, nil
}

// nowhere reports whether an iname has no value at any sizes that are assumed.
func (k *Kernel) nowhere(iname string) bool {
	d, err := k.DomainOf([]string{iname})
	if err != nil {
		return false
	}
	parts, err := Inhabited(d)
	return err == nil && len(parts) == 0
}

// maxGroup is more work-items than the work-group of any device has.
const maxGroup = math.MaxInt32

// CheckGroup refuses a work-group that no device can have. One whose size is not constant is left to [Kernel.Launchable].
func (k *Kernel) CheckGroup() error {
	size, err := k.LocalSize()
	if err != nil {
		return nil
	}
	items := new(big.Int).Mul(big.NewInt(size[0]), big.NewInt(size[1]))
	if items.Mul(items, big.NewInt(size[2])); items.Cmp(big.NewInt(maxGroup)) > 0 {
		return k.Errorf("a work-group of %d x %d x %d work-items is more than any device has; split the inames tagged l.0 to l.2", size[0], size[1], size[2])
	}
	return nil
}

// Launchable verifies what a prepared kernel needs to run but not to be counted: work-groups and tiles of constant size.
func (k *Kernel) Launchable() error {
	for _, a := range k.Arrays() {
		if a.Space != Local && a.Space != Private {
			continue
		}
		for axis, size := range a.Shape {
			if _, ok := size.(expr.Int); !ok {
				return k.Errorf("the size %s of axis %d of %s is not constant, as %s memory needs; fix the parameters", size, axis, a.Name, a.Space)
			}
		}
	}
	_, err := k.LocalSize()
	return err
}
