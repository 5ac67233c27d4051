package workload

import (
	"math"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// needsWide reports whether a value in the index arithmetic of the program can exceed 32 bits at the sizes of the case:
// an index or a part of one, a loop bound, a guard, a number of elements. The estimate adds and multiplies the largest magnitudes of the parts,
// so it errs on the side of 64 bits; what it cannot bound counts as too large.
func (c *Case) needsWide() (_ bool, err error) {
	defer throw.Catch(&err)
	throw.If(c.CheckSizes())
	counts := c.elements()
	for _, n := range counts {
		if n > math.MaxInt32 {
			return true, nil
		}
	}
	nest := throw.Get(c.Nest())
	m := &magnitudes{kernel: nest.Kernel, sizes: c.Sizes, known: map[string]float64{}}
	global, local := c.launch()
	for d := range global {
		axis := string(rune('0' + d))
		m.known["lid("+axis+")"] = float64(local[d])
		m.known["gid("+axis+")"] = float64(global[d] / max(local[d], 1))
	}
	for _, s := range nest.Kernel.Statements {
		for _, e := range []expr.Expr{s.LHS, s.RHS} {
			if e == nil {
				continue
			}
			for _, a := range expr.Accesses(e) {
				for _, index := range a.Index {
					_ = throw.Get(m.expr(index))
				}
			}
		}
	}
	m.nodes(nest.Body)
	return m.large, nil
}

// magnitudes bounds absolute values, and notes when one exceeds 32 bits. Numbers that decide are exact: a float64 is rounded
// only far beyond 32 bits.
type magnitudes struct {
	kernel *kernel.Kernel
	sizes  map[string]int64
	known  map[string]float64 // of names
	large  bool
}

const (
	largest32 = float64(math.MaxInt32)
	unknown   = 2 * largest32 // larger than 32 bits hold, whatever it is
)

func (m *magnitudes) note(v float64) float64 {
	m.large = m.large || v > largest32
	return v
}

// expr bounds an index expression and all its parts.
func (m *magnitudes) expr(e expr.Expr) (float64, error) {
	d := expr.Domain[float64]{
		Int:   func(v int64) float64 { return m.note(magnitude(v)) },
		Unary: func(_ expr.OpKind, a float64) (float64, error) { return a, nil },
		Binary: func(op expr.OpKind, a, b float64) (float64, error) {
			switch op {
			case expr.Add, expr.Sub:
				return m.note(a + b), nil
			case expr.Mul:
				return m.note(a * b), nil
			case expr.FloorDiv:
				return a, nil
			}
			return max(a, b), nil // minimum, maximum, and %, which stays below its divisor
		},
		Either: func(a, b float64) (float64, error) { return max(a, b), nil },
	}
	return d.Eval(e, func(e expr.Expr) (float64, error) {
		switch x := e.(type) {
		case expr.Var:
			return m.name(x.Name), nil
		case *expr.Access:
			return m.name(x.Array), nil
		}
		return largest32, nil // what memory holds, or a function returns
	})
}

func magnitude(v int64) float64 { return math.Abs(float64(v)) }

// name bounds a parameter, an axis or an iname.
func (m *magnitudes) name(name string) float64 {
	if v, ok := m.known[name]; ok {
		return v
	}
	m.known[name] = unknown // while it is looked for
	v := m.inames(name)
	if size, ok := m.sizes[name]; ok {
		v = magnitude(size)
	}
	m.known[name] = v
	return m.note(v)
}

// inames bounds an iname by the domain at the sizes.
func (m *magnitudes) inames(name string) float64 {
	if !m.kernel.IsIname(name) {
		return m.stored(name)
	}
	domain, err := m.kernel.DomainOf([]string{name})
	if err != nil {
		return unknown
	}
	if domain, err = domain.Fix(m.sizes); err != nil {
		return unknown
	}
	largest := 0.0
	for _, part := range domain.Disjuncts() {
		if empty, err := part.IsEmpty(); err == nil && empty {
			continue
		}
		lower, upper, err := part.Bounds(name)
		if err != nil || len(lower) == 0 || len(upper) == 0 {
			return unknown
		}
		for _, b := range append(lower, upper...) {
			switch {
			case b.Num.IsConstant():
				largest = max(largest, magnitude(b.Num.Constant()))
			case m.fromMemory(b):
				largest = max(largest, m.name(b.Num.Names()[0]))
			default:
				return unknown
			}
		}
	}
	return largest
}

// stored bounds what a value argument, a temporary or an array holds: by what is stored in it, where that is all.
func (m *magnitudes) stored(name string) (largest float64) {
	writers := m.kernel.Writers(name)
	if a := m.kernel.Array(name); a == nil || a.Space != kernel.Private || len(writers) == 0 {
		return largest32
	}
	large := m.large
	for _, s := range writers {
		v, err := m.expr(s.RHS)
		if err != nil {
			return largest32
		}
		largest = max(largest, v)
	}
	m.large = large
	return min(largest, largest32)
}

// fromMemory reports whether a temporary of at most 32 bits bounds an iname: with b the temporary, as in j <= b - 1, the
// loop stays within what such a temporary can hold.
func (m *magnitudes) fromMemory(b polycount.Bound) bool {
	names := b.Num.Names()
	if len(names) != 1 || b.Num.HasFloor() || b.Num.Coeff(names[0]) < 0 || b.Num.Coeff(names[0]) > b.Den {
		return false
	}
	a := m.kernel.Array(names[0])
	return a != nil && !a.IsValue && a.DType.Size() <= 4 && a.DType != expr.Uint32
}

// affine bounds an affine expression.
func (m *magnitudes) affine(a polycount.Affine) float64 {
	sum := magnitude(a.Constant())
	for _, t := range a.All() {
		if t.Floor != nil {
			sum += magnitude(t.Coeff) * math.Floor(m.affine(t.Floor.Num)/float64(t.Floor.Den))
		} else {
			sum += magnitude(t.Coeff) * m.name(t.Name)
		}
	}
	return m.note(sum)
}

func (m *magnitudes) nodes(nodes []linear.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *linear.Loop:
			for _, b := range append(n.Lower, n.Upper...) {
				if !m.fromMemory(b) {
					m.affine(b.Num)
				}
			}
			m.nodes(n.Body)
		case *linear.Guard:
			for _, c := range n.Conds {
				m.affine(c.Affine)
			}
			m.nodes(n.Body)
		}
	}
}
