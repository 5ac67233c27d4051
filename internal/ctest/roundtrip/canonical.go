package roundtrip

import (
	"fmt"
	"math/bits"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

// canonical is a kernel with what its domains decide taken out of the indices, so that the same accesses have the same strides: a number for an index of a
// work-item that can have no other value, and one operand of a minimum or maximum that is always the least or greatest. Iterations of unrolled loops
// for which that may differ are statements of their own.
func canonical(k *kernel.Kernel) (*kernel.Kernel, error) {
	k, err := transform.Prepare(k)
	if err != nil {
		return nil, err
	}
	c := k.Clone()
	c.Statements = nil
	for _, s := range k.Statements {
		copies, err := unrolled(k, s)
		if err != nil {
			return nil, err
		}
		c.Statements = append(c.Statements, copies...)
	}
	var failed error
	c.MapStmts(func(s *kernel.Stmt) {
		if failed != nil || s.Kind != kernel.Assign {
			return
		}
		d, err := domain(k, s)
		if err == nil {
			err = decide(k, s, d)
		}
		failed = err
	})
	return c, failed
}

// unrolled are the copies of a statement for each iteration of unrolled loops that are decided by in its indices.
func unrolled(k *kernel.Kernel, s *kernel.Stmt) ([]*kernel.Stmt, error) {
	list := []*kernel.Stmt{s}
	for _, iname := range s.Inames {
		if k.Tags[iname].Kind != kernel.Unroll || !decidedBy(s, iname) {
			continue
		}
		d, err := k.DomainOf([]string{iname})
		if err != nil {
			return nil, err
		}
		points, err := d.Points(nil, 64)
		if err != nil {
			return nil, err
		}
		var next []*kernel.Stmt
		for _, s := range list {
			for _, p := range points {
				c := *s
				c.ID = fmt.Sprintf("%s_%s%d", s.ID, iname, p[0])
				c.Predicates = append(slices.Clip(s.Predicates), expr.Binary(expr.Eq, expr.Var{Name: iname}, expr.Int{Value: p[0]}))
				next = append(next, &c)
			}
		}
		list = next
	}
	return list, nil
}

// decidedBy reports whether a minimum, maximum or quotient in an index, or a condition, may depend on an iname.
func decidedBy(s *kernel.Stmt, iname string) bool {
	found := slices.ContainsFunc(s.Predicates, func(p expr.Expr) bool { return expr.Mentions(p, iname) })
	for _, e := range s.Exprs() {
		for _, a := range expr.Accesses(e) {
			for _, i := range a.Index {
				expr.Walk(i, func(x expr.Expr) bool {
					if op, ok := x.(*expr.Op); ok && slices.Contains([]expr.OpKind{expr.Min, expr.Max, expr.FloorDiv, expr.Mod}, op.Kind) {
						found = found || expr.Mentions(x, iname)
					}
					return !found
				})
			}
		}
	}
	return found
}

// domain are the points of a statement where its affine predicates hold.
func domain(k *kernel.Kernel, s *kernel.Stmt) (*polycount.Set, error) {
	d, err := k.DomainOf(s.Inames)
	for _, p := range s.Predicates {
		if err == nil && k.IsAffineCondition(p) {
			d, err = k.Restrict(d, p)
		}
	}
	return d, err
}

func decide(k *kernel.Kernel, s *kernel.Stmt, d *polycount.Set) error {
	var failed error
	fixed := map[string]expr.Expr{}
	for _, iname := range s.Inames {
		if v, ok, err := only(d, iname); err != nil {
			return err
		} else if ok && (k.Tags[iname].Parallel() || k.Tags[iname].Kind == kernel.Unroll) {
			fixed[iname] = expr.Int{Value: v}
		}
	}
	simplified := func(e expr.Expr) expr.Expr {
		return expr.Rewrite(expr.Subst(e, fixed), func(e expr.Expr) expr.Expr {
			op, ok := e.(*expr.Op)
			if !ok || op.Kind != expr.Min && op.Kind != expr.Max || len(op.Args) != 2 {
				return e
			}
			x, err := k.AffineOf(op.Args[0])
			y, err2 := k.AffineOf(op.Args[1])
			if err != nil || err2 != nil {
				return e
			}
			for i, less := range [2]polycount.Constraint{polycount.GE(y, x), polycount.GE(x, y)} {
				if always, err := d.Implies(less); err != nil {
					failed = err
				} else if always {
					return op.Args[map[bool]int{true: i, false: 1 - i}[op.Kind == expr.Min]]
				}
			}
			return e
		})
	}
	s.LHS, s.RHS = simplified(s.LHS), simplified(s.RHS)
	return failed
}

// only is the value that an iname has at all points, if it is one number.
func only(d *polycount.Set, iname string) (v int64, ok bool, err error) {
	p, err := d.Project(iname)
	if err != nil {
		return 0, false, err
	}
	list, _ := p.Constraints()
	for _, c := range list {
		a := c.Affine.Coeff(iname)
		if a == 0 || !slices.Equal(c.Affine.Names(), []string{iname}) || !c.Affine.Only(iname) {
			continue
		}
		v := intmath.FloorDiv(-c.Affine.Constant(), a)
		if ok, err := p.Implies(polycount.EQ(polycount.Name(iname), polycount.Int(v))); err != nil || ok {
			return v, ok, err
		}
	}
	return 0, false, nil
}

// asWritten is a kernel with the operations that C does not have as emit writes them: quotients and remainders that round down, of numbers that may be negative,
// remainders of floating-point numbers, and powers of integers.
func asWritten(k *kernel.Kernel) (*kernel.Kernel, error) {
	c := k.Clone()
	var failed error
	helpers := map[string]bool{}
	var value func(e expr.Expr) expr.Expr
	value = func(e expr.Expr) expr.Expr {
		if _, ok := e.(*expr.Access); ok || k.IsAffineCondition(e) {
			return e // arithmetic of indices does not count, and conditions say what does
		}
		if isNumber(k, e) { // which a compiler computes
			return &expr.Cast{DType: expr.Int32, Arg: expr.Int{}}
		}
		e = expr.MapChildren(e, value)
		op, ok := e.(*expr.Op)
		if !ok {
			return e
		}
		t, err := c.TypeOf(op)
		if err != nil {
			failed = err
			return e
		}
		f := helper(k, op, t)
		if f == nil {
			return e
		}
		if !helpers[f.Name] {
			helpers[f.Name] = true
			c.Functions = append(c.Functions, f)
		}
		return &expr.Call{Func: f.Name, Args: op.Args}
	}
	c.MapStmts(func(s *kernel.Stmt) {
		if s.Kind == kernel.Assign && !s.Atomic {
			s.RHS = value(s.RHS)
		}
		for i, p := range s.Predicates {
			s.Predicates[i] = value(p)
		}
	})
	return c, failed
}

// isNumber reports whether an operation is on numbers alone, as in the iterations of unrolled loops.
func isNumber(k *kernel.Kernel, e expr.Expr) bool {
	if t, err := k.TypeOf(e); err != nil || t != expr.Int32 {
		return false
	}
	_, number := e.(*expr.Op)
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Op, expr.Int:
		case expr.Var:
			number = number && k.IsIname(x.Name) && isFixed(k, x.Name)
		default:
			number = false
		}
		return number
	})
	return number
}

// isFixed reports whether emit writes the values of an iname: of an unrolled loop, or of one with one iteration.
func isFixed(k *kernel.Kernel, iname string) bool {
	d, err := k.DomainOf([]string{iname})
	if err != nil {
		return false
	}
	_, one, err := only(d, iname)
	return k.Tags[iname].Kind == kernel.Unroll || one && err == nil
}

// definitions are the helpers of emit: the local variables, and the result, of operands a and b.
var definitions = map[expr.OpKind][2]string{
	expr.FloorDiv: {"a // b", "q - 1 if q * b != a and (a < 0) != (b < 0) else q"},
	expr.Mod:      {"a % b", "q + b if q != 0 and (q < 0) != (b < 0) else q"},
}

// helper is the function that emit writes for an operation; nil where it writes an operator.
func helper(k *kernel.Kernel, op *expr.Op, t expr.DType) *kernel.Function {
	f := &kernel.Function{Name: "", Result: t, Params: []kernel.FunctionParam{{Name: "a", DType: t}, {Name: "b", DType: t}}}
	quotient := op.Kind == expr.FloorDiv || op.Kind == expr.Mod
	switch {
	case t.IsVector():
		return nil
	case quotient && t.IsFloat():
		f.Name, f.Def = "float_div_"+string(t), parse("floor(a / b)")
		if op.Kind == expr.Mod {
			f.Name, f.Def = "float_mod_"+string(t), parse("a - b * floor(a / b)")
		}
	case quotient && t.IsSigned():
		if _, err := k.AffineOf(op); err == nil && t == expr.Int32 {
			return nil
		}
		f.Name = map[expr.OpKind]string{expr.FloorDiv: "integer_div_", expr.Mod: "integer_mod_"}[op.Kind] + string(t)
		d := definitions[op.Kind]
		f.Lets, f.Def = []kernel.FunctionLet{{Name: "q", Expr: parse(d[0])}}, parse(d[1])
	case op.Kind == expr.Pow && t.IsInteger():
		n, ok := expr.IntLiteral(op.Args[1])
		if !ok {
			return nil
		}
		products := bits.Len64(uint64(n)) + bits.OnesCount64(uint64(n)) // squares, and factors of the result
		f.Body = "return a;"
		f.Name, f.Counts = fmt.Sprintf("power_%d_%s", n, t), map[expr.DType]map[string]int64{t: {"mul": int64(products)}}
	default:
		return nil
	}
	return f
}

func parse(text string) expr.Expr {
	e, err := expr.Parse(text)
	if err != nil {
		panic(err) // of a text above
	}
	return e
}
