package workload

import (
	"math/big"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// needsWide reports whether a value in the index arithmetic of the program can exceed 32 bits at the sizes of the case:
// an index or a part of one, a loop bound, a guard. The estimate adds and multiplies the largest magnitudes of the parts,
// so it errs on the side of 64 bits; what it cannot bound counts as too large.
func (c *Case) needsWide() (bool, error) {
	nest, err := c.Nest()
	if err != nil {
		return false, err
	}
	m := &magnitudes{kernel: nest.Kernel, sizes: c.Sizes, known: map[string]*big.Int{}}
	global, local, err := c.launch()
	if err != nil {
		return false, err
	}
	for d := range global {
		axis := string(rune('0' + d))
		m.known["lid("+axis+")"] = big.NewInt(local[d])
		m.known["gid("+axis+")"] = big.NewInt(global[d] / max(local[d], 1))
	}
	for _, s := range nest.Kernel.Statements {
		for _, e := range []expr.Expr{s.LHS, s.RHS} {
			if e == nil {
				continue
			}
			for _, a := range expr.Accesses(e) {
				for _, index := range a.Index {
					if _, err := m.expr(index); err != nil {
						return false, err
					}
				}
			}
		}
	}
	m.nodes(nest.Body)
	return m.large, nil
}

// magnitudes bounds absolute values, and notes when one exceeds 32 bits.
type magnitudes struct {
	kernel *kernel.Kernel
	sizes  map[string]int64
	known  map[string]*big.Int // of names
	large  bool
}

var int32Max = big.NewInt(1<<31 - 1)

func (m *magnitudes) note(v *big.Int) *big.Int {
	if v.CmpAbs(int32Max) > 0 {
		m.large = true
	}
	return v
}

// expr bounds an index expression and all its parts.
func (m *magnitudes) expr(e expr.Expr) (*big.Int, error) {
	d := expr.Domain[*big.Int]{
		Int:   func(v int64) *big.Int { return m.note(new(big.Int).Abs(big.NewInt(v))) },
		Unary: func(_ expr.OpKind, a *big.Int) (*big.Int, error) { return a, nil },
		Binary: func(op expr.OpKind, a, b *big.Int) (*big.Int, error) {
			switch op {
			case expr.Add, expr.Sub:
				return m.note(new(big.Int).Add(a, b)), nil
			case expr.Mul:
				return m.note(new(big.Int).Mul(a, b)), nil
			case expr.FloorDiv:
				return a, nil
			}
			return larger(a, b) // minimum, maximum, and %, which stays below its divisor
		},
		Either: larger,
	}
	return d.Eval(e, func(e expr.Expr) (*big.Int, error) {
		if v, ok := e.(expr.Var); ok {
			return m.name(v.Name), nil
		}
		return int32Max, nil // what memory holds, or a function returns
	})
}

func larger(a, b *big.Int) (*big.Int, error) {
	if a.Cmp(b) > 0 {
		return a, nil
	}
	return b, nil
}

// name bounds a parameter, an axis or an iname.
func (m *magnitudes) name(name string) *big.Int {
	if v, ok := m.known[name]; ok {
		return v
	}
	v := m.inames(name)
	if size, ok := m.sizes[name]; ok {
		v = new(big.Int).Abs(big.NewInt(size))
	}
	m.known[name] = v
	return m.note(v)
}

// inames bounds an iname by the domain at the sizes.
func (m *magnitudes) inames(name string) *big.Int {
	unknown := new(big.Int).Lsh(int32Max, 1)
	if !m.kernel.IsIname(name) {
		return int32Max // a value argument or a temporary
	}
	domain, err := m.kernel.DomainOf([]string{name})
	if err != nil {
		return unknown
	}
	if domain, err = domain.Fix(m.sizes); err != nil {
		return unknown
	}
	largest := new(big.Int)
	for _, part := range domain.Disjuncts() {
		if empty, err := part.IsEmpty(); err == nil && empty {
			continue
		}
		lower, upper, err := part.Bounds(name)
		if err != nil || len(lower) == 0 || len(upper) == 0 {
			return unknown
		}
		for _, b := range append(lower, upper...) {
			v := new(big.Int).Abs(big.NewInt(b.Num.Constant()))
			if !b.Num.IsConstant() {
				var ok bool
				if v, ok = m.fromMemory(b); !ok {
					return unknown
				}
			}
			if v.Cmp(largest) > 0 {
				largest = v
			}
		}
	}
	return largest
}

// fromMemory bounds the values of an iname that a temporary of at most 32 bits bounds: with b the temporary, as in
// j <= b - 1, the loop stays within what such a temporary can hold.
func (m *magnitudes) fromMemory(b polycount.Bound) (*big.Int, bool) {
	names := b.Num.Names()
	if len(names) != 1 || b.Num.HasFloor() || b.Num.Coeff(names[0]) < 0 || b.Num.Coeff(names[0]) > b.Den {
		return nil, false
	}
	a := m.kernel.Array(names[0])
	return int32Max, a != nil && !a.IsValue && a.DType.Size() <= 4 && a.DType != expr.Uint32
}

// affine bounds an affine expression.
func (m *magnitudes) affine(a polycount.Affine) *big.Int {
	sum := new(big.Int).Abs(big.NewInt(a.Constant()))
	for _, t := range a.All() {
		v := new(big.Int).Abs(big.NewInt(t.Coeff))
		if t.Floor != nil {
			v.Mul(v, new(big.Int).Div(m.affine(t.Floor.Num), big.NewInt(t.Floor.Den)))
		} else {
			v.Mul(v, m.name(t.Name))
		}
		sum.Add(sum, v)
	}
	return m.note(sum)
}

func (m *magnitudes) nodes(nodes []linear.Node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *linear.Loop:
			for _, b := range append(n.Lower, n.Upper...) {
				if _, ok := m.fromMemory(b); !ok {
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
