package launch

import (
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/ops"
)

// Compiled code makes a multiply-add of a product and the sum that it goes into, also where the text keeps the product in a variable between them, or
// computes it in a function that is inlined: t = a*b; s = s + t.

// fused are the variables, by the statements that read them, which hold a product that one sum reads.
type fused map[*kernel.Stmt]map[string]bool

// find notes those of a straight line of code.
func (f fused) find(k *kernel.Kernel, list []linear.Node) {
	tried := map[string]bool{}
	for _, n := range list {
		s := assignment(n)
		if s == nil {
			continue
		}
		to, ok := s.LHS.(expr.Var)
		if !ok || tried[to.Name] || !isProduct(k, s) {
			continue
		}
		tried[to.Name] = true
		for _, r := range addedOnce(k, list, to.Name) {
			if f[r] == nil {
				f[r] = map[string]bool{}
			}
			f[r][to.Name] = true
		}
	}
}

// assignment is the statement of a node that assigns, nil for others.
func assignment(n linear.Node) *kernel.Stmt {
	if x, ok := n.(*linear.Exec); ok && x.Stmt.Kind == kernel.Assign {
		return x.Stmt
	}
	return nil
}

// isProduct reports whether a statement sets a private variable to a product in floating point, and computes it in the type of the variable.
func isProduct(k *kernel.Kernel, s *kernel.Stmt) bool {
	n, t, err := ops.Visitor{Kernel: k}.Multiplications(s.RHS)
	to, err2 := k.TypeOf(s.LHS)
	a := k.Array(s.LHS.String())
	return err == nil && err2 == nil && n > 0 && t == to && t.Base().IsFloat() && a != nil && a.Space == kernel.Private && len(s.Predicates) == 0
}

// addedOnce lists the statements of a line that alone read a product which a variable holds: the next one sets the variable anew, or no other statement
// of the kernel mentions it.
func addedOnce(k *kernel.Kernel, list []linear.Node, name string) (readers []*kernel.Stmt) {
	var line, found []*kernel.Stmt // found: those that read the product which the variable holds
	holds := false
	for _, n := range list {
		s := assignment(n)
		if s == nil {
			holds = holds && mentions(within(n), name) == 0
			continue
		}
		line = append(line, s)
		to, _ := s.LHS.(expr.Var)
		sets, count := to.Name == name, reads(s, name)
		if count > 0 && holds {
			holds = count == 1 && len(found) == 0 && !s.Atomic && len(s.Predicates) == 0
			found = append(found, s)
		}
		if !sets {
			continue
		}
		if holds && len(s.Predicates) == 0 {
			readers = append(readers, found...)
		}
		holds, found = isProduct(k, s), nil
	}
	if holds && mentions(line, name) == mentions(k.Statements, name) && !comesIn(line, name) {
		readers = append(readers, found...)
	}
	return readers
}

// comesIn reports whether a line reads a variable before it sets it.
func comesIn(line []*kernel.Stmt, name string) bool {
	for _, s := range line {
		if to, _ := s.LHS.(expr.Var); reads(s, name) > 0 || to.Name == name {
			return reads(s, name) > 0 || len(s.Predicates) > 0
		}
	}
	return false
}

// within are the statements of a node.
func within(n linear.Node) (list []*kernel.Stmt) {
	switch x := n.(type) {
	case *linear.Exec:
		return []*kernel.Stmt{x.Stmt}
	case *linear.Guard:
		for _, n := range x.Body {
			list = append(list, within(n)...)
		}
	case *linear.Loop:
		for _, n := range x.Body {
			list = append(list, within(n)...)
		}
	}
	return list
}

// reads counts how often a statement reads a variable.
func reads(s *kernel.Stmt, name string) (n int) {
	for _, e := range append([]expr.Expr{s.RHS}, s.Predicates...) {
		n += occurrences(e, name)
	}
	if a, ok := s.LHS.(*expr.Access); ok {
		n += occurrences(a, name)
	}
	return n
}

func occurrences(e expr.Expr, name string) (n int) {
	if e == nil {
		return 0
	}
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Var:
			if x.Name == name {
				n++
			}
		case *expr.Access:
			if x.Array == name {
				n++
			}
		}
		return true
	})
	return n
}

// mentions counts how often statements set or read a variable.
func mentions(list []*kernel.Stmt, name string) (n int) {
	for _, s := range list {
		if n += reads(s, name); s.LHS != nil {
			if to, ok := s.LHS.(expr.Var); ok && to.Name == name {
				n++
			}
		}
	}
	return n
}

// joins calls found with the multiplications that become parts of additions in an expression, by type, where variables of these names hold products.
func joins(k *kernel.Kernel, e expr.Expr, names map[string]bool, found func(t expr.DType, n int64)) {
	if len(names) == 0 {
		return
	}
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Cond: // one side of it is computed
			return false
		case *expr.Op:
			if x.Kind != expr.Add && x.Kind != expr.Sub {
				return true
			}
			list := terms(x)
			joinsOf(k, x, list, names, found)
			for _, term := range list {
				joins(k, term, names, found)
			}
			return false
		}
		return true
	})
}

// joinsOf does that for a sum with its terms. There is one addition less than terms, and those that the text adds to products have theirs.
func joinsOf(k *kernel.Kernel, sum *expr.Op, list []expr.Expr, names map[string]bool, found func(t expr.DType, n int64)) {
	t, err := k.TypeOf(sum)
	if err != nil {
		return
	}
	var products, more int64
	for _, term := range list {
		if n, u, err := (ops.Visitor{Kernel: k}).Multiplications(term); err == nil && n > 0 && u == t {
			products++
		}
		if v, ok := ops.Unsigned(term).(expr.Var); ok && names[v.Name] {
			if u, err := k.TypeOf(v); err == nil && u == t {
				more++
			}
		}
	}
	adds := int64(len(list)) - 1
	if n := min(products+more, adds) - min(products, adds); n > 0 {
		found(t, n)
	}
}

// terms are those of nested sums.
func terms(e expr.Expr) []expr.Expr {
	x, ok := ops.Unsigned(e).(*expr.Op)
	if !ok || x.Kind != expr.Add && x.Kind != expr.Sub {
		return []expr.Expr{e}
	}
	return lists.Flat(x.Args, terms)
}

// One instruction combines three words bit by bit, whatever the operations, and one rotates a word, which the text says as two shifts that are joined.

func isLogic(x *expr.Op) bool {
	return x.Kind == expr.BitAnd || x.Kind == expr.BitOr || x.Kind == expr.BitXor || x.Kind == expr.BitNot
}

// bitwise is logic of words that compiled code computes together.
type bitwise struct {
	operations, rotations int64
	words                 map[string]bool
	within                map[string]bool // operations that are counted
}

// logic takes back what instructions of logic are saved in an expression, of which the given operation is the outermost one.
func (b *builder) logic(x *expr.Op, out *[]instruction) {
	t, err := b.p.nest.Kernel.TypeOf(x)
	if err != nil || t.Base().Size() > 4 || b.joined[x] {
		return
	}
	all := bitwise{words: map[string]bool{}, within: map[string]bool{}}
	b.combine(x, &all)
	if less := max(int64(len(all.words))/2, 1) - all.operations; less < 0 && all.operations > 0 {
		*out = append(*out, instruction{issueLogic, less * t.Lanes(), nil, everyLoop})
	}
	if n := all.rotations * t.Lanes(); n > 0 { // the shift to the left, and what joins it with the other
		*out = append(*out, instruction{issueLogic, -n, nil, everyLoop}, instruction{issueProduct, -n, nil, everyLoop})
	}
}

// combine collects the operations and the words of an expression.
func (b *builder) combine(e expr.Expr, all *bitwise) {
	text := e.String()
	x, ok := e.(*expr.Op)
	_, before := b.computed[text]
	switch {
	case isNumber(e) || all.within[text]:
	case !ok || !isLogic(x) || before && len(all.within) > 0:
		all.words[text] = true
	case isRotation(x):
		b.joined[x] = true
		all.words[text] = true
		all.within[text] = true
		all.rotations++
	default:
		b.joined[x] = true
		all.within[text] = true
		all.operations += max(int64(len(x.Args))-1, 1)
		for _, arg := range x.Args {
			b.combine(arg, all)
		}
	}
}

// isRotation reports whether an operation joins a word shifted to the left with the same shifted to the right, by 32 in all.
func isRotation(x *expr.Op) bool {
	if len(x.Args) != 2 || x.Kind != expr.BitOr && x.Kind != expr.BitXor {
		return false
	}
	left, ok := x.Args[0].(*expr.Op)
	right, ok2 := x.Args[1].(*expr.Op)
	if ok && ok2 && left.Kind == expr.Shr {
		left, right = right, left
	}
	if !ok || !ok2 || left.Kind != expr.Shl || right.Kind != expr.Shr || !expr.Equal(left.Args[0], right.Args[0]) {
		return false
	}
	m, err := expr.EvalInt(bare(left.Args[1]), nil)
	n, err2 := expr.EvalInt(bare(right.Args[1]), nil)
	return err == nil && err2 == nil && m.Int64()+n.Int64() == 32
}

// bare is an expression without the conversions of what it gives.
func bare(e expr.Expr) expr.Expr {
	for {
		c, ok := e.(*expr.Cast)
		if !ok {
			return e
		}
		e = c.Arg
	}
}
